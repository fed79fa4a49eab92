package isa

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOperations holds that no name stands twice.
func TestOperations(t *testing.T) {
	_, rows, _ := strings.Cut(operationsText, "|---|---|---|---|\n")
	names := 0
	for row := range strings.Lines(rows) {
		names += len(strings.Fields(strings.Split(row, "|")[1]))
	}
	assert.Len(t, operationNames(), names)
}

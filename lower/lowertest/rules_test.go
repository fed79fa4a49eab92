package lowertest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower/lowertest/internal/follow"
)

// TestRules holds that what differences name stands in docs/abi.md.
func TestRules(t *testing.T) {
	doc := must.Read(t, "../../docs/abi.md")
	for _, rule := range follow.Rules {
		step := strings.Contains(string(doc), "\n**"+rule+".**")
		heading := strings.Contains(string(doc), "# "+rule+"\n")
		assert.True(t, step || heading, rule)
	}
}

package core_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/core/prose"
)

func TestCount(t *testing.T) {
	assert.Equal(t, "0 places", prose.Count(0, "place"))
	assert.Equal(t, "1 place", prose.Count(1, "place"))
	assert.Equal(t, "2 places", prose.Count(int64(2), "place"))
}

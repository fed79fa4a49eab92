package diag_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/diag"
)

// TestLoneCarriageReturn holds that one that no line feed follows is a byte of its line, as
// package ptx counts it.
func TestLoneCarriageReturn(t *testing.T) {
	text := diag.NewText("ab\r\ncd\r")
	first, _ := text.Line(1)
	last, _ := text.Line(2)
	assert.Equal(t, "ab", first)
	assert.Equal(t, "cd\r", last)
	off, ok := text.Offset(diag.Pos{Line: 2, Col: 4})
	assert.True(t, ok)
	assert.Equal(t, 7, off)
}

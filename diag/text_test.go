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

// TestPrintable holds what is escaped in texts for people, and what is not.
func TestPrintable(t *testing.T) {
	for _, tt := range []struct{ in, line, lines string }{
		{"", "", ""},
		{`plain é \ "text"`, `plain é \ "text"`, `plain é \ "text"`},
		{"a\x00\x1b[2Jb\x7f\u009b", `a\x00\x1b[2Jb\x7f\u009b`, `a\x00\x1b[2Jb\x7f\u009b`},
		{"a\tb\r\nc\rd\n", `a\tb\r\nc\rd\n`, "a\tb\r\nc\\rd\n"},
		{"\u202ea\u2066\u200f\u061c\u2028é", `\u202ea\u2066\u200f\u061c\u2028é`, `\u202ea\u2066\u200f\u061c\u2028é`},
		{"\x9b\xff\uFFFD", "\\x9b\\xff\uFFFD", "\\x9b\\xff\uFFFD"},
	} {
		assert.Equal(t, tt.line, diag.Printable(tt.in))
		assert.Equal(t, tt.lines, diag.PrintableLines(tt.in))
	}
}

// TestColumn holds that a column counts characters, a byte that is of none as one, and not the byte-order mark.
func TestColumn(t *testing.T) {
	text := diag.NewText("\ufeffé = é;\n\xff\xffx\r\n")
	for at, want := range map[diag.Pos]uint32{{Line: 1, Col: 1}: 1, {Line: 1, Col: 2}: 2, {Line: 1, Col: 3}: 2, {Line: 1, Col: 6}: 5, {Line: 1, Col: 8}: 6, {Line: 2, Col: 3}: 3} {
		col, ok := text.Column(at)
		assert.True(t, ok)
		assert.Equal(t, want, col, at)
	}
	for _, text := range []*diag.Text{text, nil, {}} {
		_, ok := text.Column(diag.Pos{Line: 9, Col: 1})
		assert.False(t, ok)
	}
}

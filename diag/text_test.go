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
	hostile := diag.List{{
		File: "x\x1b\u202e.ptx", Code: "C", Msg: "a\rb\u2066",
		Related: []diag.Related{{File: "y\x1b", Msg: "c\nd"}},
	}}
	assert.Equal(t, "::error file=x\\x1b\\u202e.ptx,title=C::a\\rb\\u2066%0Ay\\x1b: c\\nd\n", string(diag.AppendGitHub(nil, hostile)))
}

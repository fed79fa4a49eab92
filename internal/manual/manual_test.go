package manual_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/manual"
)

const help = `usage: tool read [flags] FILE
                 OTHER

Read reads a file,
and another.

  -all           all of it
  -type NAME,... these alone
  -emit-header FILE  a header,
                 too

.A paragraph with a \ in it.

Examples:

  tool read -all x
  tool read - <x
`

var want = manual.Help{
	Usage: "tool read [flags] FILE OTHER",
	Blocks: []manual.Block{
		{Text: "Read reads a file, and another."},
		{Flags: []manual.Flag{
			{Name: "all", Text: "all of it"},
			{Name: "type", Arg: "NAME,...", Text: "these alone"},
			{Name: "emit-header", Arg: "FILE", Text: "a header, too"},
		}},
		{Text: `.A paragraph with a \ in it.`},
		{Text: "Examples:"},
		{Lines: []string{"tool read -all x", "tool read - <x"}},
	},
}

func TestRead(t *testing.T) {
	assert.Equal(t, want, manual.Read(help))
	assert.Len(t, manual.Read(help).Flags(), 3)
	assert.Equal(t, manual.Help{Blocks: []manual.Block{{}}}, manual.Read(""))
}

func TestRoff(t *testing.T) {
	page := manual.Page{Name: "tool", Short: "reads files", Commands: []manual.Command{{Name: "read", Short: "reads one", Help: want}}}
	assert.Equal(t, `.\" Made from the help texts of tool; do not edit.
.TH TOOL 1
.SH NAME
tool \- reads files
.SH SYNOPSIS
tool read [flags] FILE OTHER
.SH DESCRIPTION
.SH COMMANDS
.SS read \- reads one
.B tool read [flags] FILE OTHER
.PP
Read reads a file, and another.
.TP
.B \-all
all of it
.TP
.B \-type NAME,...
these alone
.TP
.B \-emit\-header FILE
a header, too
.PP
\&.A paragraph with a \e in it.
.PP
Examples:
.PP
.EX
tool read \-all x
tool read \- <x
.EE
`, string(page.Roff()))
}

package main

import (
	_ "embed"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/sass"
)

// TestMarkLines marks each line once, and the marks read back.
func TestMarkLines(t *testing.T) {
	at := func(line uint32, op string) sass.Item {
		return sass.Item{Instr: sass.Instr{Op: op, Pos: sass.Pos{Line: line}}}
	}
	p := &sass.Program{Target: "sm_52", Funcs: []*sass.Func{
		{Name: "f", Items: []sass.Item{
			{Kind: sass.Comment, Text: "first"},
			at(3, "EXIT"), at(3, "EXIT"),
			{Kind: sass.Label, Text: "X"},
			at(3, "EXIT"),
			{Kind: sass.Label, Text: "Y"},
			at(7, "EXIT"), at(0, "EXIT"), at(3, "EXIT"),
		}},
		{Name: "g", Items: []sass.Item{at(3, "RET")}},
	}}
	for _, f := range p.Funcs {
		markLines(f, "a b.ptx")
	}
	assert.Equal(t, linesWanted, p.String())
	back, err := sass.Parse("marked", []byte(linesWanted))
	require.NoError(t, err)
	assert.Equal(t, linesWanted, back.String())
}

//go:embed testdata/text/linesWanted.sass
var linesWanted string

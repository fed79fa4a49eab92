package link_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/source/llvmir"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// TestLLVMReal holds modules of LLVM against the PTX that llc 19 made of them: nothing differs, and everything is defined twice.
func TestLLVMReal(t *testing.T) {
	const folder = "../../../testdata/real/"
	for _, name := range []string{"types", "handles", "textures"} {
		text := must.Read(t, folder+"src/"+name+".ll")
		ir, list := llvmir.Parse("x.ll", string(text))
		require.NoError(t, list.Err())
		text = must.Read(t, folder+"llc19-"+name+".ptx")
		text = bytes.ReplaceAll(text, []byte("\n.entry"), []byte("\n.visible .entry")) // which LLVM leaves out for OpenCL
		s := new(link.Set)
		s.AddLLVM(link.Place{Name: "x.ll", File: "x.ll"}, ir)
		s.AddPTX(link.Place{Name: "x.ptx", File: "x.ptx"}, parsed(t, "x.ptx", string(text)))
		r := s.Report("")
		assert.Positive(t, r.Counts.Shared)
		for _, d := range r.Diags {
			assert.Equal(t, check.RepeatedDefinition, d.Code, "%s: %v", name, d)
		}
	}
}

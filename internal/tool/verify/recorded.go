package verify

import (
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Recorded is what a cubin records of a function with those formals, as
// [cubin.Prototype] has it, without what .abi_preserve adds. It is false where that is
// not known: of formals outside the ABI.
func Recorded(f *ptx.Func) (string, bool) {
	if len(f.Results) > 1 {
		return "", false
	}
	var b strings.Builder
	b.WriteByte('#')
	if len(f.Results) == 0 {
		b.WriteByte('v')
	}
	for _, list := range [][]ptx.Formal{f.Results, f.Params} {
		for _, v := range formals(list) {
			if v.Element == "" {
				return "", false
			}
			b.WriteString(v.Element)
		}
	}
	return b.String(), true
}

// KernelParams are the parameters of a kernel as a cubin records them, and how many
// bytes they have together. It is false where they have no place, or none that is known.
func KernelParams(m *ptx.Module, f *ptx.Func, t *abi.Target) (params []cubin.Param, size int, ok bool) {
	fn := resolve.NewFunction(m, f)
	a, diags := fn.Assign(t)
	if len(diags) > 0 || !fn.Known() {
		return nil, 0, false
	}
	return sourceBlock(f.Params, &a).recorded(), a.Block.Size, true
}

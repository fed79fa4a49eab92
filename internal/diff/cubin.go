package diff

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cubin"
)

// compiledNote says what a comparison with a cubin leaves out.
const compiledNote = "kernels alone: a cubin does not record where the formals of functions are, nor names, types and alignments"

// NewCompiledSide is what a cubin records of its kernels, sorted by name: offsets
// and sizes of their parameters. The order of its symbols is the assembler's
// business.
func NewCompiledSide(f *cubin.File, name string, t *abi.Target) *Side {
	s := &Side{File: name, Target: t.Name, Compiled: true, row: t}
	for i := range f.Functions {
		fn := &f.Functions[i]
		if !fn.Kernel {
			continue
		}
		bank := uint8(max(fn.ParamBank, 0))
		out := &Func{
			Name: fn.Name, Kind: "entry", Params: []Value{}, Returns: []Value{}, Visible: true,
			Block: &Block{int(bank), max(fn.ParamBase, 0), max(fn.ParamSize, 0)},
		}
		for _, p := range fn.Params {
			v := Value{Size: p.Size}
			if p.Offset >= 0 {
				v.loc = abi.Loc{Kind: abi.InConst, Bank: bank, Off: out.Block.Base + p.Offset}
			} else if p.PointeeSpace != 0 { // an array of handles, of 13.4 and later, has none
				v.Type = "." + strings.TrimPrefix(p.PointeeSpace.String(), ".")
			}
			v.Place = abi.Placement{Loc: v.loc, Size: p.Size}.String()
			out.Params = append(out.Params, v)
		}
		s.funcs = append(s.funcs, out)
	}
	slices.SortStableFunc(s.funcs, func(a, b *Func) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// kernels are the kernels of a side alone.
func (s *Side) kernels() []*Func {
	var all []*Func
	for _, f := range s.funcs {
		if f.Block != nil {
			all = append(all, f)
		}
	}
	return all
}

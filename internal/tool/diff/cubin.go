//go:build !explorer && !nopack

package diff

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// NewCompiledSide is what a cubin records of its kernels, sorted by name: offsets
// and sizes of their parameters. The order of its symbols is the assembler's
// business.
func NewCompiledSide(f *cubin.File, name string, t *abi.Target) *Side {
	return NewLibrarySide([]*cubin.File{f}, name, t)
}

// NewLibrarySide is [NewCompiledSide] of all cubins that a library has for a target. Of kernels that
// have one name and are alike one is kept.
func NewLibrarySide(files []*cubin.File, name string, t *abi.Target) *Side {
	s := &Side{File: name, Target: t.Name, Assumed: t.AssumedFrom != "", Compiled: true, row: t}
	for _, f := range files {
		s.add(f)
	}
	slices.SortStableFunc(s.funcs, func(a, b *Func) int { return strings.Compare(a.Name, b.Name) })
	s.funcs = slices.CompactFunc(s.funcs, func(a, b *Func) bool { return a.Name == b.Name && a.key() == b.key() })
	return s
}

// add adds the kernels of a cubin.
func (s *Side) add(f *cubin.File) {
	for i := range f.Functions {
		fn := &f.Functions[i]
		if !fn.Kernel {
			continue
		}
		bank := uint8(max(fn.ParamBank, 0))
		out := &Func{
			Name: strings.Clone(fn.Name), Kind: "entry", Params: []Value{}, Returns: []Value{}, Visible: true,
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
}

// Ambiguous are the names that several kernels of a library have which are not alike, sorted: which of them
// is which of another library nothing says.
func (s *Side) Ambiguous() []string {
	var all []string
	for i, f := range s.funcs {
		if i > 0 && f.Name == s.funcs[i-1].Name {
			all = append(all, f.Name)
		}
	}
	return slices.Compact(all)
}

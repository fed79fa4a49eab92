package annotate

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A Field is a part of a record that has a name of its own.
type Field struct {
	Path      string // "inner.x"
	Off, Size int    // bytes, from the record's start
}

// A Formal is a parameter or result with its place.
type Formal struct {
	Name string
	abi.Placement
	Fields []Field // in order of offset; nil where nothing is known of them
}

// A Func is what is known of a function that a listing has or calls.
type Func struct {
	Name            string
	Kernel          bool
	Params, Results []Formal
	Hidden          abi.Loc // as in [abi.Assignment]
	StackBytes      int     // likewise
	Block           abi.Block
	// Indirect is what every indirect call that may be in the function's code
	// takes and returns; nil where that is not known.
	Indirect *Func
}

// FromPTX returns the functions and kernels of a module in source order. One
// that has no assignment is left out, and said.
func FromPTX(m *ptx.Module, t *abi.Target) ([]*Func, diag.List) {
	table := resolve.NewTable(m)
	indirect := indirectCalls(m, t, table)
	var all []*Func
	var diags diag.List
	for f := range table.Functions() {
		if f.Decl == nil || f.Aliasee != nil {
			continue
		}
		a, list := f.Assign(t)
		if diags = append(diags, list...); len(list) > 0 {
			continue
		}
		all = append(all, &Func{
			Name: f.Name, Kernel: f.Decl.Entry, Hidden: a.Sret, StackBytes: a.StackBytes, Block: a.Block,
			Params: formals(f.Params, a.Params), Results: formals(f.Results, a.Results),
			Indirect: indirect[f.Decl],
		})
	}
	return all, diags
}

func formals(list []ptx.Formal, places []abi.Placement) []Formal {
	out := make([]Formal, len(list))
	for i := range list {
		out[i] = Formal{Name: list[i].Name, Placement: places[i]}
	}
	return out
}

// text is the bytes [off, off+size) of the formal: "y[0:4]", and by the names of
// its fields where they are known: "y.mass", "y.pos[8:16]".
func (f *Formal) text(off, size int) string {
	end := off + size
	if f.Size > 0 {
		end = min(end, f.Size)
	}
	plain := fmt.Sprintf("%s[%d:%d]", f.Name, off, end)
	var names []string
	for _, p := range f.Fields {
		switch {
		case p.Off+p.Size <= off || p.Off >= end:
		case p.Off >= off && p.Off+p.Size <= end:
			names = append(names, f.Name+"."+p.Path)
		case p.Off <= off && p.Off+p.Size >= end:
			names = append(names, fmt.Sprintf("%s.%s[%d:%d]", f.Name, p.Path, off-p.Off, end-p.Off))
		default:
			return plain
		}
	}
	if len(names) == 0 || len(names) > 4 {
		return plain
	}
	return strings.Join(names, " ")
}

// at returns the parameter with a byte of the parameter block or of the stack area. On the stack that without a
// size is the last, and has no end.
func (f *Func) at(loc abi.Loc) *Formal {
	for i := range f.Params {
		p := &f.Params[i]
		endless := p.Loc.Kind == abi.OnStack && p.Size == 0
		if p.Loc.Kind == loc.Kind && p.Loc.Bank == loc.Bank && p.Loc.Off <= loc.Off && (loc.Off < p.Loc.Off+p.Size || endless) {
			return p
		}
	}
	return nil
}

// inMemory returns the result that is returned through memory.
func (f *Func) inMemory() *Formal {
	for i := range f.Results {
		if f.Results[i].Loc.Kind == abi.Indirect {
			return &f.Results[i]
		}
	}
	return nil
}

// unknown is a function of which nothing but its kind is known: its values have
// the names of their places.
func unknown(name string, kernel bool, t *abi.Target) *Func {
	f := &Func{Name: name, Kernel: kernel}
	if kernel {
		k := &t.Kernel
		param := func(base, size int) {
			f.Params = append(f.Params, Formal{Name: "params", Placement: abi.Placement{
				Loc: abi.Loc{Kind: abi.InConst, Bank: k.ParamBank, Off: base}, Size: size,
			}})
		}
		if k.LargeBase != k.ParamBase {
			param(k.ParamBase, k.MaxParams)
		}
		if k.LargeBase > 0 {
			param(k.LargeBase, k.LargeParams)
		}
		return f
	}
	for i := range t.Passing.Count {
		r := t.Passing.First + sass.Reg(i)
		f.Params = append(f.Params, Formal{Name: fmt.Sprintf("R%d at entry", r), Placement: abi.Placement{
			Loc: abi.Loc{Kind: abi.InReg, Reg: r}, Size: 4,
		}})
	}
	f.Params = append(f.Params, Formal{Name: "stack parameters", Placement: abi.Placement{Loc: abi.Loc{Kind: abi.OnStack}}})
	return f
}

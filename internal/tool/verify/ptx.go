package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Module is a PTX module that compiled files are compared with: its declarations, and what a
// comparison needs of its bodies.
type Module struct {
	*ptx.Module
	bodies map[*ptx.Func]body
}

// A body is what a comparison needs of one.
type body struct {
	locals int // bytes of .local variables
	loads  map[string][]load
}

// NewModule takes a module with its bodies.
func NewModule(m *ptx.Module) *Module {
	out := &Module{m, make(map[*ptx.Func]body)}
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok {
			out.bodies[f] = newBody(f, f.Body)
		}
	}
	return out
}

// ReadModule takes a module whose bodies have not been read, and reads them one by one, so that a large one
// takes room for its text and declarations. It is false where a body has a syntax error.
func ReadModule(o *ptx.Outline) (*Module, bool) {
	out := &Module{o.Module(), make(map[*ptx.Func]body)}
	var r ptx.Reader
	for _, it := range out.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody {
			read, err := r.Func(o, f)
			if err != nil {
				return nil, false
			}
			out.bodies[f] = newBody(f, read.Body)
		}
	}
	return out, true
}

func newBody(f *ptx.Func, stmts []ptx.Stmt) body {
	out := body{loads: loadsOf(f, stmts)}
	for _, s := range stmts {
		if d, ok := s.(*ptx.Decl); ok && d.Space == ptx.LocalSpace {
			for i := range d.Vars {
				out.locals += d.Spec.SizeOf(&d.Vars[i]) * int(max(d.Vars[i].Count, 1))
			}
		}
	}
	return out
}

// On lays the kernels of the module out on a target, and its functions.
func (m *Module) On(t *abi.Target) *Source {
	s := &Source{Name: m.Name, Target: t, AddressSize: m.AddressSize, Complete: true, Areas: make(map[string]Area)}
	table := resolve.NewTable(m.Module)
	for one := range table.Functions() {
		f, of := one.Decl, one.Aliasee
		if f == nil {
			continue
		}
		if f.Entry {
			if f.HasBody {
				s.Kernels = append(s.Kernels, kernelOf(one, t))
			}
			continue
		}
		fn := SourceFunc{
			Name: f.Name, Line: lineOf(f.NamePos), Declared: !f.HasBody, Kept: kept(f), Locals: m.bodies[f].locals,
			Formals: &Formals{Results: formals(f.Results), Params: formals(f.Params)},
		}
		if of != nil {
			fn.Alias, fn.Declared, fn.Kept = of.Name, false, kept(of)
		}
		s.Functions = append(s.Functions, fn)
		if a, err := abi.Assign(one.Signature(), t); err == nil && one.Known() {
			s.Areas[f.Name] = area(lineOf(f.NamePos), &a)
		}
	}
	return s
}

func kernelOf(one *resolve.Function, t *abi.Target) SourceKernel {
	f := one.Decl
	k := SourceKernel{Name: f.Name, Line: lineOf(f.NamePos)}
	k.directives(f, t)
	if !one.Known() {
		k.Unread = "a parameter has a type, state space or form that is not known"
		return k
	}
	a, list := one.AssignLatest(t)
	if len(list) > 0 {
		if k.Err = list[0].Msg; disputed(one, t) {
			k.Unread = k.Err
		}
		return k
	}
	k.Block, k.Older = sourceBlock(one.Params, &a), handlesAsBytes(one.Params, t)
	for _, b := range []*Block{k.Block, k.Older} {
		if b == nil {
			continue
		}
		for i := range b.Params {
			if rest, ok := strings.CutPrefix(b.Params[i].Name, f.Name+"_"); ok {
				b.Params[i].short = rest
			}
		}
	}
	return k
}

// disputed reports whether nothing but a contradiction of the assembler leaves a function without places.
func disputed(f *resolve.Function, t *abi.Target) bool {
	_, err := abi.Assign(f.Signature(), t)
	var list abi.ErrorList
	return errors.As(err, &list) && !slices.ContainsFunc(list, func(e *abi.Error) bool { return e.Code != abi.Disputed })
}

// sourceBlock is the parameter block of an assignment.
func sourceBlock(params []ptx.Formal, a *abi.Assignment) *Block {
	b := &Block{Bank: int(a.Block.Bank), Base: a.Block.Base, Size: a.Block.Size, Params: []Param{}}
	for i, p := range a.Params {
		f := &params[i]
		q := Param{Name: f.Name, Type: typeOf(f), Size: p.Size, Offset: p.Loc.Off - a.Block.Base, handles: isHandles(f), line: lineOf(f.Pos)}
		if f.Type.Class() == ptx.Handle {
			q.Handle, q.Offset, q.Size = strings.TrimPrefix(f.Type.String(), "."), -1, 0
		}
		b.Params = append(b.Params, q)
	}
	return b
}

// typeOf is a formal's type as PTX has it: ".u64", ".align 16 .b8[20]".
func typeOf(f *ptx.Formal) string {
	s := f.Type.String()
	if f.Align != 0 {
		s = fmt.Sprintf(".align %d %s", f.Align, s)
	}
	return s + prose.Extents(f.Dims)
}

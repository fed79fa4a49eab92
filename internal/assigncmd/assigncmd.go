// Package assigncmd is what ptxabi assign does: it lists the functions of a
// module with the places of their formals, and draws them. It does no I/O.
package assigncmd

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Function is one that is listed, with its assignment.
type Function struct {
	Name, Kind      string // "func", "entry" or "prototype"
	Alias           string // of which function it is another name; "" of all others
	Pos, NamePos    diag.Pos
	Signature       abi.Signature
	Control         abi.Preserve // of .abi_preserve_control, which moves nothing
	NoReturn        bool
	Params, Results []ptx.Formal
	Places          abi.Assignment // zero before Assign
}

// Functions returns the functions, kernels and prototypes of a module in source
// order, each function once: at its definition, or where it is first declared. An
// alias stands where it is declared, with its own formals: those of its aliasee.
func Functions(m *ptx.Module) []*Function {
	table := resolve.NewTable(m)
	var all []*Function
	listed := make(map[*ptx.Func]string)
	for f, of := range table.Named(m) {
		listed[f] = ""
		if of != nil {
			listed[f] = of.Name
		}
	}
	add := func(f *ptx.Func) {
		alias, ok := listed[f]
		if !ok {
			return
		}
		one := &Function{
			Name: f.Name, Kind: "func", Alias: alias, Pos: f.Pos, NamePos: f.NamePos,
			Signature: resolve.Func(f), Params: resolve.Params(m, f), Results: f.Results,
			Control: resolve.Preserve(f.Directive(resolve.PreserveControlName)), NoReturn: f.Directive(".noreturn") != nil,
		}
		if f.Entry {
			one.Kind = "entry"
		}
		one.Signature.Params = resolve.Values(one.Params)
		all = append(all, one)
	}
	prototype := func(p *ptx.Prototype) {
		all = append(all, &Function{
			Name: p.Name, Kind: "prototype", Pos: p.Pos, NamePos: p.Pos,
			Signature: resolve.Prototype(p), Params: p.Params, Results: p.Results,
			Control: resolve.Preserve(p.Directive(resolve.PreserveControlName)), NoReturn: p.Directive(".noreturn") != nil,
		})
	}
	for _, it := range m.Items {
		switch it := it.(type) {
		case *ptx.Prototype:
			prototype(it)
		case *ptx.Func:
			add(it)
			for _, s := range it.Body {
				switch s := s.(type) {
				case *ptx.Prototype:
					prototype(s)
				case *ptx.Func:
					add(s)
				}
			}
		}
	}
	return all
}

// Assign asks for the places of each function of m on t, and returns what is
// wrong.
func Assign(m *ptx.Module, t *abi.Target, list []*Function) diag.List {
	var diags diag.List
	for _, f := range list {
		diags = append(diags, resolve.Assign(&f.Places, f.Signature, t, resolve.Place{
			File: m.Name, Name: f.Name, Pos: f.NamePos, Params: f.Params, Results: f.Results, Version: m.Version,
		})...)
	}
	return diags
}

// TypeText is the type of a formal: of the element of an array, of the whole
// vector.
func TypeText(p *ptx.Formal) string {
	if p.Vec > 0 {
		return fmt.Sprintf(".v%d%s", p.Vec, p.Type)
	}
	return p.Type.String()
}

// Outside says why a function is outside the ABI, so that nothing of it has a
// place; "" where it is not.
func (f *Function) Outside() string {
	opaque := func(v abi.Value) bool { return v.Kind == abi.Opaque }
	switch s := &f.Signature; {
	case s.Kind == abi.Entry:
	case len(s.Results) > 1:
		return "several results"
	case slices.ContainsFunc(s.Params, opaque), slices.ContainsFunc(s.Results, opaque):
		return "a handle"
	}
	return ""
}

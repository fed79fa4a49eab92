package main

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/near"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
)

const assignHelp = `usage: ptxabi assign [flags] FILE|-

Assign prints where every parameter and result of a PTX module's functions,
kernels and prototypes lives: R4 is a register, [R1+0x8] an offset from the
stack pointer when the callee begins, c[0x0][0x160] a byte of a constant bank,
[R4+0x0] memory at a local address that the caller passes in R4. What has no
place is "none": handles passed to functions, functions with several results,
and values without bytes.

` + commonHelp + `  -format FORM   text; json, whose form docs/schemas/assign.schema.json describes;
                 svg, a picture of the registers, the stack and the parameter
                 blocks, for light and dark screens and for paper
` + diagHelp + `
Examples:

  ptxabi assign x.ptx
  ptxabi assign -target sm_90 -func bar x.ptx
  ptxabi assign -format json - <x.ptx
  ptxabi assign -format svg x.ptx >x.svg
`

func runAssign(e env, args []string) error {
	o := newOptions("assign")
	o.module()
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if err := o.oneOf("format", o.format, "text", "json", "svg"); err != nil {
		return err
	}
	file, err := o.file(rest)
	if err != nil {
		return err
	}
	l, err := load(e, o, file)
	if err != nil {
		return err
	}
	all := functions(l.module)
	chosen := all
	if o.fn != "" {
		chosen = nil
		var names []string
		for _, f := range all {
			if names = append(names, f.name); f.name == o.fn {
				chosen = append(chosen, f)
			}
		}
		if chosen == nil {
			return fmt.Errorf("%s: no function %q%s", l.name, o.fn, near.DidYouMean(o.fn, names))
		}
	}
	if err := l.finish(assign(l, chosen)); err != nil {
		return err
	}
	switch o.format {
	case "json":
		return o.emit(e, appendAssignJSON(nil, l.target, chosen))
	case "svg":
		return o.emit(e, assignSVG(l.target, chosen))
	}
	return o.emit(e, appendAssignText(nil, l.target, chosen))
}

// A function is one that assign lists, with its assignment.
type function struct {
	name, kind      string
	pos, namePos    ptx.Pos
	signature       abi.Signature
	params, results []ptx.Formal
	places          abi.Assignment
}

// functions returns the functions, kernels and prototypes of a module in source
// order, each function once: at its definition, or where it is first declared.
func functions(m *ptx.Module) []*function {
	table := sig.NewTable(m)
	var all []*function
	add := func(f *ptx.Func) {
		if c := table.Lookup(f.Name); c == nil || c.Func != f {
			return
		}
		one := &function{
			name: f.Name, kind: "func", pos: f.Pos, namePos: f.NamePos,
			signature: sig.Func(f), params: sig.Params(m, f), results: f.Results,
		}
		if f.Entry {
			one.kind = "entry"
		}
		one.signature.Params = sig.Values(one.params)
		all = append(all, one)
	}
	prototype := func(p *ptx.Prototype) {
		all = append(all, &function{
			name: p.Name, kind: "prototype", pos: p.Pos, namePos: p.Pos,
			signature: sig.Prototype(p), params: p.Params, results: p.Results,
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

// assign asks for the places of each function, and returns what is wrong.
func assign(l *loaded, list []*function) ptx.ErrorList {
	var diags ptx.ErrorList
	for _, f := range list {
		diags = append(diags, sig.Assign(&f.places, f.signature, l.target.Target, sig.Place{
			File: l.name, Name: f.name, Pos: f.namePos, Params: f.params, Results: f.results, Version: l.module.Version,
		})...)
	}
	return diags
}

// typeText is the type of a formal: of the element of an array, of the whole
// vector.
func typeText(p *ptx.Formal) string {
	if p.Vec > 0 {
		return fmt.Sprintf(".v%d%s", p.Vec, p.Type)
	}
	return p.Type.String()
}

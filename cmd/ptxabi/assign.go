package main

import (
	"fmt"

	"github.com/ptxabi/ptxabi/internal/near"
	"github.com/ptxabi/ptxabi/internal/picture"
	"github.com/ptxabi/ptxabi/resolve"
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
	all := resolve.Functions(l.module)
	chosen := all
	if o.fn != "" {
		chosen = nil
		var names []string
		for _, f := range all {
			if names = append(names, f.Name); f.Name == o.fn {
				chosen = append(chosen, f)
			}
		}
		if chosen == nil {
			return fmt.Errorf("%s: no function %q%s", l.name, o.fn, near.DidYouMean(o.fn, names))
		}
	}
	assigned, list := resolve.AssignAll(chosen, l.target.Target)
	if err := l.finish(list); err != nil {
		return err
	}
	switch o.format {
	case "json":
		return o.emit(e, appendAssignJSON(nil, l.target, assigned))
	case "svg":
		return o.emit(e, picture.Page.Assigned(l.target.Target, assigned))
	}
	return o.emit(e, appendAssignText(nil, l.target, assigned))
}

package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// placed complains about what the end of the body decides.
func (c *checker) placed() {
	p := &c.fn.place
	for _, v := range p.list {
		p.uncollected(c, v)
		for _, err := range v.far {
			err.Severity = c.forbidden()
			err.Msg += " once a call takes the variable"
		}
		for i := 0; i < len(v.behind); {
			n := i + 1
			for n < len(v.behind) && v.behind[n].call == v.behind[i].call {
				n++
			}
			p.unwritten(c, v, v.behind[i:n])
			i = n
		}
	}
	if len(c.fn.lists) > 0 {
		c.labels()
	}
	if len(p.branched) > 0 || len(p.stale) > 0 || len(p.remnants) > 0 {
		c.branches()
	}
}

// unwritten complains about an argument of one call that no store comes before.
func (p *placement) unwritten(c *checker, v *local, args []passing) {
	if p.lost {
		return
	}
	// Compilers leave out so many stores that to format these messages takes a hundredth of
	// lowering a module.
	const left = "; the callee gets what is left in the register: store it before the call"
	msg := "no byte of argument " + v.name + " is ever written" + left
	if v.stored {
		msg = "argument " + v.name + " is stored only behind this call in the text" + left
	}
	err := &diag.Diagnostic{
		File: c.m.Name, Pos: p.posOf(args[0].call), Severity: diag.Warning, Code: UnwrittenArgument, Msg: msg,
		Related: []diag.Related{related(v.sym.Var.Pos, "declared here")},
	}
	c.errs.Add(err)
	if !v.stored {
		u := unwritten{name: v.name, args: args, err: err}
		if call := p.body[args[0].call].(*ptx.Call); call.Proto.Kind == ptx.KindNone {
			u.callee = call.Callee.Name()
		}
		c.unwritten = append(c.unwritten, u)
	}
}

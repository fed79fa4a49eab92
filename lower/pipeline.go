package lower

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/sequence"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A pipeline lowers functions, one after the other, in memory that it uses again.
type pipeline struct {
	*lowerer
	reporter

	resolver resolved.Resolver // makes bodies where nobody else has
	placer   placer
	sel      fn
	ordered  sequence.Sequencer

	printed []byte // functions that have been printed
	labels  int    // .L_x_ labels made so far
	index   int    // of the function in the module
	// handOn takes what is printed of a long function while it is at work; nil where nobody
	// does.
	handOn func(*pipeline)
}

// newPipeline returns what lowers functions of a module.
func newPipeline(l *lowerer) *pipeline {
	p := new(pipeline)
	p.use(l)
	return p
}

// use makes p lower functions of another module.
func (p *pipeline) use(l *lowerer) {
	p.lowerer, p.reporter = l, reporter{file: l.m.Name}
	p.placer.use(l.unit, &p.reporter)
	p.sel.use(&p.reporter, selection{textOnly: l.textOnly, entryCode: l.entryCode, addressTaken: l.addressTaken})
}

// forget drops what p holds of the module that it has lowered functions of.
func (p *pipeline) forget() {
	p.placer.forget()
	p.sel.forget()
	p.lowerer, p.reporter, p.handOn, p.printed = nil, reporter{}, nil, p.printed[:0]
}

// function lowers the function of a body. What it returns is good until the
// next call. Where only text is wanted it is appended to printed, and what is
// returned has no items.
func (p *pipeline) function(in *resolved.Body) sass.Func {
	plan := p.placer.place(in)
	out := sass.Func{Name: plan.f.Name, Pos: plan.f.Pos}
	if p.textOnly {
		p.printed = sass.AppendFunc(append(p.printed, '\n'), &out)
	}
	code := p.code(plan, p.textOnly)
	first := p.labels
	p.labels += int(code.Labels)
	if p.textOnly {
		p.printed = code.AppendText(p.printed, first)
		return out
	}
	out.Items = code.Items(first)
	out.Kernel = plan.f.Entry
	for _, at := range plan.asn.Params {
		out.Gives = append(out.Gives, inRegisters(at)...)
	}
	if plan.asn.Sret.Kind == abi.InReg {
		out.Gives = append(out.Gives, plan.asn.Sret.Reg)
	}
	out.Own = plan.convention(plan.conv)
	if !plan.allVirtual {
		out.Homes = slices.Collect(plan.used.All())
	}
	return out
}

// code makes the code of a function that has been planned. Where it may be printed and
// forgotten before the function ends, it is the rest.
func (p *pipeline) code(plan *plan, drains bool) *lir.Code {
	var drain func(*lir.Code)
	if drains && plan.spill.at == nil {
		drain = func(code *lir.Code) { p.drain(plan, code) }
	}
	code := p.sel.run(plan, p.asRead(plan.f), drain)
	p.sequence(plan, code)
	if plan.spill.at != nil {
		area := plan.area()
		area.Run(code)
	}
	return code
}

// sequence puts the groups of the code so far in an order.
func (p *pipeline) sequence(plan *plan, code *lir.Code) {
	if len(code.Groups) == 0 {
		return
	}
	p.ordered.Run(code, &sequence.Regs{
		Cycle: plan.cycleTemp(), Scratch: plan.t.Frame.Scratch, Spare: plan.spare,
		NoSpare: func(pos diag.Pos) { p.badHome(pos, "no scratch register is left for a cycle of moves") },
	})
}

// drain prints the code so far.
func (p *pipeline) drain(plan *plan, code *lir.Code) {
	p.sequence(plan, code)
	p.printed = code.Drain(p.printed, p.labels)
	if len(p.printed) >= partSize-drainText && p.handOn != nil {
		p.handOn(p)
	}
}

// drainText is more than drainSize instructions take as text, but for the longest names: what is
// handed on is smaller than a part by that, so that its memory is enough.
const drainText = drainSize * 128

// resolve returns the body of a function. It is good until the next call.
func (p *pipeline) resolve(f *ptx.Func) *resolved.Body {
	p.resolver.Numbers = true
	return p.resolver.Body(f, f.Body, resolve.ParamsInBody(p.m, f))
}

// asRead reports whether the statements of a function are as they were read, each on one
// line.
func (p *pipeline) asRead(f *ptx.Func) bool {
	return p.outline != nil && strings.IndexByte(p.outline.BodyText(f), '\r') < 0
}

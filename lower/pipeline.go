package lower

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/lower/internal/sel"
	"github.com/ptxabi/ptxabi/lower/internal/sequence"
	"github.com/ptxabi/ptxabi/lower/internal/tune"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// The way of a function through this package:
//
//	*ptx.Func ─ resolved ─► Body ─ place ─► Plan ─ sel ─► lir.Code ─ tune ─ sequence ─ spill ─► AppendText
//	                                                                                         or Items
//
// A Body says what names mean; nobody looks one up again. Package place decides where each
// variable is, which copies are never made, and the frame. Package sel makes code of the
// plan, which is right as soon as package sequence has put what happens at once in an
// order, and package spill loads and stores registers in slots, where there are some.
// Package tune makes the code shorter, and may be left out. Dump shows what each of the
// stages hands on.

// A pipeline lowers functions, one after the other, in memory that it uses again.
type pipeline struct {
	*lowerer
	place.Reporter

	placer  place.Placer
	sel     sel.Selector
	tuner   tune.Tuner
	ordered sequence.Sequencer

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
	p.lowerer, p.Reporter = l, place.Reporter{File: l.M.Name}
	p.placer.Use(l.Unit, &p.Reporter)
	p.sel.Use(&p.Reporter, sel.Options{TextOnly: l.textOnly, EntryCode: l.entryCode, AddressTaken: l.addressTaken})
}

// forget drops what p holds of the module that it has lowered functions of.
func (p *pipeline) forget() {
	p.placer.Forget()
	p.sel.Forget()
	p.lowerer, p.Reporter, p.handOn, p.printed = nil, place.Reporter{}, nil, p.printed[:0]
}

// function lowers the function of a body. What it returns is good until the
// next call. Where only text is wanted it is appended to printed, and what is
// returned has no items.
func (p *pipeline) function(in *resolved.Body) sass.Func {
	plan := p.placer.Place(in)
	out := sass.Func{Name: plan.F.Name, Pos: plan.F.Pos}
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
	out.Kernel = plan.F.Entry
	for _, at := range plan.Asn.Params {
		out.Gives = append(out.Gives, place.InRegisters(at)...)
	}
	if plan.Asn.Sret.Kind == abi.InReg {
		out.Gives = append(out.Gives, plan.Asn.Sret.Reg)
	}
	out.Own = plan.Convention(plan.Conv)
	out.Homes = slices.Collect(plan.Used.All())
	return out
}

// code makes the code of a function that has been planned. Where it may be printed and
// forgotten before the function ends, it is the rest.
func (p *pipeline) code(plan *place.Plan, drains bool) *lir.Code {
	var drain func(*lir.Code)
	if drains && plan.Spill.At == nil {
		drain = func(code *lir.Code) { p.drain(plan, code) }
	}
	code := p.sel.Run(plan, p.asRead(plan.F), drain)
	p.finish(plan, code)
	if plan.Spill.At != nil {
		area := plan.Area()
		area.Run(code)
	}
	return code
}

// finish tunes the code so far, and puts its groups in an order.
func (p *pipeline) finish(plan *place.Plan, code *lir.Code) {
	p.tuner.Run(code, plan)
	if len(code.Groups) == 0 {
		return
	}
	p.ordered.Run(code, &sequence.Regs{
		Cycle: plan.CycleTemp(), Scratch: plan.T.Frame.Scratch, Spare: plan.Spare,
		NoSpare: func(pos diag.Pos) { p.BadHome(pos, "no scratch register is left for a cycle of moves") },
	})
}

// drain prints the code so far.
func (p *pipeline) drain(plan *place.Plan, code *lir.Code) {
	p.finish(plan, code)
	p.printed = code.Drain(p.printed, p.labels)
	if len(p.printed) >= partSize-drainText && p.handOn != nil {
		p.handOn(p)
	}
}

// drainText is more than drainSize instructions take as text, but for the longest names: what is
// handed on is smaller than a part by that, so that its memory is enough.
const drainText = sel.DrainSize * 128

// resolve returns the body of a function. It is good until the next call.
func (p *pipeline) resolve(f *ptx.Func) *resolved.Body {
	return resolved.New(f, f.Body, resolve.ParamsInBody(p.M, f))
}

// asRead reports whether the statements of a function are as they were read, each on one
// line.
func (p *pipeline) asRead(f *ptx.Func) bool {
	return p.outline != nil && strings.IndexByte(p.outline.BodyText(f), '\r') < 0
}

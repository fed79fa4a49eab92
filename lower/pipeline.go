package lower

import (
	"maps"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/isel"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/opt"
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

	reader  ptx.Reader
	placer  place.Placer
	sel     sel.Selector
	tuner   tune.Tuner
	ordered sequence.Sequencer
	opt     opt.Optimizer
}

func newPipeline(l *lowerer) *pipeline {
	p := &pipeline{lowerer: l, Reporter: place.Reporter{File: l.M.Name}}
	p.placer.Use(l.Unit, &p.Reporter)
	p.sel.Use(&p.Reporter, sel.Options{TextOnly: l.textOnly, EntryCode: l.entryCode})
	return p
}

// A result is what has become of a function: its text, or its code where the program is wanted.
type result struct {
	text  []byte
	code  *sass.Func
	diags diag.List
}

// function lowers a function. It appends its text to what it is given.
func (p *pipeline) function(f *ptx.Func, text []byte) result {
	plan, code := p.planned(p.body(f))
	out := &sass.Func{Name: f.Name, Pos: f.Pos}
	r := result{diags: p.Reporter.Diags}
	p.Reporter.Diags = nil
	if p.textOnly {
		r.text = code.AppendText(sass.AppendFunc(append(text, '\n'), out))
		return r
	}
	r.code = out
	out.Items = code.Items()
	out.Kernel = f.Entry
	for _, at := range plan.Asn.Params {
		out.Gives = append(out.Gives, place.InRegisters(at)...)
	}
	if plan.Asn.Sret.Kind == abi.InReg {
		out.Gives = append(out.Gives, plan.Asn.Sret.Reg)
	}
	out.Own = plan.Convention(plan.Conv)
	out.Homes = slices.Collect(plan.Used.All())
	return r
}

// body reads the body of a function, and resolves its names. It is good until the next call.
func (p *pipeline) body(f *ptx.Func) *resolved.Body {
	if p.outline != nil { // whose functions stay without bodies
		def := *f
		def.Body, _ = p.reader.Body(p.outline, f) // without an error: it has been checked
		f = &def
	}
	return resolved.New(f, f.Body, resolve.ParamsInBody(p.M, f))
}

// code makes the code of a function that has been planned.
func (p *pipeline) code(plan *place.Plan) *lir.Code {
	code := p.sel.Run(plan)
	p.tuner.Run(code, plan)
	return p.finish(plan, code)
}

// planned makes the plan of a function, and its code.
func (p *pipeline) planned(in *resolved.Body) (*place.Plan, *lir.Code) {
	if p.Plain {
		return p.naive(in)
	}
	plan := p.placer.Place(in)
	return plan, p.code(plan)
}

// naive makes the plan and the code of a function by selection that is naive, and passes. Where
// registers have homes, variables have words of their own at first, as if those were not
// allocated. The variables whose words the passes leave are in the frame in the next plan.
func (p *pipeline) naive(in *resolved.Body) (*place.Plan, *lir.Code) {
	p.placer.Kept = nil
	if !p.AllVirtual && p.plain.Forward {
		p.placer.Kept = make(map[int32]bool)
	}
	for {
		found := len(p.Reporter.Diags)
		plan := p.placer.Place(in)
		code := isel.Select(plan, p.naively())
		p.opt.Before(code, plan, p.plain)
		if p.placer.Kept != nil {
			if left := code.Left(); len(left) > 0 {
				maps.Copy(p.placer.Kept, left)
				p.Reporter.Diags = p.Reporter.Diags[:found]
				continue
			}
		}
		p.order(plan, code.Code)
		p.opt.After(code, plan, p.plain)
		return plan, p.spilled(plan, code.Code)
	}
}

// naively are the options of naive selection.
func (p *pipeline) naively() isel.Options {
	return isel.Options{TextOnly: p.textOnly, EntryCode: p.entryCode, Reporter: &p.Reporter}
}

// finish puts groups in an order, and spills registers.
func (p *pipeline) finish(plan *place.Plan, code *lir.Code) *lir.Code {
	p.order(plan, code)
	return p.spilled(plan, code)
}

// order puts groups in an order.
func (p *pipeline) order(plan *place.Plan, code *lir.Code) {
	if len(code.Groups) > 0 {
		p.ordered.Run(code, &sequence.Regs{
			Cycle: plan.CycleTemp(), Scratch: plan.T.Frame.Scratch, Spare: plan.Spare,
			NoSpare: func(pos diag.Pos) { p.BadHome(pos, "no scratch register is left for a cycle of moves") },
		})
	}
}

// spilled loads and stores the registers in slots.
func (p *pipeline) spilled(plan *place.Plan, code *lir.Code) *lir.Code {
	if plan.Spill.At != nil {
		area := plan.Area()
		area.Run(code)
	}
	return code
}

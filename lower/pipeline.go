package lower

import (
	"maps"
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/lower/internal/isel"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/opt"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/lower/internal/sequence"
	"github.com/ptxabi/ptxabi/sass"
)

// The way of a function through this package:
//
//	*ptx.Func ─ body ─► Body ─ check ─ place ─► Plan ─ isel ─► lir.Code ─ opt ─ sequence ─ opt ─ spill ─► AppendText
//	                                                                                             or Items
//
// A Body has the meaning of each name; no later stage looks one up again. Package place decides where each
// variable is, and lays the frame. Package isel makes code of the plan. If registers have homes, package sequence
// orders the groups of that code; if some have slots, package spill adds their loads and stores. Then the code is right.
// The passes of package opt make it shorter, and may be left out. Dump shows the result of each stage.
//
// In testdata/golden/stages/places.txtar, which has a module and its dumps, the last store of caller and the store to
// arg0 before its second call go this way:
//
//   - body: statement 28, st.param.b32 [big], %r6, has symbol 0 for big, a result, and symbol 3 for %r6.
//   - plan: big is sret memory, at the address in R4. arg0 is scalarized: each word is a register of its own.
//   - selected: instruction 43 is STL [big.addr], %r6; 36 is MOV arg0.0, %r5, and the call copies that word with 38,
//     MOV R5, arg0.0 (access.go, call.go and copy.go of isel).
//   - code: opt found that arg0.0 is %r5, and that this is R4, the result of the call before: instruction 18 is
//     MOV R5, R4.

// A pipeline lowers functions, one after the other, and reuses its memory. Each worker has its own.
type pipeline struct {
	*lowerer
	place.Reporter

	placer  place.Placer
	options isel.Options
	opt     opt.Optimizer
}

func newPipeline(l *lowerer) *pipeline {
	p := &pipeline{lowerer: l, Reporter: place.Reporter{File: l.M.Name}}
	p.placer = place.Placer{Unit: l.Unit, Reporter: &p.Reporter}
	p.options = isel.Options{TextOnly: l.textOnly, Reporter: &p.Reporter, Memory: new(lir.Memory)}
	return p
}

// A result is a lowered function: its text, or its code if the caller wants a program.
type result struct {
	text    []byte
	code    *sass.Func
	unknown *diag.Related // why the function has no code; nil if it has code
	diags   diag.List
}

// function lowers a function. It appends its text to text.
func (p *pipeline) function(b check.Body, text []byte) result {
	r := result{unknown: b.Unknown}
	if r.unknown == nil {
		r = p.known(b.Body, text)
		r.diags, p.Reporter.Diags = p.Reporter.Diags, nil
		if i := slices.IndexFunc(r.diags, func(d *diag.Diagnostic) bool { return d.Code != BadHome }); b.Later && i >= 0 {
			r = result{unknown: &diag.Related{Pos: r.diags[i].Pos, Msg: "this depends on what is not known"}}
		}
	}
	if r.unknown == nil {
		return r
	}
	at := *r.unknown
	at.Msg = b.Func.Name + " has no code: " + at.Msg
	r.unknown = &at
	r.code = &sass.Func{Name: b.Func.Name, Pos: b.Func.Pos, Kernel: b.Func.Entry, Items: []sass.Item{{Kind: sass.Comment, Text: at.Msg + ", line " + strconv.Itoa(int(at.Pos.Line))}}}
	if p.textOnly {
		r.text = r.code.AppendText(append(text, '\n'))
	}
	return r
}

// known lowers a function whose statements are all known. It recovers the panic of place.Reporter.Impossible, and any other
// one, as a bug in package check; but where registers have homes or slots, the panic may come from the code of the
// options, and goes on.
func (p *pipeline) known(in *body.Body, text []byte) (r result) {
	p.At = in.Func.BodyPos
	defer func() {
		if v := recover(); v != nil {
			if !p.AllVirtual {
				panic(v)
			}
			if r = (result{}); len(p.Diags) == 0 {
				p.LetThrough()
			}
		}
	}()
	if p.opts.Stage != "" {
		r.text = p.dump(in, text)
		return r
	}
	f := in.Func
	code := p.code(in)
	if code == nil {
		return r
	}
	out := &sass.Func{Name: f.Name, Pos: f.Pos, Kernel: f.Entry}
	if p.textOnly {
		r.text = code.AppendText(out.AppendText(append(text, '\n')))
		code.ReleaseAll()
		return r
	}
	r.code = out
	out.Items = code.Items()
	code.ReleaseAll()
	return r
}

// code makes the code of a function; nil if its plan has errors.
func (p *pipeline) code(in *body.Body) *lir.Code {
	plan, code := p.selected(in)
	if code == nil {
		return nil
	}
	_, after := p.steps(plan)
	return p.run(code, after)
}

// A step is a function from code to new code: a pass, or a part of lowering.
type step struct {
	pass Pass // "" for a step that always runs
	run  func(*lir.Code) *lir.Code
}

// steps returns the steps for the code of a plan: those that run before variables have their final places (see selected),
// and those that run after.
func (p *pipeline) steps(plan *place.Plan) (before, after []step) {
	pair := step{Pairing, opt.Pair}
	before = []step{{Forwarding, func(c *lir.Code) *lir.Code { return p.opt.Forward(c, plan) }}}
	if plan.AllVirtual {
		after = []step{{Gathering, p.opt.Gather}, {Coalescing, p.opt.Coalesce}, pair}
	} else { // only registers with homes are in groups
		after = []step{{"", func(c *lir.Code) *lir.Code { return p.ordered(plan, c) }}, pair}
	}
	if plan.Spill.At != nil {
		area := plan.Area()
		after = append(after, step{"", area.Run}, pair) // the loads and stores of slots
	}
	return before, after
}

// run runs steps over a code, without the passes of Options.Without.
func (p *pipeline) run(code *lir.Code, steps []step) *lir.Code {
	for _, s := range steps {
		if !slices.Contains(p.opts.Without, s.pass) {
			next := s.run(code)
			code.Release()
			code = next
		}
	}
	return code
}

// selected makes the plan of a function, and its code before groups are ordered. Where registers have homes, no physical
// register is allocated for the words of a variable. So the first plan gives each variable words of its own, and the
// passes remove the words that only pass values on. Variables whose words are left live in the frame in the next plan.
// Kept grows with each plan, so that there is a last one.
func (p *pipeline) selected(in *body.Body) (*place.Plan, *lir.Code) {
	p.placer.Kept = nil
	if !p.AllVirtual && !slices.Contains(p.opts.Without, Forwarding) {
		p.placer.Kept = make(map[int32]bool)
	}
	for {
		found := len(p.Reporter.Diags)
		plan := p.placer.Place(in)
		if len(p.Reporter.Diags) > found {
			return plan, nil
		}
		before, _ := p.steps(plan)
		code := p.run(isel.Select(plan, p.options), before)
		if p.placer.Kept == nil {
			return plan, code
		}
		left := code.Variables()
		if len(left) == 0 {
			return plan, code
		}
		maps.Copy(p.placer.Kept, left)
		p.Reporter.Diags = p.Reporter.Diags[:found]
	}
}

// ordered returns the code with its groups in order.
func (p *pipeline) ordered(plan *place.Plan, code *lir.Code) *lir.Code {
	return sequence.Run(code, &sequence.Regs{
		Cycle: plan.T.Frame.OldSP, Scratch: plan.T.Frame.Scratch, Spare: plan.Spare,
		NoSpare: func(pos diag.Pos) { p.BadHome(pos, "no scratch register is left for a cycle of moves") },
	})
}

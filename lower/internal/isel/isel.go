// Package isel selects the instructions of a function that package place has planned. It is
// naive: each statement is lowered by itself, into copies between the places of variables, of
// operands and of the convention (place.go, copy.go). The code is right after package sequence has
// ordered its groups and package spill has added the loads and stores of slots. The passes of
// package opt make it shorter.
//
// The plan and the body stay as they are. Names of registers that selection makes have numbers
// after those of the plan.
package isel

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
	"github.com/ptxabi/ptxabi/ptx"
)

// Options are the options of selection.
type Options struct {
	TextOnly bool // only the text of the code is used: it needs no contracts
	Reporter *place.Reporter
	Memory   *lir.Memory
}

// A selector makes the code of a plan, a statement after the other.
type selector struct {
	Options
	plan *place.Plan
	regs *registers
	out  emitter

	at         int     // the index of the statement at hand
	calls      int     // how many calls stand before it
	vars       int     // how many variables of the plan have been declared before it
	blocks     int     // how many blocks have been opened
	block      int     // the number of the block around the statement at hand
	line       []byte  // memory for the text of comments
	lists      int     // how many prototypes and lists of targets stand before it
	stackBytes []uint8 // of the call at hand: which bytes of each stored word of the stack area have a value
}

// An emitter appends instructions to the code, and copies between places.
type emitter struct {
	stack.Emitter
	plan *place.Plan
	regs *registers

	spare   int   // how many registers temp has returned for the move at hand
	grouped bool  // copies are members of a group
	words   []int // memory for the result of passed
}

// Select returns the code of the function of a plan.
func Select(plan *place.Plan, opts Options) *lir.Code {
	code := opts.Memory.New(plan.F, plan.Registers, &machine.Of(plan.T.SM).Spelling)
	s := selector{Options: opts, plan: plan, regs: &registers{
		plan: plan, names: &code.Names, words: make([][]int32, plan.Made), elems: make(map[int32]int32), renamed: make(map[body.Ref]int32),
	}}
	s.out = emitter{Emitter: stack.Emitter{Code: code, T: plan.T, Pos: plan.F.BodyPos}, plan: plan, regs: s.regs}
	s.entry()
	for i, st := range plan.F.Body {
		s.at, s.out.Guard, s.regs.operands = i, "", s.regs.operands[:0]
		s.statement(st)
	}
	if plan.Falls {
		s.at, s.out.Guard, s.out.Pos = len(plan.F.Body), "", plan.F.EndPos
		s.ret()
	}
	return code
}

// begin sets the position and the guard of the instructions of a statement.
func (s *selector) begin(pos diag.Pos, guard *ptx.Guard) {
	s.out.Pos, s.Reporter.At, s.out.Guard = pos, pos, s.guardText(guard)
}

// statement lowers a statement.
func (s *selector) statement(st ptx.Stmt) {
	switch st := st.(type) {
	case *ptx.Instr:
		s.begin(st.Pos, st.Guard)
		s.instr(st)
	case *ptx.Access:
		s.begin(st.Pos, st.Guard)
		s.paramAccess(st)
	case *ptx.Call:
		s.begin(st.Pos, nil)
		s.call(st)
		s.calls++
	case *ptx.Label:
		s.out.Code.Add(lir.Label, "", st.Pos).Name = s.label(st.Name)
	case *ptx.Decl:
		s.declare()
	case *ptx.Open:
		s.blocks++
		s.block = s.blocks
	case *ptx.Close:
		s.block = max(s.plan.In.Around(s.block), 0)
	case *ptx.Prototype:
		s.lists++
	case *ptx.TargetList:
		s.emitTargets(st, s.plan.In.Lists[s.lists].Sym)
		s.lists++
	case *ptx.Directive:
		if st.Name == ".pragma" {
			s.out.comment(string(ptx.AppendStmt(nil, st)))
		}
	}
}

// instr lowers an instruction that is neither a call nor an access.
func (s *selector) instr(in *ptx.Instr) {
	switch s.plan.In.Op(s.at).Name {
	case "ret":
		s.ret()
		return
	case "exit":
		s.out.Emit(s.out.Spelling.Exit, lir.Note{})
		return
	case "alloca", "stacksave", "stackrestore":
		s.stackOp(in)
		return
	}
	if !s.jumps() && s.addressOf(in) || s.moveSlot(in) {
		return
	}
	s.passThrough(in)
}

// jumps reports whether the statement at hand, an instruction, may go to a label.
func (s *selector) jumps() bool {
	name := s.plan.In.Op(s.at).Name
	return name == "bra" || name == "brx"
}

// declare marks that the words of the variables that the statement at hand declares have no value yet.
func (s *selector) declare() {
	list := s.plan.Vars
	for ; s.vars < len(list) && int(list[s.vars].Sym.From) <= s.at; s.vars++ {
		if int(list[s.vars].Sym.From) == s.at {
			s.out.begin(list[s.vars])
		}
	}
}

// begin marks that the words of a variable have no value yet, by Begins.
func (e *emitter) begin(v *place.Var) {
	if v.Place == place.Scalarized {
		for _, k := range e.passed(v, v.Size) {
			e.Code.Add(lir.Begin, "", e.Pos).Dst = e.regs.wordOf(v, k)
		}
	}
}

// comment emits a comment.
func (e *emitter) comment(text string) *lir.Inst { return e.AddText(lir.Comment, text, e.Pos) }

// group begins a group of copies if registers have homes. Without homes no copy of a group writes a register that another
// one reads, so that they may stay in order.
func (e *emitter) group() {
	if !e.plan.AllVirtual {
		e.grouped = true
		e.Code.Add(lir.Group, "", e.Pos)
	}
}

// endGroup ends the group that group began, if there is one.
func (e *emitter) endGroup() {
	if e.grouped {
		e.Code.Add(lir.Apart, "", e.Pos)
		e.grouped = false
	}
}

// passed returns the numbers of the words of a variable, or of a register where v is nil, that may have a value. The list
// is valid until the next call.
func (e *emitter) passed(v *place.Var, size int) []int {
	e.words = v.AppendStored(e.words[:0], (size+3)/4)
	return e.words
}

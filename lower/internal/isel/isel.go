// Package isel selects the instructions of a function that package place has planned. It is
// naive: each statement is lowered by itself, into copies between the places of variables, of
// operands and of the convention (place.go, copy.go). That is right as it is, once package
// sequence has put what happens at once in an order and package spill loads and stores registers
// in slots. The passes of package opt make it shorter.
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

// Options say what is to be selected.
type Options struct {
	TextOnly bool // items and contracts are not wanted
	Reporter *place.Reporter
	Memory   *lir.Memory
}

// A selector makes the code of a plan, a statement after the other.
type selector struct {
	Options
	plan *place.Plan
	regs *registers
	out  emitter

	at         int     // the statement at hand
	calls      int     // before it
	vars       int     // so many variables of the plan have been declared before it
	blocks     int     // so many have been opened
	block      int     // the one around the statement at hand
	line       []byte  // of comments
	lists      int     // prototypes and lists of targets so far
	stackBytes []uint8 // says of words of the stack area which bytes have a value
}

// An emitter appends instructions to the code, and copies between places.
type emitter struct {
	stack.Emitter
	plan *place.Plan
	regs *registers

	spare   int  // registers that temp has given for the move at hand
	grouped bool // copies are members of a group
	words   []int
}

// Select returns the code of a function.
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

// begin begins a statement.
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

// declare says that the words of the variables that the statement at hand declares have no value yet.
func (s *selector) declare() {
	list := s.plan.Vars
	for ; s.vars < len(list) && int(list[s.vars].Sym.From) <= s.at; s.vars++ {
		if int(list[s.vars].Sym.From) == s.at {
			s.out.begin(list[s.vars])
		}
	}
}

// begin says that the words of a variable have no value yet.
func (e *emitter) begin(v *place.Var) {
	if v.Place == place.Scalarized {
		for _, k := range e.passed(v, v.Size) {
			e.Code.Add(lir.Begin, "", e.Pos).Dst = e.regs.wordOf(v, k)
		}
	}
}

// comment emits a comment.
func (e *emitter) comment(text string) *lir.Inst { return e.AddText(lir.Comment, text, e.Pos) }

// group begins copies that happen at once, where registers have homes: else no copy writes what
// another one reads.
func (e *emitter) group() {
	if !e.plan.AllVirtual {
		e.grouped = true
		e.Code.Add(lir.Group, "", e.Pos)
	}
}

// endGroup ends what group began.
func (e *emitter) endGroup() {
	if e.grouped {
		e.Code.Add(lir.Apart, "", e.Pos)
		e.grouped = false
	}
}

// passed returns the numbers of the words of a variable, or of a register, that may have a value. The list is good
// until the next call.
func (e *emitter) passed(v *place.Var, size int) []int {
	e.words = v.AppendStored(e.words[:0], (size+3)/4)
	return e.words
}

// Package sel selects the code of a function that package place has planned. It reads the plan,
// and gives names of its own numbers in the body. Copies that happen at once are a group of the code, which package
// sequence puts in an order; registers in slots are virtual ones, which package spill loads and
// stores.
package sel

import (
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A Selector selects the code of functions that have been planned, one after the other, in
// memory that it uses again.
type Selector struct {
	place.Cursor
	*place.Reporter
	Options
	Code lir.Code

	blocks blocks
	labels labelScope
	states states
	waiting
	buffers
}

// Options says what is to be selected.
type Options struct {
	TextOnly  bool         // nobody asks for more than the text
	EntryCode []sass.Instr // what functions and kernels begin with, nil for nothing
}

// blocks is where the statement at hand stands.
type blocks struct {
	labelAt      []int32 // indexes of the labels so far
	block, lists int     // the last block that was opened, the next list
	depth        int     // how many blocks are open
}

// waiting has the loads that are emitted together.
type waiting struct {
	group []load
	// gathers says that the loads at hand are not to be emitted yet: more may come.
	gathers bool
}

// Use makes a Selector select code for functions of another module.
func (fn *Selector) Use(r *place.Reporter, s Options) { fn.Reporter, fn.Options = r, s }

// Run makes the code of a function that has been planned, good until the next one.
func (fn *Selector) Run(plan *place.Plan) *lir.Code {
	fn.Plan = plan
	fn.At, fn.Calls, fn.blocks = 0, 0, blocks{labelAt: fn.blocks.labelAt[:0]} // where formals alone are visible
	fn.Pos = fn.F.BodyPos
	fn.group = fn.group[:0]
	fn.quad, fn.gathers = quad{}, false
	fn.buffers.reset()
	fn.states.begin(int(fn.PvarsMade), fn.AnyForwards)
	fn.labels.reset(plan.Names.LabelIn)
	fn.Code.Reset(fn.F, fn.Registers)
	fn.describe()
	fn.begin()
	fn.prologue()
	fn.localComments()
	fn.entry()
	fn.body()
	return &fn.Code
}

// body emits the statements: it is the second walk.
func (fn *Selector) body() {
	asRead, ignored := fn.passes()
	body := fn.F.Body
	kinds := fn.Kinds[:len(body)]
	for i := 0; i < len(body); i++ {
		fn.At = i
		if asRead && kinds[i]&^ignored == place.PlainInstr {
			if len(fn.group) > 0 {
				fn.flush("")
			}
			i = fn.stretch(i, ignored) - 1
			continue
		}
		s := body[i]
		switch s := s.(type) {
		case *ptx.Access: // which are half of the rest
			if len(fn.group) > 0 && !fn.waits(s) {
				fn.flush("")
			}
			fn.Pos = s.Pos
			fn.access(s)
			continue
		case *ptx.Label:
			fn.blocks.labelAt = append(fn.blocks.labelAt, int32(i))
		}
		if len(fn.group) > 0 && !fn.waits(s) {
			fn.flush("")
		}
		fn.statement(s)
	}
	fn.flush("")
	if fn.Falls {
		fn.At = len(body)
		fn.Pos = fn.F.EndPos
		fn.ret("")
	}
}

// waits reports whether loads may wait on where a statement stands.
func (fn *Selector) waits(s ptx.Stmt) bool {
	if fn.AllVirtual {
		return silent(s) || fn.collects(s)
	}
	return fn.Transparent(fn.At)
}

// statement emits any statement but an access.
func (fn *Selector) statement(s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Instr:
		fn.Pos = s.Pos
		fn.instr(s)
	case *ptx.Label:
		fn.emitLabel(s)
	case *ptx.Call:
		fn.Pos = s.Pos
		fn.call(s)
		fn.Calls++
	case *ptx.Open:
		fn.blocks.block++
		fn.blocks.depth++
		fn.labels.open(fn.blocks.block)
	case *ptx.Close:
		fn.labels.close()
		if fn.blocks.depth > 0 { // else it closes nothing
			fn.states.end(fn.blocks.depth)
			fn.blocks.depth--
		}
	case *ptx.Prototype:
		fn.blocks.lists++
	case *ptx.TargetList:
		fn.emitTargets(s, fn.In.Lists[fn.blocks.lists].Sym)
		fn.blocks.lists++
	case *ptx.Directive:
		if s.Name == ".pragma" {
			fn.comment(string(ptx.AppendStmt(nil, s)))
		}
	}
}

// instr emits an instruction that is neither a call nor a parameter access.
func (fn *Selector) instr(in *ptx.Instr) {
	kind := fn.Kinds[fn.At]
	switch kind.Of() {
	case place.Returns:
		fn.ret(fn.guard(in.Guard))
		return
	case place.Exits:
		fn.emit(fn.guard(in.Guard), fn.T.Spelling.Exit, lir.Note{})
		return
	case place.MovesStack:
		if fn.stackOp(in, fn.guard(in.Guard)) {
			return
		}
	}
	if kind&place.TakesAddress != 0 && fn.addressOf(in, fn.guard(in.Guard)) {
		return
	}
	if fn.Spill.At != nil && fn.moveSlot(in, fn.guard(in.Guard)) {
		return
	}
	if kind.Of() == place.Branches || kind.Of() == place.BrMore {
		fn.goesSomewhere(in)
	}
	fn.passThrough(in)
}

// homesIn says which registers an instruction may write that is kept as text;
// nil for none.
func (fn *Selector) homesIn(in *ptx.Instr) *sass.Contract {
	var c *sass.Contract
	refs := fn.In.Operands(fn.At)
	for n := range ptx.Names(in.Ops()) {
		h := fn.HomeOf(n.Name(), fn.In.Sym(refs[0]))
		refs = refs[1:]
		if h == nil || h.Words == 0 {
			continue
		}
		if c == nil {
			c = &sass.Contract{}
		}
		for k := range h.Words {
			c.Gives = append(c.Gives, h.Reg+sass.Reg(k))
		}
	}
	return c
}

// guard returns a guard as pseudo-SASS writes it.
func (fn *Selector) guard(g *ptx.Guard) string {
	if g == nil {
		return ""
	}
	name := fn.uniqueName(g.Name)
	if g.Neg {
		return fn.text("@!", name)
	}
	return fn.text("@", name)
}

// scratch is a register that a call may change and that carries no parameter.
// Virtual registers never live there.
func (fn *Selector) scratch() lir.Reg { return lir.Phys(fn.T.Frame.Scratch) }

func hex(n int) string { return "0x" + strconv.FormatInt(int64(n), 16) }

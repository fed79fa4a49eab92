package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A fn selects the code of functions that have been planned, one after the other, in memory that it uses
// again.
type fn struct {
	cursor
	*reporter
	selection
	code lir.Code

	blocks blocks
	labels labelScope
	states states
	waiting
	buffers
}

// selection says what is to be selected.
type selection struct {
	textOnly  bool         // nobody asks for more than the text
	entryCode []sass.Instr // what functions and kernels begin with, nil for nothing
	// addressTaken reports whether the module is known to take the address of a function.
	addressTaken func(name string) bool
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

// use makes fn select code for functions of another module.
func (fn *fn) use(r *reporter, s selection) { fn.reporter, fn.selection = r, s }

// forget drops what fn holds of the module that it has selected code for.
func (fn *fn) forget() {
	fn.plan, fn.reporter, fn.selection = nil, nil, selection{}
	fn.code.Func, fn.code.Names = nil, nil
}

// run makes the code of a function that has been planned, good until the next one. asRead
// says that its statements are as they were read. Code of a long function is handed to drain,
// which empties it, if that is not nil.
func (fn *fn) run(plan *plan, asRead bool, drain func(*lir.Code)) *lir.Code {
	fn.plan = plan
	fn.at, fn.calls, fn.blocks = 0, 0, blocks{labelAt: fn.blocks.labelAt[:0]} // where formals alone are visible
	fn.pos = fn.f.BodyPos
	fn.group = fn.group[:0]
	fn.quad, fn.gathers = quad{}, false
	fn.buffers.reset()
	fn.states.begin(int(fn.pvarsMade), fn.anyForwards)
	fn.labels.reset(plan.names.labelIn)
	fn.code.Reset(fn.f, fn.in, asRead)
	fn.describe()
	fn.begin()
	fn.prologue()
	fn.localComments()
	fn.entry()
	fn.body(drain)
	return &fn.code
}

// drainSize is how many instructions are handed on at once: as many as are still at hand in
// the processor's memory, so that a function may have any number.
const drainSize = 256

// body emits the statements: it is the second walk.
func (fn *fn) body(drain func(*lir.Code)) {
	asRead, ignored := fn.passes()
	body := fn.f.Body
	for i := 0; i < len(body); i++ {
		if drain != nil && len(fn.code.List) >= drainSize {
			drain(&fn.code)
		}
		fn.at = i
		if asRead && fn.kinds[i]&^ignored == plainInstr {
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
			fn.pos = s.Pos
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
	if fn.falls {
		fn.at = len(body)
		fn.pos = fn.f.EndPos
		fn.ret("")
	}
}

// waits reports whether loads may wait on where a statement stands.
func (fn *fn) waits(s ptx.Stmt) bool {
	if fn.allVirtual {
		return silent(s) || fn.collects(s)
	}
	return fn.transparent(fn.at)
}

// statement emits any statement but an access.
func (fn *fn) statement(s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Instr:
		fn.pos = s.Pos
		fn.instr(s)
	case *ptx.Label:
		fn.emitLabel(s)
	case *ptx.Call:
		fn.pos = s.Pos
		fn.call(s)
		fn.calls++
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
		fn.emitTargets(s, fn.in.Lists[fn.blocks.lists].Sym)
		fn.blocks.lists++
	case *ptx.Directive:
		if s.Name == ".pragma" {
			fn.comment(string(ptx.AppendStmt(nil, s)))
		}
	}
}

// instr emits an instruction that is neither a call nor a parameter access.
func (fn *fn) instr(in *ptx.Instr) {
	kind := fn.kinds[fn.at]
	switch kind.of() {
	case returns:
		fn.ret(fn.guard(in.Guard))
		return
	case exits:
		fn.emit(fn.guard(in.Guard), fn.t.Spelling.Exit, lir.Note{})
		return
	case movesStack:
		if fn.stackOp(in, fn.guard(in.Guard)) {
			return
		}
	}
	if kind&takesAddress != 0 && fn.addressOf(in, fn.guard(in.Guard)) {
		return
	}
	if fn.spill.at != nil && fn.moveSlot(in, fn.guard(in.Guard)) {
		return
	}
	if kind.of() == branches || kind.of() == brMore {
		fn.goesSomewhere(in)
	}
	fn.passThrough(in)
}

// homesIn says which registers an instruction may write that is kept as text;
// nil for none.
func (fn *fn) homesIn(in *ptx.Instr) *sass.Contract {
	var c *sass.Contract
	names := identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		h := fn.homeOf(name, fn.in.Lookup(fn.at, name))
		if h == nil || h.Words == 0 {
			continue
		}
		if c == nil {
			c = &sass.Contract{}
		}
		for k := range h.Words {
			c.Gives = append(c.Gives, h.reg+sass.Reg(k))
		}
	}
	return c
}

// guard returns a guard as pseudo-SASS writes it.
func (fn *fn) guard(g *ptx.Guard) string {
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
func (fn *fn) scratch() lir.Reg { return lir.Phys(fn.t.Frame.Scratch) }

func hex(n int) string { return "0x" + strconv.FormatInt(int64(n), 16) }

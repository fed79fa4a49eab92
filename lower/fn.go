package lower

import (
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/arena"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/sequence"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// The way of a function through this package:
//
//	*ptx.Func ─ resolved.Resolver ─► Body ─ placer.place ─► plan ─ fn.sel ─► lir.Code ─ sequence ─ spill ─► AppendText
//	                                                                                              where slots are ─► Items
//
// A Body says what names mean; nobody looks one up again. A placer walks over it once
// (walk.go, plan.go, site.go), decides where each variable is (choose.go), which copies are
// forwarded (forward.go, forwardsift.go, partial.go), and lays the frame (frame.go). What
// makes code (fn.go, access.go, call.go, entry.go, ret.go, and what they name) reads the plan
// and changes none of it. Copies that happen at once wait in a list, and become a group of the
// code when it ends (moves.go). Package sequence puts the members of groups in an order;
// package spill is the pass after it, which loads and stores registers in slots. Passes that
// make code shorter are named in passes.go. Dump shows the results of resolving and placing,
// and the final code.

// A plan is what is known of a function before its code is made: where each variable is,
// what each call passes, and the frame. A placer makes it; who makes the code reads it.
type plan struct {
	*lowerer
	diags diag.List // of this function and of those before

	in     *resolved.Body
	f      *ptx.Func
	params []ptx.Formal
	inBody bool // the formals are declared in the body
	asn    abi.Assignment
	conv   *abi.RegFile // what the function itself does to registers

	facts
	storage
	forwards
	frame frame
	saved []sass.Reg // what findSaved has found
	// alignAtEntry is what entryAlign returns; 0 before it was asked.
	alignAtEntry int

	names nameTable
	h     *allocation // nil where all registers keep their names
	spill spillArea
}

// facts are what the walk over a body has found.
type facts struct {
	kinds []instrKind // by statement, of instructions
	// busy holds, for statements but plain instructions, how many stand before that may
	// write registers.
	busy      []int32
	rets      []ref
	touches   []ref      // those of variables, each list side by side
	movs      []int32    // indexes of all instructions that are a mov
	falls     bool       // control may reach the end of the body
	alloca    bool       // the body has an instruction that moves the stack pointer
	tracked   nameFilter // the names of variables
	bareNames nameFilter // what instructions but branches name that does not begin with %
	percent   bool       // the name of a variable begins with %
	bareRegs  bool       // a register is declared whose name does not
	mentions  mentions
	noted     notedTable // the names that accesses and calls mention
	returns   bool       // there may be carriage returns in statements
}

// storage is the variables of a function, and its calls.
type storage struct {
	syms   []symbol // by the symbol's ID
	vars   []*pvar
	result *pvar // of the result formal in .param space; nil if there is none
	// members holds those of name<count> that are mentioned.
	members   map[member]*pvar
	sites     []site  // in order of the calls
	callVars  []*pvar // the variables that calls pass and take, nil for other operands
	pvarsMade int32   // how many variables there are
}

// forwards are the copies from ld.param to st.param that are never made.
type forwards struct {
	fwd         forwardTable
	anyForwards bool         // there are some
	direct      []abi.RegSet // by call: registers that forwarded copies to it are still in
}

// A cursor is a place in the body of a function that has a plan.
type cursor struct {
	*plan
	at         int      // the statement
	ebb, calls int32    // its stretch of code, how many calls stand before it
	pos        diag.Pos // of the statement
}

// A placer makes the plan of a function.
type placer struct {
	cursor
	// writers holds, by number of the name, the statements that may write a
	// register that an st.param stores. It is good if written is set, for statements
	// from writersFrom on before writersTo. It has been made for writersSeen of them.
	writers     [][]int32
	writersFrom int
	writersTo   int
	writersSeen int
	written     bool
	// Where bodies are read one by one: what this and the functions before it take
	// the address of.
	takenHere map[string]bool

	values1, values2 []abi.Value // of the signature that is assigned
	callees          callees
	pvars            arena.Arena[pvar]
	locals           []*pvar
}

// A fn lowers functions, one after the other, in memory that it uses again.
type fn struct {
	cursor
	placer placer
	own    plan
	labels int // .L_x_ labels made so far
	buffers

	resolver     resolved.Resolver // makes bodies where nobody else has
	states       states
	labelAt      []int32 // indexes of the labels so far
	block, lists int     // the last block that was opened, the next list
	depth        int     // how many blocks are open
	// gathers says that the loads at hand are not to be emitted yet: more may come.
	gathers bool
	code    lir.Code
	drains  bool // code is printed, and forgotten, before the function ends
	ordered sequence.Sequencer
	index   int // of the function in the module
	// handOn takes what is printed of a long function while it is at work; nil where nobody
	// does.
	handOn func(*fn)
}

// newFn returns what lowers functions of a module.
func newFn(l *lowerer) *fn {
	fn := new(fn)
	fn.use(l)
	return fn
}

// use makes fn lower functions of another module.
func (fn *fn) use(l *lowerer) {
	fn.plan = &fn.own
	fn.lowerer, fn.placer.plan = l, fn.plan
}

// forget drops what fn holds of the module that it has lowered functions of.
func (fn *fn) forget() {
	fn.lowerer, fn.in, fn.f, fn.params, fn.diags = nil, nil, nil, nil, nil
	fn.code.Func, fn.code.Names, fn.handOn = nil, nil, nil
	fn.placer.callees.forget()
	fn.printed = fn.printed[:0]
}

// function lowers the function of a body. What it returns is good until the
// next call. Where only text is wanted it is appended to printed, and what is
// returned has no items.
func (fn *fn) function(in *resolved.Body) sass.Func {
	fn.placer.place(in)
	out := sass.Func{Name: fn.f.Name, Pos: fn.f.Pos}
	if fn.textOnly {
		fn.printed = sass.AppendFunc(append(fn.printed, '\n'), &out)
	}
	fn.drains = fn.textOnly && fn.spill.at == nil
	fn.sel()
	fn.sequence()
	if fn.spill.at != nil {
		area := fn.area()
		area.Run(&fn.code)
	}
	first := fn.labels
	fn.labels += int(fn.code.Labels)
	if fn.textOnly {
		fn.printed = fn.code.AppendText(fn.printed, first)
		return out
	}
	out.Items = fn.code.Items(first)
	out.Kernel = fn.f.Entry
	for _, p := range fn.asn.Params {
		out.Gives = append(out.Gives, inRegisters(p)...)
	}
	if fn.asn.Sret.Kind == abi.InReg {
		out.Gives = append(out.Gives, fn.asn.Sret.Reg)
	}
	out.Own = fn.convention(fn.conv)
	if fn.h != nil {
		out.Homes = slices.Collect(fn.h.used.All())
	}
	return out
}

// resolve returns the body of a function. It is good until the next call.
func (fn *fn) resolve(f *ptx.Func) *resolved.Body {
	fn.resolver.Numbers = true
	return fn.resolver.Body(f, f.Body, resolve.ParamsInBody(fn.m, f))
}

// sel makes the code of the function that has been planned.
func (fn *fn) sel() {
	fn.at, fn.ebb, fn.calls, fn.block, fn.lists, fn.depth = 0, 0, 0, 0, 0, 0 // where formals alone are visible
	fn.pos = fn.f.BodyPos
	fn.labelAt = fn.labelAt[:0]
	fn.group = fn.group[:0]
	fn.quad, fn.gathers = quad{}, false
	fn.buffers.reset()
	fn.states.begin(int(fn.pvarsMade), fn.anyForwards)
	fn.names.reset()
	fn.code.Reset(fn.f, fn.in, fn.outline != nil && !fn.returns)
	fn.describe()
	fn.begin()
	fn.prologue()
	fn.localComments()
	fn.entry()
	fn.body()
}

// drainSize is how many instructions are printed at once: as many as are still at hand in
// the processor's memory, so that a function may have any number.
const drainSize = 256

// drainText is more than so many of them take as text, but for the longest names: what is
// handed on is smaller than a part by that, so that its memory is enough.
const drainText = drainSize * 128

// body emits the statements: it is the second walk.
func (fn *fn) body() {
	asRead, ignored := fn.passes()
	body := fn.f.Body
	for i := 0; i < len(body); i++ {
		if fn.drains && len(fn.code.List) >= drainSize {
			fn.drain()
		}
		fn.at = i
		if asRead && fn.kinds[i]&^ignored == plainInstr {
			if len(fn.group) > 0 {
				fn.flush("")
			}
			i = fn.run(i, ignored) - 1
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
			fn.labelAt = append(fn.labelAt, int32(i))
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

// drain prints the code so far.
func (fn *fn) drain() {
	fn.sequence()
	fn.printed = fn.code.Drain(fn.printed, fn.labels)
	if len(fn.printed) >= partSize-drainText && fn.handOn != nil {
		fn.handOn(fn)
	}
}

// waits reports whether loads may wait on where a statement stands.
func (fn *fn) waits(s ptx.Stmt) bool {
	if fn.h != nil {
		return fn.transparent(s)
	}
	return silent(s) || fn.collects(s)
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
		fn.block++
		fn.depth++
		fn.names.open(fn.block)
	case *ptx.Close:
		fn.names.close()
		if fn.depth > 0 { // else it closes nothing
			fn.states.end(fn.depth)
			fn.depth--
		}
	case *ptx.Prototype:
		fn.lists++
	case *ptx.TargetList:
		fn.emitTargets(s, fn.in.Lists[fn.lists].Sym)
		fn.lists++
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
// nil where all registers keep their names.
func (fn *fn) homesIn(in *ptx.Instr) *sass.Contract {
	if fn.h == nil {
		return nil
	}
	c := &sass.Contract{}
	names := identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		if h := fn.homeOf(name, fn.in.Lookup(fn.at, name)); h != nil {
			for k := range h.Words {
				c.Gives = append(c.Gives, h.reg+sass.Reg(k))
			}
		}
	}
	if len(c.Gives) == 0 {
		return nil
	}
	return c
}

// guard returns a guard as pseudo-SASS writes it.
func (fn *fn) guard(g *ptx.Guard) string {
	if g == nil {
		return ""
	}
	name := fn.names.use(fn, g.Name)
	if g.Neg {
		return fn.text("@!", name)
	}
	return fn.text("@", name)
}

// scratch is a register that a call may change and that carries no parameter.
// Virtual registers never live there.
func (fn *fn) scratch() lir.Reg { return lir.Phys(fn.t.Frame.Scratch) }

func hex(n int) string { return "0x" + strconv.FormatInt(int64(n), 16) }

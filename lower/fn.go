package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/lower/internal/lir"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A fn lowers functions, one after the other, in room that it uses again.
type fn struct {
	*lowerer
	diags  diag.List // of this and of functions before
	labels int       // .L_x_ labels made so far
	room

	f      *ptx.Func
	params []ptx.Formal
	inBody bool // the formals are declared in the body
	asn    abi.Assignment
	conv   *abi.RegFile // what the function itself does to registers

	in       *resolved.Body
	resolver resolved.Resolver // makes in where nobody else has
	vars     []*pvar
	result   *pvar // of the result formal in .param space; nil if there is none
	// members holds those of name<count> that are mentioned.
	members map[member]*pvar
	sites   []site // in order of the calls
	rets    []ref
	// busy holds, for statements but plain instructions, how many stand before that may
	// write registers.
	busy     []int32
	mentions mentions
	// writers holds, by number of the name, the statements that may write a
	// register that an st.param stores. It is good if written is set, for statements
	// from writersFrom on before writersTo. It has been made for writersSeen of them.
	writers     [][]int32
	writersFrom int
	writersTo   int
	writersSeen int
	written     bool
	relaying    bool         // there are relays
	direct      []abi.RegSet // by call: registers that relays to it are still in
	labelAt     []int32      // indexes of the labels so far
	movs        []int32      // and of all instructions that are a mov
	frame       frame
	saved       []sass.Reg // what findSaved has found
	alloca      bool
	// alignAtEntry is what entryAlign returns; 0 before it was asked.
	alignAtEntry int

	// Where the walk over the body is.
	at, seg, calls int
	falls          bool        // control may reach the end of the body
	block, list    int         // the last block that was opened, the next list
	kinds          []instrKind // by statement, of instructions
	tracked        nameFilter  // the names of variables
	bareNames      nameFilter  // what instructions but branches name that does not begin with %
	percent        bool        // one of them begins with %
	bareRegs       bool        // a register is declared whose name does not

	names nameTable
	h     *housing // nil where all registers keep their names
	spill spillArea
	// gathers says that the loads at hand are not to be emitted yet: more may come.
	gathers bool
	code    lir.Code
	other   lir.Code // memory for another one
	// Where bodies are read one by one: what this and the functions before it take
	// the address of, and the notes of their calls that depend on what others do.
	takenHere map[string]bool

	returns bool     // there may be carriage returns in statements
	pos     diag.Pos // of the statement being lowered
}

// function lowers the function of a body. What it returns is good until the
// next call. Where only text is wanted it is appended to printed, and what is
// returned has no items.
func (fn *fn) function(in *resolved.Body) sass.Func {
	f := in.Func
	fn.reset(in)
	out := sass.Func{Name: f.Name, Pos: sass.Pos(f.Pos)}
	s := abi.Signature{Results: fn.values(&fn.values1, f.Results), Params: fn.values(&fn.values2, fn.params)}
	if f.Entry {
		s.Kind = abi.Entry
	} else {
		s.Preserve = resolve.Preserve(f.Directive(resolve.PreserveName))
	}
	fn.conv = fn.regsWith(s.Preserve)
	if !fn.assign(&fn.asn, s, f.NamePos, f.Name, fn.params, f.Results) || !f.Entry && !fn.bound() {
		// The program is lost; what else is wrong is still to be found.
		fn.asn = abi.Assignment{Kind: s.Kind, Params: make([]abi.Placement, len(fn.params)), Results: make([]abi.Placement, len(f.Results))}
	}
	fn.names.init()
	if fn.table.Machine { // all names are looked at, of which some are written in another way
		fn.names.any, fn.names.mask, fn.names.percent = true, ^nameFilter(0), true
	}
	fn.pos = f.BodyPos
	if fn.opts.Homes != nil {
		fn.h = &housing{homes: make(map[virtual]*home), stored: make(map[int][]*home), member: make([]bool, len(f.Body))}
	}
	fn.plan()
	fn.pos = f.BodyPos
	fn.at = 0 // where formals alone are visible
	fn.describe()
	fn.begin()
	fn.prologue()
	fn.localComments()
	fn.entry()
	fn.body()
	if fn.spill.at != nil {
		fn.throughSlots()
	}
	first := fn.labels
	fn.labels += int(fn.code.Labels)
	if fn.textOnly {
		fn.printed = fn.code.AppendText(sass.AppendFunc(append(fn.printed, '\n'), &out), first)
		return out
	}
	out.Items = fn.code.Items(first)
	out.Kernel = f.Entry
	for _, p := range fn.asn.Params {
		out.Gives = append(out.Gives, inRegisters(p)...)
	}
	if fn.asn.Hidden.Kind == abi.InReg {
		out.Gives = append(out.Gives, fn.asn.Hidden.Reg)
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

// reset begins a function.
func (fn *fn) reset(in *resolved.Body) {
	f := in.Func
	fn.in, fn.f, fn.params, fn.inBody = in, f, resolve.Params(fn.m, f), resolve.ParamsInBody(fn.m, f)
	fn.vars = fn.vars[:0] // each by itself: that writes no pointers
	fn.rets = fn.rets[:0]
	fn.sites = fn.sites[:0]
	fn.callVars = fn.callVars[:0]
	fn.labelAt = fn.labelAt[:0]
	fn.movs = fn.movs[:0]
	fn.direct = fn.direct[:0]
	fn.group = fn.group[:0]
	fn.members, fn.result, fn.h = nil, nil, nil
	fn.mentions.reset()
	fn.written, fn.writersSeen = false, 0
	fn.returns = fn.outline == nil || strings.IndexByte(fn.outline.BodyText(f), '\r') >= 0
	fn.code.Reset(f, in, fn.outline != nil && !fn.returns)
	fn.spill, fn.quad = spillArea{}, quad{}
	fn.frame, fn.alloca, fn.percent, fn.bareRegs, fn.tracked, fn.bareNames, fn.alignAtEntry = frame{}, false, false, false, 0, 0, 0
	fn.gathers = false
	fn.room.reset()
}

// bound reports whether the convention applies to a function, and complains if
// it does not.
func (fn *fn) bound() bool {
	f := fn.f
	if len(f.Results) > 1 {
		fn.cannot(f.Results[1].Pos, "%s has %d results, which switches the ABI off", f.Name, len(f.Results))
		return false
	}
	ok := true
	for i, p := range fn.asn.Params {
		if p.Loc.Kind == abi.Nowhere {
			fn.cannot(f.Params[i].Pos, "%s of %s has no place in the ABI: a handle is passed as a .b64", f.Params[i].Name, f.Name)
			ok = false
		}
	}
	return ok
}

// body emits the statements: it is the second walk.
func (fn *fn) body() {
	fn.rewind()
	fn.labelAt = fn.labelAt[:0]
	asRead, ignored := fn.passes()
	body := fn.f.Body
	for i := 0; i < len(body); i++ {
		s := body[i]
		switch s := s.(type) {
		case *ptx.Instr:
			if asRead && fn.kinds[i]&^ignored == plainInstr && staysAsIs(s) {
				fn.at = i
				if len(fn.group) > 0 {
					fn.flush("")
				}
				i = fn.run(i, ignored) - 1
				continue
			}
		case *ptx.Access: // which are half of the rest
			fn.at = i
			if len(fn.group) > 0 && !fn.waits(s) {
				fn.flush("")
			}
			fn.pos = s.Pos
			fn.access(s)
			continue
		case *ptx.Label:
			fn.labelAt = append(fn.labelAt, int32(i))
		}
		fn.at = i
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
		fn.names.open(fn.block)
	case *ptx.Close:
		fn.names.close()
	case *ptx.Prototype:
		fn.list++
	case *ptx.TargetList:
		fn.emitTargets(s, fn.in.Lists[fn.list].Sym)
		fn.list++
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

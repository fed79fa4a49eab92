package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// A placement follows the .param variables of a body in the order of the text. A variable has a state if an
// ld.param, an st.param or a call names it.
//
// The assembler pairs stores with calls in the order of the text, whatever path control takes: an argument gets the
// bytes of the last stores before the call, since the call before took the variable, and nothing else.
//
//	st.param [a], x        window of a opens
//	   …                   a label or jump here:    SplitCall
//	   …                   an instruction here:     SeparatedStore, unless another store follows
//	                       and it makes the value of a register
//	call (r), f, (a)       window of a closes, that of r opens
//	   …                   an instruction here:     SeparatedLoad, unless a load comes before
//	                       and it makes the value of a register
//	   …                   another call here:       StaleResult
//	ld.param x, [r]
//
// Indices are indices of statements; -1 stands for none so far.
type placement struct {
	stmts []ptx.Stmt
	last  struct{ control, other, call, label int }
	// effects belongs to effectAfter: last is the last statement with an effect among those before
	// asked.
	effects struct{ last, asked int }
	// loads has the loads of the results of the last call with any: the call, the first load, and whether
	// another instruction stands before that.
	loads struct {
		call, first int
		late        bool
	}
	asked   int           // labels up to this statement have been looked up in the debug sections
	callsAt []int         // the calls so far
	list    []*paramState // in order of first use
	states  map[body.Ref]*paramState

	lost          bool     // a store went to a name that means nothing
	leavesResults bool     // a call does not receive all results of its callee
	branched      []branch // calls whose stores stand in other blocks
	remnants      []remnant
	stale         []delay // results with a load after another call
	far           []farAccess
}

// A paramState is the state of a .param variable of the body.
type paramState struct {
	name string
	sym  *body.Symbol

	window    []store   // the stores since a call took it
	taken     int       // the last call that took it; -1
	lastTaken []store   // the stores of the last window that a call took, which need not be the call taken
	unstored  []passing // calls that took it without a store before, to report
	stored    bool      // some store, anywhere in the body so far, writes it
	result    int       // the last call that returned into it; -1
	next      int       // index in callsAt of the call after that
	read      bool      // that result was loaded or passed on
	loaded    bool      // that result was loaded
	shared    bool      // a diagnostic about a variable for several calls was made
	addressed bool      // another instruction names it, which may take its address
	crashed   bool      // a diagnostic about a load before every call was made
	branch    int       // 1 + index in branched of the last call that took it; 0
}

// A passing is the place of an argument in a call.
type passing struct{ call, arg int }

// A store is one st.param to a .param variable of the body.
type store struct {
	at       int
	off, end int64
}

// A branch is a call whose argument was stored in other blocks.
type branch struct {
	call   int
	v      *paramState
	window []store
	later  []store // stores after the call, up to the next that takes the variable
}

// A delay is a load of a result with other calls between it and its call. The first of these is
// other.
type delay struct {
	call, other, load int
	v                 *paramState
	first             bool // no load of the result stands before it
}

// A remnant is bytes of an argument that a store wrote for an earlier call, and that the
// stores for a later call do not write again.
type remnant struct {
	store, taken, call int
	v                  *paramState
}

// A farAccess is an access at which the assembler crashes if it compiles it.
type farAccess struct {
	err      *diag.Diagnostic
	v        *paramState // of a store to an argument
	at, call int         // call takes the argument of a store, -1 for none so far; for other accesses it is at
	arg      int         // the index of that argument
}

// reset makes p the state before a body, in the memory of the body before.
func (p *placement) reset(stmts []ptx.Stmt) {
	p.stmts, p.asked = stmts, -1
	p.last.control, p.last.other, p.last.call, p.last.label = -1, -1, -1, -1
	p.effects.last, p.effects.asked = -1, 0
	p.loads.call = -1
	p.callsAt, p.list = p.callsAt[:0], p.list[:0]
	p.states = make(map[body.Ref]*paramState)
	p.lost, p.leavesResults = false, false
	p.branched, p.remnants, p.stale, p.far = nil, nil, nil, nil
}

func (p *placement) control(at int) { p.last.control = at }
func (p *placement) other(at int)   { p.last.other = at }

// controlAfter reports whether a branch or a label stands between statement at and the statement at hand.
func (b *bodyCheck) controlAfter(at int) bool {
	p := b.place
	return p.last.control > at || p.last.label > at && b.lastControl() > at
}

// lastControl returns the last branch, or the last label that is not for debuggers alone. The debug sections are read only
// here, for the labels since the last call of lastControl: few labels stand where they matter.
func (b *bodyCheck) lastControl() int {
	p := b.place
	for i := b.labelled - 1; i >= 0; i-- {
		l := &b.in.Labels[i]
		if l.At <= p.asked || l.At <= p.last.control {
			break
		}
		if !forDebugger(b.c, l.Name) {
			p.last.control = l.At
		}
	}
	p.asked, p.last.label = b.at, -1
	return p.last.control
}

// state returns the state of a .param variable of the body. It makes one at the first use.
func (p *placement) state(in *body.Body, ref body.Ref) *paramState {
	v := p.states[ref]
	if v == nil {
		v = &paramState{name: in.Name(ref.Name), sym: in.Sym(ref), taken: -1, result: -1}
		p.states[ref] = v
		p.list = append(p.list, v)
	}
	return v
}

// access records an ld.param or st.param of a .param variable of the body.
func (p *placement) access(b *bodyCheck, a *ptx.Access, v *paramState) {
	if a.Store {
		v.stored = true
		off := int64(int32(a.Addr.Off)) // as the assembler takes it
		s := store{b.at, off, off + int64(a.Bytes())}
		v.window = append(v.window, s)
		if n := v.branch; n > 0 {
			p.branched[n-1].later = append(p.branched[n-1].later, s)
		}
		return
	}
	p.load(b, a, v)
}

// load records an ld.param of a result, and reports it if something stands between it and the call.
func (p *placement) load(b *bodyCheck, a *ptx.Access, v *paramState) {
	if v.result < 0 {
		if !v.crashed && !p.leavesResults && !b.partialBody() {
			v.crashed = true
			err := b.c.add(b.c.refused(), PrematureLoad, a.Pos, sprintf("no call before this place returns into %s; move the load after the call: the assembler crashes on it", v.name),
				related(v.sym.Var.Pos, "declared here"))
			b.c.later.ifCompiled = append(b.c.later.ifCompiled, inFunction{b.g, err})
		}
		return
	}
	first := !v.loaded
	v.read, v.loaded = true, true
	if p.loads.call != v.result {
		p.loads.call, p.loads.first, p.loads.late = v.result, b.at, p.last.other > v.result
	}
	if p.last.call <= v.result && p.last.other <= v.result && !b.controlAfter(v.result) {
		return
	}
	call := p.stmts[v.result].(*ptx.Call)
	at := related(call.Pos, "the call is here")
	switch {
	case p.last.call > v.result:
		p.stale = append(p.stale, delay{v.result, p.callsAt[v.next], b.at, v, first})
	case b.controlAfter(v.result):
		b.c.add(b.c.forbidden(), SplitCall, a.Pos, sprintf("control flow or a label stands between this load of %s and its call; load right after the call", v.name), at)
	case p.loads.late || b.effectAfter(p.loads.first):
		b.c.add(b.c.forbidden(), SeparatedLoad, a.Pos, sprintf("other instructions stand between this load of %s and its call; load right after the call", v.name), at)
	}
}

// effectAfter reports whether a statement between statement at and the one at hand does
// more than compute the value of a register. Statements that compute one may stand between the stores for
// a call, and between the loads of its results: compilers write that, and the assembler compiles
// it right. Each statement is looked at once.
func (b *bodyCheck) effectAfter(at int) bool {
	p := &b.place.effects
	for ; p.asked < b.at; p.asked++ {
		if b.hasEffect(p.asked) {
			p.last = p.asked
		}
	}
	return p.last > at
}

// hasEffect reports whether a statement does more than compute the value of a register. Stores to arguments do not count.
func (b *bodyCheck) hasEffect(i int) bool {
	switch s := b.place.stmts[i].(type) {
	case *ptx.Instr:
		return !makesRegister(b.in.Op(i).Name)
	case *ptx.Access:
		sym := b.in.Sym(b.in.Operands(i)[0])
		return s.Store && (sym == nil || sym.Role != body.Local || sym.Spec == nil || sym.Spec.Space != ptx.ParamSpace)
	case *ptx.Call:
		return true
	}
	return false
}

// makesRegister reports whether an instruction of that name computes or loads a register and does
// nothing else. Loads of all semantics are among them: with ld.volatile, .relaxed, .acquire
// and .mmio between the stores or the loads, ptxas 11.8 to 13.5 makes code that passes what
// it passes with a plain load (cases 1160 to 1165 of testdata/check).
func makesRegister(name string) bool {
	switch name {
	case "mov", "cvt", "cvta", "isspacep", "ld", "ldu", "prmt", "selp", "setp", "slct", "set", "testp", "copysign",
		"add", "addc", "sub", "subc", "mul", "mul24", "mad", "madc", "mad24", "fma", "sad", "div", "rem", "abs", "neg", "min", "max",
		"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh", "dp2a", "dp4a",
		"and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "bfe", "bfi", "bfind", "brev", "clz", "popc", "fns", "bmsk", "szext":
		return true
	}
	return false
}

// call records the arguments and results of a call. If the call does not fit its
// callee, arguments without a store and results without a load are not reported.
func (p *placement) call(b *bodyCheck, call *ptx.Call, fits bool) {
	split, apart, last := -1, -1, -1 // earliest stores that something separates from the call; the last one
	refs := b.in.Operands(b.at)[2:]
	for i := range call.Params {
		v := p.passedState(b.in, refs[len(call.Results)+i])
		if v == nil {
			continue
		}
		if v.taken == b.at {
			if n := len(v.unstored); n > 0 && v.unstored[n-1].call == b.at {
				v.unstored = append(v.unstored, passing{b.at, i})
			}
			continue
		}
		first := p.argument(b, call, i, v, fits)
		if first >= 0 {
			last = max(last, v.lastTaken[len(v.lastTaken)-1].at)
		}
		switch {
		case first < 0:
		case b.controlAfter(first) && (split < 0 || first < split):
			split = first
		case p.last.other > first && (apart < 0 || first < apart):
			apart = first
		}
	}
	switch {
	case split >= 0:
		b.c.add(b.c.forbidden(), SplitCall, call.Pos, "control flow or a label stands between this call and a store to an argument; store right before the call", related(p.posOf(split), "the store is here"))
	case apart >= 0 && (p.last.other > last || b.effectAfter(apart)):
		b.c.add(b.c.forbidden(), SeparatedStore, call.Pos, "other instructions stand between this call and a store to an argument; store right before the call", related(p.posOf(apart), "the store is here"))
	}
	for i := range call.Results {
		if v := p.passedState(b.in, refs[i]); v != nil {
			if v.result >= 0 && !b.controlAfter(v.result) { // otherwise a load on another path may read it
				p.uncollected(b, v)
			}
			v.result, v.read, v.loaded = b.at, !fits, !fits
			v.next = len(p.callsAt) + 1
			v.window = nil
		}
	}
	p.last.call, p.last.other = b.at, b.at
	p.callsAt = append(p.callsAt, b.at)
}

// passedState returns the state of the .param variable that an operand of a call means; nil if it means none.
func (p *placement) passedState(in *body.Body, ref body.Ref) *paramState {
	sym := in.Sym(ref)
	if sym == nil || sym.Var == nil || sym.Role != body.Local || sym.Spec.Space != ptx.ParamSpace {
		return nil
	}
	return p.state(in, ref)
}

// argument records that a call takes v, which is argument i, and closes its window. It returns the first store
// that the call needs, -1 if there is none.
func (p *placement) argument(b *bodyCheck, call *ptx.Call, i int, v *paramState, fits bool) int {
	window := v.window
	taken := v.taken
	v.taken, v.window, v.branch = b.at, nil, 0
	for k := range p.far {
		if f := &p.far[k]; f.v == v && f.call < 0 {
			f.call, f.arg = b.at, i
		}
	}
	if len(window) == 0 {
		switch {
		case v.result >= 0 && v.result > taken:
			v.read = true
		case !fits:
		case taken >= 0 && len(v.lastTaken) > 0:
			b.c.add(b.c.forbidden(), StaleArgument, call.Pos, sprintf("%s was stored for an earlier call and is passed again; the machine code passes what is left in its place: store it again", v.name),
				related(p.posOf(v.lastTaken[len(v.lastTaken)-1].at), "the store is here"), related(p.posOf(taken), "the earlier call is here"))
		case !empty(v.sym):
			v.unstored = append(v.unstored, passing{b.at, i})
		}
		return -1
	}
	if !p.remnant(b.at, v, taken, window) && taken >= 0 && len(v.lastTaken) > 0 && !v.shared {
		v.shared = true
		b.c.notef(SharedParameter, call.Pos, "%s serves an earlier call too; a variable of its own for each call, in a block of its own, is what compilers emit", v.name)
	}
	v.lastTaken = window
	b.tailOf(call, i, v, window, taken < 0)
	if b.controlAfter(window[0].at) {
		p.branched = append(p.branched, branch{call: b.at, v: v, window: window})
		v.branch = len(p.branched)
	}
	return p.firstStore(window)
}

// remnant records the first store, among those for the call that took v before, with bytes that
// the stores for this call do not write. It reports whether there is one.
func (p *placement) remnant(at int, v *paramState, taken int, window []store) bool {
	if taken < 0 || v.result > taken || len(v.lastTaken) > maxRanges || len(window) > maxRanges {
		return false
	}
	for _, s := range v.lastTaken {
		for off := s.off; off < s.end; off++ {
			if !slices.ContainsFunc(window, func(w store) bool { return w.off <= off && off < w.end }) {
				p.remnants = append(p.remnants, remnant{s.at, taken, at, v})
				return true
			}
		}
	}
	return false
}

// firstStore returns the first store of a window that no later one overwrites as a whole.
func (p *placement) firstStore(window []store) int {
	first := len(p.stmts)
	var later ranges
	for i := len(window) - 1; i >= 0; i-- {
		s := window[i]
		if !later.hides(s.off, s.end) {
			first = s.at
		}
		later.add(s)
	}
	return first
}

// empty reports whether a variable has a size for which compilers write no store: no
// bytes, or the single byte of an empty C++ record.
func empty(sym *body.Symbol) bool {
	if len(sym.Var.Dims) > 1 {
		return true // reported where it is declared
	}
	return sym.Spec.SizeOf(sym.Var) == 0 || len(sym.Var.Dims) > 0 && sym.Spec.SizeOf(sym.Var) == 1
}

// uncollected reports that nothing reads the last result in v. If it is returned
// in memory, the assembler may crash.
func (p *placement) uncollected(b *bodyCheck, v *paramState) {
	if v.result < 0 || v.loaded || b.partialAccess() {
		return
	}
	v.loaded = true
	call := p.stmts[v.result].(*ptx.Call)
	if size := v.sym.Spec.SizeOf(v.sym.Var); size > inRegisters && len(v.sym.Var.Dims) < 2 && b.strict(call) {
		b.c.add(diag.Warning, AbandonedResult, call.Pos, sprintf("nothing loads the result in %s, which takes %d bytes; the assembler crashes on some calls of this kind: load a word of it and use it", v.name, size))
		return
	}
	if !v.read {
		d := b.c.notef(UncollectedResult, call.Pos, "nothing reads the result in %s; write _ in its place if it is not needed", v.name)
		for i := range call.Results {
			if o := &call.Results[i]; o.Text == v.name {
				b.c.fix(d, o.Pos, b.c.m.TokenEnd(o.Pos), "_", "write _")
			}
		}
	}
}

func (p *placement) posOf(i int) diag.Pos {
	switch s := p.stmts[i].(type) {
	case *ptx.Call:
		return s.Pos
	case *ptx.Access:
		return s.Pos
	}
	return diag.Pos{}
}

// end reports the results and arguments that nothing reads or writes up to the end of the body.
func (p *placement) end(b *bodyCheck) {
	for _, v := range p.list {
		p.uncollected(b, v)
		for i := 0; i < len(v.unstored); {
			n := i + 1
			for n < len(v.unstored) && v.unstored[n].call == v.unstored[i].call {
				n++
			}
			p.unwritten(b, v, v.unstored[i:n])
			i = n
		}
	}
}

// unwritten reports arguments of one call that have no store before it. They are the same variable.
func (p *placement) unwritten(b *bodyCheck, v *paramState, args []passing) {
	if p.lost || b.partialAccess() {
		return
	}
	// The messages are not formatted: compilers leave out many stores.
	const left = "; the callee gets what is left in its place: store it before the call"
	msg := "no byte of argument " + v.name + " is ever written" + left
	if v.stored {
		msg = "argument " + v.name + " is stored only after this call in the text" + left
	}
	err := b.c.add(diag.Warning, UnwrittenArgument, p.posOf(args[0].call), msg, related(v.sym.Var.Pos, "declared here"))
	if !v.stored {
		u := unwritten{name: v.name, args: args, err: err}
		if call := p.stmts[args[0].call].(*ptx.Call); call.Proto.Kind == ptx.KindNone {
			u.callee = call.Callee.Name()
		}
		b.c.later.unwritten = append(b.c.later.unwritten, u)
	}
}

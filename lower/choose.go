package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A place is where the bytes of a parameter variable are while its function
// runs.
type place uint8

const (
	// The zero place is none: nothing touches the variable.
	_ place = iota
	// liveIn: in the registers that the call left them in. Every access
	// stands before anything can have overwritten those.
	liveIn
	// scalarized: in virtual registers name.0, name.1, … of 32 bits each.
	scalarized
	// forwarded: an argument whose stores are turned into the moves of its call,
	// a result whose loads stand right after its call, or a result formal
	// whose stores stand right before the return.
	forwarded
	// inFrame: in the function's frame.
	inFrame
	// incoming: in the caller's frame, at or above the stack pointer at entry.
	incoming
	// sret: in the memory whose address the caller passed.
	sret
	// inBank: in a kernel's parameter block.
	inBank
)

// choose decides where v lives.
func (pl *placer) choose(v *pvar) {
	sym := v.sym
	switch {
	case sym.Spec.Space == ptx.LocalSpace:
		v.place = inFrame
	case sym.Role == resolved.Param:
		pl.chooseParam(v)
	case sym.Role == resolved.Result:
		pl.chooseResult(v)
	default:
		pl.chooseLocal(v)
	}
}

func (pl *placer) chooseParam(v *pvar) {
	switch v.loc.Kind {
	case abi.InConst:
		v.place = inBank
	case abi.OnStack:
		v.place = incoming
	case abi.InReg:
		switch {
		case v.addressed.n > 0:
			v.place = inFrame
		case pl.allEarly(pl.refs(v.loads)) && pl.unharmed(v, v.loc.Reg, -2):
			v.place = liveIn
		default:
			v.place = pl.ownPlace()
		}
	}
}

// ownPlace is where a variable is that no other place keeps: in registers of its own
// as long as these are virtual.
func (pl *placer) ownPlace() place {
	if pl.allVirtual {
		return scalarized
	}
	return inFrame
}

// unharmed reports whether a variable that statement from left in registers from
// first on is still there at all its loads.
func (pl *placer) unharmed(v *pvar, first sass.Reg, from int) bool {
	if pl.allVirtual {
		return true
	}
	for _, r := range pl.refs(v.loads) {
		if pl.f.Body[r.stmt].(*ptx.Access).Guard != nil || pl.defs.writtenBetween(first, (v.size+3)/4, from, int(pl.defs.run[r.stmt])) {
			return false
		}
	}
	return true
}

// allEarly reports whether every ref stands before the first label and the
// first call, where registers are as the caller left them.
func (pl *plan) allEarly(refs []ref) bool {
	for _, r := range refs {
		if r.ebb != 0 || r.call != 0 {
			return false
		}
	}
	return true
}

// early reports whether all that touches v does so where registers are as the
// caller left them.
func (pl *plan) early(v *pvar) bool {
	return pl.allEarly(pl.refs(v.stores)) && pl.allEarly(pl.refs(v.loads)) && pl.allEarly(pl.refs(v.addressed))
}

func (pl *placer) chooseResult(v *pvar) {
	switch {
	case v.loc.Kind == abi.Indirect:
		v.place = sret
	case v.loc.Kind == abi.Nowhere:
	case v.addressed.n > 0:
		v.place = inFrame
	case v.loads.n == 0 && pl.straight(pl.refs(v.stores), pl.rets):
		v.place = forwarded
	default:
		v.place = pl.ownPlace()
	}
}

func (pl *placer) chooseLocal(v *pvar) {
	if pl.bigResult(v) {
		v.place = inFrame
		return
	}
	switch {
	case v.asArg.n == 1 && v.asResult.n == 0 && v.loads.n == 0 && pl.straight(pl.refs(v.stores), pl.refs(v.asArg)):
		v.place = forwarded
	case v.asResult.n == 1 && v.asArg.n == 0 && v.stores.n == 0 && follow(pl.refs(v.asResult)[0], pl.refs(v.loads)) && !pl.guarded(pl.refs(v.asResult)[0]) && pl.unharmed(v, pl.resultReg(pl.refs(v.asResult)[0]), pl.refs(v.asResult)[0].at()):
		v.place = forwarded
	case v.stores.n+v.loads.n+v.asArg.n+v.asResult.n > 0:
		v.place = pl.ownPlace()
	}
}

// guarded reports whether a call is made under a guard: a variable that takes its
// result keeps what it had where it is not.
func (pl *placer) guarded(call ref) bool { return pl.f.Body[call.stmt].(*ptx.Call).Guard != nil }

// bigResult reports whether v receives a result that comes through memory.
func (pl *placer) bigResult(v *pvar) bool {
	for _, r := range pl.refs(v.asResult) {
		if s := &pl.sites[r.call]; s.ok && s.asn.Sret.Kind == abi.InReg {
			return true
		}
	}
	return false
}

// follow reports whether all loads stand after the call, in the same stretch
// of code, and before the next call.
func follow(call ref, loads []ref) bool {
	for _, r := range loads {
		if r.ebb != call.ebb || r.call != call.call+1 {
			return false
		}
	}
	return true
}

// straight reports whether stores can be forwarded into their only use: all of
// them stand before it in one stretch of code, unguarded, and nothing between
// touches the registers that they store.
func (pl *placer) straight(stores, uses []ref) bool {
	if len(uses) != 1 {
		return false
	}
	use, first := uses[0], uses[0].at()
	for _, r := range stores {
		first = min(first, r.at())
	}
	for _, r := range stores {
		if r.ebb != use.ebb || r.stmt > use.stmt {
			return false
		}
		a := pl.f.Body[r.stmt].(*ptx.Access)
		if a.Guard != nil || !pl.unchanged(a, r, use, first) {
			return false
		}
	}
	return true
}

// unchanged reports whether nothing between two places, a call perhaps among it,
// can write a register that a stores. The first of several stores that are asked of is
// statement first.
func (pl *placer) unchanged(a *ptx.Access, store, use ref, first int) bool {
	from, to, called, until := store.at(), use.at(), store.call, use.call
	if pl.busy[to] == pl.busy[from] { // a store is not busy itself
		return true
	}
	w := &pl.writers
	if !w.found || first < w.from || to > w.to {
		pl.findWriters(first, to)
	}
	for _, h := range pl.defs.stored[from] {
		if h.in == inHome && pl.lostIn(h, pl.sites[called:until]) || pl.defs.changedBetween(h, from, to) {
			return false
		}
	}
	for i := range a.Regs {
		n := pl.accessed(from, i)
		if n < 0 {
			continue
		}
		if anyBetween(w.of[n], from, to) {
			return false
		}
	}
	return true
}

// writers are, by number of the name, the statements that may write a register that an
// st.param stores: those from one on before another.
type writers struct {
	of       [][]int32
	found    bool // there are some; nothing else holds without
	from, to int
	seen     int // how many statements have been looked at
}

// findWriters finds, for each register that an st.param stores, the
// statements from one on and before another that may write it: all that mention it and
// are no st.param. Which operand an instruction writes is none of our business. Mostly
// that is asked of few statements; when it has been asked of as many as there are, they
// are all looked at.
func (pl *placer) findWriters(from, to int) {
	body, w := pl.f.Body, &pl.writers
	if w.seen += to - from; w.seen > len(body) {
		from, to = 0, len(body)
	}
	if !w.found {
		w.found = true
		w.of = slices.Grow(w.of[:0], pl.in.Numbers())[:pl.in.Numbers()]
		pl.noteStored()
	}
	for i := range w.of {
		w.of[i] = w.of[i][:0]
	}
	w.from, w.to = from, to
	for i := from; i < to; i++ {
		switch s := body[i].(type) {
		case *ptx.Instr:
			names := identifiers{text: s.Args}
			for name := names.next(); name != ""; name = names.next() {
				pl.writes(pl.in.Numbered(name), i)
			}
		case *ptx.Access:
			if !s.Store {
				for k := range s.Regs {
					pl.writes(pl.accessed(i, k), i)
				}
			}
		case *ptx.Call:
			for k := range s.Results {
				pl.writes(pl.in.Operands(i)[2+k].Name, i)
			}
		}
	}
}

// noteStored takes note of the registers that st.params store.
func (pl *placer) noteStored() {
	m := &pl.uses
	for i, s := range pl.f.Body {
		if a, ok := s.(*ptx.Access); ok && a.Store {
			for k := range a.Regs {
				if n := pl.accessed(i, k); n >= 0 {
					m.use(n).stored = true
				}
			}
		}
	}
}

// writes takes note that statement i may write the register whose name has number
// n, where that is one that is stored.
func (pl *placer) writes(n int32, i int) {
	if n >= 0 && pl.uses.use(n).stored {
		pl.writers.of[n] = append(pl.writers.of[n], int32(i))
	}
}

package place

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A Storage is where the bytes of a parameter variable are while its function
// runs.
type Storage uint8

const (
	// The zero place is none: nothing touches the variable.
	_ Storage = iota
	// LiveIn: in the registers that the call left them in. Every access
	// stands before anything can have overwritten those.
	LiveIn
	// Scalarized: in virtual registers name.0, name.1, … of 32 bits each.
	Scalarized
	// Forwarded: an argument whose stores are turned into the moves of its call,
	// a result whose loads stand right after its call, or a result formal
	// whose stores stand right before the return.
	Forwarded
	// InFrame: in the function's frame.
	InFrame
	// Incoming: in the caller's frame, at or above the stack pointer at entry.
	Incoming
	// Sret: in the memory whose address the caller passed.
	Sret
	// InBank: in a kernel's parameter block.
	InBank
)

// choose decides where v lives.
func (pl *Placer) choose(v *Var) {
	sym := v.Sym
	switch {
	case sym.Spec.Space == ptx.LocalSpace:
		v.Place = InFrame
	case pl.Plain:
		pl.choosePlain(v)
	case sym.Role == resolved.Param:
		pl.chooseParam(v)
	case sym.Role == resolved.Result:
		pl.chooseResult(v)
	default:
		pl.chooseLocal(v)
	}
}

// choosePlain decides where v is that is neither in .local space nor forwarded.
func (pl *Placer) choosePlain(v *Var) {
	switch {
	case v.Loc.Kind == abi.InConst:
		v.Place = InBank
	case v.Sym.Role == resolved.Param && v.Loc.Kind == abi.OnStack:
		v.Place = Incoming
	case v.Loc.Kind == abi.Indirect:
		v.Place = Sret
	case v.Sym.Role != resolved.Local && v.Loc.Kind == abi.Nowhere:
	case v.Addressed.N > 0 && v.Sym.Role != resolved.Local, pl.bigResult(v):
		v.Place = InFrame
	case v.stores.N+v.Loads.N+v.AsArg.N+v.AsResult.N > 0:
		if v.Place = Scalarized; pl.Kept == nil && !pl.AllVirtual || pl.Kept[v.Index] {
			v.Place = InFrame
		}
	}
}

func (pl *Placer) chooseParam(v *Var) {
	switch v.Loc.Kind {
	case abi.InConst:
		v.Place = InBank
	case abi.OnStack:
		v.Place = Incoming
	case abi.InReg:
		switch {
		case v.Addressed.N > 0:
			v.Place = InFrame
		case pl.allEarly(pl.Refs(v.Loads)) && pl.unharmed(v, v.Loc.Reg, -2):
			v.Place = LiveIn
		default:
			v.Place = pl.ownPlace()
		}
	}
}

// ownPlace is where a variable is that no other place keeps: in registers of its own
// as long as these are virtual.
func (pl *Placer) ownPlace() Storage {
	if pl.AllVirtual {
		return Scalarized
	}
	return InFrame
}

// unharmed reports whether a variable that statement from left in registers from
// first on is still there at all its loads.
func (pl *Placer) unharmed(v *Var, first sass.Reg, from int) bool {
	if pl.AllVirtual {
		return true
	}
	for _, r := range pl.Refs(v.Loads) {
		if pl.F.Body[r.Stmt].(*ptx.Access).Guard != nil || pl.defs.writtenBetween(first, (v.Size+3)/4, from, int(pl.defs.run[r.Stmt])) {
			return false
		}
	}
	return true
}

// allEarly reports whether every ref stands before the first label and the
// first call, where registers are as the caller left them.
func (pl *Plan) allEarly(refs []Ref) bool {
	for _, r := range refs {
		if r.ebb != 0 || r.Call != 0 {
			return false
		}
	}
	return true
}

// early reports whether all that touches v does so where registers are as the
// caller left them.
func (pl *Plan) early(v *Var) bool {
	return pl.allEarly(pl.Refs(v.stores)) && pl.allEarly(pl.Refs(v.Loads)) && pl.allEarly(pl.Refs(v.Addressed))
}

func (pl *Placer) chooseResult(v *Var) {
	switch {
	case v.Loc.Kind == abi.Indirect:
		v.Place = Sret
	case v.Loc.Kind == abi.Nowhere:
	case v.Addressed.N > 0:
		v.Place = InFrame
	case v.Loads.N == 0 && pl.straight(pl.Refs(v.stores), pl.rets):
		v.Place = Forwarded
	default:
		v.Place = pl.ownPlace()
	}
}

func (pl *Placer) chooseLocal(v *Var) {
	if pl.bigResult(v) {
		v.Place = InFrame
		return
	}
	switch {
	case v.AsArg.N == 1 && v.AsResult.N == 0 && v.Loads.N == 0 && pl.straight(pl.Refs(v.stores), pl.Refs(v.AsArg)):
		v.Place = Forwarded
	case v.AsResult.N == 1 && v.AsArg.N == 0 && v.stores.N == 0 && Follow(pl.Refs(v.AsResult)[0], pl.Refs(v.Loads)) && !pl.guarded(pl.Refs(v.AsResult)[0]) && pl.unharmed(v, pl.resultReg(pl.Refs(v.AsResult)[0]), pl.Refs(v.AsResult)[0].At()):
		v.Place = Forwarded
	case v.stores.N+v.Loads.N+v.AsArg.N+v.AsResult.N > 0:
		v.Place = pl.ownPlace()
	}
}

// guarded reports whether a call is made under a guard: a variable that takes its
// result keeps what it had where it is not.
func (pl *Placer) guarded(call Ref) bool { return pl.F.Body[call.Stmt].(*ptx.Call).Guard != nil }

// bigResult reports whether v receives a result that comes through memory.
func (pl *Placer) bigResult(v *Var) bool {
	for _, r := range pl.Refs(v.AsResult) {
		if s := &pl.Sites[r.Call]; s.Ok && s.Asn.Sret.Kind == abi.InReg {
			return true
		}
	}
	return false
}

// Follow reports whether all loads stand after the call, in the same stretch
// of code, and before the next call.
func Follow(call Ref, loads []Ref) bool {
	for _, r := range loads {
		if r.ebb != call.ebb || r.Call != call.Call+1 {
			return false
		}
	}
	return true
}

// straight reports whether stores can be forwarded into their only use: all of
// them stand before it in one stretch of code, unguarded, and nothing between
// touches the registers that they store.
func (pl *Placer) straight(stores, uses []Ref) bool {
	if len(uses) != 1 {
		return false
	}
	use, first := uses[0], uses[0].At()
	for _, r := range stores {
		first = min(first, r.At())
	}
	for _, r := range stores {
		if r.ebb != use.ebb || r.Stmt > use.Stmt {
			return false
		}
		a := pl.F.Body[r.Stmt].(*ptx.Access)
		if a.Guard != nil || !pl.unchanged(a, r, use, first) {
			return false
		}
	}
	return true
}

// unchanged reports whether nothing between two places, a call perhaps among it,
// can write a register that a stores. The first of several stores that are asked of is
// statement first.
func (pl *Placer) unchanged(a *ptx.Access, store, use Ref, first int) bool {
	from, to, called, until := store.At(), use.At(), store.Call, use.Call
	if pl.busy[to] == pl.busy[from] { // a store is not busy itself
		return true
	}
	w := &pl.writers
	if !w.found || first < w.from || to > w.to {
		pl.findWriters(first, to)
	}
	for _, h := range pl.defs.stored[from] {
		if h.In == InHome && pl.lostIn(h, pl.Sites[called:until]) || pl.defs.changedBetween(h, from, to) {
			return false
		}
	}
	for i := range a.Regs {
		n := pl.Accessed(from, i)
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
func (pl *Placer) findWriters(from, to int) {
	body, w := pl.F.Body, &pl.writers
	if w.seen += to - from; w.seen > len(body) {
		from, to = 0, len(body)
	}
	if !w.found {
		w.found = true
		w.of = slices.Grow(w.of[:0], pl.In.Numbers())[:pl.In.Numbers()]
		pl.noteStored()
	}
	for i := range w.of {
		w.of[i] = w.of[i][:0]
	}
	w.from, w.to = from, to
	for i := from; i < to; i++ {
		switch s := body[i].(type) {
		case *ptx.Instr:
			for _, r := range pl.In.Operands(i) {
				pl.writes(r.Name, i)
			}
		case *ptx.Access:
			if !s.Store {
				for k := range s.Regs {
					pl.writes(pl.Accessed(i, k), i)
				}
			}
		case *ptx.Call:
			for k := range s.Results {
				pl.writes(pl.In.Operands(i)[2+k].Name, i)
			}
		}
	}
}

// noteStored takes note of the registers that st.params store.
func (pl *Placer) noteStored() {
	m := &pl.Uses
	for i, s := range pl.F.Body {
		if a, ok := s.(*ptx.Access); ok && a.Store {
			for k := range a.Regs {
				if n := pl.Accessed(i, k); n >= 0 {
					m.Use(n).stored = true
				}
			}
		}
	}
}

// writes takes note that statement i may write the register whose name has number
// n, where that is one that is stored.
func (pl *Placer) writes(n int32, i int) {
	if n >= 0 && pl.Uses.Use(n).stored {
		pl.writers.of[n] = append(pl.writers.of[n], int32(i))
	}
}

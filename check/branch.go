package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/flow"
	"github.com/ptxabi/ptxabi/ptx"
)

// ways judges arguments and results whose value depends on the path that control takes. The
// assembler goes by the order of the text, whatever the path: of several stores to the same bytes, the last one counts.
// The rules compare that with the order of execution, by dominators and loops.
func ways(b *bodyCheck) {
	p := b.place
	if len(p.branched) == 0 && len(p.stale) == 0 && len(p.remnants) == 0 && len(p.far) == 0 {
		return
	}
	g := flow.New(b.in, flow.Options{NoReturn: b.noReturn})
	for i := range p.branched {
		branchedStore(b, g, &p.branched[i])
	}
	for i := range p.stale {
		staleResult(b, g, &p.stale[i])
	}
	for i := range p.remnants {
		b.remnant(g, &p.remnants[i])
	}
	for i := range p.far {
		p.far[i].judge(b.c.forbidden(), g)
	}
}

// judge lowers the severity of a far access if the assembler does not compile it.
func (f *farAccess) judge(less diag.Severity, g *flow.Graph) {
	switch {
	case f.err.Severity != diag.Error:
		return
	case f.call < 0:
		f.err.Msg += " once a call takes the variable"
	case !g.Reachable(g.BlockOf(f.at)) || !g.Reachable(g.BlockOf(f.call)):
		f.err.Msg += " once control comes there"
	default:
		return
	}
	f.err.Severity = less
}

// remnant reports bytes that a call would pass a second time, if on every path to the call the
// store comes before the earlier call, and that before this one.
func (b *bodyCheck) remnant(g *flow.Graph, r *remnant) {
	p := b.place
	if !g.Dominates(g.BlockOf(r.store), g.BlockOf(r.taken)) || !g.Dominates(g.BlockOf(r.taken), g.BlockOf(r.call)) {
		return
	}
	b.c.add(b.c.forbidden(), StaleArgument, p.posOf(r.call), sprintf("part of %s was stored for an earlier call and is passed again; the machine code passes what is left in its place: store all of it again", r.v.name),
		related(p.posOf(r.store), "the store is here"), related(p.posOf(r.taken), "the earlier call is here"))
}

// noReturn reports whether a call names a function with .noreturn.
func (b *bodyCheck) noReturn(call *ptx.Call) bool {
	g := b.c.program.globals[call.Callee.Name()]
	return g != nil && g.fn != nil && g.fn.Directive(".noreturn") != nil
}

// branchedStore reports a call for which the machine code may pass another value than PTX says, since it passes the last
// store of the text before the call.
//
// Two stores of the window that write the same bytes are right if the later one of the text, t, comes last on every path.
// It does if t dominates the call and not the earlier one, s. For if s could be executed after the last t, some path from
// s to the call would avoid t, and together with a path to s that avoids t, so would a path to the call.
//
// If the call is in a loop, a store after it in the same loop reaches the call in the next round. That is wrong for bytes
// that the window stores before the loop: the machine code passes those each time.
func branchedStore(b *bodyCheck, g *flow.Graph, w *branch) {
	p := b.place
	to := g.BlockOf(w.call)
	if !g.Reachable(to) {
		return
	}
	var later ranges
	for i := len(w.window) - 1; i >= 0; i-- {
		s := &w.window[i]
		from := g.BlockOf(s.at)
		if t, ok := later.find(s.off, s.end); ok {
			// The later one must come last on every path.
			last := g.BlockOf(t.at)
			if sameValue(b, s.at, t.at) {
				later.add(*s)
				continue
			}
			if !g.Dominates(last, to) || last != from && g.Dominates(last, from) {
				b.c.add(b.c.forbidden(), BranchedStore, p.posOf(w.call),
					sprintf("stores to argument %s stand on different paths to this call; the machine code passes the value of the last one in the text on every path: select the value before, or store and call on each path", w.v.name),
					related(p.posOf(s.at), "one store is here"), related(p.posOf(t.at), "the one that wins is here"))
				return
			}
			continue
		}
		later.add(*s)
	}
	if len(w.later) == 0 {
		return
	}
	var before ranges // the stores before the loop
	for _, s := range w.window {
		if g.Loop(g.BlockOf(s.at)) != g.Loop(to) {
			before.add(s)
		}
	}
	for _, s := range w.later {
		if l := g.Loop(g.BlockOf(s.at)); l < 0 || l != g.Loop(to) {
			continue
		}
		if x, ok := before.find(s.off, s.end); ok {
			b.c.add(b.c.forbidden(), BranchedStore, p.posOf(w.call),
				sprintf("argument %s is stored before the loop and again after this call; the machine code passes the first value each time: store right before the call", w.v.name),
				related(p.posOf(x.at), "the one that wins is here"), related(p.posOf(s.at), "the other one is here"))
			return
		}
	}
}

// sameValue reports whether two stores certainly store the same bytes to the
// same place: constants, or registers that only the function's head
// writes.
func sameValue(b *bodyCheck, one, other int) bool {
	p := b.place
	x, y := p.stmts[one].(*ptx.Access), p.stmts[other].(*ptx.Access)
	if x.Addr.Off != y.Addr.Off || x.Addr.Indexed != y.Addr.Indexed || x.Type.Size() != y.Type.Size() || len(x.Regs) != len(y.Regs) {
		return false
	}
	for i := range x.Regs {
		o, q := &x.Regs[i], &y.Regs[i]
		switch {
		case o.Kind != q.Kind || o.Kind != ptx.KindInt && o.Kind != ptx.KindFloat && o.Kind != ptx.KindName:
			return false
		case o.Kind != ptx.KindName && (o.Bits != q.Bits || o.FloatSize != q.FloatSize):
			return false
		case o.Kind == ptx.KindName && (o.Text != q.Text || !formalRegister(b, o)):
			return false
		}
	}
	return true
}

// formalRegister reports whether an operand is a register of the function's head
// that the body only stores, so that nothing writes it.
func formalRegister(b *bodyCheck, o *ptx.Operand) bool {
	if !slices.ContainsFunc(b.Func.Params, func(f ptx.Formal) bool { return f.Name == o.Name() && f.Space == ptx.RegSpace }) {
		return false
	}
	if b.read == nil {
		b.read = make(map[string]bool)
		for i, s := range b.Func.Body {
			a, ok := s.(*ptx.Access)
			for _, m := range b.in.Mentions(i) {
				b.read[m.Name] = b.read[m.Name] || !ok || !a.Store
			}
		}
	}
	return !b.read[o.Name()]
}

// staleResult reports a load of a result with another call between it and its call. The assembler
// copies the result right before the next call: after the arguments of that
// call, which begin in the same register, have been written. So the load reads an argument if the other call has
// arguments, and comes after the first call and before the load on every path. Without arguments, the result is right. If
// some path leads around the other call, only the order of the text is reported.
func staleResult(b *bodyCheck, g *flow.Graph, d *delay) {
	p := b.place
	load := p.stmts[d.load].(*ptx.Access)
	from, other, to := g.BlockOf(d.call), g.BlockOf(d.other), g.BlockOf(d.load)
	at := related(p.posOf(d.call), "the call is here")
	if d.v.sym.Spec.SizeOf(d.v.sym.Var) > inRegisters {
		staleMemory(b, d, at, from == other)
		return
	}
	if len(p.stmts[d.other].(*ptx.Call).Params) == 0 && g.Dominates(from, other) {
		b.separatedLoad(d, at)
		return
	}
	if !g.Dominates(other, to) || !g.Dominates(from, other) {
		b.c.add(b.c.forbidden(), SplitCall, load.Pos, sprintf("control flow or a label stands between this load of %s and its call; load right after the call", d.v.name), at)
		return
	}
	b.c.add(b.c.forbidden(), StaleResult, load.Pos,
		sprintf("another call stands between this load of %s and its call; the machine code reads what an argument of the other call leaves in the register: load right after the call", d.v.name),
		at, related(p.posOf(d.other), "the other call is here"))
}

// staleMemory reports the load of a result that is returned in memory,
// with another call between it and its call. It reads the right bytes. But releases of the
// assembler up to 13.0 crash if nothing is loaded right after the call, the call names its function, and neither it nor
// the function around it has arguments (alone).
func staleMemory(b *bodyCheck, d *delay, at diag.Related, straight bool) {
	p := b.place
	load, call := p.stmts[d.load].(*ptx.Access), p.stmts[d.call].(*ptx.Call)
	if d.first && straight && b.c.Compile && alone(b, call) && call.Proto.Kind == ptx.KindNone {
		b.c.add(b.c.forbidden(), StaleResult, load.Pos,
			sprintf("another call stands between this load of %s, which is returned in memory, and its call; releases of the assembler up to 13.0 crash on it: load right after the call", d.v.name),
			at, related(p.posOf(d.other), "the other call is here"))
		return
	}
	b.separatedLoad(d, at)
}

func (b *bodyCheck) separatedLoad(d *delay, at diag.Related) {
	b.c.add(b.c.forbidden(), SeparatedLoad, b.place.posOf(d.load), sprintf("another call stands between this load of %s and its call; load right after the call", d.v.name), at)
}

// ranges has stores of one argument, at most maxRanges: few arguments have fields that are stored more than once. Stores
// beyond the limit are left out, so that a search takes constant time and may miss an overlap, but invents none.
type ranges struct{ list []store }

const maxRanges = 64

// find returns a store that writes some of the bytes.
func (r *ranges) find(off, end int64) (store, bool) {
	if i := slices.IndexFunc(r.list, func(s store) bool { return s.off < end && off < s.end }); i >= 0 {
		return r.list[i], true
	}
	return store{}, false
}

// hides reports whether one store writes all of the bytes.
func (r *ranges) hides(off, end int64) bool {
	return slices.ContainsFunc(r.list, func(s store) bool { return s.off <= off && end <= s.end })
}

func (r *ranges) add(s store) {
	if len(r.list) < maxRanges {
		r.list = append(r.list, s)
	}
}

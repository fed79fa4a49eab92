package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// A tailPiece is an access to the array that ends the parameters of a variadic function.
type tailPiece struct {
	pos      diag.Pos
	off, end int64 // bytes of the array
	always   bool  // every call executes it: nothing before it branches, ends the function or calls one that might not return
}

// A tail is what a call passes there.
type tail struct {
	callee *global
	pos    diag.Pos // of the call
	size   int64    // of the variable that is passed, in bytes
	name   string
	stores []tailPiece
	whole  bool // nothing else can have stored into it
}

// tailLoad notes a load of the function's own tail, at a known offset.
func (b *bodyCheck) tailLoad(a *ptx.Access, off, end int64) {
	b.g.tailLoads = append(b.g.tailLoads, tailPiece{a.Addr.Pos, off, end, a.Guard == nil && !b.controlBehind(-1) && b.place.last.call < 0})
}

// tailOf notes argument i of a call with the stores into it, if that is the tail of a function; first says that no
// call before takes the variable.
func (b *bodyCheck) tailOf(call *ptx.Call, i int, v *paramState, window []store, first bool) {
	g := b.c.program.globals[call.Callee.Text]
	if len(window) == 0 || g == nil || g.fn == nil || i != len(g.fn.Params)-1 || !g.fn.Params[i].Var.Unsized() {
		return
	}
	t := tail{callee: g, pos: call.Pos, size: int64(v.sym.Spec.SizeOf(v.sym.Var)), name: v.name, whole: first && !v.addressed && !b.place.lost && !b.controlBehind(window[0].at)}
	for _, s := range window {
		t.stores = append(t.stores, tailPiece{pos: b.place.posOf(s.at), off: s.off, end: s.end})
	}
	b.c.program.tails = append(b.c.program.tails, t)
}

// matchTails reports the calls whose tail has other offsets than the callee loads. The first store is
// named of which the callee loads a part with other bytes; where one holds the other, a value may be
// moved in pieces. Else it is a load that every call executes, of bytes that are not passed, or that nothing stores.
func matchTails(c *checker) {
	for _, t := range c.program.tails {
		if !mismatchedStore(c, t) {
			loadBehind(c, t)
		}
	}
}

func mismatchedStore(c *checker, t tail) bool {
	for _, s := range t.stores {
		for _, l := range t.callee.tailLoads {
			if s.off < l.end && l.off < s.end && (s.off < l.off || l.end < s.end) && (l.off < s.off || s.end < l.end) {
				c.add(diag.Warning, MismatchedTail, s.pos, sprintf("bytes [%d:%d] of the variadic tail are stored, and %s loads [%d:%d]; align each value of the tail to its own size",
					s.off, s.end, t.callee.name, l.off, l.end), related(l.pos, "the load is here"))
				return true
			}
		}
	}
	return false
}

func loadBehind(c *checker, t tail) {
	if t.callee.fn.Linkage == ptx.Weak {
		return // another definition may be called
	}
	for _, l := range t.callee.tailLoads {
		switch {
		case !l.always:
		case l.end > t.size:
			c.add(diag.Warning, MismatchedTail, t.pos, sprintf("%s loads bytes [%d:%d] of its variadic tail in every call, and %s, which is passed, has %d; pass each value at the offset at which it is loaded",
				t.callee.name, l.off, l.end, t.name, t.size), related(l.pos, "the load is here"))
			return
		case t.whole && !slices.ContainsFunc(t.stores, func(s tailPiece) bool { return s.off < l.end && l.off < s.end }):
			c.add(diag.Warning, MismatchedTail, t.pos, sprintf("%s loads bytes [%d:%d] of its variadic tail in every call, and nothing is stored there in %s, which is passed; pass each value at the offset at which it is loaded",
				t.callee.name, l.off, l.end, t.name), related(l.pos, "the load is here"))
			return
		}
	}
}

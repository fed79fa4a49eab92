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
	always   bool  // every call executes it: it has no guard, and no branch, label, return or call is before it
}

// A tail is the argument of a call for that array.
type tail struct {
	callee *global
	pos    diag.Pos // of the call
	size   int64    // of the variable that is passed, in bytes
	name   string
	stores []tailPiece
	whole  bool // no other store can have written to it
}

// tailLoad records a load of the function's own tail, at a known offset.
func (b *bodyCheck) tailLoad(a *ptx.Access, off, end int64) {
	b.g.tailLoads = append(b.g.tailLoads, tailPiece{a.Addr.Pos, off, end, a.Guard == nil && !b.controlAfter(-1) && b.place.last.call < 0})
}

// tailOf records argument i of a call with the stores into it, if it is for the tail of a function. first says that no
// call before takes the variable.
func (b *bodyCheck) tailOf(call *ptx.Call, i int, v *paramState, window []store, first bool) {
	g := b.c.program.globals[call.Callee.Text]
	if len(window) == 0 || g == nil || g.fn == nil || i != len(g.fn.Params)-1 || !g.fn.Params[i].Var.Unsized() {
		return
	}
	t := tail{callee: g, pos: call.Pos, size: int64(v.sym.Spec.SizeOf(v.sym.Var)), name: v.name, whole: first && !v.addressed && !b.place.lost && !b.controlAfter(window[0].at)}
	for _, s := range window {
		t.stores = append(t.stores, tailPiece{pos: b.place.posOf(s.at), off: s.off, end: s.end})
	}
	b.c.program.tails = append(b.c.program.tails, t)
}

// matchTails reports the calls that store into the tail at other offsets than the callee loads. It reports the first store
// that overlaps a load and has bytes that the load lacks, and lacks some of the load's. If one contains the other, it reports
// nothing, since a value may be moved in pieces. Otherwise it reports a load that every call executes, of bytes
// that the call does not pass or does not store.
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

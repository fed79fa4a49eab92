package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// A tailPiece is an access to the array that ends the parameters of a variadic function.
type tailPiece struct {
	pos      diag.Pos
	off, end int64 // bytes of the array
}

// A tail is what the stores before a call put there.
type tail struct {
	callee *global
	stores []tailPiece
}

// tailOf notes the stores into argument i of a call, if that is the tail of a function.
func (b *body) tailOf(call *ptx.Call, i int, window []store) {
	g := b.c.program.globals[call.Callee.Text]
	if len(window) == 0 || g == nil || g.fn == nil || i != len(g.fn.Params)-1 || !g.fn.Params[i].Var.Unsized() {
		return
	}
	t := tail{callee: g}
	for _, s := range window {
		t.stores = append(t.stores, tailPiece{b.place.posOf(s.at), s.off, s.end})
	}
	b.c.program.tails = append(b.c.program.tails, t)
}

// matchTails reports the first store of each call into a tail of which the callee loads a part with
// other bytes: the two count other offsets. Where one holds the other, a value may be moved in pieces.
func matchTails(c *checker) {
	for _, t := range c.program.tails {
	stores:
		for _, s := range t.stores {
			for _, l := range t.callee.tailLoads {
				if s.off < l.end && l.off < s.end && (s.off < l.off || l.end < s.end) && (l.off < s.off || s.end < l.end) {
					c.add(diag.Warning, MismatchedTail, s.pos, sprintf("bytes [%d:%d] of the variadic tail are stored, and %s loads [%d:%d]; align each value of the tail to its own size",
						s.off, s.end, t.callee.name, l.off, l.end), related(l.pos, "the load is here"))
					break stores
				}
			}
		}
	}
}

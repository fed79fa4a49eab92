package sel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
)

// A wholeWord is a word of a forwarded variable that is word k of another one,
// which is in memory.
type wholeWord struct {
	v    *place.Var
	k    int
	mask uint8 // which of its bytes are wanted
}

// heldByte puts byte i of v, from which a forwarded copy comes, at byte at of w.
func (fn *Selector) heldByte(v *place.Var, w *word, at, i int) {
	if k := i / 4; v.Held.Has(k) && !fn.state(v).freed.Has(k) {
		w.take(at, fn.wordOf(v, k), i%4)
		return
	}
	fn.byteAt(v, w, at, i)
}

// holdWords copies the words of v, which a call left in the registers from first
// on, to registers of their own, where forwarded copies need that.
func (fn *Selector) holdWords(v *place.Var, first abi.Loc) {
	if v.Held.Empty() {
		return
	}
	fn.nums = v.Held.AppendBelow(fn.nums[:0], (v.Size+3)/4)
	for _, k := range fn.nums {
		fn.move("", fn.wordOf(v, k), fn.formalWord(first, k), lir.Bytes(v.Source, 4*k, min(4*k+4, v.Size)))
	}
}

// loadHeld loads the word of a forwarded copy that goes from memory to memory, with the
// first of those that it is made of.
func (fn *Selector) loadHeld(r *place.Forward) {
	k := r.Off / 4
	if !r.ToMemory || !fn.InMemory(r.V) || fn.state(r.V).loaded.Has(k) {
		return
	}
	if fn.inRegs(r.V, 4*k, 4) {
		fn.state(r.V).freed.Add(k) // fetched with others
		return
	}
	fn.state(r.V).loaded.Add(k)
	fn.fromMemory(fn.wait(), fn.memory(r.V, 4*k), 4, false)
	fn.takenTo(fn.wordOf(r.V, k), lir.Bytes(r.V.Source, 4*k, 4*k+4))
}

// storeHeld stores a forwarded copy to byte off of a large result: its word, with the last
// forwarded copy of those that make it up.
func (fn *Selector) storeHeld(u *place.Var, off, size int, r *place.Forward) {
	k := off / 4
	fn.storeForward(u, off, size, r)
	if w := fn.state(u).wholes.at(k); w.mask == 0xf {
		var bytes [4]word
		for i := range 4 {
			fn.heldByte(r.V, &bytes[0], i, 4*w.k+i)
		}
		fn.storeMem(fn.memory(u, 4*k), 4, &bytes, u.Source, 4*k, "")
	}
}

// storeForward stores a forwarded copy from memory to byte off of a forwarded variable.
func (fn *Selector) storeForward(u *place.Var, off, size int, r *place.Forward) {
	for i := range size {
		k := (off + i) / 4
		w := fn.state(u).wholes.at(k)
		if w == nil {
			w = fn.wholeWords.One()
			*w = wholeWord{v: r.V, k: (r.Off + i) / 4}
			fn.state(u).wholes.put(k, w)
		}
		w.mask |= 1 << ((off + i) % 4)
	}
}

// wholeLoad makes l the load of a word that is one of another variable.
func (fn *Selector) wholeLoad(l *load, w *wholeWord) {
	fn.fromMemory(l, fn.memory(w.v, 4*w.k), 4, false)
	l.mask = w.mask
}

package place

import (
	"cmp"
	"slices"

	"github.com/ptxabi/ptxabi/ptx"
)

// A storedByte is a byte that is stored to a forwarded variable, and where it comes from.
type storedByte struct {
	at int      // of the forwarded variable
	r  *Forward // nil if it is no forwarded copy from memory
	i  int      // byte of the variable that r is loaded from
	in Ref      // the store
	// It is stored twice, or with what extends a scalar: it comes from nowhere.
	twice bool
}

// partial is memory for dropPartial.
type partial struct {
	bytes []storedByte
	words []wordOf
	queue []int32
}

// A wordOf is a word of a forwarded variable: what is stored to it are the elements
// first … end-1 of a list of bytes.
type wordOf struct {
	k          int
	first, end int
	gone       bool // it is not whole
}

// dropPartial makes forwarded copies from memory to u, or to memory, bad whose bytes do not
// make up words that are words of one variable. With a forwarded copy, other words that it
// is part of are spoiled, and the forwarded copies that go there. Each word and each
// forwarded copy is looked at once.
func (pl *Placer) dropPartial(u *Var) {
	if !pl.storesPartial(u) {
		return
	}
	t := &pl.partial
	t.bytes, t.words, t.queue = t.bytes[:0], t.words[:0], t.queue[:0]
	pl.storedBytes(u)
	for i := 0; i < len(t.bytes); {
		w := wordOf{k: t.bytes[i].at / 4, first: i}
		for i < len(t.bytes) && t.bytes[i].at/4 == w.k {
			i++
		}
		w.end = i
		if bytes := t.bytes[w.first:w.end]; !whole(bytes) || u.Place == Sret && !pl.together(bytes) {
			w.gone = true
			t.queue = append(t.queue, int32(len(t.words)))
		}
		t.words = append(t.words, w)
	}
	for len(t.queue) > 0 {
		w := t.words[t.queue[len(t.queue)-1]]
		t.queue = t.queue[:len(t.queue)-1]
		for _, b := range t.bytes[w.first:w.end] {
			if b.r != nil && !b.r.bad {
				b.r.bad = true
				t.spoil(&b.r.uses[0])
			}
		}
	}
}

// spoil marks the words that a use is part of.
func (t *partial) spoil(u *forwardedUse) {
	for k := u.off / 4; 4*k < u.off+u.size; k++ {
		i, ok := slices.BinarySearchFunc(t.words, k, func(w wordOf, k int) int { return w.k - k })
		if ok && !t.words[i].gone {
			t.words[i].gone = true
			t.queue = append(t.queue, int32(i))
		}
	}
}

// storesPartial reports whether a forwarded copy from memory, or to memory, is stored to u. To most
// variables none is.
func (pl *Placer) storesPartial(u *Var) bool {
	for _, at := range pl.Refs(u.stores) {
		for i := range pl.F.Body[at.Stmt].(*ptx.Access).Regs {
			if pl.partialSource(pl.Accessed(at.At(), i)) != nil {
				return true
			}
		}
	}
	return false
}

// partialSource returns the forwarded copy of the name of number n if it is one from memory, or to
// memory; nil if not.
func (pl *Placer) partialSource(n int32) *Forward {
	r := pl.mayForward(n)
	if r == nil || !r.ToMemory && !pl.InMemory(r.V) {
		return nil
	}
	return r
}

// storedBytes lists the bytes that are stored to u, in order of where they go.
func (pl *Placer) storedBytes(u *Var) {
	t := &pl.partial
	promoted := Promotes(u.Sym)
	sorted := true
	for _, at := range pl.Refs(u.stores) {
		a := pl.F.Body[at.Stmt].(*ptx.Access)
		size := a.Type.Size()
		if a.Whole { // one register for all elements
			size = a.Bytes()
		}
		for i := range a.Regs {
			off := int(pl.Offset(a, u.Sym)) + i*size
			r := pl.partialSource(pl.Accessed(at.At(), i))
			if n := len(t.bytes); n > 0 && off <= t.bytes[n-1].at {
				sorted = false
			}
			for b := range size {
				s := storedByte{at: off + b, r: r, in: at}
				if r != nil {
					s.i = r.Off + b
				}
				t.bytes = append(t.bytes, s)
			}
		}
	}
	if !sorted {
		slices.SortStableFunc(t.bytes, func(a, b storedByte) int { return cmp.Compare(a.at, b.at) })
	}
	for i := range t.bytes { // of a byte that is stored twice, and of a scalar that is extended
		if b := &t.bytes[i]; promoted || i > 0 && t.bytes[i-1].at == b.at || i+1 < len(t.bytes) && t.bytes[i+1].at == b.at {
			b.twice = true
		}
	}
}

// together reports whether the bytes of a word of a large result can be stored at
// once: they are all there are, and nothing but other stores stands between them.
// Those that are loaded from memory are loaded in one straight stretch of code.
func (pl *Placer) together(bytes []storedByte) bool {
	first, last, loaded := bytes[0].in, bytes[0].in, bytes[0].r.def
	for i := range bytes {
		b := &bytes[i]
		if b.in.ebb != first.ebb || b.r.def.ebb != loaded.ebb {
			return false
		}
		if b.in.Stmt < first.Stmt {
			first = b.in
		}
		if b.in.Stmt > last.Stmt {
			last = b.in
		}
	}
	return len(bytes) == 4 && pl.busy[first.Stmt] == pl.busy[last.Stmt]
}

// whole reports whether the bytes of a word are part of a word of one variable.
func whole(bytes []storedByte) bool {
	first := &bytes[0]
	for i := range bytes {
		b := &bytes[i]
		if b.r == nil || b.twice || b.i%4 != b.at%4 || b.r.V != first.r.V || b.i/4 != first.i/4 {
			return false
		}
	}
	return true
}

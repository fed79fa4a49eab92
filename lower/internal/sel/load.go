package sel

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A load is one register that gets its word: for a call, for a return, or out
// of where a parameter is.
type load struct {
	dst   lir.Reg
	w     word
	op    string   // if set, "op dst, mem" makes the word, or "op dst, more.src…", not w
	mem   memory   // its kind is None where op is not set, or loads nothing
	whole bool     // op loads whole words of mem
	mask  uint8    // which bytes of mem have a value; 0 where s tells
	s     lir.Note // what the word is
	pos   diag.Pos // of the load, if it waits; no position otherwise
	more  *loadMore
}

// A loadMore is what few loads have: the others are two thirds of the size without
// it.
type loadMore struct {
	src  []lir.Arg // none of them a register that a load writes
	note lir.Note  // in place of load.s, if it has a text
	// signs are registers that are filled with the sign of what dst has got.
	signs []lir.Reg
}

// needMore gives l a loadMore of its own.
func (l *load) needMore() {
	if l.more == nil {
		l.more = new(loadMore)
	}
}

// noText takes the note away from a copy of a load.
func (l *load) noText() {
	if l.more != nil {
		more := *l.more
		more.note = lir.Note{}
		l.more = &more
	}
}

func (l *load) signs() []lir.Reg {
	if l.more == nil {
		return nil
	}
	return l.more.signs
}

// handsOver returns the contract of a call or return that needs what loads make,
// which have not been widened.
func (fn *Selector) handsOver(list []load) *sass.Contract {
	if fn.TextOnly {
		return nil
	}
	c := &sass.Contract{Needs: make([]sass.Reg, len(list)), Bytes: make([]uint8, len(list))}
	for i := range list {
		c.Needs[i], c.Bytes[i] = list[i].dst.Num(), list[i].bytes()
	}
	return c
}

// bytes returns which bytes of the word have a value, bit 0 for the lowest.
func (l *load) bytes() uint8 {
	mask := uint8(0xf)
	switch {
	case l.op == "":
		for i, f := range l.w.from {
			if f.kind() == undefined {
				mask &^= 1 << i
			}
		}
	case l.mask != 0:
		mask = l.mask
	case l.whole: // a whole word of memory, of which the value may be the first part
		mask &= 1<<(l.s.End-l.s.First) - 1
	}
	return mask
}

// fromMemory makes l a load of size bytes at m: 1, 2 or 4.
func (fn *Selector) fromMemory(l *load, m memory, size int, signed bool) {
	l.op, l.mem, l.whole = fn.loadOp(&m, size, signed), m, size == 4
}

// writes reports whether l writes a physical register.
func (l *load) writes(r lir.Reg) bool {
	return l.dst == r || l.more != nil && slices.Contains(l.more.signs, r)
}

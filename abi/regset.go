package abi

import (
	"iter"
	"math/bits"
	"strconv"
)

// A RegSet is a set of registers, by number: 0 … 255. It is comparable; the
// zero RegSet is empty.
type RegSet [4]uint64

// Regs returns the set of the given registers.
func Regs(regs ...Reg) RegSet {
	var s RegSet
	for _, r := range regs {
		s[r/64] |= 1 << (r % 64)
	}
	return s
}

// RegRange returns the set of the registers first … last, both included; it is
// empty if last is below first.
func RegRange(first, last Reg) RegSet {
	var s RegSet
	for r := int(first); r <= int(last); r++ {
		s[r/64] |= 1 << (r % 64)
	}
	return s
}

// Has reports whether r is in s.
func (s RegSet) Has(r Reg) bool { return s[r/64]>>(r%64)&1 != 0 }

// Len reports the number of registers in s.
func (s RegSet) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Union returns the registers that are in s or in t.
func (s RegSet) Union(t RegSet) RegSet {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// Intersect returns the registers that are in s and in t.
func (s RegSet) Intersect(t RegSet) RegSet {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

// Minus returns the registers that are in s and not in t.
func (s RegSet) Minus(t RegSet) RegSet {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

// All yields the registers of s in ascending order.
func (s RegSet) All() iter.Seq[Reg] {
	return func(yield func(Reg) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(Reg(i*64 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// String returns the text form for general registers, "R1, R2, R16-R31": runs
// of three and more are ranges. The empty set is "none".
func (s RegSet) String() string { return s.text("R") }

// text is String with another prefix: "UR", "P", "UP" or "B".
func (s RegSet) text(prefix string) string {
	if s == (RegSet{}) {
		return "none"
	}
	var b []byte
	for r := 0; r < 256; r++ {
		if !s.Has(Reg(r)) {
			continue
		}
		last := r
		for last < 255 && s.Has(Reg(last+1)) {
			last++
		}
		if last == r+1 {
			last = r
		}
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = append(b, prefix...)
		b = strconv.AppendInt(b, int64(r), 10)
		if last > r {
			b = append(b, '-')
			b = append(b, prefix...)
			b = strconv.AppendInt(b, int64(last), 10)
		}
		r = last
	}
	return string(b)
}

// MarshalText returns s.String(), so that JSON shows the text form.
func (s RegSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

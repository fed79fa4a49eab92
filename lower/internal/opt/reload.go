package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// A loaded is the record of a load. As long as the follower's count of stores is the same, the memory has the bytes that
// were loaded; as long as the time of the register is the same, the register has them.
type loaded struct {
	in           lir.Inst
	size         int // in bytes, at most 4
	time, stores int32
}

// memory records a load of a variable in memory, or counts a store to one.
func (f *follower) memory(in *lir.Inst) {
	switch {
	case in.Writers == lir.Anything:
	case in.Op == lir.Store:
		f.stores++
	case in.Op == lir.Load && in.Guard == "" && in.Words() == 1 && !f.slot(in.Dst):
		f.loads = append(f.loads, loaded{*in, in.Bytes(), f.time(in.Dst), f.stores})
		f.states[in.Dst].load = int32(len(f.loads))
	}
}

// source returns the load that a byte comes from, if its memory still has it, and the offset of the byte there; nil if
// there is none.
func (f *follower) source(b *byteOf) (*loaded, int64) {
	if !b.set || b.reg == 0 {
		return nil, 0
	}
	k := int(f.states[b.reg].load)
	if k <= f.oldLoads {
		return nil, 0
	}
	l := &f.loads[k-1]
	if l.size <= int(b.byte) || l.time != b.time || l.stores != f.stores && l.in.Writers != lir.Nothing {
		return nil, 0
	}
	return l, l.in.Off + int64(b.byte)
}

// reload turns an instruction that puts a word together into a load, where the bytes of the word were loaded into
// several registers and lie side by side in memory.
func (f *follower) reload(in *lir.Inst, v *word) bool {
	load, ok := f.loadOf(v)
	if !ok || f.grouped && load.B.Kind() == sass.KindRegister && load.B == in.Dst {
		return false
	}
	load.Dst, load.Note, load.Pos = in.Dst, in.Note, in.Pos
	*in = load
	return true
}

// loadOf returns one load of a word whose first n bytes were loaded into several registers, if n is 2 or 4 and the
// address is aligned. The bytes after those are zeros, as a load of n bytes makes them, or have no value. Three bytes
// before one without a value are loaded as four.
func (f *follower) loadOf(v *word) (load lir.Inst, ok bool) {
	first, at := f.source(&v[0])
	if first == nil {
		return load, false
	}
	n, several := 1, false
	for ; n < len(v) && v[n].set && v[n].reg != 0; n++ {
		l, off := f.source(&v[n])
		if l == nil || off != at+int64(n) || l.in.Bank != first.in.Bank || l.in.B != first.in.B {
			return load, false
		}
		several = several || v[n].reg != v[0].reg
	}
	unset := true
	for _, b := range v[n:] {
		if unset = unset && !b.set; b.set && (b.reg != 0 || b.bits != 0) {
			return load, false
		}
	}
	if n == 3 && unset {
		n = 4
	}
	load = first.in
	load.Size, load.Signed = uint8(n), false
	load.N, load.Off = load.N+int32(at-load.Off), at
	return load, several && (n == 2 || n == 4) && load.Aligned(n)
}

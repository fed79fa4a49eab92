package follow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/sass"
)

// This file joins what holds on several ways where a listing is held against its source.
// What matters is not what places hold, but which of them hold the same: all places that
// held one value on one way, and one value on the other, hold one value afterwards. It is
// named for the first of them, and for where the ways meet.
//
// A register of the source that nothing has written on one of the ways may be anything there:
// whatever holds its value on the other way will do.

// A meeting joins two states before an instruction.
type meeting struct {
	*allocation
	to    int
	class map[[2]symexec.Byte]symexec.Byte
	less  bool

	was    [2]*symexec.State // before; the first without what maps hold
	bytes  []met             // of the machine
	first  map[symexec.Byte][]int
	second map[symexec.Byte][]int
}

// A met is a byte of the machine: what it was on either way, and is afterwards.
type met struct{ first, second, now symexec.Byte }

// meet makes a state hold what holds in both, before the instruction at an index, and
// reports whether that is less.
func (a *allocation) meet(x, y *symexec.State, to int) bool {
	f := meeting{allocation: a, to: to, class: make(map[[2]symexec.Byte]symexec.Byte)}
	at := sourceOf(x).at
	f.advance(sourceOf(x), sourceOf(y))
	f.less = sourceOf(x).at != at
	old := *x
	f.was = [2]*symexec.State{&old, y}
	more := a.p.both(x, y, func(x, y *symexec.Word, id symexec.Byte, name string) {
		was := *x
		f.word(x, y, func() string {
			if name == "" {
				return fmt.Sprintf("%s%d", []string{"R", "UR"}[-id.Base], id.Reg)
			}
			return name
		})
		if name != "" {
			f.note(was, *y, *x)
		}
	}, func(x, y symexec.Byte, at symexec.Addr) symexec.Byte {
		now := f.byte(x, y, func() string { return fmt.Sprintf("[%d%+d]", at.Base, at.Add&^3) }, uint8(at.Add&3))
		f.bytes = append(f.bytes, met{x, y, now})
		return now
	})
	f.source(sourceOf(x), sourceOf(y), x)
	return more || f.less
}

// keysOf returns the keys of two maps in order.
func keysOf[K, V comparable](a, b map[K]V, order func(K, K) int) []K {
	return differing(a, b, func(V) bool { return true }, order)
}

// advance carries out the source of both states as far as it does not depend on the
// machine, and to the same statement.
func (f *meeting) advance(x, y *source) {
	f.catchUp(x, f.limit(x.at), false)
	f.catchUp(y, f.limit(y.at), false)
	f.level(x, y)
}

// word joins two words.
func (f *meeting) word(x, y *symexec.Word, name func() string) {
	if *x == *y && (x.Base != symexec.NoBase || !f.hereWord(*x)) {
		return
	}
	var both symexec.Word
	for i := range both.B {
		both.B[i] = f.byte(symexec.Effective(*x, i), symexec.Effective(*y, i), name, uint8(i))
	}
	if both != *x {
		*x, f.less = both, true
	}
}

// here reports whether a value is one of places that have met here before.
func (f *meeting) here(b symexec.Byte) bool {
	return b.Kind == symexec.PhiByte && f.meets[b.Off] == f.to
}

// byte joins two bytes.
func (f *meeting) byte(x, y symexec.Byte, name func() string, n uint8) symexec.Byte {
	if x == y && !f.here(x) {
		return x
	}
	for _, b := range [2]symexec.Byte{x, y} {
		if b.Kind == symexec.LostByte || b.Kind == symexec.MadeByte || b.Kind == symexec.JoinByte {
			b.Kind = symexec.LostByte
			return b
		}
	}
	key := [2]symexec.Byte{x, y}
	v, ok := f.class[key]
	if !ok {
		v = f.phi(name(), n)
		f.class[key] = v
		if n == 0 {
			f.from[v.Off] = key
		}
	}
	return v
}

// phi returns the value that has a name where ways meet.
func (f *meeting) phi(name string, n uint8) symexec.Byte {
	off := int64(f.p.terms.number(fmt.Sprintf("meet %d %s", f.to, name)))
	f.meets[off] = f.to
	return symexec.Byte{Kind: symexec.PhiByte, N: n, Off: off}
}

// note adds the bytes of a word of the machine.
func (f *meeting) note(first, second, now symexec.Word) {
	for i := range 4 {
		f.bytes = append(f.bytes, met{symexec.Effective(first, i), symexec.Effective(second, i), symexec.Effective(now, i)})
	}
}

// index indexes the bytes of the machine by their values on either way.
func (f *meeting) index(now *symexec.State) {
	if f.first != nil {
		return
	}
	for r := range now.Regs {
		f.note(f.was[0].Regs[r], f.was[1].Regs[r], now.Regs[r])
	}
	f.first, f.second = make(map[symexec.Byte][]int), make(map[symexec.Byte][]int)
	for i := range f.bytes {
		if b := &f.bytes[i]; b.now.Known() || b.now.Kind == symexec.FrameByte {
			f.first[b.first] = append(f.first[b.first], i)
			f.second[b.second] = append(f.second[b.second], i)
		}
	}
}

// source joins what holds in the source; now is the machine.
func (f *meeting) source(x, y *source, now *symexec.State) {
	for _, c := range differing(x.regs, y.regs, f.hereWord, func(p, q cell) int {
		return cmp.Or(cmp.Compare(p.reg, q.reg), cmp.Compare(p.elem, q.elem), cmp.Compare(p.word, q.word))
	}) {
		v, w := x.regs[c], y.regs[c]
		if v == w && v.Base != symexec.NoBase {
			continue
		}
		var both symexec.Word
		for i := range both.B {
			both.B[i] = f.either(symexec.Effective(v, i), symexec.Effective(w, i), func() string { return fmt.Sprintf("%%%d.%d.%d", c.reg, c.elem, c.word) }, uint8(i), now)
		}
		if both != v {
			x.regs[c], f.less = both, true
		}
	}
	order := func(p, q variable) int {
		return cmp.Or(cmp.Compare(p.v.Pos.Line, q.v.Pos.Line), cmp.Compare(p.v.Pos.Col, q.v.Pos.Col), strings.Compare(p.v.Name, q.v.Name), cmp.Compare(p.off, q.off))
	}
	for _, at := range differing(x.vars, y.vars, f.here, order) {
		name := func() string { return fmt.Sprintf("%s %v %d", at.v.Name, at.v.Pos, at.off&^3) }
		v := f.either(x.vars[at], y.vars[at], name, uint8(at.off&3), now)
		if v != x.vars[at] {
			x.vars[at], f.less = v, true
		}
	}
	n := len(x.facts)
	maps.DeleteFunc(x.facts, func(v symexec.Byte, is bool) bool { also, ok := y.facts[v]; return !ok || also != is || f.here(v) })
	f.less = f.less || len(x.facts) < n
}

func (f *meeting) hereWord(w symexec.Word) bool {
	return f.here(w.B[0]) || f.here(w.B[1]) || f.here(w.B[2]) || f.here(w.B[3])
}

// differing returns the keys, in order, of values that are not the same in two maps, and of those that
// anyway selects.
func differing[K, V comparable](a, b map[K]V, anyway func(V) bool, order func(K, K) int) []K {
	var keys []K
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w || anyway(v) {
			keys = append(keys, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, order)
	return keys
}

// either joins two bytes of the source. Where one is anything, or has no value of its own in
// the machine, those of the machine are accepted that stand for it and for the other one.
func (f *meeting) either(x, y symexec.Byte, name func() string, n uint8, now *symexec.State) symexec.Byte {
	loose := func(b symexec.Byte) bool {
		return b.Kind == symexec.Nothing || b.Kind == symexec.PhiByte && f.accepts[b.Off] != nil || b.Kind == symexec.TermByte && f.address[b.Off] != ""
	}
	switch {
	case x == y && !f.here(x), x.Kind == symexec.Nothing && y.Kind == symexec.Nothing:
		return x
	case !loose(x) && !loose(y), x.Kind == symexec.LostByte, y.Kind == symexec.LostByte:
		return f.byte(x, y, name, n)
	}
	f.index(now)
	accepted := make(map[symexec.Byte]bool)
	look := func(i int) {
		if b := &f.bytes[i]; f.p.joins(1) && f.stands(b.first, x) && f.stands(b.second, y) {
			accepted[b.now] = true
		}
	}
	switch {
	case !loose(y):
		for _, i := range f.second[y] {
			look(i)
		}
	case !loose(x):
		for _, i := range f.first[x] {
			look(i)
		}
	default:
		for _, list := range f.first {
			for _, i := range list {
				look(i)
			}
		}
	}
	var names []string
	for v := range accepted {
		names = append(names, fmt.Sprint(v))
	}
	slices.Sort(names)
	v := f.phi(name()+" any of "+strings.Join(names, " "), n)
	f.accepts[v.Off] = accepted
	return v
}

// stands reports whether a byte of the machine may stand for one of the source.
func (a *allocation) stands(theirs, ours symexec.Byte) bool {
	switch {
	case ours.Kind == symexec.Nothing, theirs == ours:
		return true
	case ours.Kind == symexec.PhiByte:
		return a.accepts[ours.Off][theirs]
	case ours.Kind != symexec.TermByte:
		return false
	}
	name := a.address[ours.Off]
	switch {
	case name == "":
		return false
	case ours.Reg == 0 && a.isPlace(theirs):
		at, ok := a.bound[addressByte{name, ours.N}]
		return !ok || at == theirs
	case theirs.Kind == symexec.LabelByte:
		s := a.m.Symbols[theirs.Off]
		return (s.Name == name || s.Name == "fun@unified("+name+")") && s.Label == "" && theirs.N == 4*ours.Reg+ours.N
	}
	return ours.Reg > 0 && theirs == symexec.Byte{Kind: symexec.ConstByte} // the upper half of an address in a frame
}

// An addressByte is a byte of the address of a variable.
type addressByte struct {
	name string
	n    uint8
}

// isPlace reports whether a byte of the machine may be one of the address of a variable:
// in the frame, of a kernel's parameter, or of the memory for the result.
func (a *allocation) isPlace(b symexec.Byte) bool {
	switch b.Kind {
	case symexec.FrameByte, symexec.ConstByte, symexec.BankByte:
		return true
	case symexec.RegByte:
		own := a.p.sites.own
		return b.Reg == uint8(sass.SP) || own.sretSize() > 0 && b.Epoch == 0 && b.Reg == uint8(own.asn.Sret.Reg)
	}
	return false
}

package symexec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	class map[[2]byteValue]byteValue
	less  bool

	was    [2]*state // before; the first without what maps hold
	bytes  []met     // of the machine
	first  map[byteValue][]int
	second map[byteValue][]int
}

// A met is a byte of the machine: what it was on either way, and is afterwards.
type met struct{ first, second, now byteValue }

// meet makes a state hold what holds in both, before the instruction at an index, and
// reports whether that is less.
func (a *allocation) meet(x, y *state, to int) bool {
	f := meeting{allocation: a, to: to, class: make(map[[2]byteValue]byteValue)}
	at := sourceOf(x).at
	f.advance(sourceOf(x), sourceOf(y))
	f.less = sourceOf(x).at != at
	old := *x
	f.was = [2]*state{&old, y}
	for r := range x.regs {
		f.word(&x.regs[r], &y.regs[r], func() string { return fmt.Sprintf("R%d", r) })
	}
	for r := range x.uregs {
		f.word(&x.uregs[r], &y.uregs[r], func() string { return fmt.Sprintf("UR%d", r) })
	}
	for _, name := range keysOf(x.virt, y.virt, strings.Compare) {
		was := x.virt[name]
		v, w := was, y.virt[name]
		f.word(&v, &w, func() string { return name })
		x.virt[name] = v
		f.note(was, w, v)
	}
	for _, at := range keysOf(x.local, y.local, func(p, q localAddr) int { return cmp.Or(cmp.Compare(p.base, q.base), cmp.Compare(p.add, q.add)) }) {
		was, had := x.local[at]
		one := met{memoryByte(x, at), memoryByte(y, at), byteValue{}}
		one.now = f.byte(one.first, one.second, func() string { return fmt.Sprintf("[%d%+d]", at.base, at.add&^3) }, uint8(at.add&3))
		f.less = f.less || !had || one.now != was
		x.local[at] = one.now
		f.bytes = append(f.bytes, one)
	}
	f.source(sourceOf(x), sourceOf(y), x)
	for name, c := range x.carries {
		if have, ok := y.carries[name]; !ok || have != c {
			delete(x.carries, name)
			f.less = true
		}
	}
	if x.pushed != y.pushed && x.pushed != "" {
		x.pushed, f.less = "", true
	}
	f.less = meetBarriers(x, y) || f.less
	return f.less
}

// keysOf returns the keys of two maps in order.
func keysOf[K comparable, V any](a, b map[K]V, order func(K, K) int) []K {
	keys := slices.Collect(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, order)
	return keys
}

// advance carries out the source of both states as far as it does not depend on the
// machine, and to the same statement.
func (f *meeting) advance(x, y *source) {
	f.catchUp(x, f.limit(x.at), false)
	f.catchUp(y, f.limit(y.at), false)
	f.level(x, y)
}

// word joins two words.
func (f *meeting) word(x, y *word, name func() string) {
	if x.base == noBase && y.base == noBase && *x == *y && !f.here(x.b[0]) && !f.here(x.b[1]) && !f.here(x.b[2]) && !f.here(x.b[3]) {
		return
	}
	if x.base != noBase && *x == *y {
		return
	}
	var both word
	for i := range both.b {
		both.b[i] = f.byte(effective(*x, i), effective(*y, i), name, uint8(i))
	}
	if both != *x {
		*x, f.less = both, true
	}
}

// here reports whether a value is one of places that have met here before.
func (f *meeting) here(b byteValue) bool { return b.kind == phiByte && f.meets[b.off] == f.to }

// byte joins two bytes.
func (f *meeting) byte(x, y byteValue, name func() string, n uint8) byteValue {
	if x == y && !f.here(x) {
		return x
	}
	for _, b := range [2]byteValue{x, y} {
		if b.kind == lostByte || b.kind == madeByte || b.kind == joinByte {
			b.kind = lostByte
			return b
		}
	}
	key := [2]byteValue{x, y}
	v, ok := f.class[key]
	if !ok {
		v = f.phi(name(), n)
		f.class[key] = v
		if n == 0 {
			f.from[v.off] = key
		}
	}
	return v
}

// phi returns the value that has a name where ways meet.
func (f *meeting) phi(name string, n uint8) byteValue {
	off := int64(f.p.terms.number(fmt.Sprintf("meet %d %s", f.to, name)))
	f.meets[off] = f.to
	return byteValue{kind: phiByte, n: n, off: off}
}

// note adds the bytes of a word of the machine.
func (f *meeting) note(first, second, now word) {
	for i := range 4 {
		f.bytes = append(f.bytes, met{effective(first, i), effective(second, i), effective(now, i)})
	}
}

// index makes the bytes of the machine be found by what they were.
func (f *meeting) index(now *state) {
	if f.first != nil {
		return
	}
	for r := range now.regs {
		f.note(f.was[0].regs[r], f.was[1].regs[r], now.regs[r])
	}
	f.first, f.second = make(map[byteValue][]int), make(map[byteValue][]int)
	for i := range f.bytes {
		if b := &f.bytes[i]; b.now.known() || b.now.kind == frameByte {
			f.first[b.first] = append(f.first[b.first], i)
			f.second[b.second] = append(f.second[b.second], i)
		}
	}
}

// source joins what holds in the source; now is the machine.
func (f *meeting) source(x, y *source, now *state) {
	for _, c := range differing(x.regs, y.regs, f.hereWord, func(p, q cell) int {
		return cmp.Or(cmp.Compare(p.reg, q.reg), cmp.Compare(p.elem, q.elem), cmp.Compare(p.word, q.word))
	}) {
		v, w := x.regs[c], y.regs[c]
		if v == w && v.base != noBase {
			continue
		}
		var both word
		for i := range both.b {
			both.b[i] = f.either(effective(v, i), effective(w, i), func() string { return fmt.Sprintf("%%%d.%d.%d", c.reg, c.elem, c.word) }, uint8(i), now)
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
	for v, is := range x.facts {
		if also, ok := y.facts[v]; !ok || also != is || f.here(v) {
			delete(x.facts, v)
			f.less = true
		}
	}
}

func (f *meeting) hereWord(w word) bool {
	return f.here(w.b[0]) || f.here(w.b[1]) || f.here(w.b[2]) || f.here(w.b[3])
}

// differing returns the keys, in order, of what is not the same in two maps, and of what is
// to be looked at anyway.
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
func (f *meeting) either(x, y byteValue, name func() string, n uint8, now *state) byteValue {
	loose := func(b byteValue) bool {
		return b.kind == nothing || b.kind == phiByte && f.accepts[b.off] != nil || b.kind == termByte && f.address[b.off] != ""
	}
	switch {
	case x == y && !f.here(x), x.kind == nothing && y.kind == nothing:
		return x
	case !loose(x) && !loose(y), x.kind == lostByte, y.kind == lostByte:
		return f.byte(x, y, name, n)
	}
	f.index(now)
	accepted := make(map[byteValue]bool)
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
	f.accepts[v.off] = accepted
	return v
}

// stands reports whether a byte of the machine may stand for one of the source.
func (a *allocation) stands(theirs, ours byteValue) bool {
	switch {
	case ours.kind == nothing, theirs == ours:
		return true
	case ours.kind == phiByte:
		return a.accepts[ours.off][theirs]
	case ours.kind != termByte:
		return false
	}
	name := a.address[ours.off]
	switch {
	case name == "":
		return false
	case ours.reg == 0 && a.isPlace(theirs):
		at, ok := a.bound[addressByte{name, ours.n}]
		return !ok || at == theirs
	case theirs.kind == labelByte:
		s := a.m.symbols[theirs.off]
		return (s.name == name || s.name == "fun@unified("+name+")") && s.label == "" && theirs.n == 4*ours.reg+ours.n
	}
	return ours.reg > 0 && theirs == byteValue{kind: constByte} // the upper half of an address in a frame
}

// An addressByte is a byte of the address of a variable.
type addressByte struct {
	name string
	n    uint8
}

// isPlace reports whether a byte of the machine may be one of the address of a variable:
// in the frame, of a kernel's parameter, or of the memory for the result.
func (a *allocation) isPlace(b byteValue) bool {
	switch b.kind {
	case frameByte, constByte, bankByte:
		return true
	case regByte:
		own := a.p.sites.own
		return b.reg == uint8(sass.SP) || own.hidden() > 0 && b.epoch == 0 && b.reg == uint8(own.asn.Sret.Reg)
	}
	return false
}

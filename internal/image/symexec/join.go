package symexec

// Bounds of one function, in registers and bytes of states: those that are joined and that calls leave, and those that are
// kept at labels and calls. No module of testdata takes half of them.
const (
	mostJoined = 1 << 21
	mostKept   = 1 << 19
)

// sizeOf returns how many registers and bytes a state holds.
func sizeOf(s *state) int {
	n := len(s.regs) + len(s.local) + len(s.virt)
	if src, ok := s.beside.(*source); ok {
		n += len(src.regs) + len(src.vars)
	}
	return n
}

// joins counts registers and bytes that are joined, and reports whether they are not too many.
func (p *path) joins(n int) bool {
	if p.joined += n; p.joined > mostJoined {
		p.fail("its loops and calls are more than are followed")
	}
	return p.failed == ""
}

// keep counts a state that is kept, and reports whether they are not too many.
func (p *path) keep(s *state) bool {
	if p.kept += sizeOf(s); p.kept > mostKept {
		p.fail("it has more labels and calls than are followed")
	}
	return p.failed == ""
}

// join adds what holds on one way to an instruction.
func (p *path) join(to int, s *state) {
	if p.alloc != nil && !p.final && !p.alloc.arrive(to, s) {
		return
	}
	if p.final {
		j := jump{start: p.start, index: p.index, to: to}
		if p.index < len(p.l.instrs) {
			pred, _ := guardOf(&p.l.instrs[p.index])
			j.pred = s.virt[pred].b[0]
		}
		p.jumps = append(p.jumps, j)
	}
	if !p.joins(sizeOf(s)) {
		return
	}
	have := p.in[to]
	if have == nil {
		p.in[to], p.again[to] = s, true
		p.keep(s)
		return
	}
	if !p.final && p.meet(have, s, to) {
		p.again[to] = true
	}
}

// meet makes a state hold what holds in both, before the instruction at an index, and
// reports whether that is less.
func (p *path) meet(a, b *state, to int) bool {
	if p.alloc != nil {
		return p.alloc.meet(a, b, to)
	}
	less := false
	words := func(a, b *word, id byteValue) {
		if *a == *b {
			return
		}
		var both word
		for i := range both.b {
			both.b[i] = a.b[i]
			if a.b[i] != b.b[i] || a.base != b.base || a.add != b.add {
				both.b[i] = id
				both.b[i].n = uint8(i)
				if a.b[i].kind == lostByte || b.b[i].kind == lostByte {
					both.b[i].kind = lostByte
				}
			}
		}
		if both != *a {
			*a, less = both, true
		}
	}
	for r := range a.regs {
		words(&a.regs[r], &b.regs[r], byteValue{kind: joinByte, reg: uint8(r), off: int64(to)})
		words(&a.uregs[r], &b.uregs[r], byteValue{kind: joinByte, reg: uint8(r), base: -1, off: int64(to)})
	}
	for _, from := range []map[string]word{a.virt, b.virt} {
		for name := range from {
			x, y := a.virt[name], b.virt[name]
			was := x
			words(&x, &y, byteValue{kind: joinByte, base: -2 - p.virtualNumber(name), off: int64(to)})
			if _, ok := a.virt[name]; !ok || x != was {
				a.virt[name], less = x, true
			}
		}
	}
	bytes := func(at localAddr) {
		was, x, y := a.local[at], memoryByte(a, at), memoryByte(b, at)
		if x != y {
			x = byteValue{kind: joinByte, base: at.base, off: at.add<<20 + int64(to)}
		}
		if _, ok := a.local[at]; !ok || x != was {
			a.local[at], less = x, true
		}
	}
	for at := range a.local {
		bytes(at)
	}
	for at := range b.local {
		if _, ok := a.local[at]; !ok {
			bytes(at)
		}
	}
	for name, c := range a.carries {
		if have, ok := b.carries[name]; !ok || have != c {
			delete(a.carries, name)
			less = true
		}
	}
	if a.pushed != b.pushed && a.pushed != "" {
		a.pushed, less = "", true
	}
	return meetBarriers(a, b) || less
}

// meetBarriers is meet for barriers.
func meetBarriers(a, b *state) (less bool) {
	for name, label := range a.barriers {
		if b.barriers[name] != label {
			delete(a.barriers, name)
			less = true
		}
	}
	return less
}

// memoryByte returns the byte of local memory at an address.
func memoryByte(s *state, at localAddr) byteValue {
	if b, ok := s.local[at]; ok {
		return b
	}
	return byteValue{kind: localByte, base: at.base, off: at.add}
}

func (p *path) virtualNumber(name string) int16 {
	n, ok := p.virtual[name]
	if !ok {
		n = int16(len(p.virtual))
		p.virtual[name] = n
	}
	return n
}


package follow

import (
	"maps"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
)

// Bounds of one function, in registers and bytes of states: those that are joined and that calls leave, and those that are
// kept at labels and calls. No module of testdata takes half of them.
const (
	mostJoined = 1 << 21
	mostKept   = 1 << 19
)

// sizeOf returns how many registers and bytes a state holds.
func sizeOf(s *symexec.State) int {
	n := len(s.Regs) + len(s.Local) + len(s.Virt)
	if src, ok := s.Beside.(*source); ok {
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
func (p *path) keep(s *symexec.State) bool {
	if p.kept += sizeOf(s); p.kept > mostKept {
		p.fail("it has more labels and calls than are followed")
	}
	return p.failed == ""
}

// join adds what holds on one way to an instruction.
func (p *path) join(to int, s *symexec.State) {
	if p.alloc != nil && !p.final && !p.alloc.arrive(to, s) {
		return
	}
	if p.final {
		j := jump{start: p.start, index: p.index, to: to}
		if p.index < len(p.l.Instrs) {
			pred, _ := guardOf(&p.l.Instrs[p.index])
			j.pred = s.Virt[pred].B[0]
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
func (p *path) meet(a, b *symexec.State, to int) bool {
	if p.alloc != nil {
		return p.alloc.meet(a, b, to)
	}
	less := false
	met := p.both(a, b, func(a, b *symexec.Word, id symexec.Byte, _ string) {
		if *a == *b {
			return
		}
		var both symexec.Word
		for i := range both.B {
			both.B[i] = a.B[i]
			if a.B[i] != b.B[i] || a.Base != b.Base || a.Add != b.Add {
				both.B[i] = symexec.Byte{Kind: symexec.JoinByte, Reg: id.Reg, Base: id.Base, Off: int64(to), N: uint8(i)}
				if a.B[i].Kind == symexec.LostByte || b.B[i].Kind == symexec.LostByte {
					both.B[i].Kind = symexec.LostByte
				}
			}
		}
		if both != *a {
			*a, less = both, true
		}
	}, func(x, y symexec.Byte, at symexec.Addr) symexec.Byte {
		if x != y {
			x = symexec.Byte{Kind: symexec.JoinByte, Base: at.Base, Off: at.Add<<20 + int64(to)}
		}
		return x
	})
	return met || less
}

// both visits what is in two states place by place, with what names each place: the number of a register, the base -1 of a uniform
// one, and a lower base and the name of a virtual one. What is made of both is in the first state then. It reports whether there is
// more in it, or other bytes of memory.
func (p *path) both(a, b *symexec.State, word func(x, y *symexec.Word, id symexec.Byte, name string), memory func(x, y symexec.Byte, at symexec.Addr) symexec.Byte) (less bool) {
	for r := range a.Regs {
		word(&a.Regs[r], &b.Regs[r], symexec.Byte{Reg: uint8(r)}, "")
	}
	for r := range a.URegs {
		word(&a.URegs[r], &b.URegs[r], symexec.Byte{Reg: uint8(r), Base: -1}, "")
	}
	for _, name := range keysOf(a.Virt, b.Virt, strings.Compare) {
		x, had := a.Virt[name]
		y := b.Virt[name]
		word(&x, &y, symexec.Byte{Base: -2 - p.virtualNumber(name)}, name)
		a.Virt[name], less = x, less || !had
	}
	for _, at := range keysOf(a.Local, b.Local, byAddress) {
		was, had := a.Local[at]
		now := memory(memoryByte(a, at), memoryByte(b, at), at)
		a.Local[at], less = now, less || !had || now != was
	}
	return meetFlow(a, b) || less
}

// meetFlow is meet for carries and for where control goes on.
func meetFlow(a, b *symexec.State) (less bool) {
	less = keepCommon(a.Carries, b.Carries)
	if a.Pushed != b.Pushed && a.Pushed != "" {
		a.Pushed, less = "", true
	}
	return keepCommon(a.Barriers, b.Barriers) || less
}

// keepCommon leaves in a map what another one has too, and reports whether that is less.
func keepCommon[K, V comparable](a, b map[K]V) bool {
	n := len(a)
	maps.DeleteFunc(a, func(k K, v V) bool { have, ok := b[k]; return !ok || have != v })
	return len(a) < n
}

// memoryByte returns the byte of local memory at an address.
func memoryByte(s *symexec.State, at symexec.Addr) symexec.Byte {
	if b, ok := s.Local[at]; ok {
		return b
	}
	return symexec.Byte{Kind: symexec.LocalByte, Base: at.Base, Off: at.Add}
}

func (p *path) virtualNumber(name string) int16 {
	n, ok := p.virtual[name]
	if !ok {
		n = int16(len(p.virtual))
		p.virtual[name] = n
	}
	return n
}

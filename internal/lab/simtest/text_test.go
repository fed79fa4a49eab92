package simtest

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/sim"
)

// A simLog hands out injected values and takes observed ones.
type simLog struct {
	pointer  int // size of an address in a register, in bytes
	injected uint32
	seed     uint32
	seen     map[string]uint32 // how often each place was loaded
	observe  func(addr int64, bytes []sim.Byte) error
}

// mix makes bits that look random out of two numbers.
func mix(a, b uint32) uint32 {
	v := a*0x9e3779b1 ^ (b+0x7f4a7c15)*0x85ebca6b
	v ^= v >> 15
	v *= 0x2c1b3c6d
	v ^= v >> 12
	v *= 0x297a2d39
	return v ^ v>>15
}

// place is a number for the next load of an offset of an array: what it finds does not depend on the
// loads of other places, whose order assemblers change.
func (l *simLog) place(array string, off int64) uint32 {
	if l.seen == nil {
		l.seen = make(map[string]uint32)
	}
	key := fmt.Sprint(array, off)
	l.seen[key]++
	l.injected++
	return l.seed ^ uint32(off)<<8 ^ l.seen[key]
}

// inject returns n bytes that came from nowhere else.
func (l *simLog) inject(array string, off int64, n int) []sim.Byte {
	from := l.place(array, off)
	out := make([]sim.Byte, n)
	for i := range out {
		out[i] = sim.Byte{Val: uint8(mix(from, uint32(i))), From: sim.Origin{Kind: sim.Input, Byte: uint8(i), ID: l.injected}}
	}
	return out
}

func address(v uint32, n int) []sim.Byte {
	out := sim.Bytes(uint64(v), n)
	for i := range min(n, 4) {
		out[i].From.Kind = sim.Address
	}
	return out
}

// regSize returns the size of a register by the class in its name, %rb of 8 bits, %rs 16, %r 32, %rd 64, %rq 128; 0 for a predicate, of an
// element for a vector.
func regSize(name string) int {
	s := strings.TrimPrefix(name, "%")
	if strings.HasPrefix(s, "v") && len(s) > 2 {
		s = s[2:]
	}
	switch {
	case strings.HasPrefix(s, "rb"):
		return 1
	case strings.HasPrefix(s, "rs"):
		return 2
	case strings.HasPrefix(s, "rd"):
		return 8
	case strings.HasPrefix(s, "rq"):
		return 16
	case strings.HasPrefix(s, "r"):
		return 4
	}
	return 0
}

// vecElems returns the registers of a vector register that is named whole.
func vecElems(name string) []string {
	if !strings.HasPrefix(name, "%v") || strings.Contains(name, ".") {
		return nil
	}
	out := make([]string, name[2]-'0')
	for i := range out {
		out[i] = name + "." + "xyzw"[i:i+1]
	}
	return out
}

// A stack is local memory.
type stack interface {
	Load(addr uint32, n int) ([]sim.Byte, error)
	Store(addr uint32, bytes []sim.Byte) error
}

// newText executes the instructions that pass through lowering unchanged: once in the PTX itself and once in
// what it was lowered to. They access the volatile arrays in, cond and out, and local memory through a register.
func newText(r sim.Registers, local stack, symbol func(string) ([]sim.Byte, error), log *simLog) *sim.Text {
	x := &sim.Text{Registers: r, Symbol: symbol}
	address := func(base string, off int64) (uint32, error) {
		v, ok := sim.Uint(x.Get(base, log.pointer))
		if !ok || v>>32 != 0 {
			return 0, fmt.Errorf("the address in %s is %#x, defined: %t", base, v, ok)
		}
		return uint32(v) + uint32(off), nil
	}
	x.Load = func(space, base string, off int64, size int) ([]sim.Byte, error) {
		switch {
		case space == "local":
			addr, err := address(base, off)
			if err != nil {
				return nil, err
			}
			return local.Load(addr, size)
		case base == "cond":
			return sim.Bytes(uint64(mix(log.place("cond", off), 77)&1), size), nil
		}
		return log.inject(base, off, size), nil
	}
	x.Store = func(space, base string, off int64, bytes []sim.Byte) error {
		if space != "local" {
			return log.observe(off, bytes)
		}
		addr, err := address(base, off)
		if err != nil {
			return err
		}
		return local.Store(addr, bytes)
	}
	return x
}

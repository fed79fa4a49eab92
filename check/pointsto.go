package check

import (
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// An address says which parameter a register points to.
type address struct {
	name string
	sym  *resolved.Symbol
}

// A pointsTo says which registers hold the address of a parameter. The zero pointsTo says
// that of none.
type pointsTo struct {
	of   map[string]address
	bits uint64 // one for each of the registers, by registerBit; all are set for other names
}

// registerBit tells registers apart by their last two bytes.
func registerBit(name string) uint64 {
	n := len(name)
	return 1 << ((name[n-1] + 10*name[n-2]) & 63)
}

func (t *pointsTo) set(reg string, a address) {
	if t.of == nil {
		t.of = make(map[string]address)
	}
	t.of[reg] = a
	if len(reg) > 1 && reg[0] == '%' && nameEnd(reg, 1) == len(reg) {
		t.bits |= registerBit(reg)
	} else {
		t.bits = ^uint64(0)
	}
}

// mentioned reports whether operands may name one of the registers. Where addresses of
// parameters are about, three of four instructions name none, and to know it from a
// look at their text takes a tenth of what taking it apart does.
func (t *pointsTo) mentioned(args string) bool {
	if t.bits == 0 || t.bits == ^uint64(0) {
		return t.bits != 0
	}
	for i := 0; i < len(args); i++ {
		if args[i] != '%' {
			continue
		}
		end := nameEnd(args, i+1)
		if end > i+1 && t.bits&registerBit(args[i:end]) != 0 {
			return true
		}
		i = end - 1
	}
	return false
}

// clearPointsTo removes the destination of an instruction, which is written anew.
func (b *body) clearPointsTo(in *ptx.Instr) {
	t := &b.pointsTo
	if t.bits == 0 {
		return
	}
	if args := in.Args; args != "" && args[0] == '%' && t.bits != ^uint64(0) {
		if end := nameEnd(args, 1); end == 1 || t.bits&registerBit(args[:end]) == 0 {
			return
		}
	}
	for name := range identifiers(in.Args) {
		if delete(t.of, name); len(t.of) == 0 { // the first one is the destination
			t.bits = 0
		}
		return
	}
}

// move carries what a register points to through mov, add and sub.
func (b *body) move(in *ptx.Instr, ops []string) {
	t := &b.pointsTo
	if t.bits == 0 {
		return
	}
	if in.Guard == nil && len(ops) > 1 {
		if a, ok := t.of[ops[1]]; ok {
			t.set(ops[0], a)
			return
		}
	}
	b.clearPointsTo(in)
}

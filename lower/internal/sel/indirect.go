package sel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// target returns the register that a call goes through, none if it names its
// callee. Where that register is one that the arguments go to, or has but half
// of an address, loads that make another are appended to regs.
func (fn *Selector) target(c *ptx.Call, s *place.Site, regs *[]load) (lir.Arg, bool) {
	if !s.Reg {
		return lir.Arg{}, true
	}
	r, ok := fn.register(&c.Callee, fn.CalleeRef())
	if !ok {
		return lir.Arg{}, false
	}
	if r.size < 4 || r.pred || r.elems > 0 {
		fn.LetThrough(c.Callee.Pos)
		return lir.Arg{}, false
	}
	n := fn.T.Spelling.IndirectWords
	narrow := r.words() < n // an address of 32 bits, to be extended with zeros
	switch {
	case r.homed || narrow:
	case n == 1:
		return lir.Of(fn.part(&r, 0)), true
	default:
		return lir.Of(r.whole()), true
	}
	taken := place.RetAddr(s.Regs)
	for i := range *regs {
		taken = taken.Union(abi.Regs((*regs)[i].dst.Num()))
	}
	inTheWay := func(first sass.Reg) bool {
		return taken.Intersect(abi.RegRange(first, first+sass.Reg(n)-1)) != abi.RegSet{}
	}
	if !narrow && !inTheWay(r.home) {
		return lir.R(r.home), true
	}
	free := s.Regs.CallerSaved.Minus(place.Reserved(fn.T)).Minus(taken).Minus(fn.Spill.Temps)
	for to := range free.All() {
		if int(to)%n != 0 || abi.RegRange(to, to+sass.Reg(n)-1).Minus(free) != (abi.RegSet{}) {
			continue
		}
		for k := range n {
			l := load{dst: lir.Phys(to + sass.Reg(k)), more: &loadMore{note: lir.Say("callee")}}
			for b := range 4 {
				if k < r.words() {
					l.w.take(b, fn.part(&r, k), b)
				} else {
					l.w.set(b, 0)
				}
			}
			*regs = append(*regs, l)
		}
		return lir.R(to), true
	}
	switch {
	case !r.homed: // a register that the call preserves holds it as well
		all := fn.AsOne(lir.Bytes(c.Callee.Text, 0, 4*n), n)
		fn.move("", all.Word(0, n), fn.part(&r, 0), lir.Say("callee"))
		fn.move("", all.Word(1, n), lir.Phys(sass.RZ), lir.Note{})
		return lir.Of(all), true
	case narrow:
		fn.BadHome(c.Callee.Pos, "%s holds half of an address, which takes two registers, and no caller-saved register is free: pass fewer words in registers",
			c.Callee.Text)
	default:
		fn.BadHome(c.Callee.Pos, "%s lives in %s, which the call needs for an argument, and no caller-saved register is free: give it a callee-saved home",
			c.Callee.Text, sass.R(r.home))
	}
	return lir.Arg{}, false
}

package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// ret lowers a return: the result to its place, the frame given back, the
// return itself.
func (fn *fn) ret(guard string) {
	if fn.f.Entry {
		fn.emit(guard, fn.t.Spelling.Exit, lir.Note{})
		return
	}
	var contract *sass.Contract
	if len(fn.f.Results) == 1 {
		contract = fn.returnValue(guard)
	} else if !fn.textOnly {
		contract = &sass.Contract{}
	}
	fn.epilogue(guard)
	if fn.conv.HasRetAddr() {
		fn.emit(guard, fn.t.Spelling.Ret, lir.Note{}, lir.R(fn.conv.RetAddr), lir.I(0))
	} else {
		fn.emit(guard, fn.t.Spelling.Ret, lir.Note{})
	}
	if !fn.textOnly {
		fn.code.Agree(contract)
	}
}

// returnValue moves the result to the registers that return it, and returns what
// the return hands over.
func (fn *fn) returnValue(guard string) *sass.Contract {
	p, at := &fn.f.Results[0], fn.asn.Results[0]
	if at.Loc.Kind != abi.InReg {
		return &sass.Contract{}
	}
	signed, promoted := promotedKind(p)
	list := fn.regs[:0]
	if p.Space == ptx.RegSpace {
		r, ok := fn.register(fn.named(p.Name, p.Pos))
		if !ok {
			return &sass.Contract{}
		}
		if r.pred {
			fn.emit(guard, "SEL", lir.Bytes(p.Name, 0, 1), lir.R(at.Loc.Reg), lir.Of(lir.Zero), lir.I(1), lir.P(r.name).Negated())
			return &sass.Contract{Needs: inRegisters(at)}
		}
		for k := range r.words() {
			n := min(4, r.size-4*k)
			var w word
			for b := range n {
				fn.read(&r, &w, b, 4*k+b)
			}
			if promoted {
				w.extend(n, signed)
			}
			list = append(list, load{dst: lir.Phys(at.Loc.Reg + sass.Reg(k)), w: w, s: lir.Bytes(p.Name, 4*k, 4*k+n)})
		}
		contract := fn.handsOver(list)
		fn.parallel(list, guard)
		fn.regs = list[:0]
		return contract
	}
	v := fn.result
	if v == nil {
		return &sass.Contract{}
	}
	for k := 0; 4*k < v.size; k++ {
		n := min(4, v.size-4*k)
		l := load{dst: lir.Phys(at.Loc.Reg + sass.Reg(k)), s: lir.Bytes(v.source, 4*k, 4*k+n)}
		if v.place == inFrame {
			size := 4
			if promoted {
				size = n
			}
			fn.fromMemory(&l, fn.memory(v, 4*k), size, signed)
			list = append(list, l)
			continue
		}
		if w := fn.state(v).wholes.at(k); v.place == forwarded && w != nil {
			fn.wholeLoad(&l, w)
			list = append(list, l)
			continue
		}
		w := &l.w
		if p := fn.state(v).pending.at(k); v.place == forwarded && p != nil {
			*w = *p
		} else if v.place == scalarized {
			for b := range n {
				w.take(b, fn.wordOf(v, k), b)
			}
		}
		if promoted {
			w.extend(n, signed)
		}
		fn.withConstants(w)
		if w.defined() {
			list = append(list, l)
		}
	}
	contract := fn.handsOver(list)
	fn.parallel(list, guard)
	fn.regs = list[:0]
	return contract
}

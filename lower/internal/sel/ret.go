package sel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// ret lowers a return: the result to its place, the frame given back, the
// return itself.
func (fn *Selector) ret(guard string) {
	if fn.F.Entry {
		fn.emit(guard, fn.T.Spelling.Exit, lir.Note{})
		return
	}
	var contract *sass.Contract
	if len(fn.F.Results) == 1 {
		contract = fn.returnValue(guard)
	} else if !fn.TextOnly {
		contract = &sass.Contract{}
	}
	fn.epilogue(guard)
	if fn.Conv.HasRetAddr() {
		fn.emit(guard, fn.T.Spelling.Ret, lir.Note{}, lir.R(fn.Conv.RetAddr), lir.I(0))
	} else {
		fn.emit(guard, fn.T.Spelling.Ret, lir.Note{})
	}
	if !fn.TextOnly {
		fn.Code.Agree(contract)
	}
}

// returnValue moves the result to the registers that return it, and returns what
// the return hands over.
func (fn *Selector) returnValue(guard string) *sass.Contract {
	p, at := &fn.F.Results[0], fn.Asn.Results[0]
	if at.Loc.Kind != abi.InReg {
		return &sass.Contract{}
	}
	signed, promoted := place.PromotedKind(p)
	list := fn.regs[:0]
	if p.Space == ptx.RegSpace {
		r, ok := fn.register(fn.named(p.Name, p.Pos))
		if !ok {
			return &sass.Contract{}
		}
		if r.pred {
			fn.emit(guard, "SEL", lir.Bytes(p.Name, 0, 1), lir.R(at.Loc.Reg), lir.Of(lir.Zero), lir.I(1), lir.P(r.name).Negated())
			return &sass.Contract{Needs: place.InRegisters(at)}
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
	v := fn.Result
	if v == nil {
		return &sass.Contract{}
	}
	for k := 0; 4*k < v.Size; k++ {
		n := min(4, v.Size-4*k)
		l := load{dst: lir.Phys(at.Loc.Reg + sass.Reg(k)), s: lir.Bytes(v.Source, 4*k, 4*k+n)}
		if v.Place == place.InFrame {
			size := 4
			if promoted {
				size = n
			}
			fn.fromMemory(&l, fn.memory(v, 4*k), size, signed)
			list = append(list, l)
			continue
		}
		if w := fn.state(v).wholes.at(k); v.Place == place.Forwarded && w != nil {
			fn.wholeLoad(&l, w)
			list = append(list, l)
			continue
		}
		w := &l.w
		if p := fn.state(v).pending.at(k); v.Place == place.Forwarded && p != nil {
			*w = *p
		} else if v.Place == place.Scalarized {
			for b := range n {
				w.take(b, fn.wordOf(v, k), b)
			}
		}
		if promoted {
			w.extend(n, signed)
		}
		if w.defined() {
			list = append(list, l)
		}
	}
	contract := fn.handsOver(list)
	fn.parallel(list, guard)
	fn.regs = list[:0]
	return contract
}

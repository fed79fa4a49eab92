package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// describe emits comments that say where each formal is.
func (fn *fn) describe() {
	for i := range fn.params {
		fn.comment("param  " + fn.params[i].Name + ": " + placeText(fn.asn.Params[i]))
	}
	for i := range fn.f.Results {
		fn.comment("result " + fn.f.Results[i].Name + ": " + placeText(fn.asn.Results[i]))
	}
}

func placeText(p abi.Placement) string {
	loc := p.Loc
	switch loc.Kind {
	case abi.InReg:
		text := "R" + strconv.Itoa(int(loc.Reg))
		if n := (p.Size + 3) / 4; n > 1 {
			text += ":R" + strconv.Itoa(int(loc.Reg)+n-1)
		}
		return text + sizeText(p)
	case abi.OnStack:
		return "stack " + sass.M(sass.SP, int64(loc.Off)).String() + " at entry" + sizeText(p)
	case abi.InConst:
		return sass.C(loc.Bank, int64(loc.Off)).String() + sizeText(p)
	case abi.Indirect:
		return "memory at the address in R" + strconv.Itoa(int(loc.Reg)) + sizeText(p)
	}
	return "nowhere"
}

func sizeText(p abi.Placement) string {
	return ", size " + strconv.Itoa(p.Size) + " align " + strconv.Itoa(p.Align)
}

// entry emits what happens to formals before the body begins.
func (fn *fn) entry() {
	for i := range fn.params {
		p := &fn.params[i]
		if p.Space == ptx.RegSpace {
			fn.enterReg(i)
		}
	}
	for _, v := range fn.vars {
		if v.sym.Role == sig.Param && v.loc.Kind == abi.InReg {
			fn.enterParam(v)
		}
	}
	if h := fn.asn.Hidden; h.Kind == abi.InReg {
		for _, v := range fn.vars {
			if v.place == hidden && !fn.early(v) {
				fn.emit("", "MOV", "address of "+v.source, fn.hiddenAddr(v), sass.R(h.Reg))
			}
		}
	}
}

// enterReg moves a formal in .reg space to its register.
func (fn *fn) enterReg(i int) {
	p := &fn.params[i]
	loc := fn.asn.Params[i].Loc
	size := fn.asn.Params[i].Size
	r, ok := fn.register(&ptx.Operand{Kind: ptx.KindName, Text: p.Name, Pos: p.Pos})
	if !ok {
		return
	}
	if r.pred {
		src := sass.R(loc.Reg)
		if loc.Kind == abi.OnStack {
			src = fn.scratch()
			fn.emit("", fn.t.Spelling.LoadLocal.B32, "", src, fn.incomingAt(loc.Off))
		}
		fn.emit("", "ISETP.NE.AND", note(p.Name, 0, 1), sass.P(r.name), sass.P("PT"), src, sass.R(sass.RZ), sass.P("PT"))
		return
	}
	for k := range r.words() {
		first, end := 4*k, min(4*k+4, size)
		w := word{}
		for b := range end - first {
			w.take(b, fn.formalWord(loc, k), b)
		}
		if loc.Kind == abi.OnStack {
			dst := fn.scratch()
			if !r.split() {
				dst = r.word(k)
			}
			fn.emit("", fn.t.Spelling.LoadLocal.B32, note(p.Name, first, end), dst, fn.incomingAt(loc.Off+first))
			if !r.split() {
				continue
			}
			w = word{}
			for b := range end - first {
				w.take(b, dst, b)
			}
		}
		fn.toRegister(r, k, &w, "", span{p.Name, first, end})
	}
}

// formalWord is word k of a value in registers.
func (fn *fn) formalWord(loc abi.Loc, k int) sass.Operand {
	return sass.R(loc.Reg + sass.Reg(k))
}

// enterParam copies a formal that came in registers to where it lives.
func (fn *fn) enterParam(v *pvar) {
	if v.place != inWords && v.place != inFrame {
		return
	}
	for k := 0; 4*k < v.size; k++ {
		n := note(v.source, 4*k, min(4*k+4, v.size))
		if v.place == inWords {
			fn.emit("", "MOV", n, sass.V(wordName(v.name, k), sass.Whole), fn.formalWord(v.loc, k))
		} else {
			fn.emit("", fn.t.Spelling.StoreLocal.B32, n, sass.M(fn.base(), int64(v.frame+4*k)), fn.formalWord(v.loc, k))
		}
	}
}

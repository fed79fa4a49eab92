package sel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// describe emits comments that say where each formal is.
func (fn *Selector) describe() {
	if fn.Conv != &fn.T.Regs {
		fn.comment(".abi_preserve: keeps " + fn.Conv.CalleeSaved.String() + "; return address in " + abi.RegRange(fn.Conv.RetAddr, fn.Conv.RetAddr+1).String())
	}
	for i := range fn.Params {
		fn.describeOne("param  ", &fn.Params[i], fn.Asn.Params[i])
	}
	for i := range fn.F.Results {
		fn.describeOne("result ", &fn.F.Results[i], fn.Asn.Results[i])
	}
}

func (fn *Selector) describeOne(what string, f *ptx.Formal, p abi.Placement) {
	b := append(append(fn.line[:0], what...), f.Name...)
	fn.line = place.AppendPlace(append(b, ": "...), p)
	fn.commentLine().Note = lir.Does(sass.Describes, f.Name, 0)
}

// entry emits what happens to formals before the body begins. Moves to homes
// wait for the loads that the body begins with.
func (fn *Selector) entry() {
	for _, v := range fn.Vars {
		if v.Sym.Role == resolved.Param && v.Loc.Kind == abi.InReg {
			fn.enterParam(v)
		}
	}
	if from := lir.Phys(fn.Asn.Sret.Reg); fn.SretAddr != 0 && fn.SretAddr != from {
		fn.move("", fn.SretAddr, from, lir.Say("address of "+fn.Result.Source))
	}
	fn.gathers = true
	for i := range fn.Params {
		if fn.Params[i].Space == ptx.RegSpace {
			fn.enterReg(i)
		}
	}
	fn.gathers = false
	if fn.AllVirtual {
		fn.flush("")
	}
}

// enterReg moves a formal in .reg space to its register.
func (fn *Selector) enterReg(i int) {
	p := &fn.Params[i]
	loc := fn.Asn.Params[i].Loc
	size := fn.Asn.Params[i].Size
	r, ok := fn.register(fn.named(p.Name, p.Pos))
	if !ok {
		return
	}
	if r.pred {
		src := lir.Phys(loc.Reg)
		if loc.Kind == abi.OnStack {
			src = fn.scratch()
			m := fn.incoming(loc.Off)
			fn.loadWord("", fn.T.Spelling.LoadLocal.B32, src, &m, lir.Note{})
		}
		fn.emit("", "ISETP.NE.AND", lir.Bytes(p.Name, 0, 1), lir.P(r.name), lir.P("PT"), lir.Of(src), lir.Of(lir.Zero), lir.P("PT"))
		return
	}
	if loc.Kind == abi.OnStack {
		fn.enterStack(p, loc.Off, size, r)
		return
	}
	for k := range r.words() {
		w := word{}
		for b := range min(4, size-4*k) {
			w.take(b, fn.formalWord(loc, k), b)
		}
		fn.toRegister(&r, k, &w, lir.Bytes(p.Name, 4*k, min(4*k+4, size)))
	}
}

// enterStack loads a formal in .reg space that came on the stack.
func (fn *Selector) enterStack(p *ptx.Formal, off, size int, r register) {
	m := fn.incoming(off)
	if r.split() {
		for i := 0; i < size; i += r.elem {
			fn.fromMemory(fn.wait(), m.at(i), r.elem, false)
			fn.takenTo(fn.one(&r, i/r.elem), lir.Bytes(p.Name, i, i+r.elem))
		}
		return
	}
	for k := range r.words() {
		fn.fromMemory(fn.wait(), m.at(4*k), 4, false)
		fn.takenTo(fn.part(&r, k), lir.Bytes(p.Name, 4*k, min(4*k+4, size)))
	}
}

// formalWord is word k of a value in registers.
func (fn *Selector) formalWord(loc abi.Loc, k int) lir.Reg {
	return lir.Phys(loc.Reg + sass.Reg(k))
}

// enterParam copies a formal that came in registers to where it lives.
func (fn *Selector) enterParam(v *place.Var) {
	switch v.Place {
	case place.LiveIn:
		fn.holdWords(v, v.Loc)
	case place.Scalarized:
		fn.moveWords(v, v.Loc)
	case place.InFrame:
		fn.storeWords(v, v.Loc)
	}
}

// moveWords moves a value that is in registers to the registers that keep it.
func (fn *Selector) moveWords(v *place.Var, loc abi.Loc) {
	for _, k := range fn.wordsRead(v) {
		fn.move("", fn.wordOf(v, k), fn.formalWord(loc, k), lir.Bytes(v.Source, 4*k, min(4*k+4, v.Size)))
	}
}

// wordsRead returns the numbers of the words of v that may be read, in order.
func (fn *Selector) wordsRead(v *place.Var) []int {
	all, n := v.Addressed.N+v.AsArg.N > 0, (v.Size+3)/4
	var read place.WordSet
	for _, r := range fn.Refs(v.Loads) {
		a := fn.F.Body[r.Stmt].(*ptx.Access)
		off, size := fn.Offset(a, v.Sym), int64(a.Type.Size())
		for i := range max(a.Vec, 1) {
			if first := off + int64(i)*size; a.Whole || a.Regs[i].Kind != ptx.KindSink {
				for k := max(first, 0) / 4; 4*k < min(first+size, int64(v.Size)); k++ {
					read.Add(int(k))
				}
			}
		}
	}
	list := fn.nums[:0]
	if !all {
		list = read.AppendBelow(list, n)
	}
	for k := 0; all && k < n; k++ {
		list = append(list, k)
	}
	fn.nums = list
	return list
}

// storeWords stores a value that is in registers to its place in the frame.
func (fn *Selector) storeWords(v *place.Var, loc abi.Loc) {
	list := fn.cells[:0]
	for _, k := range fn.wordsRead(v) {
		c := cell{off: 4 * k, size: 4, load: load{s: lir.Bytes(v.Source, 4*k, min(4*k+4, v.Size))}}
		for b := range 4 {
			c.w.take(b, fn.formalWord(loc, k), b)
		}
		list = append(list, c)
	}
	fn.storeCells(fn.memory(v, 0), list, v.Size, false, "", spare{})
	fn.cells = list[:0]
}

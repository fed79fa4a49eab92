package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// describe emits comments that say where each formal is.
func (fn *fn) describe() {
	if fn.conv != &fn.t.Regs {
		fn.comment(".abi_preserve: keeps " + fn.conv.CalleeSaved.String() + "; return address in " + abi.RegRange(fn.conv.RetAddr, fn.conv.RetAddr+1).String())
	}
	for i := range fn.params {
		fn.describeOne("param  ", &fn.params[i], fn.asn.Params[i])
	}
	for i := range fn.f.Results {
		fn.describeOne("result ", &fn.f.Results[i], fn.asn.Results[i])
	}
}

func (fn *fn) describeOne(what string, f *ptx.Formal, p abi.Placement) {
	b := append(append(fn.line[:0], what...), f.Name...)
	fn.line = appendPlace(append(b, ": "...), p)
	fn.commentLine()
}

// appendPlace appends where a value is.
func appendPlace(dst []byte, p abi.Placement) []byte {
	loc := p.Loc
	reg := sass.R(loc.Reg)
	switch loc.Kind {
	case abi.InReg:
		dst = reg.AppendText(dst)
		if n := (p.Size + 3) / 4; n > 1 {
			last := sass.R(loc.Reg + sass.Reg(n-1))
			dst = last.AppendText(append(dst, ':'))
		}
	case abi.OnStack:
		at := sass.M(sass.SP, int64(loc.Off))
		dst = append(at.AppendText(append(dst, "stack "...)), " at entry"...)
	case abi.InConst:
		at := sass.C(loc.Bank, int64(loc.Off))
		dst = at.AppendText(dst)
	case abi.Indirect:
		dst = reg.AppendText(append(dst, "memory at the address in "...))
	default:
		return append(dst, "nowhere"...)
	}
	dst = strconv.AppendInt(append(dst, ", size "...), int64(p.Size), 10)
	return strconv.AppendInt(append(dst, " align "...), int64(p.Align), 10)
}

// entry emits what happens to formals before the body begins. Moves to homes
// wait for the loads that the body begins with.
func (fn *fn) entry() {
	for _, v := range fn.vars {
		if v.sym.Role == resolved.Param && v.loc.Kind == abi.InReg {
			fn.enterParam(v)
		}
	}
	if h := fn.asn.Sret; h.Kind == abi.InReg {
		for _, v := range fn.vars {
			if v.place == sret && (!fn.allVirtual || !fn.early(v)) && v.touched() {
				fn.move("", fn.hiddenAddr(v), lir.Phys(h.Reg), lir.Say("address of "+v.source))
			}
		}
	}
	fn.gathers = true
	for i := range fn.params {
		if fn.params[i].Space == ptx.RegSpace {
			fn.enterReg(i)
		}
	}
	fn.gathers = false
	if fn.allVirtual {
		fn.flush("")
	}
}

// enterReg moves a formal in .reg space to its register.
func (fn *fn) enterReg(i int) {
	p := &fn.params[i]
	loc := fn.asn.Params[i].Loc
	size := fn.asn.Params[i].Size
	r, ok := fn.register(fn.named(p.Name, p.Pos))
	if !ok {
		return
	}
	if r.pred {
		src := lir.Phys(loc.Reg)
		if loc.Kind == abi.OnStack {
			src = fn.scratch()
			m := fn.incoming(loc.Off)
			fn.loadWord("", fn.t.Spelling.LoadLocal.B32, src, &m, lir.Note{})
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
func (fn *fn) enterStack(p *ptx.Formal, off, size int, r register) {
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
func (fn *fn) formalWord(loc abi.Loc, k int) lir.Reg {
	return lir.Phys(loc.Reg + sass.Reg(k))
}

// enterParam copies a formal that came in registers to where it lives.
func (fn *fn) enterParam(v *pvar) {
	switch v.place {
	case liveIn:
		fn.holdWords(v, v.loc)
	case scalarized:
		fn.moveWords(v, v.loc)
	case inFrame:
		fn.storeWords(v, v.loc)
	}
}

// moveWords moves a value that is in registers to the registers that keep it.
func (fn *fn) moveWords(v *pvar, loc abi.Loc) {
	for _, k := range fn.wordsRead(v) {
		fn.move("", fn.wordOf(v, k), fn.formalWord(loc, k), lir.Bytes(v.source, 4*k, min(4*k+4, v.size)))
	}
}

// wordsRead returns the numbers of the words of v that may be read, in order.
func (fn *fn) wordsRead(v *pvar) []int {
	all, n := v.addressed.n+v.asArg.n > 0, (v.size+3)/4
	var read wordSet
	for _, r := range fn.refs(v.loads) {
		a := fn.f.Body[r.stmt].(*ptx.Access)
		off, size := fn.offset(a, v.sym), int64(a.Type.Size())
		for i := range max(a.Vec, 1) {
			if first := off + int64(i)*size; a.Whole || a.Regs[i].Kind != ptx.KindSink {
				for k := max(first, 0) / 4; 4*k < min(first+size, int64(v.size)); k++ {
					read.add(int(k))
				}
			}
		}
	}
	list := fn.nums[:0]
	if !all {
		list = read.appendBelow(list, n)
	}
	for k := 0; all && k < n; k++ {
		list = append(list, k)
	}
	fn.nums = list
	return list
}

// storeWords stores a value that is in registers to its place in the frame.
func (fn *fn) storeWords(v *pvar, loc abi.Loc) {
	list := fn.cells[:0]
	for _, k := range fn.wordsRead(v) {
		c := cell{off: 4 * k, size: 4, load: load{s: lir.Bytes(v.source, 4*k, min(4*k+4, v.size))}}
		for b := range 4 {
			c.w.take(b, fn.formalWord(loc, k), b)
		}
		list = append(list, c)
	}
	fn.storeCells(fn.memory(v, 0), list, "", spare{})
	fn.cells = list[:0]
}

package sel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// call lowers a call: stack words, register words, the hidden address, the
// return address, the call, the results. A guarded call is branched around.
func (fn *Selector) call(c *ptx.Call) {
	s := &fn.Sites[fn.Calls]
	if !s.Ok {
		return
	}
	around := int32(-1)
	if c.Guard != nil {
		around = fn.Code.NewLabel()
		skip := *c.Guard
		skip.Neg = !skip.Neg
		fn.emit(fn.guard(&skip), "BRA", lir.Note{}, lir.To(around))
		// PTX says nothing of the result of a call that is not made.
		if !fn.TextOnly {
			fn.Code.Agree(&sass.Contract{Gives: s.Gives()})
		}
	}
	fn.sent = sent{}
	regs := fn.regs[:0]
	if s.Asn.Sret.Kind == abi.InReg {
		regs = append(regs, fn.hiddenArg(s))
	}
	for i := range c.Params {
		fn.argument(c, s, i, &regs)
	}
	target, ok := fn.target(c, s, &regs)
	if !ok {
		return
	}
	contract := fn.contract(c, s, regs)
	fn.parallel(regs, "")
	fn.regs = regs[:0]
	fn.transfer(s, target, contract)
	fn.collect(c, s)
	if around >= 0 {
		fn.Code.AddLabel(around)
	}
}

// A sent is what a call passes on the stack, where not only the text is wanted.
type sent struct {
	stack []int64 // offsets of its words
	bytes []uint8 // which bytes of each of them have a value
}

// hiddenArg is the load of the address where the callee puts its result.
func (fn *Selector) hiddenArg(s *place.Site) load {
	l := load{dst: lir.Phys(s.Asn.Sret.Reg), more: &loadMore{note: lir.Does(sass.PassesSret, "address of the result", 0)}}
	base := lir.R(fn.Base())
	if s.Buffer == 0 {
		l.op, l.more.src = "MOV", []lir.Arg{base}
		return l
	}
	l.op = fn.T.Spelling.AdjustSP
	l.more.src = fn.addArgs(nil, lir.Arg{}, base, lir.I(int64(s.Buffer)))[1:]
	return l
}

// argument emits the stack words of argument i and appends its register words
// to regs.
func (fn *Selector) argument(c *ptx.Call, s *place.Site, i int, regs *[]load) {
	o, p, at := &c.Params[i], &s.Params[i], &s.Asn.Params[i]
	name := p.Name
	if name == "_" && o.Kind == ptx.KindName {
		name = o.Text
	}
	v := fn.CallVars[s.Vars+i]
	size := at.Size
	if v != nil && size == 0 {
		size = v.Size
	}
	if v == nil {
		clear(fn.direct4[:min(len(fn.direct4), (size+3)/4)])
		if !fn.argOperand(&fn.direct4, o, fn.ArgRef(c, i), p, s, name, size) {
			return
		}
	}
	cells := fn.cells[:0]
	cells = fn.argWords(v, s, i, name, size, regs, cells)
	if at.Loc.Kind == abi.OnStack {
		m := inLocal(lir.Phys(fn.T.Regs.SP), int64(at.Loc.Off), fn.StackAlign(), at.Loc.Off)
		fn.storeCells(m, cells, size, true, "", fn.freeQuad())
	}
	fn.cells = cells[:0]
}

// argWords appends the words of argument i of a call to regs or cells, where it goes. Of
// one without a variable the words are in direct4.
func (fn *Selector) argWords(v *place.Var, s *place.Site, i int, name string, size int, regs *[]load, cells []cell) []cell {
	at := s.Asn.Params[i]
	inReg := at.Loc.Kind == abi.InReg
	signed, promoted := place.PromotedKind(&s.Params[i])
	for _, k := range fn.passed(v, size) {
		n := min(4, size-4*k)
		var l *load
		if inReg {
			*regs = append(*regs, load{})
			l = &(*regs)[len(*regs)-1]
		} else {
			cells = append(cells, cell{off: 4 * k, size: 4})
			l = &cells[len(cells)-1].load
		}
		if v == nil {
			*l = fn.direct4[k]
		} else {
			fn.argWord(l, v, k, n, promoted, signed)
		}
		if promoted && l.op == "" {
			l.w.extend(n, signed)
		}
		none := l.op == "" && !l.w.defined()
		l.s = lir.Bytes(name, 4*k, 4*k+n)
		switch {
		case none && inReg:
			*regs = (*regs)[:len(*regs)-1]
		case none:
			cells = cells[:len(cells)-1]
		case inReg:
			l.dst = lir.Phys(at.Loc.Reg + sass.Reg(k))
		case !fn.TextOnly:
			fn.sent.stack = append(fn.sent.stack, int64(at.Loc.Off+4*k))
			fn.sent.bytes = append(fn.sent.bytes, l.bytes())
		}
	}
	return cells
}

// passed returns the numbers of the words of an argument that have a value, in
// order: of a variable that takes no result, those that stores touch.
func (fn *Selector) passed(v *place.Var, size int) []int {
	n := (size + 3) / 4
	list := fn.nums[:0]
	if v != nil && v.AsResult.N == 0 && v.Stored.Count() < n {
		list = v.Stored.AppendBelow(list, n)
	} else {
		for k := range n {
			list = append(list, k)
		}
	}
	fn.nums = list
	return list
}

// argWord makes l the load of word k of a .param argument, n bytes of it.
func (fn *Selector) argWord(l *load, v *place.Var, k, n int, promoted, signed bool) {
	switch v.Place {
	case place.Forwarded:
		if w := fn.state(v).wholes.at(k); w != nil {
			fn.wholeLoad(l, w)
		} else if p := fn.state(v).pending.at(k); p != nil {
			l.w = *p
		}
	case place.Scalarized:
		for b := range n {
			l.w.take(b, fn.wordOf(v, k), b)
		}
	case place.InFrame:
		size := 4
		if promoted {
			size = n
		}
		fn.fromMemory(l, fn.memory(v, 4*k), size, signed)
	}
}

// argOperand sets out to the words of an argument that is a register or a
// constant.
func (fn *Selector) argOperand(out *[4]load, o *ptx.Operand, n resolved.Ref, p *ptx.Formal, s *place.Site, name string, size int) bool {
	switch {
	case len(p.Dims) > 0:
		fn.LetThrough(o.Pos)
		return false
	case o.Kind == ptx.KindInt || o.Kind == ptx.KindFloat:
		bits, ok := fn.constantBits(o, p.Type, name)
		for i := range min(size, 8) {
			out[i/4].w.set(i%4, byte(bits>>(8*i)))
		}
		return ok
	case o.Kind != ptx.KindName:
		fn.LetThrough(o.Pos)
		return false
	}
	if sym := fn.In.Sym(n); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace {
		fn.LetThrough(o.Pos)
		return false
	}
	r, ok := fn.register(o, n)
	if !ok {
		return false
	}
	if r.pred {
		out[0].op, out[0].more = "SEL", &loadMore{src: []lir.Arg{lir.Of(lir.Zero), lir.I(1), lir.P(r.name).Negated()}}
		return true
	}
	if r.size != size {
		fn.LetThrough(o.Pos)
		return false
	}
	if r.split() {
		for i := range size {
			fn.read(&r, &out[i/4].w, i%4, i)
		}
		return true
	}
	for k := 0; 4*k < size; k++ {
		out[k].w.whole(min(4, size-4*k), fn.part(&r, k))
	}
	return true
}

// transfer emits the return address and the call.
func (fn *Selector) transfer(s *place.Site, target lir.Arg, contract *sass.Contract) {
	sp := &fn.T.Spelling
	regs := s.Regs
	back := int32(-1)
	if regs.HasRetAddr() || s.Reg && sp.PreRet != "" {
		back = fn.Code.NewLabel()
	}
	if regs.HasRetAddr() {
		fn.loadReturn(regs.RetAddr, back)
	}
	note := fn.binding(s)
	switch {
	case s.Reg:
		if sp.PreRet != "" {
			fn.emit("", sp.PreRet, lir.Say("return address"), lir.To(back))
		}
		args := []lir.Arg{target}
		if sp.IndirectTable != "" {
			args = append(args, lir.Plain(sass.Sym(sp.IndirectTable)))
		}
		fn.emit("", sp.CallIndirect, lir.Say(note), args...)
	case s.Self:
		fn.callName(sp.CallSelf, s.Name, note)
	default:
		fn.callName(sp.Call, s.Name, note)
	}
	fn.Code.Agree(contract)
	if back >= 0 {
		fn.Code.AddLabel(back)
	}
}

// contract says what a call takes and gives: the words that the loads before it
// make, those that were stored, and the registers of the result.
func (fn *Selector) contract(call *ptx.Call, s *place.Site, regs []load) *sass.Contract {
	c := fn.handsOver(regs)
	if c != nil {
		c.Bytes = append(c.Bytes, fn.sent.bytes...)
		c.Stack, c.Gives = fn.sent.stack, s.Gives()
		c.Endless = fn.NoReturn(call, s)
		c.Callee = fn.Convention(s.Regs)
	}
	return c
}

// collect emits the moves of a result that goes to registers right away.
func (fn *Selector) collect(c *ptx.Call, s *place.Site) {
	if len(c.Results) == 0 || c.Results[0].Kind == ptx.KindSink {
		return
	}
	at := s.Asn.Results[0]
	o := &c.Results[0]
	if v := fn.CallVars[s.Vars+len(c.Params)]; v != nil {
		if at.Loc.Kind != abi.InReg {
			fn.fetch(v)
			return
		}
		if v.Place == place.InFrame {
			fn.storeWords(v, at.Loc)
			return
		}
		if v.Place == place.Forwarded {
			fn.holdWords(v, at.Loc)
		}
		if v.Place == place.Scalarized {
			fn.moveWords(v, at.Loc)
		}
		return
	}
	fn.resultRegister(o, fn.ResultRef(0), s, at)
}

// resultRegister moves a result to the register that the call names.
func (fn *Selector) resultRegister(o *ptx.Operand, n resolved.Ref, s *place.Site, at abi.Placement) {
	p := &s.Results[0]
	if len(p.Dims) > 0 {
		fn.LetThrough(o.Pos)
		return
	}
	if sym := fn.In.Sym(n); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace {
		fn.LetThrough(o.Pos)
		return
	}
	r, ok := fn.register(o, n)
	if !ok {
		return
	}
	if r.pred && p.Type == ptx.Pred {
		fn.emit("", "ISETP.NE.AND", lir.Bytes(p.Name, 0, 1), lir.P(r.name), lir.P("PT"), lir.R(at.Loc.Reg), lir.Of(lir.Zero), lir.P("PT"))
		return
	}
	if r.pred || r.size != at.Size {
		fn.LetThrough(o.Pos)
		return
	}
	name := p.Name
	if name == "_" {
		name = o.Text
	}
	for k := range r.words() {
		var w word
		for b := range min(4, at.Size-4*k) {
			w.take(b, fn.formalWord(at.Loc, k), b)
		}
		fn.toRegister(&r, k, &w, lir.Bytes(name, 4*k, min(4*k+4, at.Size)))
	}
	fn.flush("")
}

package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// call lowers a call: stack words, register words, the hidden address, the
// return address, the call, the results. A guarded call is branched around.
func (fn *fn) call(c *ptx.Call) {
	s := &fn.sites[fn.calls]
	if !s.ok {
		return
	}
	around := int32(-1)
	if c.Guard != nil {
		around = fn.code.NewLabel()
		skip := *c.Guard
		skip.Neg = !skip.Neg
		fn.emit(fn.guard(&skip), "BRA", lir.Note{}, lir.To(around))
		// PTX says nothing of the result of a call that is not made.
		if !fn.textOnly {
			fn.code.Agree(&sass.Contract{Gives: s.gives()})
		}
	}
	fn.sent = sent{}
	regs := fn.regs[:0]
	if s.asn.Sret.Kind == abi.InReg {
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
		fn.code.AddLabel(around)
	}
}

// A sent is what a call passes on the stack, where not only the text is wanted.
type sent struct {
	stack []int64 // offsets of its words
	bytes []uint8 // which bytes of each of them have a value
}

// hiddenArg is the load of the address where the callee puts its result.
func (fn *fn) hiddenArg(s *site) load {
	l := load{dst: lir.Phys(s.asn.Sret.Reg), more: &loadMore{text: "address of the result"}}
	base := lir.R(fn.base())
	if s.buffer == 0 {
		l.op, l.more.src = "MOV", []lir.Arg{base}
		return l
	}
	l.op = fn.t.Spelling.AdjustSP
	l.more.src = fn.addArgs(nil, lir.Arg{}, base, lir.I(int64(s.buffer)))[1:]
	return l
}

// argument emits the stack words of argument i and appends its register words
// to regs.
func (fn *fn) argument(c *ptx.Call, s *site, i int, regs *[]load) {
	o, p, at := &c.Params[i], &s.params[i], &s.asn.Params[i]
	name := p.Name
	if name == "_" && o.Kind == ptx.KindName {
		name = o.Text
	}
	v := fn.callVars[s.vars+i]
	size := at.Size
	if v != nil && size == 0 {
		size = v.size
	}
	if v == nil {
		clear(fn.direct4[:min(len(fn.direct4), (size+3)/4)])
		if !fn.argOperand(&fn.direct4, o, fn.argRef(c, i), p, s, name, size) {
			return
		}
	}
	cells := fn.cells[:0]
	cells = fn.argWords(v, s, i, name, size, regs, cells)
	if at.Loc.Kind == abi.OnStack {
		m := inLocal(lir.Phys(fn.t.Regs.SP), int64(at.Loc.Off), fn.stackAlign(), at.Loc.Off)
		fn.storeCells(m, cells, "", fn.freeQuad())
	}
	fn.cells = cells[:0]
}

// argWords appends the words of argument i of a call to regs or cells, where it goes. Of
// one without a variable the words are in direct4.
func (fn *fn) argWords(v *pvar, s *site, i int, name string, size int, regs *[]load, cells []cell) []cell {
	at := s.asn.Params[i]
	inReg := at.Loc.Kind == abi.InReg
	signed, promoted := promotedKind(&s.params[i])
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
		if !none {
			fn.withConstants(&l.w)
		}
		l.s = lir.Bytes(name, 4*k, 4*k+n)
		switch {
		case none && inReg:
			*regs = (*regs)[:len(*regs)-1]
		case none:
			cells = cells[:len(cells)-1]
		case inReg:
			l.dst = lir.Phys(at.Loc.Reg + sass.Reg(k))
		case !fn.textOnly:
			fn.sent.stack = append(fn.sent.stack, int64(at.Loc.Off+4*k))
			fn.sent.bytes = append(fn.sent.bytes, l.bytes())
		}
	}
	return cells
}

// passed returns the numbers of the words of an argument that have a value, in
// order: of a variable that takes no result, those that stores touch.
func (fn *fn) passed(v *pvar, size int) []int {
	n := (size + 3) / 4
	list := fn.nums[:0]
	if v != nil && v.asResult.n == 0 && v.stored.count() < n {
		list = v.stored.appendBelow(list, n)
	} else {
		for k := range n {
			list = append(list, k)
		}
	}
	fn.nums = list
	return list
}

// argWord makes l the load of word k of a .param argument, n bytes of it.
func (fn *fn) argWord(l *load, v *pvar, k, n int, promoted, signed bool) {
	switch v.place {
	case forwarded:
		if w := fn.state(v).wholes.at(k); w != nil {
			fn.wholeLoad(l, w)
		} else if p := fn.state(v).pending.at(k); p != nil {
			l.w = *p
		}
	case scalarized:
		for b := range n {
			l.w.take(b, fn.wordOf(v, k), b)
		}
	case inFrame:
		size := 4
		if promoted {
			size = n
		}
		fn.fromMemory(l, fn.memory(v, 4*k), size, signed)
	}
}

// argOperand sets out to the words of an argument that is a register or a
// constant.
func (fn *fn) argOperand(out *[4]load, o *ptx.Operand, n resolved.Ref, p *ptx.Formal, s *site, name string, size int) bool {
	switch {
	case len(p.Dims) > 0:
		fn.cannot(o.Pos, "%s for the array %s", o.Text, name)
		return false
	case o.Kind == ptx.KindInt || o.Kind == ptx.KindFloat:
		bits, ok := fn.constantBits(o, p.Type, name)
		for i := range min(size, 8) {
			out[i/4].w.set(i%4, byte(bits>>(8*i)))
		}
		return ok
	case o.Kind != ptx.KindName:
		fn.cannot(o.Pos, "'%s' is not an argument", o.Text)
		return false
	}
	if sym := fn.in.Sym(n); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace {
		fn.cannot(o.Pos, "%s, a formal of %s, cannot be passed on", o.Text, fn.f.Name)
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
		fn.cannot(o.Pos, "%s of %s is a %s; %s", name, s.name, p.Type, misfit(o, r))
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

// misfit says what a register is that does not fit.
func misfit(o *ptx.Operand, r register) string {
	if r.pred {
		return o.Text + " is a predicate"
	}
	return o.Text + " has " + strconv.Itoa(8*r.size) + " bits"
}

// transfer emits the return address and the call.
func (fn *fn) transfer(s *site, target lir.Arg, contract *sass.Contract) {
	sp := &fn.t.Spelling
	regs := s.regs
	back := int32(-1)
	if regs.HasRetAddr() || s.reg && sp.PreRet != "" {
		back = fn.code.NewLabel()
	}
	if regs.HasRetAddr() {
		fn.loadReturn(regs.RetAddr, back)
	}
	note := fn.binding(s)
	switch {
	case s.reg:
		if sp.PreRet != "" {
			fn.emit("", sp.PreRet, lir.Say("return address"), lir.To(back))
		}
		args := []lir.Arg{target}
		if sp.IndirectTable != "" {
			args = append(args, lir.Plain(sass.Sym(sp.IndirectTable)))
		}
		fn.emit("", sp.CallIndirect, lir.Say(note), args...)
	case s.self:
		fn.callName(sp.CallSelf, s.name, note)
	default:
		fn.callName(sp.Call, s.name, note)
	}
	fn.noteCall(s, note)
	fn.code.Agree(contract)
	if back >= 0 {
		fn.code.AddLabel(back)
	}
}

// contract says what a call takes and gives: the words that the loads before it
// make, those that were stored, and the registers of the result.
func (fn *fn) contract(call *ptx.Call, s *site, regs []load) *sass.Contract {
	c := fn.handsOver(regs)
	if c != nil {
		c.Bytes = append(c.Bytes, fn.sent.bytes...)
		c.Stack, c.Gives = fn.sent.stack, s.gives()
		c.Endless = fn.noReturn(call, s)
		c.Callee = fn.convention(s.regs)
	}
	return c
}

// gives returns the registers in which a result comes back.
func (s *site) gives() []sass.Reg {
	if len(s.asn.Results) != 1 {
		return nil
	}
	return inRegisters(s.asn.Results[0])
}

// collect emits the moves of a result that goes to registers right away.
func (fn *fn) collect(c *ptx.Call, s *site) {
	if len(c.Results) == 0 || c.Results[0].Kind == ptx.KindSink {
		return
	}
	at := s.asn.Results[0]
	o := &c.Results[0]
	if v := fn.callVars[s.vars+len(c.Params)]; v != nil {
		if at.Loc.Kind != abi.InReg {
			fn.fetch(v)
			return
		}
		if v.place == inFrame {
			fn.storeWords(v, at.Loc)
			return
		}
		if v.place == forwarded {
			fn.holdWords(v, at.Loc)
		}
		if v.place == scalarized {
			fn.moveWords(v, at.Loc)
		}
		return
	}
	fn.resultRegister(o, fn.resultRef(0), s, at)
}

// resultRegister moves a result to the register that the call names.
func (fn *fn) resultRegister(o *ptx.Operand, n resolved.Ref, s *site, at abi.Placement) {
	p := &s.results[0]
	if len(p.Dims) > 0 {
		fn.cannot(o.Pos, "%s for the result of %s, an array", o.Text, s.name)
		return
	}
	if sym := fn.in.Sym(n); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace {
		fn.cannot(o.Pos, "%s is a formal of %s and cannot take the result of a call", o.Text, fn.f.Name)
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
		fn.cannot(o.Pos, "%s of %s is a %s; %s", p.Name, s.name, p.Type, misfit(o, r))
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

package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/parmove"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// planCall finds out what a call calls and by which assignment, and which
// variables it uses.
func (fn *fn) planCall(c *ptx.Call) {
	fn.sites = append(fn.sites, site{buffer: -1})
	s := &fn.sites[len(fn.sites)-1]
	for i := range c.Params {
		if v := fn.argVar(&c.Params[i]); v != nil {
			v.asArg = append(v.asArg, fn.here())
		}
	}
	for i := range c.Results {
		if v := fn.argVar(&c.Results[i]); v != nil {
			v.asResult = append(v.asResult, fn.here())
			s.resultVar = v
		}
	}
	if !fn.callee(c, s) {
		return
	}
	fn.siteAssign(c, s)
}

// argVar returns the local .param variable that an operand names; nil if it
// names none.
func (fn *fn) argVar(o *ptx.Operand) *pvar {
	name := o.Name()
	if name == "" || o.Elem != 0 {
		return nil
	}
	v := fn.varOf(fn.scope.Lookup(name))
	if v == nil || v.sym.Role != sig.Local || v.sym.Spec.Space != ptx.ParamSpace {
		return nil
	}
	return v
}

// callee resolves what is called.
func (fn *fn) callee(c *ptx.Call, s *site) bool {
	name := c.Callee.Name()
	sym := fn.scope.Lookup(name)
	if sym == nil || sym.Var == nil {
		target := fn.table.Lookup(name)
		if target == nil {
			fn.errorf(c.Callee.Pos, BadCall, "%s is not declared; add its .extern .func before the call", name)
			return false
		}
		f := target.Func
		if f.Entry {
			fn.errorf(c.Callee.Pos, BadCall, "%s is a kernel, which cannot be called", name)
			return false
		}
		s.name, s.params, s.results = name, f.Params, f.Results
		s.self = f == fn.f
		return true
	}
	if sym.Spec.Space != ptx.RegSpace {
		fn.errorf(c.Callee.Pos, BadCall, "%s is a variable in %s space, expected a function or a register", name, sym.Spec.Space)
		return false
	}
	s.reg = true
	proto := fn.scope.Lookup(c.Proto.Name())
	switch {
	case c.Proto.Kind == ptx.KindNone:
		fn.errorf(c.Callee.Pos, BadCall, "a call through the register %s needs a prototype or a list of targets behind its arguments", name)
		return false
	case proto != nil && proto.Proto != nil:
		s.name, s.params, s.results = proto.Proto.Name, proto.Proto.Params, proto.Proto.Results
		return true
	case proto != nil && proto.Targets != nil && !proto.Targets.Branch:
		for i := range proto.Targets.Names {
			o := &proto.Targets.Names[i]
			target := fn.table.Lookup(o.Text)
			if target == nil {
				fn.errorf(o.Pos, BadCall, "%s is not declared; add its .extern .func before the list", o.Text)
				return false
			}
			s.name, s.params, s.results = o.Text, target.Func.Params, target.Func.Results
			return true
		}
	}
	fn.errorf(c.Proto.Pos, BadCall, "%s is neither a .callprototype nor a .calltargets that is declared here", c.Proto.Text)
	return false
}

// siteAssign computes the assignment of a call, with the size of what it
// passes for an unsized formal, and holds its operands against the formals.
func (fn *fn) siteAssign(c *ptx.Call, s *site) {
	sg := abi.Signature{Params: sig.Values(s.params), Results: sig.Values(s.results)}
	n := len(sg.Params)
	tail := n > 0 && sg.Params[n-1].Kind == abi.Unsized
	switch given := len(c.Params); {
	case tail && given == n-1:
	case given != n:
		fn.errorf(c.Pos, BadCall, "%d arguments for %s, which takes %d", given, s.name, n)
		return
	case tail:
		if v := fn.argVar(&c.Params[n-1]); v != nil {
			sg.Params[n-1].Size = v.size
		}
	}
	if len(c.Results) != len(s.results) {
		fn.errorf(c.Pos, BadCall, "%d results taken from %s, which returns %d; write _ for one that is not wanted", len(c.Results), s.name, len(s.results))
		return
	}
	if len(s.results) > 1 {
		fn.errorf(c.Pos, NotLowered, "%s has %d results, which switches the ABI off; return one aggregate", s.name, len(s.results))
		return
	}
	if !fn.assign(&s.asn, sg, c.Callee.Pos, s.name, nil, nil) {
		return
	}
	s.ok = true
	for i := range c.Params {
		if v := fn.argVar(&c.Params[i]); v != nil && i < len(sg.Params) && sg.Params[i].Kind == abi.Data {
			s.ok = fn.sameSize(&c.Params[i], v, sg.Params[i].Size, s, s.params[i].Name) && s.ok
		}
	}
	for i := range c.Results {
		if v := fn.argVar(&c.Results[i]); v != nil {
			s.ok = fn.sameSize(&c.Results[i], v, sg.Results[i].Size, s, s.results[i].Name) && s.ok
		}
	}
	for i := range s.params {
		if sg.Params[i].Kind == abi.Opaque {
			fn.errorf(c.Pos, NotLowered, "%s of %s is a handle, which has no place in the ABI", s.params[i].Name, s.name)
			s.ok = false
		}
	}
}

func (fn *fn) sameSize(o *ptx.Operand, v *pvar, size int, s *site, formal string) bool {
	if v.size == size {
		return true
	}
	fn.errorf(o.Pos, BadCall, "%s has %d bytes, %s of %s has %d", v.name, v.size, formal, s.name, size)
	return false
}

// A load is one word that goes to its place for a call or a return.
type load struct {
	dst  sass.Operand // a register, or a stack word
	w    word
	note string
}

// call lowers a call: stack words, register words, the hidden address, the
// return address, the call, the results.
func (fn *fn) call(c *ptx.Call) {
	s := &fn.sites[fn.calls]
	if !s.ok {
		return
	}
	guard := fn.guard(c.Guard)
	var regs []load
	ok := true
	for i := range c.Params {
		ok = fn.argument(c, s, i, &regs) && ok
	}
	if !ok {
		return
	}
	if s.asn.Hidden.Kind == abi.InReg {
		fn.addReg("", sass.R(s.asn.Hidden.Reg), sass.R(fn.base()), int64(s.buffer), "address of the result")
	}
	fn.parallel(regs, "")
	fn.transfer(c, s, guard)
	fn.collect(c, s, guard)
}

// argument emits the stack words of argument i and appends its register words
// to regs.
func (fn *fn) argument(c *ptx.Call, s *site, i int, regs *[]load) bool {
	o, p, at := &c.Params[i], &s.params[i], s.asn.Params[i]
	name := p.Name
	if name == "_" {
		name = o.Text
	}
	v := fn.argVar(o)
	size := at.Size
	if v != nil && size == 0 {
		size = v.size
	}
	var direct [4]word
	if v == nil {
		var ok bool
		if direct, ok = fn.argOperand(o, p, name, size); !ok {
			return false
		}
	}
	signed, promoted := promotedKind(p)
	for k := 0; 4*k < size; k++ {
		n := min(4, size-4*k)
		var w word
		if v == nil {
			w = direct[k]
		} else {
			fn.argWord(v, k, n, &w)
		}
		if promoted {
			w.extend(n, signed)
		}
		text := note(name, 4*k, 4*k+n)
		if at.Loc.Kind == abi.InReg {
			if w.defined() {
				*regs = append(*regs, load{sass.R(at.Loc.Reg + sass.Reg(k)), w, text})
			}
			continue
		}
		if w.defined() {
			dst := sass.M(fn.t.Regs.SP, int64(at.Loc.Off+4*k))
			fn.emit("", fn.t.Spelling.StoreLocal.B32, text, dst, fn.inRegister(&w, ""))
		}
	}
	return true
}

// argWord makes w word k of a .param argument, n bytes of it.
func (fn *fn) argWord(v *pvar, k, n int, w *word) {
	switch v.place {
	case folded:
		if k < len(v.pending) {
			*w = v.pending[k]
		}
	case inWords:
		for b := range n {
			w.take(b, sass.V(wordName(v.name, k), sass.Whole), b)
		}
	case inFrame:
		tmp := sass.V(wordName(v.name, k), sass.Whole)
		fn.emit("", fn.t.Spelling.LoadLocal.B32, "", tmp, sass.M(fn.base(), int64(v.frame+4*k)))
		for b := range n {
			w.take(b, tmp, b)
		}
	}
}

// argOperand returns the words of an argument that is a register or a
// constant.
func (fn *fn) argOperand(o *ptx.Operand, p *ptx.Formal, name string, size int) (out [4]word, ok bool) {
	switch {
	case len(p.Dims) > 0:
		fn.errorf(o.Pos, BadCall, "%s for the array %s; pass a .param variable of %d bytes", o.Text, name, size)
		return out, false
	case o.Kind == ptx.KindInt || o.Kind == ptx.KindFloat:
		bits, ok := fn.constantBits(o, p.Type, name)
		for i := range min(size, 8) {
			out[i/4].set(i%4, byte(bits>>(8*i)))
		}
		return out, ok
	case o.Kind != ptx.KindName:
		fn.errorf(o.Pos, BadCall, "'%s' is no argument; pass a register, a constant or a .param variable", o.Text)
		return out, false
	}
	if sym := fn.scope.Lookup(o.Name()); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace {
		fn.errorf(o.Pos, BadCall, "%s, a formal of %s, cannot be passed on; load it and store it to a .param variable", o.Text, fn.f.Name)
		return out, false
	}
	r, ok := fn.register(o)
	if !ok {
		return out, false
	}
	if r.pred {
		if p.Type != ptx.Pred {
			fn.errorf(o.Pos, BadCall, "the predicate %s for %s of type %s", o.Text, name, p.Type)
			return out, false
		}
		tmp := sass.V(r.name+".word", sass.Whole)
		fn.emit("", "SEL", "", tmp, sass.R(sass.RZ), sass.I(1), sass.P(r.name).Negated())
		for b := range 4 {
			out[0].take(b, tmp, b)
		}
		return out, true
	}
	if r.size != size {
		fn.errorf(o.Pos, BadCall, "%s has %d bytes, %s has %d", o.Text, r.size, name, size)
		return out, false
	}
	for i := range size {
		r.read(&out[i/4], i%4, i)
	}
	return out, true
}

// parallel emits loads that happen at once: no register is written before all
// that read it have. Copies between registers are ordered by parmove.
func (fn *fn) parallel(list []load, guard string) {
	moves := make([]parmove.Move, 0, len(list))
	byDst := make(map[int]*load, len(list))
	for i := range list {
		l := &list[i]
		src, ok := l.w.plain()
		if !ok || src.Kind != sass.Register {
			continue
		}
		byDst[int(l.dst.Reg)] = l
		moves = append(moves, parmove.Move{Dst: int(l.dst.Reg), Src: int(src.Reg)})
	}
	if len(moves) > 0 {
		for _, m := range parmove.Sequence(nil, moves, int(fn.t.Frame.Scratch)) {
			text := ""
			if l := byDst[m.Dst]; l != nil {
				text = l.note
			}
			fn.emit(guard, "MOV", text, sass.R(sass.Reg(m.Dst)), sass.R(sass.Reg(m.Src)))
		}
	}
	for i := range list {
		l := &list[i]
		if src, ok := l.w.plain(); ok && src.Kind == sass.Register {
			continue
		}
		fn.assemble(l.dst, &l.w, guard, l.note)
	}
}

// transfer emits the return address and the call.
func (fn *fn) transfer(c *ptx.Call, s *site, guard string) {
	sp := &fn.t.Spelling
	regs := &fn.t.Regs
	back := fn.newLabel()
	if regs.HasRetAddr() {
		fn.emit("", sp.RetMove, "return address", sass.R(regs.RetAddr), sass.LoRel(fn.f.Name, back))
		fn.emit("", sp.RetMove, "", sass.R(regs.RetAddr+1), sass.HiRel(fn.f.Name, back))
	}
	switch {
	case s.reg:
		r, ok := fn.register(&c.Callee)
		if !ok {
			return
		}
		if r.size < 4 || r.pred || r.elems > 0 {
			fn.errorf(c.Callee.Pos, BadCall, "%s of %d bytes holds no address of a function", c.Callee.Text, r.size)
			return
		}
		if sp.PreRet != "" {
			fn.emit(guard, sp.PreRet, "return address", sass.Sym(back))
		}
		target := sass.V(r.name, sass.Whole)
		if sp.IndirectWords == 1 {
			target = r.word(0)
		}
		args := []sass.Operand{target}
		if sp.IndirectTable != "" {
			args = append(args, sass.Sym(sp.IndirectTable))
		}
		fn.emit(guard, sp.CallIndirect, "", args...)
	case s.self:
		fn.emit(guard, sp.CallSelf, "", sass.Sym(s.name))
	default:
		fn.emit(guard, sp.Call, "", sass.Sym(s.name))
	}
	fn.out = append(fn.out, sass.Item{Kind: sass.Label, Text: back})
}

// collect emits the moves of a result that goes to registers right away.
func (fn *fn) collect(c *ptx.Call, s *site, guard string) {
	if len(c.Results) == 0 || c.Results[0].Kind == ptx.KindSink {
		return
	}
	at := s.asn.Results[0]
	o := &c.Results[0]
	if v := fn.argVar(o); v != nil {
		if v.place != inWords || at.Loc.Kind != abi.InReg {
			return
		}
		for k := 0; 4*k < at.Size; k++ {
			fn.emit(guard, "MOV", note(v.name, 4*k, min(4*k+4, at.Size)), sass.V(wordName(v.name, k), sass.Whole), fn.formalWord(at.Loc, k))
		}
		return
	}
	fn.resultRegister(o, s, at, guard)
}

// resultRegister moves a result to the register that the call names.
func (fn *fn) resultRegister(o *ptx.Operand, s *site, at abi.Placement, guard string) {
	p := &s.results[0]
	if len(p.Dims) > 0 {
		fn.errorf(o.Pos, BadCall, "%s for the result of %s, an array; name a .param variable of %d bytes", o.Text, s.name, at.Size)
		return
	}
	r, ok := fn.register(o)
	if !ok {
		return
	}
	if r.pred && p.Type == ptx.Pred {
		fn.emit(guard, "ISETP.NE.AND", note(p.Name, 0, 1), sass.P(r.name), sass.P("PT"), sass.R(at.Loc.Reg), sass.R(sass.RZ), sass.P("PT"))
		return
	}
	if r.pred || r.size != at.Size {
		fn.errorf(o.Pos, BadCall, "%s of %s has %d bytes, the register %s has %d", p.Name, s.name, at.Size, o.Text, r.size)
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
		fn.toRegister(r, k, &w, guard, note(name, 4*k, min(4*k+4, at.Size)))
	}
}

// ret lowers a return: the result to its place, the frame given back, the
// return itself.
func (fn *fn) ret(guard string) {
	if fn.f.Entry {
		fn.emit(guard, fn.t.Spelling.Exit, "")
		return
	}
	if len(fn.f.Results) == 1 {
		fn.returnValue(guard)
	}
	fn.epilogue(guard)
	if fn.t.Regs.HasRetAddr() {
		fn.emit(guard, fn.t.Spelling.Ret, "", sass.R(fn.t.Regs.RetAddr), sass.I(0))
		return
	}
	fn.emit(guard, fn.t.Spelling.Ret, "")
}

// returnValue moves the result to the registers that return it.
func (fn *fn) returnValue(guard string) {
	p, at := &fn.f.Results[0], fn.asn.Results[0]
	if at.Loc.Kind != abi.InReg {
		return
	}
	signed, promoted := promotedKind(p)
	var list []load
	if p.Space == ptx.RegSpace {
		r, ok := fn.register(&ptx.Operand{Kind: ptx.KindName, Text: p.Name, Pos: p.Pos})
		if !ok {
			return
		}
		if r.pred {
			fn.emit(guard, "SEL", note(p.Name, 0, 1), sass.R(at.Loc.Reg), sass.R(sass.RZ), sass.I(1), sass.P(r.name).Negated())
			return
		}
		for k := range r.words() {
			n := min(4, r.size-4*k)
			var w word
			for b := range n {
				r.read(&w, b, 4*k+b)
			}
			if promoted {
				w.extend(n, signed)
			}
			list = append(list, load{sass.R(at.Loc.Reg + sass.Reg(k)), w, note(p.Name, 4*k, 4*k+n)})
		}
		fn.parallel(list, guard)
		return
	}
	v := fn.resultVar()
	if v == nil {
		return
	}
	for k := 0; 4*k < v.size; k++ {
		n := min(4, v.size-4*k)
		dst, text := sass.R(at.Loc.Reg+sass.Reg(k)), note(v.name, 4*k, 4*k+n)
		if v.place == inFrame {
			m := memory{op: sass.M(fn.base(), int64(v.frame+4*k))}
			size := 4
			if promoted {
				size = n
			}
			fn.emit(guard, fn.loadOp(m, size, signed), text, dst, m.op)
			continue
		}
		var w word
		if v.place == folded && k < len(v.pending) {
			w = v.pending[k]
		} else if v.place == inWords {
			for b := range n {
				w.take(b, sass.V(wordName(v.name, k), sass.Whole), b)
			}
		}
		if promoted {
			w.extend(n, signed)
		}
		list = append(list, load{dst, w, text})
	}
	fn.parallel(list, guard)
}

// resultVar returns the variable of the result formal.
func (fn *fn) resultVar() *pvar {
	for _, v := range fn.vars {
		if v.sym.Role == sig.Result {
			return v
		}
	}
	return nil
}

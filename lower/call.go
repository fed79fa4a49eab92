package lower

import (
	"maps"
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
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
	around := ""
	if c.Guard != nil {
		around = fn.newLabel()
		skip := *c.Guard
		skip.Neg = !skip.Neg
		fn.emit(fn.guard(&skip), "BRA", "", sass.Sym(around))
	}
	var regs []load
	for i := range c.Params {
		fn.argument(c, s, i, &regs)
	}
	if s.asn.Hidden.Kind == abi.InReg {
		fn.addReg("", sass.R(s.asn.Hidden.Reg), sass.R(fn.base()), int64(s.buffer), "address of the result")
	}
	fn.parallel(regs, "")
	fn.transfer(c, s)
	fn.collect(c, s)
	if around != "" {
		fn.out = append(fn.out, sass.Item{Kind: sass.Label, Text: around})
	}
}

// argument emits the stack words of argument i and appends its register words
// to regs.
func (fn *fn) argument(c *ptx.Call, s *site, i int, regs *[]load) {
	o, p, at := &c.Params[i], &s.params[i], s.asn.Params[i]
	name := p.Name
	if name == "_" && o.Kind == ptx.KindName {
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
		if direct, ok = fn.argOperand(o, p, s, name, size); !ok {
			return
		}
	}
	signed, promoted := promotedKind(p)
	for _, k := range passed(v, size) {
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
}

// passed returns the numbers of the words of an argument that have a value, in
// order: of a variable that takes no result, those that stores touch.
func passed(v *pvar, size int) []int {
	n := (size + 3) / 4
	if v != nil && len(v.asResult) == 0 && len(v.stored) < n {
		list := slices.Sorted(maps.Keys(v.stored))
		for len(list) > 0 && list[len(list)-1] >= n {
			list = list[:len(list)-1]
		}
		return list
	}
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}

// argWord makes w word k of a .param argument, n bytes of it.
func (fn *fn) argWord(v *pvar, k, n int, w *word) {
	switch v.place {
	case folded:
		if p := v.pending[k]; p != nil {
			*w = *p
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
func (fn *fn) argOperand(o *ptx.Operand, p *ptx.Formal, s *site, name string, size int) (out [4]word, ok bool) {
	switch {
	case len(p.Dims) > 0:
		fn.cannot(o.Pos, "%s for the array %s", o.Text, name)
		return out, false
	case o.Kind == ptx.KindInt || o.Kind == ptx.KindFloat:
		bits, ok := fn.constantBits(o, p.Type, name)
		for i := range min(size, 8) {
			out[i/4].set(i%4, byte(bits>>(8*i)))
		}
		return out, ok
	case o.Kind != ptx.KindName:
		fn.cannot(o.Pos, "'%s' is no argument", o.Text)
		return out, false
	}
	if sym := fn.scope.Lookup(o.Name()); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace {
		fn.cannot(o.Pos, "%s, a formal of %s, cannot be passed on", o.Text, fn.f.Name)
		return out, false
	}
	r, ok := fn.register(o)
	if !ok {
		return out, false
	}
	if r.pred {
		tmp := sass.V(r.name+".word", sass.Whole)
		fn.emit("", "SEL", "", tmp, sass.R(sass.RZ), sass.I(1), sass.P(r.name).Negated())
		for b := range 4 {
			out[0].take(b, tmp, b)
		}
		return out, true
	}
	if r.size != size {
		fn.cannot(o.Pos, "%s of %s is a %s; %s", name, s.name, p.Type, misfit(o, r))
		return out, false
	}
	for i := range size {
		r.read(&out[i/4], i%4, i)
	}
	return out, true
}

// misfit says what a register is that does not fit.
func misfit(o *ptx.Operand, r register) string {
	if r.pred {
		return o.Text + " is a predicate"
	}
	return o.Text + " has " + strconv.Itoa(8*r.size) + " bits"
}

// transfer emits the return address and the call.
func (fn *fn) transfer(c *ptx.Call, s *site) {
	sp := &fn.t.Spelling
	regs := &fn.t.Regs
	back := ""
	if regs.HasRetAddr() || s.reg && sp.PreRet != "" {
		back = fn.newLabel()
	}
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
			fn.cannot(c.Callee.Pos, "%s of %d bytes holds no address of a function", c.Callee.Text, r.size)
			return
		}
		if sp.PreRet != "" {
			fn.emit("", sp.PreRet, "return address", sass.Sym(back))
		}
		target := sass.V(r.name, sass.Whole)
		if sp.IndirectWords == 1 {
			target = r.word(0)
		}
		args := []sass.Operand{target}
		if sp.IndirectTable != "" {
			args = append(args, sass.Sym(sp.IndirectTable))
		}
		fn.emit("", sp.CallIndirect, "", args...)
	case s.self:
		fn.emit("", sp.CallSelf, "", sass.Sym(s.name))
	default:
		fn.emit("", sp.Call, "", sass.Sym(s.name))
	}
	if back != "" {
		fn.out = append(fn.out, sass.Item{Kind: sass.Label, Text: back})
	}
}

// collect emits the moves of a result that goes to registers right away.
func (fn *fn) collect(c *ptx.Call, s *site) {
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
			fn.emit("", "MOV", note(v.source, 4*k, min(4*k+4, at.Size)), sass.V(wordName(v.name, k), sass.Whole), fn.formalWord(at.Loc, k))
		}
		return
	}
	fn.resultRegister(o, s, at)
}

// resultRegister moves a result to the register that the call names.
func (fn *fn) resultRegister(o *ptx.Operand, s *site, at abi.Placement) {
	p := &s.results[0]
	if len(p.Dims) > 0 {
		fn.cannot(o.Pos, "%s for the result of %s, an array", o.Text, s.name)
		return
	}
	if sym := fn.scope.Lookup(o.Name()); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace {
		fn.cannot(o.Pos, "%s is a formal of %s and cannot take the result of a call", o.Text, fn.f.Name)
		return
	}
	r, ok := fn.register(o)
	if !ok {
		return
	}
	if r.pred && p.Type == ptx.Pred {
		fn.emit("", "ISETP.NE.AND", note(p.Name, 0, 1), sass.P(r.name), sass.P("PT"), sass.R(at.Loc.Reg), sass.R(sass.RZ), sass.P("PT"))
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
		fn.toRegister(r, k, &w, "", span{name, 4 * k, min(4*k+4, at.Size)})
	}
}

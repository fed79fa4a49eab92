package lower

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// maxOffset bounds the offsets that an access may have, in bytes.
const maxOffset = 1 << 30

// access lowers an ld.param or st.param.
func (fn *fn) access(a *ptx.Access) {
	guard := fn.guard(a.Guard)
	if a.Type.Size() == 0 || a.Type == ptx.Pred {
		fn.errorf(a.Pos, BadAccess, "%s accesses no bytes; its type must be one of 8 to 128 bits", a.Op)
		return
	}
	sym := fn.scope.Lookup(a.Addr.Base)
	switch {
	case a.Addr.Base == "":
		fn.errorf(a.Addr.Pos, NotLowered, "a %s space address without a name is not lowered", ptx.ParamSpace)
		return
	case sym == nil:
		fn.undeclared(a.Addr.Pos, a.Addr.Base, "a .param variable", ".param, its type and its name")
		return
	case sym.Var != nil && sym.Spec.Space == ptx.RegSpace:
		fn.dynamic(a, guard)
		return
	}
	v := fn.variable(a.Addr.Base)
	if v == nil || sym.Spec.Space != ptx.ParamSpace {
		fn.errorf(a.Addr.Pos, BadAccess, "%s is not in .param space", a.Addr.Base)
		return
	}
	off := a.Addr.Off
	if a.Addr.Indexed {
		off *= int64(sig.ElemSize(sym.Spec))
	}
	if end := off + int64(a.Volume); off > maxOffset || off < 0 && (!fn.inMemory(v) || off < -maxOffset) {
		fn.errorf(a.Addr.Pos, BadAccess, "bytes [%d:%d) of %s, which has %d", off, end, v.source, v.size)
		return
	} else if v.size > 0 && end > int64(v.size) || off < 0 {
		fn.report(ptx.SeverityWarning, a.Addr.Pos, BadAccess, "bytes [%d:%d) of %s, which has %d; those outside it are undefined", off, end, v.source, v.size)
	}
	if a.Store && !fn.writable(a, v) {
		return
	}
	at := int(off)
	if a.Whole {
		fn.wholeVector(a, v, at, guard)
		return
	}
	for i := range a.Regs {
		fn.element(a, v, at+i*a.Type.Size(), &a.Regs[i], guard)
	}
}

// writable reports whether v may be stored to, and complains if not.
func (fn *fn) writable(a *ptx.Access, v *pvar) bool {
	switch {
	case v.place == inBank:
		fn.errorf(a.Addr.Pos, BadAccess, "%s is a kernel parameter and cannot be written", v.source)
		return false
	case v.sym.Role == sig.Param:
		fn.errorf(a.Addr.Pos, BadAccess, "%s is an input parameter and cannot be written; copy it to a register or to .local memory", v.source)
		return false
	}
	return true
}

// wholeVector accesses one vector register.
func (fn *fn) wholeVector(a *ptx.Access, v *pvar, off int, guard string) {
	r, ok := fn.register(&a.Regs[0])
	if !ok {
		return
	}
	if r.elems != a.Vec || r.elem < a.Type.Size() {
		fn.errorf(a.Regs[0].Pos, BadAccess, "%s takes a vector of %d elements of %s", a.Op, a.Vec, a.Type)
		return
	}
	for i := range a.Vec {
		o := a.Regs[0]
		o.Text, o.Elem = o.Name()+"."+"xyzw"[i:i+1], "xyzw"[i]
		fn.element(a, v, off+i*a.Type.Size(), &o, guard)
	}
}

// element accesses one element at byte off of v.
func (fn *fn) element(a *ptx.Access, v *pvar, off int, o *ptx.Operand, guard string) {
	size := a.Type.Size()
	if a.Store {
		if bytes, ok := fn.sourceBytes(o, a.Type, v.source); ok {
			fn.store(v, off, size, bytes, guard)
		}
		return
	}
	if o.Kind == ptx.KindSink {
		return
	}
	r, ok := fn.register(o)
	if !ok {
		return
	}
	if r.pred || r.size < size || r.elems > 0 {
		fn.errorf(o.Pos, BadAccess, "%s needs a register of %d bits or more; %s", a.Op, 8*size, noRegister(o, r))
		return
	}
	if fn.inMemory(v) {
		fn.loadMem(fn.memory(v, off), r, a.Type, v.source, off, guard)
		return
	}
	fn.loadRegs(v, off, r, a.Type, guard)
}

// sourceBytes returns the bytes of a stored operand as words.
func (fn *fn) sourceBytes(o *ptx.Operand, t ptx.Type, name string) ([4]word, bool) {
	var out [4]word
	size := t.Size()
	if o.Kind == ptx.KindInt || o.Kind == ptx.KindFloat {
		bits, ok := fn.constantBits(o, t, name)
		for i := range min(size, 8) {
			out[i/4].set(i%4, byte(bits>>(8*i)))
		}
		return out, ok
	}
	r, ok := fn.register(o)
	if !ok {
		return out, false
	}
	if r.pred || r.size < size || r.elems > 0 {
		fn.errorf(o.Pos, BadAccess, "a store of %d bits needs a register of as many; %s", 8*size, noRegister(o, r))
		return out, false
	}
	for i := range size {
		r.read(&out[i/4], i%4, i)
	}
	return out, true
}

// store puts size bytes at byte off of v. What would fall beyond the last word
// of a variable in registers goes nowhere.
func (fn *fn) store(v *pvar, off, size int, bytes [4]word, guard string) {
	switch v.place {
	case folded:
		size = min(size, alignUp(v.size, 4)-off)
		for len(v.pending) < (off+size+3)/4 {
			v.pending = append(v.pending, word{})
		}
		for i := range max(size, 0) {
			v.pending[(off+i)/4].put((off+i)%4, &bytes[i/4], i%4)
		}
	case inWords:
		for k := off / 4; 4*k < min(off+size, v.size); k++ {
			fn.insert(v, k, off, size, &bytes, guard)
		}
	case hidden, inFrame:
		fn.storeMem(fn.memory(v, off), size, &bytes, v.source, off, guard)
	}
}

// insert stores the bytes that fall into word k of a variable in words.
func (fn *fn) insert(v *pvar, k, off, size int, bytes *[4]word, guard string) {
	dst := sass.V(wordName(v.name, k), sass.Whole)
	var w word
	for b := range 4 {
		if i := 4*k + b - off; i >= 0 && i < size {
			w.put(b, &bytes[i/4], i%4)
		} else if 4*k+b < v.size {
			w.take(b, dst, b) // keep what is there
		}
	}
	fn.assemble(dst, &w, guard, note(v.source, max(off, 4*k), min(off+size, 4*k+4)))
}

// byteAt puts byte i of a variable that is in registers at byte at of w.
func (fn *fn) byteAt(v *pvar, w *word, at, i int) {
	switch {
	case i >= alignUp(v.size, 4):
	case v.place == inEntry:
		w.take(at, fn.formalWord(v.loc, i/4), i%4)
	case v.place == inWords:
		w.take(at, sass.V(wordName(v.name, i/4), sass.Whole), i%4)
	case v.place == folded && len(v.asResult) == 1:
		if s := &fn.sites[v.asResult[0].call]; s.ok && len(s.asn.Results) == 1 {
			w.take(at, fn.formalWord(s.asn.Results[0].Loc, i/4), i%4)
		}
	}
}

// loadRegs loads from a variable that is in registers.
func (fn *fn) loadRegs(v *pvar, off int, r register, t ptx.Type, guard string) {
	size := t.Size()
	promoted := off == 0 && promotes(v.sym) && v.sym.Spec.Type == t
	for k := range r.words() {
		var w word
		switch {
		case 4*k < size:
			n := min(4, size-4*k)
			for b := range n {
				fn.byteAt(v, &w, b, off+4*k+b)
			}
			switch {
			case promoted:
				for b := range 4 {
					fn.byteAt(v, &w, b, b)
				}
			case n < 4 && r.size > size:
				w.extend(n, t.Signed())
			}
		case t.Signed():
			var top word
			fn.byteAt(v, &top, 0, off+size-1)
			if top.n == 0 {
				break // beyond the variable: undefined
			}
			for b := range 4 {
				w.sign(b, top.srcs[0], int(top.from[0].val))
			}
		default:
			for b := range 4 {
				w.set(b, 0)
			}
		}
		var text span
		if 4*k < size {
			text = span{v.source, off + 4*k, off + min(4*k+4, size)}
		}
		fn.toRegister(r, k, &w, guard, text)
	}
}

// promotes reports whether a variable is a sub-word scalar whose word is
// extended by whoever writes it: .s types with the sign, .u types with zeros.
func promotes(sym *sig.Symbol) bool {
	if sym.Var == nil || len(sym.Var.Dims) > 0 || sym.Spec.Vec != 0 {
		return false
	}
	switch sym.Spec.Type {
	case ptx.U8, ptx.S8, ptx.U16, ptx.S16:
		return true
	}
	return false
}

func (fn *fn) inMemory(v *pvar) bool {
	switch v.place {
	case inFrame, incoming, hidden, inBank:
		return true
	}
	return false
}

// A memory is a place in local memory or in a constant bank.
type memory struct {
	op    sass.Operand // at the offset that is accessed
	align int          // of that offset, as far as 4
	bank  bool
}

// at moves m by n bytes.
func (m memory) at(n int) memory {
	m.op.Off += int64(n)
	m.align = (m.align + n) & 3
	return m
}

// memory returns byte off of a variable in memory.
func (fn *fn) memory(v *pvar, off int) memory {
	switch v.place {
	case incoming:
		return memory{op: fn.incomingAt(v.loc.Off)}.at(off)
	case hidden:
		addr := fn.hiddenAddr(v)
		if fn.early(v) {
			return memory{op: sass.M(fn.asn.Hidden.Reg, 0)}.at(off)
		}
		return memory{op: sass.MV(addr.Name, 0)}.at(off)
	case inBank:
		return memory{op: sass.C(v.loc.Bank, int64(v.loc.Off)), align: v.loc.Off & 3, bank: true}.at(off)
	}
	return memory{op: sass.M(fn.base(), int64(v.frame))}.at(off)
}

// hiddenAddr is the virtual register that keeps the address of a large result.
func (fn *fn) hiddenAddr(v *pvar) sass.Operand { return sass.V(v.name+".addr", sass.Whole) }

// loadOp returns the opcode that loads size bytes: 1, 2 or 4.
func (fn *fn) loadOp(m memory, size int, signed bool) string {
	sp := &fn.t.Spelling
	w := &sp.LoadLocal
	switch {
	case m.bank && m.op.Name != "":
		w = &sp.LoadConstIndexed
	case m.bank:
		w = &sp.LoadConst
	}
	switch {
	case size == 1 && signed:
		return w.S8
	case size == 1:
		return w.U8
	case size == 2 && signed:
		return w.S16
	case size == 2:
		return w.U16
	}
	return w.B32
}

func (fn *fn) storeOp(size int) string {
	w := &fn.t.Spelling.StoreLocal
	switch size {
	case 1:
		return w.U8
	case 2:
		return w.U16
	}
	return w.B32
}

// loadMem loads a value of type t at m into r; name and off are for notes.
func (fn *fn) loadMem(m memory, r register, t ptx.Type, name string, off int, guard string) {
	size := t.Size()
	for k := range r.words() {
		n := min(4, size-4*k)
		switch {
		case n <= 0:
			fn.extendWord(r, k, t, guard)
		case n == 4 && m.align == 0:
			fn.emit(guard, fn.loadOp(m, 4, false), note(name, off+4*k, off+4*k+4), r.word(k), m.at(4*k).op)
		case n == size && n <= 2 && m.align%n == 0:
			fn.emit(guard, fn.loadOp(m, n, t.Signed()), note(name, off, off+n), r.word(k), m.op)
		default:
			var w word
			for b := range n {
				fn.memByte(m.at(4*k+b), &w, b, name, off+4*k+b, guard)
			}
			if n < 4 && r.size > size {
				w.extend(n, t.Signed())
			}
			fn.toRegister(r, k, &w, guard, span{name, off + 4*k, off + 4*k + n})
		}
	}
}

// memByte loads the aligned word around m into a register of its own, unless w
// has it already, and takes the byte.
func (fn *fn) memByte(m memory, w *word, at int, name string, off int, guard string) {
	first := m.at(-m.align)
	tmp := sass.V(wordName(name, off/4)+"$"+hex(int(first.op.Off)), sass.Whole)
	known := false
	for i := range w.n {
		known = known || w.srcs[i] == tmp
	}
	if !known {
		fn.emit(guard, fn.loadOp(m, 4, false), "", tmp, first.op)
	}
	w.take(at, tmp, m.align)
}

// extendWord makes word k of r, which lies beyond the loaded value, its sign
// or zero. The value's last word has been loaded.
func (fn *fn) extendWord(r register, k int, t ptx.Type, guard string) {
	var w word
	top := r.word((t.Size() - 1) / 4)
	for b := range 4 {
		if t.Signed() {
			w.sign(b, top, 3)
		} else {
			w.set(b, 0)
		}
	}
	fn.toRegister(r, k, &w, guard, span{})
}

// storeMem stores size bytes at m.
func (fn *fn) storeMem(m memory, size int, bytes *[4]word, name string, off int, guard string) {
	for i := 0; i < size; {
		n := min(4, size-i)
		at := m.at(i)
		if n == 3 || at.align%n != 0 {
			n = 1
		}
		var w word
		for b := range n {
			w.put(b, &bytes[(i+b)/4], (i+b)%4)
		}
		fn.emit(guard, fn.storeOp(n), note(name, off+i, off+i+n), at.op, fn.inRegister(&w, guard))
		i += n
	}
}

// inRegister returns a register that holds w, the scratch register if no other
// does.
func (fn *fn) inRegister(w *word, guard string) sass.Operand {
	if op, ok := w.plain(); ok {
		return op
	}
	if v, ok := w.value(); ok && v == 0 {
		return sass.R(sass.RZ)
	}
	tmp := fn.scratch()
	fn.assemble(tmp, w, guard, "")
	return tmp
}

// dynamic lowers an access through an address in a register: a load from the
// parameter block in a kernel or with ::entry, local memory otherwise.
func (fn *fn) dynamic(a *ptx.Access, guard string) {
	base, ok := fn.register(&ptx.Operand{Kind: ptx.KindName, Text: a.Addr.Base, Pos: a.Addr.Pos})
	if !ok {
		return
	}
	bank := a.Qual == ptx.EntryParam || fn.f.Entry
	if bank && a.Store {
		fn.errorf(a.Addr.Pos, BadAccess, "kernel parameters cannot be written")
		return
	}
	part := base.word(0).Part
	m := memory{op: sass.MV(base.name, a.Addr.Off).Word(part)}
	if bank {
		blk := fn.asn.Block
		if !fn.f.Entry { // where the block of a kernel is, unless it is a large one
			blk = abi.Block{Bank: fn.t.Kernel.ParamBank, Base: fn.t.Kernel.ParamBase}
		}
		m = memory{op: sass.CV(blk.Bank, base.name, int64(blk.Base)+a.Addr.Off).Word(part), bank: true}
	}
	for i := range a.Regs {
		o, at := &a.Regs[i], m
		at.op.Off += int64(i * a.Type.Size())
		text := a.Addr.Base
		if a.Store {
			if bytes, ok := fn.sourceBytes(o, a.Type, text); ok {
				fn.storeMem(at, a.Type.Size(), &bytes, text, int(a.Addr.Off)+i*a.Type.Size(), guard)
			}
			continue
		}
		if o.Kind == ptx.KindSink {
			continue
		}
		r, ok := fn.register(o)
		if !ok {
			continue
		}
		if r.pred || r.size < a.Type.Size() || r.elems > 0 {
			fn.errorf(o.Pos, BadAccess, "%s needs a register of %d bits or more; %s", a.Op, 8*a.Type.Size(), noRegister(o, r))
			continue
		}
		fn.loadMem(at, r, a.Type, text, int(a.Addr.Off)+i*a.Type.Size(), guard)
	}
}

// addressOf lowers a mov that takes the address of a variable, and complains
// of other instructions that mention one. It reports whether it dealt with in.
func (fn *fn) addressOf(in *ptx.Instr, guard string) bool {
	if !fn.addressed {
		return false
	}
	var v *pvar
	names := identifiers{text: in.Args}
	first := names.next()
	second := ""
	for name := first; name != ""; name = names.next() {
		if name != first && second == "" {
			second = name
		}
		if got := fn.variable(name); got != nil && v == nil {
			v = got
		}
	}
	if v == nil {
		return false
	}
	if v.sym.Spec.Type.Class() == ptx.Handle {
		return false // the instructions that handles are for
	}
	off, plain := movOffset(in, first, second)
	if !plain || fn.variable(second) != v {
		if v.sym.Spec.Space == ptx.LocalSpace {
			return false // its text says enough, and the frame's comment where it is
		}
		fn.errorf(in.Pos, NotLowered, "%s with the .param variable %s is not lowered yet; take its address with mov", in.Op, v.source)
		return true
	}
	r, ok := fn.register(&ptx.Operand{Kind: ptx.KindName, Text: first, Pos: in.Pos})
	if !ok {
		return true
	}
	fn.moveAddress(in, v, r, off, guard)
	return true
}

// movOffset reports whether in is "mov.type reg, name" or "…, name+offset".
func movOffset(in *ptx.Instr, reg, name string) (off int64, ok bool) {
	if !strings.HasPrefix(in.Op, "mov.") || name == "" {
		return 0, false
	}
	text := strings.ReplaceAll(string(ptx.AppendTokens(nil, in.Args)), " ", "")
	rest, ok := strings.CutPrefix(text, reg+","+name)
	if !ok {
		return 0, false
	}
	if rest == "" {
		return 0, true
	}
	return ptx.ParseInt(strings.TrimPrefix(rest, "+"))
}

// moveAddress makes r the address of byte off of v.
func (fn *fn) moveAddress(in *ptx.Instr, v *pvar, r register, off int64, guard string) {
	if r.pred || r.elems > 0 || r.size < 4 || r.size > 8 {
		fn.errorf(in.Pos, BadAccess, "%s is no register for an address", r.name)
		return
	}
	text := "address of " + v.source
	if off != 0 {
		text += "+" + strconv.FormatInt(off, 10)
	}
	dst := r.word(0)
	switch v.place {
	case inFrame:
		fn.addReg(guard, dst, sass.R(fn.base()), int64(v.frame)+off, text)
	case incoming:
		at := fn.incomingAt(v.loc.Off)
		fn.addReg(guard, dst, sass.R(at.Reg), at.Off+off, text)
	case hidden:
		src := sass.R(fn.asn.Hidden.Reg)
		if !fn.early(v) {
			src = fn.hiddenAddr(v)
		}
		fn.addReg(guard, dst, src, off, text)
	case inBank:
		fn.moveConst(dst, uint32(int64(v.loc.Off-fn.asn.Block.Base)+off), guard, "offset of "+v.source+" in the parameter block")
	default:
		fn.errorf(in.Pos, BadAccess, "%s is a .param variable for a call and has no address; only formals have one", v.source)
		return
	}
	if r.size == 8 {
		fn.emit(guard, "MOV", "", r.word(1), sass.R(sass.RZ))
	}
}

// promotedKind tells how the bytes beyond a sub-word scalar are filled.
func promotedKind(p *ptx.Formal) (signed, ok bool) {
	sym := sig.Symbol{Spec: &p.Spec, Var: &p.Var}
	return p.Type.Signed(), promotes(&sym)
}

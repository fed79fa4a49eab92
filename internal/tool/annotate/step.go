package annotate

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// step takes the state before an instruction to that after it.
func (fn *function) step(s *state, i int) {
	in := &fn.code[i]
	if in.call >= 0 {
		fn.afterCall(s, in)
		return
	}
	var result []word
	if !in.guarded && in.effects.Sure && in.class != other {
		result = fn.result(s, i)
	}
	switch in.class {
	case storesLocal:
		fn.store(s, in)
	case storesAnywhere:
		fn.storeAnywhere(s)
	}
	if !in.effects.Sure {
		fn.storeAnywhere(s)
	}
	for _, p := range in.effects.Regs {
		s.invalidate(int(p.First), p.N)
	}
	for _, p := range in.effects.Uniform {
		s.invalidate(uniforms+int(p.First), p.N)
	}
	for k, w := range result {
		dest := &in.Args[in.effects.Dest]
		reg := dest.Reg + sass.Reg(k)
		if w.kind == nothing || reg == sass.RZ {
			continue
		}
		if dest.Kind == sass.KindUniform {
			s.regs[uniforms+int(reg)] = w
		} else {
			s.regs[reg] = w
		}
	}
}

// result is what an instruction is known to write to its destination, word by
// word; nil where nothing is known. It is good until the next call.
func (fn *function) result(s *state, i int) []word {
	in := &fn.code[i]
	if in.effects.Dest < 0 {
		return nil
	}
	one := func(w word) []word { return append(fn.results[:0], w) }
	switch in.class {
	case moves, movesSum:
		if in.isMove() {
			if src := in.source(); bare(src) {
				return one(fn.read(s, src))
			}
		}
	case loadsConst:
		return fn.constants(fn.results[:0], &in.Args[len(in.Args)-1], in.op.AccessSize())
	case movesWide:
		if !in.isWideMove() {
			return nil
		}
		switch src := in.source(); {
		case !bare(src):
		case src.Kind == sass.KindConst:
			return fn.constants(fn.results[:0], src, 8)
		case src.Reg < sass.RZ-1:
			next := *src
			next.Reg++
			return append(one(fn.read(s, src)), fn.read(s, &next))
		}
	case loadsLocal:
		return fn.loaded(fn.results[:0], s, in)
	case adds:
		if w, ok := fn.sum(s, in, in.effects.Dest); ok {
			return one(w)
		}
	case masks:
		// The stack pointer, aligned: a base of its own.
		sp := fn.target.Regs.SP
		if in.Args[in.effects.Dest].Reg == sp && s.reg(sp).kind == address {
			return one(word{kind: address, who: int32(i + 1)})
		}
	}
	return nil
}

// read is what is known of an operand of one word.
func (fn *function) read(s *state, o *sass.Operand) word {
	switch o.Kind {
	case sass.KindRegister:
		if o.Reg != sass.RZ {
			return s.reg(o.Reg)
		}
	case sass.KindUniform:
		if o.Reg != sass.RZ {
			return s.regs[uniforms+int(o.Reg)]
		}
	case sass.KindConst:
		var few [1]word
		if w := fn.constants(few[:0], o, 4); len(w) > 0 {
			return w[0]
		}
	}
	return word{}
}

// maxOffset is the last byte of a constant bank that is looked at, and more than a bank
// has.
const maxOffset = 1 << 20

// constants appends the words of a constant operand, if they are a kernel's
// parameters or its stack pointer.
func (fn *function) constants(all []word, o *sass.Operand, size int) []word {
	if o.Kind != sass.KindConst || o.Name != "" || !fn.own.Kernel {
		return all
	}
	if sp := fn.target.Kernel.SP; o.Bank == sp.Bank && o.Off == int64(sp.Off) && size == 4 {
		return append(all, word{kind: address})
	}
	if o.Off < 0 || o.Off > maxOffset {
		return all
	}
	for off := int(o.Off); off < int(o.Off)+size; off += 4 {
		w := word{}
		if f := fn.own.at(abi.Loc{Kind: abi.InConst, Bank: o.Bank, Off: off}); f != nil {
			at := off - f.Loc.Off
			w = word{kind: value, who: fn.owner("", f), off: int64(at), size: uint8(min(4, size, f.Size-at))}
		}
		all = append(all, w)
	}
	return all
}

// sum is an address and a number.
func (fn *function) sum(s *state, in *instr, arg int) (word, bool) {
	var base word
	off := int64(0)
	args := in.Args
	for i := arg + 1; i < len(args); i++ {
		o := &args[i]
		switch {
		case o.Kind == sass.KindPred && o.Name == "PT" || isZero(o):
		case o.Kind == sass.KindImm:
			off += int64(int32(o.Off))
		case o.Kind == sass.KindRegister && bare(o) && base == (word{}) && (s.reg(o.Reg).kind == address || s.reg(o.Reg).kind == buffer):
			base = s.reg(o.Reg)
		default:
			return word{}, false
		}
	}
	if base == (word{}) || args[arg].Kind != sass.KindRegister {
		return word{}, false
	}
	base.off += off
	return base, true
}

// local is where a local load or store goes, if that is known.
func local(s *state, in *instr) (w word, ok bool) {
	o := in.memory()
	if o == nil || o.Kind == sass.KindAddress && (o.HasUni || o.Suffix != "") || o.Name != "" || o.Reg == sass.RZ {
		return word{}, false
	}
	w = s.reg(o.Reg)
	w.off += o.Off
	return w, w.kind == address || w.kind == buffer
}

// loaded appends what LDL reads.
func (fn *function) loaded(all []word, s *state, in *instr) []word {
	at, ok := local(s, in)
	size := in.op.AccessSize()
	if !ok || at.kind != address {
		return all
	}
	for off := int64(0); off < int64(size); off += 4 {
		w := s.stack[place{at.who, at.off + off}]
		if w.kind != nothing {
			if size < 4 {
				w = word{} // a part of what was stored there
			}
		} else if f := fn.incoming(s, at.who, at.off+off); f != nil {
			rel := int(at.off+off) - f.Loc.Off
			w = word{kind: value, who: fn.owner("", f), off: int64(rel), size: uint8(min(4, size))}
			if f.Size > 0 {
				w.size = uint8(min(int(w.size), f.Size-rel))
			}
		}
		all = append(all, w)
	}
	return all
}

// incoming is the function's own parameter at an offset from the stack pointer
// at entry.
func (fn *function) incoming(s *state, base int32, off int64) *Formal {
	if base != 0 || off < 0 || fn.own.Kernel || s.overwritten {
		return nil
	}
	return fn.own.at(abi.Loc{Kind: abi.OnStack, Off: int(off)})
}

// store does to the stack what STL does.
func (fn *function) store(s *state, in *instr) {
	at, ok := local(s, in)
	size := int64(in.op.AccessSize())
	switch {
	case !ok:
		s.clearLoose()
		s.overwritten = true
		return
	case at.kind == buffer:
		return // in a caller's frame
	}
	words := fn.results[:0] // that are stored
	if data := in.op.Stored(&in.Instr); !in.guarded && size >= 4 && data != sass.RZ {
		for k := range size / 4 {
			words = append(words, s.reg(data+sass.Reg(k)))
		}
	}
	fn.overwrite(s, at.who, at.off, size, words)
	s.overwritten = s.overwritten || at.who == 0 && at.off+size > 0
	for k, w := range words {
		if w.kind != nothing {
			s.stack[place{at.who, at.off + 4*int64(k)}] = w
		}
	}
}

// overwrite drops the words of the stack that a store of n bytes touches, but for those that
// the words which are known take the place of.
func (fn *function) overwrite(s *state, base int32, off, n int64, words []word) {
	if len(s.stack) == 0 {
		return
	}
	for at := off - 3; at < off+n; at++ {
		k := at - off
		if k < 0 || k%4 != 0 || int(k/4) >= len(words) || words[k/4].kind == nothing {
			delete(s.stack, place{base, at})
		}
	}
}

// storeAnywhere does to the stack what a store through a generic address does, or
// code that is not known: it reaches the function's parameters there only if the
// function makes generic addresses of local ones.
func (fn *function) storeAnywhere(s *state) {
	s.clearLoose()
	s.overwritten = s.overwritten || fn.escapes
}

// mostOfResult is how many bytes of a result in memory are followed.
const mostOfResult = 1 << 12

// afterCall does to s what a call does.
func (fn *function) afterCall(s *state, in *instr) {
	c := &fn.calls[in.call]
	if c.free {
		sp := s.reg(fn.target.Regs.SP)
		s.reset()
		s.regs[fn.target.Regs.SP] = sp
		s.overwritten = fn.overwrites
		return
	}
	var buf word
	if c.callee != nil && c.callee.Hidden.Kind == abi.InReg {
		buf = s.reg(c.callee.Hidden.Reg)
	}
	for r := range uniforms {
		if !fn.target.Regs.CalleeSaved.Has(sass.Reg(r)) {
			s.regs[r] = word{}
		}
		if !fn.target.Regs.UniformCalleeSaved.Has(sass.Reg(r)) {
			s.regs[uniforms+r] = word{}
		}
	}
	s.clearLoose()
	s.overwritten = s.overwritten || fn.escapes
	if c.callee == nil || in.guarded {
		return
	}
	for k := range c.callee.Results {
		f := &c.callee.Results[k]
		who := fn.owner(c.callee.Name, f)
		fn.place(s, f, who)
		if f.Loc.Kind != abi.Indirect || buf.kind != address {
			continue
		}
		s.overwritten = s.overwritten || buf.who == 0 && buf.off+int64(f.Size) > 0
		for off := 0; off < min(f.Size, mostOfResult); off += 4 {
			s.stack[place{buf.who, buf.off + int64(off)}] = word{kind: value, who: who, off: int64(off), size: uint8(min(4, f.Size-off))}
		}
	}
}

package annotate

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// step takes the state before an instruction to that behind it.
func (fn *function) step(s *state, i int) {
	in := fn.code[i]
	if fn.isCall(i) {
		fn.afterCall(s, i)
		return
	}
	e := in.Effects()
	op, _, _ := strings.Cut(in.Op, ".")
	var result []word
	if !guarded(in) && e.Sure {
		result = fn.result(s, i, op)
	}
	switch op {
	case "STL":
		fn.store(s, in)
	case "ST", "ATOM", "RED", "STAS", "STSM":
		fn.storeAnywhere(s)
	}
	if !e.Sure {
		fn.storeAnywhere(s)
	}
	s.forget(&e)
	for k, w := range result {
		reg := in.Args[e.Dest].Reg + sass.Reg(k)
		if w == (word{}) || reg == sass.RZ {
			continue
		}
		if in.Args[e.Dest].Kind == sass.Uniform {
			s.uniform[reg] = w
		} else {
			s.regs[reg] = w
		}
	}
}

// result is what an instruction is known to write to its destination, word by
// word; nil where nothing is known.
func (fn *function) result(s *state, i int, op string) []word {
	in := fn.code[i]
	e := in.Effects()
	if e.Dest < 0 {
		return nil
	}
	switch {
	case isMove(in):
		if src := source(in); bare(src) {
			return []word{fn.read(s, src)}
		}
	case op == "LDC" || op == "ULDC" || op == "LDCU":
		return fn.constants(in.Args[len(in.Args)-1], moved(in))
	case isWideMove(in):
		switch src := source(in); {
		case !bare(src):
		case src.Kind == sass.Const:
			return fn.constants(src, 8)
		case src.Reg < sass.RZ-1:
			next := src
			next.Reg++
			return []word{fn.read(s, src), fn.read(s, next)}
		}
	case op == "LDL":
		return fn.loaded(s, in)
	case (strings.HasPrefix(op, "IADD") || op == "VIADD") && !carries(in):
		if w, ok := fn.sum(s, in, e.Dest); ok {
			return []word{w}
		}
	case strings.HasPrefix(op, "LOP"):
		// The stack pointer, aligned: a base of its own.
		sp := fn.target.Regs.SP
		if in.Args[e.Dest].Reg == sp && s.regs[sp].kind == address {
			return []word{{kind: address, who: i + 1}}
		}
	}
	return nil
}

// read is what is known of an operand of one word.
func (fn *function) read(s *state, o sass.Operand) word {
	switch o.Kind {
	case sass.Register:
		if o.Reg != sass.RZ {
			return s.regs[o.Reg]
		}
	case sass.Uniform:
		if o.Reg != sass.RZ {
			return s.uniform[o.Reg]
		}
	case sass.Const:
		if w := fn.constants(o, 4); len(w) > 0 {
			return w[0]
		}
	}
	return word{}
}

// constants are the words of a constant operand, if they are a kernel's
// parameters or its stack pointer.
func (fn *function) constants(o sass.Operand, size int) []word {
	if o.Kind != sass.Const || o.Name != "" || !fn.own.Kernel {
		return nil
	}
	if sp := fn.target.Kernel.SP; o.Bank == sp.Bank && o.Off == int64(sp.Off) && size == 4 {
		return []word{{kind: address}}
	}
	if o.Off < 0 || o.Off > 1<<20 {
		return nil
	}
	var all []word
	for off := int(o.Off); off < int(o.Off)+size; off += 4 {
		w := word{}
		if f := fn.own.inBlock(o.Bank, off); f != nil {
			at := off - f.Loc.Off
			w = word{kind: value, who: fn.owner("", f), off: at, size: min(4, size, f.Size-at)}
		}
		all = append(all, w)
	}
	return all
}

// carries reports whether a sum is of two words, or takes a carry.
func carries(in *sass.Instr) bool {
	mods := strings.Split(in.Op, ".")
	return mods[0] == "IADD64" || slices.Contains(mods, "64") || slices.Contains(mods, "X")
}

// sum is an address and a number.
func (fn *function) sum(s *state, in *sass.Instr, arg int) (word, bool) {
	var base word
	off := int64(0)
	for _, o := range in.Args[arg+1:] {
		switch {
		case o.Kind == sass.Pred && o.Name == "PT" || zero(o):
		case o.Kind == sass.Imm:
			off += int64(int32(o.Off))
		case o.Kind == sass.Register && bare(o) && base == (word{}) && (s.regs[o.Reg].kind == address || s.regs[o.Reg].kind == buffer):
			base = s.regs[o.Reg]
		default:
			return word{}, false
		}
	}
	if base == (word{}) || in.Args[arg].Kind != sass.Register {
		return word{}, false
	}
	base.off += int(off)
	return base, true
}

// memory is where a local load or store goes, if that is known.
func memory(s *state, o sass.Operand) (w word, ok bool) {
	if o.Kind != sass.Mem && (o.Kind != sass.Address || o.Uni != sass.RZ || o.Suffix != "") || o.Name != "" || o.Reg == sass.RZ {
		return word{}, false
	}
	w = s.regs[o.Reg]
	w.off += int(o.Off)
	return w, w.kind == address || w.kind == buffer
}

// operand is the first operand of that is memory, nil if there is none.
func memOperand(in *sass.Instr) *sass.Operand {
	for i := range in.Args {
		if k := in.Args[i].Kind; k == sass.Mem || k == sass.Address {
			return &in.Args[i]
		}
	}
	return nil
}

// loaded is what LDL reads.
func (fn *function) loaded(s *state, in *sass.Instr) []word {
	m := memOperand(in)
	if m == nil {
		return nil
	}
	at, ok := memory(s, *m)
	size := moved(in)
	if !ok || at.kind != address {
		return nil
	}
	var all []word
	for off := 0; off < size; off += 4 {
		w := s.stack[place{at.who, at.off + off}]
		if f := fn.incoming(s, at.who, at.off+off); w == (word{}) && f != nil {
			rel := at.off + off - f.Loc.Off
			w = word{kind: value, who: fn.owner("", f), off: rel, size: min(4, size)}
			if f.Size > 0 {
				w.size = min(w.size, f.Size-rel)
			}
		} else if size < 4 {
			w = word{} // a part of what was stored there
		}
		all = append(all, w)
	}
	return all
}

// incoming is the function's own parameter at an offset from the stack pointer
// at entry.
func (fn *function) incoming(s *state, base, off int) *Formal {
	if base != 0 || off < 0 || fn.own.Kernel || s.overwritten {
		return nil
	}
	return fn.own.onStack(off)
}

// store does to the stack what STL does.
func (fn *function) store(s *state, in *sass.Instr) {
	m := memOperand(in)
	if m == nil {
		s.forgetStack()
		s.overwritten = true
		return
	}
	at, ok := memory(s, *m)
	size := moved(in)
	switch {
	case !ok:
		s.forgetStack()
		s.overwritten = true
		return
	case at.kind == buffer:
		return // in a caller's frame
	}
	s.overwrite(place{at.who, at.off}, size)
	s.overwritten = s.overwritten || at.who == 0 && at.off+size > 0
	data := in.Stored()
	if guarded(in) || size < 4 || data == sass.RZ {
		return
	}
	for k := 0; k < size/4; k++ {
		if w := s.regs[data+sass.Reg(k)]; w != (word{}) {
			s.stack[place{at.who, at.off + 4*k}] = w
		}
	}
}

// storeAnywhere does to the stack what a store through a generic address does, or
// code that is not known: it reaches the function's parameters there only if the
// function makes generic addresses of local ones.
func (fn *function) storeAnywhere(s *state) {
	s.forgetStack()
	s.overwritten = s.overwritten || fn.escapes
}

// afterCall does to s what a call does.
func (fn *function) afterCall(s *state, i int) {
	c := fn.calls[i]
	if c.free {
		sp := s.regs[fn.target.Regs.SP]
		*s = *newState()
		s.regs[fn.target.Regs.SP] = sp
		s.overwritten = fn.overwrites
		return
	}
	var buf word
	if c.callee != nil && c.callee.Hidden.Kind == abi.InReg {
		buf = s.regs[c.callee.Hidden.Reg]
	}
	s.call(fn.target)
	s.overwritten = s.overwritten || fn.escapes
	if c.callee == nil || guarded(fn.code[i]) {
		return
	}
	for k := range c.callee.Results {
		f := &c.callee.Results[k]
		who := fn.owner(" from "+c.callee.Name, f)
		fn.place(s, f, who)
		if f.Loc.Kind != abi.Indirect || buf.kind != address {
			continue
		}
		for off := 0; off < f.Size; off += 4 {
			s.stack[place{buf.who, buf.off + off}] = word{kind: value, who: who, off: off, size: min(4, f.Size-off)}
		}
	}
}

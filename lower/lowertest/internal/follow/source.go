package follow

import (
	"maps"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
	"github.com/ptxabi/ptxabi/sass"
)

// A source is the state of the function of PTX when control is at an instruction of the
// listing that it was compiled to. Values are those of the machine: where both have the
// same, a register of the source is where it should be.
type source struct {
	at   int                       // the statement that comes next
	regs map[cell]symexec.Word     // what was never written is nothing
	vars map[variable]symexec.Byte // bytes of .param variables
	// facts are the predicates, by their values, of which it is known what they are.
	facts map[symexec.Byte]bool
}

// sourceOf returns the state of the source beside one of the machine.
func sourceOf(s *symexec.State) *source { return s.Beside.(*source) }

// A cell is a word of an element of a register.
type cell struct {
	reg  int32 // index in [dataflow.Function].Registers
	elem uint8
	word uint8
}

// A param is a variable in .param space; nil for none. Of name<count> the name is that of one of them.
type param struct {
	v    *ptx.Var
	name string
	// extended says that what writes it extends it to a register, and that what reads
	// it may take all of that.
	extended bool
}

// A variable is a byte of a variable.
type variable struct {
	param
	off int64
}

func (s *source) Clone() symexec.Beside {
	return &source{at: s.at, regs: maps.Clone(s.regs), vars: maps.Clone(s.vars), facts: maps.Clone(s.facts)}
}

// A place of a value in the source: a register, or an element of one.
type sourceReg struct {
	reg, elem int
	name      string // as the source has it: "%v.x"
	size      int    // in bytes; 1 for a predicate
}

func (r *sourceReg) words() int { return (r.size + 3) / 4 }

func (s *source) word(r *sourceReg, k int) symexec.Word {
	return s.regs[cell{int32(r.reg), uint8(r.elem), uint8(k)}]
}

func (s *source) set(r *sourceReg, k int, w symexec.Word) {
	s.regs[cell{int32(r.reg), uint8(r.elem), uint8(k)}] = w
}

// fill sets the bytes of a register.
func (s *source) fill(r *sourceReg, value func(k int) symexec.Byte) {
	for k := range r.words() {
		var w symexec.Word
		for b := range w.B {
			w.B[b] = value(4*k + b)
		}
		s.set(r, k, w)
	}
}

// registers returns the registers that a name of a statement means: the elements of a
// vector that is named whole; none for another name.
func (a *allocation) registers(i int, n operandName) []sourceReg {
	r := a.fn.Meaning(i, n.Text)
	if r < 0 {
		return nil
	}
	reg := &a.fn.Registers[r]
	one := sourceReg{reg: r, name: n.Text, size: max(reg.Spec.Type.Size(), 1)}
	switch {
	case n.Elem != 0:
		one.elem = strings.IndexByte("xyzw", n.Elem)
		one.name += "." + string(n.Elem)
	case reg.Elements() > 1:
		var list []sourceReg
		for k := range min(reg.Elements(), 4) {
			e := one
			e.elem, e.name = k, n.Text+"."+"xyzw"[k:k+1]
			list = append(list, e)
		}
		return list
	}
	return []sourceReg{one}
}

// begin returns what holds when the function begins: its parameters are where the
// convention has them.
func (a *allocation) begin() *source {
	s := &source{regs: make(map[cell]symexec.Word), vars: make(map[variable]symexec.Byte), facts: make(map[symexec.Byte]bool)}
	own := a.p.sites.own
	formals := a.formals
	for i := range own.asn.Params {
		if i >= len(formals) {
			break
		}
		p, f := &own.asn.Params[i], &formals[i]
		if f.Space == ptx.RegSpace {
			for e, r := range a.registers(0, operandName{Text: f.Name}) {
				s.fill(&r, func(k int) symexec.Byte {
					if f.Type == ptx.Pred || f.Vec > 0 && r.size < 4 { // which come as numbers, and in their own way
						return unknown(0).B[k%4]
					}
					return entryByte(p, e*r.size+k)
				})
			}
			continue
		}
		v := a.variableOf(f.Name, 0)
		if v == (param{}) { // a kernel's of PTX 1.3
			v = a.variableOf(f.Name, len(a.fn.Func.Body))
		}
		for k := range wholeWords(p.Size) {
			a.entry[variable{v, int64(k)}] = entryByte(p, k)
		}
	}
	return s
}

// most64k bounds the bytes of one variable that are followed.
const most64k = 1 << 16

// entryByte returns byte k of a parameter as it is when the function begins.
func entryByte(p *abi.Placement, k int) symexec.Byte {
	switch p.Loc.Kind {
	case abi.InReg:
		return symexec.RegWord(p.Loc.Reg+sass.Reg(k/4), 0).B[k%4]
	case abi.OnStack:
		return symexec.Byte{Kind: symexec.LocalByte, Base: symexec.SPBase, Off: int64(p.Loc.Off + k)}
	case abi.InConst:
		return symexec.Byte{Kind: symexec.BankByte, Reg: p.Loc.Bank, Off: int64(p.Loc.Off + k)}
	}
	return symexec.Byte{}
}

// variableOf returns the .param variable that a name means to a statement, the zero param if it means
// none of the function's.
func (a *allocation) variableOf(name string, i int) param {
	if spec, v := a.fn.Variable(i, name); v != nil && spec.Space == ptx.ParamSpace {
		sub := spec.Type == ptx.U8 || spec.Type == ptx.S8 || spec.Type == ptx.U16 || spec.Type == ptx.S16
		return param{v, name, sub && len(v.Dims) == 0}
	}
	return param{}
}

// catchUp carries out the statements before one, which are those that the listing has no
// instruction for by itself: accesses to parameters, moves, and declarations. Where force
// is not set it ends before a statement of which it is not known whether it is executed.
func (a *allocation) catchUp(s *source, to int, force bool) {
	for ; s.at < to; s.at++ {
		st := a.fn.Func.Body[s.at]
		in := instrOf(st)
		if in == nil {
			continue
		}
		does, known := s.holds(a, s.at, in.Guard)
		if !known && !force {
			return
		}
		switch {
		case known && !does:
		case !known:
			a.loseDefs(s, s.at)
		default:
			a.silent(s, s.at, st)
		}
	}
}

// instrOf returns the instruction that a statement is, nil for none.
func instrOf(st ptx.Stmt) *ptx.Instr {
	switch st := st.(type) {
	case *ptx.Instr:
		return st
	case *ptx.Access:
		return &st.Instr
	case *ptx.Call:
		return &st.Instr
	}
	return nil
}

// holds returns whether the guard of a statement is true.
func (s *source) holds(a *allocation, i int, g *ptx.Guard) (does, known bool) {
	if g == nil {
		return true, true
	}
	for _, r := range a.registers(i, operandName{Text: g.Name}) {
		if is, ok := s.facts[s.word(&r, 0).B[0]]; ok {
			return is != g.Neg, true
		}
	}
	return false, false
}

// silent carries out a statement that has no instruction of its own.
func (a *allocation) silent(s *source, i int, st ptx.Stmt) {
	switch st := st.(type) {
	case *ptx.Access:
		a.access(s, i, st)
	case *ptx.Call:
		a.p.fail("the source calls %s in line %d, and the listing does not", st.Callee.Text, st.Pos.Line)
	case *ptx.Instr:
		switch kind := st.Kind(); {
		case kind == ptx.OpMove:
			side := a.sourceSide(s, i)
			if list, _ := dataflow.Operands(st.Op, ptx.ParseOperands(string(ptx.AppendTokens(nil, st.Args)))); side.move(st.Op, list) {
				return
			}
		case kind == ptx.OpBranch, kind == ptx.OpReturn:
			a.p.fail("the source has %s in line %d, and the listing has nothing in its place", st.Op, st.Pos.Line)
			return
		}
		a.missing[i] = true
		a.loseDefs(s, i)
	}
}

// loseDefs makes nothing be known of the registers that a statement writes.
func (a *allocation) loseDefs(s *source, i int) {
	for _, d := range a.fn.Defs(i) {
		reg := &a.fn.Registers[d.Reg]
		for _, r := range a.registers(i, operandName{Text: reg.Name}) {
			for k := range r.words() {
				s.set(&r, k, unknown(i))
			}
		}
	}
	if st, ok := a.fn.Func.Body[i].(*ptx.Access); ok && st.Store {
		a.drop(s, a.variableOf(st.Addr.Base, i), i)
	}
}

// unknown is a word of which nothing is known because of a statement.
func unknown(i int) symexec.Word { return lostWord(-1 - int64(i)) }

// drop makes the bytes of a variable unknown.
func (a *allocation) drop(s *source, v param, i int) {
	for at := range s.vars {
		if at.param == v {
			s.vars[at] = unknown(i).B[0]
		}
	}
}

// access carries out an access to a parameter.
func (a *allocation) access(s *source, i int, st *ptx.Access) {
	v := a.variableOf(st.Addr.Base, i)
	for _, r := range a.registers(i, operandName{Text: st.Addr.Base}) { // one that holds the address
		if b := s.word(&r, 0).B[0]; b.Kind == symexec.TermByte && a.address[b.Off] != "" {
			v = a.variableOf(a.address[b.Off], i)
		}
	}
	if v == (param{}) || st.Addr.Indexed {
		a.loseDefs(s, i)
		return
	}
	var regs []sourceReg
	constants := make(map[int]uint64)
	for k := range st.Regs {
		o := &st.Regs[k]
		list := a.registers(i, operandName{Text: o.Name(), Elem: o.Elem})
		if list == nil {
			c := o.Bits
			if o.Kind != ptx.KindInt && o.Kind != ptx.KindFloat && o.Kind != ptx.KindSink || o.Kind == ptx.KindFloat && int(o.FloatSize) != st.Type.Size() {
				a.loseDefs(s, i)
				return
			}
			constants[len(regs)] = c
			list = []sourceReg{{reg: -1}}
		}
		regs = append(regs, list...)
	}
	size := st.Type.Size()
	if size == 0 || len(regs) == 0 {
		a.loseDefs(s, i)
		return
	}
	values := make([][]symexec.Word, len(regs))
	for k := range regs {
		r, off := &regs[k], st.Addr.Off+int64(k*size)
		switch {
		case st.Store:
			for b := range size {
				value := symexec.Byte{Kind: symexec.ConstByte, Off: int64(constants[k] >> (8 * min(b, 7)) & 0xff)}
				if r.reg >= 0 {
					value = symexec.Effective(s.word(r, b/4), b%4)
				}
				s.vars[variable{v, off + int64(b)}] = value
			}
		case r.reg >= 0:
			for word := range r.words() {
				values[k] = append(values[k], a.loaded(s, v, off, word, st.Type))
			}
		}
	}
	for k, list := range values {
		for n, w := range list {
			s.set(&regs[k], n, w)
		}
	}
}

// loaded returns word k of a variable that is loaded as a type.
func (a *allocation) loaded(s *source, v param, off int64, k int, typ ptx.Type) symexec.Word {
	var w symexec.Word
	size := typ.Size()
	for b := range w.B {
		switch at := 4*k + b; {
		case at < size:
			w.B[b] = a.variable(s, variable{v, off + int64(at)})
		case v.extended:
		case typ.Signed():
			w.B[b] = symexec.SignOf(a.variable(s, variable{v, off + int64(size) - 1}))
		case typ.Class() == ptx.Integer:
			w.B[b] = symexec.Byte{Kind: symexec.ConstByte}
		}
	}
	return w
}

// variable returns a byte of a variable.
func (a *allocation) variable(s *source, at variable) symexec.Byte {
	if b, ok := s.vars[at]; ok {
		return b
	}
	return a.entry[at]
}

// homes finds the variables that one block alone mentions, as those of most calls: between
// blocks their values do not matter.
func (a *allocation) homes() {
	a.home = make(map[param]int)
	mention := func(i int, name string) {
		v := a.variableOf(name, i)
		if v == (param{}) {
			return
		}
		if have, ok := a.home[v]; ok && have != a.fn.BlockOf(i) {
			a.home[v] = -1
		} else if !ok {
			a.home[v] = a.fn.BlockOf(i)
		}
	}
	for i, st := range a.fn.Func.Body {
		switch st := st.(type) {
		case *ptx.Access:
			mention(i, st.Addr.Base)
		case *ptx.Call:
			for _, list := range [][]ptx.Operand{st.Params, st.Results} {
				for k := range list {
					mention(i, list[k].Name())
				}
			}
		}
	}
	for i := range a.fn.Func.Results { // which returns mention
		a.home[a.variableOf(a.fn.Func.Results[i].Name, 0)] = -1
	}
}

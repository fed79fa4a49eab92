package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A plain is what the checker remembers to see fast that nothing is to be said of
// an access, as of nearly all: to look at each by all rules takes ten times as long. What
// it does not see goes the long way.
type plain struct {
	// bases says what names of addresses mean, each at the place of a hash. They are
	// good if they bear the stamp, which changes where a block ends, or where a declaration
	// may hide one.
	bases [baseSlots]variableAt
	stamp uint32
	// other is the last name of an address that means no parameter.
	other string
	// formals are those of the function, results first, and next the one behind that
	// which was accessed last: most come in order. Once a declaration may hide one of
	// them, there are none here.
	formals []*resolved.Symbol
	next    int
	// accesses holds opcodes that are right, the last ones by type, by elements and
	// by whether they store.
	accesses [32 << 3]plainOp
	// ranges holds those of registers, each at the place of a hash. They are good if
	// they bear the stamp, which changes where one ends or may be hidden. There are none
	// as long as the function is odd: names that look like one of a range may be another.
	ranges [rangeSlots]regRange
	regs   uint32
	odd    bool
	nested bool // a range of registers was declared within a block
}

const (
	baseSlots  = 16
	rangeSlots = 16
)

// A variableAt is what a name means: a .param variable that accesses can be right for.
type variableAt struct {
	name        string
	sym         *resolved.Symbol
	size, align int64
	local       *local // of the placement; nil before an access of it
	stamp       uint32
}

// A plainOp is an opcode that is right, with the place of the registers that it went
// with last, and their type.
type plainOp struct {
	// n is how long the opcode is, 0 for none, and head and tail are its first and last
	// eight bytes, which are all: to compare them takes half as long as with the text.
	n          int
	head, tail uint64
	size       int64 // of all elements, a power of two
	align      int64 // of one
	slot       uint8
	reg        ptx.Type // ptx.NoType before it went with any
}

// A regRange is stem0, stem1 and so on, where stem is a percent sign and one or two bytes.
type regRange struct {
	stem  uint32 // the bytes, the first one lowest
	mask  uint32 // of them
	n     int    // how many
	count int64
	typ   ptx.Type
	stamp uint32
}

// forget is called where names may come to mean something else.
func (p *plain) forget() {
	p.other = ""
	if p.stamp++; p.stamp == 0 { // all of them have been used
		clear(p.bases[:])
		p.stamp = 1
	}
}

// forgetRanges is the same for ranges of registers.
func (p *plain) forgetRanges() {
	if p.regs++; p.regs == 0 {
		clear(p.ranges[:])
		p.regs = 1
	}
}

// reset forgets everything but opcodes, for another body.
func (p *plain) reset() {
	p.forget()
	p.forgetRanges()
	p.formals, p.next = p.formals[:0], 0
	p.odd, p.nested = false, false
}

// drop forgets what would keep a module in memory.
func (p *plain) drop() {
	p.reset()
	clear(p.bases[:])
}

// close is called at the end of a block.
func (p *plain) close() {
	p.forget()
	if p.nested {
		p.forgetRanges()
	}
}

// slot returns where a name that is not empty is if it is among the bases.
func (p *plain) slot(name string) *variableAt {
	n := uint(len(name))
	return &p.bases[(uint(name[n-1])+5*n)%baseSlots]
}

// known returns what a name means if it is among the bases, else nil.
func (p *plain) known(name string) *resolved.Symbol {
	if name == "" {
		return nil
	}
	if b := p.slot(name); b.stamp == p.stamp && b.name == name {
		return b.sym
	}
	return nil
}

// plainAccess follows an access that is certainly right, and reports whether it is.
// If not, nothing has been done.
func (c *checker) plainAccess(a *ptx.Access) bool {
	name := a.Addr.Base
	if a.Guard != nil || a.Qual != ptx.AnyParam || a.Whole || a.Addr.Indexed || name == "" || !a.Store && !strings.HasSuffix(a.Args, "]") {
		return false
	}
	fn := c.fn
	op := &fn.plain.accesses[plainIndex(a)]
	if n := len(a.Op); n < wordSize || n != op.n || word(a.Op) != op.head || word(a.Op[n-wordSize:]) != op.tail {
		if !op.learn(a) {
			return false
		}
	}
	base := fn.plain.slot(name)
	if (base.stamp != fn.plain.stamp || base.name != name) && !c.plainBase(base, name) {
		return name[0] == '%' && c.plainPointer(a, op)
	}
	sym, off := base.sym, a.Addr.Off
	if off < 0 || off+op.size > base.size || off&(op.size-1) != 0 || base.align < op.align {
		return false
	}
	if sym.Role == resolved.Param && a.Store || sym.Role == resolved.Result && !a.Store || !c.plainRegs(a, op) {
		return false
	}
	if !a.Store && fn.taint.bits != 0 {
		c.untaint(&a.Instr)
	}
	if sym.Role != resolved.Local {
		fn.place.other()
		return true
	}
	if base.local == nil {
		base.local = fn.place.local(base.name, sym)
	}
	fn.place.access(c, a, base.local)
	return true
}

const wordSize = 8

// word returns the first bytes of s as a number.
func word(s string) uint64 {
	_ = s[wordSize-1]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// plainIndex returns where among the accesses an opcode is, if it is there.
func plainIndex(a *ptx.Access) uint {
	i := uint(a.Type&31)<<3 | uint(a.Vec)&6
	if a.Store {
		i |= 1
	}
	return i
}

// learn makes p what is known of the opcode of a, and reports whether it is one that
// compilers write, of a type that accesses have. If not, nothing has been done.
func (p *plainOp) learn(a *ptx.Access) bool {
	switch a.Type {
	case ptx.NoType, ptx.B128, ptx.F16, ptx.F16X2:
		return false
	}
	if a.Type > ptx.F64 || a.Vec != 0 && a.Vec != 2 && a.Vec != 4 {
		return false
	}
	if a.Volume != a.Type.Size()*max(a.Vec, 1) || a.Volume > vectorBytes || !plainModifiers(a) {
		return false
	}
	n := len(a.Op)
	if n < wordSize || n > 2*wordSize { // st.param.v4.b32 is the longest
		return false
	}
	*p = plainOp{n: n, head: word(a.Op), tail: word(a.Op[n-wordSize:]), size: int64(a.Volume), align: int64(a.Type.Size())}
	return true
}

// plainPointer is plainAccess for an access through a register, as of parameters that a
// body takes the address of.
func (c *checker) plainPointer(a *ptx.Access, op *plainOp) bool {
	if a.Store || a.Addr.Off < 0 || !c.plainRegs(a, op) {
		return false
	}
	reg := c.lookup(a.Addr.Base)
	if reg == nil || reg.Var == nil || reg.Spec.Space != ptx.RegSpace || reg.Spec.Vec != 0 {
		return false
	}
	if k := reg.Spec.Type.Class(); k != ptx.Integer && k != ptx.Bits {
		return false
	}
	c.fn.place.other()
	c.untaint(&a.Instr)
	return true
}

// plainBase makes base what a name means, and reports whether it means a .param
// variable that accesses can be right for. If not, nothing has been done.
func (c *checker) plainBase(base *variableAt, name string) bool {
	if name[0] == '%' && !c.later.Percent { // a register
		return false
	}
	sym := c.fn.plain.formal(name)
	if sym == nil {
		sym = c.lookup(name)
	}
	return sym != nil && sym.Var != nil && c.plainSymbol(base, name, sym)
}

// plainSymbol does it where sym is what the name means.
func (c *checker) plainSymbol(base *variableAt, name string, sym *resolved.Symbol) bool {
	spec, v := sym.Spec, sym.Var
	if spec.Space != ptx.ParamSpace || spec.Type.Class() == ptx.Handle || c.broken(sym) ||
		c.ownNamed(name) || sym.Role == resolved.Local && c.arch != 0 && c.arch < paramFormals.arch {
		return false
	}
	*base = variableAt{name: name, sym: sym, size: int64(resolve.Size(spec, v)), align: int64(resolve.Align(spec)), stamp: c.fn.plain.stamp}
	return true
}

// formal returns the formal of that name if it is the next one, else nil.
func (p *plain) formal(name string) *resolved.Symbol {
	for i := p.next; i < len(p.formals) && i < p.next+2; i++ { // one behind the result
		if p.formals[i].Var.Name == name {
			p.next = i + 1
			return p.formals[i]
		}
	}
	return nil
}

// plainRegs reports whether all operands of an access are registers of one type,
// which goes with it, or it stores a whole number.
func (c *checker) plainRegs(a *ptx.Access, op *plainOp) bool {
	p := &c.fn.plain
	r := &p.ranges[op.slot%rangeSlots]
	return r.stamp == p.regs && r.typ == op.reg && r.has(a.Regs) || c.otherRegs(a, op)
}

// otherRegs is plainRegs for registers that are not of the range that went with the
// opcode last.
func (c *checker) otherRegs(a *ptx.Access, op *plainOp) bool {
	p := &c.fn.plain
	if a.Store && a.Vec == 0 && len(a.Regs) == 1 && a.Regs[0].Kind == ptx.KindInt {
		return a.Type.Class() != ptx.Float
	}
	first := ptx.NoType
	for i := range a.Regs {
		o := &a.Regs[i]
		if o.Kind != ptx.KindName || o.Elem != 0 {
			return false
		}
		sym := c.lookup(o.Text)
		if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
			return false
		}
		t := sym.Spec.Type
		switch {
		case t == first:
		case first == ptx.NoType && t != ptx.Pred && registerFits(a, o, sym.Spec):
			first = t
		default:
			return false
		}
		if sym.Spec.Vec != 0 {
			return false
		}
		if slot, ok := p.know(sym); ok {
			op.slot, op.reg = slot, t
		}
	}
	return true
}

// know makes a range of registers known, and returns its place. It is not ok if the
// range is none, or names that look like one of it may be another.
func (p *plain) know(sym *resolved.Symbol) (slot uint8, ok bool) {
	v := sym.Var
	last := len(v.Name) - 1
	if !v.Ranged() || last < 1 || last > 2 || v.Name[0] != '%' || digit(v.Name[1]) || digit(v.Name[last]) || p.odd ||
		sym.Spec.Space != ptx.RegSpace || sym.Spec.Vec != 0 || sym.Spec.Type == ptx.NoType {
		return 0, false
	}
	r := regRange{n: last + 1, count: v.Count, typ: sym.Spec.Type, stamp: p.regs}
	for i := last; i >= 0; i-- {
		r.stem, r.mask = r.stem<<8|uint32(v.Name[i]), r.mask<<8|0xff
	}
	slot = (v.Name[1] + 2*v.Name[last] + byte(last)) % rangeSlots // all that compilers write differ
	p.ranges[slot] = r
	return slot, true
}

// has reports whether all of the operands name one of the range.
func (r *regRange) has(regs []ptx.Operand) bool {
	const mostDigits = 9
	for i := range regs {
		o := &regs[i]
		name := o.Text
		if o.Kind != ptx.KindName || o.Elem != 0 || len(name) < 3 || len(name) > r.n+mostDigits {
			return false
		}
		if (uint32(name[0])|uint32(name[1])<<8|uint32(name[2])<<16)&r.mask != r.stem {
			return false
		}
		k := r.n
		if k >= len(name) {
			return false
		}
		n := int64(0)
		for ; k < len(name); k++ {
			d := name[k] - '0'
			if d > 9 {
				return false
			}
			n = 10*n + int64(d)
		}
		if n >= r.count {
			return false
		}
	}
	return true
}

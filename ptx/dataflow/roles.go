package dataflow

import (
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/ptx"
)

// A role is what an instruction does with its operands.
type role uint8

const (
	// writes: the first operand is written, unless it is an address; all others are
	// read. A pair a|b is two registers that are written, braces hold several.
	writes role = iota + 1
	// reads: all operands are read.
	reads
	// updates: the first operand is read and written, all others are read.
	updates
)

// roles are the instructions of PTX ISA 9.0 by their names without modifiers, and by
// longer beginnings where modifiers change the role. It is never written.
var roles = []struct {
	names string
	role  role
}{
	{"add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi bmsk szext dp4a dp2a " +
		"addc subc madc fma rcp sqrt rsqrt sin cos lg2 ex2 tanh testp copysign set setp selp slct and or xor not cnot lop3 " +
		"shf shl shr mov shfl prmt ld ldu ldmatrix movmatrix isspacep cvta cvt mapa getctarank tex tld4 txq istypep suld suq " +
		"atom vote match activemask elect redux vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 " +
		"vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4 alloca stacksave createpolicy mma " +
		"mbarrier bar.red barrier.red barrier.cta.red wmma.load wmma.mma multimem.ld_reduce tcgen05.ld " +
		"clusterlaunchcontrol.query_cancel", writes},
	{
		"st red stmatrix prefetch prefetchu applypriority discard sust sured cp tensormap bar barrier membar fence " +
			"nanosleep pmevent trap brkpt exit ret bra brx stackrestore setmaxnreg griddepcontrol wmma.store multimem.st multimem.red " +
			"multimem.cp wgmma tcgen05 clusterlaunchcontrol mbarrier.init mbarrier.inval mbarrier.complete_tx mbarrier.expect_tx",
		reads,
	},
	{"wgmma.mma_async", updates},
}

var roleNames = sync.OnceValue(func() map[string]role {
	m := make(map[string]role)
	for _, r := range roles {
		for name := range strings.FieldsSeq(r.names) {
			m[name] = r.role
		}
	}
	return m
})

// roleOf returns the role of an opcode with its modifiers, 0 if it is not known: the
// one of its longest beginning that the table has.
func roleOf(op string) role {
	for name := op; ; {
		if r := roleNames()[name]; r != 0 {
			return r
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return 0
		}
		name = name[:i]
	}
}

// Known reports whether the package knows the operands of an opcode, with or without
// modifiers: "add.s32". It is false for call, which has a node of its own in package ptx.
func Known(op string) bool { return roleOf(op) != 0 }

// An Operand is one operand of an instruction. The registers of an address are read.
type Operand struct {
	*ptx.Operand
	// Written reports that the registers in it are written, and Read that they are read.
	// Both may be set.
	Read, Written bool
}

// Operands returns what an instruction does with its operands, given its opcode with modifiers. If the opcode
// is unknown, known is false, and each operand that is not an address counts as read and written.
func Operands(op string, operands []ptx.Operand) (list []Operand, known bool) {
	r := roleOf(op)
	for i := range operands {
		o := Operand{Operand: &operands[i], Read: true}
		switch {
		case o.Kind == ptx.KindAddress:
		case r == 0:
			o.Written = true
		case i == 0 && r == writes:
			o.Read, o.Written = false, true
		case i == 0 && r == updates:
			o.Written = true
		}
		list = append(list, o)
	}
	if strings.HasPrefix(op, "tcgen05.ld.red") && len(list) > 1 { // both come out
		list[1].Read, list[1].Written = false, true
	}
	return list, r != 0
}

// A Name is a name among operands, which may be a register.
type Name struct {
	Text string // without the element: "%v1"
	Elem byte   // 'x', 'y', 'z' or 'w' of an element of a vector register; 0 for the whole
}

// Names returns the names in an operand in their order: "{%v1.x, foo}" has %v1 with element x, and foo.
func (o *Operand) Names() []Name { return NamesOf([]ptx.Operand{*o.Operand}) }

// NamesOf returns the names in operands in their order.
func NamesOf(operands []ptx.Operand) (list []Name) {
	for n := range ptx.Names(operands) {
		list = append(list, Name{n.Name(), n.Elem})
	}
	return list
}

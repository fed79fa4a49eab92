package dataflow

import (
	"strings"
	"sync"
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

// An Operand is one operand of an instruction.
type Operand struct {
	Text string // "%r1", "[%rd1+8]", "{%r1, %r2}", "%r1|%p1", "0x10"
	// Written reports that the registers in it are written, and Read that they are read.
	// Both may be set. The registers of an address are read.
	Read, Written bool
	Address       bool // it is in square brackets
}

// Operands returns the operands of an instruction, given its opcode with modifiers and
// the text after it, without comments. If the opcode is unknown, known is false, and each
// operand that is not an address counts as read and written.
func Operands(op, args string) (list []Operand, known bool) {
	r := roleOf(op)
	for i, text := range split(args) {
		o := Operand{Text: text, Read: true, Address: strings.HasPrefix(text, "[")}
		switch {
		case o.Address:
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

// split returns the operands of a text, which commas outside of brackets separate.
func split(args string) []string {
	var list []string
	depth, from := 0, 0
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case '"':
			for i++; i < len(args) && args[i] != '"'; i++ {
			}
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(args[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(args[min(from, len(args)):]); last != "" {
		list = append(list, last)
	}
	return list
}

// A Name is a name in the text of an operand, which may be a register.
type Name struct {
	Text string // without the element: "%v1"
	Elem byte   // 'x', 'y', 'z' or 'w' of an element of a vector register; 0 for the whole

	from, end int // where Text stands
}

// Names returns the names in the text of an operand in their order, "_" among them:
// "{%v1.x, foo}" has %v1 with element x, and foo.
func (o *Operand) Names() []Name { return appendNames(nil, o.Text) }

func appendNames(list []Name, text string) []Name {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case isStart(c):
			n := Name{from: i}
			for i++; i < len(text) && isInner(text[i]); i++ {
			}
			n.Text, n.end = text[n.from:i], i
			if i < len(text) && text[i] == '.' { // an element
				dot := i + 1
				for i++; i < len(text) && isInner(text[i]); i++ {
				}
				n.Elem = elemOf(text[dot:i])
			}
			list = append(list, n)
		case c >= '0' && c <= '9':
			for i++; i < len(text) && (isInner(text[i]) || text[i] == '.'); i++ {
			}
		default:
			i++
		}
	}
	return list
}

// elemOf returns the element that a suffix means, 0 for none.
func elemOf(suffix string) byte {
	if len(suffix) != 1 {
		return 0
	}
	switch c := suffix[0]; c {
	case 'x', 'y', 'z', 'w':
		return c
	case 'r', 'g', 'b', 'a':
		return "xyzw"[strings.IndexByte("rgba", c)]
	}
	return 0
}

func isStart(c byte) bool {
	return c == '%' || c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isInner(c byte) bool { return isStart(c) && c != '%' || '0' <= c && c <= '9' }

package operands

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

// Known reports whether it is known what an opcode, with or without modifiers, does with
// its operands: "add.s32". A call is none of those: it has a node of its own in package ptx.
func Known(op string) bool { return roleOf(op) != 0 }

// An Operand is one operand of an instruction that is kept as its text.
type Operand struct {
	Text string // "%r1", "[%rd1+8]", "{%r1, %r2}", "%r1|%p1", "0x10"
	// Written says that the registers in it get a value, and Read that they are read.
	// Those of an address are read. Both may be set.
	Read, Written bool
}

// Of returns the operands of an instruction, given its opcode with modifiers and the
// text after it. Of an opcode that is not known each operand but an address counts as read
// and written; known is then false.
func Of(op, args string) (list []Operand, known bool) {
	r := roleOf(op)
	for i, text := range split(args) {
		o := Operand{Text: text, Read: true}
		address := strings.HasPrefix(text, "[")
		switch {
		case address:
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

// Names returns the names in the text of an operand: what may be registers, without the
// elements of vectors. "{%v1.x, foo}" has %v1 and foo.
func (o *Operand) Names() []string {
	var list []string
	for i := 0; i < len(o.Text); {
		c := o.Text[i]
		switch {
		case isStart(c):
			from := i
			for i++; i < len(o.Text) && isInner(o.Text[i]); i++ {
			}
			list = append(list, o.Text[from:i])
			if i < len(o.Text) && o.Text[i] == '.' { // an element
				for i++; i < len(o.Text) && isInner(o.Text[i]); i++ {
				}
			}
		case c >= '0' && c <= '9':
			for i++; i < len(o.Text) && (isInner(o.Text[i]) || o.Text[i] == '.'); i++ {
			}
		default:
			i++
		}
	}
	return list
}

func isStart(c byte) bool {
	return c == '%' || c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isInner(c byte) bool { return isStart(c) && c != '%' || '0' <= c && c <= '9' }

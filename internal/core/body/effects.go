package body

import (
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/ptx"
)

// An effect tells which operands an instruction reads and writes.
type effect uint8

const (
	// writes: the first operand is written, unless it is an address; all others are
	// read. If the first is a pair a|b, or a list in braces, all its registers are written.
	writes effect = iota + 1
	// reads: all operands are read.
	reads
	// updates: the first operand is read and written, all others are read.
	updates
)

// effects has the instructions of PTX up to 9.5 by their names without modifiers, and by
// longer beginnings if modifiers change the effect. It is never written.
var effects = []struct {
	names  string
	effect effect
}{
	{"add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi bmsk szext dp4a dp2a " +
		"addc subc madc clmad fma rcp sqrt rsqrt sin cos lg2 ex2 tanh testp copysign set setp selp slct and or xor not cnot lop3 " +
		"shf shl shr mov shfl prmt ld ldu ldmatrix movmatrix isspacep cvta cvt mapa getctarank tex tld4 txq istypep suld suq " +
		"atom vote match activemask elect redux vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 " +
		"vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4 alloca stacksave createpolicy mma " +
		"mbarrier bar.red barrier.red barrier.cta.red wmma.load wmma.mma multimem.ld_reduce tcgen05.ld " +
		"clusterlaunchcontrol.query_cancel", writes},
	{
		"st red stmatrix prefetch prefetchu applypriority discard sust sured cp tensormap bar barrier membar fence " +
			"nanosleep pmevent trap brkpt exit ret bra brx stackrestore setmaxnreg griddepcontrol wmma.store multimem.st multimem.red " +
			"multimem.cp fabric wgmma tcgen05 clusterlaunchcontrol mbarrier.init mbarrier.inval mbarrier.complete_tx mbarrier.expect_tx",
		reads,
	},
	{"wgmma.mma_async", updates},
}

var effectNames = sync.OnceValue(func() map[string]effect {
	m := make(map[string]effect)
	for _, r := range effects {
		for name := range strings.FieldsSeq(r.names) {
			m[name] = r.effect
		}
	}
	return m
})

// effectOf returns the effect of an opcode with its modifiers, 0 if it is unknown: the effect of its longest beginning in
// the table. All names there are shorter than 64 bytes.
func effectOf(op string) effect {
	for op = op[:min(len(op), 64)]; ; op = op[:max(strings.LastIndexByte(op, '.'), 0)] {
		if e := effectNames()[op]; e != 0 || op == "" {
			return e
		}
	}
}

// Known reports whether the effect of an opcode on its operands is known. The opcode may have
// modifiers: "add.s32". It is false for call, which has a node of its own in package ptx.
func Known(op string) bool { return effectOf(op) != 0 }

// Does reports whether an instruction, given its opcode with modifiers, reads and writes the registers in its operand k. The
// registers of an address are read. If the opcode is unknown, known is false, and the registers of an operand that is no
// address count as read and written.
func Does(op string, operands []ptx.Operand, k int) (read, written, known bool) {
	return effectOf(op).on(op, operands, k)
}

func (r effect) on(op string, operands []ptx.Operand, k int) (read, written, known bool) {
	switch {
	case operands[k].Kind == ptx.KindAddress:
		return true, false, r != 0
	case r == 0:
		return true, true, false
	case k == 0 && r == writes, k == 1 && strings.HasPrefix(op, "tcgen05.ld.red"): // it has two results
		return false, true, true
	}
	return true, k == 0 && r == updates, true
}

// A Mention is a name that a statement mentions.
type Mention struct {
	Ref
	Name string
	Elem byte // 'x', 'y', 'z' or 'w' of an element of a vector register; 0 for the whole
	// Written reports that the statement writes a register of that name, and Read that it reads it. Both may be set.
	Read, Written bool
}

// Mentions returns the names that statement i mentions, its guard first, and the results of a call last. For an unknown
// opcode see [Does].
func (b *Body) Mentions(i int) (list []Mention) {
	refs := b.Operands(i)
	next := func(o *ptx.Operand, read, written bool) {
		if name := o.Name(); name != "" {
			list = append(list, Mention{refs[0], name, o.Elem, read, written})
		}
		refs = refs[1:]
	}
	if in := instrOf(b.Stmts[i]); in != nil && in.Guard != nil {
		list = append(list, Mention{Ref: b.Guard(i), Name: in.Guard.Name, Read: true})
	}
	switch s := b.Stmts[i].(type) {
	case *ptx.Access:
		next(&ptx.Operand{Kind: ptx.KindName, Text: s.Addr.Base}, true, false)
		for k := range s.Regs {
			next(&s.Regs[k], s.Store, !s.Store)
		}
	case *ptx.Call:
		next(&s.Callee, true, false)
		next(&s.Proto, false, false)
		results := refs[:len(s.Results)]
		refs = refs[len(results):]
		for k := range s.Params {
			next(&s.Params[k], true, false)
		}
		refs = results // they are written after the call
		for k := range s.Results {
			next(&s.Results[k], false, true)
		}
	case *ptx.Instr:
		ops := s.Ops()
		for k := range ops {
			read, written, _ := b.Op(i).effect.on(s.Op, ops, k)
			for o := range ptx.Names(ops[k : k+1]) {
				next(o, read, written)
			}
		}
	}
	return list
}

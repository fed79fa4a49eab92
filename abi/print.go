package abi

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/reg"
)

// String returns "data", "opaque" or "unsized".
func (k Kind) String() string { return prose.Name("Kind", k, "data", "opaque", "unsized") }

// String returns "func" or "entry".
func (k FuncKind) String() string { return prose.Name("FuncKind", k, "func", "entry") }

// String returns "none", "register", "stack", "constant" or "indirect".
func (k LocKind) String() string {
	return prose.Name("LocKind", k, "none", "register", "stack", "constant", "indirect")
}

// String returns size and alignment as "12@8", "12" without an alignment; "opaque" for a handle; "[]@8"
// for an unsized array, and "[16]@8" for an array of 16 bytes that a caller passes for it.
func (v Value) String() string {
	text := strconv.Itoa(v.Size)
	switch {
	case v.Kind == Opaque:
		return v.Kind.String()
	case v.Kind == Unsized && v.Size == 0:
		text = "[]"
	case v.Kind == Unsized:
		text = "[" + text + "]"
	}
	if v.Align == 0 {
		return text // aligned to 1
	}
	return text + "@" + strconv.Itoa(v.Align)
}

// String returns the signature as "func(4@4, 12@8) -> 4@4", or "func(4@4, 12@8)" without a result; with .abi_preserve 4
// it ends in "; preserve 4".
func (s Signature) String() string {
	var b strings.Builder
	b.WriteString(s.Kind.String())
	b.WriteByte('(')
	writeList(&b, ", ", s.Params)
	b.WriteByte(')')
	if len(s.Results) > 0 {
		b.WriteString(" -> ")
		writeList(&b, ", ", s.Results)
	}
	if s.Preserve.Given {
		fmt.Fprintf(&b, "; preserve %d", s.Preserve.N)
	}
	return b.String()
}

// String returns the place as an operand that a reader of SASS recognises:
// "R4", "[R1+0x8]" on the stack, "c[0x0][0x160]", "[R4+0x0]" for memory that a
// register points to, "none" for nowhere.
func (l Loc) String() string {
	switch l.Kind {
	case Nowhere:
		return "none"
	case InReg:
		return regName(l.Reg)
	case OnStack:
		return fmt.Sprintf("[%s+0x%x]", regName(reg.SP), l.Off)
	case InConst:
		return ConstAddr{l.Bank, l.Off}.String()
	case Indirect:
		return fmt.Sprintf("[%s+0x%x]", regName(l.Reg), l.Off)
	}
	return fmt.Sprintf("Loc(%d)", uint8(l.Kind))
}

// String returns the place, with the last register of several: "R6:R8".
func (p Placement) String() string {
	if n := p.Words(); n > 1 {
		return regName(p.Loc.Reg) + ":" + regName(p.Loc.Reg+Reg(n-1))
	}
	return p.Loc.String()
}

// String returns the bytes, half-open, and their place: "[0:4] R4".
func (p Piece) String() string {
	return fmt.Sprintf("[%d:%d] %s", p.Off, p.Off+p.Size, p.Loc)
}

// String returns the places of the parameters, those of the results after an
// arrow, and the size of the stack area or of the parameter block:
//
//	R4 | R6:R8 | [R1+0x0] -> R4; stack 52
//	c[0x0][0x160] | c[0x0][0x168]; block c[0x0][0x160] size 12
//
// "()" stands for no parameters; arrow, stack and block are left out if
// there are none.
func (a Assignment) String() string {
	var b strings.Builder
	if len(a.Params) == 0 {
		b.WriteString("()")
	}
	writeList(&b, " | ", a.Params)
	if len(a.Results) > 0 {
		b.WriteString(" -> ")
		writeList(&b, " | ", a.Results)
	}
	if a.StackBytes > 0 {
		fmt.Fprintf(&b, "; stack %d", a.StackBytes)
	}
	if a.Kind == Entry {
		fmt.Fprintf(&b, "; block %s size %d", ConstAddr{a.Block.Bank, a.Block.Base}, a.Block.Size)
	}
	return b.String()
}

func writeList[T fmt.Stringer](b *strings.Builder, sep string, list []T) {
	for i, e := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(e.String())
	}
}

func regName(r Reg) string { return reg.Name(r) }

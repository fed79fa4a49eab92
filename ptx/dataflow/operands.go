package dataflow

import (
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// Known reports whether the effect of an opcode on its operands is known. The opcode may have
// modifiers: "add.s32". It is false for call, which has a node of its own in package ptx.
func Known(op string) bool { return body.Known(op) }

// An Operand is one operand of an instruction. The registers of an address are read.
type Operand struct {
	*ptx.Operand
	// Written reports that the registers in it are written, and Read that they are read.
	// Both may be set.
	Read, Written bool
}

// Operands returns which operands an instruction reads and writes, given its opcode with modifiers. If the opcode
// is unknown, known is false, and each operand that is not an address counts as read and written.
func Operands(op string, operands []ptx.Operand) (list []Operand, known bool) {
	for k := range operands {
		o := Operand{Operand: &operands[k]}
		o.Read, o.Written, _ = body.Does(op, operands, k)
		list = append(list, o)
	}
	return list, Known(op)
}

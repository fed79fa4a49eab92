package check

import (
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// An address is the address of a parameter in a register.
type address struct {
	name string
	sym  *body.Symbol
}

// clearPointsTo removes the destination of an instruction, which the instruction writes.
func (b *bodyCheck) clearPointsTo(in *ptx.Instr) {
	if refs := b.in.Operands(b.at); len(refs) > 0 && len(b.pointsTo) > 0 { // the first one is the destination
		delete(b.pointsTo, refs[0].Name)
	}
}

// move records that the destination of a mov, add or sub points to the same parameter as its first source.
func (b *bodyCheck) move(in *ptx.Instr) {
	if ops := in.Ops(); len(b.pointsTo) > 0 && in.Guard == nil && len(ops) > 1 && ops[0].Kind == ptx.KindName && ops[1].Kind == ptx.KindName {
		refs := b.in.Operands(b.at)
		if a, ok := b.pointsTo[refs[1].Name]; ok {
			b.pointsTo[refs[0].Name] = a
			return
		}
	}
	b.clearPointsTo(in)
}

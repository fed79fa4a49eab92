package check

import (
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// An address says which parameter a register points to.
type address struct {
	name string
	sym  *body.Symbol
}

// clearPointsTo removes the destination of an instruction, which is written anew.
func (b *bodyCheck) clearPointsTo(in *ptx.Instr) {
	if refs := b.in.Operands(b.at); len(refs) > 0 && len(b.pointsTo) > 0 { // the first one is the destination
		delete(b.pointsTo, refs[0].Name)
	}
}

// move carries what a register points to through mov, add and sub.
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

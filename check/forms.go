package check

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// paramOperands reports .param variables as operands of instructions that take none: in place of a register, and as an
// address of instructions that access other spaces. Cases 1187 to 1199 of testdata/check measure some; it reports nothing
// for instructions that were not tried, nor for accesses with a rule of their own.
func paramOperands(b *bodyCheck, in *ptx.Instr) {
	for _, ref := range b.in.Operands(b.at) {
		if sym := b.in.Sym(ref); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace && sym.Spec.Type.Class() != ptx.Handle {
			if sym.Role == body.Local {
				b.place.state(b.in, ref).addressed = true
			}
			ops := in.Ops()
			for i := range ops {
				if paramOperand(b, in, i) {
					return // one is enough
				}
			}
			if !hasAddress(b, in) && !b.newer("instruction", in.Op, in.Pos) && b.c.Lower && !b.partialBody() {
				b.c.errorf(IllegalOperand, in.Pos, "%s has a .param variable among its operands, and there is no code for that; mov its address into a register first", in.Op)
			}
			return
		}
	}
}

// hasAddress reports whether package lower has code for an instruction with a .param variable, since it takes the address, or
// whether another rule checks it.
func hasAddress(b *bodyCheck, in *ptx.Instr) bool {
	switch b.in.Op(b.at).Name {
	case "prefetch": // of tensor maps
		return b.Func.Entry
	case "mov":
		return len(in.Ops()) == 2 && in.Ops()[0].Kind == ptx.KindName && in.Ops()[1].Kind != ptx.KindVector
	case "cvta", "ld", "ldu", "st", "atom", "red", "prefetchu":
		return true
	}
	return false
}

// destination reports a variable in memory in place of the register that an instruction writes.
func destination(b *bodyCheck, in *ptx.Instr, name string) {
	if ops := in.Ops(); len(ops) > 0 && ops[0].Kind == ptx.KindName && slices.Contains([]string{"mov", "add", "sub", "ld", "ldu", "cvta"}, name) {
		sym := b.operandSym(0)
		if sym != nil && sym.Var != nil && slices.Contains([]ptx.Space{ptx.GlobalSpace, ptx.ConstSpace, ptx.SharedSpace, ptx.LocalSpace}, sym.Spec.Space) {
			b.c.errorf(IllegalOperand, ops[0].Pos, "%s is a variable in %s space, and %s writes a register; store to it", ops[0].Text, sym.Spec.Space, in.Op)
		}
	}
}

// paramOperand does the same for one operand. It returns whether it has reported something.
func paramOperand(b *bodyCheck, in *ptx.Instr, i int) bool {
	op, ops := b.in.Op(b.at), in.Ops()
	o := &ops[i]
	address := o.Kind == ptx.KindAddress && len(o.Elems) > 0
	if address {
		o = &o.Elems[0]
	}
	variable, sym := b.parameter(ops, o)
	if sym == nil || sym.Spec.Type.Class() == ptx.Handle {
		return false
	}
	at := related(sym.Var.Pos, "declared here")
	switch registers := takesRegisters(op.Name); {
	case address && registers && !storesToMemory(op.Name):
		b.c.add(diag.Error, IllegalOperand, o.Pos, sprintf("%s reads no memory; use ld.param, or mov the address of %s into a register", in.Op, variable), at)
	case address && otherSpaces(in.Op, op.Name):
		b.c.add(diag.Error, MismatchedSpace, in.Pos, sprintf("%s is in .param space, which %s does not reach; mov its address into a register", variable, in.Op), at)
	case address || op.Name == "mov" && i > 0 || op.Name == "cvta" && !op.Has(".to") || !registers:
		return false
	case ops[i].Kind == ptx.KindSum:
		b.c.add(b.c.unnamed(), IllegalOperand, o.Pos, sprintf("%s stands in place of a register, and the assembler takes its number for the address; mov it into a register first", ops[i].Text), at)
	default:
		b.c.add(diag.Error, IllegalOperand, o.Pos, sprintf("%s is a .param variable, and %s takes registers; load it with ld.param, or mov its address into a register", variable, in.Op), at)
	}
	return true
}

// otherSpaces reports whether the address of an instruction is never in .param space. memory checks the addresses of ld,
// st and others.
func otherSpaces(op, name string) bool {
	switch name {
	case "mbarrier", "discard", "applypriority", "ldmatrix":
		return true
	}
	return strings.HasPrefix(op, "cp.async.ca.shared.global") || strings.HasPrefix(op, "cp.async.cg.shared.global")
}

// storesToMemory reports whether an instruction has an address among its operands, besides registers.
func storesToMemory(name string) bool { return name == "st" || name == "atom" || name == "red" }

// takesRegisters reports whether all operands of an instruction, but addresses, are registers and constants.
func takesRegisters(name string) bool {
	switch name {
	case "shfl":
		return true
	case "ld", "ldu", "bmsk":
		return false
	}
	return storesToMemory(name) || makesRegister(name)
}

// stackOperands checks the operands of alloca, stacksave and stackrestore.
func stackOperands(b *bodyCheck, in *ptx.Instr, name string) {
	t, ops := ptx.TypeOf(in.Op[len(name):]), in.Ops()
	if t != ptx.U64 && t != ptx.U32 {
		if in.Op == name || t != ptx.NoType {
			b.c.errorf(IllegalOperand, in.Pos, "%s has type .u32 or .u64, that of an address", name)
		}
		return
	}
	least, most := 1, 1
	if name == "alloca" {
		least, most = 2, 3
	}
	if len(ops) < least || len(ops) > most {
		what := "one operand, a register"
		if name == "alloca" {
			what = "a register, the size and perhaps the alignment"
		}
		b.c.errorf(IllegalOperand, in.Pos, "%s has %d operands, and takes %s", in.Op, len(ops), what)
		return
	}
	for i := range ops {
		o := &ops[i]
		switch {
		case i < 2 && !(i == 1 && o.Kind == ptx.KindInt):
			b.stackRegister(in, ops, o, t)
		case i == 2:
			if n := int64(o.Bits); o.Kind != ptx.KindInt || n <= 0 || n > maxAlloca || n&(n-1) != 0 {
				b.c.errorf(IllegalOperand, o.Pos, "the alignment %s of alloca is not a power of two of at most %d", short(o.Text), maxAlloca)
			}
		}
	}
}

// maxAlloca is the largest alignment of alloca, in bytes.
const maxAlloca = 1 << 23

// stackRegister checks that an operand is an integer register of the size of a type.
func (b *bodyCheck) stackRegister(in *ptx.Instr, ops []ptx.Operand, o *ptx.Operand, t ptx.Type) {
	name, ref := b.first(ops, o)
	sym := (*body.Symbol)(nil)
	if name != nil {
		sym = b.in.Sym(ref)
	}
	switch {
	case name == nil || name != o || o.Elem != 0 || sym == nil && (b.c.named(name.Text) != nil || special(name.Text)):
		b.c.errorf(IllegalOperand, o.Pos, "%s takes a register in place of %s", in.Op, short(o.Text))
	case sym == nil:
		b.undeclared(name.Text, o.Pos)
	case sym.Var == nil || sym.Spec.Space != ptx.RegSpace:
		b.c.errorf(IllegalOperand, o.Pos, "%s takes a register in place of %s", in.Op, short(o.Text))
	default:
		if k := sym.Spec.Type.Class(); k != ptx.Integer && k != ptx.Bits || sym.Spec.Vec != 0 || sym.Spec.Type.Size() != t.Size() {
			b.c.add(diag.Error, MismatchedRegister, o.Pos, sprintf("%s does not match register %s, which is %s", in.Op, o.Text, describe(sym.Spec, sym.Var)), related(sym.Var.Pos, "declared here"))
		}
	}
}

// elementExists warns about an element that a vector register does not have. The assembler accepts it, and crashes if its
// value is used.
func elementExists(b *bodyCheck, o *ptx.Operand, sym *body.Symbol) {
	if at := strings.IndexByte("xyzwrgba", o.Elem); at >= 0 && sym.Spec.Vec > 0 && at%4 >= sym.Spec.Vec {
		b.c.add(b.c.unnamed(), IllegalVector, o.Pos, sprintf("%s has no element .%c; the assembler takes it, and crashes where the value is used", describe(sym.Spec, sym.Var), o.Elem), related(sym.Var.Pos, "declared here"))
	}
}

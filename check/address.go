package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// addressInstr checks an instruction that may take the address of a parameter
// or access memory through one.
func addressInstr(b *bodyCheck, in *ptx.Instr) {
	op := b.in.Op(b.at)
	switch op.Name {
	case "mov":
		mov(b, in)
	case "add", "sub":
		b.move(in)
	case "cvta":
		cvta(b, in, op)
	case "isspacep":
		if op.Has(".param") || op.Has(".param::entry") {
			b.c.need(paramAddresses, in.Pos)
		}
	default:
		memory(b, in, op)
		b.clearPointsTo(in)
	}
}

// first returns the name at the beginning of an operand, as in name+number, and its meaning; nil if it
// does not begin with a name.
func (b *bodyCheck) first(ops []ptx.Operand, o *ptx.Operand) (name *ptx.Operand, ref body.Ref) {
	if name = o; o.Kind == ptx.KindPair || o.Kind == ptx.KindIndexed {
		name = &o.Elems[0]
	}
	if name.Name() == "" || name.Neg || name.Pos != o.Pos {
		return nil, body.NoRef
	}
	k := 0
	for n := range ptx.Names(ops) {
		if n == name {
			break
		}
		k++
	}
	return name, b.in.Operands(b.at)[k]
}

// parameter returns the name of an operand name or name+number, and its symbol if that is in .param space, otherwise nil.
func (b *bodyCheck) parameter(ops []ptx.Operand, o *ptx.Operand) (string, *body.Symbol) {
	name, ref := b.first(ops, o)
	if name == nil {
		return "", nil
	}
	if sym := b.in.Sym(ref); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace {
		return name.Name(), sym
	}
	return name.Name(), nil
}

// mov checks mov reg, name.
func mov(b *bodyCheck, in *ptx.Instr) {
	ops := in.Ops()
	if len(ops) != 2 {
		return
	}
	name, sym := b.parameter(ops, &ops[1])
	if sym == nil {
		g, here := b.c.named(name), b.lookup(name)
		switch {
		case here != nil && here.Label != nil:
			b.c.add(diag.Error, IllegalOperand, ops[1].Pos, sprintf("%s is a label here, which has no address; use bra, or rename it", name), related(here.Label.Pos, "declared here"))
		case here != nil:
		case g != nil && g.fn != nil:
			funcAddress(b, in, g)
		case g == nil && name != "":
			lostAddress(b, in, name)
		}
		b.move(in)
		return
	}
	if !addressRegister(b, in, &ops[0], name) {
		return
	}
	switch sym.Role {
	case body.Local:
		err := b.c.add(diag.Error, LocalAddress, in.Pos, sprintf("%s is a .param variable of a body, which has no address; copy it into .local memory", name),
			related(sym.Var.Pos, "declared here"))
		if ops[1].Kind == ptx.KindSum && strings.Contains(ops[1].Text, "+") { // the assembler crashes if it compiles this
			b.c.later.ifCompiled = append(b.c.later.ifCompiled, inFunction{b.g, err})
		}
		return
	case body.Result:
		if !b.c.need(resultAddress, in.Pos) {
			return
		}
	}
	b.pointsTo[b.in.Operands(b.at)[0].Name] = address{name, sym}
}

// lostAddress reports the address of a parameter that is not visible.
func lostAddress(b *bodyCheck, in *ptx.Instr, name string) {
	if _, ok := b.closed(name); ok {
		b.undeclared(name, in.Pos)
	} else if owner := b.c.ownerOf(name); owner != "" && owner != b.Func.Name {
		b.undeclared(name, in.Pos)
	}
}

// addressRegister checks that the type of a mov and its destination can hold an
// address.
func addressRegister(b *bodyCheck, in *ptx.Instr, o *ptx.Operand, name string) bool {
	t := ptx.TypeOf(in.Op[max(strings.LastIndexByte(in.Op, '.'), 0):])
	if t == ptx.NoType || in.Op != "mov"+t.String() {
		b.c.unknownWord(in.Pos, "type or modifier in", in.Op)
		b.pass(in.Pos, "%s is not known", in.Op)
		return false
	}
	dst := (*body.Symbol)(nil)
	if o.Kind == ptx.KindName && o.Elem == 0 {
		dst = b.in.Sym(b.in.Operands(b.at)[0])
	}
	if dst == nil || dst.Var == nil || dst.Spec.Space != ptx.RegSpace {
		ofModule(b, b.c.named(o.Text), o)
		return false // the destination is no register of the function: this package has no rule for that
	}
	if k := t.Class(); k != ptx.Integer && k != ptx.Bits || dst.Spec.Type.Size() != t.Size() || dst.Spec.Type == ptx.Pred {
		b.c.add(diag.Error, MismatchedRegister, in.Pos, sprintf("%s of the address of %s into %s, which is %s; use mov.u64 and a register of 64 bits", in.Op, name, o.Text, describe(dst.Spec, dst.Var)), related(dst.Var.Pos, "declared here"))
		return false
	}
	return true
}

// funcAddress records that a function's address is taken.
func funcAddress(b *bodyCheck, in *ptx.Instr, g *global) {
	b.c.need(funcAddresses, in.Pos)
	b.c.mention(b.g, g, in.Pos)
	if g.fn.Linkage == ptx.Extern && !b.c.Compile && g.def == nil && !builtin(g.name) {
		g.called = in.Pos
	}
}

// cvta checks the conversion of a parameter's address to a generic one.
func cvta(b *bodyCheck, in *ptx.Instr, op *body.Op) {
	param := op.Has(".param") || op.Has(".param::entry") || op.Has(".param::func")
	ops := in.Ops()
	if param && !b.c.need(paramAddresses, in.Pos) || len(ops) != 2 {
		return
	}
	name, sym := b.parameter(ops, &ops[1])
	for _, m := range op.Mods {
		if (param || sym != nil) && m != ".to" && m != ".u32" && m != ".u64" && !b.otherModifier(m) {
			b.c.unknownWord(in.Pos, "modifier in", in.Op)
			b.pass(in.Pos, "%s is not known", in.Op)
			return
		}
	}
	if sym != nil && !op.Has(".to") {
		switch {
		case sym.Role == body.Local:
			b.c.add(diag.Error, LocalAddress, in.Pos, sprintf("%s is a .param variable of a body, which has no address; copy it into .local memory", name), related(sym.Var.Pos, "declared here"))
		case !param:
			b.c.add(diag.Error, MismatchedSpace, in.Pos, sprintf("%s is in .param space, and the instruction is %s; mov its address into a register first", name, in.Op), related(sym.Var.Pos, "declared here"))
		}
	}
	b.clearPointsTo(in)
}

// memory checks an access that is not ld.param or st.param: to the symbol of a
// parameter, and through a register that points to one.
func memory(b *bodyCheck, in *ptx.Instr, op *body.Op) {
	if op.Name == "prefetch" && op.Has(".tensormap") {
		return // it may be of .param space
	}
	if (op.Name == "atom" || op.Name == "red" || op.Name == "prefetch") && op.Has(".param") {
		b.c.errorf(MismatchedSpace, in.Pos, "%s: there is no %s on .param space; parameters are seen by one thread", in.Op, op.Name)
		return
	}
	ops := in.Ops()
	for i := range ops {
		o := &ops[i]
		if o.Kind != ptx.KindAddress || len(o.Elems) == 0 {
			continue
		}
		name, sym := b.parameter(ops, &o.Elems[0])
		if sym != nil && (op.Name == "ld" || op.Name == "st") && b.unknownModifier(in, op) {
			return
		}
		if sym != nil {
			d := b.c.add(diag.Error, MismatchedSpace, in.Pos, sprintf("%s is in .param space, and the instruction is %s; use %s.param, or mov its address into a register", name, in.Op, op.Name), related(sym.Var.Pos, "declared here"))
			b.c.fixSpace(d, in, op, ".param")
			return
		}
		if a, ok := b.pointsTo[b.in.Numbered(name)]; ok {
			window(b, in, op, name, a)
		}
		return
	}
}

// unknownModifier reports a modifier of an ld or st that PTX does not have, which may name a space of parameters.
func (b *bodyCheck) unknownModifier(in *ptx.Instr, op *body.Op) bool {
	for _, m := range op.Mods {
		if !b.otherModifier(m) && modifierKind(&ptx.Access{Vec: 1}, m) == "" {
			b.c.unknownWord(in.Pos, "modifier in", in.Op)
			b.pass(in.Pos, "%s is not known", in.Op)
			return true
		}
	}
	return false
}

// window reports a register that points to a parameter and is used as
// an address of another space.
func window(b *bodyCheck, in *ptx.Instr, op *body.Op, reg string, a address) {
	space := "generic"
	for _, s := range [...]string{"local", "global", "shared", "const"} {
		for _, m := range op.Mods {
			if m == "."+s || strings.HasPrefix(m, "."+s+"::") {
				space = s
			}
		}
	}
	at := related(a.sym.Var.Pos, "declared here")
	kernel := b.Func.Entry
	switch {
	case kernel:
		d := b.c.add(b.c.forbidden(), WrongWindow, in.Pos, sprintf("%s holds the offset of kernel parameter %s in the parameter block, and %s reads that offset of %s memory; use ld.param, or cvta.param before a generic access", reg, a.name, in.Op, space), at)
		if op.Name == "ld" && space != "generic" {
			b.c.fixSpace(d, in, op, ".param")
		}
	case space != "local":
		d := b.c.add(b.c.forbidden(), WrongWindow, in.Pos, sprintf("%s holds the address of %s in local memory, and %s goes to %s memory; use ld.local, or cvta.local before a generic access", reg, a.name, in.Op, space), at)
		if space != "generic" {
			b.c.fixSpace(d, in, op, ".local")
		}
	}
}

// registerAccess checks ld.param and st.param through a register.
func registerAccess(b *bodyCheck, a *ptx.Access) {
	t, ok := b.pointsTo[b.in.Operands(b.at)[0].Name]
	switch {
	case b.Func.Entry && a.Qual == ptx.FuncParam && !a.Store:
		d := b.c.forbidf(WrongQualifier, a.Pos, "ld.param::func in kernel %s; use ld.param::entry (releases of the assembler up to 13.0 ignore the difference, 13.4 and 13.5 refuse it)", clip(b.Func.Name))
		b.c.fixFirst(d, a.Pos, "::func", "::entry", "write ::entry")
	case ok && !b.Func.Entry && a.Qual == ptx.EntryParam && !a.Store:
		d := b.c.add(b.c.forbidden(), WrongQualifier, a.Pos, sprintf("%s holds the address of %s in local memory, and ld.param::entry reads the constant bank at that offset; use ld.param::func", a.Addr.Base, t.name),
			related(t.sym.Var.Pos, "declared here"))
		b.c.fixFirst(d, a.Pos, "::entry", "::func", "write ::func")
	}
	if !ok && a.Store && b.Func.Entry {
		b.c.forbidf(StoredInput, a.Pos, "st.param through %s in kernel %s, whose parameters are constant: the machine code stores nothing; use .local memory", a.Addr.Base, clip(b.Func.Name))
		return
	}
	if !ok || !a.Store || t.sym.Role != body.Param {
		return
	}
	msg := sprintf("st.param through %s writes input %s; the machine code changes the copy on the stack, and later loads may see the old or the new value", a.Addr.Base, t.name)
	if b.Func.Entry {
		msg = sprintf("st.param through %s writes kernel parameter %s, which is constant: the machine code stores nothing; use .local memory", a.Addr.Base, t.name)
	}
	b.c.add(b.c.forbidden(), StoredInput, a.Pos, msg, related(t.sym.Var.Pos, "declared here"))
}

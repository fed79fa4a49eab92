package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// operands splits the text of operands at the commas outside brackets.
func operands(in *ptx.Instr, dst []string) []string {
	text := in.Args
	if in.Ragged {
		text = string(ptx.AppendTokens(nil, text))
	}
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case ',':
			if depth == 0 {
				dst = append(dst, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}
	return append(dst, strings.TrimSpace(text[start:]))
}

// addressInstr looks at an instruction that may take the address of a parameter
// or go through one.
func (b *body) addressInstr(in *ptx.Instr, name, mods string) {
	var room [4]string
	ops := operands(in, room[:0])
	switch name {
	case "mov":
		b.mov(in, ops)
	case "add", "sub":
		b.move(in, ops)
	case "cvta":
		b.cvta(in, mods, ops)
	case "isspacep":
		if hasModifier(mods, "param") || hasModifier(mods, "param::entry") {
			b.need(paramAddresses, in.Pos)
		}
	default:
		b.memory(in, name, mods, ops)
		b.clearPointsTo(in)
	}
}

// harmless reports whether an instruction that addressInstr is for has certainly
// nothing to do with parameters: it names no register that points to one, and what it
// names in place of one is a register by its look, or something else of the module or of
// the function. Nearly all are such, and most of the time was spent on taking their
// operands apart.
func (b *body) harmless(in *ptx.Instr, kind ptx.OpKind) bool {
	if b.pointsTo.bits != 0 && (in.Ragged || b.pointsTo.mentioned(in.Args)) {
		return false
	}
	at := -1
	switch kind {
	case ptx.OpSum:
		return true
	case ptx.OpMove, ptx.OpMemory:
		if in.OnlyPercent() && !b.names.Percent {
			return true
		}
		separator := byte(',')
		if kind == ptx.OpMemory {
			separator = '['
		}
		at = strings.IndexByte(in.Args, separator)
	case ptx.OpIndirect:
		return in.OnlyPercent() && !b.names.Percent && strings.HasPrefix(in.Op, "cvta.") && !strings.Contains(in.Op, "param")
	}
	if at < 0 || in.Ragged || kind == ptx.OpMove && in.Args[0] == '{' {
		return false
	}
	for at++; at < len(in.Args); at++ {
		switch x := in.Args[at]; {
		case x == ' ', x == '\t':
		case x == '%' && !b.names.Percent:
			return true
		case kind == ptx.OpMove:
			return '0' <= x && x <= '9' || nameStart(x) && b.movable(in.Args[at:])
		default:
			_, sym := b.parameter(in.Args[at:])
			return sym == nil
		}
	}
	return false
}

// movable reports whether the name that an operand of a mov begins with means what is
// neither a parameter nor a function.
func (b *body) movable(op string) bool {
	name := op[:nameEnd(op, 1)]
	if sym := b.lookup(name); sym != nil {
		return sym.Var == nil || sym.Spec.Space != ptx.ParamSpace
	}
	g := b.globals[name]
	return g != nil && g.fn == nil
}

func hasModifier(mods, m string) bool {
	for s := range strings.SplitSeq(mods, ".") {
		if s == m {
			return true
		}
	}
	return false
}

// parameter returns the .param symbol that an operand name or name+number
// stands for, nil if it is none.
func (b *body) parameter(op string) (string, *resolved.Symbol) {
	if op == "" || !nameStart(op[0]) {
		return "", nil
	}
	name := op[:nameEnd(op, 1)]
	sym := b.lookup(name)
	if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.ParamSpace {
		return name, nil
	}
	return name, sym
}

// mov checks mov reg, name.
func (b *body) mov(in *ptx.Instr, ops []string) {
	if len(ops) != 2 {
		return
	}
	name, sym := b.parameter(ops[1])
	if sym == nil {
		if g := b.globals[name]; g != nil && g.fn != nil && b.lookup(name) == nil {
			b.funcAddress(in, g)
		} else if g == nil && name != "" && (name[0] != '%' || b.names.Percent) && b.lookup(name) == nil { // no %tid
			b.lostAddress(in, name)
		}
		b.move(in, ops)
		return
	}
	if !b.addressRegister(in, ops[0], name) {
		return
	}
	switch sym.Role {
	case resolved.Local:
		err := b.add(diag.Error, LocalAddress, in.Pos, sprintf("%s is a .param variable of a body, which has no address; copy it into .local memory", name),
			related(sym.Var.Pos, "declared here"))
		if strings.Contains(ops[1], "+") { // the assembler crashes when it comes to compile it
			b.later.ifCompiled = append(b.later.ifCompiled, inFunction{b.g, err})
		}
		return
	case resolved.Result:
		if !b.need(resultAddress, in.Pos) {
			return
		}
	}
	b.pointsTo.set(ops[0], address{name, sym})
}

// lostAddress reports the address of a parameter that is not visible.
func (b *body) lostAddress(in *ptx.Instr, name string) {
	if _, ok := b.closed(name); ok {
		b.undeclared(name, in.Pos)
	} else if owner := b.ownerOf(name); owner != "" && owner != b.Name {
		b.undeclared(name, in.Pos)
	}
}

// addressRegister checks that the type of a mov and its destination can hold an
// address.
func (b *body) addressRegister(in *ptx.Instr, reg, name string) bool {
	i := strings.LastIndexByte(in.Op, '.')
	if i < 0 {
		return false
	}
	t := ptx.TypeOf(in.Op[i:])
	dst := b.lookup(reg)
	if t == ptx.NoType || dst == nil || dst.Var == nil || dst.Spec.Space != ptx.RegSpace {
		return false // not a mov, or not into a register: no business of this package
	}
	if k := t.Class(); k != ptx.Integer && k != ptx.Bits || dst.Spec.Type.Size() != t.Size() || dst.Spec.Type == ptx.Pred {
		b.add(diag.Error, MismatchedRegister, in.Pos, sprintf("%s of the address of %s into %s, which is %s; use mov.u64 and a register of 64 bits", in.Op, name, reg, describe(dst.Spec, dst.Var)), related(dst.Var.Pos, "declared here"))
		return false
	}
	return true
}

// funcAddress notes that a function's address is taken.
func (b *body) funcAddress(in *ptx.Instr, g *global) {
	b.need(funcAddresses, in.Pos)
	b.mention(b.g, g, in.Pos)
	if g.fn.Linkage == ptx.Extern && !b.Compile && g.def == nil && !builtin(g.name) {
		g.called = in.Pos
	}
}

// cvta checks the conversion of a parameter's address to a generic one.
func (b *body) cvta(in *ptx.Instr, mods string, ops []string) {
	param := hasModifier(mods, "param") || hasModifier(mods, "param::entry") || hasModifier(mods, "param::func")
	if param && !b.need(paramAddresses, in.Pos) || len(ops) != 2 {
		return
	}
	name, sym := b.parameter(ops[1])
	if sym != nil && !hasModifier(mods, "to") {
		switch {
		case sym.Role == resolved.Local:
			b.add(diag.Error, LocalAddress, in.Pos, sprintf("%s is a .param variable of a body, which has no address; copy it into .local memory", name), related(sym.Var.Pos, "declared here"))
		case !param:
			b.add(diag.Error, MismatchedSpace, in.Pos, sprintf("%s is in .param space, and the instruction is %s; mov its address into a register first", name, in.Op), related(sym.Var.Pos, "declared here"))
		}
	}
	b.clearPointsTo(in)
}

// memory checks an access that is not ld.param or st.param: to the symbol of a
// parameter, and through a register that points to one.
func (b *body) memory(in *ptx.Instr, op, mods string, ops []string) {
	if (op == "atom" || op == "red" || op == "prefetch") && hasModifier(mods, "param") {
		b.errorf(MismatchedSpace, in.Pos, "%s: there is no %s on .param space; parameters are seen by one thread", in.Op, op)
		return
	}
	for _, o := range ops {
		inner, ok := strings.CutPrefix(o, "[")
		if !ok {
			continue
		}
		inner = strings.TrimLeft(inner, " \t")
		name, sym := b.parameter(inner)
		if sym != nil {
			d := b.add(diag.Error, MismatchedSpace, in.Pos, sprintf("%s is in .param space, and the instruction is %s; use %s.param, or mov its address into a register", name, in.Op, op), related(sym.Var.Pos, "declared here"))
			b.fixSpace(d, in, ".param")
			return
		}
		if a, ok := b.pointsTo.of[name]; ok {
			b.window(in, op, mods, name, a)
		}
		return
	}
}

// window reports a register that points to a parameter and is used as
// an address of another space.
func (b *body) window(in *ptx.Instr, op, mods, reg string, a address) {
	space := "generic"
	for _, s := range [...]string{"local", "global", "shared", "const"} {
		for m := range strings.SplitSeq(mods, ".") {
			if m == s || strings.HasPrefix(m, s+"::") {
				space = s
			}
		}
	}
	at := related(a.sym.Var.Pos, "declared here")
	kernel := b.Entry
	switch {
	case kernel:
		d := b.add(b.forbidden(), WrongWindow, in.Pos, sprintf("%s holds the offset of kernel parameter %s in the parameter block, and %s reads that offset of %s memory; use ld.param, or cvta.param before a generic access", reg, a.name, in.Op, space), at)
		if op == "ld" && space != "generic" {
			b.fixSpace(d, in, ".param")
		}
	case space != "local":
		d := b.add(b.forbidden(), WrongWindow, in.Pos, sprintf("%s holds the address of %s in local memory, and %s goes to %s memory; use ld.local, or cvta.local before a generic access", reg, a.name, in.Op, space), at)
		if space != "generic" {
			b.fixSpace(d, in, ".local")
		}
	}
}

// registerAccess checks ld.param and st.param through a register.
func (b *body) registerAccess(a *ptx.Access) {
	t, ok := b.pointsTo.of[a.Addr.Base]
	switch {
	case b.Entry && a.Qual == ptx.FuncParam && !a.Store:
		d := b.forbidf(WrongQualifier, a.Pos, "ld.param::func in kernel %s; use ld.param::entry (releases of the assembler up to 13.0 ignore the difference, 13.4 and 13.5 refuse it)", clip(b.Name))
		b.fixFirst(d, a.Pos, "::func", "::entry", "write ::entry")
	case ok && !b.Entry && a.Qual == ptx.EntryParam && !a.Store:
		d := b.add(b.forbidden(), WrongQualifier, a.Pos, sprintf("%s holds the address of %s in local memory, and ld.param::entry reads the constant bank at that offset; use ld.param::func", a.Addr.Base, t.name),
			related(t.sym.Var.Pos, "declared here"))
		b.fixFirst(d, a.Pos, "::entry", "::func", "write ::func")
	}
	if !ok && a.Store && b.Entry {
		b.forbidf(StoredInput, a.Pos, "st.param through %s in kernel %s, whose parameters are constant: the machine code stores nothing; use .local memory", a.Addr.Base, clip(b.Name))
		return
	}
	if !ok || !a.Store || t.sym.Role != resolved.Param {
		return
	}
	msg := sprintf("st.param through %s writes input %s; the machine code changes the copy on the stack, and later loads may see the old or the new value", a.Addr.Base, t.name)
	if b.Entry {
		msg = sprintf("st.param through %s writes kernel parameter %s, which is constant: the machine code stores nothing; use .local memory", a.Addr.Base, t.name)
	}
	b.add(b.forbidden(), StoredInput, a.Pos, msg, related(t.sym.Var.Pos, "declared here"))
}

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
func (c *checker) addressInstr(in *ptx.Instr, name, mods string) {
	var room [4]string
	ops := operands(in, room[:0])
	switch name {
	case "mov":
		c.mov(in, ops)
	case "add", "sub":
		c.move(in, ops)
	case "cvta":
		c.cvta(in, mods, ops)
	case "isspacep":
		if hasModifier(mods, "param") || hasModifier(mods, "param::entry") {
			c.need(paramAddresses, in.Pos)
		}
	default:
		c.memory(in, name, mods, ops)
		c.untaint(in)
	}
}

// harmless reports whether an instruction that addressInstr is for has certainly
// nothing to do with parameters: it names no register that points to one, and what it
// names in place of one is a register by its look, or something else of the module or of
// the function. Nearly all are such, and most of the time was spent on taking their
// operands apart.
func (c *checker) harmless(in *ptx.Instr, kind ptx.OpKind) bool {
	if c.fn.taint.bits != 0 && (in.Ragged || c.fn.taint.mentioned(in.Args)) {
		return false
	}
	at := -1
	switch kind {
	case ptx.OpSum:
		return true
	case ptx.OpMove, ptx.OpMemory:
		if in.OnlyPercent() && !c.later.Percent {
			return true
		}
		separator := byte(',')
		if kind == ptx.OpMemory {
			separator = '['
		}
		at = strings.IndexByte(in.Args, separator)
	case ptx.OpIndirect:
		return in.OnlyPercent() && !c.later.Percent && strings.HasPrefix(in.Op, "cvta.") && !strings.Contains(in.Op, "param")
	}
	if at < 0 || in.Ragged || kind == ptx.OpMove && in.Args[0] == '{' {
		return false
	}
	for at++; at < len(in.Args); at++ {
		switch b := in.Args[at]; {
		case b == ' ', b == '\t':
		case b == '%' && !c.later.Percent:
			return true
		case kind == ptx.OpMove:
			return '0' <= b && b <= '9' || nameStart(b) && c.movable(in.Args[at:])
		default:
			rest := in.Args[at:]
			if n := len(c.fn.plain.other); n > 0 && n < len(rest) && rest[:n] == c.fn.plain.other && !nameByte(rest[n]) {
				return true
			}
			name, sym := c.parameter(rest)
			if sym == nil {
				c.fn.plain.other = name
			}
			return sym == nil
		}
	}
	return false
}

// movable reports whether the name that an operand of a mov begins with means what is
// neither a parameter nor a function.
func (c *checker) movable(op string) bool {
	name := op[:nameEnd(op, 1)]
	if sym := c.lookup(name); sym != nil {
		return sym.Var == nil || sym.Spec.Space != ptx.ParamSpace
	}
	g := c.globals[name]
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
func (c *checker) parameter(op string) (string, *resolved.Symbol) {
	if op == "" || !nameStart(op[0]) {
		return "", nil
	}
	name := op[:nameEnd(op, 1)]
	sym := c.lookup(name)
	if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.ParamSpace {
		return name, nil
	}
	return name, sym
}

// mov checks mov reg, name.
func (c *checker) mov(in *ptx.Instr, ops []string) {
	if len(ops) != 2 {
		return
	}
	name, sym := c.parameter(ops[1])
	if sym == nil {
		if g := c.globals[name]; g != nil && g.fn != nil && c.lookup(name) == nil {
			c.funcAddress(in, g)
		} else if g == nil && name != "" && (name[0] != '%' || c.later.Percent) && c.lookup(name) == nil { // no %tid
			c.lostAddress(in, name)
		}
		c.move(in, ops)
		return
	}
	if !c.addressRegister(in, ops[0], name) {
		return
	}
	switch sym.Role {
	case resolved.Local:
		err := &diag.Diagnostic{
			File: c.m.Name, Pos: in.Pos, Code: LocalAddress,
			Msg:     sprintf("%s is a .param variable of a body, which has no address; copy it into .local memory", name),
			Related: []diag.Related{related(sym.Var.Pos, "declared here")},
		}
		c.errs.Add(err)
		if strings.Contains(ops[1], "+") { // the assembler crashes when it comes to compile it
			c.far = append(c.far, farAccess{c.fn.g, err})
		}
		return
	case resolved.Result:
		if !c.need(resultAddress, in.Pos) {
			return
		}
	}
	c.fn.taint.set(ops[0], address{name, sym})
}

// lostAddress complains about the address of a parameter that is not visible.
func (c *checker) lostAddress(in *ptx.Instr, name string) {
	if _, ok := c.closed(name); ok {
		c.undeclared(name, in.Pos)
	} else if owner := c.ownerOf(name); owner != "" && owner != c.fn.Name {
		c.undeclared(name, in.Pos)
	}
}

// addressRegister checks that the type of a mov and its destination can hold an
// address.
func (c *checker) addressRegister(in *ptx.Instr, reg, name string) bool {
	i := strings.LastIndexByte(in.Op, '.')
	if i < 0 {
		return false
	}
	t := ptx.TypeOf(in.Op[i:])
	dst := c.lookup(reg)
	if t == ptx.NoType || dst == nil || dst.Var == nil || dst.Spec.Space != ptx.RegSpace {
		return false // not a mov, or not into a register: no business of this package
	}
	if k := t.Class(); k != ptx.Integer && k != ptx.Bits || dst.Spec.Type.Size() != t.Size() || dst.Spec.Type == ptx.Pred {
		c.add(diag.Error, MismatchedRegister, in.Pos, sprintf("%s of the address of %s into %s, which is %s; use mov.u64 and a register of 64 bits", in.Op, name, reg, describe(dst.Spec, dst.Var)), related(dst.Var.Pos, "declared here"))
		return false
	}
	return true
}

// funcAddress notes that a function's address is taken.
func (c *checker) funcAddress(in *ptx.Instr, g *global) {
	c.need(funcAddresses, in.Pos)
	c.mention(c.fn.g, g, in.Pos)
	if g.fn.Linkage == ptx.Extern && !c.opts.Compile && g.def == nil && !builtin(g.name) {
		g.called = in.Pos
	}
}

// cvta checks the conversion of a parameter's address to a generic one.
func (c *checker) cvta(in *ptx.Instr, mods string, ops []string) {
	param := hasModifier(mods, "param") || hasModifier(mods, "param::entry") || hasModifier(mods, "param::func")
	if param && !c.need(paramAddresses, in.Pos) || len(ops) != 2 {
		return
	}
	name, sym := c.parameter(ops[1])
	if sym != nil && !hasModifier(mods, "to") {
		switch {
		case sym.Role == resolved.Local:
			c.add(diag.Error, LocalAddress, in.Pos, sprintf("%s is a .param variable of a body, which has no address; copy it into .local memory", name), related(sym.Var.Pos, "declared here"))
		case !param:
			c.add(diag.Error, MismatchedSpace, in.Pos, sprintf("%s is in .param space, and the instruction is %s; mov its address into a register first", name, in.Op), related(sym.Var.Pos, "declared here"))
		}
	}
	c.untaint(in)
}

// memory checks an access that is not ld.param or st.param: to the symbol of a
// parameter, and through a register that points to one.
func (c *checker) memory(in *ptx.Instr, op, mods string, ops []string) {
	if (op == "atom" || op == "red" || op == "prefetch") && hasModifier(mods, "param") {
		c.errorf(MismatchedSpace, in.Pos, "%s: there is no %s on .param space; parameters are seen by one thread", in.Op, op)
		return
	}
	for _, o := range ops {
		inner, ok := strings.CutPrefix(o, "[")
		if !ok {
			continue
		}
		inner = strings.TrimLeft(inner, " \t")
		name, sym := c.parameter(inner)
		if sym != nil {
			c.add(diag.Error, MismatchedSpace, in.Pos, sprintf("%s is in .param space, and the instruction is %s; use %s.param, or mov its address into a register", name, in.Op, op), related(sym.Var.Pos, "declared here"))
			return
		}
		if a, ok := c.fn.taint.of[name]; ok {
			c.window(in, mods, name, a)
		}
		return
	}
}

// window complains about a register that points to a parameter and is used as
// an address of another space.
func (c *checker) window(in *ptx.Instr, mods, reg string, a address) {
	space := "generic"
	for _, s := range [...]string{"local", "global", "shared", "const"} {
		for m := range strings.SplitSeq(mods, ".") {
			if m == s || strings.HasPrefix(m, s+"::") {
				space = s
			}
		}
	}
	at := related(a.sym.Var.Pos, "declared here")
	kernel := c.fn.Entry
	switch {
	case kernel:
		c.add(c.forbidden(), WrongWindow, in.Pos, sprintf("%s holds the offset of kernel parameter %s in the parameter block, and %s reads that offset of %s memory; use ld.param, or cvta.param before a generic access", reg, a.name, in.Op, space), at)
	case space != "local":
		c.add(c.forbidden(), WrongWindow, in.Pos, sprintf("%s holds the address of %s in local memory, and %s goes to %s memory; use ld.local, or cvta.local before a generic access", reg, a.name, in.Op, space), at)
	}
}

// registerAccess checks ld.param and st.param through a register.
func (c *checker) registerAccess(a *ptx.Access) {
	t, ok := c.fn.taint.of[a.Addr.Base]
	if !ok && a.Store && c.fn.Entry {
		c.forbidf(StoredInput, a.Pos, "st.param through %s in kernel %s, whose parameters are constant: the machine code stores nothing; use .local memory", a.Addr.Base, clip(c.fn.Name))
		return
	}
	if !ok || !a.Store || t.sym.Role != resolved.Param {
		return
	}
	msg := sprintf("st.param through %s writes input %s; the machine code changes the copy on the stack, and later loads may see the old or the new value", a.Addr.Base, t.name)
	if c.fn.Entry {
		msg = sprintf("st.param through %s writes kernel parameter %s, which is constant: the machine code stores nothing; use .local memory", a.Addr.Base, t.name)
	}
	c.add(c.forbidden(), StoredInput, a.Pos, msg, related(t.sym.Var.Pos, "declared here"))
}

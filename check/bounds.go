package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// The offsets, in bytes, from which on the assembler crashes or hangs on some accesses to a variable that is
// in registers, as measured: farABI if the function is compiled for the ABI, farWhole in a whole program. From crashes on it
// does so on all accesses; in a whole program too, since calls of functions whose addresses are taken follow the ABI there.
const (
	farABI   = 1020
	farWhole = 64
	crashes  = 1536
	// inRegisters is the size of the largest variable that can be in registers.
	inRegisters = 48
)

// bounds checks that the bytes of an access lie in the variable, and that it is aligned.
func bounds(b *bodyCheck, a *ptx.Access, sym *body.Symbol) {
	off := offsetOf(a, sym)
	size := int64(sym.Spec.SizeOf(sym.Var))
	end := off + int64(a.Bytes())
	if !a.Store && sym.Role == body.Param && sym.Var.Unsized() {
		b.tailLoad(a, off, end)
	}
	if off >= 0 && (end <= size || sym.Var.Unsized()) {
		alignedAccess(b, a, sym, off)
		return
	}
	at := related(sym.Var.Pos, "%s is declared here", describe(sym.Spec, sym.Var))
	switch {
	case farAway(b, a, sym, off, size):
	case off < 0:
		b.c.add(b.c.forbidden(), NegativeOffset, a.Addr.Pos, sprintf("%s at offset %d of %s %s", a.Op, off, a.Addr.Base, before(b, a, sym)), at)
	case off == 0 && int64(sym.Spec.ElemSize()) == size:
		b.c.add(b.c.forbidden(), WideAccess, a.Addr.Pos, sprintf("%s moves %d bytes of %s, which has %d; %s", a.Op, a.Bytes(), a.Addr.Base, size, b.beyond(a, sym, end)), at)
	default:
		b.c.add(b.c.forbidden(), OutOfBounds, a.Addr.Pos, sprintf("%s at [%d:%d] of %s, which has %d bytes; %s", a.Op, off, end, a.Addr.Base, size, b.beyond(a, sym, end)), at)
	}
}

// offsetOf returns the offset of an access in a variable, in bytes. The assembler takes an offset modulo
// 2^32, as a signed number (11.8, 12.4 and 13.5, measured).
func offsetOf(a *ptx.Access, sym *body.Symbol) int64 {
	off := a.Addr.Off
	if a.Addr.Indexed {
		off *= int64(max(sym.Spec.ElemSize(), 1))
	}
	return int64(int32(off))
}

// before and beyond return the effect of the machine code outside of a variable, in words.
func before(b *bodyCheck, a *ptx.Access, sym *body.Symbol) string {
	if b.Func.Entry && sym.Role == body.Param {
		return "reads the parameter before it, or what the driver keeps below the first"
	}
	if a.Store {
		return "writes what lies before it on the stack"
	}
	return "reads what lies before it on the stack"
}

func (b *bodyCheck) beyond(a *ptx.Access, sym *body.Symbol, end int64) string {
	size := int64(sym.Spec.SizeOf(sym.Var))
	switch {
	case b.Func.Entry && sym.Role == body.Param:
		return "the rest is that of the next parameter"
	case end <= (size+3)&^3:
		return "the machine code keeps the rest of the variable's last word with it, which the manual does not promise"
	case a.Store:
		return "the rest lands in the place of the next argument, or is dropped"
	}
	return "the rest is whatever the next register or stack word holds"
}

// farAway reports accesses that crash the assembler: those far outside
// a variable that is in registers. It reports whether it did.
func farAway(b *bodyCheck, a *ptx.Access, sym *body.Symbol, off, size int64) bool {
	if b.Func.Entry && sym.Role == body.Param || size > inRegisters || sym.Var.Unsized() {
		return false
	}
	limit := int64(farWhole)
	if b.c.Compile {
		limit = farABI
	}
	if off >= 0 && off < limit {
		return false
	}
	sev, msg := diag.Error, sprintf("%s at offset %d of %s, which has %d bytes; the assembler crashes on it", a.Op, off, a.Addr.Base, size)
	switch {
	case off >= 0 && off < crashes:
		sev = b.c.forbidden()
		msg += " or others of its kind"
	case !a.Store && !usedAfter(b, a):
		sev = b.c.forbidden()
		msg += " where the value is used"
	case unsetStore(b, a):
		sev = b.c.forbidden()
		msg += " once the value is set"
	}
	err := b.c.add(sev, FarAccess, a.Addr.Pos, msg, related(sym.Var.Pos, "declared here"))
	b.c.later.ifCompiled = append(b.c.later.ifCompiled, inFunction{b.g, err})
	f := farAccess{err: err, at: b.at, call: b.at}
	if a.Store && sym.Role == body.Local {
		f.v, f.call = b.place.state(b.in, b.in.Operands(b.at)[0]), -1
	}
	b.place.far = append(b.place.far, f)
	return true
}

// alignedAccess reports an offset that is not a multiple of the access's
// own size.
func alignedAccess(b *bodyCheck, a *ptx.Access, sym *body.Symbol, off int64) {
	v := int64(a.Bytes()) // a power of two, of a type that ld and st have
	if off&(v-1) == 0 && int64(sym.Spec.Alignment()) >= v {
		return
	}
	if off%v == 0 {
		if int64(sym.Spec.Alignment()) < int64(a.Type.Size()) {
			b.c.add(b.c.forbidden(), MisalignedAccess, a.Addr.Pos, sprintf("%s needs an alignment of %d, and %s has %d; declare it with .align %d", a.Op, a.Type.Size(), a.Addr.Base, sym.Spec.Alignment(), a.Type.Size()),
				related(sym.Var.Pos, "declared here"))
		}
		return
	}
	effect := "the manual forbids it though the assembler gets it right"
	switch {
	case a.Bytes() >= 4 && off%4 != 0:
		effect = sprintf("the machine code moves offset %d instead", off&^3)
	case a.Bytes() == 2 && off%4 == 3:
		effect = "the machine code loses the high byte"
	}
	b.c.add(b.c.forbidden(), MisalignedAccess, a.Addr.Pos, sprintf("%s at offset %d of %s is not a multiple of %d; %s", a.Op, off, a.Addr.Base, a.Bytes(), effect),
		related(sym.Var.Pos, "declared here"))
}

// ownName reports an access to a parameter with the name of its function. With -c the assembler confuses the two: it
// crashes on stores, and on loads of a value that the code right after them reads. No crash was
// seen if the module calls the function.
func ownName(b *bodyCheck, a *ptx.Access, sym *body.Symbol) {
	if !ownNamed(b, a.Addr.Base) {
		return
	}
	sev, msg := b.c.refused(), sprintf("%s has the name of its function; rename it: with -c the assembler crashes on it", a.Addr.Base)
	if !a.Store && !readAfter(b, a) {
		sev = b.c.forbidden()
		msg += " where it depends on the value"
	}
	err := b.c.add(sev, OwnName, a.Addr.Pos, msg, related(sym.Var.Pos, "declared here"))
	b.c.later.ifUncalled = append(b.c.later.ifUncalled, inFunction{b.g, err})
}

// ownNames turns these errors into warnings for functions that the module calls.
func ownNames(c *checker) {
	for _, n := range c.later.ifUncalled {
		if n.g.called.IsValid() && n.err.Severity == diag.Error {
			n.err.Severity = c.forbidden()
			n.err.Msg += " if nothing calls the function"
		}
	}
}

// ownNamed reports whether a name is that of the function, which is compiled with -c.
func ownNamed(b *bodyCheck, name string) bool {
	return b.c.Compile && !b.Func.Entry && name == b.Func.Name
}

// A registerUse is what a body does with registers. Code after a statement ends at the next label, jump or write of the register.
type registerUse struct {
	set        map[string]int // by name: the first statement that writes a register, -1 for a formal
	read, used []bool         // by statement: the code after it reads what it writes, and in a statement of [stores]
}

// registers returns the use of registers, which is found when it is first needed, from the end on.
func registers(b *bodyCheck) *registerUse {
	if b.registers != nil {
		return b.registers
	}
	n := len(b.Func.Body)
	use := &registerUse{make(map[string]int), make([]bool, n), make([]bool, n)}
	later := make(map[string]bool) // what the code from here on reads, and whether in a statement of stores
	for i, s := range slices.Backward(b.Func.Body) {
		mentions := b.in.Mentions(i)
		for _, m := range mentions {
			if m.Written {
				use.set[m.Name] = i
				used, read := later[m.Name]
				use.read[i], use.used[i] = use.read[i] || read, use.used[i] || used
				delete(later, m.Name)
			}
		}
		_, label := s.(*ptx.Label)
		if _, ok := s.(*ptx.Instr); label || ok && slices.Contains([]string{"ret", "exit", "bra", "brx", "trap"}, b.in.Op(i).Name) {
			later = make(map[string]bool)
			continue
		}
		for _, m := range mentions {
			if m.Read {
				later[m.Name] = later[m.Name] || stores(b, i)
			}
		}
	}
	for _, p := range b.Func.Params {
		use.set[p.Name] = -1
	}
	b.registers = use
	return use
}

// unsetStore reports whether an access stores registers alone that nothing before it sets: the assembler drops such a store.
func unsetStore(b *bodyCheck, a *ptx.Access) bool {
	return a.Store && !slices.ContainsFunc(a.Regs, func(o ptx.Operand) bool {
		at, ok := registers(b).set[o.Name()]
		return o.Kind == ptx.KindInt || o.Kind == ptx.KindFloat || ok && at < b.at
	})
}

// readAfter and usedAfter report whether the code after a load, which is the statement at hand, reads a register that it loads,
// and whether its value is certainly used. The assembler drops loads whose value nothing uses.
func readAfter(b *bodyCheck, load *ptx.Access) bool {
	return load.Guard == nil && registers(b).read[b.at]
}

func usedAfter(b *bodyCheck, load *ptx.Access) bool {
	return load.Guard == nil && registers(b).used[b.at]
}

// stores reports whether a statement certainly uses the values of registers: it is a call, or stores to
// memory or to a result.
func stores(b *bodyCheck, i int) bool {
	switch s := b.Func.Body[i].(type) {
	case *ptx.Call:
		return true
	case *ptx.Access:
		sym := b.in.Sym(b.in.Operands(i)[0])
		return s.Store && sym != nil && sym.Role == body.Result
	}
	op := b.in.Op(i)
	return (op.Name == "st" || op.Name == "red" || op.Name == "atom") && !op.Has(".local")
}

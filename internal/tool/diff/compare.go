package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A comparison collects what differs in one function.
type comparison struct {
	Function
	ta, tb *abi.Target
}

// add notes a change. What no other module can call breaks none: its callers are
// compiled with it.
func (c *comparison) add(role string, index int, what string, breaks bool, format string, args ...any) {
	breaks = breaks && c.A.known()
	c.Changes = append(c.Changes, Change{role, index, what, breaks, fmt.Sprintf(format, args...)})
	c.Status, c.Breaks = Differs, c.Breaks || breaks
}

func compare(a, b *Func, ta, tb *abi.Target) Function {
	c := &comparison{Function: Function{Name: a.Name, Status: Same, Changes: []Change{}, A: a, B: b}, ta: ta, tb: tb}
	switch {
	case b == nil && a.Block != nil && versioned(a.Name):
		c.add("function", -1, "removed", false, "it is missing; its name contains a version, so the code that launches it was compiled with it")
		c.Status = OnlyInA
		return c.Function
	case b == nil:
		c.add("function", -1, "removed", true, "%s", "it is missing")
		c.Status = OnlyInA
		return c.Function
	case a.Kind != b.Kind:
		c.add("function", -1, "kind", true, "it was %s and is %s", kindName(a), kindName(b))
		return c.Function
	}
	c.renamed()
	c.formals("return", a.Returns, b.Returns)
	c.formals("param", a.Params, b.Params)
	if a.Block != nil {
		c.block()
	}
	c.directives()
	if a.Visible && !b.Visible {
		c.add("function", -1, "hidden", true, "other modules can no longer call it by its name; declare it .visible")
	}
	return c.Function
}

func kindName(f *Func) string {
	if f.Kind == "entry" {
		return "a kernel"
	}
	return "a function"
}

func (c *comparison) formals(role string, a, b []Value) {
	for i := range min(len(a), len(b)) {
		c.formal(role, i, &a[i], &b[i])
		if was, is := label(&a[i], c.A.Name), label(&b[i], c.B.Name); was != is && was != "" && is != "" {
			c.name(role, i, was, b)
		}
	}
	for i := len(b); i < len(a); i++ {
		then := "the linker refuses callers that pass it"
		if c.A.Block != nil {
			then = "a launch that passes it passes too many bytes"
		}
		c.add(role, i, "removed", true, "%s is missing: %s", cmp.Or(label(&a[i], c.A.Name), "it"), then)
	}
	for i := len(a); i < len(b); i++ {
		verb := "pass"
		if role == "return" {
			verb = "expect"
		}
		c.add(role, i, "added", true, "callers do not %s %s, which is in %s", verb, cmp.Or(label(&b[i], c.B.Name), "it"), b[i].Place)
	}
}

// formal compares two formals of one position.
func (c *comparison) formal(role string, i int, a, b *Value) {
	kernel := c.A.Block != nil
	switch {
	case role == "return" && a.loc.Kind != b.loc.Kind:
		c.add(role, i, "result kind", true, "the result was %s and is %s", kindOf(a), kindOf(b))
	case kernel && a.loc.Kind == b.loc.Kind && a.loc.Kind == abi.InConst:
		if was, is := a.loc.Off-c.A.Block.Base, b.loc.Off-c.B.Block.Base; was != is {
			c.add(role, i, "kernel offset", true, "it was at offset %d of the parameters and is at %d", was, is)
		}
	case a.loc != b.loc:
		c.add(role, i, "moved", true, "it was %s and is %s", where(a.loc), where(b.loc))
	}
	if a.Size != b.Size {
		c.add(role, i, "size", true, "it had %s and has %d", bytes(a.Size), b.Size)
	}
	switch {
	case a.Align == b.Align || a.Align == 0 || b.Align == 0:
	case b.Align > a.Align && a.loc.Kind == abi.Indirect && b.loc.Kind == abi.Indirect:
		c.add(role, i, "alignment", true, "the function may rely on memory aligned to %d for its result, callers align it to %d", b.Align, a.Align)
	case b.Align > max(a.Align, c.tb.Frame.FuncAlign) && a.loc.Kind == abi.OnStack && b.loc.Kind == abi.OnStack:
		c.add(role, i, "alignment", true, "the function may rely on a stack aligned to %d, callers align it to %d", b.Align, max(a.Align, c.ta.Frame.FuncAlign))
	case a.Size == b.Size && a.loc == b.loc && !kernel:
		c.add(role, i, "alignment", false, "it was %d and is %d: compiled callers work, PTX that declares the old alignment is refused", a.Align, b.Align)
	default:
		c.add(role, i, "alignment", false, "it was %d and is %d", a.Align, b.Align)
	}
	if a.Align == 0 || b.Align == 0 {
		return // of a cubin
	}
	if a.Size == b.Size && a.Type != b.Type {
		c.types(role, i, a, b)
	}
}

// name says what a new name at a position means: that its formal was called
// anew, or that the old one stands elsewhere, where callers do not pass it.
func (c *comparison) name(role string, i int, old string, b []Value) {
	j := slices.IndexFunc(b, func(v Value) bool { return label(&v, c.B.Name) == old })
	is := label(&b[i], c.B.Name)
	switch {
	case j < 0 || old == "_":
		c.add(role, i, "name", false, "it was %s and is %s: callers pass the same value", old, is)
	case role == "return":
		c.add(role, i, "reordered", true, "%s is now %s %d: callers take %s for it", old, roleText(role), j, is)
	default:
		c.add(role, i, "reordered", true, "%s is now %s %d: callers pass it as %s", old, role, j, is)
	}
}

// types compares the types of two formals of one size. A launch passes bytes;
// callers of a function meet the linker.
func (c *comparison) types(role string, i int, a, b *Value) {
	switch {
	case c.A.Block != nil:
		c.add(role, i, "type", false, "it was %s and is %s: the bytes are the same", a.Type, b.Type)
	case a.link != b.link:
		c.add(role, i, "type", true, "it was %s and is %s: the bytes are the same, but the linker refuses callers with the old type", a.Type, b.Type)
	default:
		c.add(role, i, "type", false, "it was %s and is %s: the bytes are the same, and the linker accepts either", a.Type, b.Type)
	}
}

// block compares the parameter blocks of kernels.
func (c *comparison) block() {
	a, b := c.A.Block, c.B.Block
	if a.Size != b.Size {
		c.add("block", -1, "block size", true, "a launch passes %s and should pass %d", bytes(a.Size), b.Size)
	}
	if a.Bank != b.Bank || a.Base != b.Base && a.Size+b.Size > 0 { // of no bytes the place does not matter
		c.add("block", -1, "block base", false, "the parameters begin at %s and %s, which a launch does not see", a.at(), b.at())
	}
}

func (b *Block) at() string { return abi.ConstAddr{Bank: uint8(b.Bank), Off: b.Base}.String() }

// where is where a value begins.
func where(l abi.Loc) string {
	if l.Kind == abi.Nowhere {
		return "nowhere"
	}
	return "in " + l.String()
}

// kindOf is how a result comes back.
func kindOf(v *Value) string {
	switch v.loc.Kind {
	case abi.InReg:
		return "in " + v.Place
	case abi.Indirect:
		return "in memory whose address the caller passes in " + abi.Loc{Kind: abi.InReg, Reg: v.loc.Reg}.String()
	}
	return "nowhere"
}

func bytes(n int) string { return prose.Count(n, "byte") }

// directives compares what a function's type has beside its formals. nvlink 13.0, 13.4
// and 13.5 refuse declarations that preserve otherwise, also where one says what
// holds anyway; a .noreturn that one side lacks no nvlink sees.
func (c *comparison) directives() {
	said := func(name string, n *int) string {
		if n == nil {
			return "no " + name
		}
		return fmt.Sprintf("%s %d", name, *n)
	}
	for _, d := range []struct {
		name, saved string
		a, b        *int
	}{
		{".abi_preserve", "registers", c.A.Preserve, c.B.Preserve},
		{".abi_preserve_control", "barriers", c.A.Control, c.B.Control},
	} {
		was, is := said(d.name, d.a), said(d.name, d.b)
		saved := d.saved + " are callee-saved"
		switch from, to := c.A.ReturnAddress, c.B.ReturnAddress; {
		case was == is:
			continue
		case c.Function.A.Block != nil:
			c.add("function", -1, "preserve", false, "%s and %s: a launch does not see it", was, is)
			continue
		case d.name == ".abi_preserve" && from != to && from != "" && to != "":
			saved += fmt.Sprintf(", the return address was in %s and is in %s", from, to)
		}
		c.add("function", -1, "preserve", true, "%s and %s: other %s, and the linker refuses callers with the old directive", was, is, saved)
	}
	switch {
	case c.A.NoReturn && !c.B.NoReturn:
		c.add("function", -1, "noreturn", true, "it was .noreturn and is not: callers have left out the code after the call, and their return")
	case !c.A.NoReturn && c.B.NoReturn:
		c.add("function", -1, "noreturn", false, "it is .noreturn now: it does not return to callers")
	}
}

// pairUp finds for the functions of one side those of the other that they are compared with. Names come first. A
// kernel whose name is not there may have got another one, because C++ makes the types of parameters
// a part of it, or because a library has its version in it: it is the only one of the others that is called the same
// without these.
func pairUp(a, b []*Func) map[*Func]*Func {
	pairs := make(map[*Func]*Func, len(a))
	taken := make(map[*Func]bool, len(b))
	byName := make(map[string]*Func, len(b))
	for _, f := range b {
		byName[f.Name] = f
	}
	for _, f := range a {
		if of := byName[f.Name]; of != nil {
			pairs[f], taken[of] = of, true
		}
	}
	for _, called := range []func(string) string{
		func(symbol string) string { name, unit := cxxname.Unit(symbol); return name + unit },
		func(symbol string) string { name, _ := cxxname.Unit(symbol); return name },
		cxxname.Name,
		func(symbol string) string { return versionless(cxxname.Full(symbol)) },
		func(symbol string) string { return versionless(cxxname.Name(symbol)) },
		cxxname.Plain,
		func(symbol string) string { return versionless(cxxname.Plain(symbol)) },
	} {
		ofA := left(a, func(f *Func) bool { return pairs[f] != nil }, called)
		ofB := left(b, func(f *Func) bool { return taken[f] }, called)
		for name, f := range ofA {
			if of := ofB[name]; f != nil && of != nil {
				pairs[f], taken[of] = of, true
			}
		}
	}
	return pairs
}

// left are the kernels of C++ without a partner by what they are called, nil where it is several.
func left(list []*Func, paired func(*Func) bool, called func(string) string) map[string]*Func {
	all := make(map[string]*Func)
	for _, f := range list {
		if f.Block == nil || paired(f) || !strings.HasPrefix(f.Name, "_Z") && !strings.HasPrefix(f.Name, "__nv_static_") {
			continue
		}
		name := called(f.Name)
		if _, ok := all[name]; ok {
			f = nil
		}
		all[name] = f
	}
	return all
}

// versioned reports whether a symbol of C++ carries a version, so that what launches its kernel was
// compiled with it.
func versioned(symbol string) bool {
	name := cxxname.Name(symbol)
	return name != symbol && versionless(name) != name
}

// renamed notes that a kernel has another symbol.
func (c *comparison) renamed() {
	a, b := c.A.Name, c.B.Name
	switch {
	case a == b || rebuilt(a, b):
	case versioned(a) && versionless(cxxname.Full(a)) == versionless(cxxname.Full(b)):
		c.add("function", -1, "renamed", false, "its name contains a version, which has changed; the code that launches it was compiled with it")
	default:
		c.add("function", -1, "renamed", true, "a launch that looks it up by its symbol does not find it: it was %s and is %s", a, b)
	}
}

// rebuilt reports whether two symbols are those of one function that only its own file can name, of two builds.
func rebuilt(a, b string) bool {
	nameA, unitA := cxxname.Unit(a)
	nameB, unitB := cxxname.Unit(b)
	return nameA == nameB && unitA != "" && unitB != ""
}

// label is the name of a formal without that of its function, which compilers put before it.
func label(v *Value, of string) string { return strings.TrimPrefix(v.Name, of+"_") }

// taken says of which functions a module takes the address, and in which line it
// first does: in an initialiser, in a list of call targets, or as an operand of
// whatever is no call of it. The address of an alias is that of its aliasee.
func taken(m *ptx.Module, table *resolve.Table) map[string]int {
	lines := make(map[string]int)
	take := func(text string, pos diag.Pos) {
		for name := range ptx.TextNames(text) {
			if c := table.Lookup(name); c != nil && lines[c.Func.Name] == 0 {
				lines[c.Func.Name] = int(pos.Line)
			}
		}
	}
	for _, it := range m.Items {
		switch it := it.(type) {
		case *ptx.Decl:
			body.Values(it, take)
		case *ptx.Func:
			for _, s := range it.Body {
				body.Values(s, take)
				if list, ok := s.(*ptx.TargetList); ok && !list.Branch {
					take(list.Text[min(len(list.Name), len(list.Text)):], list.Pos)
				}
			}
		}
	}
	return lines
}

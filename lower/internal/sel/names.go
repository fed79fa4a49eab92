package sel

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// uniqueName returns the unique name of a register or variable that is mentioned
// here.
func (fn *Selector) uniqueName(name string) string {
	if !fn.Names.Any {
		return name
	}
	sym := fn.In.Lookup(fn.At, name)
	if sym == nil {
		return fn.symbol(name)
	}
	if h := fn.HomeOf(name, sym); h != nil {
		return h.Text(0)
	}
	return name + fn.Added(sym)
}

// symbol returns how a name is written that means nothing in the function: as calls
// write it if it is one of the module's that looks like a register.
func (fn *Selector) symbol(name string) string {
	if fn.Table.Machine && sass.MachineName(name) && (fn.Table.Var(name) != nil || fn.Table.Lookup(name) != nil) {
		return "`(" + name + ")"
	}
	return name
}

// elementHome returns the register that an element of a vector lives in, where .x or the like
// stands after its name; "" if it has no home.
func (fn *Selector) elementHome(name, after string) (reg string) {
	if len(after) != 2 {
		return ""
	}
	at := strings.IndexByte("xyzwrgba", after[1])
	sym := fn.In.Lookup(fn.At, name)
	h := fn.HomeOf(name, sym)
	if h == nil || at < 0 || sym.Spec.Vec == 0 || at%4 >= sym.Spec.Vec {
		return ""
	}
	return h.Text(at % 4 * h.Words / sym.Spec.Vec)
}

// rewrite returns the text of an instruction with the unique names in it. It is
// good until the next call.
func (fn *Selector) rewrite(in *ptx.Instr) []byte {
	if fn.same(in) {
		fn.line = ptx.AppendStmt(fn.line[:0], in)
		return fn.line[:len(fn.line)-1]
	}
	guard := fn.guard(in.Guard)
	dst := append(fn.line[:0], guard...)
	if guard != "" {
		dst = append(dst, ' ')
	}
	dst = append(append(dst, in.Op...), ' ')
	args := ptx.ReplaceNames(string(ptx.AppendTokens(nil, in.Args)), func(name, suffix string) string {
		if reg := fn.elementHome(name, suffix); reg != "" {
			return reg
		}
		return fn.printed(name) + suffix
	})
	fn.line = append(dst, args...)
	return fn.line
}

// same reports whether an instruction keeps all of its names.
func (fn *Selector) same(in *ptx.Instr) bool {
	if !fn.Names.Any && fn.Names.LabelIn == nil {
		return true
	}
	for n := range ptx.Names(in.Ops()) {
		if name := n.Name(); fn.printed(name) != name || fn.elementHome(name, strings.TrimPrefix(n.Text, name)) != "" {
			return false
		}
	}
	return in.Guard == nil || strings.HasSuffix(fn.guard(in.Guard), in.Guard.Name)
}

// printed returns how a name that an instruction mentions is printed.
func (fn *Selector) printed(name string) string {
	if u := fn.labels.label(name); u != name || fn.Kinds[fn.At].Ends() && fn.Names.IsLabel(name) {
		return u
	}
	return fn.uniqueName(name)
}

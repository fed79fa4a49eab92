package sel

import (
	"strings"

	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// uniqueName returns the unique name of a register or variable that is mentioned
// here.
func (fn *Selector) uniqueName(name string) string {
	if !fn.Names.Mask.Has(name) {
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
	if fn.Table.Machine && resolve.MachineName(name) && (fn.Table.Var(name) != nil || fn.Table.Lookup(name) != nil) {
		return "`(" + name + ")"
	}
	return name
}

// elementHome returns the register that an element of a vector lives in, where the
// text after its name is .x or the like, and how long that is; "" if it has no
// home.
func (fn *Selector) elementHome(name, after string) (reg string, size int) {
	if len(after) < 2 || after[0] != '.' || len(after) > 2 && place.NameByte(after[2]) {
		return "", 0
	}
	at := strings.IndexByte("xyzwrgba", after[1])
	sym := fn.In.Lookup(fn.At, name)
	h := fn.HomeOf(name, sym)
	if h == nil || at < 0 || sym.Spec.Vec == 0 || at%4 >= sym.Spec.Vec {
		return "", 0
	}
	return h.Text(at % 4 * h.Words / sym.Spec.Vec), 2
}

// untouched reports whether an instruction certainly keeps all of its names: none
// in the function changes, or only such as those that it does not mention look.
func (fn *Selector) untouched(in *ptx.Instr) bool {
	n := &fn.Names
	if n.LabelIn != nil || n.Percent || in.Guard != nil && in.Guard.Name[0] != '%' {
		return !n.Any && n.LabelIn == nil
	}
	kind := fn.Kinds[fn.At]
	if n.Mask == 0 || kind&place.Named == 0 || n.Mask&fn.BareNames == 0 && !kind.Ends() {
		return true
	}
	names := place.Identifiers{Text: in.Args}
	for name := names.NextBare(); name != ""; name = names.NextBare() {
		if n.Mask.Has(name) {
			return false
		}
	}
	return true
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
	args := string(ptx.AppendTokens(nil, in.Args))
	names := place.Identifiers{Text: args}
	done := 0
	for name := names.Next(); name != ""; name = names.Next() {
		dst = append(dst, args[done:names.Off-len(name)]...)
		done = names.Off
		if reg, size := fn.elementHome(name, args[done:]); size > 0 {
			dst = append(dst, reg...)
			done += size
			continue
		}
		dst = append(dst, fn.printed(name)...)
	}
	fn.line = append(dst, args[done:]...)
	return fn.line
}

// same reports whether an instruction keeps all of its names.
func (fn *Selector) same(in *ptx.Instr) bool {
	if fn.untouched(in) {
		return true
	}
	names := place.Identifiers{Text: in.Args}
	for name := names.Next(); name != ""; name = names.Next() {
		if fn.printed(name) != name {
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

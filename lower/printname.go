package lower

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// uniqueName returns the unique name of a register or variable that is mentioned
// here.
func (fn *fn) uniqueName(name string) string {
	if !fn.names.mask.has(name) {
		return name
	}
	sym := fn.in.Lookup(fn.at, name)
	if sym == nil {
		return fn.symbol(name)
	}
	if h := fn.homeOf(name, sym); h != nil {
		return h.text(0)
	}
	return name + fn.added(sym)
}

// symbol returns how a name is written that means nothing in the function: as calls
// write it if it is one of the module's that looks like a register.
func (fn *fn) symbol(name string) string {
	if fn.table.Machine && resolve.MachineName(name) && (fn.table.Var(name) != nil || fn.table.Lookup(name) != nil) {
		return "`(" + name + ")"
	}
	return name
}

// elementHome returns the register that an element of a vector lives in, where the
// text after its name is .x or the like, and how long that is; "" if it has no
// home.
func (fn *fn) elementHome(name, behind string) (reg string, size int) {
	if len(behind) < 2 || behind[0] != '.' || len(behind) > 2 && nameByte(behind[2]) {
		return "", 0
	}
	at := strings.IndexByte("xyzwrgba", behind[1])
	sym := fn.in.Lookup(fn.at, name)
	h := fn.homeOf(name, sym)
	if h == nil || at < 0 || sym.Spec.Vec == 0 || at%4 >= sym.Spec.Vec {
		return "", 0
	}
	return h.text(at % 4 * h.Words / sym.Spec.Vec), 2
}

// untouched reports whether an instruction certainly keeps all of its names: none
// in the function changes, or only such as those that it does not mention look.
func (fn *fn) untouched(in *ptx.Instr) bool {
	n := &fn.names
	if !fn.allVirtual {
		return false
	}
	if n.labelIn != nil || n.percent || in.Guard != nil && in.Guard.Name[0] != '%' {
		return !n.any && n.labelIn == nil
	}
	kind := fn.kinds[fn.at]
	if n.mask == 0 || kind&named == 0 || n.mask&fn.bareNames == 0 && !kind.ends() {
		return true
	}
	names := identifiers{text: in.Args}
	for name := names.nextBare(); name != ""; name = names.nextBare() {
		if n.mask.has(name) {
			return false
		}
	}
	return true
}

// rewrite returns the text of an instruction with the unique names in it. It is
// good until the next call.
func (fn *fn) rewrite(in *ptx.Instr) []byte {
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
	names := identifiers{text: args}
	done := 0
	for name := names.next(); name != ""; name = names.next() {
		dst = append(dst, args[done:names.off-len(name)]...)
		done = names.off
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
func (fn *fn) same(in *ptx.Instr) bool {
	if fn.untouched(in) {
		return true
	}
	names := identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		if fn.printed(name) != name {
			return false
		}
	}
	return in.Guard == nil || strings.HasSuffix(fn.guard(in.Guard), in.Guard.Name)
}

// printed returns how a name that an instruction mentions is printed.
func (fn *fn) printed(name string) string {
	if u := fn.labels.label(name); u != name || fn.kinds[fn.at].ends() && fn.names.isLabel(name) {
		return u
	}
	return fn.uniqueName(name)
}

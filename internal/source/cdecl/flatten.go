package cdecl

import (
	"cmp"

	"github.com/ptxabi/ptxabi/layout"
)

// maxChain is how many aliases and qualifiers a typedef may stand for before
// those between it and the type that they name are left out.
const maxChain = 64

// flatten returns t, or if that is a longer chain of typedefs a short one that
// means the same: what looks through a typedef goes along all of it.
func (p *parser) flatten(t layout.Type, pos Pos) layout.Type {
	if chain(t) <= maxChain {
		return t
	}
	var out layout.Alias
	var q layout.Qualified
	base := t
	for {
		if a, ok := base.(*layout.Alias); ok {
			out.Name, out.Align, base = cmp.Or(out.Name, a.Name), cmp.Or(out.Align, a.Align), a.Type
			continue
		}
		inner, ok := base.(*layout.Qualified)
		if !ok || inner.Atomic { // which changes the size of what it qualifies
			break
		}
		q.Const, q.Volatile, q.Restrict = q.Const || inner.Const, q.Volatile || inner.Volatile, q.Restrict || inner.Restrict
		base = inner.Type
	}
	if chain(base) > maxChain {
		p.fail(pos, BadType, "typedefs of atomic types nest more than %d deep", maxChain)
	}
	out.Type = qualify(base, q)
	return &out
}

// chain counts the aliases and qualifiers at the top of t.
func chain(t layout.Type) int {
	for n := 0; ; n++ {
		switch u := t.(type) {
		case *layout.Alias:
			t = u.Type
		case *layout.Qualified:
			t = u.Type
		default:
			return n
		}
	}
}

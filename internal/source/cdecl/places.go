package cdecl

import "github.com/ptxabi/ptxabi/layout"

// Places remembers which layouts have their fields in the same places: a record may be in others often, and each is compared
// once. An empty one is ready; nil is not.
type Places map[[2]*layout.Layout]bool

// Same reports whether the fields of two layouts of one type lie in the same places.
func (p Places) Same(a, b *layout.Layout) bool {
	if a.Size != b.Size || a.Align != b.Align || len(a.Members) != len(b.Members) {
		return false
	}
	if a.Elem != nil && !p.Same(a.Elem, b.Elem) {
		return false
	}
	pair := [2]*layout.Layout{a, b}
	if same, known := p[pair]; known {
		return same
	}
	p[pair] = true
	for i := range a.Members {
		m, n := &a.Members[i], &b.Members[i]
		if m.Offset != n.Offset || m.Bit != n.Bit || !p.Same(m.Layout, n.Layout) {
			p[pair] = false
			break
		}
	}
	return p[pair]
}

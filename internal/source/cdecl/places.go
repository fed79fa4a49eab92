package cdecl

import "github.com/ptxabi/ptxabi/layout"

// SamePlaces reports whether the fields of two layouts of one type lie in the same places.
func SamePlaces(a, b *layout.Layout) bool { return places{}.same(a, b) }

// places remembers which layouts are the same: a record may be in others often.
type places map[[2]*layout.Layout]bool

func (p places) same(a, b *layout.Layout) bool {
	if a.Size != b.Size || a.Align != b.Align || len(a.Members) != len(b.Members) {
		return false
	}
	if a.Elem != nil && !p.same(a.Elem, b.Elem) {
		return false
	}
	pair := [2]*layout.Layout{a, b}
	if same, known := p[pair]; known {
		return same
	}
	p[pair] = true
	for i := range a.Members {
		m, n := &a.Members[i], &b.Members[i]
		if m.Offset != n.Offset || m.Bit != n.Bit || !p.same(m.Layout, n.Layout) {
			p[pair] = false
			break
		}
	}
	return p[pair]
}

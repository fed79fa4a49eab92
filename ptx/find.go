package ptx

import (
	"sort"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// Offsets returns the offsets of two positions in [Module.Source]; ok is false if one is not
// in the text, or the second is before the first.
func (m *Module) Offsets(from, to Pos) (first, end int, ok bool) {
	m = zero.Or(m)
	first, end = m.text.offset(from), m.text.offset(to)
	return first, end, 0 <= first && first <= end
}

// FuncAt returns the function in whose declaration or definition a position is, and whether it is in the body; nil if
// there is none. The closing brace belongs to the body; if it is missing, the position where the body ends does.
func (m *Module) FuncAt(pos Pos) (f *Func, body bool) {
	m = zero.Or(m)
	i := sort.Search(len(m.Items), func(i int) bool { at, _ := m.Items[i].Span(); return pos.Before(at) })
	for i--; i >= 0; i-- {
		before, ok := m.Items[i].(*Func)
		switch {
		case !ok:
		case before.HasBody && before.BodyPos.Before(pos) && !before.EndPos.Before(pos):
			return before, true
		case f == nil && (before.HasBody && !before.BodyPos.Before(pos) || !before.HasBody && !before.EndPos.Before(pos)):
			if f = before; f.Pos != pos {
				return f, false
			}
		case before.HasBody:
			return f, false
		}
	}
	return f, false
}

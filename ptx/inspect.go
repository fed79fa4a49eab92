package ptx

import "iter"

// All returns an iterator over the module in source order: its items and, after a
// function with a body, the statements of the body. The first value is the function whose
// body has the second one, nil at module level. Every item is a [Stmt].
//
// Functions that a body declares, prototypes, lists of targets and declarations of
// variables are among the statements; *[Open] and *[Close] tell in which block.
func (m *Module) All() iter.Seq2[*Func, Stmt] {
	return func(yield func(*Func, Stmt) bool) {
		if m == nil {
			return
		}
		for _, it := range m.Items {
			s, ok := it.(Stmt)
			if !ok {
				continue // a nil item, in a tree built by hand
			}
			if !yield(nil, s) {
				return
			}
			if f, ok := s.(*Func); ok {
				for _, s := range f.Body {
					if !yield(f, s) {
						return
					}
				}
			}
		}
	}
}

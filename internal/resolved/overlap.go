package resolved

import "github.com/ptxabi/ptxabi/ptx"

// maxOverlap is how many names of a block a range is held against, so that no
// declaration is costly.
const maxOverlap = 256

// Overlap returns what the innermost block declares and v declares too: a range that
// v's name is one of, or one of the names of the range v. It is nil if there is none.
// Equal names are what Add returns.
func (s *scope) Overlap(v *ptx.Var) *Symbol {
	mark := 0
	if n := len(s.marks); n > 0 {
		mark = s.marks[n-1]
	}
	if !v.Ranged() {
		if s.ranges == 0 || v.Name == "" || !isDigit(v.Name[len(v.Name)-1]) {
			return nil
		}
		if at := s.inRange(v.Name); int(at) > mark {
			return s.stack[at-1].sym
		}
		return nil
	}
	for i := len(s.stack) - 1; i >= max(mark, len(s.stack)-maxOverlap); i-- {
		e := &s.stack[i]
		name := s.names.names[e.sym.Name]
		n := len(v.Name)
		if e.nest > 0 || len(name) <= n || !isDigit(name[len(name)-1]) || name[:n] != v.Name {
			continue
		}
		if k, ok := allDigits(name[n:]); ok && k < v.Count {
			return e.sym
		}
	}
	return nil
}

// allDigits returns the value of a text of digits alone.
func allDigits(text string) (n int64, ok bool) {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return 0, false
		}
	}
	return number(text)
}

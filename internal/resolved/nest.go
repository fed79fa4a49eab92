package resolved

// A nesting is what else there is to know of a range: the nearest one of the name further
// out that has more members, likewise one further out yet, and how many have more in all.
// Following them finds the range that a number is in with log n steps.
type nesting struct {
	wider, jump, depth int32 // the first two are indices into the stack, plus 1
}

// nest links a range of n members to those of the same name further out, the nearest of
// which is at prev.
func (s *scope) nest(prev int32, n int64) (e nesting) {
	e.wider = s.widerThan(prev, n)
	if e.wider == 0 {
		return e
	}
	w := s.nestingAt(e.wider)
	e.depth, e.jump = w.depth+1, e.wider
	if w.jump > 0 { // a jump as long as the two before it together
		j := s.nestingAt(w.jump)
		far := j.jump
		if far == 0 {
			far = w.jump
		}
		if w.depth-j.depth == j.depth-s.nestingAt(far).depth {
			e.jump = far
		}
	}
	return e
}

// nestingAt returns what there is to know of the range at an index into the stack, plus 1.
func (s *scope) nestingAt(at int32) *nesting { return &s.nests[s.stack[at-1].nest-1] }

// widerThan returns the first range from at on, going out, that has more than n
// members; 0 if none has.
func (s *scope) widerThan(at int32, n int64) int32 {
	for at > 0 {
		e := &s.stack[at-1]
		if n < e.sym.Var.Count {
			return at
		}
		far := &s.nests[e.nest-1]
		if far.jump > 0 && n >= s.stack[far.jump-1].sym.Var.Count {
			at = far.jump
		} else {
			at = far.wider
		}
	}
	return 0
}

package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// mistakes records the errors so far, so that each is reported once, where it is made, and not again where it is
// used. A rule that finds an error records it here, and a
// rule about something that may follow from one looks it up first:
//
//	badVars         Variables and formals with an error in their declaration, so that type,
//	                space and alignment may be unintended. Rules that compare one with
//	                something else look it up; markBad and spoil record it. If a block declares a
//	                name twice, both variables are in it. A variable named _ is not: it means nothing.
//	                Diagnostics of localSpec add no variable.
//	broken          A function. Rules about the bytes of a variable call it: it is true
//	                of badVars, and of other variables without a useful layout, such as arrays of
//	                arrays, about which only a warning may have been reported.
//	unknown         Undeclared names of a body that were reported, each once, by bodyCheck.undeclared.
//	                Every rule that meets a name without a meaning calls it.
//	undefined       The same for functions (undeclaredCallee), in the whole module.
//	needed          Features that the version or the target lacks, each reported once: need
//	                returns false every time, and a rule whose feature is missing reports nothing more.
//	nested          Warnings about arrays of arrays. An error about such an argument replaces the
//	                warning, and sets the entry to nil.
//	lost            Of a placement: a store went to a name that means nothing, so that any
//	                argument may have been meant. Rules about arguments without a store look it
//	                up. leavesResults is the same for calls that do not receive all results.
//	                Only bodyCheck.call finds out whether a call fits its callee (fits); it
//	                passes that to the placement.
//	crashed         Of a paramState: a load before every call was reported, once for the
//	                variable. shared is the same for a variable that serves two calls.
//	suppressed      Of a global: its declarations contradict each other, or it is both a function and a variable.
//	                A call still mentions it, but its formals are not compared with anything.
//	flawed          Of a global: a kernel with a result, which should have been a function. A
//	                call of it is no error by itself.
//	partialBody     The text has syntax errors, so that any declaration may be missing in the
//	                tree. Rules about a missing name, prototype or formal,
//	                or about the number of formals, look it up and report nothing. Rules about nodes
//	                that are there do not. partialModule is the same outside of bodies.
//
// A diagnostic whose cause is known only at the end of the module is reported all the same, and
// is added to pending; finish may take it back: see depends.
type mistakes struct {
	badVars   map[*ptx.Var]bool
	needed    map[string]bool // by the name of the feature
	nested    map[*ptx.Var]*diag.Diagnostic
	undefined map[string]bool
	// newer is the warning about the first unknown word of a module of a later version.
	newer *diag.Diagnostic
}

func newMistakes() mistakes {
	return mistakes{
		badVars: make(map[*ptx.Var]bool), needed: make(map[string]bool),
		nested: make(map[*ptx.Var]*diag.Diagnostic), undefined: make(map[string]bool),
	}
}

// A dependent is a diagnostic about the use of a variable.
type dependent struct {
	v   *ptx.Var
	err *diag.Diagnostic
}

// spoil marks a variable as bad if one of the diagnostics of its declaration, which are those after the first reported
// ones, is an error; with Options.Lower, if there is any.
func (c *checker) spoil(v *ptx.Var, reported int) {
	for _, err := range c.list[reported:] {
		if err.Severity == diag.Error || c.Lower {
			c.mistakes.markBad(v)
			return
		}
	}
}

// markBad records a variable or formal with an error in its declaration.
func (s *mistakes) markBad(v *ptx.Var) {
	s.badVars[v] = true
}

// spoilOdd marks the formals of a declaration that differ from those of the first declaration as bad.
func (s *mistakes) spoilOdd(first, f *ptx.Func) {
	mark := func(was, is []ptx.Formal) {
		for i := range is {
			if i >= len(was) || !alike(&was[i], &is[i]) {
				s.markBad(&is[i].Var)
			}
		}
	}
	mark(first.Results, f.Results)
	mark(first.Params, f.Params)
}

// anyBad reports whether one of the formals of some lists is bad.
func (s *mistakes) anyBad(lists ...[]ptx.Formal) bool {
	for _, list := range lists {
		for i := range list {
			if s.badVars[&list[i].Var] {
				return true
			}
		}
	}
	return false
}

// depends records that the last diagnostic, if there is one after the first reported ones, is
// about the use of an integer scalar under 32 bits. Whether the function is compiled for the ABI, which does not pass that, is
// known at the end.
func (c *checker) depends(v *ptx.Var, t ptx.Type, reported int) {
	if n := len(c.list); n > reported && t.Class() == ptx.Integer && t.Size() < 4 && len(v.Dims) == 0 {
		c.later.narrow = append(c.later.narrow, dependent{v, c.list[n-1]})
	}
}

// dependents takes back the diagnostics that follow from declarations with an error.
func dependents(c *checker) {
	for _, d := range c.later.narrow {
		if c.mistakes.badVars[d.v] {
			c.drop(d.err)
		}
	}
}

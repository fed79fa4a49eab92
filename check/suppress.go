package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// mistakes is what is wrong already, so that it is not reported again where it is used: a
// mistake is reported once, where it is made. A rule that finds one notes it here, and a
// rule that would report what follows from one asks first:
//
//	badVars         Variables and formals with an error in their declaration, so that type,
//	                space and alignment may be unintended. Rules that hold one against
//	                something else ask; markBad and spoil note it. Where a block declares a
//	                name twice both are in it. One that is named _ is not: it means nothing.
//	                Diagnostics of localSpec spoil no variable.
//	broken          A method. Rules about where an access lies in a variable ask it: it is true
//	                of badVars, and of others that have no layout of use, such as arrays of
//	                arrays, about which a warning may be all that was reported.
//	unknown         Undeclared names of a body that were reported, each once (bodyCheck.undeclared,
//	                which every rule calls that meets a name without a meaning).
//	undefined       The same for functions (undeclaredCallee), in the whole module.
//	needed          Features that the version or the target lacks, each reported once: need
//	                says false every time, and a rule whose feature is missing says no more.
//	nested          Warnings about arrays of arrays; an error about such an argument takes the
//	                place of the warning, and nil of the entry.
//	lost            Of a placement: a store went to a name that means nothing, so that any
//	                argument may be the one that was meant. Rules about arguments that lack a
//	                store ask. Likewise leavesResults, of calls that do not take all results.
//	                Whether a call fits its callee is known in bodyCheck.call alone (fits), which
//	                tells the placement.
//	crashed         Of a paramState: a load before every call was reported, once for the
//	                variable. Likewise shared, about a variable that serves two calls.
//	suppressed      Of a global: its declarations contradict each other, or it is two things.
//	                A call still mentions it, but nothing is held against its formals.
//	flawed          Of a global: a kernel with a result, which had to be a function. That
//	                something calls it is no mistake of its own.
//	partialBody     The text has syntax errors, so that any declaration may be among what
//	                could not be read. Rules about a name, a prototype or a formal that is
//	                missing, or about numbers of formals, ask and stay silent. Rules about what
//	                is there do not ask. partialModule is the same outside of bodies.
//
// A diagnostic whose cause is known only at the end of the module is made all the same, and
// is put in pending, from where finish takes it back: see depends.
type mistakes struct {
	badVars   map[*ptx.Var]bool
	needed    map[string]bool // by the name of the feature
	nested    map[*ptx.Var]*diag.Diagnostic
	undefined map[string]bool
	// newer is the warning about the first word of a version that is not known.
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

// spoil marks a variable as bad if one of the diagnostics after the first reported ones,
// which are about its declaration, is an error; in package lower any is one.
func (c *checker) spoil(v *ptx.Var, reported int) {
	for _, err := range c.list[reported:] {
		if err.Severity == diag.Error || c.Lower {
			c.mistakes.markBad(v)
			return
		}
	}
}

// markBad notes a variable or formal with an error in its declaration.
func (s *mistakes) markBad(v *ptx.Var) {
	s.badVars[v] = true
}

// spoilOdd marks the formals of a declaration that are not those of the first.
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

// depends notes the last diagnostic, if there is one after the first reported, as
// one about the use of a sub-word scalar: whether the ABI passes that is known
// at the end.
func (c *checker) depends(v *ptx.Var, t ptx.Type, reported int) {
	if n := len(c.list); n > reported && t.Class() == ptx.Integer && t.Size() < 4 && len(v.Dims) == 0 {
		c.later.narrow = append(c.later.narrow, dependent{v, c.list[n-1]})
	}
}

// dependents takes back what follows from declarations that turned out wrong.
func dependents(c *checker) {
	for _, d := range c.later.narrow {
		if c.mistakes.badVars[d.v] {
			c.drop(d.err)
		}
	}
}

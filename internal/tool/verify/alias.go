package verify

import "github.com/ptxabi/ptxabi/internal/image/cubin"

// aliasee is the function that one of a compiled file is another name of, "" if
// it has code of its own.
//
// Measured with ptxas 11.8 to 13.5 on sm_35 to sm_120: an object has a symbol of an
// alias where the aliasee's code begins, with the size 0 and the binding of the
// aliasee, whatever the alias is declared as. nvlink keeps it. Code assembled as a
// whole program has none, but for copies of local functions, $kernel$alias.
func (r *Report) aliasee(f *compiled, fn *cubin.Function) string {
	if r.ptx != nil {
		return r.ptx.aliases[fn.Name]
	}
	if fn.Size > 0 {
		return ""
	}
	return f.bodies[place{fn.Section, fn.Offset}]
}

// alias notes that a function is another name of another function than the source
// has it, or of none in one of them.
func (out *Function) alias(is, source string) {
	switch {
	case is == "":
		out.add("alias", -1, 0, 0, "a function of its own here, an alias of %s in %s", out.Alias, source)
	case out.Alias == "":
		out.add("alias", -1, 0, 0, "an alias of %s here, a function of its own in %s", is, source)
	default:
		out.add("alias", -1, 0, 0, "an alias of %s here, of %s in %s", is, out.Alias, source)
	}
}

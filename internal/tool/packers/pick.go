package packers

import (
	"cmp"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

// A callable is a kernel by all that it may be called.
type callable struct {
	symbol string // for the linker; "" where it is not known
	full   string // with the types of its parameters: "ns::saxpy<float>(int, float*)"
	name   string // "ns::saxpy<float>"
	plain  string // "ns::saxpy"
	// declared is full as a header spells it; "" where there is none.
	declared string
	at       place
}

// ofSymbol is a kernel whose symbol is all that is known.
func ofSymbol(symbol string, at place) callable {
	return callable{symbol: symbol, full: cxxname.Full(symbol), name: cxxname.Name(symbol), plain: cxxname.Plain(symbol), at: at}
}

// names are all that a kernel may be called.
func (c *callable) names() []string { return []string{c.symbol, c.full, c.declared, c.name, c.plain} }

// is reports whether a pattern is one of a kernel's names, in which a * stands for itself.
func (c *callable) is(p *cxxname.Pattern) bool { return slices.ContainsFunc(c.names(), p.Is) }

// matches reports whether a pattern matches one of a kernel's names.
func (c *callable) matches(p *cxxname.Pattern) bool {
	return slices.ContainsFunc(c.names(), p.MatchesName)
}

// allKernels asks for all that the input has.
const allKernels = "all"

// pick returns the kernels that were asked for, each once, as indices of all. Missing says
// what to report of a name that none has.
func (g *generator) pick(all []callable, missing func(name string)) []int {
	var out []int
	for _, name := range g.Kernels {
		own := g.called(all, name)
		p := cxxname.NewPattern(name)
		if len(own) > 1 {
			full := each(own, func(i int) string { return all[i].full })
			g.report(all[own[0]].at, badKernel, "%s is %d kernels: %s; one of these names asks for one, and %s* for all", name, len(own), strings.Join(full, ", "), name)
			continue
		}
		if own == nil {
			own = where(all, func(c *callable) bool { return name == allKernels || p.Any() && c.matches(p) })
		}
		if own == nil {
			missing(name)
		}
		for _, i := range own {
			if !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out
}

// where are the indices of the kernels for which a condition holds.
func where(all []callable, holds func(c *callable) bool) (out []int) {
	for i := range all {
		if holds(&all[i]) {
			out = append(out, i)
		}
	}
	return out
}

// called are the kernels of a name: of a symbol, or a whole declaration, there is one.
func (g *generator) called(all []callable, name string) []int {
	p := cxxname.NewPattern(name)
	if i := slices.IndexFunc(all, func(c callable) bool { return c.symbol == name }); i >= 0 {
		return []int{i}
	}
	return where(all, func(c *callable) bool { return c.is(p) })
}

// goNames are the names of kernels in Go: the last part of their own, with the arguments of a
// template after it, and the types of the parameters where kernels would have one name
// otherwise. What is renamed has the name that was asked for.
func (g *generator) goNames(all []callable) []string {
	out := make([]string, len(all))
	overloads := map[string]int{}
	for i := range all {
		out[i] = all[i].goName("")
		overloads[all[i].name]++
	}
	for i := range all {
		if params, ok := strings.CutPrefix(all[i].full, all[i].name); ok && overloads[all[i].name] > 1 {
			out[i] = all[i].goName(strings.Trim(params, "()"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.Rename)) {
		own := g.called(all, name)
		if len(own) != 1 {
			what := "the name of more than one kernel"
			if len(own) == 0 {
				what = "no kernel's name"
			}
			g.report(g.input(), unknownName, "-rename: %s is %s", name, what)
			continue
		}
		out[own[0]] = g.Rename[name]
	}
	return out
}

// goName is the name in Go with some of the parameters' types.
func (c *callable) goName(params string) string {
	last := c.plain[strings.LastIndex(c.plain, ":")+1:]
	args := strings.TrimPrefix(c.name, c.plain)
	if !strings.HasPrefix(args, "<") { // of a template around it
		args = ""
	}
	return goName(last + inWords(args) + inWords(params))
}

// inWords spells types in letters, blanks and digits.
func inWords(types string) string {
	if types == "" {
		return ""
	}
	return " " + strings.NewReplacer("*", " Ptr ", "&", " Ref ", "-", " Minus ", "<", " ", ">", " ", ",", " ", "::", " ").Replace(types)
}

// namesOf are the names that a misspelled one may be meant to be.
func namesOf(all []callable) []string {
	var out []string
	for i := range all {
		for _, name := range []string{all[i].plain, all[i].name, all[i].symbol} {
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// overloadsOf suggests names for one that no kernel has: whole declarations for one of a name that
// there is.
func overloadsOf(name string, all []callable) string {
	if len(all) == 0 {
		return "; there are none"
	}
	base, _, ok := strings.Cut(name, "(")
	var full, short []string
	for i := range all {
		short = append(short, cmp.Or(all[i].name, all[i].symbol))
		if ok && strings.HasSuffix("::"+all[i].name, "::"+strings.TrimSpace(base)) {
			full = append(full, all[i].full)
		}
	}
	if full != nil {
		return "; there is " + strings.Join(full, ", ")
	}
	return cmp.Or(inNamespace(name, namesOf(all)), near.Suggest(name, short))
}

// exported reports whether a name is one that other packages see.
func exported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

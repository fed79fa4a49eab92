package verify

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/layout"
)

// Linked are the kernels of a cubin that each of those which a C or C++ file
// declares may be, as in [MatchAll].
func Linked(f *cubin.File, kernels []Declared) [][]string {
	own := make(map[string]bool)
	for _, k := range kernels {
		own[k.Name] = true
	}
	var all []string
	for i := range f.Functions {
		fn := &f.Functions[i]
		if fn.Kernel || own[fn.Name] {
			all = append(all, fn.Name)
		}
	}
	slices.Sort(all)
	return MatchAll(all, kernels)
}

// A Declared is a kernel that a C or C++ file declares.
type Declared struct {
	Name   string        // qualified
	Params []layout.Type // nil: not known
	C      bool          // extern "C"
}

// last is the name without what it is qualified with.
func (d *Declared) last() string { return d.Name[strings.LastIndexByte(d.Name, ':')+1:] }

// symbols are the names that the kernel can have for the linker, as [cxxname.Canonical]
// spells them, nil where they are not known. Besides the one that [cxxname.Mangle] has these
// are those of the systems whose headers have long long, or long, for all integers of
// 64 bits.
func (d *Declared) symbols() []string {
	if d.C {
		return []string{d.last()}
	}
	one, ok := cxxname.Mangle(d.Name, d.Params)
	if !ok || d.Params == nil {
		return nil
	}
	list := []string{one}
	for _, h := range []cxxname.Headers{cxxname.LongLong, cxxname.Long} {
		name, _ := h.Mangle(d.Name, d.Params)
		list = append(list, name)
	}
	return list
}

// Named notes what k, which goes by the name of a kernel in a cubin, is called by
// its declaration.
func (k *SourceKernel) Named(d Declared) {
	all := d.symbols()
	switch {
	case k.Name == d.Name && !d.C || slices.Contains(all, cxxname.Canonical(k.Name)):
	case all == nil:
		k.ByName = true
	default:
		k.Mangled = all[0]
	}
}

// MatchAll are those of the names of a cubin or listing that each of several kernels may have. A name that is exactly one of
// theirs is not another's.
func MatchAll(names []string, kernels []Declared) [][]string {
	own := make(map[string]bool, len(names))
	canonical := make(map[string]string, len(names)) // the first of each
	bases := make(map[string][]string)               // in their order
	for _, name := range names {
		own[name] = true
		addFirst(canonical, cxxname.Canonical(name), name)
		if base, ok := Base(name); ok {
			bases[base] = append(bases[base], name)
		}
	}
	all, symbols := make([][]string, len(kernels)), make([][]string, len(kernels))
	taken := make(map[string]bool)
	for i, k := range kernels {
		symbols[i] = k.symbols()
		one := ""
		switch {
		case k.C && own[k.last()]:
			one = k.last()
		case own[k.Name]:
			one = k.Name
		case len(symbols[i]) > 0:
			one = canonical[symbols[i][0]]
		}
		if one != "" {
			taken[one], all[i] = true, []string{one}
		}
	}
	for i, k := range kernels {
		if all[i] != nil {
			continue
		}
		for _, name := range bases[nameless(k.Name)] {
			if !taken[name] {
				all[i] = append(all[i], name)
			}
		}
		if j := slices.IndexFunc(all[i], func(name string) bool { return slices.Contains(symbols[i], cxxname.Canonical(name)) }); j >= 0 {
			all[i] = all[i][j : j+1]
		}
	}
	return all
}

// nameless is a qualified name without anonymous namespaces.
func nameless(name string) string { return strings.ReplaceAll(name, "(anonymous namespace)::", "") }

// Defines reports of names, as they stand in a cubin, whether they are of what the source defines that every cubin of it has:
// kernels, and functions that others can call. Kernels of C++ go by their qualified names too.
func (s *Source) Defines() func(name string) bool {
	symbols, bases := make(map[string]bool), make(map[string]bool)
	for i := range s.Kernels {
		symbols[s.Kernels[i].Name] = true
	}
	for i := range s.Functions {
		if fn := &s.Functions[i]; fn.Kept {
			symbols[fn.Name] = true
		}
	}
	if len(s.Functions) == 0 && !s.Complete {
		for name := range symbols {
			bases[nameless(name)] = true
		}
	}
	return func(name string) bool {
		if symbols[name] || len(bases) == 0 {
			return symbols[name]
		}
		base, ok := Base(name)
		return ok && bases[base]
	}
}

// Base is the qualified name in a mangled one of the Itanium C++ ABI,
// "ns::step" of _ZN2ns4stepEPfi. Anonymous namespaces leave no trace in it. It
// is the symbol itself, and false, for what is not mangled and for instances of templates.
func Base(symbol string) (string, bool) {
	parts, rest, nested := mangledName(symbol)
	if nested {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, "E"); !ok {
			return symbol, false
		}
	}
	if len(parts) == 0 || strings.HasPrefix(rest, "I") {
		return symbol, false
	}
	return strings.Join(parts, "::"), true
}

// Named reports whether a kernel is asked for by a name: its symbol, what [Base] has of it, or
// what the demangled name is with or without its parameters, in which blanks do not count.
func Named(symbol, name string) bool {
	if base, _ := Base(symbol); symbol == name || base == name {
		return true
	}
	if !strings.ContainsAny(name, "(<") { // as names have that Base lacks
		return false
	}
	unspaced := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	name = unspaced(name)
	return unspaced(cxxname.Full(symbol)) == name || unspaced(cxxname.Name(symbol)) == name
}

// instance reports whether a mangled name is that of an instance of a template.
func instance(symbol string) bool {
	parts, rest, _ := mangledName(symbol)
	return len(parts) > 0 && strings.HasPrefix(rest, "I")
}

// mangledName reads the names at the beginning of a mangled one, and says what
// follows and whether they are nested, which an E ends.
func mangledName(symbol string) (parts []string, rest string, nested bool) {
	symbol, _ = cxxname.Unit(symbol)
	rest, ok := strings.CutPrefix(symbol, "_Z")
	if !ok {
		return nil, symbol, false
	}
	rest, nested = strings.CutPrefix(rest, "N")
	if nested {
		rest = strings.TrimLeft(rest, "rVK")
	}
	for {
		part, left, ok := cxxname.SourceName(rest)
		if !ok {
			break
		}
		if rest = left; !strings.HasPrefix(part, "_GLOBAL__N") {
			parts = append(parts, part)
		}
		if !nested {
			break
		}
	}
	return parts, rest, nested
}

// aliasee is the function that one of a compiled file is another name of, "" if
// it has code of its own.
func (r *Report) aliasee(f *compiled, fn *cubin.Function) string {
	if r.ptx != nil {
		return r.ptx.aliases[fn.Name]
	}
	if of := f.Aliasee(fn); of != nil {
		return of.Name
	}
	return ""
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

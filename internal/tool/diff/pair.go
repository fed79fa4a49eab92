package diff

import (
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// pairUp finds for the functions of one side those of the other that they are compared with. Names come first. A
// kernel whose name is not there may have got another one, because C++ makes the types of parameters
// a part of it, or because a library has its version in it: it is the only one of the others that is called the same
// without these.
func pairUp(a, b []*Func) map[*Func]*Func {
	pairs := make(map[*Func]*Func, len(a))
	taken := make(map[*Func]bool, len(b))
	byName := make(map[string]*Func, len(b))
	for _, f := range b {
		byName[f.Name] = f
	}
	for _, f := range a {
		if of := byName[f.Name]; of != nil {
			pairs[f], taken[of] = of, true
		}
	}
	for _, called := range []func(string) string{
		func(symbol string) string { name, unit := cxxname.Unit(symbol); return name + unit },
		func(symbol string) string { name, _ := cxxname.Unit(symbol); return name },
		cxxname.Name,
		func(symbol string) string { return versionless(cxxname.Full(symbol)) },
		func(symbol string) string { return versionless(cxxname.Name(symbol)) },
		cxxname.Plain,
		func(symbol string) string { return versionless(cxxname.Plain(symbol)) },
	} {
		ofA := left(a, func(f *Func) bool { return pairs[f] != nil }, called)
		ofB := left(b, func(f *Func) bool { return taken[f] }, called)
		for name, f := range ofA {
			if of := ofB[name]; f != nil && of != nil {
				pairs[f], taken[of] = of, true
			}
		}
	}
	return pairs
}

// left are the kernels of C++ without a partner by what they are called, nil where it is several.
func left(list []*Func, paired func(*Func) bool, called func(string) string) map[string]*Func {
	all := make(map[string]*Func)
	for _, f := range list {
		if f.Block == nil || paired(f) || !strings.HasPrefix(f.Name, "_Z") && !strings.HasPrefix(f.Name, "__nv_static_") {
			continue
		}
		name := called(f.Name)
		if _, ok := all[name]; ok {
			all[name] = nil
			continue
		}
		all[name] = f
	}
	return all
}

// versioned reports whether a symbol of C++ carries a version, so that what launches its kernel was
// compiled with it.
func versioned(symbol string) bool {
	name := cxxname.Name(symbol)
	return name != symbol && versionless(name) != name
}

// renamed notes that a kernel has another symbol.
func (c *comparison) renamed() {
	a, b := c.A.Name, c.B.Name
	switch {
	case a == b || rebuilt(a, b):
	case versioned(a) && versionless(cxxname.Full(a)) == versionless(cxxname.Full(b)):
		c.add("function", -1, "renamed", false, "its name contains a version, which has changed; the code that launches it was compiled with it")
	default:
		c.add("function", -1, "renamed", true, "a launch that looks it up by its symbol does not find it: it was %s and is %s", a, b)
	}
}

// rebuilt reports whether two symbols are those of one function that only its own file can name, of two builds.
func rebuilt(a, b string) bool {
	nameA, unitA := cxxname.Unit(a)
	nameB, unitB := cxxname.Unit(b)
	return nameA == nameB && unitA != "" && unitB != ""
}

// label is the name of a formal without that of its function, which compilers put before it.
func label(v *Value, of string) string { return strings.TrimPrefix(v.Name, of+"_") }

// taken says of which functions a module takes the address, and in which line it
// first does: in an initialiser, in a list of call targets, or as an operand of
// whatever is no call of it. The address of an alias is that of its aliasee.
func taken(m *ptx.Module, table *resolve.Table) map[string]int {
	lines := make(map[string]int)
	take := func(text string, pos diag.Pos) {
		for name := range ptx.TextNames(text) {
			c := table.Lookup(name)
			if c == nil {
				continue
			}
			if _, ok := lines[c.Func.Name]; !ok {
				lines[c.Func.Name] = int(pos.Line)
			}
		}
	}
	for _, it := range m.Items {
		switch it := it.(type) {
		case *ptx.Decl:
			body.Values(it, take)
		case *ptx.Func:
			for _, s := range it.Body {
				body.Values(s, take)
				if list, ok := s.(*ptx.TargetList); ok && !list.Branch {
					take(list.Text[min(len(list.Name), len(list.Text)):], list.Pos)
				}
			}
		}
	}
	return lines
}

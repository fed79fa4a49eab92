package packers

import (
	"cmp"
	"fmt"
	"go/build/constraint"
	"iter"
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// host returns the rules of the host where nvcc runs, whose records the device has
// too.
func (g *generator) host() layout.Rules {
	if g.Rules == "msvc" {
		return layout.LLP64
	}
	return layout.LP64
}

// chosenHost returns the rules that the systems choose for which the output is built: those
// of Windows or of the others. It is "" where the output is for both.
func chosenHost(x constraint.Expr) string {
	windows := &constraint.TagExpr{Tag: "windows"}
	switch here, there := holds(and(x, windows)), holds(and(x, &constraint.NotExpr{X: windows})); {
	case here && !there:
		return "msvc"
	case there && !here:
		return "sysv"
	}
	return ""
}

// nvcc returns the rules by which kernels are compiled there: NVIDIA's front end, which
// reads C as C++.
func (g *generator) nvcc() layout.Rules { return g.host().NVCC() }

// windows returns the generator for kernels that are compiled on Windows; nil if it is
// known where they are.
func (g *generator) windows() *generator {
	if g.Rules != "" {
		return nil
	}
	other := *g
	other.Rules, other.errs = "msvc", nil
	return &other
}

// compareHosts reports records and kernels that were asked for and that mean something
// else where nvcc runs on Windows. What the header does not declare there, or wrongly,
// is not for it.
func (in *cInput) compareHosts(kernels []*cdecl.FuncDecl) {
	g := in.g
	other := g.windows()
	if other == nil || len(g.errs) > 0 {
		return
	}
	there, err := other.parseC(g.Input)
	if there == nil || err != nil && len(there.Records)+len(there.Funcs) == 0 {
		return
	}
	seen := map[layout.Type]bool{}
	compare := func(at place, what string, a, b layout.Type) {
		g.compareTypes(other, at, what, a, b)
		g.compareEnums(at, what, a, b, seen)
	}
	for _, name := range g.Types {
		a, at, _ := findRecord(in.unit, name)
		b, _, _ := findRecord(there, name)
		if a != nil && b != nil {
			compare(at, name, a, b)
		}
	}
	for _, a := range kernels {
		b := counterpart(there, a)
		if b == nil || len(a.Params) != len(b.Params) {
			continue
		}
		errs := len(g.errs)
		for i, p := range a.Params {
			what := cmp.Or(p.Name, fmt.Sprintf("parameter %d", i))
			compare(p.Pos, what+" of "+a.Name, p.Type, b.Params[i].Type)
		}
		if !slices.Equal(a.Bounds, b.Bounds) && len(g.errs) == errs {
			g.elsewhere(a.Pos, a.Name, fmt.Sprintf("its launch bounds are %d on Linux and %d there", a.Bounds, b.Bounds))
		}
		// size_t is another type of the same size, and so has the symbol another name.
		if x, y := in.symbol(a), in.symbol(b); x != y && len(g.errs) == errs {
			g.elsewhere(a.Pos, a.Name, fmt.Sprintf("its symbol is %s on Linux and %s there", x, y))
		}
	}
}

// compareHost is compareHosts for a record of another header.
func (g *generator) compareHost(at place, name, header string, here layout.Type) {
	other := g.windows()
	if other == nil {
		return
	}
	if u, _ := other.parseC(header); u != nil {
		if there, _, _ := findRecord(u, name); there != nil {
			g.compareTypes(other, at, name, here, there)
		}
	}
}

// compareTypes reports where the bytes of a type first differ.
func (g *generator) compareTypes(other *generator, at place, what string, here, there layout.Type) {
	a, err := layout.Of(here, g.nvcc())
	if err != nil {
		return
	}
	b, err := layout.Of(there, other.nvcc())
	if err != nil {
		return
	}
	if why := difference(&a, &b); why != "" {
		g.elsewhere(at, what, why)
	}
}

// compareEnums reports the enumerations in a type of which an enumerator has another value there. What
// was seen is not looked at again.
func (g *generator) compareEnums(at place, what string, here, there layout.Type, seen map[layout.Type]bool) {
	here, there = layout.Unalias(here), layout.Unalias(there)
	switch a := here.(type) {
	case *layout.Array:
		if b, ok := there.(*layout.Array); ok {
			g.compareEnums(at, what, a.Elem, b.Elem, seen)
		}
	case *layout.Record:
		b, ok := there.(*layout.Record)
		if !ok || seen[a] || len(a.Bases) != len(b.Bases) || len(a.Fields) != len(b.Fields) {
			return
		}
		seen[a] = true
		for i := range a.Bases {
			g.compareEnums(at, what, a.Bases[i].Type, b.Bases[i].Type, seen)
		}
		for i := range a.Fields {
			g.compareEnums(at, what, a.Fields[i].Type, b.Fields[i].Type, seen)
		}
	case *layout.Enum:
		b, ok := there.(*layout.Enum)
		if !ok || seen[a] {
			return
		}
		seen[a] = true
		if why := otherEnumerator(a, b); why != "" {
			name := "enum " + a.Name
			if a.Name == "" {
				name = "an enumeration in " + what
			}
			g.elsewhere(at, name, why)
		}
	}
}

// otherEnumerator says which enumerator first differs between Linux and Windows; "" if none does.
func otherEnumerator(linux, windows *layout.Enum) string {
	values := map[string]layout.Enumerator{}
	for _, e := range windows.Enumerators {
		values[e.Name] = e
	}
	for _, e := range linux.Enumerators {
		o, ok := values[e.Name]
		if !ok {
			return e.Name + " is on Linux alone, or has no known value there"
		}
		if o != e {
			return fmt.Sprintf("%s is %s on Linux and %s there", e.Name, enumeratorValue(e), enumeratorValue(o))
		}
		delete(values, e.Name)
	}
	for _, e := range windows.Enumerators {
		if _, ok := values[e.Name]; ok {
			return e.Name + " is there alone, or has no known value on Linux"
		}
	}
	return ""
}

func enumeratorValue(e layout.Enumerator) string {
	if e.Negative {
		return strconv.FormatInt(int64(e.Bits), 10)
	}
	return strconv.FormatUint(e.Bits, 10)
}

// elsewhere reports what differs where nvcc runs on Windows.
func (g *generator) elsewhere(at place, what, why string) {
	g.report(at, badType, "%s is another thing where nvcc runs on Windows: %s; -rules=sysv or -rules=msvc, or an output for one system, says where it runs", what, why)
}

// difference says where a layout of Linux and one of Windows first differ; "" if they do
// not. Of very large ones only the beginning is compared field by field.
func difference(linux, windows *layout.Layout) string {
	next, stop := iter.Pull(windows.Fields())
	defer stop()
	n := 0
	for f := range linux.Fields() {
		o, ok := next()
		if n++; n > maxParts {
			break
		}
		name := cmp.Or(f.Path, "it")
		switch {
		case !ok || o.Path != f.Path:
			return fmt.Sprintf("%s is on Linux alone, or in another place there", name)
		case f.BitWidth > 0 && (o.Start() != f.Start() || o.BitWidth != f.BitWidth):
			return fmt.Sprintf("%s is %s on Linux and %s there", name, bitRange(f.Start(), f.BitWidth), bitRange(o.Start(), o.BitWidth))
		case o.Offset != f.Offset && f.BitWidth == 0:
			return fmt.Sprintf("%s begins at byte %d on Linux and at byte %d there", name, f.Offset, o.Offset)
		case o.Size != f.Size && f.BitWidth == 0:
			return fmt.Sprintf("%s has %s on Linux and %d there", name, byteCount(f.Size), o.Size)
		}
	}
	switch {
	case linux.Size != windows.Size:
		return fmt.Sprintf("it has %s on Linux and %d there", byteCount(linux.Size), windows.Size)
	case linux.Align != windows.Align:
		return fmt.Sprintf("it is aligned to %s on Linux and to %d there", byteCount(linux.Align), windows.Align)
	}
	return ""
}

func byteCount(n int64) string { return prose.Count(n, "byte") }

// counterpart returns what a kernel is in the same header by other rules: the one of its name, and of
// several the one at its place or else with its types. It is nil if there is none.
func counterpart(u *cdecl.Unit, k *cdecl.FuncDecl) *cdecl.FuncDecl {
	named := func(is func(f *cdecl.FuncDecl) bool) []*cdecl.FuncDecl {
		return slices.DeleteFunc(slices.Clone(u.Funcs), func(f *cdecl.FuncDecl) bool { return !f.Kernel || f.Name != k.Name || !is(f) })
	}
	for _, list := range [][]*cdecl.FuncDecl{
		named(func(*cdecl.FuncDecl) bool { return true }),
		named(func(f *cdecl.FuncDecl) bool { return f.Pos == k.Pos }),
	} {
		if len(list) == 1 {
			return list[0]
		}
	}
	typed := named(func(f *cdecl.FuncDecl) bool { return signature(f) == signature(k) })
	return append(typed, nil)[0]
}

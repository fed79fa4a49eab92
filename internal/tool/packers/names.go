package packers

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

func isLetterOrDigit(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// upperFirst returns s with its first letter in upper case.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst returns s with its first letter in lower case.
func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

// goName makes an exported name of Go of one of C or PTX: n_rows is NRows.
func goName(c string) string {
	var b strings.Builder
	upper := true
	for _, r := range c {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = true
			continue
		case upper:
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}
	name := b.String()
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) {
		name = "X" + name
	}
	return name
}

// A nameSet gives every name once.
type nameSet map[string]bool

// newNameSet is a set that gives none of the reserved names.
func newNameSet(reserved ...[]string) nameSet {
	s := nameSet{}
	for _, name := range slices.Concat(reserved...) {
		s[name] = true
	}
	return s
}

// take returns name, with underscores after it if it is taken.
func (s nameSet) take(name string) string {
	for s[name] {
		name += "_"
	}
	s[name] = true
	return name
}

// list is all names, in order.
func (s nameSet) list() string { return strings.Join(slices.Sorted(maps.Keys(s)), ", ") }

// takePair returns the name of a method that reads, so that the one that writes has a name too: that with set before it.
func (s nameSet) takePair(name, set string) string {
	for s[name] || s[set+name] {
		name += "_"
	}
	s[name], s[set+name] = true, true
	return name
}

// outputName is the base name of the output by default.
func (g *generator) outputName() string {
	first := ""
	switch {
	case len(g.Types) > 0:
		first = g.Types[0]
	case len(g.Kernels) > 0:
		first = cxxname.Plain(g.Kernels[0])
		if first, _, _ = strings.Cut(first, "("); strings.Contains(first, "*") || first == allKernels {
			first = strings.TrimSuffix(filepath.Base(g.Input), filepath.Ext(g.Input))
		}
		first, _, _ = strings.Cut(first, "<")
	}
	if i := strings.LastIndex(first, "::"); i >= 0 {
		first = first[i+2:]
	}
	return strings.ToLower(first) + "_param" + ends[g.output]
}

// An outputSet is where the files of one run go.
type outputSet struct {
	code, launch, binding, test string
	memory, others              string // what is copied as memory, and on other machines not
	// layouts are the files that a run may make of layouts: one, but where
	// types hold on machines of which none is common.
	layouts []string
}

// outputs returns the paths of all files that the run may write. Those of a
// package's tests end in _test.go.
func (g *generator) outputs() outputSet {
	base := g.Output
	if base == "" {
		dir := ""
		switch ext := filepath.Ext(g.Input); {
		case ext == ".go":
			dir = filepath.Dir(g.Input)
		case ext == "":
			dir = g.Input
		}
		if g.output != golang {
			dir = ""
		}
		base = filepath.Join(dir, g.outputName())
		if g.output == golang && isTestFile(g.Input) {
			base = strings.TrimSuffix(base, ".go") + "_test.go"
		}
	}
	if g.output != golang {
		return outputSet{code: base}
	}
	stem, suffix := strings.TrimSuffix(base, ".go"), ".go"
	if s, ok := strings.CutSuffix(stem, "_test"); ok {
		stem, suffix = s, "_test.go"
	}
	out := outputSet{
		code: base, launch: stem + "_launch" + suffix, binding: stem + "_binding" + suffix, test: stem + "_test.go",
		memory: stem + "_memory" + suffix, others: stem + "_memory_others" + suffix,
	}
	for i := range littleEndian {
		n := ""
		if i > 0 {
			n = strconv.Itoa(i + 1)
		}
		out.layouts = append(out.layouts, stem+"_layout"+n+suffix)
	}
	if suffix != ".go" {
		out.test = stem + "_roundtrip_test.go"
	}
	return out
}

// outputPaths are those of outputs, as they can be opened.
func (g *generator) outputPaths() []string {
	o := g.outputs()
	var out []string
	for _, p := range append([]string{o.code, o.launch, o.binding, o.test, o.memory, o.others}, o.layouts...) {
		if abs, err := filepath.Abs(g.path(p)); err == nil {
			out = append(out, abs)
		}
	}
	return out
}

// inNamespace suggests names for one that is not found: it may stand in a
// namespace.
func inNamespace(name string, names []string) string {
	for _, n := range names {
		if strings.HasSuffix(n, "::"+name) {
			return "; did you mean " + n + "?"
		}
	}
	return near.DidYouMean(name, names)
}

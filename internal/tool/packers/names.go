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

// each is what a function makes of each element of a list.
func each[T, U any](list []T, of func(T) U) (out []U) {
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}

func isLetterOrDigit(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// underscored is a name with an underscore for each letter that is none of its language.
func underscored(name string, is func(r rune) bool) string {
	return strings.Map(func(r rune) rune {
		if is(r) {
			return r
		}
		return '_'
	}, name)
}

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
	name := ""
	for _, word := range strings.FieldsFunc(c, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		name += upperFirst(word)
	}
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

// An outputSet is where the files of one run go. Those of a package's tests end in _test.go.
type outputSet struct {
	code         string
	stem, suffix string // of the others in Go
}

// companionEnds are what the names of the other files that a run may make have after the stem. That of a file of
// layouts may have a number after it: types may hold on machines of which none is common.
var companionEnds = []string{"_launch", "_binding", "_memory", "_memory_others", "_layout"}

// companion is the path of another file, by what its name has after the stem.
func (o outputSet) companion(end string) string { return o.stem + end + o.suffix }

// layout is the path of the i-th file of layouts.
func (o outputSet) layout(i int) string {
	if i == 0 {
		return o.companion("_layout")
	}
	return o.companion("_layout" + strconv.Itoa(i+1))
}

// test is the path of the test.
func (o outputSet) test() string {
	if o.suffix == ".go" {
		return o.stem + "_test.go"
	}
	return o.stem + "_roundtrip_test.go"
}

// companions are the paths of all files that a run may write beside the code and the test.
func (o outputSet) companions() []string {
	out := each(companionEnds, o.companion)
	for i := range littleEndian[1:] {
		out = append(out, o.layout(i+1))
	}
	return out
}

// outputs returns where the files of the run go.
func (g *generator) outputs() outputSet {
	base := g.Output
	if base == "" {
		dir := ""
		switch ext := filepath.Ext(g.Input); {
		case g.output != golang:
		case ext == ".go":
			dir = filepath.Dir(g.Input)
		case ext == "":
			dir = g.Input
		}
		base = filepath.Join(dir, g.outputName())
		if g.output == golang && isTestFile(g.Input) {
			base = strings.TrimSuffix(base, ".go") + "_test.go"
		}
	}
	if s, ok := strings.CutSuffix(base, "_test.go"); ok {
		return outputSet{base, s, "_test.go"}
	}
	return outputSet{base, strings.TrimSuffix(base, ".go"), ".go"}
}

// outputPaths are the files that the run may write, as they can be opened.
func (g *generator) outputPaths() []string {
	paths := []string{g.out.code}
	if g.output == golang {
		paths = slices.Concat(paths, []string{g.out.test()}, g.out.companions())
	}
	var out []string
	for _, p := range paths {
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

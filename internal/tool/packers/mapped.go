package packers

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/source/gotypes"
)

// A typeMap has the types of Go that parameters of kernels are said to have, and the package
// that they are of.
type typeMap struct {
	in   *goInput // nil until it is needed
	used nameSet  // keys of Config.Params that are of a kernel
}

// A slot is a parameter before it has a type of Go.
type slot struct {
	kernel *callable
	index  int
	size   int64
	align  int64 // 0 where it is not known
	off    int64 // -1 where it is not known
	base   int64 // where the parameters begin in their bank
	// float and integer say what PTX declares a scalar as.
	float, integer bool
	named          namedType
	at             place
}

// mapped returns the value of the type that Config.Params gives a parameter, and reports what
// speaks against it. Both results are nil where it gives none.
func (g *generator) mapped(u *unit, s slot) (*value, []snapshot) {
	key, exact := "", false // a name before a pattern
	for _, k := range slices.Sorted(maps.Keys(g.Params)) {
		i := strings.LastIndexByte(k, '.')
		if i < 0 || k[i+1:] != strconv.Itoa(s.index) {
			continue
		}
		p := cxxname.NewPattern(k[:i])
		is := s.kernel.is(p)
		if !is && !(p.Any() && s.kernel.matches(p)) {
			continue
		}
		g.types.used[k] = true
		if key != "" && is == exact {
			g.report(s.at, badKernel, "-param %s and -param %s are for the same parameter", key, k)
			return nil, nil
		}
		if key == "" || is {
			key, exact = k, is
		}
	}
	if key == "" {
		return nil, nil
	}
	name := g.Params[key]
	refuse := func(format string, args ...any) (*value, []snapshot) {
		g.report(s.at, badKernel, "-param %s=%s: %s", key, name, fmt.Sprintf(format, args...))
		return nil, nil
	}
	in, err := g.typesBeside(u)
	if err != nil {
		return refuse("%v", err)
	}
	errs := len(g.errs)
	ct, gt, why := in.l.reader.Alternative(in.pkg.types, gotypes.Alternative{Type: name})
	switch {
	case why != "": // with any parameter
		g.report(g.input(), badKernel, "-param %s=%s: %s", key, name, strings.TrimPrefix(why, "member : "))
		return nil, nil
	case ct == nil && len(g.errs) == errs:
		return refuse("the type has fields that cannot be passed")
	case ct == nil:
		return nil, nil
	}
	l, why := g.lay(ct, g.language("x.cu"))
	if why != "" {
		return refuse("it %s", why)
	}
	switch {
	case l.Size != s.size:
		return refuse("it has %s, and the parameter %d", byteCount(l.Size), s.size)
	case s.align > 0 && l.Align > s.align:
		return refuse("it is aligned to %d, and the parameter to %d", l.Align, s.align)
	case s.off >= 0 && s.off%l.Align != 0 && (s.base+s.off)%l.Align != 0: // a target counts from one of the two
		return refuse("it is aligned to %d, and the parameter begins at byte %d", l.Align, s.off)
	}
	if why := s.named.contradicts(in, gt, l); why != "" {
		return refuse("%s", why)
	}
	v := in.value(gt, in.naturally(gt, l))
	v.made = ct
	switch {
	case s.float && v.kind != float:
		return refuse("the parameter is a floating-point number")
	case s.integer && v.kind == float:
		return refuse("the parameter is an integer")
	}
	return v, in.snapshots(gt)
}

// unmapped reports what Config.Params says of no parameter, if all kernels that are asked for were found.
func (g *generator) unmapped() {
	if slices.ContainsFunc(g.errs, func(d *diag.Diagnostic) bool { return d.Code == unknownName }) {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(g.Params)) {
		if !g.types.used[k] {
			g.report(g.input(), unknownName, "-param %s: no kernel that is asked for has such a parameter; it is written KERNEL.INDEX, and the first index is 0", k)
		}
	}
}

// typesBeside reads the package that the output is of. Without other files it has no types of its own, and those of
// Go and of CUDA need neither a module nor the go command.
func (g *generator) typesBeside(u *unit) (*goInput, error) {
	if g.types.in != nil {
		return g.types.in, nil
	}
	if !g.goBeside() {
		l := &loader{fset: token.NewFileSet()}
		l.reader = g.newReader(l)
		g.types.in = &goInput{g: g, l: l, pkg: &loaded{types: types.NewPackage("", u.pkg)}, u: u}
		return g.types.in, nil
	}
	other := *g
	other.Input = filepath.Dir(g.out.code)
	pkg, l, err := other.openGo(true)
	if err != nil {
		return nil, err
	}
	if g.output == golang && pkg.list.Name != u.pkg {
		return nil, fmt.Errorf("the Go files beside the output are of package %s, and it of %s", pkg.list.Name, u.pkg)
	}
	l.reader.Report = g.newReader(l).Report
	u.path = pkg.list.PkgPath
	g.types.in = &goInput{g: g, l: l, pkg: pkg, u: u}
	return g.types.in, nil
}

// goBeside reports whether Go files that this run does not write stand beside the output.
func (g *generator) goBeside() bool {
	outputs := g.outputPaths()
	return slices.ContainsFunc(g.goFiles(filepath.Dir(g.path(g.out.code))), func(path string) bool {
		abs, err := filepath.Abs(path)
		return err != nil || !slices.ContainsFunc(outputs, func(o string) bool { return sameFile(o, abs) })
	})
}

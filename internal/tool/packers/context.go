package packers

import (
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Where Go runs. File names with these at the end are built there alone.
var (
	systems = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd" +
		" plan9 solaris wasip1 windows zos")
	machines = strings.Fields("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32" +
		" mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")
	unixes = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios linux netbsd openbsd solaris")
	// implied are systems whose files are built on another one too.
	implied = map[string]string{"android": "linux", "illumos": "solaris", "ios": "darwin"}
)

// A buildContext is where a file is built.
type buildContext struct {
	goos, goarch string
	tags         []string // set, in order
}

// has reports whether a tag of a constraint holds.
func (c *buildContext) has(tag string) bool {
	holds, fixed := c.fixed(tag)
	return holds || !fixed && slices.Contains(c.tags, tag)
}

// fixed reports whether a tag holds, and whether that depends on no tag that a build sets.
func (c *buildContext) fixed(tag string) (holds, fixed bool) {
	switch {
	case tag == "unix":
		return slices.Contains(unixes, c.goos), true
	case slices.Contains(systems, tag), slices.Contains(machines, tag):
		return tag == c.goos || tag == c.goarch || tag == implied[c.goos], true
	case tag == "cgo", tag == "gc", strings.HasPrefix(tag, "go1."):
		return true, true
	}
	return false, false
}

// fileConstraint returns what a Go file is built for, by its name and its
// //go:build line; nil if everywhere.
func fileConstraint(name string, src []byte) (constraint.Expr, error) {
	x := nameConstraint(name)
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return x, nil // reported where the file is read
	}
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			line, err := constraint.Parse(c.Text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return and(x, line), nil
		}
	}
	return x, nil
}

// nameConstraint returns what x_GOOS.go, x_GOARCH.go and x_GOOS_GOARCH.go are
// built for.
func nameConstraint(name string) constraint.Expr {
	name = strings.TrimSuffix(filepath.Base(name), ".go")
	name = strings.TrimSuffix(name, "_test")
	_, name, ok := strings.Cut(name, "_")
	if !ok {
		return nil
	}
	parts := strings.Split(name, "_")
	last := parts[len(parts)-1]
	var x constraint.Expr
	if slices.Contains(machines, last) {
		x = &constraint.TagExpr{Tag: last}
		parts = parts[:len(parts)-1]
	}
	if n := len(parts); n > 0 && slices.Contains(systems, parts[n-1]) {
		x = and(&constraint.TagExpr{Tag: parts[n-1]}, x)
	}
	return x
}

// and joins constraints, each of which may be nil. What both say is said once.
func and(x, y constraint.Expr) constraint.Expr {
	switch y := y.(type) {
	case nil:
		return x
	case *constraint.AndExpr:
		return and(and(x, y.X), y.Y)
	}
	switch {
	case x == nil:
		return y
	case says(x, y.String()):
		return x
	}
	return &constraint.AndExpr{X: x, Y: y}
}

// onAny is the constraint of one of several tags, of which there is one at least.
func onAny(tags []string) constraint.Expr {
	var x constraint.Expr = &constraint.TagExpr{Tag: tags[0]}
	for _, tag := range tags[1:] {
		x = &constraint.OrExpr{X: x, Y: &constraint.TagExpr{Tag: tag}}
	}
	return x
}

// says reports whether x is a conjunction that has y.
func says(x constraint.Expr, y string) bool {
	if a, ok := x.(*constraint.AndExpr); ok {
		return says(a.X, y) || says(a.Y, y)
	}
	return x.String() == y
}

// tagsConstraint reads -tags.
func tagsConstraint(text string) (constraint.Expr, error) {
	if text == "" {
		return nil, nil
	}
	expr := text
	if !strings.ContainsAny(text, "&|!()") {
		expr = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }), " && ")
	}
	x, err := constraint.Parse("//go:build " + expr)
	if err != nil {
		return nil, fmt.Errorf("-tags %q is neither a list of build tags nor a //go:build expression", text)
	}
	return x, nil
}

// freeTags returns the tags of x that a build may set or not.
func freeTags(x constraint.Expr) []string {
	var out []string
	x.Eval(func(tag string) bool { // which asks for every tag
		if _, fixed := (&buildContext{}).fixed(tag); !fixed && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
		return true
	})
	return out
}

// satisfy finds a build for which x holds, the host's if it does.
func satisfy(x constraint.Expr) (*buildContext, error) {
	host := &buildContext{goos: runtime.GOOS, goarch: runtime.GOARCH}
	if x == nil {
		return host, nil
	}
	free := freeTags(x)
	const most = 12
	if len(free) > most {
		return nil, fmt.Errorf("//go:build %s has more than %d tags", x, most)
	}
	for _, goos := range append([]string{host.goos, "linux", "windows"}, systems...) {
		for _, goarch := range append([]string{host.goarch, "amd64"}, machines...) {
			for set := range 1 << len(free) {
				c := &buildContext{goos: goos, goarch: goarch}
				for i, tag := range free {
					if set>>i&1 == 1 {
						c.tags = append(c.tags, tag)
					}
				}
				if x.Eval(c.has) {
					return c, nil
				}
			}
		}
	}
	return nil, fmt.Errorf("//go:build %s holds nowhere", x)
}

// holds reports whether x holds anywhere.
func holds(x constraint.Expr) bool {
	_, err := satisfy(x)
	return err == nil
}

// isTestFile reports whether a file is part of a package's tests.
func isTestFile(name string) bool { return strings.HasSuffix(name, "_test.go") }

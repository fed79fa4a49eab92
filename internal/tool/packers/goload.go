package packers

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/source/gotypes"
)

// loadMode asks the go command for names and files alone: nothing is compiled,
// and so neither cgo nor a package with errors is in the way.
const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule

// A loader type-checks packages from their source, as far as declarations of
// types need.
type loader struct {
	fset   *token.FileSet
	reader *gotypes.Reader
	skip   func(path string) bool // files of the first package not to read
	source []byte                 // of the only file, where it is given as text
	parsed func(f *ast.File) bool // files of which no type is to be checked
	done   map[*packages.Package]*loaded
	// problems are errors of the parser and the checker about the first
	// package.
	problems []problem
}

type problem struct {
	pos    token.Position
	msg    string
	syntax bool
}

// A loaded package is one that has been type-checked.
type loaded struct {
	list  *packages.Package
	types *types.Package
	files []*ast.File
	info  *types.Info
	bad   []string // files with syntax errors
	names          // functions among them, which are not checked
}

// listConfig is how the go command is asked.
func (g *generator) listConfig(dir string, c *buildContext, tests bool) *packages.Config {
	env := append(slices.Clone(g.Env), "GOOS="+c.goos, "GOARCH="+c.goarch, "CGO_ENABLED=1")
	cfg := &packages.Config{Mode: loadMode, Dir: dir, Env: env, Tests: tests}
	if len(c.tags) > 0 {
		cfg.BuildFlags = []string{"-tags=" + strings.Join(c.tags, ",")}
	}
	return cfg
}

// list asks the go command for the packages of a folder.
func (g *generator) list(dir string, c *buildContext, tests bool) ([]*packages.Package, error) {
	cfg := g.listConfig(dir, c, tests)
	key := listKey(dir, cfg)
	if pkgs := g.session.lists[key]; pkgs != nil {
		return pkgs, nil
	}
	for _, path := range g.goFiles(dir) {
		if waits(path) {
			return nil, fmt.Errorf("%s: not a regular file, for which the go command waits", path)
		}
	}
	pkgs, err := packages.Load(cfg, ".")
	if err != nil && strings.Contains(err.Error(), noModule) || len(pkgs) == 1 && slices.ContainsFunc(pkgs[0].Errors, outside) {
		pkgs, err = g.listFiles(dir, cfg, c)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", g.Input, listed(err))
	}
	g.session.keep(key, pkgs)
	return pkgs, nil
}

// waits reports whether a file is a pipe, a socket or a device, which the go command opens too.
func waits(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// noModule is what the go command says of a folder that is in no module.
const noModule = "go.mod file not found"

// outside reports whether the go command says that a folder of a workspace is in no module.
func outside(e packages.Error) bool {
	return strings.HasPrefix(e.Msg, "current directory outside modules listed in go.work")
}

// listFiles asks the go command for the files of a folder that is in no module: they may import the standard library.
func (g *generator) listFiles(dir string, cfg *packages.Config, c *buildContext) ([]*packages.Package, error) {
	byName := map[string][]string{}
	for _, path := range g.goFiles(dir) {
		src, err := disk.ReadFile(path)
		if err != nil {
			continue
		}
		x, err := fileConstraint(path, src)
		tree, _ := parser.ParseFile(token.NewFileSet(), path, src, parser.PackageClauseOnly)
		if err != nil || tree == nil || isTestFile(path) && !cfg.Tests || x != nil && !x.Eval(c.has) {
			continue
		}
		byName[tree.Name.Name] = append(byName[tree.Name.Name], filepath.Base(path))
	}
	var out []*packages.Package
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		pkgs, err := packages.Load(cfg, byName[name]...)
		if err != nil {
			return nil, err
		}
		out = append(out, pkgs...)
	}
	return out, nil
}

// listKey is what an answer of the go command depends on.
func listKey(dir string, cfg *packages.Config) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return fmt.Sprintf("%q %q %q %v", dir, ofPackage(cfg.Env), cfg.BuildFlags, cfg.Tests)
}

// ofPackage is an environment without what go generate sets for a line.
func ofPackage(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return strings.HasPrefix(v, "GOFILE=") || strings.HasPrefix(v, "GOLINE=") || strings.HasPrefix(v, "GOPACKAGE=")
	})
}

// keep notes an answer.
func (s *Session) keep(key string, pkgs []*packages.Package) {
	if s.lists == nil {
		s.lists = map[string][]*packages.Package{}
	}
	s.lists[key] = pkgs
}

// Reset discards what the go command has answered. Call it after files were added or removed.
func (s *Session) Reset() { s.lists = nil }

// Preload asks the go command for all packages below a folder at once, with the environment of a
// [Config]: that takes little longer than asking for one. If it fails, each run asks for its own.
func (s *Session) Preload(dir string, env []string) {
	host, _ := satisfy(nil) // which always holds
	if filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" && waits(path) {
			return fs.ErrInvalid
		}
		return nil
	}) != nil {
		return
	}
	g := &generator{Config: Config{Env: env}, session: s}
	cfg := g.listConfig(dir, host, false)
	pkgs, err := packages.Load(cfg, "./...")
	if err != nil {
		return
	}
	s.tree = append(s.tree, pkgs...)
	for _, p := range pkgs {
		if len(p.GoFiles) > 0 {
			s.keep(listKey(filepath.Dir(p.GoFiles[0]), cfg), []*packages.Package{p})
		}
	}
}

// listed is what the go command says where it lists nothing, without the words
// of package packages around it.
func listed(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": stderr: ")
	if text = strings.TrimSpace(text); text == "" {
		text = strings.TrimSuffix(strings.TrimSpace(err.Error()), ": stderr:")
	}
	text = "go list: " + inOneLine(strings.TrimPrefix(strings.TrimPrefix(text, "err: "), "go: "))
	if strings.Contains(text, noModule) {
		return "no go.mod in its folder or above, which \"go mod init\" makes (" + text + ")"
	}
	return text
}

// inOneLine joins the lines of a message of the go command.
func inOneLine(text string) string {
	lines := each(strings.Split(strings.TrimSpace(text), "\n"), strings.TrimSpace)
	return strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
}

// load type-checks a package, once. The error says why there is none.
func (l *loader) load(p *packages.Package, first bool) (*loaded, error) {
	if known, ok := l.done[p]; ok {
		if known == nil {
			return nil, errors.New("import cycle")
		}
		return known, nil
	}
	if len(p.GoFiles) == 0 {
		if len(p.Errors) > 0 {
			return nil, errors.New(inOneLine(p.Errors[0].Msg))
		}
		return nil, errors.New("it has no Go files")
	}
	l.done[p] = nil
	out := &loaded{list: p, info: &types.Info{Defs: map[*ast.Ident]types.Object{}}, names: newNames()}
	for _, path := range p.GoFiles {
		if first && l.skip != nil && l.skip(path) {
			continue
		}
		text, err := l.source, error(nil)
		if text == nil {
			text, err = disk.ReadFile(path)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, disk.Reason(err))
		}
		file, err := parser.ParseFile(l.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			out.bad = append(out.bad, path)
			l.syntax(err, first)
		}
		if file == nil {
			continue
		}
		out.note(l.fset, file)
		if l.parsed(file) {
			continue
		}
		prune(file, p)
		out.files = append(out.files, file)
	}
	if name, why := gotypes.TooMuch(out.files); name != nil {
		return nil, fmt.Errorf("line %d: %s: %s", l.fset.Position(name.Pos()).Line, name.Name, why)
	}
	conf := gotypes.Checker(importer{l, p}, func(err error) {
		if e := (types.Error{}); first && errors.As(err, &e) {
			l.problems = append(l.problems, problem{l.fset.Position(e.Pos), e.Msg, false})
		}
	})
	out.types, _ = conf.Check(p.PkgPath, l.fset, out.files, out.info)
	for _, f := range out.files {
		l.reader.Directives(f, out.info.Defs)
	}
	l.done[p] = out
	return out, nil
}

func (l *loader) syntax(err error, first bool) {
	var list scanner.ErrorList
	if !first || !errors.As(err, &list) {
		return
	}
	for _, e := range list {
		l.problems = append(l.problems, problem{e.Pos, e.Msg, true})
	}
}

// An importer finds what a package imports.
type importer struct {
	l *loader
	p *packages.Package
}

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := i.p.Imports[path]
	if p == nil {
		return nil, fmt.Errorf("package %s is not found", path)
	}
	out, err := i.l.load(p, false)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	return out.types, nil
}

// prune takes away what the layout of types does not depend on: functions, and
// imports that only they need. What is left is quick to check, and checks where
// functions would not.
func prune(file *ast.File, p *packages.Package) {
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		_, fn := d.(*ast.FuncDecl)
		return fn
	})
	used := map[string]bool{}
	for _, d := range file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok {
					used[x.Name] = true
				}
			}
			return true
		})
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool {
			spec := s.(*ast.ImportSpec)
			name := ""
			if spec.Name != nil {
				name = spec.Name.Name
			} else if dep := p.Imports[strings.Trim(spec.Path.Value, "\"`")]; dep != nil {
				name = dep.Name
			}
			return name == "_" || name != "" && name != "." && !used[name]
		})
	}
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && len(g.Specs) == 0 // of which go/types looks for the end
	})
}

// openGo loads the package that the input is, or is a file of.
func (g *generator) openGo(dir bool) (*loaded, *loader, error) {
	var file string
	folder := g.path(g.Input)
	x := g.tags
	if !dir {
		file, folder = folder, filepath.Dir(folder)
		if g.Source != nil {
			file = g.Input
		} else if abs, err := filepath.Abs(file); err == nil {
			file = abs
		}
		src, err := g.readFile(g.Input)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", g.Input, disk.Reason(err))
		}
		own, err := fileConstraint(g.Input, src)
		if err != nil {
			return nil, nil, err
		}
		x = and(own, x)
	}
	ctx, err := satisfy(x)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", g.Input, err)
	}
	var p *packages.Package
	if g.Source != nil {
		p = g.sourcePackage()
	} else if p, err = g.choose(folder, file, ctx); err != nil {
		return nil, nil, err
	}
	l := &loader{fset: token.NewFileSet(), done: map[*packages.Package]*loaded{}}
	l.reader = g.newReader(l)
	outputs := g.outputPaths()
	l.source = g.Source
	l.parsed = func(f *ast.File) bool {
		name := filepath.Base(l.fset.Position(f.Package).Filename)
		if g.launches == nil || !strings.Contains(name, "_launch") || !generatedBy(f) {
			return false
		}
		asked := false
		declarations(f, func(_ string, id *ast.Ident) { asked = asked || slices.Contains(g.Types, id.Name) })
		*g.launches = *g.launches || !asked
		return !asked
	}
	l.skip = func(path string) bool {
		return path != file && slices.ContainsFunc(outputs, func(o string) bool { return sameFile(o, path) })
	}
	out, err := l.load(p, true)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", g.Input, err)
	}
	return out, l, nil
}

// choose lists the packages of a folder and takes the one that has the file,
// or, where there is no file, the one that has the types.
func (g *generator) choose(folder, file string, ctx *buildContext) (*packages.Package, error) {
	pkgs, err := g.list(folder, ctx, isTestFile(file))
	if err != nil {
		return nil, err
	}
	has := func(p *packages.Package) bool {
		return file == "" || slices.ContainsFunc(p.GoFiles, func(f string) bool { return sameFile(f, file) })
	}
	for _, p := range pkgs {
		if !strings.HasSuffix(p.ID, ".test") && has(p) && (len(p.GoFiles) > 0 || file != "") {
			return p, nil
		}
	}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			text := inOneLine(p.Errors[0].Msg)
			if strings.Contains(text, "go.work") || strings.HasPrefix(text, "main module (") {
				text += " (GOWORK=off leaves the workspace out)"
			}
			return nil, fmt.Errorf("%s: %s", g.Input, text)
		}
	}
	if file == "" {
		return nil, fmt.Errorf("%s: no Go files", g.Input)
	}
	return nil, fmt.Errorf("%s: go list does not count it among the files of its package", g.Input)
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	return a == b || filepath.Base(a) == filepath.Base(b) && sameFolder(a, b)
}

// sameFolder reports whether two paths lead to one folder.
func sameFolder(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// constraintAt returns what the file that declares a type is built for.
func (g *generator) constraintAt(fset *token.FileSet, pos token.Pos) constraint.Expr {
	path := fset.Position(pos).Filename
	if g.Source != nil {
		path = g.Input
	}
	src, _ := g.readFile(path) // it has just been read
	x, _ := fileConstraint(path, src)
	return x
}

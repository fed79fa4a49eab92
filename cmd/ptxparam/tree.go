package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/report"
	"github.com/ptxabi/ptxabi/internal/tool/packers"
)

// Codes of diagnostics about lines.
const (
	staleFile diag.Code = "StaleFile"
	badLine   diag.Code = "BadGenerateLine"
	notRead   diag.Code = "NotRead"
)

// rules describe them to code scanners.
var rules = map[diag.Code]report.Rule{
	staleFile: {Short: "a generated file is not what its line generates now", Help: "Fix: run go generate, or ptxparam ./...", Severity: diag.Error},
	badLine:   {Short: "a line //go:generate cannot be run", Help: "Fix: see ptxparam -h", Severity: diag.Error},
	notRead:   {Short: "a line //go:generate, or a module, is not read", Help: "Fix: run ptxparam by its name, by go tool or by go run, or in that module", Severity: diag.Warning},
}

// isTree reports whether an argument is DIR/..., which is all folders below DIR.
func isTree(arg string) bool { return arg == "..." || strings.HasSuffix(filepath.ToSlash(arg), "/...") }

// A line is one that runs ptxparam.
type line struct {
	file string // from where the program runs
	pos  diag.Pos
	pkg  string
	vars []string // what env sets before the program
	args []string // after the program
}

// trees runs, or checks, the lines of trees.
func (e env) trees(r *request) error {
	switch {
	case len(r.others) > 0:
		return fmt.Errorf("-%s is for one input; with DIR/... each line //go:generate says what it wants", r.others[0])
	case r.format != "text" && !r.check:
		return fmt.Errorf("-format %s is for -check", r.format)
	}
	var session packers.Session
	var lines []line
	var list diag.List
	for _, arg := range r.inputs {
		if !isTree(arg) {
			return fmt.Errorf("%s: beside %s, every input is a tree", arg, r.inputs[0])
		}
		found, err := e.search(strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(arg), "..."), "/"))
		if err != nil {
			return err
		}
		list = append(list, found.unread...)
		lines = append(lines, found.lines...)
		for _, dir := range append(found.modules, found.root) {
			if len(found.lines) > 0 {
				session.Preload(dir, e.environ())
			}
		}
	}
	if len(lines) == 0 {
		if err := e.report(list, r.format); err != nil {
			return err
		}
		return fmt.Errorf("%s: no line //go:generate there runs ptxparam", strings.Join(r.inputs, " "))
	}
	for _, l := range lines {
		list = append(list, e.runLine(&session, l, r)...)
	}
	return e.report(list, r.format)
}

// environ returns a copy of the environment variables.
func (e env) environ() []string {
	if e.vars == nil {
		return os.Environ()
	}
	return slices.Clone(e.vars)
}

// report prints what is wrong.
func (e env) report(list diag.List, format string) error {
	list = packers.InOrder(list) // a file may have several lines
	var out []byte
	switch format {
	case "sarif":
		log := report.SARIF{Tool: "ptxparam", Version: manual.Version(), URI: "https://github.com/ptxabi/ptxabi", Rules: rules}
		out = log.Append(nil, list)
	case "github":
		out = report.AppendGitHub(nil, list)
	}
	if _, err := e.stdout.Write(out); err != nil {
		return fmt.Errorf("standard output: %w", disk.Reason(err))
	}
	if out != nil && list.Err() != nil {
		return errPrinted
	}
	if out == nil && list.Err() == nil {
		for _, d := range list {
			fmt.Fprintln(e.stderr, d)
		}
	}
	return list.Err()
}

// runLine generates what a line names, and writes or compares it.
func (e env) runLine(s *packers.Session, l line, r *request) diag.List {
	at := func(code diag.Code, format string, args ...any) diag.List {
		return diag.List{{File: l.file, Pos: l.pos, Code: code, Msg: fmt.Sprintf(format, args...)}}
	}
	dir := path.Dir(l.file)
	one := e
	one.dir = e.path(filepath.FromSlash(dir))
	one.vars = append(append(e.environ(), l.vars...), "GOFILE="+path.Base(l.file), "GOLINE="+strconv.Itoa(int(l.pos.Line)), "GOPACKAGE="+l.pkg)
	req, err := one.read(l.args)
	if err != nil {
		return at(badLine, "%v", err)
	}
	var list diag.List
	here := func(d *diag.Diagnostic) *diag.Diagnostic {
		if d.Pos.IsValid() {
			return e.from(dir, d)
		}
		d.Msg, d.File, d.Pos = d.File+": "+d.Msg, l.file, l.pos // what the line says is wrong
		return d
	}
	req.cfg.Warn = func(d *diag.Diagnostic) { list = append(list, here(d)) }
	if req.version || slices.ContainsFunc(req.inputs, isTree) {
		return nil // which generates nothing by itself
	}
	files, err := one.files(s, req)
	var errs diag.List
	switch {
	case errors.As(err, &errs):
		for _, d := range errs {
			list = append(list, here(d))
		}
		return list
	case err != nil:
		return at(badLine, "%v", err)
	case !r.check:
		if slices.ContainsFunc(files, func(f packers.File) bool { _, err := os.Stat(one.path(f.Path)); return err != nil }) {
			s.Reset() // later lines may need a file that is new
		}
		if err := one.replaceAll(files); err != nil {
			return at(badLine, "%v", err)
		}
		return list
	}
	names, err := one.compare(files, func(f packers.File, is string) error {
		if r.format != "text" {
			return nil
		}
		return e.diff(path.Join(dir, filepath.ToSlash(f.Path)), is, string(f.Data))
	})
	if err != nil {
		return at(badLine, "%v", err)
	}
	verb := "are"
	switch len(names) {
	case 0:
		return list
	case 1:
		verb = "is"
	}
	return append(list, at(staleFile, "%s %s not what this line generates now", strings.Join(names, ", "), verb)...)
}

// from is a diagnostic whose file is as seen from a folder.
func (e env) from(dir string, d *diag.Diagnostic) *diag.Diagnostic {
	switch here, err := filepath.Abs(e.path(".")); {
	case d.File != "" && !filepath.IsAbs(d.File):
		d.File = path.Join(dir, d.File)
	case d.File != "" && err == nil:
		if rel, err := filepath.Rel(here, d.File); err == nil && filepath.IsLocal(rel) {
			d.File = filepath.ToSlash(rel)
		}
	}
	return d
}

// A search finds the lines of the folders below dir that the go command has in ./...: not in vendor, testdata, other
// modules, and folders that begin with . or _.
type search struct {
	e         env
	dir, root string // as named, and where that is
	used      func() map[string]bool
	other     string // the last module that is another one
	lines     []line
	modules   []string  // other ones of the workspace
	unread    diag.List // warnings of lines that may run ptxparam too
}

func (e env) search(dir string) (*search, error) {
	dir = cmp.Or(dir, ".")
	root := e.path(filepath.FromSlash(dir))
	s := &search{e: e, dir: dir, root: root}
	s.used = sync.OnceValue(func() map[string]bool { return e.workspace(root) })
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel == ".":
			return nil
		case d.IsDir():
			return s.folder(name, rel)
		case filepath.Ext(name) != ".go" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"):
			return nil
		}
		return s.file(name, rel)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, disk.Reason(err))
	}
	return s, nil
}

// folder leaves out a folder, or notes that it is a module.
func (s *search) folder(name, rel string) error {
	if base := filepath.Base(name); base == "vendor" || base == "testdata" || base[0] == '.' || base[0] == '_' {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
		if s.other = rel; s.used()[cleaned(name)] {
			s.other = ""
			s.modules = append(s.modules, name)
		}
	}
	return nil
}

// file adds the lines of a Go file that is built. In another module there is a warning instead.
func (s *search) file(name, rel string) error {
	src, err := disk.ReadFile(name)
	if err != nil {
		return err
	}
	shown := path.Join(s.dir, filepath.ToSlash(rel))
	found, odd := s.e.linesOf(shown, src)
	if len(found)+len(odd) == 0 {
		return nil
	}
	if inside, err := filepath.Rel(s.other, rel); s.other != "" && err == nil && filepath.IsLocal(inside) {
		s.warnOther()
		return nil
	}
	if built, err := s.e.buildContext().MatchFile(filepath.Dir(name), filepath.Base(name)); err == nil && !built {
		odd = diag.List{{File: shown, Severity: diag.Warning, Code: notRead, Msg: "its build constraints exclude this file, and go generate runs none of its lines; GOOS, GOARCH and -tags in GOFLAGS choose others"}}
		found = nil
	}
	s.lines, s.unread = append(s.lines, found...), append(s.unread, odd...)
	return nil
}

// warnOther warns once that the lines of another module are not read.
func (s *search) warnOther() {
	mod := path.Join(s.dir, filepath.ToSlash(s.other), "go.mod")
	if slices.ContainsFunc(s.unread, func(d *diag.Diagnostic) bool { return d.File == mod }) {
		return
	}
	reads := fmt.Sprintf("ptxparam %s/... reads them", path.Dir(mod))
	if work := s.e.goCommand(s.root, "env", "GOWORK"); work != "" && work != "off" {
		reads += fmt.Sprintf(" with GOWORK=off, or once \"go work use %s\" has added it to %s", path.Dir(mod), path.Base(filepath.ToSlash(work)))
	}
	s.unread = append(s.unread, &diag.Diagnostic{File: mod, Severity: diag.Warning, Code: notRead, Msg: "the lines of this module are not read here: " + reads})
}

// buildContext is where go generate takes files to be built, which sets a tag of its own.
func (e env) buildContext() *build.Context {
	c := build.Default
	c.GOOS, c.GOARCH = cmp.Or(e.getenv("GOOS"), c.GOOS), cmp.Or(e.getenv("GOARCH"), c.GOARCH)
	c.BuildTags = []string{"generate"}
	for flag := range strings.FieldsSeq(e.getenv("GOFLAGS")) {
		if tags, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags="); ok {
			c.BuildTags = append(c.BuildTags, strings.Split(tags, ",")...)
		}
	}
	return &c
}

// goCommand is the output of the go command in a folder; "" where it fails: in no module, or in a workspace with errors,
// which reading a package reports.
func (e env) goCommand(dir string, args ...string) string {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, e.environ()
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// workspace returns the folders of the modules that the go command works on in a folder: of a workspace, or of one module.
func (e env) workspace(root string) map[string]bool {
	used := map[string]bool{}
	for dir := range strings.Lines(e.goCommand(root, "list", "-m", "-f", "{{.Dir}}")) {
		used[cleaned(strings.TrimSpace(dir))] = true
	}
	return used
}

// cleaned is a path without links and without what depends on the current folder.
func cleaned(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	return name
}

// linesOf finds those of a file.
func (e env) linesOf(name string, src []byte) (out []line, unread diag.List) {
	if !bytes.Contains(src, []byte("ptxparam")) {
		return nil, nil
	}
	pkg := ""
	if tree, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly); err == nil {
		pkg = tree.Name.Name
	}
	short := map[string][]string{}
	n := uint32(0)
	scan := bufio.NewScanner(bytes.NewReader(src))
	scan.Buffer(nil, len(src)+1)
	for scan.Scan() {
		n++
		rest, ok := strings.CutPrefix(scan.Text(), "//go:generate")
		if !ok || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		words := wordsOf(rest, func(v string) string { return e.variable(v, name, n, pkg) })
		if len(words) > 1 && words[0] == "-command" {
			short[words[1]] = words[2:]
			continue
		}
		if len(words) > 0 && short[words[0]] != nil {
			words = append(slices.Clone(short[words[0]]), words[1:]...)
		}
		pos := diag.Pos{Line: n, Col: 1}
		var set []string // as env sets it, whose flags are not read
		if len(words) > 1 && words[0] == "env" {
			for words = words[1:]; len(words) > 0 && strings.Contains(words[0], "=") && words[0][0] != '-'; words = words[1:] {
				set = append(set, words[0])
			}
		}
		if args, ok := afterProgram(words); ok {
			out = append(out, line{name, pos, pkg, set, args})
		} else if strings.Contains(strings.Join(words, " "), "ptxparam") {
			unread = append(unread, &diag.Diagnostic{File: name, Pos: pos, Severity: diag.Warning, Code: notRead, Msg: "this line is not read here, though it may run ptxparam; go generate runs it"})
		}
	}
	return out, unread
}

// afterProgram returns the arguments of ptxparam where a command runs it: by its name, or by "go
// tool" or "go run".
func afterProgram(words []string) ([]string, bool) {
	for i, w := range words {
		w, _, _ = strings.Cut(w, "@")
		if base := strings.TrimSuffix(path.Base(filepath.ToSlash(w)), ".exe"); base == "ptxparam" {
			return words[i+1:], true
		}
		switch {
		case i == 0 && w == "go":
		case i == 1 && (w == "tool" || w == "run"):
		case i > 1 && strings.HasPrefix(w, "-"): // a flag of the go command
		default:
			return nil, false
		}
	}
	return nil, false
}

// wordsOf parts a line as go generate does: at blanks, but for words in double quotes, which
// Go's syntax spells; variables are replaced.
func wordsOf(s string, variable func(string) string) []string {
	var out []string
	for {
		s = strings.TrimLeft(s, " \t\r")
		if s == "" {
			return out
		}
		word := ""
		if prefix, err := strconv.QuotedPrefix(s); s[0] == '"' && err == nil {
			word, _ = strconv.Unquote(prefix)
			s = s[len(prefix):]
		} else {
			i := strings.IndexAny(s, " \t\r")
			if i < 0 {
				i = len(s)
			}
			word, s = s[:i], s[i:]
		}
		out = append(out, os.Expand(word, variable))
	}
}

// variable returns what go generate sets, or else the environment.
func (e env) variable(name, file string, n uint32, pkg string) string {
	c := e.buildContext()
	own := map[string]string{
		"GOFILE": path.Base(file), "GOLINE": strconv.Itoa(int(n)), "GOPACKAGE": pkg, "DOLLAR": "$",
		"GOOS": c.GOOS, "GOARCH": c.GOARCH,
	}
	if value, ok := own[name]; ok {
		return value
	}
	return e.getenv(name)
}

// getenv returns an environment variable.
func (e env) getenv(name string) string {
	for _, v := range slices.Backward(e.environ()) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/cmd/ptxparam/gen"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/disk"
	"github.com/ptxabi/ptxabi/internal/manual"
)

// Codes of what is said about lines.
const (
	staleFile diag.Code = "StaleFile"
	badLine   diag.Code = "BadGenerateLine"
)

// rules describe them to code scanners.
var rules = map[diag.Code]diag.Rule{
	staleFile: {Short: "a generated file is not what its line generates now", Help: "Fix: run go generate, or ptxparam ./...", Severity: diag.Error},
	badLine:   {Short: "a line //go:generate cannot be run", Help: "Fix: see ptxparam -h", Severity: diag.Error},
}

// isTree reports whether an argument is DIR/..., which is all folders below DIR.
func isTree(arg string) bool { return arg == "..." || strings.HasSuffix(filepath.ToSlash(arg), "/...") }

// A line is one that runs ptxparam.
type line struct {
	file string // from where the program runs
	pos  diag.Pos
	pkg  string
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
	var session gen.Session
	var lines []line
	for _, arg := range r.inputs {
		if !isTree(arg) {
			return fmt.Errorf("%s: beside %s, every input is a tree", arg, r.inputs[0])
		}
		root := e.path(filepath.FromSlash(strings.TrimSuffix(filepath.ToSlash(arg), "...")))
		found, err := e.lines(strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(arg), "..."), "/"))
		if err != nil {
			return err
		}
		lines = append(lines, found...)
		if len(found) > 1 {
			session.Preload(root, e.environ())
		}
	}
	if len(lines) == 0 {
		return fmt.Errorf("%s: no line //go:generate there runs ptxparam", strings.Join(r.inputs, " "))
	}
	var list diag.List
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
	slices.SortStableFunc(list, func(a, b *diag.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	var out []byte
	switch format {
	case "sarif":
		log := diag.SARIF{Tool: "ptxparam", Version: manual.Version(), URI: "https://github.com/ptxabi/ptxabi", Rules: rules}
		out = log.Append(nil, list)
	case "github":
		out = diag.AppendGitHub(nil, list)
	}
	if _, err := e.stdout.Write(out); err != nil {
		return fmt.Errorf("standard output: %w", disk.Reason(err))
	}
	if out != nil && list.Err() != nil {
		return errSaid
	}
	return list.Err()
}

// runLine generates what a line asks for, and writes or compares it.
func (e env) runLine(s *gen.Session, l line, r *request) diag.List {
	at := func(code diag.Code, format string, args ...any) diag.List {
		return diag.List{{File: l.file, Pos: l.pos, Code: code, Msg: fmt.Sprintf(format, args...)}}
	}
	dir := path.Dir(l.file)
	one := e
	one.dir = e.path(filepath.FromSlash(dir))
	one.vars = append(e.environ(), "GOFILE="+path.Base(l.file), "GOLINE="+strconv.Itoa(int(l.pos.Line)), "GOPACKAGE="+l.pkg)
	req, err := one.read(l.args)
	if err != nil {
		return at(badLine, "%v", err)
	}
	if req.version || slices.ContainsFunc(req.inputs, isTree) {
		return nil // which generates nothing by itself
	}
	files, err := one.files(s, req)
	var list diag.List
	switch {
	case errors.As(err, &list):
		for _, d := range list { // its files are as seen from the folder
			if d.File != "" && !filepath.IsAbs(d.File) {
				d.File = path.Join(dir, d.File)
			}
		}
		return list
	case err != nil:
		return at(badLine, "%v", err)
	case !r.check:
		if slices.ContainsFunc(files, func(f gen.File) bool { _, err := os.Stat(one.path(f.Path)); return err != nil }) {
			s.Reset() // later lines may need a file that is new
		}
		if err := one.replaceAll(files); err != nil {
			return at(badLine, "%v", err)
		}
		return nil
	}
	var names []string
	for _, f := range files {
		is, stale, err := one.stale(f)
		if err != nil {
			return at(badLine, "%v", err)
		}
		if !stale {
			continue
		}
		names = append(names, filepath.ToSlash(f.Path))
		if r.format == "text" {
			name := path.Join(dir, filepath.ToSlash(f.Path))
			if err := e.diff(name, is, string(f.Data)); err != nil {
				return at(badLine, "%v", err)
			}
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return at(staleFile, "%s is not what this line generates now", names[0])
	}
	return at(staleFile, "%s are not what this line generates now", strings.Join(names, ", "))
}

// lines finds those of the folders below dir that the go command has in ./...: not in vendor, testdata, other
// modules, and folders that begin with . or _.
func (e env) lines(dir string) ([]line, error) {
	if dir == "" {
		dir = "."
	}
	root := e.path(filepath.FromSlash(dir))
	var out []line
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := d.Name()
			_, other := os.Stat(filepath.Join(name, "go.mod"))
			if rel != "." && (base == "vendor" || base == "testdata" || base[0] == '.' || base[0] == '_' || other == nil) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		out = append(out, linesOf(path.Join(dir, filepath.ToSlash(rel)), src, e.vars)...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, disk.Reason(err))
	}
	return out, nil
}

// linesOf finds those of a file.
func linesOf(name string, src []byte, vars []string) []line {
	if !bytes.Contains(src, []byte("ptxparam")) {
		return nil
	}
	pkg := ""
	if tree, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly); err == nil {
		pkg = tree.Name.Name
	}
	var out []line
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
		words := wordsOf(rest, func(v string) string { return variable(v, vars, name, n, pkg) })
		if len(words) > 1 && words[0] == "-command" {
			short[words[1]] = words[2:]
			continue
		}
		if len(words) > 0 && short[words[0]] != nil {
			words = append(slices.Clone(short[words[0]]), words[1:]...)
		}
		if args, ok := behindProgram(words); ok {
			out = append(out, line{name, diag.Pos{Line: n, Col: 1}, pkg, args})
		}
	}
	return out
}

// behindProgram returns the arguments of ptxparam where a command runs it: by its name, or by "go
// tool" or "go run".
func behindProgram(words []string) ([]string, bool) {
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
func variable(name string, vars []string, file string, n uint32, pkg string) string {
	own := map[string]string{
		"GOFILE": path.Base(file), "GOLINE": strconv.Itoa(int(n)), "GOPACKAGE": pkg, "DOLLAR": "$",
		"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH,
	}
	if slices.Contains(slices.Collect(maps.Keys(own)), name) {
		return own[name]
	}
	if vars == nil {
		return os.Getenv(name)
	}
	for _, v := range slices.Backward(vars) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// A fence is a code block of a document.
var fence = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// documents returns the paths of all documents, with slashes, from the root on,
// which is the current folder.
func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, ".md") {
			all = append(all, filepath.ToSlash(name))
		}
		return err
	}))
	return all
}

// TestDocs runs the code blocks of every document, by their language:
//
//	console   "$ ptxabi ..." and the like, with what they print; PTXABI_UPDATE=1 rewrites it
//	sh        commands of ptxabi, which have to be taken
//	go        is in a file of this repository, or compiles by itself
//	ptx       has no errors
//	yaml      can be read
//	text, txtar, abi, ebnf, json, c   are not run here; nor are rust and python, see internal/tool/export
//
// Links between the documents have to lead somewhere.
func TestDocs(t *testing.T) {
	t.Chdir("../..")
	d := docs{T: t, sources: goSources(t), ran: make(map[string]int)}
	for _, file := range documents(t) {
		data := must.Read(t, file)
		text := string(data)
		got := fence.ReplaceAllStringFunc(text, func(block string) string {
			m := fence.FindStringSubmatch(block)
			return "```" + m[1] + "\n" + d.block(file, m[1], m[2]) + "```"
		})
		d.links(file, text)
		golden.Hold(t, file, got)
	}
	for _, kind := range slices.Sorted(maps.Keys(d.ran)) {
		t.Logf("%s: %d", kind, d.ran[kind])
	}
	for _, kind := range []string{"console", "sh", "go"} {
		assert.Positive(t, d.ran[kind], "%s: nothing was run", kind)
	}
}

type docs struct {
	*testing.T
	sources []string // of Go files, see plain
	ran     map[string]int
	status  int // of the last command of a console
}

// block runs a code block and returns it as it should be.
func (d *docs) block(file, lang, text string) string {
	switch lang {
	case "console":
		return d.console(file, text)
	case "sh":
		for line := range strings.Lines(text) {
			d.shell(file, strings.TrimSpace(line))
		}
	case "go":
		d.ran["go"]++
		assert.NoError(d, d.compiles(text), "%s: the Go block\n%s", file, text)
	case "ptx":
		d.ran["ptx"]++
		_, list := check.Source(file, []byte(text), check.Options{Compile: true})
		assert.NoError(d, list.Err(), file)
	case "yaml":
		assert.YAMLEq(d, text, text, file)
	case "text", "txtar", "abi", "ebnf", "json", "c", "rust", "python",
		"js": // internal/release runs what docs/install.md has in Python and JavaScript
	default:
		d.Errorf("%s: a code block in %q: nobody runs or reads that; TestDocs lists the languages", file, lang)
	}
	return text
}

// folder is where the commands of a document are run: documents of the project
// as a whole speak from its root, those of an example from its own folder.
func folder(file string) string {
	if strings.HasPrefix(file, "examples/") {
		return path.Dir(file)
	}
	return "."
}

// console runs each line that begins with "$ " and puts what it prints after it.
func (d *docs) console(file, text string) string {
	back, err := os.Getwd()
	require.NoError(d, err)
	require.NoError(d, os.Chdir(folder(file)))
	defer func() { require.NoError(d, os.Chdir(back)) }()
	var b strings.Builder
	old := "" // what the document says that the last command prints
	skipped := false
	for line := range strings.Lines(text) {
		call, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			if old += line; skipped {
				b.WriteString(line)
			}
			continue
		}
		b.WriteString(line)
		out, err := d.run(strings.TrimSpace(call))
		if skipped = errors.Is(err, errNotRun); skipped {
			d.ran["console, run in the gate alone"]++
			continue
		}
		require.NoError(d, err, "%s: %s", file, call)
		d.ran["console"]++
		b.WriteString(out)
	}
	return b.String()
}

var errNotRun = errors.New("run in the gate alone")

// run runs a command line of a console in the current folder. It knows those that
// the documents use; what it does not know is an error.
func (d *docs) run(line string) (string, error) {
	line, part, _ := strings.Cut(line, " | sed -n ")
	line, limit, _ := strings.Cut(line, " | head -n ")
	line = strings.TrimSuffix(line, " 2>&1") // before a pipe; out has both
	line, noOutput := strings.CutSuffix(line, " >/dev/null")
	var stdin []byte
	if text, rest, ok := strings.Cut(line, " | "); ok { // printf '%s\n' LINE | COMMAND, ptxabi … | COMMAND
		words, _ := shellWords(text)
		switch {
		case len(words) > 2 && words[0] == "printf" && words[1] == `%s\n`:
			stdin, line = []byte(strings.Join(words[2:], "\n")+"\n"), rest
		case words[0] == "ptxabi":
			stdin, line = []byte(ptxabi(nil, words[1:]...).stdout), rest
		}
	}
	words, input := shellWords(line)
	if input != "" {
		var err error
		if stdin, err = os.ReadFile(strings.TrimSpace(input)); err != nil {
			return "", err
		}
	}
	var out string
	switch {
	case line == "echo $?":
		return fmt.Sprintln(d.status), nil
	case words[0] == "cat" && len(words) == 2:
		data, err := os.ReadFile(words[1])
		out = string(data)
		if err != nil {
			return "", err
		}
	case words[0] == "ptxabi" || strings.HasPrefix(line, "go run ./cmd/ptxabi "):
		r := ptxabi(stdin, words[slices.IndexFunc(words, func(w string) bool { return strings.HasSuffix(w, "ptxabi") })+1:]...)
		d.status = r.status
		out = r.stdout + r.stderr
	case strings.HasPrefix(line, "go run ./"):
		if !effort.Long() {
			return "", errNotRun
		}
		cmd := exec.Command("go", words[1:]...)
		cmd.Dir = "examples"
		var data strings.Builder
		if cmd.Stderr = &data; !noOutput {
			cmd.Stdout = &data
		}
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			return "", err
		}
		d.status = cmd.ProcessState.ExitCode()
		out = data.String()
	default:
		return "", fmt.Errorf("TestDocs does not know how to run %q", line)
	}
	from, to := 1, 1<<30
	var err error
	switch {
	case part != "":
		_, err = fmt.Sscanf(part, "%d,%dp", &from, &to)
	case limit != "":
		_, err = fmt.Sscan(limit, &to)
	}
	lines := slices.Collect(strings.Lines(out))
	to = min(to, len(lines))
	return strings.Join(lines[min(from-1, to):to], ""), err
}

// notRun are the commands of sh blocks that only a reader runs.
var notRun = regexp.MustCompile(`^(cd|git|mkdir|man|pre-commit|PTXABI_\w+=\S+|GOWORK=off|export|sudo|curl) `)

// shell checks a line of a sh block. Commands of ptxabi are run, with files of
// ours in place of those that are not here: they may find something, but not
// refuse the command line.
func (d *docs) shell(file, line string) {
	line, _, _ = strings.Cut(line, " #")
	line = strings.TrimSpace(line)
	words := strings.Fields(line)
	goRun := []string{"go", "run", "./cmd/ptxabi"}
	switch {
	case line == ".ci/run": // which is there, as a link to it would be
		_, err := os.Stat(line)
		assert.NoError(d, err)
	case len(words) == 0 || words[0] == "#" || notRun.MatchString(line):
	case words[0] == "ptxabi" || len(words) > 2 && slices.Equal(words[:3], goRun):
		d.ran["sh"]++
		args, input := shellWords(line)
		args = args[1:]
		if words[0] == "go" {
			args = args[2:]
		}
		for i := range args {
			args[i] = d.here(args[i], i > 0 && args[i-1] == "-o")
		}
		if input != "" {
			args = append(args, d.here(input, false))
			args = slices.DeleteFunc(args, func(s string) bool { return s == "-" })
		}
		if args[0] == "serve" || args[0] == "lsp" { // for ever: the flags alone
			args = append(args, "-h")
		}
		r := ptxabi(nil, args...)
		assert.Contains(d, []int{0, 1}, r.status, "%s: %s: %s", file, line, r.stderr)
	case words[0] == "go":
		for _, w := range words[1:] {
			if dir := strings.TrimSuffix(w, "/..."); strings.HasPrefix(w, "./") {
				_, err1 := os.Stat(dir)
				_, err2 := os.Stat(path.Join(path.Dir(file), dir))
				assert.True(d, err1 == nil || err2 == nil, "%s: %s: there is no %s", file, line, w)
			}
		}
	default:
		d.Errorf("%s: TestDocs does not know what to do with %q", file, line)
	}
}

// here is an argument as it can be used here: a file of its kind in place of one
// that the document only thinks of.
func (d *docs) here(arg string, output bool) string {
	if output {
		return filepath.Join(d.TempDir(), "out")
	}
	if _, err := os.Stat(arg); err == nil {
		return arg
	}
	switch path.Ext(arg) {
	case ".ptx":
		return "examples/drift/step.ptx"
	case ".cubin", ".o", ".out":
		return "examples/drift/step.cubin"
	case ".cu":
		return "examples/drift/step.cu"
	case ".h":
		return "examples/header/sim.h"
	case ".go":
		return "examples/drift/host.go"
	case ".sass":
		return "examples/drift/step.sass"
	}
	return arg
}

// goSources returns the Go files of the repository, see plain.
func goSources(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, dir := range []string{"examples", ".", "abi", "check", "layout", "lower", "ptx", "sass"} {
		require.NoError(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && dir == "." && name != "." {
				return fs.SkipDir
			}
			if err != nil || !strings.HasSuffix(name, ".go") {
				return err
			}
			data, err := os.ReadFile(name)
			all = append(all, plain(string(data)))
			return err
		}))
	}
	return all
}

// plain is Go without the blanks at the beginnings of lines.
func plain(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t "))
	}
	return b.String()
}

// compiles checks a Go block: it is part of a file that is compiled, or a list of
// declarations without imports that compiles by itself.
func (d *docs) compiles(text string) error {
	if slices.ContainsFunc(d.sources, func(s string) bool { return strings.Contains(s, plain(text)) }) {
		return nil
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "block.go", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("it is in no file, and does not compile: %w", err)
	}
	_, err = new(types.Config).Check("p", set, []*ast.File{f}, nil)
	return err
}

var hyperlink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// links checks that links within the repository lead to something that is there.
func (d *docs) links(file, text string) {
	for _, m := range hyperlink.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		to, anchor, _ := strings.Cut(m[1], "#")
		if strings.Contains(to, "://") {
			continue
		}
		target := file
		if to != "" {
			target = path.Join(path.Dir(file), to)
		}
		data, err := os.ReadFile(target)
		if info, statErr := os.Stat(target); statErr == nil && info.IsDir() {
			continue
		}
		if assert.NoError(d, err, "%s links to %s", file, m[1]) && anchor != "" {
			assert.Contains(d, anchors(string(data)), anchor, "%s links to %s", file, m[1])
		}
	}
}

// anchors returns those that headings have on the usual sites, and those that are
// set by hand.
func anchors(text string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(strings.ReplaceAll(m[1], " ", "-"))
		all = append(all, regexp.MustCompile(`[^\pL\pN_-]`).ReplaceAllString(name, ""))
	}
	for _, m := range regexp.MustCompile(`<a (?:id|name)="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

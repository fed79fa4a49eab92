// Ptxparam generates code in Go, Rust or Python that packs structs and kernel arguments as CUDA
// kernels read them. A line like this calls it:
//
//	//go:generate go tool ptxparam -type=Params
//
// "ptxparam -h" describes its flags, and docs/ptxparam.md what it reads and
// writes.
//
// The exit status is 0 if nothing is wrong, 1 if the input has errors or, with
// -check, a file is stale, and 2 for usage and what cannot be read or written.
// Nothing is written unless it is 0.
package main

import (
	"cmp"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
	"github.com/ptxabi/ptxabi/internal/tool/packers"
)

//go:embed help
var pages embed.FS

func main() {
	os.Exit(run(os.Args[1:], env{stdout: os.Stdout, stderr: os.Stderr}))
}

// An env is the part of the process that the program may reach.
type env struct {
	stdout, stderr io.Writer
	dir            string   // what relative paths start from; "" is the current folder
	vars           []string // environment variables; nil is the process's
	// session is for several runs; nil is a new one for each.
	session *packers.Session
}

// errStale says that -check found a file that is not current.
var errStale = errors.New("a file is stale")

// errPrinted says that what is wrong has been printed.
var errPrinted = errors.New("printed already")

// run runs the program and returns its exit status.
func run(args []string, e env) int {
	err := generate(args, e)
	var list diag.List
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		io.WriteString(e.stdout, program().Help.String())
		return 0
	case errors.Is(err, errStale):
		e.say("ptxparam: %v; go generate makes it current", err)
		return 1
	case errors.Is(err, errPrinted):
		return 1
	case errors.As(err, &list):
		e.stderr.Write(new(diag.Printer).Append(nil, list))
		return 1
	}
	e.say("ptxparam: %v", err)
	return 2
}

// say prints a message on standard error, without what a terminal obeys.
func (e env) say(format string, args ...any) {
	fmt.Fprintln(e.stderr, diag.Printable(fmt.Sprintf(format, args...)))
}

// diff prints how a file differs from the generated one, without characters that a terminal obeys.
func (e env) diff(name, is, generated string) error {
	text := textdiff.Unified(is, generated, name, name+" (generated)")
	if _, err := io.WriteString(e.stdout, diag.PrintableLines(text)); err != nil {
		return fmt.Errorf("standard output: %w", disk.Reason(err))
	}
	return nil
}

// A request is a command line in parts.
type request struct {
	cfg            packers.Config
	inputs         []string
	check, version bool
	format         string
	others         []string // the flags that were given beside those two and the format
}

// flags defines the program's flags.
func (r *request) flags() *manual.Set {
	set, cfg := manual.NewSet(manual.Page(pages, "ptxparam")), &r.cfg
	set.Bind((*list)(&cfg.Types), "type")
	set.Bind((*list)(&cfg.Kernels), "kernel")
	set.Bind((*pairs)(&cfg.Rename), "rename")
	set.Bind((*pairs)(&cfg.Params), "param")
	set.Bind(&cfg.Names, "names")
	set.Bind(&cfg.Lang, "lang").Hints = []string{"c", "c++", "rust", "python"}
	set.BindSearch(&cfg.Include, &cfg.System, &cfg.Defines, &cfg.First)
	set.Bind(&cfg.Rules, "rules").Hints = []string{"sysv", "msvc"}
	set.Bind(&cfg.Target, "target").Hints = packers.TargetNames()
	set.Bind(&cfg.Output, "o")
	set.Bind(&cfg.Package, "pkg")
	set.Bind(&cfg.Tags, "tags")
	set.Bind(&cfg.Header, "emit-header")
	set.Bind(&cfg.PTX, "emit-ptx")
	set.Bind(&cfg.Binding, "binding").Hints = packers.BindingNames()
	set.Bind(&cfg.Cubin, "cubin")
	set.Bind(&cfg.Test, "test")
	set.Bind(&r.version, "version")
	set.Bind(&r.check, "check")
	set.Bind(&r.format, "format")
	return set
}

// read reads the flags and the arguments after and between them.
func (e env) read(args []string) (*request, error) {
	r := &request{cfg: packers.Config{Dir: e.dir, Env: e.vars}, format: "text"}
	set := r.flags()
	var err error
	if r.inputs, err = set.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	}
	if name := set.Empty("type", "kernel", "lang", "rules", "target", "o", "pkg", "tags", "emit-header", "emit-ptx", "binding", "cubin", "names"); err == nil && name != "" {
		err = fmt.Errorf("-%s is empty", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; see \"ptxparam -h\"", err)
	}
	r.others = set.Others("check", "version", "format")
	return r, nil
}

func generate(args []string, e env) error {
	r, err := e.read(args)
	if err != nil {
		return err
	}
	rest := r.inputs
	switch {
	case r.version:
		_, err := fmt.Fprintf(e.stdout, "ptxparam %s\n", manual.Version())
		return err
	case slices.ContainsFunc(rest, isTree):
		return e.trees(r)
	case r.format != "text":
		return errors.New("-format is for ./..., which runs the lines of a tree; see \"ptxparam -h\"")
	case len(rest) == 1 && rest[0] == "help":
		if _, err := os.Stat(e.path("help")); err != nil {
			return flag.ErrHelp
		}
	case len(rest) == 1 && rest[0] == "-":
		return errors.New("standard input is not read: how an input is read its name says")
	case len(rest) == 1 && rest[0] == "completion":
		if _, err := os.Stat(e.path("completion")); err != nil {
			return fmt.Errorf("completion: no shell: one of %s; see \"ptxparam -h\"", strings.Join(manual.Shells, ", "))
		}
	case len(rest) == 2 && rest[0] == "completion":
		script, err := program().Script(rest[1])
		if err != nil {
			return fmt.Errorf("completion: %w; see \"ptxparam -h\"", err)
		}
		_, err = io.WriteString(e.stdout, script)
		return err
	}
	files, err := e.files(cmp.Or(e.session, new(packers.Session)), r)
	if err != nil {
		return err
	}
	if !r.check {
		return e.replaceAll(files)
	}
	stale, err := e.compare(files, func(f packers.File, is string) error { return e.diff(f.Path, is, string(f.Data)) })
	if err == nil && stale != nil {
		err = errStale
	}
	return err
}

// files are those that a request for one input generates.
func (e env) files(s *packers.Session, r *request) ([]packers.File, error) {
	switch len(r.inputs) {
	case 0:
	case 1:
		r.cfg.Input = r.inputs[0]
	default:
		return nil, fmt.Errorf("%d inputs, expected one: %s", len(r.inputs), strings.Join(r.inputs, " "))
	}
	if r.cfg.Warn == nil {
		r.cfg.Warn = func(d *diag.Diagnostic) { fmt.Fprintln(e.stderr, d) }
	}
	files, err := s.Generate(r.cfg)
	if err != nil {
		return nil, err
	}
	return files, e.ours(files)
}

// A list is the value of a flag A,B; one that is given again adds to it.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(s string) error {
	*l = append(*l, display.List(s)...)
	return nil
}

// program describes the program.
func program() *manual.Program {
	c := new(request).flags().Command
	return &manual.Program{Name: c.Name, Short: c.Short, Help: c.Help}
}

// pairs are the values of a flag NAME=GO that may be given again.
type pairs map[string]string

func (p *pairs) String() string {
	var all []string
	for name, to := range *p {
		all = append(all, name+"="+to)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Set takes NAME=GO. A name of C++ may have a = in it, what it is in Go has none.
func (p *pairs) Set(s string) error {
	i := strings.LastIndexByte(s, '=')
	if i <= 0 || i == len(s)-1 {
		return errors.New("it is not NAME=GO")
	}
	if *p == nil {
		*p = pairs{}
	}
	name := strings.TrimSpace(s[:i])
	if _, ok := (*p)[name]; ok {
		return errors.New("that name has been given before")
	}
	(*p)[name] = strings.TrimSpace(s[i+1:])
	return nil
}

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
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/tool/packers"
)

var help = manual.Help{
	Usage: "ptxparam [flags] [FILE.go|FILE.h|FILE.cu|FILE.ptx|FILE.cubin|DIR|DIR/...]",
	Text: `Ptxparam generates Go code, or Rust or Python, that packs structs and kernel
arguments as CUDA kernels read them, without cgo and without a toolkit. It reads
Go structs, records and __global__ functions of headers, entries of PTX modules,
and the kernels of cubins and of files that contain these. The default input is
$GOFILE, which go generate sets.`,
	More: `DIR/... stands for every line "//go:generate" that runs ptxparam in the folders
below DIR. One process runs all of them as go generate does, or with -check
compares their files.

If the output is x.go, the files are x.go and x_layout.go; for kernels
x_launch.go and, with -binding, x_binding.go; for large arrays x_memory.go and
x_memory_others.go; x_test.go with -test; and those that -emit-header and
-emit-ptx name. Files of an earlier run that are not needed any longer are
removed. For Rust and Python there is only x.rs or x.py.

"ptxparam completion SHELL" prints a script that completes command lines in
bash, zsh or fish. The folder of the script must exist.

Examples:

  //go:generate go run github.com/ptxabi/ptxabi/cmd/ptxparam@latest -type=Params
  //go:generate go tool ptxparam -kernel=saxpy -o saxpy.go saxpy.ptx
  //go:generate go tool ptxparam -type=Particle -kernel=step -test sim.h
  //go:generate go tool ptxparam -kernel=saxpy -binding=gorgonia saxpy.ptx
  ptxparam -lang=rust -type=Particle -kernel=step sim.h
  ptxparam -lang=c++ -type=Particle -o sim.py sim.h
  ptxparam -check ./...
  ptxparam completion bash >~/.local/share/bash-completion/completions/ptxparam`,
}

func main() {
	os.Exit(run(os.Args[1:], env{stdout: os.Stdout, stderr: os.Stderr}))
}

// An env is what the program may reach of the process.
type env struct {
	stdout, stderr io.Writer
	dir            string   // what relative paths start from; "" is the current folder
	vars           []string // environment variables; nil is the process's
}

// errStale says that -check found a file that is not current.
var errStale = errors.New("a file is stale")

// errSaid says that what is wrong has been printed.
var errSaid = errors.New("said already")

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
	case errors.Is(err, errSaid):
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

// diff prints how a file differs from what is generated, without what a terminal obeys.
func (e env) diff(name, is, generated string) error {
	text := textdiff.Unified(is, generated, name, name+" (generated)")
	if _, err := io.WriteString(e.stdout, diag.PrintableLines(text)); err != nil {
		return fmt.Errorf("standard output: %w", disk.Reason(err))
	}
	return nil
}

// A request is what a command line asks for.
type request struct {
	cfg            packers.Config
	inputs         []string
	check, version bool
	format         string
	others         []string // the flags that were given beside those two and the format
}

// flags defines the program's flags.
func (r *request) flags() *manual.Set {
	set, cfg := manual.NewSet("ptxparam"), &r.cfg
	set.Add((*list)(&cfg.Types), "type A,B", "structs to generate methods for; may be repeated, as -kernel")
	set.Add((*list)(&cfg.Kernels), "kernel NAME", `
		a kernel of a header, a PTX module or a cubin, or several: A,B.
		NAME is a symbol or a name in C++, such as saxpy, saxpy<float> or
		step(int, float*), with * for any text; all stands for every
		kernel`)
	set.Add((*pairs)(&cfg.Rename), "rename NAME=GO", `
		give the kernel NAME the name GO in the output; may be repeated`)
	set.Add((*pairs)(&cfg.Params), "param K.N=TYPE", `
		the type of parameter N, from 0, of the kernel K of a module or a
		cubin: a type of the package, of Go or of CUDA; may be repeated`)
	set.Add(&cfg.Names, "names FILE", `
		the source of a module or a cubin, in C++ or C: parameters have
		the names that they have there`)
	set.Add(&cfg.Lang, "lang LANG", `
		language of headers, c or c++; by default .h and .c are C, and
		the others C++. Or the language to generate, rust or python,
		which the name after -o says too`).Hints = []string{"c", "c++", "rust", "python"}
	set.AddSearch(&cfg.Include, &cfg.System, &cfg.Defines, &cfg.First, "likewise, after those of -I")
	set.Add(&cfg.Rules, "rules RULES", `
		the layout rules of the host where nvcc compiles the kernels: sysv, as on Linux, or
		msvc, as on Windows, where long has 4 bytes. Without it a
		header has to mean the same by both, unless the output is
		for one system: x_windows.go, or -tags linux`).Hints = []string{"sysv", "msvc"}
	set.Add(&cfg.Target, "target SM", `
		the architecture of the kernels; it matters for parameters with
		alignments above 16, and chooses among the cubins of a file`).Hints = targetNames()
	set.Add(&cfg.Output, "o FILE", `
		the output, whose name ends in .go, .rs or .py; by default, the
		first type's name in lower case with _param.go`)
	set.Add(&cfg.Package, "pkg NAME", "name of the output's package; that of its folder by default")
	set.Add(&cfg.Tags, "tags EXPR", `
		build tags, or a //go:build expression, under which the
		package is read and the output is built`)
	set.Add(&cfg.Header, "emit-header FILE", "write a C header too, with the same layout")
	set.Add(&cfg.PTX, "emit-ptx FILE", "write a PTX skeleton too, with declarations and loads")
	set.Add(&cfg.Binding, "binding NAME", `
		write launches for a Go binding that passes only eight bytes of
		each parameter: gorgonia, mumax, cuda5 or cudago, or NAME=PATH for
		a fork of one. They need cgo`).Hints = packers.BindingNames()
	set.Add(&cfg.Cubin, "cubin FILE", `
		hold the kernels' parameters against those of a cubin, or of the
		cubins in a file; with -check too`)
	set.Add(&cfg.Test, "test", "write a test of the output too")
	set.Add(&r.version, "version", "print the version, and do nothing else")
	set.Add(&r.check, "check", `
		write nothing; print a diff and exit with 1 if a file is
		not what would be written`)
	set.Add(&r.format, "format FORM", `
		with ./...: text; sarif, the format SARIF 2.1.0 of code
		scanners; or github, the annotations of GitHub Actions`, "text", "sarif", "github")
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
	files, err := e.files(new(packers.Session), r)
	if err != nil {
		return err
	}
	if r.check {
		return e.compare(files)
	}
	return e.replaceAll(files)
}

// files are what a request for one input generates.
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
	*l = append(*l, prose.List(s)...)
	return nil
}

// program is what is said of the program.
func program() *manual.Program {
	return &manual.Program{Name: "ptxparam", Short: "pack structs and kernel arguments from Go", Help: new(request).flags().Describe(help)}
}

func targetNames() (names []string) {
	for _, t := range abi.Targets() {
		names = append(names, t.Name)
	}
	return names
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

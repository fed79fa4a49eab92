// Ptxabi shows what NVIDIA's device calling convention makes of a PTX module:
//
//	ptxabi lower x.ptx      its calls as pseudo-SASS
//	ptxabi assign x.ptx     where every parameter and result lives
//	ptxabi check x.ptx      every diagnostic about how it passes parameters
//	ptxabi layout x.h       how C, CUDA and Go types lie in memory and in .param space
//	ptxabi verify x.o x.ptx compiled kernels against their source
//	ptxabi annotate x.sass  a listing with the meaning of each ABI word
//	ptxabi diff x.ptx y.ptx where formals have moved, and whether callers break
//	ptxabi link x.o y.o     the declarations of linked files against each other
//	ptxabi compare x.ptx x.sass
//	                        a backend's code against the convention
//	ptxabi adapt -from numba -to clang x.h
//	                        a shim between two conventions
//	ptxabi stack x.cubin    how much stack and how many registers kernels need
//	ptxabi images x.so      the device code in a file
//	ptxabi export -lang c   the convention as source text in C, Rust or Python
//	ptxabi targets          what is known of each architecture, and how
//	ptxabi explain CODE     what a diagnostic's code means
//	ptxabi serve            most of this in a browser
//	ptxabi lsp              a language server for PTX, for editors
//	ptxabi batch            commands that are read line by line, answered in JSON
//	ptxabi completion bash  a script that completes command lines
//
// "ptxabi COMMAND -h" describes a command with its flags, and "ptxabi help -man"
// prints all of that as a page for man.
//
// The exit status is 0 if nothing is wrong, 1 if the module has errors, and 2 for usage,
// unreadable input and internal failures. With 1 or 2 lower has no result; the others print what
// the errors leave. Annotate may have printed a part of a large listing.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// The commands by which serve and lsp start this program again, to answer questions and to check texts.
const (
	serveWorker = "serve-worker"
	lspWorker   = "lsp-worker"
)

func main() {
	if len(os.Args) == 2 && (os.Args[1] == serveWorker || os.Args[1] == lspWorker) {
		work(os.Args[1])
		return
	}
	if os.Getenv("GOGC") == "" {
		collectLate()
	}
	os.Exit(run(os.Args[1:], env{
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		getenv:   os.Getenv,
		terminal: isTerminal(os.Stderr),
		screen:   isTerminal(os.Stdout),
		columns:  columnsOf(os.Stdout),
		self:     true,
	}))
}

// An env is the part of the process that a command may reach.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	terminal       bool // stderr is one
	screen         bool // stdout is a terminal
	columns        int  // of that; 0 where it has none, or their number is not known
	json           bool // messages on stderr are JSON
	batch          bool // the command is a request of batch's
	// kept, if not nil, is where messages go until it is known whether there is a result.
	kept *messages
	// run runs the program.
	run  func(args []string, e env) int
	self bool // the executable file of the process is this program
	// end, if not nil, ends what would go on until it is interrupted.
	end context.Context
}

func (e env) context() context.Context {
	if e.end != nil {
		return e.end
	}
	return context.Background()
}

// A command is one of the program's subcommands.
type command struct {
	name string
	// bind says where the flags go that are the command's own, and returns what it does.
	bind func(o *options) action
}

// An action does what a command does with its arguments that are no flags.
type action func(e env, rest []string) error

// run runs the command with its arguments.
func (c command) run(e env, args []string) error {
	o := newOptions(c.name)
	do := c.bind(o)
	rest, err := o.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return write(e.stdout, []byte(o.Help.String()))
	}
	if err != nil {
		return err
	}
	return do(e, rest)
}

func commands() []command {
	return []command{
		{"lower", bindLower},
		{"assign", bindAssign},
		{"check", bindCheck},
		{"layout", bindLayout},
		{"verify", bindVerify},
		{"annotate", bindAnnotate},
		{"diff", bindDiff},
		{"link", bindLink},
		{"compare", bindCompare},
		{"adapt", bindAdapt},
		{"stack", bindStack},
		{"images", bindImages},
		{"targets", bindTargets},
		{"export", bindExport},
		{"explain", bindExplain},
		{"serve", bindServe},
		{"lsp", bindLsp},
		{"batch", bindBatch},
		{"completion", bindCompletion},
	}
}

// errFindings says that the module has errors and that they have been printed.
var errFindings = errors.New("the module has errors")

// findings is an error or, without one, that of findings if there are some.
func findings(err error, some bool) error {
	if err == nil && some {
		return errFindings
	}
	return err
}

// errPrinted says that nothing could be done, and that why has been printed.
var errPrinted = errors.New("printed already")

// run runs the program and returns its exit status.
func run(args []string, e env) int {
	e.run = run
	args, err := e.errors(args)
	if err != nil {
		return exit(err, e)
	}
	if form := formOf(args); (form == "json" || form == "jsonl") && !e.json {
		return runJSON(args, e)
	}
	return exit(dispatch(args, e), e)
}

// errors takes -errors, which stands before a command, from a command line.
func (e *env) errors(args []string) (rest []string, err error) {
	if len(args) == 0 {
		return args, nil
	}
	name, form, ok := strings.Cut(args[0], "=")
	if name != "-errors" && name != "--errors" {
		return args, nil
	}
	args = args[1:]
	if !ok {
		if len(args) == 0 {
			return nil, errors.New("-errors has no value: text or json")
		}
		form, args = args[0], args[1:]
	}
	if form != "json" && form != "text" {
		return nil, fmt.Errorf("-errors %q is none of text, json", form)
	}
	e.json = form == "json" || e.json && e.batch
	return args, nil
}

func dispatch(args []string, e env) error {
	if len(args) == 0 && !e.json && !e.batch {
		fmt.Fprint(e.stderr, usage())
		return errPrinted
	}
	if len(args) == 0 {
		return errors.New(`no command; "ptxabi -h" lists them`)
	}
	name, args := args[0], args[1:]
	help := func(name string) bool { return slices.Contains([]string{"-h", "-help", "--h", "--help"}, name) }
	switch name {
	case "-h", "-help", "--h", "--help", "help":
		if len(args) == 0 || help(args[0]) {
			return write(e.stdout, []byte(usage()))
		}
		if args[0] == "-man" || args[0] == "--man" {
			return write(e.stdout, program().Roff())
		}
		name, args = args[0], []string{"-h"}
	case "measure":
		return errors.New("measure is a program of its own: in a clone, go run ./internal/lab/ptxmeasure -h")
	case "version", "-version", "--version":
		if len(args) > 0 && help(args[0]) {
			return write(e.stdout, []byte("usage: ptxabi version\n\nVersion prints the version of the build.\n"))
		}
		if len(args) > 0 {
			return fmt.Errorf("version: %s, expected none", prose.Count(len(args), "argument"))
		}
		return write(e.stdout, []byte("ptxabi "+manual.Version()+"\n"))
	}
	var names []string
	for _, c := range commands() {
		if c.name != name {
			names = append(names, c.name)
			continue
		}
		if e.batch && slices.Contains(notInBatch, name) {
			return fmt.Errorf("%s: batch does not run it", name)
		}
		return c.run(e, args)
	}
	if strings.HasPrefix(name, "-") {
		return fmt.Errorf(`no command before %s; flags stand after one, and "ptxabi -h" lists them`, name)
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return fmt.Errorf(`no command before the file %s, such as "ptxabi assign %[1]s"; "ptxabi -h" lists them`, name)
	}
	if like := near.DidYouMean(name, names); like != "" {
		return fmt.Errorf("unknown command %q%s", name, like)
	}
	return fmt.Errorf(`unknown command %q; "ptxabi -h" lists them`, name)
}

//go:embed usage.txt
var usageText string

func usage() string {
	head, tail, _ := strings.Cut(usageText, "COMMANDS\n")
	for _, c := range commands() {
		head += fmt.Sprintf("  ptxabi %-11s %s\n", c.name, manual.Page(pages, c.name).Short)
	}
	return head + tail
}

// write writes a result to standard output.
func write(w io.Writer, data []byte) error {
	_, err := w.Write(data)
	return ofFile("standard output", err)
}

// printable is s on one line, without anything that a terminal would obey.
func printable(s string) string { return diag.Printable(s) }

func bindCompletion(o *options) action {
	o.Help.Words = manual.Shells
	return func(e env, rest []string) error {
		if len(rest) != 1 {
			return o.errorf("%s, expected one: %s", prose.Count(len(rest), "argument"), strings.Join(manual.Shells, ", "))
		}
		script, err := program().Script(rest[0])
		if err != nil {
			return o.errorf("%w", err)
		}
		return write(e.stdout, []byte(script))
	}
}

func targetNames() []string {
	var names []string
	for _, t := range abi.Targets() {
		names = append(names, t.Name)
	}
	return names
}

// program describes the program, its commands and their flags. The word help,
// which is none of them, is completed too.
func program() *manual.Program {
	head, tail, _ := strings.Cut(usageText, "COMMANDS\n")
	p := &manual.Program{Name: "ptxabi", Short: "NVIDIA's device calling convention", Help: manual.Help{Text: head, More: tail}}
	var names []string
	for _, c := range commands() {
		p.Commands = append(p.Commands, c.page())
		names = append(names, c.name)
	}
	p.Commands = append(p.Commands, manual.Command{Name: "help", Help: manual.Help{Words: names}})
	return p
}

// page is the command's page with the values of its flags that the command computes.
func (c command) page() manual.Command {
	o := newOptions(c.name)
	c.bind(o)
	o.bindCommon()
	return o.Command
}

// Sizes of the heap, in bytes.
const (
	firstGoal = 4 << 20  // at which Go's collector first runs
	lateGoal  = 32 << 20 // at which it does here
)

const usualPercent = 100 // as documented of GOGC

// collectLate lets the heap grow to lateGoal before garbage is first collected, and
// then as it would have: most modules need less, and a process that ends has no
// use for memory. It is for programs that end, and for a percentage that nothing
// has chosen.
func collectLate() {
	collectAt.Store(usualPercent)
	debug.SetGCPercent(usualPercent * lateGoal / firstGoal)
	first := new([16]byte) // not tiny, so that it dies alone
	runtime.AddCleanup(first, func(at *atomic.Int32) { debug.SetGCPercent(int(at.Load())) }, &collectAt)
}

// collectAt is the percentage after the first collection; 0 where collectLate was not called.
var collectAt atomic.Int32

// largeText is from what size on a text is most of what is in memory, in bytes.
const largeText = 8 << 20

// collectOften lets less garbage lie beside a large text, so that a module takes no more than three times
// its text.
func collectOften() {
	const percent = 40
	if collectAt.CompareAndSwap(usualPercent, percent) {
		debug.SetGCPercent(percent)
	}
}

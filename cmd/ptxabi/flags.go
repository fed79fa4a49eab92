package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/manual"
)

// options are the flags that commands share. A command registers those that it
// has.
type options struct {
	*manual.Set

	target string // "" for the module's
	assume bool
	fn     string // "" for all
	format string
	output string // "" or "-" for standard output
	color  string

	all     bool // everything is printed, also where nothing is to be said of it
	mangled bool // names are printed as the linker has them

	severity string // the least that is shown; "" for notes
	verbose  bool   // every diagnostic is shown

	last []string // the last two arguments, of all that were parsed
}

// newOptions returns those of a command that has defined none yet.
func newOptions(command string) *options {
	return &options{Set: manual.NewSet(command), format: "text", color: "auto", severity: "note"}
}

// addModule defines the flags of commands that read a module.
func (o *options) addModule() {
	o.addTarget(`
		architecture: sm_90, sm_90a, compute_90 or 90; the module's own by
		default. The code of the module must run on it`)
	o.Add(&o.assume, "assume", `
		accept a target that has not been measured; its facts are copied
		from another, and the output says that they are assumed`)
	o.Add(&o.fn, "func NAME", "only this function or kernel")
	o.addSeverity("")
}

func (o *options) addTarget(text string) { o.Add(&o.target, "target SM", text).Hints = targetNames() }

func (o *options) addFormat(text string, values ...string) {
	o.Add(&o.format, "format FORM", text, values...)
}

// addSeverity defines -severity; more is what a command has to add.
func (o *options) addSeverity(more string) {
	o.Add(&o.severity, "severity WHAT", `
		show only errors (error), also warnings (warning), or also notes
		(note, which is the default)`+more, "error", "warning", "note")
}

// addDiagnostics defines the flags of commands that print diagnostics.
func (o *options) addDiagnostics() {
	o.Add(&o.verbose, "v", `
		show all; by default, ten diagnostics of one code in a file are, ten
		entries of a list, and how many more there are. JSON and SARIF have all`)
	o.addColor()
}

func (o *options) addColor() {
	o.Add(&o.color, "color WHEN", `
		colours in diagnostics and in reports: auto (on a terminal, unless NO_COLOR is
		set), always or never`, "auto", "always", "never")
}

// A helpError says that the help of a command was asked for, whose flags these are.
type helpError struct{ *manual.Set }

func (helpError) Error() string { return "help" }

// parse reads the flags and returns the other arguments.
func (o *options) parse(args []string) (rest []string, err error) {
	o.last = args[max(len(args)-2, 0):]
	rest, err = o.Parse(args)
	switch name := o.Empty("target", "func", "o"); {
	case errors.Is(err, flag.ErrHelp):
		return nil, helpError{o.Set}
	case err != nil:
		return nil, o.errorf("%w", err)
	case name != "":
		return nil, o.errorf("-%s is empty", name)
	}
	return rest, nil
}

// noFile reports that a file is missing, which may be because a flag has taken
// its name for a value.
func (o *options) noFile() error {
	if n := len(o.last); n == 2 && strings.HasPrefix(o.last[0], "-") && strings.ContainsAny(o.last[1], "./") {
		return o.errorf("no FILE: %s is the value of %s; - is standard input", o.last[1], o.last[0])
	}
	return o.errorf("no FILE; - is standard input")
}

// file returns the one argument of a command that reads a file.
func (o *options) file(rest []string) (string, error) {
	switch len(rest) {
	case 0:
		return "", o.noFile()
	case 1:
		if rest[0] == "" {
			return "", o.errorf("FILE is empty; - is standard input")
		}
		return rest[0], nil
	}
	return "", o.errorf("%d files, expected one: %s", len(rest), strings.Join(rest, " "))
}

func (o *options) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w; see \"ptxabi %s -h\"", o.Name, fmt.Errorf(format, args...), o.Name)
}

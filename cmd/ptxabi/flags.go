package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// options are the flags that commands share. A command has those that its page describes.
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

	none string // why there are no arguments but flags; "" where there are some
	// lines, if not nil, writes the lines of a file that has several with -format jsonl; ok is false of others.
	lines func(e *env, file string) (ok bool, status int, err error)

	last []string // the last two arguments, of all that were parsed
}

//go:embed help
var pages embed.FS

// newOptions returns those of a command, by its page.
func newOptions(command string) *options {
	return &options{Set: manual.NewSet(manual.Page(pages, command)), format: "text", color: "auto", severity: "note"}
}

// bindCommon binds the flags that the command has not bound itself.
func (o *options) bindCommon() {
	o.BindCommon(map[string]any{
		"target": &o.target, "assume": &o.assume, "func": &o.fn, "format": &o.format, "o": &o.output, "color": &o.color,
		"all": &o.all, "no-demangle": &o.mangled, "severity": &o.severity, "v": &o.verbose,
	})
	if f := o.Flag("target"); f != nil {
		f.Hints = targetNames()
	}
}

// parse reads the flags and returns the other arguments. The error is [flag.ErrHelp] if -h was given.
func (o *options) parse(args []string) (rest []string, err error) {
	o.bindCommon()
	o.last = args[max(len(args)-2, 0):]
	rest, err = o.Parse(args)
	switch name := o.Empty("target", "func", "o"); {
	case errors.Is(err, flag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, o.errorf("%w", err)
	case name != "":
		return nil, o.errorf("-%s is empty", name)
	case o.none != "" && len(rest) > 0:
		return nil, o.errorf("%s, expected none: %s", prose.Count(len(rest), "argument"), o.none)
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

func (o *options) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w; see \"ptxabi %s -h\"", o.Name, fmt.Errorf(format, args...), o.Name)
}

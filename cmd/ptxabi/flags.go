package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
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

	all     bool // everything is printed, also where nothing is wrong
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

// wanted is the row of -target; nil without.
func (o *options) wanted() (*abi.Target, error) {
	if o.target == "" {
		return nil, nil
	}
	return o.row(o.target)
}

// row returns the row of a target. One that has not been measured needs
// -assume.
func (o *options) row(name string) (*abi.Target, error) {
	get := abi.Lookup
	if o.assume {
		get = abi.Assume
	}
	t, err := get(name)
	return t, explain(err)
}

// explain says what to do about a target that cannot be had.
func explain(err error) error {
	if errors.Is(err, resolve.ErrNoTarget) {
		return fmt.Errorf("%w; name one with -target", err)
	}
	if u := (*abi.UnknownTargetError)(nil); errors.As(err, &u) {
		if row, err2 := abi.Assume(u.Name); err2 == nil {
			return fmt.Errorf("%w, a number above all that are known; -assume takes over the facts of %s and marks the output as assumed", err, row.AssumedFrom)
		}
		if like := near.DidYouMean(u.Name, targetNames()); like != "" {
			return fmt.Errorf("%w%s", err, like)
		}
		return fmt.Errorf(`%w; "ptxabi targets" lists them`, err)
	}
	if u := (*abi.UnmeasuredError)(nil); errors.As(err, &u) && !u.NoABI {
		row, err2 := abi.Assume(u.Name)
		if err2 != nil {
			return err
		}
		own := fmt.Sprintf("target %s has not been measured; -assume takes over the facts of %s and marks the output as assumed", u.Name, row.AssumedFrom)
		return &worded{strings.Replace(err.Error(), u.Error(), own, 1), err}
	}
	return err
}

// A worded error is another in the words of the command line.
type worded struct {
	text string
	err  error
}

func (e *worded) Error() string { return e.text }

func (e *worded) Unwrap() error { return e.err }

// chooseTarget returns the target that a module is for: the one of that name,
// or the module's own for "". The errors have no position, and the note is nil if there is nothing to say.
func (o *options) chooseTarget(m *ptx.Module, name string) (*abi.Target, *diag.Diagnostic, error) {
	t, note, err := resolve.Target(m, name, o.assume)
	return t, note, explain(err)
}

// archOf parts the name of an architecture that exists, measured or not.
func archOf(name string) (resolve.Arch, error) {
	a, err := resolve.ParseArch(name)
	return a, explain(err)
}

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/near"
)

// options are the flags that commands share. A command registers those that it
// has.
type options struct {
	set *flag.FlagSet

	target string // "" for the module's
	assume bool
	fn     string // "" for all
	format string
	output string // "" or "-" for standard output
	color  string

	all     bool // everything is printed, also where nothing is to be said of it
	mangled bool // names are printed as the linker has them

	severity string // the least that is shown; "" for notes
	verbose  bool   // every note is shown

	last []string // the last two arguments, of all that were parsed
}

// newOptions returns the flags that every command has.
func newOptions(command string) *options {
	o := &options{set: flag.NewFlagSet(command, flag.ContinueOnError)}
	o.set.SetOutput(io.Discard)
	o.set.StringVar(&o.format, "format", "text", "")
	o.set.StringVar(&o.color, "color", "auto", "")
	return o
}

// bareOptions returns the options of a command without flags.
func bareOptions(command string) *options {
	o := &options{set: flag.NewFlagSet(command, flag.ContinueOnError), color: "auto"}
	o.set.SetOutput(io.Discard)
	return o
}

// module adds the flags of commands that read a module.
func (o *options) module() {
	o.set.StringVar(&o.target, "target", "", "")
	o.set.BoolVar(&o.assume, "assume", false, "")
	o.set.StringVar(&o.fn, "func", "", "")
	o.set.StringVar(&o.severity, "severity", "note", "")
	o.set.BoolVar(&o.verbose, "v", false, "")
}

// parse reads the flags, which may stand behind other arguments as well, and
// returns the other arguments. Everything behind "--" is an argument.
func (o *options) parse(args []string) (rest []string, err error) {
	o.last = args[max(len(args)-2, 0):]
	for len(args) > 0 {
		if err := o.set.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, errHelp
			}
			return nil, o.errorf("%s", o.inWords(err))
		}
		left := o.set.Args()
		if n := len(args) - len(left); n > 0 && args[n-1] == "--" {
			rest = append(rest, left...)
			break
		}
		if len(left) == 0 {
			break
		}
		rest, args = append(rest, left[0]), left[1:]
	}
	if err := o.oneOf("color", o.color, "auto", "always", "never"); err != nil {
		return nil, err
	}
	if o.set.Lookup("severity") != nil {
		if err := o.oneOf("severity", o.severity, "error", "warning", "note"); err != nil {
			return nil, err
		}
	}
	o.set.Visit(func(f *flag.Flag) {
		name, ok := strings.CutPrefix(f.Value.String(), "-")
		if ok && err == nil && o.set.Lookup(strings.TrimPrefix(name, "-")) != nil {
			err = o.errorf("-%s has no value: %s follows it", f.Name, f.Value)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"target", "func", "o"} {
		if f := o.set.Lookup(name); f != nil && f.Value.String() == "" && o.given(name) {
			return nil, o.errorf("-%s is empty", name)
		}
	}
	return rest, nil
}

// inWords is what package flag has to say, with what may have been meant.
func (o *options) inWords(err error) string {
	text := err.Error()
	if _, name, ok := strings.Cut(text, "not defined: "); ok {
		var names []string
		o.set.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
		return text + near.DidYouMean(name, names)
	}
	if value, ok := strings.CutSuffix(text, ": parse error"); ok {
		if strings.HasPrefix(text, "invalid boolean") {
			return value + ": neither true nor false"
		}
		return value + ": no number that it takes"
	}
	return text
}

func (o *options) given(name string) bool {
	found := false
	o.set.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// oneOf checks the value of a flag that has few.
func (o *options) oneOf(name, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return o.errorf("-%s %q is none of %s", name, value, strings.Join(allowed, ", "))
}

// noFile complains that a file is missing, which may be because a flag has taken
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

// count is a number of things, as one says it.
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

func (o *options) errorf(format string, args ...any) error {
	name := o.set.Name()
	return fmt.Errorf("%s: %w; see \"ptxabi %s -h\"", name, fmt.Errorf(format, args...), name)
}

const commonHelp = `  -target SM     architecture: sm_90, sm_90a, compute_90 or 90; the module's
                 own by default, and never one that its code does not run on
  -assume        accept a target that has not been measured; its facts are taken
                 over from another, and the output says that they are assumed
  -func NAME     this function or kernel alone
  -severity WHAT show errors alone (error), warnings too (warning), or notes too
                 (note, which is the default)
  -v             show each note; more than three of one code are summed up
                 otherwise
`

const diagHelp = `  -color WHEN    colours in complaints: auto (on a terminal, unless NO_COLOR is
                 set), always or never
`

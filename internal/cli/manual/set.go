package manual

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/internal/cli/near"
)

// A Set reads the flags that the page of a command describes.
type Set struct {
	Command

	macros *[]string // nil without [Set.BindSearch]
	set    *flag.FlagSet
}

// NewSet returns the set of a command whose flags go nowhere yet.
func NewSet(c Command) *Set {
	s := &Set{Command: c, set: flag.NewFlagSet(c.Name, flag.ContinueOnError)}
	s.set.SetOutput(io.Discard)
	return s
}

// Bind says where the value of a flag goes: to a *bool, which takes no argument, a *string
// or an *int, which hold the default; a *[]string, for a flag that may be repeated; a
// func(string) error; or a [flag.Value].
func (s *Set) Bind(p any, name string) *Flag {
	f := s.Flag(name)
	if f == nil {
		panic(fmt.Sprintf("manual: the page of %s has no -%s", s.Name, name))
	}
	switch p := p.(type) {
	case *bool:
		s.set.BoolVar(p, name, *p, "")
	case *string:
		s.set.StringVar(p, name, *p, "")
	case *int:
		s.set.IntVar(p, name, *p, "")
	case *[]string:
		s.set.Func(name, "", func(v string) error { *p = append(*p, v); return nil })
	case func(string) error:
		s.set.Func(name, "", p)
	case flag.Value:
		s.set.Var(p, name, "")
	default:
		panic(fmt.Sprintf("manual: -%s goes to a %T", name, p))
	}
	return f
}

// BindCommon is Bind for flags of several commands: those that this one has and that are not bound yet.
func (s *Set) BindCommon(common map[string]any) {
	for name, p := range common {
		if s.Flag(name) != nil && s.set.Lookup(name) == nil {
			s.Bind(p, name)
		}
	}
}

// Flag returns the flag of that name, nil if there is none.
func (s *Set) Flag(name string) *Flag {
	for _, f := range s.Help.Flags {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Given reports whether a flag was on the command line.
func (s *Set) Given(name string) bool {
	found := false
	s.set.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// Empty returns the first of the flags that was given as nothing, of all flags if none
// is named; "" if none was.
func (s *Set) Empty(names ...string) (found string) {
	s.set.Visit(func(f *flag.Flag) {
		if found == "" && f.Value.String() == "" && (names == nil || slices.Contains(names, f.Name)) {
			found = f.Name
		}
	})
	return found
}

// Others returns the flags that were given beside those.
func (s *Set) Others(names ...string) (others []string) {
	for _, f := range s.Help.Flags {
		if s.Given(f.Name) && !slices.Contains(names, f.Name) {
			others = append(others, f.Name)
		}
	}
	return others
}

// Parse reads the flags, which may stand after other arguments as well, and
// returns the other arguments. Everything after "--" is an argument. The error is
// [flag.ErrHelp] if -h was given.
func (s *Set) Parse(args []string) (rest []string, err error) {
	if s.macros != nil {
		args = attached(args)
	}
	for len(args) > 0 {
		if err := s.set.Parse(args); err != nil {
			return nil, s.worded(err)
		}
		left := s.set.Args()
		if n := len(args) - len(left); n > 0 && args[n-1] == "--" {
			rest = append(rest, left...)
			break
		}
		if len(left) == 0 {
			break
		}
		rest, args = append(rest, left[0]), left[1:]
	}
	if err := s.check(); err != nil {
		return rest, err
	}
	return rest, s.checkMacros()
}

// check refuses values that cannot be meant.
func (s *Set) check() (err error) {
	s.set.Visit(func(f *flag.Flag) {
		name, ok := strings.CutPrefix(f.Value.String(), "-")
		if ok && err == nil && s.set.Lookup(strings.TrimPrefix(name, "-")) != nil {
			err = fmt.Errorf("-%s has no value: %s follows it", f.Name, f.Value)
		}
	})
	for _, f := range s.Help.Flags {
		if value := s.set.Lookup(f.Name).Value.String(); err == nil && f.Values != nil && s.Given(f.Name) {
			err = OneOf("-"+f.Name+" ", value, f.Values)
		}
	}
	return err
}

// OneOf refuses a value that is none of those; what names what it is the value of.
func OneOf(what, value string, values []string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return fmt.Errorf("%s%q is none of %s", what, value, strings.Join(values, ", "))
}

// worded is an error of package flag, with names that may have been meant.
func (s *Set) worded(err error) error {
	text := err.Error()
	if _, name, ok := strings.Cut(text, "not defined: "); ok {
		var names []string
		s.set.VisitAll(func(f *flag.Flag) {
			if len(name) > len("-x") || strings.EqualFold(name, "-"+f.Name) { // no other letter in place of the only one
				names = append(names, "-"+f.Name)
			}
		})
		return errors.New(text + near.DidYouMean(name, names))
	}
	if value, ok := strings.CutSuffix(text, ": parse error"); ok {
		if strings.HasPrefix(text, "invalid boolean") {
			return errors.New(value + ": neither true nor false")
		}
		return errors.New(value + ": not a number that it takes")
	}
	return err
}

// BindSearch binds the flags that compilers have for headers: folders, macros as NAME or NAME=TEXT, and headers that
// are read first.
func (s *Set) BindSearch(include, system, defines, first *[]string) {
	path := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, filepath.ToSlash(s)); return nil }
	}
	s.macros = defines
	s.Bind(path(include), "I")
	s.Bind(path(system), "isystem")
	s.Bind(defines, "D")
	s.Bind(path(first), "include")
}

// attached takes -IDIR and -DNAME apart, as compilers do.
func attached(args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 2 && (strings.HasPrefix(a, "-I") || strings.HasPrefix(a, "-D")) && a[2] != '=' {
			out = append(out, a[:2], a[2:])
		} else {
			out = append(out, a)
		}
	}
	return out
}

var macroName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_]\w*(\([\w, .]*\))?(=|$)`) })

// checkMacros refuses macros without a name. Folders that are not there are left out, as compilers do.
func (s *Set) checkMacros() error {
	if s.macros == nil {
		return nil
	}
	for _, d := range *s.macros {
		if !macroName().MatchString(d) {
			return fmt.Errorf("-D %s: not a macro; expected NAME or NAME=TEXT", d)
		}
	}
	return nil
}

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A target is a row with what the user should know about its choice.
type target struct {
	*abi.Target
	note *diag.Diagnostic // nil if there is nothing to say
}

// assumed reports whether the facts of the row are.
func (t target) assumed() bool { return t.AssumedFrom != "" }

// wanted is the row of -target; nil without.
func (o *options) wanted() (*abi.Target, error) {
	if o.target == "" {
		return nil, nil
	}
	return o.row(o.target)
}

// row returns the row of a target. One that has not been measured has to be
// asked for.
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
// or the module's own for "". The errors have no position.
func chooseTarget(m *ptx.Module, name string, assume bool) (target, error) {
	t, note, err := resolve.Target(m, name, assume)
	return target{Target: t, note: note}, explain(err)
}

// archOf parts the name of an architecture that exists, measured or not.
func archOf(name string) (resolve.Arch, error) {
	a, err := resolve.ParseArch(name)
	return a, explain(err)
}

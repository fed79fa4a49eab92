package main

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// A target is a row with what the user should know about its choice.
type target struct {
	*abi.Target
	note *ptx.Error // nil if there is nothing to say
}

// assumed reports whether the facts of the row are.
func (t target) assumed() bool { return t.AssumedFrom != "" }

// checkTarget complains of a -target that no module can be lowered for; "" is
// none.
func checkTarget(name string, assume bool) error {
	if name == "" {
		return nil
	}
	_, err := lookup(name, assume)
	return err
}

// lookup returns the row of a target. One that has not been measured has to be
// asked for.
func lookup(name string, assume bool) (*abi.Target, error) {
	if assume {
		t, err := abi.Assume(name)
		return t, explain(err)
	}
	t, err := abi.Lookup(name)
	return t, explain(err)
}

// explain says what to do about a target that cannot be had.
func explain(err error) error {
	if u := (*abi.UnknownTargetError)(nil); errors.As(err, &u) {
		return fmt.Errorf(`%w; "ptxabi targets" lists them`, err)
	}
	if u := (*abi.UnmeasuredError)(nil); errors.As(err, &u) && !u.NoABI {
		row, err2 := abi.Assume(u.Name)
		if err2 != nil {
			return err
		}
		return fmt.Errorf("%w; -assume takes over the facts of %s and marks the output as assumed", err, row.AssumedFrom)
	}
	return err
}

// chooseTarget returns the target that a module is for: the one of that name,
// or the module's own for "". The errors have no position.
func chooseTarget(m *ptx.Module, name string, assume bool) (target, error) {
	if m.Target == "" {
		if name == "" {
			return target{}, errors.New("the module has no .target; -target says what it is for")
		}
		t, err := lookup(name, assume)
		return target{Target: t}, err
	}
	own, err := archOf(m.Target)
	if err != nil {
		return target{}, err
	}
	if name != "" {
		t, err := lookup(name, assume)
		if err != nil {
			return target{}, err
		}
		return target{Target: t}, own.refuse(arch{t.Name, t.SM, t.Suffix})
	}
	if old := abi.OldestAbove(own.sm); own.sm < abi.Targets()[0].SM && old != nil {
		return target{Target: old, note: &ptx.Error{
			File: m.Name, Pos: m.TargetPos, Severity: ptx.SeverityNote, Code: lower.OldTarget,
			Msg: fmt.Sprintf("%s is older than every target that has been measured; the result is for %s, the oldest of them", own.name, old.Name),
		}}, nil
	}
	t, err := lookup(m.Target, assume)
	return target{Target: t}, err
}

// An arch is the name of an architecture in parts.
type arch struct {
	name   string
	sm     int
	suffix string
}

// archOf parts the name of an architecture that exists, measured or not.
func archOf(name string) (arch, error) {
	t, err := abi.Assume(name)
	if u := (*abi.UnmeasuredError)(nil); errors.As(err, &u) {
		return arch{u.Name, u.SM, ""}, nil
	}
	if err != nil {
		return arch{}, explain(err)
	}
	return arch{t.Name, t.SM, t.Suffix}, nil
}

// refuse says why PTX for a does not run on t, nil if it does. The rule is that
// of ptxas 13.0, tried on every pair of 13 .targets with 18 architectures, and
// of 12.9 for sm_101: PTX of a plain architecture runs there and on all later
// ones, whatever their suffix; PTX with an a runs on that one alone; PTX with an
// f runs on the later ones of its family, whatever their suffix.
func (a arch) refuse(t arch) error {
	switch a.suffix {
	case "":
		if t.sm < a.sm {
			return fmt.Errorf("the module is for %s, and -target %s is below that", a.name, t.name)
		}
	case "a":
		if t.suffix != "a" || t.line() != a.line() {
			return fmt.Errorf("the module is for %s, which runs nowhere else: -target %s cannot take it", a.name, t.name)
		}
	default:
		if t.line()/10 != a.line()/10 || t.line() < a.line() {
			return fmt.Errorf("the module is for %s and the later ones of its family, and -target %s is none of them", a.name, t.name)
		}
	}
	return nil
}

// line is the number that says which family an architecture is of: its own,
// but for sm_101, which CUDA 13 calls sm_110.
func (a arch) line() int {
	if a.sm == 101 {
		return 110
	}
	return a.sm
}

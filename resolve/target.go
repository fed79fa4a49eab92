package resolve

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
)

// OldTarget is the code of a note: the module is for an architecture that is too old
// to have been measured, and the result is for a newer one.
const OldTarget diag.Code = "OldTarget"

// ErrNoTarget is the error if neither the module nor the caller names a target.
var ErrNoTarget = errors.New("the module has no .target")

// Target returns the target with the given name, or that of the module's .target if the
// name is "". For a module of an architecture below all measured ones, it returns the
// oldest of these, with a note that says so; note is nil otherwise. A target that has not
// been measured is an error unless assume is set; see [abi.Assume].
//
// The error is [ErrNoTarget], an error of package abi, or an error that says that the
// module's code does not run on the target. It has no position; m.TargetPos is that of
// the module's .target.
func Target(m *ptx.Module, name string, assume bool) (t *abi.Target, note *diag.Diagnostic, err error) {
	if m == nil || m.Target == "" {
		if name == "" {
			return nil, nil, ErrNoTarget
		}
		t, err := lookup(name, assume)
		return t, nil, err
	}
	own, err := ParseArch(m.Target)
	if err != nil {
		return nil, nil, err
	}
	if name != "" {
		t, err := lookup(name, assume)
		if err != nil {
			return nil, nil, err
		}
		return t, nil, own.RunsOn(ArchOf(t))
	}
	if old := abi.Targets()[0]; own.SM < old.SM {
		return old, &diag.Diagnostic{
			File: m.Name, Pos: m.TargetPos, Severity: diag.Note, Code: OldTarget,
			Msg: fmt.Sprintf("%s is older than every target that has been measured; the result is for %s, the oldest of them", own.Name, old.Name),
		}, nil
	}
	t, err = lookup(m.Target, assume)
	return t, nil, err
}

// lookup returns a target. One that has not been measured is an error unless assume is set.
func lookup(name string, assume bool) (*abi.Target, error) {
	if assume {
		return abi.Assume(name)
	}
	return abi.Lookup(name)
}

// An Arch is an architecture, measured or not.
type Arch struct {
	Name   string // "sm_90a"
	SM     int    // 90
	Suffix string // "", "a" or "f"
}

// ArchOf returns the architecture of a target.
func ArchOf(t *abi.Target) Arch {
	t = zero.Or(t)
	return Arch{t.Name, t.SM, t.Suffix}
}

// ParseArch returns the architecture of a name such as "sm_90a", in the forms of [abi.Lookup].
// The error for an architecture that does not exist is an [*abi.UnknownTargetError].
func ParseArch(name string) (Arch, error) {
	t, err := abi.Assume(name)
	if u := (*abi.UnmeasuredError)(nil); errors.As(err, &u) {
		return Arch{u.Name, u.SM, ""}, nil
	}
	if err != nil {
		return Arch{}, err
	}
	return ArchOf(t), nil
}

// RunsOn returns nil if PTX for a runs on t, and otherwise an error with the reason. The
// rule is that of ptxas 13.0, tried on every pair of 13 .targets with 18 architectures,
// and of 12.9 for sm_101. PTX of an architecture without a suffix runs on it and on all later ones,
// whatever their suffix; PTX with an a runs on that one alone; PTX with an f runs on it and on the
// later ones of its family, whatever their suffix.
func (a Arch) RunsOn(t Arch) error {
	switch a.Suffix {
	case "":
		if t.SM < a.SM {
			return fmt.Errorf("the module is for %s, and %s is below that", a.Name, t.Name)
		}
	case "a":
		if t.Suffix != "a" || t.line() != a.line() {
			return fmt.Errorf("the module is for %s, which runs nowhere else: %s cannot take it", a.Name, t.Name)
		}
	default:
		if t.line()/10 != a.line()/10 || t.line() < a.line() {
			return fmt.Errorf("the module is for %s and the later ones of its family, and %s is none of them", a.Name, t.Name)
		}
	}
	return nil
}

// line returns the number that tells the family of an architecture: its own,
// but 110 for sm_101, which CUDA 13 calls sm_110.
func (a Arch) line() int {
	if a.SM == 101 {
		return 110
	}
	return a.SM
}

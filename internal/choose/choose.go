// Package choose says which target a module is for, and which others its code
// runs on. It does no I/O.
package choose

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// ErrNoTarget says that neither the module nor its reader names a target.
var ErrNoTarget = errors.New("the module has no .target")

// Target returns the target that a module is for: the one of that name, or the
// module's own for "". Assume takes one that has not been measured. The note
// says what the reader should know about the choice; nil is nothing. The errors
// have no position; those of package abi are among them as they are.
func Target(m *ptx.Module, name string, assume bool) (t *abi.Target, note *diag.Diagnostic, err error) {
	if m.Target == "" {
		if name == "" {
			return nil, nil, ErrNoTarget
		}
		t, err := Lookup(name, assume)
		return t, nil, err
	}
	own, err := ArchOf(m.Target)
	if err != nil {
		return nil, nil, err
	}
	if name != "" {
		t, err := Lookup(name, assume)
		if err != nil {
			return nil, nil, err
		}
		return t, nil, own.Refuse(Of(t))
	}
	if old := abi.OldestAbove(own.SM); own.SM < abi.Targets()[0].SM && old != nil {
		return old, &diag.Diagnostic{
			File: m.Name, Pos: m.TargetPos, Severity: diag.Note, Code: lower.OldTarget,
			Msg: fmt.Sprintf("%s is older than every target that has been measured; the result is for %s, the oldest of them", own.Name, old.Name),
		}, nil
	}
	t, err = Lookup(m.Target, assume)
	return t, nil, err
}

// Lookup returns the row of a target. One that has not been measured has to be
// asked for.
func Lookup(name string, assume bool) (*abi.Target, error) {
	if assume {
		return abi.Assume(name)
	}
	return abi.Lookup(name)
}

// An Arch is the name of an architecture in parts.
type Arch struct {
	Name   string
	SM     int
	Suffix string
}

// Of returns the architecture of a row.
func Of(t *abi.Target) Arch { return Arch{t.Name, t.SM, t.Suffix} }

// ArchOf parts the name of an architecture that exists, measured or not. The
// error is package abi's.
func ArchOf(name string) (Arch, error) {
	t, err := abi.Assume(name)
	if u := (*abi.UnmeasuredError)(nil); errors.As(err, &u) {
		return Arch{u.Name, u.SM, ""}, nil
	}
	if err != nil {
		return Arch{}, err
	}
	return Of(t), nil
}

// Refuse says why PTX for a does not run on t, nil if it does. The rule is that
// of ptxas 13.0, tried on every pair of 13 .targets with 18 architectures, and
// of 12.9 for sm_101: PTX of a plain architecture runs there and on all later
// ones, whatever their suffix; PTX with an a runs on that one alone; PTX with an
// f runs on the later ones of its family, whatever their suffix.
func (a Arch) Refuse(t Arch) error {
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

// line is the number that says which family an architecture is of: its own,
// but for sm_101, which CUDA 13 calls sm_110.
func (a Arch) line() int {
	if a.SM == 101 {
		return 110
	}
	return a.SM
}

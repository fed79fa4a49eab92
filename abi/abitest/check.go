package abitest

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Placer returns the places where the backend of a compiler keeps the parameters and results of
// a function or kernel. It fills the fields of the assignment that [abi.Assign] fills; the
// sizes and alignments of placements are not compared. An error is a difference,
// except [ErrUnsupported]. The function is a copy, which the backend may keep and
// change.
type Placer func(f *Function) (abi.Assignment, error)

// ErrUnsupported is the error of a backend for a function that it is not meant to
// compile, such as a kernel. It may be wrapped.
var ErrUnsupported = errors.New("the backend does not compile this function")

// A Disagreement is a function whose values a backend and the convention place differently,
// as small as possible.
type Disagreement struct {
	Target   string // the architecture: "sm_90"
	Function *Function
	// What names the first difference: "parameter 1", "the result", "the stack
	// area". It is "error" if the backend returned an error.
	What      string
	Got, Want string // of the backend, of the convention
}

// Error returns the difference on three lines, the second of which is the
// function's declaration in PTX and the third its signature.
func (d *Disagreement) Error() string {
	d = zero.Or(d)
	text := fmt.Sprintf("%s: the backend says %s, the convention %s", d.What, d.Got, d.Want)
	if d.What == wentWrong {
		text = "the backend gives an error: " + d.Got
	}
	return fmt.Sprintf("%s: %s\n\t%s\n\t%s", d.Target, text, d.Function, d.Function.ABI())
}

// wentWrong is the difference where a backend gave an error.
const wentWrong = "error"

// CheckPlaces compares a backend with [abi.Assign] for a target: on the functions of [Corpus]
// and on the first n functions of a seed, see [Random]. The error is the first
// [*Disagreement], nil if there is none. Functions without an assignment, because releases
// of the assembler contradict each other, are left out, and so are those that the backend
// does not support. If it supports none, the error wraps its error for the first.
func CheckPlaces(t *abi.Target, seed uint64, n int, places Placer) error {
	if t == nil || *t == (abi.Target{}) {
		return errors.New("no target")
	}
	if places == nil {
		return fmt.Errorf("%s: no backend", t.Name)
	}
	supported, unsupported := 0, error(nil) // the first
	counted := func(f *Function) (abi.Assignment, error) {
		a, err := places(f)
		switch {
		case !errors.Is(err, ErrUnsupported):
			supported++
		case unsupported == nil:
			unsupported = err
		}
		return a, err
	}
	for _, c := range Corpus() {
		if d := ComparePlaces(t, c.Function, counted); d != nil {
			return d.reduced(t, places)
		}
	}
	dialect := DialectOf(t, ptx.Version{})
	for i := range n {
		if d := ComparePlaces(t, Random(seed, i, dialect), counted); d != nil {
			return d.reduced(t, places)
		}
	}
	if supported == 0 {
		return fmt.Errorf("%s: nothing was compared: %w", t.Name, cmp.Or(unsupported, ErrUnsupported))
	}
	return nil
}

// ComparePlaces compares a backend with abi.Assign for one function. It is nil if they
// agree, if one of them has no answer (Assign an error, or the backend
// [ErrUnsupported]), and for a function that a handle puts outside of the convention.
func ComparePlaces(t *abi.Target, f *Function, places Placer) *Disagreement {
	f = zero.Or(f)
	want, err := abi.Assign(f.ABI(), t)
	if err != nil || places == nil || !f.Kernel && f.Opaque() {
		return nil
	}
	d := &Disagreement{Target: t.Name, Function: f}
	got, err := places(f.Clone())
	if errors.Is(err, ErrUnsupported) {
		return nil
	}
	if err != nil {
		d.What, d.Got, d.Want = wentWrong, err.Error(), want.String()
		return d
	}
	differs := func(what string, got, want any) bool {
		d.What, d.Got, d.Want = what, fmt.Sprint(got), fmt.Sprint(want)
		return d.Got != d.Want
	}
	if differs("the number of parameters", len(got.Params), len(want.Params)) ||
		differs("the number of results", len(got.Results), len(want.Results)) {
		return d
	}
	for i, p := range want.Params {
		if differs(fmt.Sprintf("parameter %d", i), got.Params[i].Loc, p.Loc) {
			return d
		}
	}
	for i, p := range want.Results {
		if differs("the result", got.Results[i].Loc, p.Loc) {
			return d
		}
	}
	if differs("the address of the result", got.Sret, want.Sret) ||
		differs("the stack area", bytes(got.StackBytes), bytes(want.StackBytes)) ||
		differs("the parameter block", block(got), block(want)) {
		return d
	}
	return nil
}

func bytes(n int) string { return fmt.Sprintf("%d bytes", n) }

func block(a abi.Assignment) string {
	return fmt.Sprintf("%s of %d bytes", abi.ConstAddr{Bank: a.Block.Bank, Off: a.Block.Base}, a.Block.Size)
}

// maxSteps is how often a difference is made smaller at most.
const maxSteps = 100

// reduced returns a difference for a simpler function.
func (d *Disagreement) reduced(t *abi.Target, places Placer) *Disagreement {
	for range maxSteps {
		smaller := d.smaller(t, places)
		if smaller == nil {
			break
		}
		d = smaller
	}
	return d
}

func (d *Disagreement) smaller(t *abi.Target, places Placer) *Disagreement {
	for _, f := range d.Function.Smaller() {
		if s := ComparePlaces(t, f, places); s != nil && (s.What == wentWrong) == (d.What == wentWrong) {
			return s
		}
	}
	return nil
}

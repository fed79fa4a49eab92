package place

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// The codes of what is reported.
const (
	notLowered diag.Code = "NotLowered" // PTX that cannot be lowered
	badHome    diag.Code = "BadHome"    // a home or a slot in which a register cannot live
)

// A Unit is what the functions of a module have in common. Several goroutines read it.
type Unit struct {
	M     *ptx.Module
	T     *abi.Target
	Table *resolve.Table
	// Home and Slot say where registers live; nil where none has a home, or a slot.
	Home func(*ptx.Func, Virtual) (sass.Reg, bool)
	Slot func(*ptx.Func, Virtual) (int, bool)
	// AllVirtual says that there is neither: all registers keep their names.
	AllVirtual bool
}

// A Reporter takes what is wrong with functions.
type Reporter struct {
	File    string
	Diags   diag.List
	Through diag.List // those that package check should have reported
}

// LetThrough reports what package check refuses, so that it does not come this far. That it
// does is a mistake of these packages, never one of the module; TestRefusedByCheck has a
// module for each place that calls it.
func (r *Reporter) LetThrough(pos diag.Pos) {
	r.report(notLowered, pos, "check let this through, and it has no lowering: this is a mistake of ptxabi; please report it with the module")
	r.Through.Add(r.Diags[len(r.Diags)-1])
}

// Cannot reports what has no lowering, and which package check has no rule for.
func (r *Reporter) Cannot(pos diag.Pos, format string, args ...any) {
	r.report(notLowered, pos, format, args...)
}

func (r *Reporter) BadHome(pos diag.Pos, format string, args ...any) {
	r.report(badHome, pos, format, args...)
}

func (r *Reporter) report(code diag.Code, pos diag.Pos, format string, args ...any) {
	r.Diags.Add(&diag.Diagnostic{File: r.File, Pos: pos, Severity: diag.Error, Code: code, Msg: fmt.Sprintf(format, args...)})
}

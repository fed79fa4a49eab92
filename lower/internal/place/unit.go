package place

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// The codes of the diagnostics.
const (
	notLowered diag.Code = "NotLowered" // PTX that cannot be lowered
	badHome    diag.Code = "BadHome"    // a home or a slot in which a register cannot live
)

// A Unit has the data that the functions of a module share. Several goroutines read it.
type Unit struct {
	M     *ptx.Module
	T     *abi.Target
	Table *resolve.Table
	// Home and Slot return the homes and the slots of registers; nil if none has a home, or a slot.
	Home func(*ptx.Func, Virtual) (sass.Reg, bool)
	Slot func(*ptx.Func, Virtual) (int, bool)
	// AllVirtual says that there are neither homes nor slots: all registers keep their names.
	AllVirtual bool
}

// A Reporter collects the diagnostics of functions.
type Reporter struct {
	File  string
	Diags diag.List
	At    diag.Pos // of the statement at hand
}

// Impossible ends the work on a function, by a panic that package lower recovers. It stands where PTX cannot be lowered
// and package check refuses it, so that a module which gets here shows a bug; LetThrough reports that.
// TestRefusedByCheck has such modules.
func (r *Reporter) Impossible() { panic("impossible") }

// LetThrough reports a panic in the work on a function as a bug of this module.
func (r *Reporter) LetThrough() {
	r.report(notLowered, r.At, "check let this through, and it has no lowering: this is a mistake of ptxabi; please report it with the module")
}

func (r *Reporter) BadHome(pos diag.Pos, format string, args ...any) {
	r.report(badHome, pos, format, args...)
}

func (r *Reporter) report(code diag.Code, pos diag.Pos, format string, args ...any) {
	r.Diags.Add(&diag.Diagnostic{File: r.File, Pos: pos, Severity: diag.Error, Code: code, Msg: fmt.Sprintf(format, args...)})
}

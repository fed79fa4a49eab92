package lower

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A unit is what the functions of a module have in common. Several goroutines read it.
type unit struct {
	m     *ptx.Module
	t     *abi.Target
	table *resolve.Table
	// home and slot say where registers live; nil where none has a home, or a slot.
	home func(*ptx.Func, Virtual) (sass.Reg, bool)
	slot func(*ptx.Func, Virtual) (int, bool)
	off  passes // those that are left out
	// apart says that bodies are read one by one: the module has none.
	apart bool
}

// runs reports whether a pass is not left out.
func (u *unit) runs(p passes) bool { return u.off&p == 0 }

// A reporter takes what is wrong with functions.
type reporter struct {
	file  string
	diags diag.List
}

// cannot reports what has no lowering. Modules with errors do not come
// this far, so each rule of PTX has its home in package check and only there.
func (r *reporter) cannot(pos diag.Pos, format string, args ...any) {
	r.report(NotLowered, pos, format, args...)
}

func (r *reporter) badHome(pos diag.Pos, format string, args ...any) {
	r.report(BadHome, pos, format, args...)
}

func (r *reporter) report(code diag.Code, pos diag.Pos, format string, args ...any) {
	r.diags.Add(&diag.Diagnostic{File: r.file, Pos: pos, Severity: diag.Error, Code: code, Msg: fmt.Sprintf(format, args...)})
}

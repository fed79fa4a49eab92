package check

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// refused returns the severity of PTX that the assembler refuses and package lower
// handles.
func (o *Options) refused() diag.Severity {
	if o.Lower {
		return diag.Warning
	}
	return diag.Error
}

// forbidden returns the severity of PTX that the manual forbids and the assembler accepts.
func (o *Options) forbidden() diag.Severity {
	if o.Pedantic {
		return diag.Error
	}
	return diag.Warning
}

// unnamed returns the severity of operands that the assembler accepts and the manual does
// not have; package lower has no code for them.
func (o *Options) unnamed() diag.Severity {
	if o.Lower {
		return diag.Error
	}
	return o.forbidden()
}

// A report has the diagnostics of a module, and those of them that may have to be taken back. Rules report only by
// [report.add] and its short forms. A diagnostic changes
// afterwards in these places alone:
//
//	accessRegs         takes back the second MismatchedRegister of one access
//	takeBack           takes back the diagnostics of a statement that names something unknown
//	onFirstLine        moves errors about a call of several lines
//	localDecl          takes fixes back if one declaration has several variables
//	farAccess.judge    turns FarAccess into a warning if no call takes the variable, or control does not reach it
//	nestedArgument     drops the warning about a declaration that becomes an error
//	finish             changes severity, text and fixes of those that are in later
//
// A rule that keeps a diagnostic, or an index into list, depends on the first three.
type report struct {
	Options
	file string
	list diag.List
	// dropped has diagnostics that have been taken back. They leave the list at the end.
	dropped map[*diag.Diagnostic]bool
	later   pending
}

// A pending has the diagnostics that may change at the end of the module. They are in the list already.
type pending struct {
	ifCompiled []inFunction       // they stay if the function is compiled for the ABI
	ifUncalled []inFunction       // they stay if the module does not call the function
	unwritten  []unwritten        // they stay if the callee reads the formal
	formals    []inFunction       // they keep their fixes if the function is declared once
	narrow     []dependent        // they stay if the declaration is no error
	versions   []*diag.Diagnostic // their fix is a later version
	version    ptx.Version        // the latest version that they need
}

// inFunction is a diagnostic about a body.
type inFunction struct {
	g   *global
	err *diag.Diagnostic
}

// add reports a diagnostic, and returns it.
func (r *report) add(sev diag.Severity, code diag.Code, pos diag.Pos, msg string, rel ...diag.Related) *diag.Diagnostic {
	d := &diag.Diagnostic{File: r.file, Pos: pos, Severity: sev, Code: code, Msg: msg, Related: rel}
	r.list.Add(d)
	return d
}

// errorf reports PTX that the assembler refuses.
func (r *report) errorf(code diag.Code, pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	return r.add(diag.Error, code, pos, fmt.Sprintf(format, args...))
}

// refusef reports PTX that the assembler refuses and package lower handles all the same.
func (r *report) refusef(code diag.Code, pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	return r.add(r.refused(), code, pos, fmt.Sprintf(format, args...))
}

// forbidf reports PTX that the manual forbids and the assembler accepts.
func (r *report) forbidf(code diag.Code, pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	return r.add(r.forbidden(), code, pos, fmt.Sprintf(format, args...))
}

// notef reports something worth knowing.
func (r *report) notef(code diag.Code, pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	return r.add(diag.Note, code, pos, fmt.Sprintf(format, args...))
}

// drop takes a diagnostic back.
func (r *report) drop(err *diag.Diagnostic) {
	r.dropped[err] = true
}

// sorted returns the diagnostics without the dropped ones, in order, with the ends of their places.
func (r *report) sorted(m *ptx.Module) diag.List {
	list := r.list
	for _, d := range list {
		if !d.End.IsValid() {
			d.End = m.TokenEnd(d.Pos)
		}
		for i := range d.Related {
			d.Related[i].End = m.TokenEnd(d.Related[i].Pos)
		}
	}
	if len(r.dropped) > 0 {
		list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return r.dropped[d] })
	}
	list.Sort()
	return list
}

func related(pos diag.Pos, format string, args ...any) diag.Related {
	if len(args) == 0 { // the format is the text
		return diag.Related{Pos: pos, Msg: format}
	}
	return diag.Related{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

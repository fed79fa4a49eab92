package check

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// refused is the severity of what the assembler refuses and package lower
// handles.
func (o *Options) refused() diag.Severity {
	if o.Lower {
		return diag.Warning
	}
	return diag.Error
}

// forbidden is the severity of what the manual forbids and the assembler takes.
func (o *Options) forbidden() diag.Severity {
	if o.Pedantic {
		return diag.Error
	}
	return diag.Warning
}

// unnamed is the severity of operands that the assembler takes and the manual does
// not know; package lower makes no code of them.
func (o *Options) unnamed() diag.Severity {
	if o.Lower {
		return diag.Error
	}
	return o.forbidden()
}

// A report is what has been reported of a module, and what may have to be taken back. Rules say
// something by [report.add] and its short forms, and by nothing else. What is reported changes
// afterwards in these places alone:
//
//	accessRegs         takes back the second MismatchedRegister of one access
//	takeBack           takes back what is reported of a statement that names what is not known
//	onFirstLine        moves errors about a call of several lines
//	localDecl          takes fixes back where one declaration has several variables
//	farAccess.judge    FarAccess becomes a warning if no call takes the variable, or control does not come there
//	nestedArgument     drops the warning about a declaration that becomes an error
//	what finish calls  changes severity, text and fixes of those that are in later
//
// A rule that keeps a diagnostic, or an index into list, has to know of the first three.
type report struct {
	Options
	file string
	list diag.List
	// dropped are diagnostics that others took the place of. They leave the list at the end.
	dropped map[*diag.Diagnostic]bool
	later   pending
}

// pending are diagnostics that the end of the module decides. They are in the list already.
type pending struct {
	ifCompiled []inFunction       // stand for functions that are compiled
	ifUncalled []inFunction       // stand for functions that the module does not call
	unwritten  []unwritten        // stand if the callee reads the formal
	formals    []inFunction       // have a fix if the function is declared once
	narrow     []dependent        // stand if the declaration is no error
	versions   []*diag.Diagnostic // are fixed by stating a later version
	version    ptx.Version        // the latest that they ask for
}

// inFunction is a diagnostic about a body.
type inFunction struct {
	g   *global
	err *diag.Diagnostic
}

// add reports something, and returns it.
func (r *report) add(sev diag.Severity, code diag.Code, pos diag.Pos, msg string, rel ...diag.Related) *diag.Diagnostic {
	d := &diag.Diagnostic{File: r.file, Pos: pos, Severity: sev, Code: code, Msg: msg, Related: rel}
	r.list.Add(d)
	return d
}

// errorf reports what the assembler refuses.
func (r *report) errorf(code diag.Code, pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	return r.add(diag.Error, code, pos, fmt.Sprintf(format, args...))
}

// refusef reports what the assembler refuses and package lower handles all the same.
func (r *report) refusef(code diag.Code, pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	return r.add(r.refused(), code, pos, fmt.Sprintf(format, args...))
}

// forbidf reports what the manual forbids and the assembler takes.
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

// sorted returns what stands in the end, with where each thing that is spoken of ends.
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
	if len(args) == 0 { // the text itself, and no room for it
		return diag.Related{Pos: pos, Msg: format}
	}
	return diag.Related{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// Package lower turns a PTX module into pseudo-SASS: for each function where
// its formals are taken from, for each call site the moves, stores, call and
// results of the target's convention, for each return the way back. What has
// nothing to do with calls stands in the result as its PTX text.
//
// Where a value lives is asked of package abi alone. Registers that PTX
// declares are virtual and keep their names.
package lower

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// The codes of this package's complaints.
const (
	// NotLowered: PTX that is right and that this package does not lower yet.
	NotLowered = "NotLowered"
	// BadCall: a call that does not fit its callee.
	BadCall = "BadCall"
	// BadAccess: an access to a parameter that has not those bytes.
	BadAccess = "BadAccess"
	// BadName: a name that is not declared, or is not what its place wants.
	BadName = "BadName"
	// BadSignature: formals that no assignment exists for.
	BadSignature = sig.BadSignature
	// RefusedFormal: a formal that NVIDIA's assembler refuses and that is
	// lowered all the same. A warning.
	RefusedFormal = "RefusedFormal"
	// OldTarget: the module is for an architecture that is too old to have
	// been measured and is lowered for a newer one. A note.
	OldTarget = "OldTarget"
)

// Options are the wishes of a caller. The zero value lowers every function.
type Options struct {
	// Func lowers the function or kernel of that name alone; "" means all.
	Func string
	// Diags, if not nil, receives warnings and notes.
	Diags *ptx.ErrorList
}

// Module lowers m for the target. The error, if any, is a [ptx.ErrorList] of
// everything that is wrong; there is then no program. Module reads m and t and
// changes neither.
func Module(m *ptx.Module, t *abi.Target, opts Options) (*sass.Program, error) {
	if t == nil {
		return nil, errors.New("lower: no target")
	}
	l := &lowerer{m: m, t: t, table: sig.NewTable(m), opts: opts}
	prog := &sass.Program{Target: t.Name}
	found := opts.Func == ""
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || opts.Func != "" && f.Name != opts.Func {
			continue
		}
		found = true
		l.declared(f)
		l.locals(f)
		if f.HasBody {
			prog.Funcs = append(prog.Funcs, l.function(f))
		}
	}
	if !found {
		return nil, fmt.Errorf("lower: the module has no function named %q", opts.Func)
	}
	l.diags.Sort()
	if opts.Diags != nil {
		for _, d := range l.diags {
			if d.Severity != ptx.SeverityError {
				opts.Diags.Add(d)
			}
		}
	}
	if err := l.diags.Errors().Err(); err != nil {
		return nil, err
	}
	return prog, nil
}

// A lowerer lowers one module.
type lowerer struct {
	m      *ptx.Module
	t      *abi.Target
	table  *sig.Table
	opts   Options
	diags  ptx.ErrorList
	labels int // .L_x_ labels made so far
}

func (l *lowerer) report(sev ptx.Severity, pos ptx.Pos, code, format string, args ...any) {
	l.diags.Add(&ptx.Error{File: l.m.Name, Pos: pos, Severity: sev, Code: code, Msg: fmt.Sprintf(format, args...)})
}

func (l *lowerer) errorf(pos ptx.Pos, code, format string, args ...any) {
	l.report(ptx.SeverityError, pos, code, format, args...)
}

// declared warns of formals that are lowered although the assembler refuses
// them.
func (l *lowerer) declared(f *ptx.Func) {
	for i := range f.Results {
		l.formal(&f.Results[i], f.Entry)
	}
	params := sig.Params(l.m, f)
	for i := range params {
		l.formal(&params[i], f.Entry)
	}
}

// locals does so for the .param variables of f's calls.
func (l *lowerer) locals(f *ptx.Func) {
	for _, s := range f.Body {
		d, ok := s.(*ptx.Decl)
		if !ok || d.Space != ptx.ParamSpace || sig.InBody(l.m, f) {
			continue
		}
		for _, v := range d.Vars {
			l.formal(&ptx.Formal{Pos: d.Pos, Spec: d.Spec, Var: v}, true)
		}
	}
}

func (l *lowerer) formal(p *ptx.Formal, entry bool) {
	warn := func(pos ptx.Pos, format string, args ...any) {
		l.report(ptx.SeverityWarning, pos, RefusedFormal, format, args...)
	}
	if p.AlignLate {
		warn(p.AlignPos, "ptxas takes no .align behind the type; write %s .align %d %s %s", p.Space, p.Align, p.Type, declarator(p))
	}
	scalar := len(p.Dims) == 0
	switch {
	case p.Type == ptx.Pred && !entry:
		warn(p.TypePos, "ptxas passes no predicates to functions it compiles for the ABI; it is lowered as a 32-bit word, 0 or 1; declare .b32 %s", p.Name)
	case subword(p) && scalar && p.Vec == 0 && !entry:
		warn(p.TypePos, "ptxas passes no %s to functions it compiles for the ABI; it is lowered promoted to 32 bits; declare .b32 %s", p.Type, p.Name)
	case p.Type.Class() == ptx.Alternate:
		warn(p.TypePos, "ptxas takes no formal of type %s; it is lowered as its %d bytes; declare %s %s", p.Type, p.Type.Size(), container(p.Type), declarator(p))
	case p.Space == ptx.ParamSpace && p.Vec != 0:
		warn(p.TypePos, "ptxas takes no vectors in .param space; it is lowered as its %d bytes; declare .align %d .b8 %s[%d]",
			sig.ElemSize(&p.Spec), sig.Align(&p.Spec), p.Name, sig.ElemSize(&p.Spec))
	case p.Space == ptx.ParamSpace && p.Type == ptx.F16X2:
		warn(p.TypePos, "ptxas takes no .f16x2 in .param space; declare .b32 %s", p.Name)
	}
}

// declarator is the name of a formal with its dimensions.
func declarator(p *ptx.Formal) string {
	text := p.Name
	for _, n := range p.Dims {
		if n == ptx.NoExtent {
			text += "[]"
		} else {
			text += "[" + strconv.FormatInt(n, 10) + "]"
		}
	}
	return text
}

// subword reports whether the type of p is one of those that are refused once
// compiled for the ABI, though .b8, .b16 and .f16 are not.
func subword(p *ptx.Formal) bool {
	switch p.Type {
	case ptx.U8, ptx.S8, ptx.U16, ptx.S16:
		return true
	}
	return false
}

// container returns the type that holds values of an alternate format.
func container(t ptx.Type) ptx.Type {
	switch t.Size() {
	case 1:
		return ptx.B8
	case 2:
		return ptx.B16
	case 8:
		return ptx.B64
	}
	return ptx.B32
}

// assign asks abi for the assignment of a signature, and reports with names
// and positions what it complains of.
func (l *lowerer) assign(a *abi.Assignment, s abi.Signature, pos ptx.Pos, name string, params, results []ptx.Formal) bool {
	diags := sig.Assign(a, s, l.t, sig.Place{File: l.m.Name, Name: name, Pos: pos, Params: params, Results: results, Version: l.m.Version})
	l.diags = append(l.diags, diags...)
	return len(diags) == 0
}

// note names bytes of a value: "x[0:4]".
func note(name string, first, end int) string {
	var buf [64]byte
	b := append(buf[:0], name...)
	b = strconv.AppendInt(append(b, '['), int64(first), 10)
	b = strconv.AppendInt(append(b, ':'), int64(end), 10)
	return string(append(b, ']'))
}

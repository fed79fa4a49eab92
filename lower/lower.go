// Package lower turns a PTX module into pseudo-SASS: for each function where
// its formals are taken from, for each call site the moves, stores, call and
// results of the target's convention, for each return the way back. What has
// nothing to do with calls stands in the result as its PTX text.
//
// Where a value lives is asked of package abi alone. Registers that PTX
// declares are virtual and keep their names, unless [Options.Homes] has a
// physical register for them.
package lower

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// The codes of this package's own complaints. What is wrong with a module says
// package check, with its codes.
const (
	// NotLowered: PTX that package check has no complaint about and that has no
	// lowering here.
	NotLowered = "NotLowered"
	// BadSignature: formals that no assignment exists for.
	BadSignature = sig.BadSignature
	// BadHome: where Options.Homes lets a register live it cannot live.
	BadHome = "BadHome"
	// OldTarget: the module is for an architecture that is too old to have
	// been measured and is lowered for a newer one. A note.
	OldTarget = "OldTarget"
)

// Options are the wishes of a caller. The zero value lowers every function.
type Options struct {
	// Func lowers the function or kernel of that name alone; "" means all.
	Func string
	// Homes says where virtual registers live; nil lets all keep their names.
	Homes Homes
	// Diags, if not nil, receives warnings and notes.
	Diags *ptx.ErrorList
}

// Module lowers m for the target. The error, if any, is a [ptx.ErrorList] of
// everything that is wrong; there is then no program. What is wrong says
// [check.Module] first, of the whole module: only one without errors is
// lowered. Module reads m and t and changes neither.
func Module(m *ptx.Module, t *abi.Target, opts Options) (*sass.Program, error) {
	if t == nil {
		return nil, errors.New("lower: no target")
	}
	l := &lowerer{m: m, t: t, table: sig.NewTable(m), opts: opts}
	l.diags = check.Module(m, check.Options{Lowering: true})
	if opts.Func != "" {
		l.within(opts.Func)
	}
	prog := &sass.Program{Target: t.Name}
	found := opts.Func == ""
	refused := l.diags.Err() != nil
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || opts.Func != "" && f.Name != opts.Func {
			continue
		}
		found = true
		if f.HasBody && !refused {
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

// within drops the complaints that are about other functions than the named
// one.
func (l *lowerer) within(name string) {
	var kept ptx.ErrorList
	for _, it := range l.m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || f.Name != name {
			continue
		}
		for _, d := range l.diags {
			if !d.Pos.Before(f.Pos) && !f.EndPos.Before(d.Pos) {
				kept.Add(d)
			}
		}
	}
	l.diags = kept
}

// A lowerer lowers one module.
type lowerer struct {
	m      *ptx.Module
	t      *abi.Target
	table  *sig.Table
	opts   Options
	diags  ptx.ErrorList
	labels int             // .L_x_ labels made so far
	taken  map[string]bool // functions whose address is taken; made when first asked for

	group []load // that wait to be emitted
	regs  []load // room for the loads of one call
	cells []cell // and for the stores of one value
}

// cannot complains of what has no lowering. Modules with errors do not come
// this far, so each rule of PTX has its home in package check and only there.
func (l *lowerer) cannot(pos ptx.Pos, format string, args ...any) {
	l.complain(NotLowered, pos, format, args...)
}

func (l *lowerer) complain(code string, pos ptx.Pos, format string, args ...any) {
	l.diags.Add(&ptx.Error{File: l.m.Name, Pos: pos, Severity: ptx.SeverityError, Code: code, Msg: fmt.Sprintf(format, args...)})
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

// Package lower turns a PTX module into pseudo-SASS: [Write] a text into a text, a function at a
// time, and [Module] a tree into a program. By the convention of the target, the
// code loads the formals of each function, passes the arguments of each call, calls and
// takes the results, and returns the results of the function. Instructions that have
// nothing to do with calls stay PTX text.
//
// The code is that of separate compilation, with ptxas -c. In a module that is compiled as a
// whole program the assembler may use other calls and places, even for visible functions.
//
// The places of values are those of package abi. Registers that PTX declares are virtual
// and keep their names, unless [Options.Homes] has a physical register for them or
// [Options.Slots] words of the frame. A register that only passes on what it was loaded or
// copied from may be left out: its value is then read from there.
package lower

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// The codes of this package's own diagnostics. Errors of the module have the codes of package
// check.
const (
	// NotLowered is PTX that this package cannot lower, though package check has no error
	// for it.
	NotLowered diag.Code = "NotLowered"
	// BadSignature is formals that have no assignment.
	BadSignature = resolve.BadSignature
	// BadHome is a home of Options.Homes, or a slot of Options.Slots, that a register
	// cannot have.
	BadHome diag.Code = "BadHome"
)

// Options are the options of lowering. With the zero Options, every function is lowered.
type Options struct {
	// Target is the target of [Write], which need not be the module's; nil is that which
	// [resolve.Target] returns for the module. The other functions have it as an argument.
	Target *abi.Target
	// File is the name of the file that [Write] is given the text of, for diagnostics.
	File string
	// Func is the name of the only function or kernel to lower; "" means all.
	Func string
	// Homes has the physical registers of virtual ones; with nil all keep their names.
	Homes Homes
	// Slots has the words of the frame of registers without a home; nil means none.
	Slots Slots
	// Workers is the number of goroutines that lower functions at the same time; 0 and 1 start
	// none. The result does not depend on it. Homes and Slots are used by all of them.
	Workers int
	// Diags, if not nil, receives warnings and notes.
	Diags *diag.List

	// Without has the passes that are left out; nil means none.
	Without []Pass
}

// Write lowers the text of a PTX module, and writes the pseudo-SASS to w.
//
// It reads a body at a time: at first the whole module is checked, as by [check.Text], then each
// function is lowered and written. So it takes memory for the text and for one body for each
// worker, and nothing is written if package check has an error.
//
// An error about the module is a [diag.List] of all errors. If one of them is [NotLowered] or
// [BadHome], the functions before the first such error may have been written. Other errors are
// about the options, or of w.
func Write(w io.Writer, src string, opts Options) error {
	o, _ := ptx.ParseOutline(opts.File, src)
	return WriteOutline(w, o, opts)
}

// WriteOutline is [Write] for a text whose outline has been read.
func WriteOutline(w io.Writer, o *ptx.Outline, opts Options) error {
	if o == nil {
		return errNoModule
	}
	diags := check.Outline(o, check.Options{Lower: true})
	t := opts.Target
	if t == nil {
		own, note, err := resolve.Target(o.Module(), "", false)
		switch {
		case err != nil && diags.Err() != nil:
			return diags.Errors().Err()
		case err != nil:
			return fmt.Errorf("lower: %w", err)
		case note != nil:
			diags.Add(note)
		}
		t = own
	}
	l, err := newLowerer(o.Module(), resolve.NewOutlineTable(o), t, opts, diags)
	if err != nil {
		return err
	}
	l.outline, l.textOnly = o, true
	out := bufio.NewWriterSize(w, 1<<16)
	if l.diags.Err() == nil {
		out.Write((&sass.Program{Target: t.Name}).AppendText(nil))
	}
	failed := false
	err = l.each(func(r result) error {
		if failed = failed || r.diags.Err() != nil; failed {
			return nil // to find what else is wrong
		}
		_, err := out.Write(r.text)
		return err
	})
	if found := l.finish(); found != nil {
		return found
	}
	return cmp.Or(err, out.Flush())
}

// Module lowers m for the target. The error, if any, is a [diag.List] of all errors;
// there is no program then. Module first calls [check.Module], and lowers only a module
// without errors. It does not change m and t.
//
// t may be any target: Module does not compare it with the module's .target, and lowers
// by the convention of t. [resolve.Target] refuses targets that the module's code does
// not run on. A nil or zero t is an error.
func Module(m *ptx.Module, t *abi.Target, opts Options) (*sass.Program, error) {
	l, err := moduleLowerer(m, t, opts)
	if err != nil {
		return nil, err
	}
	return l.program(t)
}

// program lowers the functions of a module.
func (l *lowerer) program(t *abi.Target) (*sass.Program, error) {
	prog := &sass.Program{Target: t.Name}
	_ = l.each(func(r result) error {
		prog.Funcs = append(prog.Funcs, r.code)
		return nil
	})
	if err := l.finish(); err != nil {
		return nil, err
	}
	return prog, nil
}

var errNoModule = errors.New("lower: no module")

// moduleLowerer checks a module and prepares to lower it.
func moduleLowerer(m *ptx.Module, t *abi.Target, opts Options) (*lowerer, error) {
	if m == nil {
		return nil, errNoModule
	}
	return newLowerer(m, resolve.NewTable(m), t, opts, slices.Concat(m.Errors, check.Module(m, check.Options{Lower: true})))
}

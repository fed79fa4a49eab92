// Package lower turns a PTX module into pseudo-SASS: [Write] a text into a text, a function at a
// time, and [Module] a tree into a program. By the convention of the target, the
// code loads the formals of each function, passes the arguments of each call, calls,
// receives the results, and returns the results of the function. Other instructions stay PTX text.
//
// The code is that of separate compilation, with ptxas -c. In a module that is compiled as a
// whole program the assembler may use other calls and places, even for visible functions.
//
// The places of values are those of package abi. Registers that PTX declares are virtual
// and keep their names, unless [Options.Homes] has a physical register for them or
// [Options.Slots] words of the frame. A register that only passes a value on may be left out:
// the value is then read from the register or the memory that it was copied or loaded from.
package lower

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// The codes of this package's own diagnostics. Errors of the module have the codes of package
// check, formals without an assignment [resolve.BadSignature].
const (
	// NotLowered is PTX that this package cannot lower, though package check has no error
	// for it.
	NotLowered diag.Code = "NotLowered"
	// BadHome is a home of Options.Homes, or a slot of Options.Slots, that a register
	// cannot have.
	BadHome diag.Code = "BadHome"
)

// Options are the options of lowering. With the zero Options, every function is lowered.
type Options struct {
	// Target is the target, which need not be the module's. If it is nil, it is the target that
	// [resolve.Target] returns for the module. [Module] has an argument in its place.
	Target *abi.Target
	// File is the name of the file with the text for [Write], for diagnostics.
	File string
	// Func is the name of the only function or kernel to lower; "" means all.
	Func string
	// Homes has the physical registers of virtual ones; if it is nil, all keep their names.
	Homes Homes
	// Slots has the slots in the frame of registers without a home; nil means none.
	Slots Slots
	// Workers is the number of goroutines that lower functions at the same time; 0 and 1 start
	// none. The result does not depend on it. Homes and Slots are used by all of them.
	Workers int
	// Diags, if not nil, receives warnings and notes.
	Diags *diag.List

	// Without has the passes that are left out; nil means none.
	Without []Pass
	// Stage, if not "", is the stage whose result [Write] writes for each function in place of the code, as text for
	// people. Its form may change.
	Stage Stage
}

// Write lowers the text of a PTX module, and writes the pseudo-SASS to w, or the results of Options.Stage.
//
// In a module of a later version than [ptx.Newest], the code of a function may depend on PTX that is not known. The
// function then has a comment in place of its code, which names that PTX, and the warning about the module names the
// function.
//
// Write reads, checks and lowers a function at a time. So it needs memory for the text, and for a few bodies for each
// worker.
//
// An error about the module is a [diag.List] of all errors. Functions before the first error may have been written by
// then; the caller should discard them. Other errors are about the options, or come from w.
func Write(w io.Writer, src string, opts Options) error {
	o, _ := ptx.ParseOutline(opts.File, src)
	return WriteOutline(w, o, opts)
}

// WriteOutline is [Write] for a text whose outline has been read. A nil outline is an error.
func WriteOutline(w io.Writer, o *ptx.Outline, opts Options) error {
	l, err := outlineLowerer(o, opts)
	if err != nil {
		return err
	}
	l.textOnly = true
	out, before := bufio.NewWriterSize(w, 1<<16), ""
	if opts.Stage == "" {
		out.Write((&sass.Program{Target: l.T.Name}).AppendText(nil))
	}
	err = l.each(func(r result) error {
		out.WriteString(before)
		_, err := out.Write(r.text)
		if opts.Stage != "" {
			before = "\n"
		}
		return err
	})
	return cmp.Or(err, l.finish(), out.Flush())
}

// Functions is like [WriteOutline], but calls do with each function, in order, in place of writing it. It ends with the
// first error of do. Options.Stage has no effect.
func Functions(o *ptx.Outline, opts Options, do func(*sass.Func) error) error {
	opts.Stage = ""
	l, err := outlineLowerer(o, opts)
	if err != nil {
		return err
	}
	err = l.each(func(r result) error { return do(r.code) })
	return cmp.Or(err, l.finish())
}

// outlineLowerer returns a lowerer of the functions of an outline.
func outlineLowerer(o *ptx.Outline, opts Options) (*lowerer, error) {
	if o == nil {
		return nil, errNoModule
	}
	t, note, err := opts.Target, (*diag.Diagnostic)(nil), error(nil)
	if t == nil {
		if t, note, err = resolve.Target(o.Module(), "", false); err != nil {
			if errs := check.Outline(o, check.Options{Lower: true}).Errors(); len(errs) > 0 {
				return nil, errs
			}
			return nil, fmt.Errorf("lower: %w", err)
		}
	}
	l, err := newLowerer(o.Module(), o, t, opts)
	if note != nil && err == nil {
		l.diags.Add(note)
	}
	return l, err
}

// Module lowers m for the target. The functions are checked as by [check.Module]. The error, if any, is a [diag.List] of
// all errors of the module, or it is about the options; there is no program then. A function without code has a comment,
// as with [Write]. Options.Stage has no effect. Module does not change m and t.
//
// t may be any target: Module does not compare it with the module's .target, and lowers
// by the convention of t. [resolve.Target] refuses targets that the module's code does
// not run on. A nil or zero t is an error.
func Module(m *ptx.Module, t *abi.Target, opts Options) (*sass.Program, error) {
	if m == nil {
		return nil, errNoModule
	}
	if list := m.Validate(); len(list) > 0 {
		return nil, list
	}
	opts.Stage = ""
	l, err := newLowerer(m, nil, t, opts)
	if err != nil {
		return nil, err
	}
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

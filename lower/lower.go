// Package lower turns a PTX module into pseudo-SASS. By the convention of the target, the
// code loads the formals of each function, passes the arguments of each call, calls and
// takes the results, and returns the results of the function. Instructions that have
// nothing to do with calls stay PTX text.
//
// The code is that of separate compilation, with ptxas -c. In a module that is compiled as a
// whole program the assembler may use other calls and places, even for visible functions.
//
// The places of values are those of package abi. Registers that PTX declares are virtual
// and keep their names, unless [Options.Homes] has a physical register for them or
// [Options.Slots] words of the frame. A register that only forwards parts of a parameter,
// from ld.param to st.param, may be left out: its value is then read from the place of
// the parameter.
package lower

import (
	"errors"
	"fmt"
	"sync"

	"github.com/ptxabi/ptxabi/abi"
	_ "github.com/ptxabi/ptxabi/check" // sets the functions of package checking
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/checking"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/lower/internal/sel"
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
	// Func is the name of the only function or kernel to lower; "" means all.
	Func string
	// Homes has the physical registers of virtual ones; with nil all keep their names.
	Homes Homes
	// Slots has the words of the frame of registers without a home; nil means none.
	Slots Slots
	// Workers is the number of functions that are lowered at the same time. 0 is the number of
	// processors, or fewer if there is little to do or Homes or Slots is set. The result does not
	// depend on it.
	Workers int
	// Diags, if not nil, receives warnings and notes.
	Diags *diag.List
	// Spool, if not nil, opens a file in which Text keeps a text of more than some megabytes
	// until the whole module has been checked. It is called once, and only for such a text. After
	// an error the content of the file is undefined. If it returns nil without an error, the text
	// is kept in memory.
	Spool func() (Spool, error)

	// Without has the passes that are left out; nil means none.
	Without []Pass

	spoolFrom int // from how many bytes on Spool is called, as tests want; 0 for spoolSize
}

// alloc reports whether registers are allocated.
func (o *Options) alloc() bool { return o.Homes != nil || o.Slots != nil }

// Module lowers m for the target. The error, if any, is a [diag.List] of all errors;
// there is no program then. Module first calls [check.Module], and lowers only a module
// without errors. It does not change m and t.
//
// t may be any target: Module does not compare it with the module's .target, and lowers
// by the convention of t. [resolve.Target] refuses targets that the module's code does
// not run on. A nil or zero t is an error.
func Module(m *ptx.Module, t *abi.Target, opts Options) (*sass.Program, error) {
	l, err := newLowerer(m, t, opts)
	if err != nil {
		return nil, err
	}
	s := &stream{lowerer: l, funcs: make([]*sass.Func, len(l.list))}
	s.all()
	if err := l.finish(); err != nil {
		return nil, err
	}
	prog := &sass.Program{Target: t.Name}
	if len(s.funcs) > 0 {
		prog.Funcs = s.funcs
	}
	return prog, nil
}

// Text returns the text of the program that [Module] makes of the module of an outline, in
// parts: each of some hundred kilobytes, so that none of a large text is ever moved.
// If the module has no errors, bodies are read, checked, lowered and released one by one, which
// takes memory for the resulting text and for one body for each worker. With [Options.Spool] a
// large text is in its file instead, and Text returns no parts. The
// error is one of Module, of [ptx.ParseString], or of the Spool.
func Text(o *ptx.Outline, t *abi.Target, opts Options) ([][]byte, error) {
	text := newParts(&opts)
	ok, err := bodyByBody(o, t, opts, text)
	if !ok && err == nil {
		text.reset()
		err = atOnce(o, t, opts, text)
	}
	if err != nil {
		return nil, err
	}
	return text.all()
}

// atOnce is Text for a module that is read as a whole.
func atOnce(o *ptx.Outline, t *abi.Target, opts Options, text *parts) error {
	m, err := ptx.ParseString(o.Module().Name, o.Text())
	if err != nil {
		return err
	}
	l, err := newLowerer(m, t, opts)
	if err != nil {
		return err
	}
	l.textOnly = true
	s := &stream{lowerer: l, text: text}
	s.all()
	return l.finish()
}

// unit returns what functions of a module have in common that are lowered so. The error is about
// the options.
func (o *Options) unit(m *ptx.Module, t *abi.Target, table *resolve.Table) (*place.Unit, error) {
	off, err := o.off()
	if err != nil {
		return nil, err
	}
	u := &place.Unit{M: m, T: t, Table: table, AllVirtual: !o.alloc(), Off: off}
	if o.alloc() {
		u.Off |= lir.ForVirtual
	}
	if o.Homes != nil {
		u.Home = func(f *ptx.Func, r place.Virtual) (sass.Reg, bool) { return o.Homes.Home(f, Virtual(r)) }
	}
	if o.Slots != nil {
		u.Slot = func(f *ptx.Func, r place.Virtual) (int, bool) { return o.Slots.Slot(f, Virtual(r)) }
	}
	return u, nil
}

// isNone reports whether t is no target: nil, or the zero one.
func isNone(t *abi.Target) bool { return t == nil || *t == (abi.Target{}) }

// newLowerer checks a module and prepares to lower it.
func newLowerer(m *ptx.Module, t *abi.Target, opts Options) (*lowerer, error) {
	if isNone(t) {
		return nil, errors.New("lower: no target")
	}
	if m == nil {
		return nil, errors.New("lower: no module")
	}
	unit, err := opts.unit(m, t, resolve.NewTable(m))
	if err != nil {
		return nil, err
	}
	l := &lowerer{Unit: unit, opts: opts}
	l.diags = checking.Module(m)
	if opts.Func != "" {
		l.within(opts.Func)
	}
	l.entryCode = sel.EntryCode(t)
	found := opts.Func == ""
	refused := l.diags.Err() != nil
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || opts.Func != "" && f.Name != opts.Func {
			continue
		}
		found = true
		if f.HasBody && !refused {
			l.list = append(l.list, f)
		}
	}
	if !found {
		return nil, fmt.Errorf("lower: the module has no function named %q", opts.Func)
	}
	return l, nil
}

// finish returns what is wrong, and hands out what is only worth knowing.
func (l *lowerer) finish() error {
	l.diags.Sort()
	if l.opts.Diags != nil {
		for _, d := range l.diags {
			if d.Severity != diag.Error {
				l.opts.Diags.Add(d)
			}
		}
	}
	return l.diags.Errors().Err()
}

// within drops the diagnostics that are about other functions than the named
// one.
func (l *lowerer) within(name string) {
	var kept diag.List
	for _, it := range l.M.Items {
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

// A lowerer lowers one module. While it runs, several goroutines read it.
type lowerer struct {
	*place.Unit
	opts Options
	list []*ptx.Func // to be lowered
	// entryCode is what functions and kernels begin with, nil for nothing.
	entryCode []sass.Instr
	textOnly  bool         // nobody asks for more than the text
	outline   *ptx.Outline // whose bodies are read one by one; nil where m has them
	diags     diag.List

	findTaken sync.Once
	taken     map[string]bool // functions whose address is taken; made when first asked for
}

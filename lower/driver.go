package lower

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/inorder"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A lowerer lowers one module. Several goroutines may read it.
type lowerer struct {
	*place.Unit
	opts     Options
	outline  *ptx.Outline   // has the bodies; nil if the module has them
	checked  diag.List      // the diagnostics of package check, complete when all functions have been lowered
	diags    diag.List      // the diagnostics of lowering
	unknown  []diag.Related // why functions of a module of a later version have no code
	textOnly bool           // only the text of functions is used
}

// newLowerer returns a lowerer of a module, with the bodies of an outline if it is not nil. The error is about the target
// or the options.
func newLowerer(m *ptx.Module, o *ptx.Outline, t *abi.Target, opts Options) (*lowerer, error) {
	table := resolve.NewTable(m)
	if o != nil {
		table = resolve.NewOutlineTable(o)
	}
	unit, err := opts.unit(m, t, table)
	if err != nil {
		return nil, err
	}
	for _, pass := range opts.Without {
		if !slices.Contains(Passes(), pass) {
			return nil, fmt.Errorf("lower: no pass %q; the passes are %q", pass, Passes())
		}
	}
	if opts.Stage != "" && !slices.Contains(Stages(), opts.Stage) {
		return nil, fmt.Errorf("lower: no stage %q; the stages are %q", opts.Stage, Stages())
	}
	if !slices.ContainsFunc(m.Items, func(it ptx.Item) bool { f, ok := it.(*ptx.Func); return opts.Func == "" || ok && f.Name == opts.Func }) && opts.Func != "" {
		return nil, fmt.Errorf("lower: the module has no function named %q", opts.Func)
	}
	return &lowerer{Unit: unit, opts: opts, outline: o}, nil
}

// unit returns the Unit of a module. The error is about the target.
func (o *Options) unit(m *ptx.Module, t *abi.Target, table *resolve.Table) (*place.Unit, error) {
	if t == nil || *t == (abi.Target{}) {
		return nil, errors.New("lower: no target")
	}
	u := &place.Unit{M: m, T: t, Table: table, AllVirtual: o.Homes == nil && o.Slots == nil}
	if o.Homes != nil {
		u.Home = func(f *ptx.Func, r place.Virtual) (sass.Reg, bool) { return o.Homes.Home(f, Virtual(r)) }
	}
	if o.Slots != nil {
		u.Slot = func(f *ptx.Func, r place.Virtual) (int, bool) { return o.Slots.Slot(f, Virtual(r)) }
	}
	return u, nil
}

// bodies yields the functions to lower, each as soon as it has been checked, without those that have errors.
func (l *lowerer) bodies(yield func(check.Body) bool) {
	for b := range check.Bodies(l.M, l.outline, l.Table, check.Options{Lower: true, Workers: l.opts.Workers}, &l.checked) {
		if b.Flawed || l.opts.Func != "" && b.Func.Name != l.opts.Func {
			b.Release()
		} else if !yield(b) {
			return
		}
	}
}

// each lowers the functions, and calls do with their results, in order. The text of a result is valid until
// do returns. An error of do ends it.
func (l *lowerer) each(do func(result) error) error {
	for r := range inorder.Map(l.opts.Workers, l.bodies, func() func(check.Body, *result) {
		p := newPipeline(l)
		return func(b check.Body, r *result) {
			*r = p.function(b, r.text[:0])
			b.Release()
		}
	}) {
		if err := l.take(*r, do); err != nil {
			return err
		}
	}
	return nil
}

// take keeps the diagnostics of a function, and calls do with its result if there has been no error so far.
func (l *lowerer) take(r result, do func(result) error) error {
	l.diags = append(l.diags, r.diags...)
	if r.unknown != nil {
		l.unknown = append(l.unknown, *r.unknown)
	}
	if l.diags.Err() != nil {
		return nil // go on, to find the other errors
	}
	return do(r)
}

// maxUnknown is how many functions without code the warning of a module of a later version names.
const maxUnknown = 10

// finish returns the errors, and gives the other diagnostics to Options.Diags.
//
// Errors that follow from an error of package check are left out: those of lowering in a function that check has an error
// for; all reports of PTX without a lowering; and signatures without an assignment, if a directive .abi_preserve is wrong
// or the syntax outside of bodies is.
func (l *lowerer) finish() error {
	all := slices.Concat(l.M.Errors, l.checked)
	if l.opts.Func != "" {
		all = slices.DeleteFunc(all, func(d *diag.Diagnostic) bool {
			return !l.concerns(d) && (d.Code != check.UnknownWord || len(l.unknown) == 0)
		})
	}
	if i := slices.IndexFunc(all, func(d *diag.Diagnostic) bool { return d.Code == check.UnknownWord }); i >= 0 {
		all[i].Related = append(all[i].Related, l.unknown[:min(len(l.unknown), maxUnknown)]...)
		if more := len(l.unknown) - maxUnknown; more > 0 {
			all[i].Related = append(all[i].Related, diag.Related{Pos: l.unknown[maxUnknown].Pos, Msg: prose.Count(more, "more function") + " without code"})
		}
	}
	if wrong := all.Errors(); len(wrong) > 0 {
		flawed, preserves := make(map[*ptx.Func]bool), false
		for _, d := range wrong {
			f, body := l.M.FuncAt(d.Pos)
			flawed[f] = f != nil
			preserves = preserves || d.Code == check.IllegalPreserve || d.Code == ptx.BadSyntax && !body // calls of the function meet it too
		}
		l.diags = slices.DeleteFunc(l.diags, func(d *diag.Diagnostic) bool {
			f, _ := l.M.FuncAt(d.Pos)
			return flawed[f] || d.Code == NotLowered || d.Code == resolve.BadSignature && preserves
		})
	}
	all = append(all, l.diags...)
	all.Sort()
	if l.opts.Diags != nil {
		for _, d := range all {
			if d.Severity != diag.Error {
				l.opts.Diags.Add(d)
			}
		}
	}
	return all.Errors().Err()
}

// concerns reports whether a diagnostic is about the function that Options.Func names, or about syntax outside of the bodies
// of other functions.
func (l *lowerer) concerns(d *diag.Diagnostic) bool {
	f, body := l.M.FuncAt(d.Pos)
	return f != nil && f.Name == l.opts.Func || d.Code == ptx.BadSyntax && (!body || d.Pos == f.EndPos)
}

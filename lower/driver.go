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
	outline  *ptx.Outline   // that has the bodies; nil where the module has them
	checked  diag.List      // what package check has reported, when all functions have been lowered
	diags    diag.List      // what lowering reports
	unknown  []diag.Related // why functions of a module of a later version have no code
	textOnly bool           // nothing but the text is wanted
}

// newLowerer prepares to lower a module, with the bodies of an outline, if there is one.
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

// unit returns what functions of a module have in common that are lowered so. The error is about
// the target and the options.
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

// bodies yields the functions to lower, each as soon as it has been checked: none with an error.
func (l *lowerer) bodies(yield func(check.Body) bool) {
	for b := range check.Bodies(l.M, l.outline, l.Table, check.Options{Lower: true, Workers: l.opts.Workers}, &l.checked) {
		if b.Flawed || l.opts.Func != "" && b.Func.Name != l.opts.Func {
			b.Release()
		} else if !yield(b) {
			return
		}
	}
}

// each lowers the functions, and hands over what has become of them, in order. A text is good until
// do returns. The error is one of do, after which nothing more is handed over.
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

// take keeps what was reported of a function, and hands over the rest, if nothing is wrong so far.
func (l *lowerer) take(r result, do func(result) error) error {
	l.diags = append(l.diags, r.diags...)
	if r.unknown != nil {
		l.unknown = append(l.unknown, *r.unknown)
	}
	if l.diags.Err() != nil {
		return nil // to find what else is wrong
	}
	return do(r)
}

// maxUnknown is how many functions without code the warning of a module of a later version names.
const maxUnknown = 10

// finish returns what is wrong, and hands out what is only worth knowing.
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
	if wrong := all.Errors(); len(wrong) > 0 { // a mistake is reported once
		flawed, preserves := make(map[*ptx.Func]bool), false
		for _, d := range wrong {
			f, body := l.M.FuncAt(d.Pos)
			flawed[f] = f != nil
			preserves = preserves || d.Code == check.IllegalPreserve || d.Code == ptx.BadSyntax && !body // which all calls of the function have
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

// concerns reports whether a diagnostic is about the only function that is lowered, or of syntax and in no other body.
func (l *lowerer) concerns(d *diag.Diagnostic) bool {
	f, body := l.M.FuncAt(d.Pos)
	return f != nil && f.Name == l.opts.Func || d.Code == ptx.BadSyntax && (!body || d.Pos == f.EndPos)
}

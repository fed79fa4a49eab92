package lower

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower/internal/opt"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A lowerer lowers one module. Several goroutines may read it.
type lowerer struct {
	*place.Unit
	opts    Options
	outline *ptx.Outline // that has the bodies; nil where the module has them
	list    []*ptx.Func  // to be lowered; none of a module with errors
	diags   diag.List
	// entryCode is what functions and kernels begin with, nil for nothing.
	entryCode []sass.Instr
	textOnly  bool       // nothing but the text is wanted
	passes    opt.Passes // those that run
}

// newLowerer prepares to lower a module about which diags have been reported.
func newLowerer(m *ptx.Module, table *resolve.Table, t *abi.Target, opts Options, diags diag.List) (*lowerer, error) {
	unit, err := opts.unit(m, t, table)
	if err != nil {
		return nil, err
	}
	passes, err := opts.passes()
	if err != nil {
		return nil, err
	}
	l := &lowerer{Unit: unit, opts: opts, entryCode: sass.EntryCode(cmp.Or(t.AssumedFrom, t.Name)), diags: diags, passes: passes}
	if opts.Func != "" {
		l.within(opts.Func)
	}
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

// within drops the diagnostics that are about other functions than the named one, but for those of
// syntax, which leave it open where functions end.
func (l *lowerer) within(name string) {
	kept := slices.Clone(l.diags)
	kept = slices.DeleteFunc(kept, func(d *diag.Diagnostic) bool { return d.Code != ptx.BadSyntax })
	for _, it := range l.M.Items {
		f, ok := it.(*ptx.Func)
		if !ok || f.Name != name {
			continue
		}
		for _, d := range l.diags {
			if d.Code != ptx.BadSyntax && !d.Pos.Before(f.Pos) && !f.EndPos.Before(d.Pos) {
				kept.Add(d)
			}
		}
	}
	l.diags = kept
}

// each lowers the functions, and hands over what has become of them, in order. A text is good until
// done returns. The error is one of done, after which nothing more is handed over.
func (l *lowerer) each(done func(result) error) error {
	workers := min(l.opts.Workers, len(l.list))
	if workers <= 1 {
		p, r := newPipeline(l), result{}
		for _, f := range l.list {
			r = p.function(f, r.text[:0])
			if err := l.take(r, done); err != nil {
				return err
			}
		}
		return nil
	}
	type job struct {
		f    *ptx.Func
		r    result
		done chan bool
	}
	n := 4 * workers // so many may wait for one before them
	todo, order, free := make(chan *job), make(chan *job, n), make(chan *job, n)
	for range n {
		free <- &job{done: make(chan bool, 1)}
	}
	stop := make(chan bool)
	var working sync.WaitGroup
	defer func() { // after an error, too, nothing is called any more
		close(stop)
		working.Wait()
	}()
	go func() {
		defer close(todo)
		defer close(order)
		for _, f := range l.list {
			select {
			case j := <-free:
				j.f = f
				order <- j
				todo <- j
			case <-stop:
				return
			}
		}
	}()
	for range workers {
		working.Go(func() {
			p := newPipeline(l)
			for j := range todo {
				j.r = p.function(j.f, j.r.text[:0])
				j.done <- true
			}
		})
	}
	for j := range order {
		<-j.done
		if err := l.take(j.r, done); err != nil {
			return err
		}
		free <- j
	}
	return nil
}

// take keeps what was reported of a function, and hands over the rest.
func (l *lowerer) take(r result, done func(result) error) error {
	l.diags = append(l.diags, r.diags...)
	return done(r)
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

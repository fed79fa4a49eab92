package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Heads returns what [Module] returns of the same module read as a whole, for one
// of which there is an outline: each body is read, checked
// and forgotten.
//
// It reports false where a body or what stands before it has an error, and where a
// body says something about the whole module: then the module has to be read as a
// whole, and Module knows what to say.
func Heads(o *ptx.Outline, opts Options) (list diag.List, ok bool) {
	if o == nil {
		return Module(nil, opts), true
	}
	w := NewWalk(o, opts)
	r := new(ptx.Reader)
	for _, it := range o.Module().Items {
		f, ok := it.(*ptx.Func)
		if !ok || !f.HasBody {
			continue
		}
		body, ok := r.Body(o, f)
		if !ok {
			return nil, false
		}
		kept, ok := w.Body(f, body)
		if !ok {
			return nil, false
		}
		if kept {
			r = new(ptx.Reader)
		}
	}
	return w.Finish(func(f *ptx.Func) []ptx.Stmt {
		body, _ := r.Body(o, f) // it was read before, without an error
		return body
	}), true
}

// A Walk does what [Module] does, for a module whose bodies nobody keeps: one
// of which there is an outline. It is given the bodies one after the other.
//
// It is of use where nothing is wrong, and says early when something is: what
// it says then, Module says of the whole module.
type Walk struct {
	c    *checker
	next int // index of the item to be read
	def  ptx.Func
}

// NewWalk begins to check the module of an outline, which must not be nil.
func NewWalk(o *ptx.Outline, opts Options) *Walk {
	w := &Walk{c: newChecker(o.Module(), opts)}
	w.c.outline = o
	w.c.start()
	return w
}

// Table returns what names of the module mean, for package lower, which asks the
// same: to make one takes as long as checking the heads.
func (w *Walk) Table() *resolve.Table { return w.c.later }

// Heads checks what stands outside of bodies, and reports whether there is no error:
// what heads say against each other may be said far behind a body that they are wrong
// for. It is called before Body, which checks heads as if it had not been, but faster.
func (w *Walk) Heads() bool {
	c := w.c
	said := len(c.errs)
	for _, it := range c.m.Items {
		c.item(it)
	}
	quiet := len(c.errs) == said
	c.finish()
	ok := c.errs.Err() == nil
	c.restart()
	c.quiet = quiet
	c.target()
	return ok
}

// restart makes c what it was before the first item, in the room that it has.
func (c *checker) restart() {
	c.stock.reset()
	*c = checker{
		m: c.m, outline: c.outline, opts: c.opts, arch: c.arch, since: c.since, passing: c.passing, later: c.later, owners: c.owners, debug: c.debug,
		stock: c.stock,
	}
}

// Body checks everything from the function before up to and with f, whose body
// is given. Functions must come in source order, and none with a body be left out.
// It reports whether the walk goes on to hold nodes of the body, which then must
// stay as they are, and whether there is no error so far; after one there is no
// use in going on.
//
// A body that declares functions, or the first .param variables of the module
// with a % before their names, says something about the whole of it. That counts
// as an error.
func (w *Walk) Body(f *ptx.Func, body []ptx.Stmt) (kept, ok bool) {
	c := w.c
	said, held := len(c.errs), 0
	for m := c.m; w.next < len(m.Items); {
		it := m.Items[w.next]
		w.next++
		if it == ptx.Item(f) {
			w.def = *f
			w.def.Body = body
			g := c.declare(f)
			held = c.held() // of heads, which stay
			c.body(g, &w.def)
			break
		}
		c.item(it)
	}
	return c.held() != held, !c.reachesOut && c.errs[said:].Err() == nil
}

// held counts the nodes of bodies that are still of interest behind them.
func (c *checker) held() int {
	return len(c.bad.vars) + len(c.bad.nested) + len(c.bad.narrow) + c.kept
}

// Finish checks what is left and returns every complaint, sorted. It calls read
// for bodies that it has to see again; what read returns is used before the next
// call. The walk is over then, and no other method may be called.
func (w *Walk) Finish(read func(*ptx.Func) []ptx.Stmt) diag.List {
	c := w.c
	for _, it := range c.m.Items[w.next:] {
		c.item(it)
	}
	c.read = read
	c.finish()
	w.c = nil // it may be another's
	return c.sorted()
}

package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/checking"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

func init() {
	lowering := policy{lowering: true}
	checking.Module = func(m *ptx.Module) diag.List { return module(m, lowering) }
	checking.New = func(o *ptx.Outline) checking.Walk { return newWalk(o, lowering) }
}

// A walk implements checking.Walk.
type walk struct {
	c    *checker
	next int // index of the item to be read
	def  ptx.Func
}

func newWalk(o *ptx.Outline, p policy) *walk {
	w := &walk{c: newChecker(o.Module(), p)}
	w.c.outline = o
	w.c.target()
	return w
}

func (w *walk) Names() *resolve.Table { return w.c.names }

func (w *walk) Outside() bool {
	c := w.c
	reported := len(c.list)
	for _, it := range c.m.Items {
		c.item(it)
	}
	quiet := len(c.list) == reported
	c.finish()
	ok := c.list.Err() == nil
	c.restart()
	c.quiet = quiet
	c.target()
	return ok
}

func (w *walk) Body(f *ptx.Func, in *resolved.Body) (kept, ok bool) {
	c := w.c
	reported, held := len(c.list), 0
	for m := c.m; w.next < len(m.Items); {
		it := m.Items[w.next]
		w.next++
		if it == ptx.Item(f) {
			w.def = *f
			w.def.Body = in.Stmts
			g := c.declare(f)
			held = c.held() // of heads, which stay
			c.checkBody(g, &w.def, in)
			break
		}
		c.item(it)
	}
	return c.held() != held, !c.reachesOut && c.list[reported:].Err() == nil
}

// held counts the nodes of bodies that are still of interest after them.
func (c *checker) held() int {
	return len(c.badVars) + len(c.nested) + len(c.later.narrow) + c.protos
}

func (w *walk) Finish(read func(*ptx.Func) []ptx.Stmt) diag.List {
	c := w.c
	for _, it := range c.m.Items[w.next:] {
		c.item(it)
	}
	c.read = read
	c.finish()
	w.c = nil // it may be another's
	return c.end()
}

// outline checks a module whose bodies have not been read: each is read, checked and
// forgotten. It reports false where a body or what stands before it has an error, and
// where a body says something about the whole module: then the module has to be read as
// a whole, and [Module] knows what to say.
func outline(o *ptx.Outline, p policy) (list diag.List, ok bool) {
	m := o.Module()
	w := newWalk(o, p)
	r := w.c.reading()
	for _, it := range o.Module().Items {
		f, ok := it.(*ptx.Func)
		if !ok || !f.HasBody {
			continue
		}
		stmts, ok := r.Body(o, f)
		if !ok {
			return nil, false
		}
		kept, ok := w.Body(f, resolved.New(f, stmts, resolve.ParamsInBody(m, f)))
		if !ok {
			return nil, false
		}
		if kept {
			w.c.reader = nil
			r = w.c.reading()
		}
	}
	return w.Finish(func(f *ptx.Func) []ptx.Stmt {
		stmts, _ := r.Body(o, f) // it was read before, without a diagnostic
		return stmts
	}), true
}

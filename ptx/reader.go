package ptx

import "iter"

// A Reader reads modules into memory that it uses again for the next one. The
// zero Reader is ready. What one returns is part of the text that it was given,
// which it does not copy, and of its own memory: a tree is valid until the next
// call of a method but Err. It must not be used by several goroutines at once.
//
// A Reader keeps the memory of the largest module that it has read, and may
// keep the texts alive that it has read so far.
type Reader struct {
	p   parser
	mod Module
	fn  Func // room for again
}

// Parse reads a module as the function [Parse] does.
func (r *Reader) Parse(name, src string) (*Module, error) {
	r.begin(name, src)
	r.p.module()
	return &r.mod, r.p.err()
}

// begin takes all memory back and sets the parser before a text.
func (r *Reader) begin(name, src string) {
	p := &r.p
	p.mod, p.arena, p.each, p.heads, p.reuse = &r.mod, &p.outer, nil, false, true
	p.outer.rewind()
	if p.inner != nil {
		p.inner.rewind()
	}
	p.stmtStack = p.stmtStack[:0]
	p.begin(name, src)
}

// Funcs reads a module a function at a time, so that one larger than memory
// would like needs room for its text, its declarations and one body. The
// iterator yields the functions at the module's level in source order,
// declarations too. A function's Body is valid until the next one is yielded,
// and is nil from then on; all else stays.
//
// The module holds what has been read so far, the function that was yielded
// being its last item. That is what a body may refer to: PTX knows a name from
// its declaration on. What it does not hold yet are definitions that follow, of
// functions declared so far, and aliases of those. After the loop it holds
// everything but bodies; [Reader.Body] reads one again. Functions that a body
// declares go with it.
//
// [Reader.Err] tells of syntax errors, after the loop of all. Within the loop
// no other method of r may be called. To leave the loop ends the reading, and
// to range again reads the text from its beginning.
func (r *Reader) Funcs(name, src string) (*Module, iter.Seq[*Func]) {
	return &r.mod, func(yield func(*Func) bool) {
		r.begin(name, src)
		r.p.each, r.mod.src = yield, r.p.src
		r.p.module()
		r.p.each = nil
	}
}

// Err returns an [diag.List] of every syntax error that the last call of Parse, Funcs,
// Heads or Reread has found so far, in source order; nil if there is none. Body adds
// nothing to it, and Reread begins anew: errors of Heads are those that it has returned.
func (r *Reader) Err() error { return r.p.err() }

// Body returns the body of f, a function of m. Where it has none any more,
// since [Reader.Funcs] has gone on, the body is read again: it is then valid
// until the next call of a method of r, and f does not change. Any Reader will
// do, so that several goroutines, each with one of its own, can work on several
// bodies of a module that nobody reads on.
func (r *Reader) Body(m *Module, f *Func) []Stmt {
	if f.Body != nil || !f.HasBody || f.bodyOff >= len(m.src) {
		return f.Body
	}
	errs := r.p.errs
	again, _ := r.again(m, f)
	r.p.errs = errs // the complaints about the body are among them
	return again.Body
}

// again reads the body of f, and returns the definition that ends it too early.
func (r *Reader) again(m *Module, f *Func) (again, next *Func) {
	p := &r.p
	if p.opcodes == nil {
		p.opcodes = new(opcodes)
	}
	p.scanner = scanner{
		name: m.Name, src: m.src, off: f.bodyOff, end: f.bodyOff, reuse: true, quickly: true,
		line: f.BodyPos.Line, bol: f.bodyOff + 1 - int(f.BodyPos.Col),
	}
	p.token()
	r.fn = Func{Name: f.Name}
	return &r.fn, p.innerBody(&r.fn)
}

// innerBody is body in the inner arena, whose former contents it takes back.
func (p *parser) innerBody(f *Func) (next *Func) {
	p.stmtStack = p.stmtStack[:0]
	if p.inner == nil {
		p.inner = new(arena)
	}
	p.inner.rewind()
	p.arena = p.inner
	next = p.body(f)
	p.arena = &p.outer
	return next
}

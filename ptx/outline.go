package ptx

import (
	"strings"
)

// An Outline is a module whose bodies have not been read: its directives, its
// declarations, and the places of the bodies. A [Reader] reads these one by one, so that
// a large module takes memory for its text, its declarations and one body.
//
// An outline does not change. Several goroutines may use it, each with a Reader of
// its own.
type Outline struct {
	mod     Module
	text    text
	tail    string // the NUL bytes that end the text
	largest int    // bytes of the largest body
}

// ParseOutline reads a module without the bodies of its functions. The error, if
// any, is a [diag.List] of syntax errors outside of bodies.
//
// It finds the end of a body by its braces, strings and comments, which a syntax error
// may mislead. A body that they do not close ends where the next definition begins. After an
// error, here or in [Reader.Body], see [Outline.Careful].
func ParseOutline(name, src string) (*Outline, error) {
	p := newParser(name, src)
	p.outline = true
	p.module()
	return p.of, p.err()
}

// Careful reads the text again, and each body with it, of which it keeps nothing but the errors: the errors of
// the module are all that [Parse] finds, and bodies end where it ends them.
func (o *Outline) Careful() *Outline {
	p := newParser(o.mod.Name, o.text.src)
	p.of.tail, p.tail = o.tail, o.tail
	p.outline, p.careful = true, true
	p.module()
	_ = p.err() // the module has them
	return p.of
}

// Module returns the module without the bodies of its functions: HasBody is set for
// functions that have one, and a [Reader] reads it. The module must not be changed.
func (o *Outline) Module() *Module { return &o.mod }

// Text returns the text of the module, with a byte-order mark if it has one, and without
// NUL bytes at its end.
func (o *Outline) Text() string { return o.text.src }

// BodyText returns the text of the body of f, a function of the outline, with its
// braces, of which the second may be missing; "" if f has none.
func (o *Outline) BodyText(f *Func) string {
	if o == nil || f.bodyEnd > len(o.text.src) || f.bodyEnd < f.bodyOff {
		return ""
	}
	return o.text.src[f.bodyOff:f.bodyEnd]
}

// A Reader reads bodies of outlines into memory that it uses again for the next
// one. The zero Reader is ready. It must not be used by several goroutines at once.
//
// A Reader keeps the memory of the largest body that it has read, and may keep the
// texts alive that it has read from.
type Reader struct {
	p  parser
	fn Func
}

// Body reads the body of f, a function of o. The body equals the one that [Parse]
// makes, and is valid until the next call. f does not change. The body of a
// function without one is nil.
//
// ok is false if the body has a syntax error or text in a form that is not known, or does not end where the
// outline has its end.
func (r *Reader) Body(o *Outline, f *Func) (body []Stmt, ok bool) {
	switch {
	case !f.HasBody:
		return nil, true
	case o == nil || f.bodyEnd == 0 || f.bodyEnd > len(o.text.src):
		return nil, false
	}
	p, again := &r.p, &r.fn
	p.scanner = scanner{
		name: o.mod.Name, src: o.text.src, reuse: true, newer: newer{later: o.mod.later()},
		place: place{off: f.bodyOff, end: f.bodyOff, line: f.BodyPos.Line, bol: f.bodyOff + 1 - int(f.BodyPos.Col)},
	}
	p.bodyAlone = true
	if p.nodes.stmtStack = p.nodes.stmtStack[:0]; p.nodes.stmtStack == nil { // room for the largest body, as a compiler writes it
		p.nodes.stmtStack = make([]Stmt, 0, min(o.largest/bytesOfStmt, maxStmtRoom))
	}
	p.nodes.rewind()
	p.token()
	*again = Func{Name: f.Name}
	next := p.body(again)
	return again.Body, next == nil && len(p.errs) == 0 && p.newer.forms == 0 && again.EndPos == f.EndPos
}

// readOver is passOver by reading the statements, in memory for one body. If the body is not closed before the
// definition of another function, it returns that, as body does.
func (p *parser) readOver(f *Func) (next *Func) {
	items, off := p.nodes, p.start
	p.nodes, p.reuse = p.bodies, true
	next = p.body(f)
	if p.bodies = p.nodes; next != nil || len(p.moved) > 0 { // which stay
		p.bodies = arena{}
	}
	p.bodies.rewind()
	p.nodes, p.reuse = items, false
	f.Body, f.bodyOff, f.bodyEnd = nil, off, p.of.text.offset(f.EndPos)
	if strings.HasPrefix(p.src[f.bodyEnd:], "}") {
		f.bodyEnd++
	}
	p.of.largest = max(p.of.largest, f.bodyEnd-f.bodyOff)
	return next
}

// ahead is where the bytes stand next that passOver looks for: nowhere before the
// offset that it has come to. It outlives a body, so that a text without one of
// them is searched for it once.
type ahead struct {
	opening, closing, quote, slash int
}

// passOver moves after a body; the current token is its opening brace. It looks for
// one kind of byte at a time, since strings.IndexByte takes dozens of bytes a step.
// Nothing matters but strings, comments, line ends and braces. It reports false at the same token where the
// body is not closed.
func (p *parser) passOver(f *Func) bool {
	before := p.scanner
	f.HasBody, f.BodyPos, f.bodyOff = true, p.pos, p.start
	src, i, next := p.src, p.off, &p.ahead
	counted := i // the line ends before it are counted
	for depth := 1; ; {
		if next.opening < i {
			next.opening = indexFrom(src, i, '{')
		}
		if next.closing < i {
			next.closing = indexFrom(src, i, '}')
		}
		if next.quote < i {
			next.quote = indexFrom(src, i, '"')
		}
		if next.slash < i {
			next.slash = indexFrom(src, i, '/')
		}
		i = min(next.opening, next.closing, next.quote, next.slash)
		switch {
		case i == len(src):
			p.scanner = before
			return false
		case i == next.opening:
			depth++
			i++
		case i == next.closing:
			i++
			if depth--; depth == 0 {
				p.passLines(counted, i)
				p.off = i
				p.pos = p.posAt(i - 1)
				f.EndPos, f.bodyEnd = p.pos, p.off
				p.of.largest = max(p.of.largest, f.bodyEnd-f.bodyOff)
				p.next()
				return true
			}
		case i == next.slash && strings.HasPrefix(src[i:], "//"):
			i = indexFrom(src, i+2, '\n')
		default: // the line may be asked for
			p.passLines(counted, i)
			counted = i
			p.start, p.off = i, i+1
			if i == next.quote {
				p.str()
			} else if p.off = i; p.comment() {
				counted = p.off
			} else {
				p.off++
			}
			i = p.off
		}
	}
}

// indexFrom returns the index of the first c in text from i on; the length of text
// if there is none.
func indexFrom(text string, i int, c byte) int {
	if n := strings.IndexByte(text[i:], c); n >= 0 {
		return i + n
	}
	return len(text)
}

// passLines counts the line ends of src[i:end].
func (s *scanner) passLines(i, end int) {
	if n := strings.Count(s.src[i:end], "\n"); n > 0 {
		s.line += uint32(n)
		s.bol = i + strings.LastIndexByte(s.src[i:end], '\n') + 1
	}
}

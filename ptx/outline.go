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
	largest int // bytes of the largest body
}

// ParseOutline reads a module without the bodies of its functions. The error, if
// any, is a [diag.List] of syntax errors outside of bodies.
//
// It finds the end of a body by its braces, strings and comments, which a syntax error
// may mislead. After an error, here or in [Reader.Body], read the module with
// [ParseString], whose errors are complete.
func ParseOutline(name, src string) (*Outline, error) {
	p := newParser(name, src)
	p.outline = true
	p.module()
	return p.of, p.err()
}

// Module returns the module without the bodies of its functions: HasBody is set for
// functions that have one, and a [Reader] reads it. The module must not be changed.
func (o *Outline) Module() *Module { return &o.mod }

// Text returns the text of the module, with a byte-order mark if it has one, and without
// NUL bytes at its end.
func (o *Outline) Text() string { return o.text.src }

// BodyText returns the text of the body of f, a function of the outline, with its
// braces; "" if f has none, or one that is not closed.
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
		name: o.mod.Name, src: o.text.src, reuse: true, later: o.mod.later(),
		place: place{off: f.bodyOff, end: f.bodyOff, line: f.BodyPos.Line, bol: f.bodyOff + 1 - int(f.BodyPos.Col)},
	}
	p.bodyAlone = true
	if p.stmtStack = p.stmtStack[:0]; p.stmtStack == nil { // room for the largest body, as a compiler writes it
		p.stmtStack = make([]Stmt, 0, min(o.largest/bytesOfStmt, maxStmtRoom))
	}
	p.arena.rewind()
	p.token()
	*again = Func{Name: f.Name}
	next := p.body(again)
	return again.Body, next == nil && len(p.errs) == 0 && p.forms == 0 && again.EndPos == f.EndPos
}

// Reset releases the texts that r has read from and the body that it read last. It keeps its
// memory for other bodies, unless there is much of it.
func (r *Reader) Reset() {
	const many = 1 << 12
	p := &r.p
	if cap(p.stmtStack) > many {
		*r = Reader{}
		return
	}
	p.arena.clear()
	clear(p.stmtStack[:cap(p.stmtStack)])
	clear(p.operandStack[:cap(p.operandStack)])
	clear(p.formalStack[:cap(p.formalStack)])
	p.scanner, r.fn = scanner{}, Func{}
}

// ahead is where the bytes stand next that passOver looks for: nowhere before the
// offset that it has come to. It outlives a body, so that a text without one of
// them is searched for it once.
type ahead struct {
	opening, closing, quote, slash int
}

// passOver moves after a body; the current token is its opening brace. It looks for
// one kind of byte at a time, since strings.IndexByte takes dozens of bytes a step.
// Nothing matters but strings, comments, line ends and braces.
func (p *parser) passOver(f *Func) {
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
			p.passLines(counted, i)
			p.off = i
			p.tok = tEOF
			p.fail(f.BodyPos, "the body of "+nameOf(f)+" is not closed; add '}'")
			return
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
				return
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

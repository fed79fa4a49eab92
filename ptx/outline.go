package ptx

import (
	"errors"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// An Outline is a module whose bodies have not been read: its directives, its
// declarations, and the places of the bodies. A [Reader] reads the bodies one by one, so that
// a large module takes memory for its text, its declarations and one body.
//
// An outline does not change. Several goroutines may use it, each with a Reader of
// its own.
type Outline struct {
	mod  Module
	text text
	tail string // the NUL bytes that end the text
}

// ParseOutline reads a module without the bodies of its functions. The error, if
// any, is a [diag.List] of syntax errors outside of bodies.
//
// A body ends with the brace that closes it, as for [Parse]. A body that is not closed ends where the next
// definition begins.
func ParseOutline(name, src string) (*Outline, error) {
	p := newParser(name, src)
	p.outline = true
	p.module()
	return p.of, p.err()
}

// Module returns the module without the bodies of its functions. HasBody is set for
// functions that have one, and a [Reader] reads it; the errors in bodies are not among its Errors. The module must not be
// changed. A nil outline has an empty module.
func (o *Outline) Module() *Module { return &zero.Or(o).mod }

// BodyText returns the text of the body of f, a function of the outline, with its
// braces; the second brace may be missing. It is "" if f has no body.
func (o *Outline) BodyText(f *Func) string {
	if f = zero.Or(f); o == nil || f.bodyEnd > len(o.text.src) || f.bodyEnd < f.bodyOff {
		return ""
	}
	return o.text.src[f.bodyOff:f.bodyEnd]
}

// A Reader reads bodies of outlines, each into the memory of the one before. The zero Reader is ready. It must not be
// used by several goroutines at once.
//
// A Reader keeps the memory of the largest body that it has read. It may keep the texts alive from
// which it has read.
type Reader struct{ p parser }

// Func returns a copy of f, a function of o, with its body, as [Parse] returns it; f itself if it has no body. The body is
// valid until the next call. f does not change.
//
// The error, if any, is a [diag.List] of the syntax errors in the body, which has the statements that could be read; or f
// is not a function of o.
func (r *Reader) Func(o *Outline, f *Func) (*Func, error) {
	r, f = zero.Or(r), zero.Or(f)
	switch {
	case !f.HasBody:
		return f, nil
	case o == nil || f.bodyEnd == 0 || f.bodyEnd > len(o.text.src):
		return f, errors.New("ptx: not a function of the outline")
	}
	p, own := &r.p, *f
	p.scanner = scanner{
		name: o.mod.Name, src: o.text.src, newer: newer{later: o.mod.later()},
		place: place{off: f.bodyOff, end: f.bodyOff, line: f.BodyPos.Line, bol: f.bodyOff + 1 - int(f.BodyPos.Col)},
	}
	p.mod, p.alone, p.moved = &o.mod, true, nil
	p.nodes.stmtStack = p.nodes.stmtStack[:0]
	p.nodes.rewind()
	p.token()
	if f.open {
		p.bodies().body(&own)
	} else {
		p.closedBody(&own)
	}
	if len(p.errs) == 0 {
		return &own, nil
	}
	return &own, p.listed()
}

// bodyOf parses the body of a function at module level, or skips it for an outline.
//
// It looks for the closing brace first (passOver). If the braces match, the statements are read within them: no error in
// a statement can reach into the next function. If they do not, the statements are read without a known end, until the
// definition of another function shows that the body is not closed. bodyOf then returns that function, with the parser
// before its body. An outline reads such a body too, to find its end, and drops its statements; it also reads bodies of
// functions without a name, which it does not keep.
func (p *parser) bodyOf(f *Func) (next *Func) {
	skip := p.outline && f.Name != "" // a Reader will read the statements, and report their errors
	start := p.place
	if !p.unclosed && p.passOver(f) {
		if after := p.place; !skip {
			p.place = start
			p.closedBody(f)
			p.place, f.bodyOff, f.bodyEnd = after, 0, 0
		}
		p.errLine = 0
		p.next()
		return nil
	}
	p.unclosed = true // to search the rest of the text for each unclosed body would be quadratic
	errs, newer, nodes := p.errs, p.newer, p.nodes
	if p.outline {
		p.nodes = arena{}
	}
	p.opened = false
	next, closed := p.bodies().body(f)
	follows := p.opened && !p.newer.later // braces in unknown text have been reported, and may be the reason
	if p.outline {
		p.nodes = nodes
	}
	if skip {
		f.bodyOff, f.bodyEnd, f.open = start.start, p.of.text.offset(f.EndPos), next != nil
		if closed {
			f.bodyEnd++
		}
		f.Body, f.Unread, p.errs, p.newer = nil, Pos{}, errs, newer
	}
	switch p.errLine = 0; {
	case follows:
	case next != nil:
		p.fail(next.Pos, nameOf(next)+" begins before the body of "+nameOf(f)+" is closed; add '}'")
	case !closed:
		p.fail(f.EndPos, "the body of "+nameOf(f)+" is not closed; add '}'")
	}
	return next
}

// closedBody parses a body whose end is known, and nothing after it.
func (p *parser) closedBody(f *Func) {
	whole, end := p.src, f.EndPos
	p.src, p.known = whole[:f.bodyEnd], f.bodyEnd
	if next, _ := p.bodies().body(f); next != nil {
		p.fail(next.Pos, nameOf(next)+" begins before the body of "+nameOf(f)+" is closed; add '}'")
	}
	p.src, p.known, f.EndPos = whole, 0, end
}

// stops are the bytes that passOver looks for.
var stops = [256]bool{'{': true, '}': true, '"': true, '/': true, '#': true}

// toStop moves to the next of the stops.
func (p *parser) toStop() {
	next := p.off
	for next < len(p.src) && !stops[p.src[next]] {
		next++
	}
	p.passLines(p.off, next)
	p.off = next
}

// passOver moves to the closing brace of a body; the current token is the opening one.
// It looks at strings, comments, line ends and braces alone. It reports false, at the same token, if the
// body is not closed, a string or a comment is wrong, or the last brace is that of an operand, which means that a brace
// is missing before.
func (p *parser) passOver(f *Func) bool {
	before := p.scanner
	p.errLine = 0
	f.HasBody, f.BodyPos = true, p.pos
	p.toStop()
	for depth := 1; p.off < len(p.src) && len(p.errs) == len(before.errs) && p.newer.forms == before.newer.forms; {
		switch p.src[p.off] {
		case '{':
			p.off++
			depth++
		case '}':
			p.off++
			if depth--; depth > 0 {
				break
			}
			if operandBrace(p.src, p.off-1) {
				p.scanner = before
				return false
			}
			p.pos = p.posAt(p.off - 1)
			f.EndPos, f.bodyOff, f.bodyEnd = p.pos, before.start, p.off
			return true
		case '"':
			p.start = p.off
			p.str()
		case '/':
			if strings.HasPrefix(p.src[p.off:], "//") {
				p.off = indexFrom(p.src, p.off, '\n')
			} else if !p.comment() {
				p.off++
			}
		case '#':
			p.hash()
		}
		p.toStop()
	}
	p.scanner = before
	return false
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

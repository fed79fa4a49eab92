package ptx

import "strings"

// Heads reads a module without the bodies of its functions, which takes a tenth of the
// time of reading it all, or a fifth where functions are small, and room for its text
// and its declarations. [Reader.Reread] reads a body. The error, if any, is an [diag.List] of syntax
// errors outside of bodies. Braces, strings and comments alone say where a body
// ends: where Reread disagrees about that, the module has to be read as a whole.
// So it has where there is an error, for what stands within bodies and what
// stands outside may then look otherwise.
func (r *Reader) Heads(name, src string) (*Module, error) {
	r.begin(name, src)
	r.p.heads, r.p.once, r.mod.src = true, true, r.p.src
	r.p.module()
	return &r.mod, r.p.err()
}

// Reread reads the body of f, a function of the module m that [Reader.Heads] of
// any Reader has read. The body is valid until the next call of a method of r, and
// f does not change. It reports false where the body has a syntax error, or does
// not end where Heads took it to, and where the module is not one of Heads. As with [Reader.Body], several goroutines can
// read, each with a Reader of its own.
func (r *Reader) Reread(m *Module, f *Func) (body []Stmt, ok bool) {
	switch {
	case f.Body != nil || !f.HasBody:
		return f.Body, true
	case f.bodyEnd == 0 || f.bodyEnd > len(m.src):
		return nil, false
	}
	again, next := r.again(m, f)
	ok = next == nil && len(r.p.errs) == 0 && again.EndPos == f.EndPos
	return again.Body, ok
}

// BodyText returns the text of a function's body with its braces; "" if the
// module was not read by [Reader.Heads], or the function has no body.
func (m *Module) BodyText(f *Func) string {
	if f.bodyEnd == 0 || f.bodyEnd > len(m.src) {
		return ""
	}
	return m.src[f.bodyOff:f.bodyEnd]
}

// ahead is where bytes that matter to bodies stand next: nowhere before the offset that
// passOver has come to. It outlives a body, so that a text without one kind is searched
// for it once.
type ahead struct {
	opening, closing, quote, slash int
}

// passOver moves behind a body; the current token is its opening brace. Bytes are
// looked for one kind at a time, which the processor does by dozens: nothing matters but
// strings, comments, line ends and braces.
func (p *parser) passOver(f *Func) {
	f.HasBody, f.BodyPos, f.bodyOff = true, p.pos, p.start
	src, i, next := p.src, p.off, &p.ahead
	counted := i // the line ends before it have been
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
			p.errorAt(f.BodyPos, "the body of "+nameOf(f)+" is not closed; add '}'")
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
				p.next()
				return
			}
		case i == next.slash && strings.HasPrefix(src[i:], "//"):
			i = indexFrom(src, i+2, '\n')
		default: // which line it is may be asked
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

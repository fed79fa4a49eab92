package ptx

import "strings"

// Heads reads a module without the bodies of its functions, which takes a tenth
// of the time of reading it all, and room for its text and its declarations.
// [Reader.Reread] reads a body. The error, if any, is an [ErrorList] of syntax
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

// passOver moves behind a body; the current token is its opening brace. Bytes are
// looked for one kind at a time, which the processor does by dozens: up to the next
// closing brace nothing matters but strings, slashes, line ends and braces.
func (p *parser) passOver(f *Func) {
	f.HasBody, f.BodyPos, f.bodyOff = true, p.pos, p.start
	src, i := p.src, p.off
	brace, quote, slash := -1, -1, -1 // the next ones from i on; of the others, brace if it comes first
	counted := i                      // the line ends before it have been
	for depth := 1; ; {
		if brace < i {
			brace = indexFrom(src, i, '}')
		}
		if quote < i {
			quote = indexFrom(src[:brace], i, '"')
		}
		if slash < i {
			slash = indexFrom(src[:brace], i, '/')
		}
		from := i
		i = min(brace, quote, slash)
		depth += strings.Count(src[from:i], "{")
		line := strings.HasPrefix(src[i:], "//")
		if !line && (i != brace || depth == 1) { // else nobody asks yet which line it is
			p.passLines(counted, i)
			counted = i
		}
		switch {
		case i == len(src):
			p.off = i
			p.tok = tEOF
			p.errorAt(f.BodyPos, "the body of "+nameOf(f)+" is not closed; add '}'")
			return
		case i == brace:
			if depth--; depth == 0 {
				p.off = i + 1
				p.pos = p.posAt(i)
				f.EndPos, f.bodyEnd = p.pos, p.off
				p.next()
				return
			}
			i++
		case i == quote:
			p.start, p.off = i, i+1
			p.str()
			i = p.off
		default:
			p.off = i
			if !p.comment() {
				p.off++
			}
			i = p.off
			if !line {
				counted = i
			}
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

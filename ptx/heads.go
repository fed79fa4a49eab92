package ptx

// Heads reads a module without the bodies of its functions, which takes a tenth
// of the time of reading it all, and room for its text and its declarations.
// [Reader.Reread] reads a body. The error, if any, is an [ErrorList] of syntax
// errors outside of bodies. Braces, strings and comments alone say where a body
// ends: where Reread disagrees about that, the module has to be read as a whole.
// So it has where there is an error, for what stands within bodies and what
// stands outside may then look otherwise.
func (r *Reader) Heads(name, src string) (*Module, error) {
	r.begin(name, src)
	r.p.heads, r.mod.src = true, r.p.src
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

// passOver moves behind a body; the current token is its opening brace.
func (p *parser) passOver(f *Func) {
	f.HasBody, f.BodyPos, f.bodyOff = true, p.pos, p.start
	src, i := p.src, p.off
	for depth := 1; i < len(src); {
		c := src[i]
		if !passed[c] {
			i++
			continue
		}
		p.off = i
		switch c {
		case '\n':
			p.line++
			p.bol = i + 1
		case '{':
			depth++
		case '"':
			p.start, p.off = i, i+1
			p.str()
			i = p.off
			continue
		case '/':
			if p.comment() {
				i = p.off
				continue
			}
		case '}':
			if depth--; depth > 0 {
				break
			}
			p.off++
			p.pos = p.posAt(i)
			f.EndPos, f.bodyEnd = p.pos, p.off
			p.next()
			return
		}
		i++
	}
	p.off = len(src)
	p.tok = tEOF
	p.errorAt(f.BodyPos, "the body of "+nameOf(f)+" is not closed; add '}'")
}

// passed tells the bytes that passOver looks at.
var passed = [256]bool{'\n': true, '{': true, '}': true, '"': true, '/': true}

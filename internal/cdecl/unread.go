package cdecl

import "slices"

// simpleOrUnread is simple, but for a kernel that has a template among its types,
// which is noted and left out.
func (p *parser) simpleOrUnread() {
	start, errs := p.i, len(p.errs)
	if p.try(p.simple) {
		return
	}
	bad := p.errs[errs:]
	name := p.kernelName(start)
	if len(bad) == 0 || name.text == "" || !p.opts.Partial && (len(bad) != 1 || bad[0].Code != Unsupported) {
		panic(bailout{})
	}
	why := bad[0]
	p.errs = p.errs[:errs]
	p.warn(posOf(why), why.Code, "%s; the kernel %s is left out", why.Msg, name.text)
	p.unit.Unread = append(p.unit.Unread, Unread{Name: p.scope.prefix + name.text, Pos: name.pos, Why: why.Msg, Code: why.Code, At: posOf(why)})
	for end := p.endOfDeclaration(start); p.i < end && p.tok.kind != eof; {
		p.advance()
	}
}

// kernelName is the name of the kernel that the declaration from a token on
// declares; without text where it declares none.
func (p *parser) kernelName(start int) token {
	kernel := false
	end := min(p.endOfDeclaration(start), len(p.toks)-1)
	for i := start; i < end; i++ {
		t := &p.toks[i]
		switch {
		case t.is("__global__"), t.is("global"):
			kernel = true
		case t.kind == ident && p.toks[i+1].is("(") && !isAttribute(t.text) && !slices.Contains([]string{"__launch_bounds__", "__cluster_dims__"}, t.text):
			if kernel {
				return *t
			}
			return token{}
		case t.is("("), t.is("{"), t.is(";"):
			for depth := 0; t.is("(") && i+1 < len(p.toks); i++ { // an attribute's
				if p.toks[i].is("(") {
					depth++
				} else if p.toks[i].is(")") {
					if depth--; depth == 0 {
						break
					}
				}
				kernel = kernel || p.toks[i].is("global")
			}
		}
	}
	return token{}
}

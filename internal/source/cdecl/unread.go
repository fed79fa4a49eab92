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
	name, params := p.kernelName(start)
	if !p.tolerant() || len(bad) == 0 || name.text == "" || !p.opts.Partial && (len(bad) != 1 || bad[0].Code != Unsupported) {
		panic(bailout{})
	}
	why := bad[0]
	p.errs = p.errs[:errs]
	p.warn(posOf(why), why.Code, "%s; the kernel %s is left out", why.Msg, name.text)
	p.unit.Unread = append(p.unit.Unread, Unread{Name: p.scope.prefix + name.text, Pos: name.pos, Why: why.Msg, Code: why.Code, At: posOf(why), Params: params})
	p.pass(p.endOfDeclaration(start))
}

// kernelName is the name of the kernel that the declaration from a token on
// declares, and those of its parameters; without text where it declares none.
func (p *parser) kernelName(start int) (name token, params []string) {
	kernel := false
	end := min(p.endOfDeclaration(start), len(p.toks)-1)
	for i := start; i < end; i++ {
		t := &p.toks[i]
		switch {
		case t.is("__global__"), t.is("global"):
			kernel = true
		case t.kind == ident && p.toks[i+1].is("(") && !isAttribute(t.text) && !slices.Contains([]string{"__launch_bounds__", "__cluster_dims__"}, t.text):
			if kernel {
				return *t, paramNames(p.toks[i+2 : end+1])
			}
			return token{}, nil
		case t.is("("): // of an attribute
			shut := closing(p.toks, i)
			kernel = kernel || slices.ContainsFunc(p.toks[i:shut], func(t token) bool { return t.is("global") })
			i = shut
		}
	}
	return token{}, nil
}

// paramNames are the names of the parameters that tokens declare, up to the parenthesis that ends them. That of a pack has
// an ellipsis before it.
func paramNames(toks []token) (names []string) {
	name, depth, fixed := "", 0, false
	for i := range toks {
		t := &toks[i]
		last := depth == 0 && t.is(")")
		switch {
		case last && i == 0 || i == 1 && last && toks[0].is("void"):
			return nil
		case last, depth == 0 && t.is(","):
			names = append(names, name)
			if name, fixed = "", false; last {
				return names
			}
		case t.is("("), t.is("["), t.is("<"), t.is("{"):
			depth++
			if t.is("(") && i+2 < len(toks) && toks[i+1].is("*") && toks[i+2].kind == ident && !fixed { // float (*name)[4]
				name, fixed = toks[i+2].text, true
			}
		case t.is(")"), t.is("]"), t.is(">"), t.is("}"):
			depth--
		case depth == 0 && t.is("="):
			fixed = true
		case depth == 0 && t.kind == ident && !fixed && i > 0:
			name = ""
			before := &toks[i-1]
			if before.is("...") {
				name = "..." + t.text
			} else if !slices.Contains(notNames, t.text) && (before.is("*") || before.is("&") || before.is(">") || before.kind == ident && !slices.Contains(notTypes, before.text)) {
				name = t.text
			}
		case depth == 0 && !fixed && !t.is("*") && !t.is("&") && !t.is("..."):
			name = ""
		}
	}
	return nil
}

// notTypes are words after which a type still follows, and notNames those that are no name.
var (
	notTypes = []string{"const", "volatile", "struct", "class", "union", "enum", "typename", "__grid_constant__", "register"}
	notNames = []string{"const", "volatile", "__restrict__", "__restrict", "__grid_constant__", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "bool"}
)

package cdecl

import "github.com/ptxabi/ptxabi/layout"

// count gives an array without a bound that of its initialiser, which comes next,
// so that sizeof knows it. Where that takes more than counting the array stays
// as it is.
func (p *parser) count(o *object) {
	a, ok := layout.Unalias(o.typ).(*layout.Array)
	if !ok || a.Len != layout.Unbounded {
		return
	}
	i := p.i
	if p.toks[i].is("=") {
		i++
	}
	braces, strings := false, false // what an element is written as
	switch layout.Unalias(a.Elem).(type) {
	case *layout.Array, *layout.Record:
		braces = true
	case *layout.Pointer:
		strings = true
	}
	if n := p.elements(i, braces, strings); n > 0 {
		o.typ = &layout.Array{Elem: a.Elem, Len: n}
	}
}

// elements counts the elements of the braced initialiser at token i; 0 where it
// does not know.
func (p *parser) elements(i int, braces, strings bool) int64 {
	if !p.toks[i].is("{") {
		return 0
	}
	n, depth, first := int64(0), 0, false
	for ; i < len(p.toks); i++ {
		t := p.toks[i]
		if depth == 1 && first && !t.is("}") {
			if t.is("[") || t.is(".") || braces != t.is("{") || t.kind == str && !strings {
				return 0 // a designator, braces left out or too many, an array of characters
			}
			n++
			first = false
		}
		switch {
		case t.kind == eof, t.kind == pragma, t.is("<"):
			return 0
		case t.is("("), t.is("["), t.is("{"):
			depth++
			first = first || depth == 1
		case t.is(")"), t.is("]"), t.is("}"):
			if depth--; depth == 0 {
				return n
			}
		case t.is(",") && depth == 1:
			first = true
		}
	}
	return 0
}

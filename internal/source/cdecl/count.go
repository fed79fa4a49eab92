package cdecl

import (
	"slices"

	"github.com/ptxabi/ptxabi/layout"
)

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
	end := int(p.ends[i])
	if !p.toks[i].is("{") || end <= 0 || slices.ContainsFunc(p.toks[i:end], func(t token) bool { return t.is("<") }) {
		return 0
	}
	n := int64(0)
	for i++; i < end; i++ {
		t := p.toks[i]
		if t.is("[") || t.is(".") || braces != t.is("{") || t.kind == str && !strings {
			return 0 // a designator, braces left out or too many, an array of characters
		}
		n++
		for ; i < end && !p.toks[i].is(","); i++ {
			if p.ends[i] != 0 {
				i = p.shut(i)
			}
		}
	}
	return n
}

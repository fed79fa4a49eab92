package cdecl

import "github.com/ptxabi/ptxabi/layout"

// word reads a keyword of a built-in type.
func (p *parser) word(s *specs, t token) {
	p.advance()
	w := &s.words
	switch t.text {
	case "char":
		w.char++
	case "short":
		w.short++
	case "int":
		w.int++
	case "long":
		w.long++
	case "signed", "__signed", "__signed__":
		w.signed++
	case "unsigned":
		w.unsigned++
	case "float":
		w.float++
	case "double":
		w.double++
	case "_Complex", "__complex__", "__complex":
		w.complex++
	case "_BitInt", "_ExtInt":
		p.expect("(", "after "+t.text)
		v := p.constant("width")
		p.expect(")", "after the width")
		n, ok := v.int64()
		if !ok || n < 1 || n > 128 {
			p.fail(t.pos, BadType, "_BitInt of %s bits", v)
		}
		w.base, w.bits = layout.BitInt, n
	default:
		if w.base != 0 {
			p.fail(t.pos, Syntax, "two types in one declaration")
		}
		w.base = builtinWords[t.text]
	}
}

var unsignedOf = map[layout.Kind]layout.Kind{
	layout.Char: layout.UChar, layout.Short: layout.UShort, layout.Int: layout.UInt, layout.Long: layout.ULong,
	layout.LongLong: layout.ULongLong, layout.Int128: layout.UInt128, layout.BitInt: layout.UBitInt,
}

// builtin finds the type that keywords spell.
func (p *parser) builtin(w *words, pos Pos) layout.Type {
	s := layout.Scalar{Kind: layout.Int, Complex: w.complex > 0, Bits: w.bits}
	n := w.char + min(w.short, 1) + w.float + w.double
	if w.base != 0 {
		n++
	}
	bad := n > 1 && !(w.double == 1 && n == 1) || w.signed > 0 && w.unsigned > 0 || w.long > 2 || w.int > 1 ||
		w.short > 1 || w.signed > 1 || w.unsigned > 1 || w.complex > 1 || w.short > 0 && w.long > 0
	switch {
	case w.base != 0:
		s.Kind = w.base
		bad = bad || w.long > 0 || w.int > 0
	case w.char > 0:
		s.Kind = layout.Char
		if w.signed > 0 {
			s.Kind = layout.SChar
		}
		bad = bad || w.long > 0 || w.int > 0
	case w.float > 0:
		s.Kind = layout.Float
		bad = bad || w.long > 0 || w.int > 0 || w.signed+w.unsigned > 0
	case w.double > 0:
		s.Kind = layout.Double
		if w.long == 1 {
			s.Kind = layout.LongDouble
		}
		bad = bad || w.long > 1 || w.int > 0 || w.signed+w.unsigned > 0
	case w.short > 0:
		s.Kind = layout.Short
	case w.long == 1:
		s.Kind = layout.Long
	case w.long == 2:
		s.Kind = layout.LongLong
	case w.complex > 0 && w.int+w.signed+w.unsigned == 0:
		s.Kind = layout.Double
	}
	if w.unsigned > 0 {
		u, ok := unsignedOf[s.Kind]
		s.Kind = u
		bad = bad || !ok
	}
	if bad || s.Kind != layout.Void && !s.Valid() {
		p.fail(pos, BadType, "no type is spelled like this")
	}
	return s
}

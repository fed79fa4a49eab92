package cdecl

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// words are the keywords of a built-in type.
type words struct {
	list    []string    // but for those of the others
	base    layout.Kind // of a keyword that is a type by itself
	bits    int64       // of a _BitInt
	complex int
}

func (w *words) any() bool { return len(w.list) > 0 || w.base != 0 || w.complex > 0 }

// word reads a keyword of a built-in type.
func (p *parser) word(s *specs, t token) {
	p.advance()
	w := &s.words
	switch t.text {
	case "char", "short", "int", "long", "signed", "__signed", "__signed__", "unsigned", "float", "double":
		w.list = append(w.list, strings.Trim(t.text, "_"))
	case "_Complex", "__complex__", "__complex":
		w.complex++
	case "_BitInt", "_ExtInt":
		v := p.operand(t.text, "width")
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

// spellings are how keywords spell each type (C17 6.7.2), in the order of the alphabet.
var spellings = map[string]layout.Kind{
	"char": layout.Char, "char signed": layout.SChar, "char unsigned": layout.UChar,
	"short": layout.Short, "short signed": layout.Short, "int short": layout.Short, "int short signed": layout.Short,
	"short unsigned": layout.UShort, "int short unsigned": layout.UShort,
	"int": layout.Int, "signed": layout.Int, "int signed": layout.Int, "unsigned": layout.UInt, "int unsigned": layout.UInt,
	"long": layout.Long, "long signed": layout.Long, "int long": layout.Long, "int long signed": layout.Long,
	"long unsigned": layout.ULong, "int long unsigned": layout.ULong,
	"long long": layout.LongLong, "long long signed": layout.LongLong, "int long long": layout.LongLong, "int long long signed": layout.LongLong,
	"long long unsigned": layout.ULongLong, "int long long unsigned": layout.ULongLong,
	"float": layout.Float, "double": layout.Double, "double long": layout.LongDouble,
}

var unsignedOf = map[layout.Kind]layout.Kind{
	layout.Char: layout.UChar, layout.Short: layout.UShort, layout.Int: layout.UInt,
	layout.LongLong: layout.ULongLong, layout.Int128: layout.UInt128, layout.BitInt: layout.UBitInt,
}

// builtin finds the type that keywords spell.
func (p *parser) builtin(w *words, pos Pos) layout.Type {
	slices.Sort(w.list)
	spelled := strings.Join(w.list, " ")
	kind := spellings[spelled]
	switch {
	case w.base != 0 && spelled == "unsigned":
		kind = unsignedOf[w.base]
	case w.base != 0 && (spelled == "" || spelled == "signed"):
		kind = w.base
	case w.base != 0:
		kind = 0
	case spelled == "": // _Complex alone
		kind = layout.Double
	}
	s := layout.Scalar{Kind: kind, Complex: w.complex > 0, Bits: w.bits}
	if kind == 0 || w.complex > 1 || s.Kind != layout.Void && !s.Valid() {
		p.fail(pos, BadType, "no type is spelled like this")
	}
	return s
}

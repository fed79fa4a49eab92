package cdecl

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// number reads a numeric literal.
func (p *parser) number(t token) value {
	text := strings.ReplaceAll(t.text, "'", "")
	body := strings.TrimRight(text, "uUlL")
	suffix := strings.ToLower(text[len(body):])
	hex := strings.HasPrefix(body, "0x") || strings.HasPrefix(body, "0X")
	if strings.Contains(body, ".") || !hex && strings.ContainsAny(body, "eE") || strings.ContainsAny(body, "pP") ||
		!hex && strings.HasSuffix(strings.ToLower(body), "f") {
		return p.float(t, text)
	}
	n, err := strconv.ParseUint(body, 0, 64)
	if err != nil || strings.Contains(body, "_") { // which Go has in numbers
		p.fail(t.pos, Constant, "%s is not a number this package reads", t.text)
	}
	return value{typ: p.literalType(n, suffix, body), bits: n, known: true}
}

func (p *parser) float(t token, text string) value {
	s := strings.TrimRight(strings.ToLower(text), "flq")
	if strings.HasPrefix(s, "0x") {
		s = strings.ToLower(strings.TrimRight(text, "lL"))
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil && !strings.Contains(err.Error(), "range") {
		p.fail(t.pos, Constant, "%s is not a number this package reads", t.text)
	}
	kind := layout.Double
	if strings.HasSuffix(strings.ToLower(text), "f") {
		kind = layout.Float
	}
	return value{typ: layout.Scalar{Kind: kind}, why: "floating-point constants are not computed"}
}

// literalType chooses the type of an integer literal (C17 6.4.4.1).
func (p *parser) literalType(n uint64, suffix, body string) layout.Type {
	if p.prep {
		if strings.Contains(suffix, "u") || n > 1<<63-1 {
			return layout.Scalar{Kind: layout.ULongLong}
		}
		return layout.Scalar{Kind: layout.LongLong}
	}
	kinds := []layout.Kind{layout.Int, layout.UInt, layout.Long, layout.ULong, layout.LongLong, layout.ULongLong}
	longs := strings.Count(suffix, "l")
	decimal := body[0] != '0'
	for i, k := range kinds {
		unsigned := i%2 == 1
		if i/2 < longs || strings.Contains(suffix, "u") && !unsigned || unsigned && decimal && !strings.Contains(suffix, "u") {
			continue
		}
		bits := uint(p.sizeOf(layout.Scalar{Kind: k}) * 8)
		if !unsigned {
			bits--
		}
		if bits >= 64 || n < 1<<bits {
			return layout.Scalar{Kind: k}
		}
	}
	return layout.Scalar{Kind: layout.ULongLong}
}

func (p *parser) char(t token) value {
	i := strings.IndexByte(t.text, '\'')
	body := strings.TrimSuffix(t.text[i+1:], "'")
	kind := layout.Int
	if p.cxx {
		kind = layout.Char
	}
	if own, ok := encodings[t.text[:i]]; ok {
		kind = own
	}
	v := value{typ: layout.Scalar{Kind: kind}, known: true}
	for n := 0; body != ""; n++ {
		c, size := character(body)
		if size == 0 || n > 3 {
			p.fail(t.pos, Constant, "%s is not a character this package reads", t.text)
		}
		body = body[size:]
		v.bits = v.bits<<8 | uint64(uint32(c))
	}
	if i == 0 {
		v.bits = truncate(v.bits, 4, true)
		if v.bits > 127 && v.bits < 256 {
			v.bits = truncate(v.bits, 1, true)
		}
	}
	return v
}

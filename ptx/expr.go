package ptx

import (
	"math"
	"strconv"
	"strings"
)

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// intDigits splits an integer literal of PTX into its digits and base. The
// literals are decimal, 0x hexadecimal, 0b binary and 0 octal, with an
// optional U behind them.
func intDigits(lit string) (digits string, isInt bool) {
	lit = strings.TrimSuffix(strings.TrimSuffix(lit, "U"), "u")
	base := "0123456789"
	switch {
	case len(lit) > 2 && (lit[:2] == "0x" || lit[:2] == "0X"):
		lit, base = lit[2:], "0123456789abcdefABCDEF"
	case len(lit) > 2 && (lit[:2] == "0b" || lit[:2] == "0B"):
		lit, base = lit[2:], "01"
	case len(lit) > 1 && lit[0] == '0':
		lit, base = lit[1:], "01234567"
	}
	if lit == "" || strings.Trim(lit, base) != "" {
		return "", false
	}
	return lit, true
}

// intLiteral returns the value of an integer literal below 2^64.
func intLiteral(lit string) (uint64, bool) {
	if len(lit) == 1 && digit(lit[0]) {
		return uint64(lit[0] - '0'), true
	}
	digits, ok := intDigits(lit)
	if !ok {
		return 0, false
	}
	base := 10
	if lit[0] == '0' && len(lit) > 1 {
		switch lit[1] {
		case 'x', 'X':
			base = 16
		case 'b', 'B':
			base = 2
		case 'u', 'U':
			return 0, true
		default:
			base = 8
		}
	}
	v, err := strconv.ParseUint(digits, base, 64)
	return v, err == nil
}

// floatLiteral reports whether lit is a floating-point literal, and sets the
// kind, bits and size of o if so: 0f and eight hexadecimal digits, 0d and
// sixteen, or a decimal number with a point or an exponent.
func floatLiteral(lit string, o *Operand) bool {
	v, ok := floatValue(lit)
	if ok {
		o.Kind, o.Bits, o.FloatSize = KindFloat, v.bits, v.size
	}
	return ok
}

func floatValue(lit string) (value, bool) {
	if len(lit) > 2 && lit[0] == '0' {
		switch lit[1] {
		case 'f', 'F':
			v, err := strconv.ParseUint(lit[2:], 16, 32)
			return value{bits: v, float: true, size: 4}, err == nil && len(lit) == 10
		case 'd', 'D':
			v, err := strconv.ParseUint(lit[2:], 16, 64)
			return value{bits: v, float: true, size: 8}, err == nil && len(lit) == 18
		case 'x', 'X', 'b', 'B':
			return value{}, false
		}
	}
	if strings.IndexByte(lit, '.') < 0 && strings.IndexAny(lit, "eE") < 0 {
		return value{}, false
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil && !math.IsInf(f, 0) {
		return value{}, false
	}
	return value{bits: math.Float64bits(f), float: true}, true
}

// A value is that of a constant expression: an integer modulo 2^64 that is
// signed or not, or a float.
type value struct {
	bits     uint64
	unsigned bool
	float    bool
	size     int // of a float: 4, 8, or 0 for a decimal one
}

func truth(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

// exprParser evaluates constant expressions, with C's precedence and the
// 64-bit arithmetic of PTX.
type exprParser struct {
	p     *parser
	depth int
}

// maxDepth bounds the nesting of parentheses and unary operators.
const maxDepth = 200

func (e *exprParser) ternary() (value, bool) {
	e.depth++
	defer func() { e.depth-- }()
	if e.depth > maxDepth {
		e.p.errorAt(e.p.pos, "constant expression nested too deeply")
		return value{}, false
	}
	c, ok := e.binary(0)
	if !ok || !e.p.got('?') {
		return c, ok
	}
	a, ok := e.ternary()
	if !ok || !e.p.want(':', "in the conditional expression") {
		return value{}, false
	}
	b, ok := e.ternary()
	if c.bits == 0 {
		a = b
	}
	return a, ok
}

// levels are the binary operators from the loosest to the tightest.
var levels = [...][]string{
	{"||"},
	{"&&"},
	{"|"},
	{"^"},
	{"&"},
	{"==", "!="},
	{"<=", ">=", "<", ">"},
	{"<<", ">>"},
	{"+", "-"},
	{"*", "/", "%"},
}

// operator returns the operator of the level at the current token.
func (e *exprParser) operator(level int) string {
	p := e.p
	if p.tok != tPunct {
		return ""
	}
	rest := p.src[p.start:min(p.start+2, len(p.src))]
	if len(rest) == 2 {
		switch rest {
		case "||", "&&", "==", "!=", "<=", ">=", "<<", ">>":
			for _, op := range levels[level] {
				if op == rest {
					return op
				}
			}
			return ""
		}
	}
	for _, op := range levels[level] {
		if op == rest[:1] {
			return op
		}
	}
	return ""
}

func (e *exprParser) binary(level int) (value, bool) {
	if level == len(levels) {
		return e.unary()
	}
	a, ok := e.binary(level + 1)
	for ok {
		pos := e.p.pos
		op := e.operator(level)
		if op == "" {
			break
		}
		e.p.next()
		if len(op) == 2 {
			e.p.next()
		}
		var b value
		if b, ok = e.binary(level + 1); !ok {
			break
		}
		a, ok = e.apply(pos, op, a, b)
	}
	return a, ok
}

func (e *exprParser) apply(pos Pos, op string, a, b value) (value, bool) {
	if a.float || b.float {
		e.p.errorAt(pos, "operators take integers here; write the floating-point constant itself")
		return value{}, false
	}
	x, y := a.bits, b.bits
	u := a.unsigned || b.unsigned
	r := value{unsigned: u}
	less := int64(x) < int64(y)
	if u {
		less = x < y
	}
	switch op {
	case "||":
		return truth(x != 0 || y != 0), true
	case "&&":
		return truth(x != 0 && y != 0), true
	case "==":
		return truth(x == y), true
	case "!=":
		return truth(x != y), true
	case "<":
		return truth(less), true
	case ">=":
		return truth(!less), true
	case ">":
		return truth(!less && x != y), true
	case "<=":
		return truth(less || x == y), true
	case "|":
		r.bits = x | y
	case "^":
		r.bits = x ^ y
	case "&":
		r.bits = x & y
	case "<<":
		r.bits = x << min(y, 64)
	case ">>":
		if r.unsigned = a.unsigned; a.unsigned {
			r.bits = x >> min(y, 64)
		} else {
			r.bits = uint64(int64(x) >> min(y, 63))
		}
	case "+":
		r.bits = x + y
	case "-":
		r.bits = x - y
	case "*":
		r.bits = x * y
	case "/", "%":
		if y == 0 {
			e.p.errorAt(pos, "division by zero")
			return value{}, false
		}
		switch {
		case u && op == "/":
			r.bits = x / y
		case u:
			r.bits = x % y
		case op == "/":
			r.bits = uint64(int64(x) / int64(y))
		default:
			r.bits = uint64(int64(x) % int64(y))
		}
	}
	return r, true
}

// unary = { "+" | "-" | "~" | "!" | "(" ".s64" ")" | "(" ".u64" ")" } primary .
func (e *exprParser) unary() (value, bool) {
	e.depth++
	defer func() { e.depth-- }()
	p := e.p
	if e.depth > maxDepth {
		p.errorAt(p.pos, "constant expression nested too deeply")
		return value{}, false
	}
	if p.tok == tPunct {
		op := p.ch
		switch op {
		case '+', '-', '~', '!':
			pos := p.pos
			p.next()
			v, ok := e.unary()
			if !ok {
				return v, false
			}
			return e.applyUnary(pos, op, v)
		case '(':
			return e.parenthesised()
		}
	}
	return e.primary()
}

func (e *exprParser) applyUnary(pos Pos, op byte, v value) (value, bool) {
	if v.float {
		switch op {
		case '+':
			return v, true
		case '-':
			if v.size == 4 {
				v.bits ^= 1 << 31
			} else {
				v.bits ^= 1 << 63
			}
			return v, true
		}
		e.p.errorAt(pos, "'"+string(rune(op))+"' takes an integer")
		return v, false
	}
	switch op {
	case '-':
		v.bits = -v.bits
	case '~':
		v.bits = ^v.bits
	case '!':
		v = truth(v.bits == 0)
	}
	return v, true
}

func (e *exprParser) parenthesised() (value, bool) {
	p := e.p
	p.next()
	if p.tok == tDot && (p.lit() == ".s64" || p.lit() == ".u64") {
		unsigned := p.lit() == ".u64"
		p.next()
		if !p.want(')', "behind the cast") {
			return value{}, false
		}
		v, ok := e.unary()
		v.unsigned = unsigned
		return v, ok
	}
	v, ok := e.ternary()
	return v, ok && p.want(')', "in the constant expression")
}

// warpSize is the value of WARP_SZ on every architecture that PTX names.
const warpSize = 32

func (e *exprParser) primary() (value, bool) {
	p := e.p
	switch p.tok {
	case tIdent:
		if p.lit() == "WARP_SZ" {
			p.next()
			return value{bits: warpSize}, true
		}
	case tNumber:
		lit := p.lit()
		if v, ok := floatValue(lit); ok {
			p.next()
			return v, true
		}
		if v, ok := intLiteral(lit); ok {
			p.next()
			u := strings.IndexAny(lit[len(lit)-1:], "uU") >= 0 || v > math.MaxInt64
			return value{bits: v, unsigned: u}, true
		}
		if _, isInt := intDigits(lit); isInt {
			p.errorAt(p.pos, lit+" does not fit in 64 bits")
			return value{}, false
		}
		p.errorAt(p.pos, "'"+lit+"' is no number")
		return value{}, false
	}
	p.unexpected("an operand")
	return value{}, false
}

// ParseInt returns the value of an integer constant, with an optional sign;
// ok is false if text is none.
func ParseInt(text string) (v int64, ok bool) {
	digits, neg := strings.CutPrefix(text, "-")
	u, ok := intLiteral(digits)
	if !ok || u > math.MaxInt64 {
		return 0, false
	}
	if neg {
		return -int64(u), true
	}
	return int64(u), true
}

package ptx

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// intLiteral returns the value of an integer literal modulo 2^64. The literals
// are decimal, 0x hexadecimal, 0b binary and 0 octal, with an optional U after
// them. isInt reports whether lit is one, and fits whether it is below 2^64. wraps reports whether ptxas accepts one that
// is not: its releases 11.8 to 13.5 refuse it if the digits before some digit are 2^63 or more, modulo 2^64.
func intLiteral(lit string) (v uint64, isInt, fits, wraps bool) {
	digits, base := digitsOf(lit)
	fits, wraps = true, true
	for i := range len(digits) {
		digit := uint64(digits[i] - '0')
		if digits[i] > '9' {
			digit = uint64(digits[i]|0x20-'a') + 10
		}
		if digit >= base {
			return 0, false, false, false
		}
		wraps = wraps && v < 1<<63
		high, low := bits.Mul64(v, base)
		next, carry := bits.Add64(low, digit, 0)
		v, fits = next, fits && high+carry == 0
	}
	return v, digits != "", fits, wraps
}

// digitsOf returns the digits of an integer literal, and their base.
func digitsOf(lit string) (digits string, base uint64) {
	if len(lit) > 1 {
		lit = strings.TrimSuffix(lit, "U")
	}
	switch {
	case len(lit) < 2 || lit[0] != '0':
		return lit, 10
	case lit[1]|0x20 == 'x':
		return lit[2:], 16
	case lit[1]|0x20 == 'b':
		return lit[2:], 2
	}
	return lit[1:], 8
}

// A value is the value of a constant expression: an integer modulo 2^64 that is
// signed or not, or a float.
type value struct {
	bits     uint64
	unsigned bool
	float    bool
	size     int  // of a float: 4 for 0f…, 8 for 0d…, 0 for a decimal one
	wrapped  bool // a literal in the expression is 2^64 or more
}

func truth(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

// value parses a constant expression.
func (p *operandParser) value() (value, bool) {
	e := exprParser{p: p}
	if p.tok == tNumber && p.off < len(p.src) && strings.IndexByte(",];}", p.src[p.off]) >= 0 {
		return e.primary() // a number alone
	}
	return e.ternary()
}

// negated returns a float with the other sign.
func (v value) negated() value {
	v.bits ^= 1 << 63
	if v.size == 4 {
		v.bits ^= 1<<63 | 1<<31
	}
	return v
}

// An exprParser evaluates constant expressions, with C's precedence and the
// 64-bit arithmetic of PTX.
type exprParser struct {
	p     *operandParser
	depth int
}

// maxDepth bounds the nesting of parentheses and unary operators.
const maxDepth = 200

func (e *exprParser) deeper() bool {
	if e.depth++; e.depth > maxDepth {
		e.p.errorAt(e.p.pos, "constant expression nested too deeply")
		return false
	}
	return true
}

func (e *exprParser) ternary() (value, bool) {
	if !e.deeper() {
		return value{}, false
	}
	pos := e.p.pos
	c, ok := e.binary(1)
	if ok && e.p.got('?') {
		var a, b value
		a, ok = e.ternary()
		ok = ok && e.p.want(':', "in the conditional expression")
		if ok {
			b, ok = e.ternary()
		}
		if ok && (a.float || b.float || c.float) {
			e.p.errorAt(pos, "a conditional expression takes integers")
			ok = false
		}
		if c.bits == 0 {
			a = b
		}
		c = a
	}
	e.depth--
	return c, ok
}

// precedences has the precedences of the binary operators. The loosest has 1.
var precedences = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
	"+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// binaryOp returns the binary operator at the current token and its precedence; 0 if there is none.
func (e *exprParser) binaryOp() (op string, prec int) {
	p := e.p
	if p.tok != tPunct {
		return "", 0
	}
	for n := min(2, len(p.src)-p.start); n > 0 && prec == 0; n-- {
		op = p.src[p.start : p.start+n]
		prec = precedences[op]
	}
	return op, prec
}

// compared returns the value of x op y; ok is false if op is no comparison.
func compared[T uint64 | int64 | float64](x T, op string, y T) (v value, ok bool) {
	switch op {
	case "==":
		return truth(x == y), true
	case "!=":
		return truth(x != y), true
	case "<":
		return truth(x < y), true
	case ">":
		return truth(x > y), true
	case "<=":
		return truth(x <= y), true
	case ">=":
		return truth(x >= y), true
	}
	return v, false
}

// binary parses an expression with binary operators of at least a precedence. The right operand of an operator has
// operators of a higher precedence alone, so that operators of one precedence group from the left.
func (e *exprParser) binary(least int) (value, bool) {
	a, ok := e.unary()
	for ok {
		pos := e.p.pos
		op, prec := e.binaryOp()
		if prec < least || prec == 0 {
			break
		}
		e.p.next()
		if len(op) == 2 {
			e.p.next()
		}
		var b value
		if b, ok = e.binary(prec + 1); ok {
			a, ok = e.apply(pos, op, a, b)
		}
	}
	return a, ok
}

// apply returns a op b as ptxas 11.8 to 13.5 evaluate it: a remainder is
// computed with unsigned numbers, and a shift by its count modulo 64.
func (e *exprParser) apply(pos Pos, op string, a, b value) (value, bool) {
	if a.float || b.float {
		return e.applyFloat(pos, op, a, b)
	}
	x, y := a.bits, b.bits
	r := value{unsigned: a.unsigned || b.unsigned, wrapped: a.wrapped || b.wrapped}
	if v, ok := compared(x, op, y); ok && r.unsigned {
		return v, true
	}
	if v, ok := compared(int64(x), op, int64(y)); ok {
		return v, true
	}
	switch op {
	case "||":
		return truth(x != 0 || y != 0), true
	case "&&":
		return truth(x != 0 && y != 0), true
	case "|":
		r.bits = x | y
	case "^":
		r.bits = x ^ y
	case "&":
		r.bits = x & y
	case "<<":
		r = value{bits: x << (y & 63), unsigned: a.unsigned}
	case ">>":
		r = value{bits: uint64(int64(x) >> (y & 63)), unsigned: a.unsigned}
		if a.unsigned {
			r.bits = x >> (y & 63)
		}
	case "+":
		r.bits = x + y
	case "-":
		r.bits = x - y
	case "*":
		r.bits = x * y
	case "/", "%":
		return e.divide(pos, op, x, y, r.unsigned)
	}
	return r, true
}

func (e *exprParser) divide(pos Pos, op string, x, y uint64, unsigned bool) (value, bool) {
	switch {
	case y == 0:
		e.p.errorAt(pos, "division by zero")
		return value{}, false
	case op == "%":
		return value{bits: x % y, unsigned: true}, true
	case unsigned:
		return value{bits: x / y, unsigned: true}, true
	}
	return value{bits: uint64(int64(x) / int64(y))}, true
}

// unary parses { "+" | "-" | "~" | "!" | "(" ".s64" ")" | "(" ".u64" ")" } primary.
func (e *exprParser) unary() (v value, ok bool) {
	p := e.p
	if p.tok != tPunct {
		return e.primary()
	}
	switch op := p.ch; op {
	case '+', '-', '~', '!':
		if !e.deeper() {
			return value{}, false
		}
		pos := p.pos
		p.next()
		if v, ok = e.unary(); ok {
			v, ok = e.applyUnary(pos, op, v)
		}
		e.depth--
		return v, ok
	case '(':
		return e.parenthesised()
	}
	return e.primary()
}

func (e *exprParser) applyUnary(pos Pos, op byte, v value) (value, bool) {
	switch {
	case op == '+':
		return v, true
	case v.float && op == '-':
		return v.negated(), true
	case v.float:
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
		if !p.want(')', "after the cast") || !e.deeper() {
			return value{}, false
		}
		pos := p.pos
		v, ok := e.unary()
		if ok && v.float {
			p.errorAt(pos, "a cast takes an integer")
			ok = false
		}
		v.unsigned = unsigned
		e.depth--
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
		if p.lit() == warpName {
			p.next()
			return value{bits: warpSize}, true
		}
	case tNumber:
		lit := p.lit()
		switch v, isInt, fits, wraps := intLiteral(lit); {
		case isInt && fits:
			p.next()
			u := lit[len(lit)-1]|0x20 == 'u' || v > math.MaxInt64
			return value{bits: v, unsigned: u}, true
		case isInt && wraps:
			p.next()
			return value{bits: v, unsigned: true, wrapped: true}, true
		case isInt:
			p.errorAt(p.pos, short(lit)+" does not fit in 64 bits")
			return value{}, false
		}
		if v, ok := floatValue(lit); ok {
			p.next()
			return v, true
		}
		p.errorAt(p.pos, "'"+short(lit)+"' is not a number")
		return value{}, false
	}
	p.unexpected("an operand")
	return value{}, false
}

// ParseConstant returns a constant as an operand: an integer or a floating-point literal,
// with an optional minus sign; ok is false if text is neither, or is an integer beyond 64 bits.
func ParseConstant(text string) (o Operand, ok bool) {
	digits, neg := strings.CutPrefix(text, "-")
	if u, isInt, fits, _ := intLiteral(digits); isInt {
		if neg {
			u = -u
		}
		return Operand{Kind: KindInt, Text: text, Bits: u}, fits
	}
	v, ok := floatValue(digits)
	if !ok {
		return Operand{}, false
	}
	if neg {
		v = v.negated()
	}
	return Operand{Kind: KindFloat, Text: text, Bits: v.bits, FloatSize: uint8(v.size)}, true
}

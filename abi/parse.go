package abi

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A SyntaxError is a syntax error that [ParseSignature] has found.
type SyntaxError struct {
	Col int    // the column in the text, in bytes, counted from 1
	Msg string // the expected text and the text that was found
}

// Error returns the message after the column: "column 6: …".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("column %d: %s", zero.Or(e).Col, zero.Or(e).Msg)
}

// A SyntaxErrorList is all syntax errors of a text, in its order. It is never empty if it
// is returned as an error.
type SyntaxErrorList []*SyntaxError

// Error returns all messages, joined by "; ".
func (l SyntaxErrorList) Error() string { return joined(l) }

// Unwrap returns the errors one by one, for errors.As.
func (l SyntaxErrorList) Unwrap() []error { return oneByOne(l) }

// ParseSignature reads the notation of docs/abi.md, which [Signature.String] writes:
//
//	func(4@4, 12@8) -> 4@4
//	func(8@8, []@8)
//	func(4@4, 64@8); preserve 4
//	entry(4@4, opaque)
//
//	signature = ( "func" | "entry" ) "(" [ values ] ")" [ "->" values ] [ ";" "preserve" number ] .
//	values    = value { "," value } .
//	value     = "opaque" | size [ "@" align ] .
//	size      = number | "[" [ number ] "]" .
//
// Numbers are decimal and fit in 32 bits, with their sign; sizes and alignments are in
// bytes. Blanks may stand between words and marks. "[]" is the unsized array at the end
// of a variadic function's parameters, and "[24]" the 24 bytes that a call passes there.
// Without "@" a value is aligned to 1, as .b8 x[4] is without .align; "@0" is an error, as .align 0
// is for the assembler. The signature may end with line ends.
//
// The signature may still have no assignment; [Assign] reports that. The error, if any,
// is a [SyntaxErrorList], and the signature is then zero.
func ParseSignature(text string) (Signature, error) {
	p := sigParser{text: strings.TrimRight(text, "\r\n")}
	s := p.signature()
	if len(p.errs) > 0 {
		return Signature{}, p.errs
	}
	return s, nil
}

// A sigParser reads a signature. It is at a byte of its text, never at a blank.
type sigParser struct {
	text string
	at   int
	errs SyntaxErrorList
}

func (p *sigParser) signature() Signature {
	var s Signature
	p.blanks()
	at := p.at
	switch p.word() {
	case "func":
	case "entry":
		s.Kind = Entry
	default:
		p.expected(at, `"func" or "entry"`)
		p.skip("(")
	}
	if !p.got("(") {
		p.expected(p.at, `"("`)
		p.skip(")", "->", ";")
	}
	if !p.got(")") {
		s.Params = p.values(")")
		if !p.got(")") {
			p.expected(p.at, `"," or ")"`)
			p.skip(")", "->", ";")
			p.got(")")
		}
	}
	if p.got("->") {
		s.Results = p.values(";")
	}
	if p.got(";") {
		if at := p.at; p.word() != "preserve" {
			p.expected(at, `"preserve"`)
		}
		s.Preserve = Preserve{Given: true, N: p.number("the number of .abi_preserve")}
	}
	if p.at < len(p.text) {
		switch {
		case s.Preserve.Given:
			p.expected(p.at, "the end")
		case s.Results != nil:
			p.expected(p.at, `",", ";" or the end`)
		default:
			p.expected(p.at, `"->", ";" or the end`)
		}
	}
	return s
}

// values reads a list of values up to end. After an error in a value, it goes on after the
// next comma.
func (p *sigParser) values(end string) []Value {
	var list []Value
	for {
		list = append(list, p.value(end))
		if !p.got(",") {
			return list
		}
	}
}

func (p *sigParser) value(end string) Value {
	var v Value
	at, reported := p.at, len(p.errs)
	switch {
	case p.word() == "opaque":
		return Value{Kind: Opaque}
	case p.at > at:
		p.expected(at, "a size, an array such as []@8, or opaque")
	case p.got("["):
		v.Kind = Unsized
		if p.got("]") {
			break
		}
		v.Size = p.number(`the bytes of an array or "]"`)
		if len(p.errs) == reported && !p.got("]") {
			p.expected(p.at, `"]"`)
		}
	default:
		v.Size = p.number("a size, an array such as []@8, or opaque")
	}
	if len(p.errs) == reported && p.got("@") {
		at := p.at
		if v.Align = p.number("an alignment"); v.Align == 0 && len(p.errs) == reported {
			p.report(at, "an alignment expected, found 0, which is not a power of two; without @ it is 1")
		}
	}
	if len(p.errs) > reported {
		p.skip(",", end)
	}
	return v
}

// number reads a number, which what names in errors.
func (p *sigParser) number(what string) int {
	at, digits := p.at, p.at
	if strings.HasPrefix(p.text[at:], "-") {
		digits++
	}
	end := digits
	for end < len(p.text) && '0' <= p.text[end] && p.text[end] <= '9' {
		end++
	}
	if end == digits {
		p.expected(at, what)
		return 0
	}
	p.at = end
	n, err := strconv.ParseInt(p.text[at:end], 10, 32)
	if err != nil {
		p.report(at, "%s expected, found a number that does not fit 32 bits", what)
	}
	p.blanks()
	return int(n)
}

// word reads letters; "" if there are none here.
func (p *sigParser) word() string {
	at := p.at
	for letter(p.text, p.at) {
		p.at++
	}
	w := p.text[at:p.at]
	p.blanks()
	return w
}

// letter reports whether byte i of a text is there and an ASCII letter.
func letter(text string, i int) bool {
	return i < len(text) && 'a' <= text[i]|0x20 && text[i]|0x20 <= 'z'
}

// got reports whether a mark comes next, and skips it.
func (p *sigParser) got(mark string) bool {
	if !strings.HasPrefix(p.text[p.at:], mark) {
		return false
	}
	p.at += len(mark)
	p.blanks()
	return true
}

// skip goes to the next of some marks, or to the end.
func (p *sigParser) skip(marks ...string) {
	for ; p.at < len(p.text); p.at++ {
		for _, m := range marks {
			if strings.HasPrefix(p.text[p.at:], m) {
				return
			}
		}
	}
}

func (p *sigParser) blanks() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// maxShown is how many bytes of a word an error shows.
const maxShown = 20

// expected reports the text at a byte in place of the expected one. The end is reported once.
func (p *sigParser) expected(at int, what string) {
	if at >= len(p.text) {
		if n := len(p.errs); n == 0 || p.errs[n-1].Col <= len(p.text) {
			p.report(at, "%s expected, found the end", what)
		}
		return
	}
	_, n := utf8.DecodeRuneInString(p.text[at:])
	for n < maxShown && letter(p.text, at+n-1) && letter(p.text, at+n) {
		n++
	}
	p.report(at, "%s expected, found %q", what, p.text[at:at+n])
}

func (p *sigParser) report(at int, format string, args ...any) {
	p.errs = append(p.errs, &SyntaxError{Col: at + 1, Msg: fmt.Sprintf(format, args...)})
}

package diag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Text finds the lines of a text. A line ends with "\n" or "\r\n", which is not part of
// it, or at the end of the text. A byte-order mark at the start is not part of a line.
type Text struct {
	src   string
	lines []int // the offset of each line
	rest  []int // the offsets of the bytes that begin no character, in order; ASCII has none
}

// byteOrderMark is that of UTF-8.
const byteOrderMark = "\ufeff"

// NewText returns the text src.
func NewText(src string) *Text {
	t := &Text{src: src, lines: make([]int, 1, strings.Count(src, "\n")+1)}
	if strings.HasPrefix(src, byteOrderMark) {
		t.lines[0] = len(byteOrderMark)
	}
	for i := 0; i < len(src); {
		n := 1
		if src[i] >= utf8.RuneSelf {
			_, n = utf8.DecodeRuneInString(src[i:])
		}
		for k := 1; k < n; k++ {
			t.rest = append(t.rest, i+k)
		}
		i += n
	}
	for at := t.lines[0]; ; {
		i := strings.IndexByte(src[at:], '\n')
		if i < 0 {
			return t
		}
		at += i + 1
		t.lines = append(t.lines, at)
	}
}

// Line returns line n, counted from 1, without its end. ok is false if there is none.
// After the last line end there is an empty line.
func (t *Text) Line(n uint32) (line string, ok bool) {
	if t == nil || n == 0 || int64(n) > int64(len(t.lines)) {
		return "", false
	}
	if int(n) == len(t.lines) {
		return t.src[t.lines[n-1]:], true
	}
	return strings.TrimSuffix(t.src[t.lines[n-1]:t.lines[n]-1], "\r"), true
}

// Offset returns the number of bytes before p, a byte-order mark included. ok is false if
// p is not a position of the text. Each line has a position for each of its bytes and one after the last.
func (t *Text) Offset(p Pos) (offset int, ok bool) {
	line, ok := t.Line(p.Line)
	if !ok || p.Col == 0 || int64(p.Col)-1 > int64(len(line)) {
		return 0, false
	}
	return t.lines[p.Line-1] + int(p.Col) - 1, true
}

// Column returns the column of p in characters, counted from 1: the number of characters that begin before it on its line,
// plus 1. ok is false if p is not a position of the text, or t is nil.
func (t *Text) Column(p Pos) (col uint32, ok bool) {
	off, ok := t.Offset(p)
	if !ok {
		return 0, false
	}
	inner := func(off int) int { // how many bytes before an offset begin no character
		n, _ := slices.BinarySearch(t.rest, off)
		return n
	}
	return p.Col - uint32(inner(off)-inner(off-int(p.Col)+1)), true
}

// eol returns the end of line n; for the last line, which has none, the end of the line before.
func (t *Text) eol(n uint32) string {
	if int(n) == len(t.lines) {
		n--
	}
	if n == 0 {
		return "\n" // there is one line, without an end
	}
	if strings.HasSuffix(t.src[:t.lines[n]], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// Texts are texts by the file names that diagnostics have. A nil map has none.
type Texts map[string]*Text

// Printable returns s on one line, safe for a terminal. Characters that control a terminal,
// hide text or reverse it are escaped as in Go: control characters (C0, DEL and C1), the
// line and paragraph separators, the controls of bidirectional text, and bytes that are not
// UTF-8. Other text is returned as it is; a backslash is not escaped.
func Printable(s string) string { return escaped(s, false) }

// PrintableLines is Printable for a text of several lines: line ends, "\n" and "\r\n", and
// tabs stay as they are.
func PrintableLines(s string) string { return escaped(s, true) }

// escaped escapes characters that are not printable; if lines is set, not line ends and tabs.
func escaped(s string, lines bool) string {
	var b strings.Builder
	done := 0 // s[:done] has been written to b
	for i, r := range s {
		bad := r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD")
		if !bad && !isControl(r) || lines && (r == '\n' || r == '\t' || strings.HasPrefix(s[i:], "\r\n")) {
			continue
		}
		b.WriteString(s[done:i])
		if bad {
			fmt.Fprintf(&b, `\x%02x`, s[i])
			done = i + 1
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
		done = i + utf8.RuneLen(r)
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}

// isControl reports whether Printable escapes a character.
func isControl(r rune) bool {
	switch {
	case r < ' ', 0x7f <= r && r < 0xa0:
		return true
	case r < 0x061c:
		return false
	}
	return r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

package web

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// A text is the input with what is needed to count in it.
type text struct {
	src   string
	lines []int // where each line begins, in bytes
	// utf16 has the UTF-16 units before each byte; nil where all is ASCII, so
	// that bytes and units are the same.
	utf16 []int32
	// looked counts the bytes that words looked at.
	looked int
}

const byteOrderMark = "\ufeff"

func newText(src string) *text {
	t := &text{src: src, lines: []int{0}}
	if strings.HasPrefix(src, byteOrderMark) {
		t.lines[0] = len(byteOrderMark) // which columns do not count
	}
	ascii := true
	for i := range len(src) {
		if src[i] == '\n' {
			t.lines = append(t.lines, i+1)
		}
		ascii = ascii && src[i] < utf8.RuneSelf
	}
	if ascii {
		return t
	}
	t.utf16 = make([]int32, len(src)+1)
	n := int32(0)
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRuneInString(src[i:])
		for k := range size {
			t.utf16[i+k] = n
		}
		if n++; r > 0xffff {
			n++
		}
		i += size
	}
	t.utf16[len(src)] = n
	return t
}

// units is the number of UTF-16 units before a byte.
func (t *text) units(at int) int {
	at = min(max(at, 0), len(t.src))
	if t.utf16 == nil {
		return at
	}
	return int(t.utf16[at])
}

// at is the byte at a line and column, which count from 1; -1 where there is
// none.
func (t *text) at(line, col int) int {
	if line < 1 || line > len(t.lines) || col < 1 {
		return -1
	}
	return min(t.lines[line-1]+col-1, len(t.src))
}

// line is the line of a byte, from 1.
func (t *text) line(at int) int {
	n, _ := slices.BinarySearch(t.lines, at+1)
	return max(n, 1)
}

// token is the end of what begins at a byte: a word, or one character. At the
// end of a line it is the line's end.
func (t *text) token(from int) int {
	to := from
	for to < len(t.src) && isWord(t.src[to]) {
		to++
	}
	if to == from && to < len(t.src) && t.src[to] != '\n' {
		_, size := utf8.DecodeRuneInString(t.src[to:])
		to += size
	}
	return to
}

func isWord(c byte) bool {
	return lex.InName(c) || c == '%' || c == '.'
}

// maxLooked is how many bytes are looked at for the names of values, all in all:
// a name that a macro makes is nowhere, and is looked for to the text's end.
var maxLooked = 16 * maxText

// words calls f with the names from a byte on, until f is done with them, or up to
// the first byte outside of comments that is one of stops. Where the text was
// looked through often enough it finds none.
func (t *text) words(from int, stops string, f func(from, to int) (done bool)) {
	name := func(c byte) bool { return isWord(c) && c != '.' }
	i := from
	defer func() { t.looked += i - from }()
	for end := min(len(t.src), from+maxLooked-t.looked); i < end; {
		c := t.src[i]
		switch {
		case strings.HasPrefix(t.src[i:], "//"):
			if n := strings.IndexByte(t.src[i:], '\n'); n >= 0 {
				i += n
				continue
			}
			return
		case strings.HasPrefix(t.src[i:], "/*"):
			n := strings.Index(t.src[i+2:], "*/")
			if n < 0 {
				return
			}
			i += n + 4
		case name(c):
			to := i
			for to < len(t.src) && name(t.src[to]) {
				to++
			}
			if f(i, to) {
				return
			}
			i = to
		case strings.IndexByte(stops, c) >= 0:
			return
		default:
			i++
		}
	}
}

// find returns the first place of a name from a byte on, up to a stop; -1 if
// there is none.
func (t *text) find(from int, stops, name string) int {
	found := -1
	if from < 0 || name == "" {
		return -1
	}
	t.words(from, stops, func(from, to int) bool {
		if t.src[from:to] == name {
			found = from
		}
		return found >= 0
	})
	return found
}

// report adds diagnostics, each once.
func (a *answer) report(list diag.List) {
	for i, e := range list {
		if len(a.res.Diagnostics) == maxDiags {
			a.note("the first %d of %d diagnostics are shown", maxDiags, maxDiags+len(list)-i)
			return
		}
		d := a.diagnostic(e)
		if !a.said(d) {
			a.res.Diagnostics = append(a.res.Diagnostics, d)
		}
	}
}

func (a *answer) said(d Diagnostic) bool {
	return slices.ContainsFunc(a.res.Diagnostics, func(old Diagnostic) bool {
		return old.From == d.From && old.Code == d.Code && old.Message == d.Message
	})
}

func (a *answer) diagnostic(e *diag.Diagnostic) Diagnostic {
	d := Diagnostic{
		Severity: e.Severity.String(), Code: string(e.Code), Message: brief(e.Msg),
		Line: int(e.Pos.Line), Column: int(e.Pos.Col), From: -1, To: -1, Related: []Related{}, Fixes: []Fix{},
	}
	if from := a.text.at(d.Line, d.Column); from >= 0 {
		d.From, d.To = a.text.units(from), a.text.units(a.text.token(from))
	}
	for _, r := range e.Related {
		d.Related = append(d.Related, Related{Message: brief(r.Msg), Line: int(r.Pos.Line), Column: int(r.Pos.Col)})
	}
	for _, f := range e.Fixes {
		if fix, ok := a.fix(f); ok {
			d.Fixes = append(d.Fixes, fix)
		}
	}
	return d
}

// fix is one whose edits are all of the text.
func (a *answer) fix(f diag.Fix) (Fix, bool) {
	fix := Fix{Text: brief(f.Msg), Edits: []Edit{}}
	last := 0
	for _, e := range f.Edits {
		from, to := a.text.at(int(e.Pos.Line), int(e.Pos.Col)), a.text.at(int(e.End.Line), int(e.End.Col))
		if from < last || to < from {
			return Fix{}, false
		}
		last = to
		fix.Edits = append(fix.Edits, Edit{a.text.units(from), a.text.units(to), e.Text})
	}
	return fix, len(fix.Edits) > 0
}

// longestWord is how many bytes of a word a message shows: names of the source
// are in messages, and may be of any length.
const longestWord = 200

// reason is an error as a message.
func reason(err error) string { return brief(err.Error()) }

// brief cuts the middle out of words that are too long to be read.
func brief(message string) string {
	if len(message) <= longestWord {
		return message
	}
	words := strings.Split(message, " ")
	for i, w := range words {
		if len(w) > longestWord {
			head, tail := longestWord/2, len(w)-longestWord/4
			for !utf8.RuneStart(w[head]) {
				head--
			}
			for !utf8.RuneStart(w[tail]) {
				tail++
			}
			words[i] = w[:head] + "…" + w[tail:]
		}
	}
	return strings.Join(words, " ")
}

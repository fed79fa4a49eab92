package lsp

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/diag"
)

// A text is the contents of a document, with where its lines begin.
type text struct {
	src   string
	lines []int
	utf8  bool // positions of the client count bytes; UTF-16 code units otherwise
}

func newText(src string, inBytes bool) *text {
	t := &text{src: src, lines: []int{0}, utf8: inBytes}
	for i := 0; ; {
		n := strings.IndexByte(src[i:], '\n')
		if n < 0 {
			return t
		}
		i += n + 1
		t.lines = append(t.lines, i)
	}
}

// apply makes changes, each to what those before it have made. Where each stands before the one before it, as an editor
// sends the many of a formatted file, the text is built once for all of them.
func (t *text) apply(changes []contentChange) *text {
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit // of t, from its end to its beginning
	build := func() {
		if len(edits) == 0 {
			return
		}
		var b strings.Builder
		last := 0
		for _, e := range slices.Backward(edits) {
			b.WriteString(t.src[last:e.from])
			b.WriteString(e.text)
			last = e.to
		}
		b.WriteString(t.src[last:])
		t, edits = newText(b.String(), t.utf8), nil
	}
	for _, c := range changes {
		if c.Range == nil {
			t, edits = newText(c.Text, t.utf8), nil
			continue
		}
		if n := len(edits); n > 0 {
			if first := t.at(edits[n-1].from); !c.Range.Start.before(first) || !c.Range.End.before(first) {
				build()
			}
		}
		from, to := t.offset(c.Range.Start), t.offset(c.Range.End)
		edits = append(edits, edit{from, max(from, to), c.Text})
	}
	build()
	return t
}

// before reports whether a position stands before another one.
func (p position) before(q position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

// line returns a line without its end; "" for one that is not there.
func (t *text) line(n int) string {
	if n < 0 || n >= len(t.lines) {
		return ""
	}
	end := len(t.src)
	if n+1 < len(t.lines) {
		end = t.lines[n+1] - 1
	}
	return strings.TrimSuffix(t.src[t.lines[n]:end], "\r")
}

// offset returns that of a position. One that is beyond a line or the text is at its end.
func (t *text) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(t.lines) {
		return len(t.src)
	}
	return t.lines[p.Line] + t.bytes(t.line(p.Line), p.Character)
}

// bytes is how many bytes of a line so many units of the client are.
func (t *text) bytes(line string, units int) int {
	if units <= 0 {
		return 0
	}
	if t.utf8 {
		return min(units, len(line))
	}
	for i, r := range line {
		if units <= 0 {
			return i
		}
		units -= max(utf16.RuneLen(r), 1)
	}
	return len(line)
}

// at returns the position of an offset.
func (t *text) at(off int) position {
	n := sort.SearchInts(t.lines, off+1) - 1
	head := t.src[t.lines[n]:off]
	if t.utf8 {
		return position{n, len(head)}
	}
	units := 0
	for len(head) > 0 {
		r, size := utf8.DecodeRuneInString(head)
		units += max(utf16.RuneLen(r), 1)
		head = head[size:]
	}
	return position{n, units}
}

// of returns the range of a diagnostic's positions, a word if its end is not known.
func (t *text) of(pos, end diag.Pos) span {
	if !pos.IsValid() {
		return span{}
	}
	from := t.where(pos)
	to := from
	if end.IsValid() {
		to = t.where(end)
	} else {
		_, to = t.word(from)
	}
	return span{t.at(from), t.at(max(from, to))}
}

// where returns the offset of a position of the parser.
func (t *text) where(p diag.Pos) int {
	n := int(p.Line) - 1
	if n < 0 || n >= len(t.lines) {
		return len(t.src)
	}
	line := t.line(n)
	bom := 0
	if n == 0 && strings.HasPrefix(t.src, "\ufeff") {
		bom = len("\ufeff")
	}
	return t.lines[n] + min(int(p.Col)-1+bom, len(line))
}

// word returns the name that stands around an offset; from == to where there is none.
func (t *text) word(off int) (from, to int) {
	from, to = off, off
	for from > 0 && inName(t.src[from-1]) {
		from--
	}
	for to < len(t.src) && inName(t.src[to]) {
		to++
	}
	return from, to
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%'
}

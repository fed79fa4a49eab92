package lsp

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/diag"
)

// A text is the contents of a document, with where its lines begin.
type text struct {
	src   string
	lines []int
	utf8  bool // positions of the client count bytes; UTF-16 code units otherwise
	// units are how many code units are before each byte; nil if as many as bytes are.
	units []int32
}

func newText(src string, inBytes bool) *text {
	t := &text{src: src, lines: make([]int, 1, strings.Count(src, "\n")+1), utf8: inBytes}
	ascii := true
	for i := range len(src) {
		switch c := src[i]; {
		case c == '\n':
			t.lines = append(t.lines, i+1)
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	if !inBytes && !ascii {
		t.units = make([]int32, len(src)+1)
		for i := range len(src) {
			t.units[i+1] = t.units[i] + units(src[i])
		}
	}
	return t
}

// apply makes changes, each to what those before it have made.
func (t *text) apply(changes []contentChange) *text {
	src := []byte(t.src)
	for _, c := range changes {
		if c.Range == nil {
			src = []byte(c.Text)
			continue
		}
		from := offsetIn(src, c.Range.Start, t.utf8)
		to := max(from, offsetIn(src, c.Range.End, t.utf8))
		src = slices.Replace(src, from, to, []byte(c.Text)...)
	}
	return newText(string(src), t.utf8)
}

// offsetIn is [text.offset] in a text whose lines are not known yet.
func offsetIn(src []byte, p position, inBytes bool) int {
	if p.Line < 0 {
		return 0
	}
	from := 0
	for range p.Line {
		n := bytes.IndexByte(src[from:], '\n')
		if n < 0 {
			return len(src)
		}
		from += n + 1
	}
	line, _, _ := bytes.Cut(src[from:], []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if inBytes {
		return from + min(max(p.Character, 0), len(line))
	}
	i := 0
	for have := 0; i < len(line) && (have < p.Character || !utf8.RuneStart(line[i])); i++ {
		have += int(units(line[i]))
	}
	return from + i
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
	from := t.lines[p.Line]
	end := from + len(t.line(p.Line))
	if t.units == nil {
		return min(from+max(p.Character, 0), end)
	}
	want := t.before(from) + min(max(p.Character, 0), len(t.src))
	from += sort.Search(end-from, func(i int) bool { return t.before(from+i) >= want })
	for from < end && !utf8.RuneStart(t.src[from]) {
		from++
	}
	return from
}

// at returns the position of an offset.
func (t *text) at(off int) position {
	n := sort.SearchInts(t.lines, off+1) - 1
	return position{n, t.before(off) - t.before(t.lines[n])}
}

// before is how many units of the client stand before an offset.
func (t *text) before(off int) int {
	if t.units == nil {
		return off
	}
	return int(t.units[off])
}

// units is how many code units of UTF-16 a letter takes, by its first byte; 0 for its other bytes.
func units(c byte) int32 {
	switch {
	case c >= 0xf0:
		return 2
	case c < utf8.RuneSelf || c >= 0xc0:
		return 1
	}
	return 0
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

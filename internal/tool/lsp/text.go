package lsp

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// A text is the contents of a document.
type text struct{ contents[string] }

// Contents are a text, or one that changes, with where its lines begin.
type contents[T string | []byte] struct {
	src   T
	lines []int
	utf8  bool // positions of the client count bytes; UTF-16 code units otherwise
	wide  bool // there may be fewer code units than bytes
	// units are how many code units are before each byte of a wide text that does not change.
	units []int32
}

func newText(src string, inBytes bool) *text {
	lines, ascii := linesOf(src, 0)
	return counted(contents[string]{src: src, lines: append([]int{0}, lines...), utf8: inBytes, wide: !inBytes && !ascii})
}

// linesOf returns where lines begin after the first one of a text that stands at an offset, and whether it is of ASCII alone.
func linesOf(src string, at int) (lines []int, ascii bool) {
	lines, ascii = make([]int, 0, strings.Count(src, "\n")), true
	for i := range len(src) {
		switch c := src[i]; {
		case c == '\n':
			lines = append(lines, at+i+1)
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return lines, ascii
}

// counted is a text with its units.
func counted(c contents[string]) *text {
	if c.wide {
		c.units = make([]int32, len(c.src)+1)
		for i := range len(c.src) {
			c.units[i+1] = c.units[i] + units(c.src[i])
		}
	}
	return &text{c}
}

// apply makes changes, each to what those before it have made.
func (t *text) apply(changes []contentChange) *text {
	room := len(t.src)
	for _, c := range changes {
		room += len(c.Text)
	}
	next := contents[[]byte]{src: append(make([]byte, 0, room), t.src...), lines: slices.Clone(t.lines), utf8: t.utf8, wide: t.wide}
	for _, c := range changes {
		from, to := 0, len(next.src)
		if c.Range != nil {
			from = next.offset(c.Range.Start)
			to = max(from, next.offset(c.Range.End))
		}
		first, last := sort.SearchInts(next.lines, from+1), sort.SearchInts(next.lines, to+1)
		for i := range next.lines[last:] {
			next.lines[last+i] += len(c.Text) - (to - from)
		}
		lines, ascii := linesOf(c.Text, from)
		next.lines = slices.Replace(next.lines, first, last, lines...)
		next.src = slices.Replace(next.src, from, to, []byte(c.Text)...)
		next.wide = next.wide || !next.utf8 && !ascii
	}
	return counted(contents[string]{src: string(next.src), lines: next.lines, utf8: next.utf8, wide: next.wide})
}

// line returns a line without its end; nothing for one that is not there.
func (c *contents[T]) line(n int) (line T) {
	if n < 0 || n >= len(c.lines) {
		return line
	}
	from, end := c.lines[n], len(c.src)
	if n+1 < len(c.lines) {
		end = c.lines[n+1] - 1
	}
	if end > from && c.src[end-1] == '\r' {
		end--
	}
	return c.src[from:end]
}

// offset returns that of a position. One that is beyond a line or the text is at its end.
func (c *contents[T]) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(c.lines) {
		return len(c.src)
	}
	from, line := c.lines[p.Line], c.line(p.Line)
	if !c.wide {
		return from + min(max(p.Character, 0), len(line))
	}
	i, have := 0, 0
	if c.units != nil { // lines may be long
		want := int(c.units[from]) + min(max(p.Character, 0), len(c.src))
		i = sort.Search(len(line), func(i int) bool { return int(c.units[from+i]) >= want })
		have = p.Character
	}
	for ; i < len(line) && (have < p.Character || !utf8.RuneStart(line[i])); i++ {
		have += int(units(line[i]))
	}
	return from + i
}

// at returns the position of an offset.
func (t *text) at(off int) position {
	n := sort.SearchInts(t.lines, off+1) - 1
	return position{n, t.before(off) - t.before(t.lines[n])}
}

// before is how many units of the client stand before an offset.
func (t *text) before(off int) int {
	if !t.wide {
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
	return lex.InName(c) || c == '%'
}

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
	src    string
	lines  []int
	utf8   bool    // positions of the client count bytes; UTF-16 code units otherwise
	pieces []piece // the whole of src
}

func newText(src string, inBytes bool) *text { return textOf(src, pieces(nil, src, inBytes), inBytes) }

// textOf returns the text src, which the pieces make.
func textOf(src string, all []piece, inBytes bool) *text {
	t := &text{src: src, lines: make([]int, 1, strings.Count(src, "\n")+1), utf8: inBytes, pieces: all}
	for i, from, before := 0, 0, 0; i < len(all); i++ {
		p := &all[i]
		p.src, p.from, p.before = src[from:from+len(p.src)], from, before
		from, before = from+len(p.src), before+p.units
	}
	for i := 0; ; {
		n := strings.IndexByte(src[i:], '\n')
		if n < 0 {
			return t
		}
		i += n + 1
		t.lines = append(t.lines, i)
	}
}

// apply makes changes, each to what those before it have made.
func (t *text) apply(changes []contentChange) *text {
	all := slices.Clone(t.pieces)
	for _, c := range changes {
		if c.Range == nil {
			all = pieces(nil, c.Text, t.utf8)
			continue
		}
		i, from := t.find(all, c.Range.Start)
		j, to := t.find(all, c.Range.End)
		if j < i || j == i && to < from {
			j, to = i, from
		}
		if len(all) == 0 {
			all = pieces(nil, c.Text, t.utf8)
			continue
		}
		all = slices.Replace(all, i, j+1, pieces(nil, all[i].src[:from]+c.Text+all[j].src[to:], t.utf8)...)
	}
	size := 0
	for _, p := range all {
		size += len(p.src)
	}
	var b strings.Builder
	b.Grow(size)
	for _, p := range all {
		b.WriteString(p.src)
	}
	return textOf(b.String(), all, t.utf8)
}

// A piece of a text has some thousand bytes, so that n changes take less than n times the whole text, and a position
// takes as many to count: a text may be one long line.
type piece struct {
	src          string
	lines, units int // ends of lines, and what positions count
	from, before int // bytes and units before it, in the text that it is a piece of
}

func pieces(all []piece, src string, inBytes bool) []piece {
	const size = 1024
	for len(src) > 0 {
		n := len(src)
		if n > 2*size {
			for n = size; !utf8.RuneStart(src[n]); n++ {
			}
		}
		p := piece{src: src[:n], lines: strings.Count(src[:n], "\n"), units: n}
		if !inBytes {
			p.units = units(p.src)
		}
		all, src = append(all, p), src[n:]
	}
	return all
}

// find returns the piece that a position is in, as [text.offset] has it, and the offset in it.
func (t *text) find(all []piece, p position) (i, off int) {
	lines, units := p.Line, p.Character
	if lines < 0 {
		return 0, 0
	}
	for ; i < len(all) && all[i].lines < lines; i++ {
		lines -= all[i].lines
	}
	for ; i < len(all) && lines > 0; lines-- {
		off += strings.IndexByte(all[i].src[off:], '\n') + 1
	}
	last := byte(0) // what is before the position, in its line
	for i < len(all) {
		rest := all[i].src[off:]
		if rest == "" || off == 0 && all[i].lines == 0 && all[i].units <= units {
			if rest != "" {
				units -= all[i].units
				last = rest[len(rest)-1]
			}
			if i == len(all)-1 {
				off = len(all[i].src)
				break
			}
			i, off = i+1, 0
			continue
		}
		if units <= 0 || rest[0] == '\n' {
			break
		}
		last = rest[0]
		if t.utf8 {
			units, off = units-1, off+1
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		units, off = units-max(utf16.RuneLen(r), 1), off+size
	}
	if i == len(all) { // beyond the last line
		if i--; i < 0 {
			return 0, 0
		}
		return i, len(all[i].src)
	}
	if rest := all[i].src[off:]; last == '\r' && (rest == "" || rest[0] == '\n') {
		if off == 0 {
			i--
			off = len(all[i].src)
		}
		off--
	}
	return i, off
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
	if t.utf8 {
		return min(from+max(p.Character, 0), end)
	}
	want := t.before(from) + min(max(p.Character, 0), len(t.src))
	if i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].before >= want }) - 1; i >= 0 {
		from = max(from, t.pieces[i].from)
	}
	for have := t.before(from); from < end && (have < want || !utf8.RuneStart(t.src[from])); from++ {
		have += units(t.src[from : from+1])
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
	i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].from > off }) - 1
	if t.utf8 || i < 0 {
		return off
	}
	p := &t.pieces[i]
	if p.units == len(p.src) { // ASCII
		return p.before + off - p.from
	}
	return p.before + units(t.src[p.from:off])
}

// units is how many code units of UTF-16 the letters take that begin in a text.
func units(s string) (n int) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0xf0:
			n += 2
		case c < 0x80 || c >= 0xc0:
			n++
		}
	}
	return n
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

package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// area draws memory from y down and returns where it ends:
//
//	           +0   +1   +2   +3   +4   +5   +6   +7
//	[R1+0x0]  │ x                 │ y                 │
//	[R1+0x8]  │ big                                   │
//	            ⋮ 32 bytes of big
//	[R1+0x30] │ big               │////padding////////│
func (c *canvas) area(a *area, y int) int {
	if a.end == 0 && len(a.spans) == 0 {
		return y
	}
	m := &memory{canvas: c, area: a, lanes: lanes(a.spans), gaps: gaps(a.spans, a.end)}
	all := append(append([]span(nil), a.spans...), m.gaps...)
	last := a.end // ticks reach as far as there is something below them
	for i := range all {
		m.longest = max(m.longest, all[i].end-all[i].first)
		last = max(last, all[i].end)
	}
	c.open("area", "data-area", a.name)
	for i := range int(min(rowBits, a.lead()+last)+7) / 8 {
		c.text("mid s11 dim", c.gridX+i*8*c.bitWidth+4*c.bitWidth, y+10, fmt.Sprintf("+%d", i))
	}
	y += 14
	for _, s := range strips(all, a.lead()) {
		if s.rows > 0 {
			y = m.gap(s, y)
		} else {
			y = m.row(s.row, y)
		}
	}
	left := 0
	for _, l := range m.lanes {
		if l < 0 {
			left++
		}
	}
	if left > 0 {
		y += lineHeight
		c.text("sans s11 dim", c.gridX, y-5, fmt.Sprintf("%s over those drawn, not drawn", plural(int64(left), "more value")))
	}
	c.close()
	return y
}

// A memory is an area while it is drawn.
type memory struct {
	*canvas
	*area
	lanes   []int
	gaps    []span
	longest int64 // span or gap, in bits
}

// row draws one row and returns where the next begins. A value that shares its
// bits with none in this row is as high as the row.
func (m *memory) row(row int64, y int) int {
	from := row*rowBits - m.lead()
	to := from + rowBits
	here := within(m.spans, m.longest, from, to)
	used := map[int]int{}
	for l := range maxLanes { // the lanes that this row has
		for _, i := range here {
			if _, known := used[l]; !known && m.lanes[i] == l {
				used[l] = len(used)
			}
		}
	}
	height := laneHeight * max(len(used), 1)
	address := max(from, 0) / 8
	m.text("end s11 dim", m.gridX-8, y+laneHeight/2+4, fit(m.where(address), m.gridX-8-m.margin, 11))
	for _, i := range within(m.gaps, m.longest, from, to) {
		m.padding(&m.gaps[i], from, to, y, height)
	}
	for _, i := range here {
		if m.lanes[i] < 0 {
			continue
		}
		cellY, cellHeight := y+used[m.lanes[i]]*laneHeight, laneHeight
		if alone(m.spans, here, i, from, to) {
			cellY, cellHeight = y, height
		}
		m.cell(&m.spans[i], from, to, cellY, cellHeight)
	}
	return y + height + rowGap
}

// alone reports whether no other of the spans here has bits of the i-th in
// [from, to).
func alone(spans []span, here []int, i int, from, to int64) bool {
	first, end := max(spans[i].first, from), min(spans[i].end, to)
	for _, j := range here {
		if j != i && spans[j].first < end && spans[j].end > first {
			return false
		}
	}
	return true
}

// clip returns the part of s that lies in [from, to), and its pixels.
func (m *memory) clip(s *span, from, to int64) (first, end int64, x, w int) {
	first, end = max(s.first, from), min(s.end, to)
	return first, end, m.gridX + int(first-from)*m.bitWidth, int(end-first) * m.bitWidth
}

func bitsText(first, end int64) string { return fmt.Sprintf("%d:%d", first, end) }

// extent says in words how much [first, end) is: "3 bytes", "5 bits".
func extent(first, end int64) string {
	if first%8 != 0 || end%8 != 0 {
		return plural(end-first, "bit")
	}
	return plural((end-first)/8, "byte")
}

// place says where bit is: "8", or "8:3" inside of a byte.
func place(bit int64) string {
	if bit%8 == 0 {
		return fmt.Sprint(bit / 8)
	}
	return fmt.Sprintf("%d:%d", bit/8, bit%8)
}

func (m *memory) padding(s *span, from, to int64, y, height int) {
	first, end, x, w := m.clip(s, from, to)
	m.open("padding", "data-bits", bitsText(first, end))
	m.tip(s.words())
	m.rect("pad", x, y, w, height)
	m.hatch(x, y, w, height, 8)
	if text := extent(s.first, s.end); first == s.first && columns(text) <= room(w-16, 11) {
		half := columns(text)*7/2 + 6
		m.rect("plain", x+w/2-half, y+height/2-8, 2*half, 16)
		m.text("mid s11", x+w/2, y+height/2+4, text)
	}
	m.close()
}

// cell draws the part of a value that lies in one row.
func (m *memory) cell(s *span, from, to int64, y, height int) {
	first, end, x, w := m.clip(s, from, to)
	m.open(class(s.colour), "data-value", s.value, "data-bits", bitsText(first, end))
	m.tip(s.words())
	note := s.note
	if first > s.first {
		note = fmt.Sprintf("… from byte %d", (first-s.first)/8)
	}
	m.rect("", x, y, w, height)
	if s.endless {
		m.path("tear", fmt.Sprintf("M%d %d%s", x+w-6, y, strings.Repeat("l4 3l-4 3", height/6)))
	}
	m.label(x, y, w, height, s.label, note)
	m.close()
}

// class is that of the cells of a value: its hue, and a shade of it for a field, or where the hues are gone through.
func class(colour int) string {
	if shade := colour / colours % shades; shade > 0 {
		return fmt.Sprintf("v c%d s%d", colour%colours, shade)
	}
	return fmt.Sprintf("v c%d", colour%colours)
}

// label writes a name into a cell, and a note below it if both have room. What
// does not fit is written smaller, then upwards, then shortened.
func (c *canvas) label(x, y, w, h int, name, note string) {
	midX, midY := x+w/2, y+h/2
	size := 12
	if columns(name) > room(w-4, size) {
		size = 11
	}
	up := columns(name) > room(w-4, size) && (w < 32 && h >= laneHeight)
	switch {
	case up && w >= 12:
		c.up("mid s11", midX, midY, 4, fitName(name, h-2, 11))
		return
	case fitName(name, w-4, size) == "":
		return
	}
	class := map[int]string{12: "mid", 11: "mid s11"}[size]
	if short := fit(note, w-2, 11); short != note && columns(short) < 6 {
		note = ""
	} else {
		note = short
	}
	if note == "" {
		c.text(class, midX, midY+4, fitName(name, w-4, size))
		return
	}
	c.text(class, midX, midY-2, fitName(name, w-4, size))
	c.text("mid s11 note", midX, midY+12, note)
}

// gap draws the place of rows that are left out, and prints what they hold.
func (m *memory) gap(s strip, y int) int {
	const height = 26
	from := s.row*rowBits - m.lead()
	to := from + s.rows*rowBits
	what, class, value := m.missing(from, to)
	attrs := []string{"data-bits", bitsText(from, to)}
	if value != "" {
		attrs = append(attrs, "data-value", value)
	}
	m.open(class, attrs...)
	m.tip(what + " left out")
	there, back := strings.Repeat("l8-4l8 4", m.gridWidth()/16), strings.Repeat("l-8-4l-8 4", m.gridWidth()/16)
	m.path("edge", fmt.Sprintf("M%d %d%sv%d%sz", m.gridX, y+5, there, height-6, back))
	if class == "padding gone" {
		m.hatch(m.gridX, y+6, m.gridWidth(), height-9, 8)
		half := columns(what)*4 + 24
		m.rect("plain", m.gridX+m.gridWidth()/2-half, y+5, 2*half, height-8)
	}
	m.text("mid s11", m.gridX+m.gridWidth()/2, y+17, fit("⋮ "+what+" ⋮", m.gridWidth(), 11))
	m.close()
	return y + height + rowGap
}

// missing says what lies in rows that are left out; value is that which they
// hold whole, if it is one.
func (m *memory) missing(from, to int64) (what, class_, value string) {
	what, class_ = extent(from, to), "gone"
	here := within(m.spans, m.longest, from, to)
	if len(here) == 1 && m.spans[here[0]].first <= from && m.spans[here[0]].end >= to {
		s := &m.spans[here[0]]
		return what + " of " + s.label, class(s.colour) + " split", s.value
	}
	if len(here) == 0 {
		return what + " of padding", "padding gone", ""
	}
	return fmt.Sprintf("%s with %s", what, plural(int64(len(here)), "value")), class_, ""
}

// A span is a run of bits of a memory area that one value has, or none.
type span struct {
	first, end int64  // bits from the area's start; half-open, not empty
	value      string // data-value; "" for padding
	label      string // the value's name
	note       string // a second line, in the span's first cell alone
	tip        string // in words
	colour     int    // counts on with every value
	endless    bool   // an array without extent, which goes on beyond
}

// words says what the span is and where.
func (s *span) words() string {
	if s.tip != "" {
		return s.tip
	}
	return fmt.Sprintf("%s: %s at byte %s", s.label, extent(s.first, s.end), place(s.first))
}

// An area is memory to draw: what lies in it, and how far it goes.
type area struct {
	name  string // data-area: "stack"
	spans []span // in order of first
	end   int64  // bits
	// origin is the address of its first byte. Rows begin at multiples of 8.
	origin int64
	// where writes the address of the byte at an offset.
	where func(off int64) string
}

// lead is how many bits of the first row lie before the area.
func (a *area) lead() int64 { return a.origin * 8 % rowBits }

// gaps returns the runs of bits in [0, end) that no span has, each labelled as
// the padding it is.
func gaps(spans []span, end int64) []span {
	var out []span
	at := int64(0)
	for i := range spans {
		if s := &spans[i]; s.first > at {
			out = append(out, span{first: at, end: s.first, label: "padding"})
		}
		at = max(at, spans[i].end)
	}
	if at < end {
		out = append(out, span{first: at, end: end, label: "tail padding"})
	}
	return out
}

// maxLanes is how many members of unions are drawn one above the other.
const maxLanes = 12

// lanes gives each span a lane, so that those of one lane do not overlap: the
// lane in which the last one ends nearest to where this begins, which keeps the
// members of a struct together in a union. -1 stands for spans that found none.
// Spans are in order of first.
func lanes(spans []span) []int {
	out := make([]int, len(spans))
	var ends []int64
	for i := range spans {
		s := &spans[i]
		best, busy := -1, false
		for l, end := range ends {
			if end > s.first {
				busy = true
			} else if best < 0 || end > ends[best] {
				best = l
			}
		}
		switch {
		case !busy && len(ends) > 0:
			best = 0
		case best < 0 && len(ends) < maxLanes:
			best = len(ends)
			ends = append(ends, 0)
		}
		if out[i] = best; best >= 0 {
			ends[best] = max(ends[best], s.end)
		}
	}
	return out
}

// A strip is one row of an area, or rows left out.
type strip struct {
	row, rows int64 // the first row, and 0 for one that is drawn, or the number left out
}

// A picture of an area has no more rows than maxRows; where there are more,
// headRows from the beginning and the rest from the end.
const (
	maxRows  = 40
	headRows = 28
)

// strips chooses the rows to draw: those in which a span begins or ends, and
// those between when they are few. Lead is what the first row has before the
// area.
func strips(spans []span, lead int64) []strip {
	var rows []int64
	for i := range spans {
		rows = append(rows, (lead+spans[i].first)/rowBits, (lead+spans[i].end-1)/rowBits)
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	var full []int64
	for i, r := range rows {
		if i > 0 && r-rows[i-1] <= 5 {
			for between := rows[i-1] + 1; between < r; between++ {
				full = append(full, between)
			}
		}
		full = append(full, r)
	}
	if len(full) > maxRows {
		full = slices.Delete(full, headRows, len(full)-(maxRows-headRows-1))
	}
	var out []strip
	for i, r := range full {
		if i > 0 && r > full[i-1]+1 {
			out = append(out, strip{full[i-1] + 1, r - full[i-1] - 1})
		}
		out = append(out, strip{row: r})
	}
	return out
}

// within returns the spans of sorted, in order of first, that have bits in
// [from, to), as indices. Longest is the length of the longest span.
func within(sorted []span, longest, from, to int64) []int {
	i, _ := slices.BinarySearchFunc(sorted, from-longest, func(s span, at int64) int { return cmp.Compare(s.first, at) })
	var out []int
	for ; i < len(sorted) && sorted[i].first < to; i++ {
		if sorted[i].end > from {
			out = append(out, i)
		}
	}
	return out
}

// An entry is a line of a key: what a value is called, and where it is.
type entry struct {
	value   string // data-value
	first   int64  // bit of the area
	colour  int
	nowhere bool
	cells   []string // one for each column
	tip     string
}

// A column of a key.
type column struct {
	title string
	width int // pixels
	path  bool
}

// maxKey is how many values a key lists.
const maxKey = 40

// key draws a table of values at x, y and returns where it ends.
func (c *canvas) legend(columns []column, list []entry, x, y int, what string) int {
	if len(list) == 0 || !c.shape.key {
		return y
	}
	c.open("key")
	at := x + 20
	for _, col := range columns {
		c.text("sans s11 dim", at, y+9, col.title)
		at += col.width
	}
	y += 14
	for i := range list {
		if i == maxKey && len(list) > maxKey+1 {
			c.text("sans s11 dim", x+20, y+12, fmt.Sprintf("… and %s", plural(int64(len(list)-i), "more "+what)))
			y += lineHeight
			break
		}
		c.entry(&list[i], columns, x, y)
		y += lineHeight
	}
	c.close()
	return y
}

func (c *canvas) entry(e *entry, columns []column, x, y int) {
	class := class(e.colour)
	if e.nowhere {
		class = "v none"
	}
	c.open(class, "data-value", e.value)
	c.tip(e.tip)
	c.rect("", x, y+2, 12, 12)
	at := x + 20
	for i, col := range columns {
		text := fit(e.cells[i], col.width-7, 11)
		if col.path {
			text = fitName(e.cells[i], col.width-7, 11)
		}
		if text != "" {
			c.text("s11", at, y+12, text)
		}
		at += col.width
	}
	c.close()
}

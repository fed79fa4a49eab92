package picture

import (
	"cmp"
	"fmt"
	"slices"
)

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

package layout

// A span is a run of bit-fields that share bytes with their neighbours: it
// begins and ends at byte boundaries.
type span struct {
	begin, end int64 // bytes
	barrier    bool  // no access may reach beyond the end
}

// spans cuts the bit-fields Members[i:end] into spans.
func (l *Layout) spans(i, end int) []span {
	var out []span
	open := false
	for ; i < end; i++ {
		m := &l.Members[i]
		first := m.bitOffset()
		if m.Field.Bits == 0 {
			if len(out) > 0 {
				out[len(out)-1].barrier = true
			}
			open = false
			continue
		}
		last := (first + m.Field.Bits + 7) / 8
		if open && first%8 != 0 {
			out[len(out)-1].end = last
			continue
		}
		out = append(out, span{begin: first / 8, end: last})
		open = true
	}
	if len(out) > 0 {
		out[len(out)-1].barrier = true
	}
	return out
}

// bitUnits returns the elements that hold the bit-fields Members[i:end]: clang
// 19 gathers as many spans in one integer as fit a register, are naturally
// aligned and leave the bytes of others alone. What cannot be an integer is an
// array of bytes.
func (l *Layout) bitUnits(i, end int, base bool) []placed {
	const register = 8
	spans := l.spans(i, end)
	// The last integer may reach into padding up to the next member.
	limit := l.tailLimit(base)
	for ; end < len(l.Members); end++ {
		if !l.Members[end].hollow() {
			limit = l.Members[end].Offset
			break
		}
	}
	next := func(k int) int64 {
		if k+1 < len(spans) {
			return spans[k+1].begin
		}
		return limit
	}
	var out []placed
	for k := 0; k < len(spans); {
		begin := spans[k].begin
		best, bestEnd, whole := k, spans[k].end, false
		for j := k; ; j++ {
			size := spans[j].end - begin
			if j > k && size > register {
				break
			}
			unit := lowInteger(size)
			if unit.align > l.Align || begin%unit.align != 0 {
				// Even where it is misaligned, one span is an
				// integer if it fills one.
				whole = whole || j == k && unit.size == size
				break
			}
			if begin+unit.size <= next(j) {
				best, bestEnd, whole = j, begin+unit.size, true
			}
			if spans[j].barrier {
				break
			}
		}
		low := lowByteArray(bestEnd - begin)
		if whole {
			low = lowInteger(bestEnd - begin)
		}
		out = append(out, placed{begin, low})
		k = best + 1
	}
	return out
}

// tailLimit returns where the bytes end that bit-fields may spread over.
func (l *Layout) tailLimit(base bool) int64 {
	switch {
	case base:
		return l.NVSize
	case l.Rules.Lang == CXX:
		return max(l.DSize, l.NVSize)
	}
	return l.Size
}

// hollow reports whether m is a record with nothing in it, which clang leaves
// out of what it lowers.
func (m *Member) hollow() bool {
	return !m.Field.BitField && m.Layout.hollow() || m.Field.BitField && m.Field.Bits == 0
}

func (l *Layout) hollow() bool {
	if _, ok := Unalias(l.Type).(*Record); !ok || isAtomic(l.Type) {
		return false
	}
	return l.void
}

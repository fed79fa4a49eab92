package layout

import "github.com/ptxabi/ptxabi/internal/core/round"

// A lowered type is what clang turns a type into before LLVM sees it. Its
// alignment, which attributes do not reach, is that of results.
type lowered struct {
	size, align int64
	packed      bool
	elems       []lowered // of a record; nil otherwise
	kind        loweredKind
}

type loweredKind uint8

const (
	lowInt loweredKind = iota
	lowFloat
	lowBytes  // an array or vector
	lowRecord // elems say what of
)

func lowInteger(bytes int64) lowered {
	size := round.NextPow2(bytes)
	return lowered{size: size, align: min(size, 16)}
}

func lowByteArray(n int64) lowered { return lowered{size: n, align: 1, kind: lowBytes} }

// A lowering remembers the lowered forms of the records within a type, which
// may share them.
type lowering map[part]lowered

// A part is a record, or what of it is a base class.
type part struct {
	l    *Layout
	base bool
}

// lower returns the lowered form of l.
func (s lowering) lower(l *Layout) lowered {
	switch t := Unalias(l.Type).(type) {
	case Scalar:
		switch {
		case t.Complex:
			half := lowered{size: l.Size / 2, align: l.Size / 2, kind: lowFloat}
			return lowered{size: l.Size, align: half.align, kind: lowRecord, elems: []lowered{half, half}}
		case scalars[t.Kind].class == floating:
			return lowered{size: l.Size, align: l.Size, kind: lowFloat}
		}
	case *Vector:
		return lowered{size: l.Size, align: l.Size, kind: lowBytes}
	case *Array:
		elem := s.lower(l.Elem)
		return lowered{size: l.Size, align: elem.align, kind: lowBytes}
	case *Record:
		if isAtomic(l.Type) {
			break
		}
		return s.once(part{l, false}, func() lowered { return s.record(l, l.Size, false) })
	case *Pointer:
		if word := l.Rules.pointer(); l.Size > word {
			w := lowInteger(word)
			return lowered{size: l.Size, align: word, kind: lowRecord, elems: []lowered{w, w}}
		}
	}
	return lowInteger(l.Size)
}

// placed is an element of a record at its offset.
type placed struct {
	off int64
	low lowered
}

func (s lowering) once(p part, lower func() lowered) lowered {
	low, ok := s[p]
	if !ok {
		low = lower()
		s[p] = low
	}
	return low
}

// record lowers a record, or what of it is a base class.
func (s lowering) record(l *Layout, size int64, base bool) lowered {
	if Unalias(l.Type).(*Record).Kind == Union {
		return s.union(l, size)
	}
	var elems []placed
	for i := 0; i < len(l.Members); {
		m := &l.Members[i]
		switch {
		case m.Field.BitField:
			end := i
			for end < len(l.Members) && l.Members[end].Field.BitField {
				end++
			}
			elems = append(elems, l.bitUnits(i, end, base)...)
			i = end
			continue
		case m.hollow(), m.Base && m.Layout.NVSize == 0:
		case m.Base, m.overlapping():
			elems = append(elems, placed{m.Offset, s.base(m.Layout)})
		default:
			elems = append(elems, placed{m.Offset, s.lower(m.Layout)})
		}
		i++
	}
	if len(elems) == 0 && l.Rules.Lang == CXX {
		b := lowByteArray(size)
		return lowered{size: size, align: 1, kind: lowRecord, elems: []lowered{b}}
	}
	return l.assemble(elems, size, base)
}

func (s lowering) base(l *Layout) lowered {
	size := l.NVSize
	if Unalias(l.Type).(*Record).Kind == Union {
		size = l.DSize
	}
	return s.once(part{l, true}, func() lowered { return s.record(l, size, size != l.Size) })
}

// assemble pads elements to their offsets, and packs them if their alignments
// do not agree with those.
func (l *Layout) assemble(elems []placed, size int64, base bool) lowered {
	out := lowered{size: size, align: 1, kind: lowRecord}
	sub, subAlign := int64(0), int64(1)
	if l.Rules.Lang == CXX && !base {
		sub = l.NVSize
	}
	for _, e := range elems {
		out.packed = out.packed || e.off%e.low.align != 0
		out.align = max(out.align, e.low.align)
		if e.off < sub {
			subAlign = max(subAlign, e.low.align)
		}
	}
	if size%out.align != 0 || sub%subAlign != 0 {
		out.packed = true
	}
	if out.packed {
		out.align = 1
	}
	end := int64(0)
	pad := func(to, align int64) {
		if out.packed {
			align = 1
		}
		if round.Up(end, align) < to {
			out.elems = append(out.elems, lowByteArray(to-end))
		}
	}
	for _, e := range elems {
		pad(e.off, e.low.align)
		out.elems = append(out.elems, e.low)
		end = e.off + e.low.size
	}
	pad(size, out.align)
	return out
}

// union takes the member with the largest alignment, and of those the
// largest.
func (s lowering) union(l *Layout, size int64) lowered {
	var best lowered
	for i := range l.Members {
		m := &l.Members[i]
		if m.hollow() {
			continue
		}
		low := s.lower(m.Layout)
		if m.Field.BitField {
			low = lowInteger(min((m.Field.Bits+7)/8, m.Layout.Size))
		}
		if best.align == 0 || low.align > best.align || low.align == best.align && low.size > best.size {
			best = low
		}
	}
	out := lowered{size: size, align: 1, kind: lowRecord}
	if best.align == 0 {
		if size > 0 {
			out.elems = []lowered{lowByteArray(size)}
		}
		return out
	}
	if size < best.size {
		best = lowByteArray(size)
	}
	out.elems = []lowered{best}
	if size > best.size {
		out.elems = append(out.elems, lowByteArray(size-best.size))
	}
	out.align = best.align
	if l.DSize%best.align != 0 {
		out.packed, out.align = true, 1
	}
	return out
}

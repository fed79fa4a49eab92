package layout

import "github.com/ptxabi/ptxabi/internal/core/round"

// itanium is the state of laying out one record by section 2.4 of the Itanium
// C++ ABI ("Non-POD Class Types") and, for C, by the System V rules that it
// extends. Sizes are kept in bits where bit-fields need it.
type itanium struct {
	out     *Layout
	rec     *Record
	union   bool
	cxx     bool
	size    int64 // bytes so far, empty subobjects included
	padded  int64 // bytes so far, tail padding of members included
	data    int64 // bytes so far that members occupy: dsize(C)
	unused  int64 // bits left in the last byte after a bit-field, 0 to 7
	empties emptySet
}

func layoutItanium(l *Layout, r *Record, steps *int) error {
	s := &itanium{
		out: l, rec: r,
		union:   r.Kind == Union,
		cxx:     l.Rules.Lang == CXX,
		empties: emptySet{steps: steps},
	}
	l.Align = max(l.Align, r.Align)
	for i := range l.Members {
		switch m := &l.Members[i]; {
		case m.Base:
			s.base(m)
		case m.Field.BitField && m.Field.Bits > m.Layout.Size*8:
			s.wideBitField(m)
		case m.Field.BitField:
			s.bitField(m)
		default:
			s.field(m)
		}
		if s.empties.tooMany() {
			return &Error{Msg: "empty classes are too often in each other to see which share an address"}
		}
		if s.size > maxSize || s.data > maxSize {
			return &Error{Msg: "record is too large"}
		}
	}
	s.finish()
	return nil
}

// base allocates a base class (2.4, II.1 and II.2).
func (s *itanium) base(m *Member) {
	b := m.Layout
	if b.empty && s.empties.canPlace(b, 0) {
		s.size = max(s.size, b.Size)
		s.out.Align = max(s.out.Align, b.NVAlign)
		s.empties.place(b, 0, maxSize)
		return
	}
	s.out.conflict = s.out.conflict || b.empty
	align := b.NVAlign
	if s.rec.Pack != 0 {
		align = min(align, s.rec.Pack)
	}
	off := round.Up(s.data, align)
	for !s.empties.canPlace(b, off) {
		off += align
		s.out.conflict = true
	}
	if b.empty {
		s.size = max(s.size, off+b.Size)
	} else {
		s.data = off + b.NVSize
		s.size = max(s.size, s.data)
	}
	m.Offset = off
	s.empties.place(b, off, maxSize)
	s.out.Align = max(s.out.Align, align)
}

// field allocates a member that is no bit-field.
func (s *itanium) field(m *Member) {
	s.unused = 0
	f := m.Layout
	size := f.Size
	if m.overlapping() {
		size = max(f.NVSize, f.DSize)
	}
	align := s.fieldAlign(m)
	off := int64(0)
	if !s.union && !m.overlappingEmpty() {
		off = round.Up(s.data, align)
	}
	if s.cxx && !s.union {
		for !s.empties.canPlace(f, off) {
			s.out.conflict = true
			if off == 0 && s.data != 0 {
				off = round.Up(s.data, align)
			} else {
				off += align
			}
		}
		limit := s.out.emptySub
		if m.overlapping() {
			limit = maxSize
		}
		s.empties.place(f, off, limit)
	}
	m.Offset = off
	switch {
	case m.overlappingEmpty():
		s.size = max(s.size, off+f.Size)
	case s.union:
		s.data = max(s.data, size)
	default:
		s.data = off + size
	}
	s.size = max(s.size, s.data)
	s.padded = max(s.padded, off+f.Size)
	s.out.Align = max(s.out.Align, align)
}

// fieldAlign returns the alignment at which a member is allocated.
func (s *itanium) fieldAlign(m *Member) int64 {
	align := m.Layout.Align
	if s.packs(m) {
		align = 1
	}
	align = max(align, m.Field.Align)
	if s.rec.Pack != 0 {
		align = min(align, s.rec.Pack)
	}
	return align
}

// packs reports whether packed applies to m. In C++ the attribute on a record
// leaves members alone that are classes and not POD, unless they are packed
// themselves.
func (s *itanium) packs(m *Member) bool {
	if m.Field.Packed {
		return true
	}
	if !s.rec.Packed {
		return false
	}
	rec, ok := Unalias(m.Field.Type).(*Record)
	return !ok || !s.cxx || m.Layout.pod || rec.Packed
}

// finish rounds the size up and sets what containing records need to know.
func (s *itanium) finish() {
	l := s.out
	l.NVSize, l.NVAlign = s.size, l.Align
	l.slack = s.data < round.Up(max(s.size, s.padded), l.Align)
	if s.cxx && s.size == 0 && l.empty {
		s.size = 1 // but {int a[0];} keeps size 0, as GCC has it
	}
	l.Size = round.Up(max(s.size, s.padded), l.Align)
	l.DSize = s.data
	if !s.cxx || l.pod {
		l.DSize, l.NVSize = l.Size, l.Size
	}
	l.natural = l.Align
}

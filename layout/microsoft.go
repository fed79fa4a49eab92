package layout

import "github.com/ptxabi/ptxabi/internal/core/round"

// microsoft is the state of laying out one record as Microsoft's compilers do
// on 64-bit Windows, after clang's behaviour for windows-msvc targets.
//
// It differs from the Itanium rules in that a bit-field shares a storage unit
// only with its neighbours of the same size, that #pragma pack cannot lower
// an explicit alignment, that tail padding is never
// reused, and that records have at least 1 byte in C++ and 4 in C.
type microsoft struct {
	out   *Layout
	rec   *Record
	union bool
	size  int64 // bytes so far
	pack  int64 // largest alignment of members, 0 for no limit

	unit    int64 // bytes of the open bit-field storage unit; 0 when none is open
	unitEnd int64 // bits left in it
}

func layoutMicrosoft(l *Layout, r *Record) error {
	s := &microsoft{out: l, rec: r, union: r.Kind == Union}
	l.required = 1
	if r.Pack != 0 && r.Pack <= l.Rules.pointer() {
		s.pack = r.Pack
	}
	if r.Packed {
		s.pack = 1
	}
	cxx := l.Rules.Lang == CXX
	var previous *Layout
	for i := range l.Members {
		switch m := &l.Members[i]; {
		case m.Base:
			s.base(m, previous)
			previous = m.Layout
		case m.Field.BitField && m.Field.Bits == 0:
			s.endUnit(m)
		case m.Field.BitField:
			s.bitField(m)
		default:
			s.field(m)
		}
		if s.size > maxSize {
			return &Error{Msg: "record is too large"}
		}
	}
	// As a base, the record ends here.
	unit := l.Align
	if s.pack != 0 && cxx {
		unit = min(unit, s.pack)
	}
	s.size = round.Up(s.size, unit)
	l.NVSize = s.size
	l.required = max(l.required, r.Align)
	s.finish(cxx)
	return nil
}

func (s *microsoft) finish(cxx bool) {
	l := s.out
	l.Align = max(l.Align, l.required)
	unit := l.Align
	if s.pack != 0 {
		unit = min(unit, s.pack)
	}
	s.size = round.Up(s.size, max(unit, l.required))
	if s.size == 0 {
		least := int64(4)
		if cxx {
			least = 1
		}
		l.endsZero, l.leadsZero = true, true
		if l.required >= least {
			s.size = l.Align
		} else {
			s.size = least
		}
	}
	l.Size, l.DSize = s.size, s.size
	l.NVAlign, l.natural = l.Align, l.Align
}

// base allocates a base class; two that have no bytes are kept apart.
func (s *microsoft) base(m *Member, previous *Layout) {
	b := m.Layout
	if previous != nil && previous.endsZero && b.leadsZero && !s.rec.EmptyBases {
		s.size++
	}
	if previous == nil {
		s.out.leadsZero = b.leadsZero
	}
	s.out.endsZero = b.endsZero
	align := b.Align
	if s.pack != 0 {
		align = min(align, s.pack)
	}
	s.out.Align = max(s.out.Align, align)
	s.out.required = max(s.out.required, b.required)
	align = max(align, b.required)
	if s.rec.EmptyBases && b.empty && b.NVSize == 0 {
		m.Offset = 0
		return
	}
	m.Offset = round.Up(s.size, align)
	s.size = m.Offset + b.NVSize
}

// adjust returns the alignment of m's type after attributes and packing.
func (s *microsoft) adjust(m *Member) int64 {
	align := m.Layout.natural
	required := m.Field.Align
	if m.Layout.asked {
		required = max(required, m.Layout.Align)
	}
	if m.Field.BitField {
		align = max(align, required)
	} else {
		if rec := m.Layout.baseElem(); rec != nil {
			s.out.endsZero = rec.endsZero
			required = max(required, rec.required)
		}
		s.out.required = max(s.out.required, required)
	}
	if s.pack != 0 {
		align = min(align, s.pack)
	}
	if m.Field.Packed {
		align = 1
	}
	return max(align, required)
}

// baseElem returns the record that l is or is an array of, or nil.
func (l *Layout) baseElem() *Layout {
	for l.Elem != nil {
		l = l.Elem
	}
	if _, ok := Unalias(l.Type).(*Record); !ok {
		return nil
	}
	return l
}

// place puts size bytes after what there is; in a union nothing comes after anything.
func (s *microsoft) place(m *Member, size, align int64) {
	if s.union {
		s.size = max(s.size, m.Layout.Size)
		return
	}
	m.Offset = round.Up(s.size, align)
	s.size = m.Offset + size
	s.out.Align = max(s.out.Align, align)
}

func (s *microsoft) field(m *Member) {
	s.unit = 0
	align := s.adjust(m)
	s.out.Align = max(s.out.Align, align)
	s.place(m, m.Layout.Size, align)
}

func (s *microsoft) bitField(m *Member) {
	size, bits := m.Layout.Size, m.Field.Bits
	align := s.adjust(m)
	if !s.union && s.unit == size && bits <= s.unitEnd {
		off := s.size*8 - s.unitEnd
		m.Offset, m.Bit = off/8, off%8
		s.unitEnd -= bits
		return
	}
	s.unit, s.unitEnd = size, size*8-bits
	s.place(m, size, align)
}

// endUnit allocates a bit-field of width 0, which means something only after
// another bit-field.
func (s *microsoft) endUnit(m *Member) {
	if s.unit != 0 {
		s.unit = 0
		s.place(m, 0, s.adjust(m))
	} else if !s.union {
		m.Offset = s.size
	}
}

package layout

import "github.com/ptxabi/ptxabi/internal/core/round"

// bitField allocates a bit-field by the System V rules: it lies in a storage
// unit of its declared type, unless packing lets it straddle two.
func (s *itanium) bitField(m *Member) {
	f := &m.Field
	unit := m.Layout.Size * 8
	align := m.Layout.Align * 8
	pack := s.rec.Pack * 8
	packed := (s.rec.Packed || f.Packed)
	off := int64(0)
	if !s.union {
		off = s.data*8 - s.unused
	}

	whole := align // what the alignment would be without packed
	if packed && f.Bits != 0 {
		align = 1
	}
	explicit := f.Align * 8
	align = max(align, explicit)
	whole = max(whole, explicit)
	if pack != 0 && f.Bits != 0 {
		whole = min(whole, pack)
		if packed {
			align = whole
		} else {
			align = min(align, pack)
		}
	}

	straddles := pack == 0 && off&(align-1)+f.Bits > unit
	switch {
	case f.Bits == 0 || straddles:
		off = round.Up(off, align)
	case explicit != 0 && (pack == 0 || explicit <= pack):
		off = round.Up(off, explicit)
	}
	m.Offset, m.Bit = off/8, off%8

	s.take(off, f.Bits)
	if f.Name != "" {
		s.out.Align = max(s.out.Align, align/8)
	}
}

// wideBitField allocates a bit-field with more bits than its type, which C++
// allows: the excess is padding (2.4, II.1.c). It is aligned as the largest
// integer type that its width holds.
func (s *itanium) wideBitField(m *Member) {
	bits := m.Field.Bits
	align := int64(8)
	for _, k := range []Kind{UShort, UInt, ULong, ULongLong} {
		if size, _ := (Scalar{Kind: k}).size(s.out.Rules); size*8 <= bits {
			align = size * 8
		}
	}
	off := int64(0)
	if !s.union {
		off = round.Up(s.data*8, align)
	}
	m.Offset, m.Bit = off/8, off%8
	s.take(off, bits)
	s.out.Align = max(s.out.Align, align/8)
}

// take records that the bits [off, off+n) of the record are in use.
func (s *itanium) take(off, n int64) {
	end := off + n
	if s.union {
		s.data = max(s.data, (n+7)/8)
		s.unused = 0
	} else {
		s.data = (end + 7) / 8
		s.unused = s.data*8 - end
	}
	s.size = max(s.size, s.data)
}

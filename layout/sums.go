package layout

// sums are what a type's parts amount to, added up when it is laid out. Types
// share their parts: to walk all parts of a type can take time beyond all
// bounds, a short text is enough to declare it.
type sums struct {
	lead       int64  // first bit of the first leaf; noLeaf if there is none
	why        string // see [Layout.Doubt]
	longDouble bool   // it holds long doubles, and nvcc's are not ours
	shortened  int64  // long doubles whose 16 bytes nvcc carries in 8
	void       bool   // records: nothing but hollow members
}

const noLeaf = -1

// sum adds up the parts of l.
func (l *Layout) sum() {
	l.sums = sums{}
	s, _ := Unalias(l.Type).(Scalar)
	switch {
	case s.Kind == LongDouble:
		l.longDouble = l.Rules.ABI != Microsoft // where nvcc's is ours
		if l.Rules.longDouble() == 16 {
			l.shortened = l.Size / 16
		}
	case l.Elem != nil:
		n := l.elems()
		l.longDouble, l.shortened = l.Elem.longDouble, l.Elem.shortened*n
		if l.lead = l.Elem.lead; l.baseElem() != nil && n <= 0 {
			l.lead = noLeaf
		}
	case l.Members != nil:
		l.sumMembers()
	}
	l.why = l.doubt()
}

func (l *Layout) sumMembers() {
	l.void, l.lead = true, noLeaf
	union := Unalias(l.Type).(*Record).Kind == Union
	for i := range l.Members {
		m := &l.Members[i]
		l.void = l.void && m.hollow()
		l.longDouble = l.longDouble || m.Layout.longDouble
		if lead := m.lead(); lead != noLeaf && (l.lead == noLeaf || union && lead < l.lead) {
			l.lead = lead
		}
		if union {
			l.shortened = max(l.shortened, m.Layout.shortened)
		} else {
			l.shortened += m.Layout.shortened
		}
	}
}

// lead returns the first bit of the first leaf of m from the record's start, or
// noLeaf.
func (m *Member) lead() int64 {
	switch {
	case m.Field.BitField && (m.Field.Name == "" || m.Field.Bits == 0):
		return noLeaf
	case m.Field.BitField:
		return m.bitOffset()
	case m.Layout.lead == noLeaf:
		return noLeaf
	}
	return m.Offset*8 + m.Layout.lead
}

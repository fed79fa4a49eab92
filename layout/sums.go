package layout

// sums are what a type's parts amount to, added up when it is laid out. Types
// share their parts: to walk all parts of a type can take time beyond all
// bounds, a short text is enough to declare it.
type sums struct {
	lead       int64  // first bit of the first leaf; noLeaf if there is none
	why        string // see [Layout.Doubt]
	longDouble bool   // see holdsLongDouble
	shortened  int64  // long doubles whose 16 bytes nvcc carries in 8
	void       bool   // records: nothing but hollow members
}

const noLeaf = -1

// sum adds up the parts of l.
func (l *Layout) sum() {
	l.longDouble = l.holdsLongDouble()
	l.shortened = l.countShortened()
	l.why = l.doubt()
	l.lead = 0
	switch {
	case l.Members != nil:
		l.sumMembers()
	case l.Elem != nil && l.baseElem() != nil:
		if l.lead = l.Elem.lead; l.elems() <= 0 {
			l.lead = noLeaf
		}
	}
}

func (l *Layout) sumMembers() {
	l.void, l.lead = true, noLeaf
	union := Unalias(l.Type).(*Record).Kind == Union
	for i := range l.Members {
		m := &l.Members[i]
		l.void = l.void && m.hollow()
		if lead := m.lead(); lead != noLeaf && (l.lead == noLeaf || union && lead < l.lead) {
			l.lead = lead
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

// countShortened counts the long doubles of l whose 16 bytes nvcc carries in 8.
func (l *Layout) countShortened() int64 {
	if l.Rules.longDouble() != 16 {
		return 0
	}
	if s, ok := Unalias(l.Type).(Scalar); ok && s.Kind == LongDouble {
		return l.Size / 16
	}
	if l.Elem != nil && l.Elem.Size > 0 {
		return l.Elem.shortened * (l.Size / l.Elem.Size)
	}
	n := int64(0)
	for i := range l.Members {
		k := l.Members[i].Layout.shortened
		if Unalias(l.Type).(*Record).Kind == Union {
			n = max(n, k)
		} else {
			n += k
		}
	}
	return n
}

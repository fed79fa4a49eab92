package layout

// An emptySet knows where the empty classes within a record lie: two of one
// type must not share an address (2.4, II.1: "component type conflict").
type emptySet struct {
	at    map[emptyAt]bool
	end   int64 // after the last offset of at; 0 if at is empty
	steps *int  // taken so far, for all records
}

// maxSteps is how many steps the search for empty classes within records may take: n classes of which
// each has the one before as its base and as a member take 2^n.
const maxSteps = 1 << 20

// tooMany reports whether the search has been given up.
func (e *emptySet) tooMany() bool { return *e.steps > maxSteps }

type emptyAt struct {
	rec *Record
	off int64
}

// canPlace reports whether no empty class of l, placed at off, meets another
// one of its type there.
func (e *emptySet) canPlace(l *Layout, off int64) bool {
	return e.walk(l, off, e.end, func(r *Record, off int64) bool {
		return !e.at[emptyAt{r, off}]
	}) || e.tooMany()
}

// place records the empty classes of l, placed at off, that begin before
// limit. Of those in a member only the ones matter that a base can still meet.
func (e *emptySet) place(l *Layout, off, limit int64) {
	e.walk(l, off, limit, func(r *Record, off int64) bool {
		if e.at == nil {
			e.at = make(map[emptyAt]bool)
		}
		e.at[emptyAt{r, off}] = true
		e.end = max(e.end, off+1)
		return true
	})
}

// walk calls f for each empty class within l, itself included, whose
// offset is less than end, until f returns false; it reports whether f never
// did, nor was there too much to walk. off is l's own offset.
func (e *emptySet) walk(l *Layout, off, end int64, f func(*Record, int64) bool) bool {
	if off >= end || l.emptySub == 0 && !l.empty && l.Elem == nil {
		return true
	}
	if *e.steps++; e.tooMany() {
		return false
	}
	if l.Elem != nil {
		for o := off; o < off+l.Size && o < end; o += l.Elem.Size {
			if !e.walk(l.Elem, o, end, f) {
				return false
			}
			if l.Elem.emptySub == 0 && !l.Elem.empty && l.Elem.Elem == nil {
				break
			}
		}
		return true
	}
	if rec, ok := Unalias(l.Type).(*Record); ok && l.empty && !f(rec, off) {
		return false
	}
	for i := range l.Members {
		m := &l.Members[i]
		if m.Field.BitField {
			continue
		}
		if !e.walk(m.Layout, off+m.Offset, end, f) {
			return false
		}
	}
	return true
}

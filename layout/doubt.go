package layout

import "github.com/ptxabi/ptxabi/internal/core/zero"

// Doubt returns a reason why the layout of l's type by p may differ from l; "" if the two
// were measured to agree. It answers for two producers, and returns "" for all others.
// For [Rustc] it names types that Rust lacks or rustc refuses. For [NVCC] it names
// records for which NVIDIA's front end has rules of its own, which this package does not
// model: packed records with bases, aligned(n), unnamed bit-fields or classes that are
// not PODs or only for some compilers, some uses of [[no_unique_address]], and bit-fields
// and enumerations with aligned(n). Not every type with a doubt differs.
func (l *Layout) Doubt(p Producer) string {
	l = zero.Or(l)
	switch p {
	case NVCC:
		return l.why
	case Rustc:
		return l.notRust()
	}
	return ""
}

// notRust says what of a type Rust does not have, or rustc 1.95 not take; "" if nothing.
func (l *Layout) notRust() string {
	if _, ok := Unalias(l.Type).(*Vector); ok {
		return "a vector, which it refuses to pass"
	}
	if l.Elem != nil {
		return l.Elem.notRust()
	}
	switch s, _ := Unalias(l.Type).(Scalar); {
	case s.Complex:
		return "a complex number, which Rust does not have"
	case s.Kind == BFloat16:
		return "__bf16, which Rust does not have"
	case s.Kind == LongDouble:
		return "long double, which Rust does not have"
	case l.NonTrivial || l.dynamic:
		return "a class that is not copied as bytes, which Rust does not have"
	case l.Align > 16:
		return "an alignment of more than 16, on which it stops with an error of its own"
	}
	for i := range l.Members {
		m := &l.Members[i]
		switch {
		case m.Base:
			return "a base class, which Rust does not have"
		case m.Field.BitField:
			return "a bit-field, which Rust does not have"
		}
		if why := m.Layout.notRust(); why != "" {
			return why
		}
	}
	return ""
}

func (l *Layout) doubt() string {
	if l.Elem != nil {
		return l.Elem.why
	}
	rec, ok := Unalias(l.Type).(*Record)
	if !ok {
		return ""
	}
	if l.longDouble {
		return "long double, of which it counts 16 bytes, as its host does, and passes 8"
	}
	if l.Size == 0 && l.Rules.Lang == CXX {
		return "arrays without elements alone"
	}
	if l.dynamic {
		return "virtual functions, which were not measured"
	}
	if l.sharing && l.conflict {
		return "[[no_unique_address]] together with empty classes that must not share an address"
	}
	packing := rec.Packed || rec.Pack != 0
	for i := range l.Members {
		packing = packing || l.Members[i].Field.Packed
	}
	for i := range l.Members {
		m := &l.Members[i]
		switch {
		case m.Layout.disputed && (rec.Packed || m.Layout.slack && (m.Base || m.overlapping())):
			return "a class that only some compilers take for a POD"
		case m.overlapping() && m.Layout.empty && m.Layout.Size > 1:
			return "[[no_unique_address]] on an empty class that is aligned"
		case m.overlapping() && m.Layout.bitFields:
			return "[[no_unique_address]] on a class with bit-fields"
		case m.Field.BitField && m.Field.Align > 0:
			return "aligned(n) on bit-fields"
		case m.Field.BitField && rec.Packed && rec.Pack != 0:
			return "bit-fields that are packed twice"
		case packing:
			if why := m.doubt(); why != "" {
				return why
			}
		}
		if why := m.Layout.why; why != "" {
			return why
		}
		if why := m.enumDoubt(); why != "" {
			return why
		}
	}
	return ""
}

// enumDoubt says what about the alignment of an enumeration nvcc sees
// otherwise.
func (m *Member) enumDoubt() string {
	elem := m.Layout
	for elem.Elem != nil {
		elem = elem.Elem
	}
	e, ok := Unalias(elem.Type).(*Enum)
	switch {
	case !ok || e.Align == 0:
	case e.AlignAfter:
		return "aligned(n) after the enumerators of an enumeration, which it ignores"
	case e.Align < elem.Size:
		return "an enumeration aligned to less than its size, which it ignores"
	}
	return ""
}

// doubt says what about a member of a packed record is not known.
func (m *Member) doubt() string {
	t := m.Field.Type
	elem := m.Layout
	asked := m.Field.Align > 0 || realigned(t)
	for elem.Elem != nil {
		elem = elem.Elem
		asked = asked || realigned(elem.Type)
	}
	rec, isRecord := Unalias(elem.Type).(*Record)
	switch {
	case m.Base:
		return "packing with base classes"
	case m.Field.BitField && m.Field.Name == "":
		return "packing with unnamed bit-fields"
	case asked || isRecord && rec.Align > 0:
		return "packing with aligned(n)"
	case isRecord && !elem.pod:
		return "packing with classes that are no POD"
	}
	return ""
}

// realigned reports whether t is a typedef with an alignment of its own.
func realigned(t Type) bool {
	for more := true; more; t, more = below(t) {
		if a, ok := t.(*Alias); ok && a.Align != 0 {
			return true
		}
	}
	return false
}

package layout

import (
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/round"
)

// record lays out r, once.
func (m *Memo) record(r *Record) (*Layout, error) {
	if o, ok := m.records[r]; ok {
		if o.layout == nil && o.err == nil {
			return nil, &Error{Msg: "contains itself"}
		}
		return o.layout, o.err
	}
	if m.records == nil {
		m.records = make(map[*Record]outcome)
	}
	m.records[r] = outcome{}
	l, err := m.newRecord(r)
	m.records[r] = outcome{layout: l, err: err}
	return l, err
}

func (m *Memo) newRecord(r *Record) (*Layout, error) {
	switch {
	case r.Unsupported != "":
		return nil, &Error{Msg: r.Unsupported}
	case r.Incomplete:
		return nil, &Error{Msg: r.String() + " is not defined"}
	case r.Kind == Union && len(r.Bases) > 0:
		return nil, &Error{Msg: "a union cannot have bases"}
	case len(r.Bases) > 0 && m.Rules.Lang != CXX:
		return nil, &Error{Msg: "bases need C++"}
	}
	if err := checkAlign(r.Align); err != nil {
		return nil, err
	}
	if r.Pack != 0 && (!round.IsPow2(r.Pack) || r.Pack > 16) {
		return nil, &Error{Msg: "#pragma pack of " + strconv.FormatInt(r.Pack, 10)}
	}
	l := m.plain(r, 0, 1)
	l.asked = r.Align != 0
	if err := m.members(l, r); err != nil {
		return nil, err
	}
	m.classify(l, r)
	var err error
	if m.Rules.ABI == Microsoft {
		err = layoutMicrosoft(l, r)
	} else {
		err = layoutItanium(l, r, &m.emptySteps)
	}
	if err == nil && l.Size > maxSize {
		err = &Error{Msg: "record is too large"}
	}
	if err != nil {
		return nil, err
	}
	for i := range l.Members {
		l.DataSize = max(l.DataSize, l.Members[i].end())
	}
	l.sum()
	return l, nil
}

// end returns the number of bytes of the record up to the last one that m
// uses, or 0 if it uses none.
func (m *Member) end() int64 {
	switch f := &m.Field; {
	case f.BitField && (f.Name == "" || f.Bits == 0):
		return 0
	case f.BitField:
		return m.Offset + (m.Bit+f.Bits+7)/8
	case m.Layout.DataSize == 0:
		return 0
	}
	return m.Offset + m.Layout.DataSize
}

// members lays out the types of r's bases and fields.
func (m *Memo) members(l *Layout, r *Record) error {
	l.Members = make([]Member, 0, len(r.Bases)+len(r.Fields))
	if r.Dynamic && (m.Rules.ABI != Itanium || m.Rules.Lang != CXX || r.Packed || r.Pack != 0) {
		return &Error{Msg: "virtual functions are supported by the Itanium rules for C++ alone, without packing"}
	}
	for _, b := range r.Bases {
		rec, ok := Unalias(b.Type).(*Record)
		if !ok {
			return &Error{Msg: "base " + b.Type.String() + " is not a class"}
		}
		bl, err := m.of(b.Type)
		if err == nil && rec.Kind == Union {
			err = &Error{Msg: "a union cannot be a base"}
		}
		if err != nil {
			return within(rec.Name, err)
		}
		l.Members = append(l.Members, Member{Field: Field{Type: b.Type}, Base: true, Layout: bl})
	}
	m.virtual(l, r)
	for i, f := range r.Fields {
		fl, err := m.field(r, i)
		if err != nil {
			name := f.Name
			if name == "" && f.BitField {
				name = "(bit-field " + strconv.Itoa(i) + ")"
			}
			return within(name, err)
		}
		l.Members = append(l.Members, Member{Field: f, Layout: fl})
	}
	return nil
}

// vtable is the name of the pointer to the table of virtual functions.
const vtable = "_vptr"

// virtual puts the base that shares its table with the class first, or the pointer to
// one of its own (2.4, I.2 and II.1, without virtual bases).
func (m *Memo) virtual(l *Layout, r *Record) {
	l.dynamic = r.Dynamic
	for i := range l.Members {
		if b := l.Members[i]; b.Layout.dynamic {
			l.dynamic = true
			copy(l.Members[1:i+1], l.Members[:i])
			l.Members[0] = b
			return
		}
	}
	if l.dynamic {
		p := m.pointer(&Pointer{Elem: Scalar{Kind: Void}})
		l.Members = slices.Insert(l.Members, 0, Member{Field: Field{Name: vtable, Type: p.Type}, VTable: true, Layout: p})
	}
}

// field checks the i-th field of r and lays out its type.
func (m *Memo) field(r *Record, i int) (*Layout, error) {
	f := &r.Fields[i]
	if err := checkAlign(f.Align); err != nil {
		return nil, err
	}
	if f.Type == nil {
		return nil, &Error{Msg: "no type"}
	}
	l, err := m.of(f.Type)
	if err != nil {
		return nil, err
	}
	t := Unalias(f.Type)
	if a, ok := t.(*Array); ok && a.Len == Unbounded && r.Kind != Union && i < len(r.Fields)-1 {
		return nil, &Error{Msg: "flexible array is not the last member"}
	}
	if f.BitField {
		return l, m.bitField(f, l)
	}
	if _, ok := t.(*Record); f.Name == "" && !ok {
		return nil, &Error{Msg: "member without a name"}
	}
	return l, nil
}

func (m *Memo) bitField(f *Field, l *Layout) error {
	s, ok := Unalias(f.Type).(Scalar)
	if e, isEnum := Unalias(f.Type).(*Enum); isEnum {
		s, ok = Unalias(e.Underlying).(Scalar)
	}
	width := l.Size * 8
	switch s.Kind {
	case Bool:
		if m.Rules.Lang == C {
			width = 1
		}
	case BitInt, UBitInt:
		width = s.Bits
	}
	switch {
	case !ok || !s.Integer():
		return &Error{Msg: "bit-field of type " + f.Type.String()}
	case f.Bits < 0:
		return &Error{Msg: "bit-field of negative width " + strconv.FormatInt(f.Bits, 10)}
	case f.Bits == 0 && f.Name != "":
		return &Error{Msg: "bit-field of width 0 with a name"}
	case f.Bits > width && (m.Rules.Lang == C || m.Rules.ABI == Microsoft):
		return &Error{Msg: "bit-field of " + strconv.FormatInt(f.Bits, 10) + " bits is wider than its type, " + f.Type.String()}
	case f.Bits > maxSize:
		return &Error{Msg: "bit-field is too wide"}
	}
	return nil
}

// classify finds what C++ says of the record as a whole.
func (m *Memo) classify(l *Layout, r *Record) {
	if m.Rules.Lang != CXX {
		return
	}
	l.pod = !r.NonPOD && len(r.Bases) == 0 && !l.dynamic
	l.disputed = r.Disputed
	l.empty = true
	l.NonTrivial = r.NonTrivial || l.dynamic
	for i := range l.Members {
		mem := &l.Members[i]
		l.NonTrivial = l.NonTrivial || mem.Layout.NonTrivial
		l.disputed = l.disputed || mem.Layout.disputed || mem.Field.NoUniqueAddress
		l.bitFields = l.bitFields || mem.Field.BitField || mem.Layout.bitFields
		l.sharing = l.sharing || mem.Layout.sharing || mem.overlapping()
		switch {
		case mem.Base:
			l.empty = l.empty && mem.Layout.empty
		case mem.Field.BitField:
			l.empty = l.empty && mem.Field.Bits == 0
		default:
			l.pod = l.pod && mem.Layout.pod
			l.empty = l.empty && mem.overlappingEmpty()
		}
		// Only subobjects of empty bases and members can be in each
		// other's way.
		sub := mem.Layout
		for sub.Elem != nil {
			sub = sub.Elem
		}
		size := sub.emptySub
		if sub.empty {
			size = sub.Size
		}
		l.emptySub = max(l.emptySub, size)
	}
	l.disputed = l.disputed && l.pod && m.Rules.ABI == Itanium
}

// overlapping reports whether other members may lie in m's tail padding.
func (m *Member) overlapping() bool {
	_, isRecord := Unalias(m.Field.Type).(*Record)
	return m.Field.NoUniqueAddress && isRecord
}

// overlappingEmpty reports whether m is an empty class that need not have
// bytes of its own.
func (m *Member) overlappingEmpty() bool {
	return m.overlapping() && m.Layout.empty
}

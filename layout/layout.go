package layout

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Layout is the layout of a type in bytes.
type Layout struct {
	Type  Type
	Rules Rules

	Size     int64 // sizeof; 0 for a flexible array
	Align    int64 // alignof, a power of two
	DataSize int64 // bytes up to the last used one; unnamed bit-fields count as padding

	// Members are the bases and fields of a record, in order of declaration, bases first.
	// The first one is the pointer to the table of virtual functions if the record has
	// one of its own, or otherwise the base that has it. Other types have no members.
	Members []Member
	// Elem is the element of an array or vector, nil for other types.
	Elem *Layout

	// NonTrivial reports that the type is a C++ record that cannot be copied as bytes:
	// it, or one of its members or bases, has a copy constructor or destructor of its
	// own. Results of such a type are returned through a pointer.
	NonTrivial bool

	// DSize, NVSize and NVAlign are of records, and serve the layout of those that contain this one: where a derived
	// class may begin to put fields, and size and alignment as a base class.
	DSize, NVSize, NVAlign int64

	pod       bool  // in the sense of C++03
	disputed  bool  // by some compilers alone
	slack     bool  // Itanium: a class that derives from it may use its last bytes if it is no POD
	bitFields bool  // it has some, or a member or base that is a record has
	sharing   bool  // Itanium: [[no_unique_address]] has a part in it
	conflict  bool  // Itanium: empty classes in it must not share an address
	dynamic   bool  // it has virtual functions
	empty     bool  // in the sense of std::is_empty
	emptySub  int64 // size of the largest empty class among the subobjects
	required  int64 // Microsoft, records: alignment that #pragma pack cannot lower
	asked     bool  // Microsoft: the type's alignment was requested explicitly
	natural   int64 // alignment without that of aliases
	leadsZero bool  // Microsoft: begins with an empty base
	endsZero  bool  // Microsoft: ends with a member without bytes

	sums
}

// A Member is a base or a field of a record, with its offset.
type Member struct {
	Field  Field // the declaration; a base has only a Type
	Base   bool
	VTable bool    // the pointer to the table of virtual functions, which no declaration has
	Layout *Layout // of the type; of a bit-field's declared type
	Offset int64   // bytes from the record's start; of a bit-field, those that hold whole bytes before it
	Bit    int64   // first bit of a bit-field, counted from Offset, 0 to 7
}

// Anonymous reports whether m is a record without a name, whose members are members of
// the record around it.
func (m *Member) Anonymous() bool {
	m = zero.Or(m)
	return m.Field.Name == "" && !m.Field.BitField && !m.Base
}

// bitOffset returns the first bit of m from the record's start.
func (m *Member) bitOffset() int64 { return m.Offset*8 + m.Bit }

// Sizes beyond maxSize bytes cannot be counted in bits. Alignments beyond
// maxAlign are refused by compilers.
const (
	maxSize  = 1 << 59
	maxAlign = 1 << 32
	maxDepth = 1000
)

// Of lays out t by the rules r. The error, if any, is an [*Error].
func Of(t Type, r Rules) (Layout, error) {
	m := Memo{Rules: r}
	l, err := m.Of(t)
	if err != nil {
		return Layout{}, err
	}
	return *l, nil
}

// A Memo computes layouts by one set of rules and caches those of records. The zero Memo
// has the zero Rules. It must not be used concurrently.
type Memo struct {
	Rules Rules

	depth   int
	records map[*Record]outcome

	emptySteps int // see maxSteps
}

type outcome struct {
	layout *Layout // nil while the record is being laid out
	err    error
}

// Of is like the function [Of].
func (m *Memo) Of(t Type) (*Layout, error) {
	m = zero.Or(m)
	if err := m.Rules.check(); err != nil {
		return nil, err
	}
	l, err := m.of(t)
	if err != nil {
		if rec, ok := Unalias(t).(*Record); ok && rec != nil && rec.Name != "" && !rec.Incomplete {
			err = within(rec.Name, err)
		}
		return nil, err
	}
	return l, nil
}

func (m *Memo) of(t Type) (*Layout, error) {
	if m.depth++; m.depth > maxDepth {
		m.depth--
		return nil, &Error{Msg: "nested too deeply"}
	}
	defer func() { m.depth-- }()
	if isNil(t) {
		return nil, &Error{Msg: "no type"}
	}
	switch t := t.(type) {
	case Scalar:
		return m.scalar(t)
	case *Pointer:
		return m.pointer(t), nil
	case *Vector:
		return m.vector(t)
	case *Array:
		return m.array(t)
	case *Record:
		return m.record(t)
	case *Enum:
		return m.enum(t)
	case *Func:
		return nil, &Error{Msg: "a function has no size"}
	case *Alias:
		return m.alias(t)
	case *Qualified:
		return m.qualified(t)
	}
	return nil, &Error{Msg: fmt.Sprintf("no type (%v)", t)}
}

// plain is the layout of something without padding.
func (m *Memo) plain(t Type, size, align int64) *Layout {
	return &Layout{
		Type: t, Rules: m.Rules, Size: size, Align: align, DataSize: size,
		pod: true, natural: align,
	}
}

func (m *Memo) scalar(s Scalar) (*Layout, error) {
	if s.Kind == Void {
		return nil, &Error{Msg: "void has no size"}
	}
	if !s.Valid() {
		return nil, &Error{Msg: "invalid scalar " + s.String()}
	}
	size, align := s.size(m.Rules)
	l := m.plain(s, size, align)
	l.sum()
	return l, nil
}

func (m *Memo) pointer(p *Pointer) *Layout {
	word := m.Rules.pointer()
	size := word
	if _, fn := Unalias(p.Elem).(*Func); p.Kind == MemberPointer {
		switch {
		case m.Rules.ABI == Microsoft && !fn:
			return m.plain(p, 4, 4) // a 32-bit offset
		case m.Rules.ABI != Microsoft && fn:
			size = 2 * word // address and adjustment
		}
	}
	l := m.plain(p, size, word)
	// A reference makes a class something else than C++03's POD.
	l.pod = p.Kind == ObjectPointer || p.Kind == MemberPointer
	return l
}

func (m *Memo) vector(v *Vector) (*Layout, error) {
	elem, err := m.of(v.Elem)
	if err != nil {
		return nil, err
	}
	if v.Len < 1 {
		return nil, &Error{Msg: "vector of " + strconv.FormatInt(v.Len, 10) + " elements"}
	}
	if v.Len > maxAlign/elem.Size {
		return nil, &Error{Msg: "vector is too large"}
	}
	data := elem.Size * v.Len
	if s, ok := Unalias(v.Elem).(Scalar); ok && s.Kind == Bool {
		data = (v.Len + 7) / 8 // one bit each
	}
	// A vector of a size that is not a power of two is padded to one.
	size := round.NextPow2(data)
	l := m.plain(v, size, size)
	l.DataSize = data
	l.Elem = elem
	l.sum()
	return l, nil
}

func (m *Memo) array(a *Array) (*Layout, error) {
	elem, err := m.of(a.Elem)
	if err != nil {
		return nil, within("[]", err)
	}
	n := a.Len
	switch {
	case n == Unbounded:
		n = 0
	case n < 0:
		return nil, &Error{Msg: "array of negative length " + strconv.FormatInt(n, 10)}
	}
	if elem.Size%elem.Align != 0 {
		return nil, &Error{Msg: fmt.Sprintf("array element of %d bytes is not a multiple of its alignment %d", elem.Size, elem.Align)}
	}
	if elem.Size > 0 && n > maxSize/elem.Size {
		return nil, &Error{Msg: "array is too large"}
	}
	l := m.plain(a, n*elem.Size, elem.Align)
	l.DataSize = 0
	if n > 0 {
		l.DataSize = l.Size - elem.Size + elem.DataSize
	}
	l.Elem = elem
	l.pod, l.disputed, l.sharing = elem.pod, elem.disputed, elem.sharing
	l.NonTrivial = elem.NonTrivial
	l.asked = elem.asked
	l.sum()
	return l, nil
}

func (m *Memo) enum(e *Enum) (*Layout, error) {
	if e.Underlying == nil {
		return nil, &Error{Msg: e.String() + " is not defined"}
	}
	u, err := m.of(e.Underlying)
	if err != nil {
		return nil, err
	}
	if err := checkAlign(e.Align); err != nil {
		return nil, err
	}
	l := m.plain(e, u.Size, cmp.Or(e.Align, u.Align))
	l.asked = e.Align != 0
	return l, nil
}

func (m *Memo) alias(a *Alias) (*Layout, error) {
	l, err := m.of(a.Type)
	if err != nil || a.Align == 0 {
		return l, err
	}
	if err := checkAlign(a.Align); err != nil {
		return nil, err
	}
	as := *l
	as.Align = a.Align
	as.asked = true
	return &as, nil
}

// maxAtomic is the width up to which clang for Windows on x86-64 rounds the size
// of an _Atomic to a power of two, so that an access is one instruction. For
// nvptx it rounds none.
const maxAtomic = 16

func (m *Memo) qualified(q *Qualified) (*Layout, error) {
	l, err := m.of(q.Type)
	if err != nil || !q.Atomic {
		return l, err
	}
	as := *l
	switch {
	case l.Size == 0:
		as.Size = 1
	case m.Rules.ABI == Microsoft && l.Size <= maxAtomic:
		as.Size = round.NextPow2(l.Size)
		as.Align, as.natural, as.asked = as.Size, as.Size, false
	default:
		return l, nil
	}
	as.sum()
	return &as, nil
}

func checkAlign(a int64) error {
	if a != 0 && !round.IsPow2(a) {
		return &Error{Msg: "alignment " + strconv.FormatInt(a, 10) + " is not a power of two"}
	}
	if a > maxAlign {
		return &Error{Msg: "alignment " + strconv.FormatInt(a, 10) + " is too large"}
	}
	return nil
}

// An Error is the reason why a type has no layout.
type Error struct {
	Path string // the field, with dots after the names of the records around it; may be empty
	Msg  string
}

// Error returns the message, after the path where there is one.
func (e *Error) Error() string {
	e = zero.Or(e)
	if e.Path == "" {
		return e.Msg
	}
	return e.Path + ": " + e.Msg
}

// maxPath is how long a path may be, in bytes, before its rest is left out: records within each other have it all again.
const maxPath = 1 << 10

// within returns err with name in front of its path.
func within(name string, err error) error {
	e, ok := err.(*Error)
	if !ok || name == "" {
		return err
	}
	path := name
	switch {
	case e.Path == "":
	case len(e.Path) > maxPath:
		path += ".…"
	case strings.HasPrefix(e.Path, "["):
		path += e.Path
	default:
		path += "." + e.Path
	}
	return &Error{Path: path, Msg: e.Msg}
}

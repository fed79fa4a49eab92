package layout

import "reflect"

// A Type is a C or C++ type as it was declared: a [Scalar], [*Pointer], [*Vector],
// [*Array], [*Record], [*Enum], [*Func], or one that names or qualifies another type,
// [*Alias] or [*Qualified]. Types are compared by identity and must not be changed once
// they have been laid out.
type Type interface {
	// String returns the type as C writes it, without a declared name.
	String() string
	typ()
}

func (Scalar) typ()     {}
func (*Pointer) typ()   {}
func (*Vector) typ()    {}
func (*Array) typ()     {}
func (*Record) typ()    {}
func (*Enum) typ()      {}
func (*Func) typ()      {}
func (*Alias) typ()     {}
func (*Qualified) typ() {}

// A PointerKind is the kind of a [Pointer].
type PointerKind uint8

const (
	ObjectPointer   PointerKind = iota // T *, or a pointer to a function
	LvalueReference                    // T &
	RvalueReference                    // T &&
	MemberPointer                      // T C::*, also to member functions
)

// A Pointer is a pointer, a reference, or a pointer to a member.
type Pointer struct {
	Elem  Type // what it points to; no layout depends on it
	Kind  PointerKind
	Class string // the class of a MemberPointer, as spelled
}

// A Vector is one of GCC's or clang's vector types. CUDA's float4 and its like
// are records.
type Vector struct {
	Elem Type // a scalar, enum or pointer
	Len  int64
}

// Unbounded is the length of an array without a bound.
const Unbounded = -1

// An Array is a C array. Arrays of several dimensions nest.
type Array struct {
	Elem Type
	Len  int64 // Unbounded for a flexible array member
}

// An Enum is an enumeration together with the integer type that holds it.
type Enum struct {
	Name       string
	At         string // file:line:column of the declaration; shown where Name is empty
	Underlying Type   // nil for an enumeration that is only declared
	Scoped     bool   // enum class
	Align      int64  // the largest aligned(n); 0 means that of Underlying
	// AlignAfter reports that aligned(n) is after the enumerators of an enumeration with
	// a name, where nvcc ignores it.
	AlignAfter bool
	// Enumerators are the known enumerators, in order. No layout depends on them.
	Enumerators []Enumerator
}

// An Enumerator is a named value of an enumeration.
type Enumerator struct {
	Name string
	// Bits is the value, sign-extended where it is negative.
	Bits     uint64
	Negative bool
}

// A Func is the type of a function. It has no size, but pointers to it have.
type Func struct {
	Result   Type
	Params   []Type
	Variadic bool
	NoProto  bool // C's f(), a declaration without parameters
	Const    bool // a const member function
}

// An Alias is another name for a type: a typedef, a using declaration, or a C++ name as
// it was written. Its alignment, if given, replaces that of the type, whether it is
// larger or smaller.
type Alias struct {
	Name  string
	Type  Type
	Align int64 // 0 means that of Type
}

// Qualified is a type with qualifiers. Atomic can change its size and alignment by
// Microsoft's rules; the others only appear in its name.
type Qualified struct {
	Type     Type
	Const    bool
	Volatile bool
	Restrict bool
	Atomic   bool
}

// A RecordKind is the keyword of a record.
type RecordKind uint8

const (
	Struct RecordKind = iota
	Union
	Class
)

// String returns the keyword: "struct".
func (k RecordKind) String() string {
	return [...]string{"struct", "union", "class"}[k%3]
}

// A Record is a struct, union or class.
type Record struct {
	Kind RecordKind
	// Name is the qualified name without the keyword. For a record without a name, At is
	// its place, Parent is the record around it, or nil, and Scope the qualified name of
	// the namespace around it, with "::" at its end.
	Name   string
	At     string // file:line:column of the declaration
	Parent *Record
	Scope  string
	// TypedefName is the qualified name of the typedef of a record without a name, which
	// is printed instead of the record.
	TypedefName string

	Bases  []Base
	Fields []Field

	Packed bool  // __attribute__((packed))
	Align  int64 // the largest aligned(n) or alignas(n); 0 means none
	Pack   int64 // #pragma pack in force at the definition; 0 means none

	// EmptyBases is Microsoft's __declspec(empty_bases): base classes without members take
	// no room. Other rules never give them any.
	EmptyBases bool

	Incomplete bool // declared, not defined

	// NonPOD and NonTrivial are about C++, and about the record's own declarations; Of
	// adds those of members and bases. NonPOD: it has a user-provided constructor,
	// destructor or copy assignment, or a member that is private, protected or
	// initialised in place. NonTrivial: its copy constructor or destructor is
	// user-provided, so that results of the type are returned through a pointer.
	NonPOD     bool
	NonTrivial bool
	// Disputed: compilers disagree whether the record's own declarations make it NonPOD, as those of a constructor
	// that is defaulted or deleted.
	Disputed bool

	// Dynamic reports that the class declares virtual functions, so that it has a pointer
	// to a table of them, its own or that of a base. Only the [Itanium] rules lay it out.
	Dynamic bool

	// Unsupported is the reason why the record has no layout, for instance "virtual
	// functions"; "" if it has one.
	Unsupported string
}

// A Base is a non-virtual base class.
type Base struct {
	Type Type // a record, possibly through an Alias
}

// A Field is a member as it is declared. A bit-field has BitField set; without
// a name it is padding, and with Bits 0 it ends the current storage unit.
type Field struct {
	Name     string // empty for anonymous members and unnamed bit-fields
	Type     Type
	Align    int64 // the largest aligned(n) or alignas(n) of the member; 0 means none
	Packed   bool  // __attribute__((packed)) on the member
	BitField bool
	Bits     int64
	// NoUniqueAddress is C++20's [[no_unique_address]].
	NoUniqueAddress bool
}

// Unalias returns t without aliases and qualifiers at its top. It returns nil if these do not
// end, as those of an alias for itself.
func Unalias(t Type) Type {
	for range maxDepth {
		of, more := below(t)
		if !more {
			return t
		}
		t = of
	}
	return nil
}

// below returns the type that an alias or a qualified type is one of, and whether t is
// one of these.
func below(t Type) (of Type, more bool) {
	switch t := t.(type) {
	case *Alias:
		if t != nil {
			of = t.Type
		}
		return of, true
	case *Qualified:
		if t != nil {
			of = t.Type
		}
		return of, true
	}
	return nil, false
}

// isAtomic reports whether one of the qualifiers of t is _Atomic.
func isAtomic(t Type) bool {
	for more := true; more; t, more = below(t) {
		if q, ok := t.(*Qualified); ok && q.Atomic {
			return true
		}
	}
	return false
}

// isNil reports whether t is not a type, or a nil pointer to one.
func isNil(t Type) bool {
	v := reflect.ValueOf(t)
	return t == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

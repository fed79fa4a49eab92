package layout

// A Type is a C or C++ type as it was declared. The set is closed: [Scalar],
// [*Pointer], [*Vector], [*Array], [*Record], [*Enum], [*Func], and the two
// that name or qualify another type, [*Alias] and [*Qualified]. Types are
// compared by identity and must not be changed once they have been laid out.
type Type interface {
	// String spells the type as C does, without a declared name.
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

// A PointerKind tells what kind of address a [Pointer] holds.
type PointerKind uint8

const (
	ObjectPointer   PointerKind = iota // T *, or a pointer to a function
	LvalueReference                    // T &
	RvalueReference                    // T &&
	MemberPointer                      // T C::*, also to member functions
)

// A Pointer is an address, or what C++ lays out like one.
type Pointer struct {
	Elem  Type // what is pointed to. It is never laid out.
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
	// AlignAfter says that aligned(n) stands after the enumerators, and an
	// enumeration with a name: nvcc does not obey it there.
	AlignAfter bool
	// Enumerators are those that are known, in order. No layout depends on them.
	Enumerators []Enumerator
}

// An Enumerator is a name of a value of an enumeration.
type Enumerator struct {
	Name string
	// Bits is the value, sign-extended where it is negative.
	Bits     uint64
	Negative bool
}

// A Func is the type of a function. It has no size; pointers to it do.
type Func struct {
	Result   Type
	Params   []Type
	Variadic bool
	NoProto  bool // C's f(), which says nothing of parameters
	Const    bool // a member function that leaves its object alone
}

// An Alias is another name for a type: a typedef, a using declaration, or a
// C++ name as it was written. Its alignment, when given, replaces the type's
// own, downwards as well as upwards.
type Alias struct {
	Name  string
	Type  Type
	Align int64 // 0 means that of Type
}

// Qualified is a type with qualifiers. Atomic can change its size and
// alignment by Microsoft's rules; the others are only spelled.
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
	// Name is the qualified name without the keyword. A record without a
	// name has At, the record around it as Parent or nil, and the qualified
	// name of the namespace around it, with a trailing "::", as Scope.
	Name   string
	At     string // file:line:column of the declaration
	Parent *Record
	Scope  string
	// TypedefName is the typedef through which a record without a name of
	// its own is known, qualified; it is spelled instead of the record.
	TypedefName string

	Bases  []Base
	Fields []Field

	Packed bool  // __attribute__((packed))
	Align  int64 // the largest aligned(n) or alignas(n); 0 means none
	Pack   int64 // #pragma pack in force at the definition; 0 means none

	Incomplete bool // declared, not defined

	// NonPOD and NonTrivial concern C++ and speak of this record's own
	// declarations; what members and bases bring along is found by Of.
	// NonPOD: it has a user-provided constructor, destructor or copy
	// assignment, a member that is private, protected or initialised in
	// place. NonTrivial: its copy or destructor is the user's, so that
	// results of the type travel by pointer.
	NonPOD     bool
	NonTrivial bool

	// Dynamic says that the class declares virtual functions, so that it has a
	// pointer to a table of them, its own or that of a base. It needs the [Itanium]
	// rules.
	Dynamic bool

	// Unsupported, when not empty, says why the record cannot be laid out,
	// for instance "virtual functions".
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

// Unalias returns t without aliases and qualifiers at its top.
func Unalias(t Type) Type {
	for {
		switch x := t.(type) {
		case *Alias:
			if x == nil {
				return nil
			}
			t = x.Type
		case *Qualified:
			if x == nil {
				return nil
			}
			t = x.Type
		default:
			return t
		}
	}
}

// isNil reports whether t is not a type, or a nil pointer to one.
func isNil(t Type) bool {
	switch t := t.(type) {
	case nil:
		return true
	case *Pointer:
		return t == nil
	case *Vector:
		return t == nil
	case *Array:
		return t == nil
	case *Record:
		return t == nil
	case *Enum:
		return t == nil
	case *Func:
		return t == nil
	case *Alias:
		return t == nil
	case *Qualified:
		return t == nil
	}
	return false
}

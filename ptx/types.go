package ptx

import "slices"

// A Type is a fundamental type, an alternate floating-point format, a packed
// type or an opaque handle type of PTX. The zero value means no type.
type Type uint8

// The types.
const (
	NoType Type = iota
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16X2
	F32
	F64
	Pred
	U16X2
	S16X2
	BF16
	BF16X2
	TF32
	E4M3
	E5M2
	E4M3X2
	E5M2X2
	E2M1
	E2M1X2
	E2M3
	E2M3X2
	E3M2
	E3M2X2
	UE8M0
	UE8M0X2
	UE4M3
	S2F6
	S2F6X2
	F32X2
	TexRef
	SamplerRef
	SurfRef
	numTypes
)

// A Class is a group of types that PTX does not distinguish when it compares them.
type Class uint8

const (
	NoClass   Class = iota
	Bits            // .bN: matches every type of its size
	Integer         // .uN and .sN match each other
	Float           // .fN
	Predicate       // .pred
	Alternate       // formats and packed types that only instructions take
	Handle          // texture, sampler and surface references
)

type typeRow struct {
	name  string
	size  uint8
	class Class
}

// typeTable has the name, the size in bytes (0 for types that have none) and the class of each type. The
// fundamental types are those of the chapter on types of the PTX manual. A predicate has
// one byte here, the least that can have its value.
var typeTable = [numTypes]typeRow{
	NoType: {"", 0, NoClass},
	B8:     {".b8", 1, Bits}, B16: {".b16", 2, Bits}, B32: {".b32", 4, Bits}, B64: {".b64", 8, Bits}, B128: {".b128", 16, Bits},
	U8: {".u8", 1, Integer}, U16: {".u16", 2, Integer}, U32: {".u32", 4, Integer}, U64: {".u64", 8, Integer},
	S8: {".s8", 1, Integer}, S16: {".s16", 2, Integer}, S32: {".s32", 4, Integer}, S64: {".s64", 8, Integer},
	F16: {".f16", 2, Float}, F16X2: {".f16x2", 4, Float}, F32: {".f32", 4, Float}, F64: {".f64", 8, Float},
	Pred:  {".pred", 1, Predicate},
	U16X2: {".u16x2", 4, Alternate}, S16X2: {".s16x2", 4, Alternate},
	BF16: {".bf16", 2, Alternate}, BF16X2: {".bf16x2", 4, Alternate}, TF32: {".tf32", 4, Alternate},
	E4M3: {".e4m3", 1, Alternate}, E5M2: {".e5m2", 1, Alternate}, E4M3X2: {".e4m3x2", 2, Alternate}, E5M2X2: {".e5m2x2", 2, Alternate},
	E2M1: {".e2m1", 1, Alternate}, E2M1X2: {".e2m1x2", 1, Alternate},
	E2M3: {".e2m3", 1, Alternate}, E2M3X2: {".e2m3x2", 2, Alternate}, E3M2: {".e3m2", 1, Alternate}, E3M2X2: {".e3m2x2", 2, Alternate},
	UE8M0: {".ue8m0", 1, Alternate}, UE8M0X2: {".ue8m0x2", 2, Alternate}, UE4M3: {".ue4m3", 1, Alternate},
	S2F6: {".s2f6", 1, Alternate}, S2F6X2: {".s2f6x2", 2, Alternate}, F32X2: {".f32x2", 8, Alternate},
	TexRef: {".texref", 0, Handle}, SamplerRef: {".samplerref", 0, Handle}, SurfRef: {".surfref", 0, Handle},
}

// row returns the row of the table. The row of a number that is no type has no size and no class.
func (t Type) row() typeRow {
	if t < numTypes {
		return typeTable[t]
	}
	return typeRow{name: ".type?"}
}

// String returns the type as PTX writes it, such as ".b32"; "" for NoType.
func (t Type) String() string { return t.row().name }

// Size returns the size of one element in bytes, which is also its natural
// alignment. It is 0 for NoType and for handles, which have no bytes.
func (t Type) Size() int { return int(t.row().size) }

// Class returns the group that t belongs to.
func (t Type) Class() Class { return t.row().class }

// Signed reports whether t is one of .s8 to .s64.
func (t Type) Signed() bool { return t >= S8 && t <= S64 }

// TypeOf returns the type that PTX writes as name, with its dot; NoType if
// there is none.
func TypeOf(name string) Type {
	for t := range typeTable {
		if typeTable[t].name == name {
			return Type(t)
		}
	}
	return NoType
}

// A Space is a state space.
type Space uint8

// The state spaces that declarations name.
const (
	NoSpace Space = iota
	RegSpace
	ParamSpace
	LocalSpace
	SharedSpace
	GlobalSpace
	ConstSpace
	TexSpace
	SregSpace
)

var spaceNames = [...]string{"", ".reg", ".param", ".local", ".shared", ".global", ".const", ".tex", ".sreg"}

// String returns the space as PTX writes it, such as ".param".
func (s Space) String() string {
	if int(s) < len(spaceNames) {
		return spaceNames[s]
	}
	return ".space?"
}

func spaceOf(name string) Space { return Space(max(slices.Index(spaceNames[:], name), 0)) }

// A Linkage is a linking directive.
type Linkage uint8

// The linking directives.
const (
	NoLinkage Linkage = iota
	Extern
	Visible
	Weak
	Common
)

var linkageNames = [...]string{"", ".extern", ".visible", ".weak", ".common"}

// String returns the directive as PTX writes it, such as ".extern"; "" for
// none.
func (l Linkage) String() string {
	if int(l) < len(linkageNames) {
		return linkageNames[l]
	}
	return ".linkage?"
}

func linkageOf(name string) Linkage { return Linkage(max(slices.Index(linkageNames[:], name), 0)) }

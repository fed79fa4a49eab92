package layout

// A Lang is the language whose rules decide where C and C++ differ: the size
// of empty records, tail padding, what packed applies to.
type Lang uint8

const (
	C   Lang = iota // ISO C
	CXX             // C++
)

// An ABI is a family of record layout rules.
type ABI uint8

const (
	// Itanium is the Itanium C++ ABI and the System V rules for C, used on
	// Linux hosts and by every compiler for nvptx.
	Itanium ABI = iota
	// Microsoft is what cl and clang for windows-msvc do.
	Microsoft
)

// Rules say how declarations become bytes. The zero Rules are those of C on
// nvptx64: LP64, long double of 8 bytes.
type Rules struct {
	Lang       Lang
	ABI        ABI
	Pointer    int64 // bytes of an address; 0 means 8
	Long       int64 // bytes of long; 0 means 8
	LongDouble int64 // bytes of long double; 0 means 8
	WChar      int64 // bytes of wchar_t; 0 means 4
}

// The named rules. Each is C; set Lang for C++.
var (
	// LP64 is nvptx64 and, but for long double, its Linux hosts.
	LP64 = Rules{}
	// ILP32 is nvptx with 32-bit addresses.
	ILP32 = Rules{Pointer: 4, Long: 4}
	// LLP64 is 64-bit Windows, with Microsoft's bit-fields and records.
	LLP64 = Rules{ABI: Microsoft, Long: 4, WChar: 2}
)

// NVCC returns r as NVIDIA's front end uses it: C++, whatever the language of
// the source, and long double as wide as on a Linux host (16 bytes) unless the
// host is Windows.
func (r Rules) NVCC() Rules {
	r.Lang = CXX
	if r.ABI == Itanium && r.LongDouble == 0 {
		r.LongDouble = 16
	}
	return r
}

func (r Rules) pointer() int64    { return or(r.Pointer, 8) }
func (r Rules) long() int64       { return or(r.Long, 8) }
func (r Rules) longDouble() int64 { return or(r.LongDouble, 8) }
func (r Rules) wchar() int64      { return or(r.WChar, 4) }

func (r Rules) check() error {
	for _, f := range []struct {
		name string
		v    int64
	}{
		{"Pointer", r.pointer()},
		{"Long", r.long()},
		{"LongDouble", r.longDouble()},
		{"WChar", r.wchar()},
	} {
		if !isPow2(f.v) || f.v > 16 {
			return &Error{Msg: "Rules." + f.name + " is not a power of two up to 16"}
		}
	}
	return nil
}

func or(v, otherwise int64) int64 {
	if v == 0 {
		return otherwise
	}
	return v
}

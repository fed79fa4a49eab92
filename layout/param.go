package layout

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Producer is a compiler, or the PTX manual, with its convention for the .param
// declarations of C types.
//
// All of them pass a scalar of up to 32 bits as .b32 and one of up to 64 bits as .b64,
// extended by the caller. Parameters of kernels have the exact width of the scalar. The
// conventions differ in records:
type Producer uint8

const (
	// NVCC is NVIDIA's front end. It passes a record as .align alignof .b8[sizeof], as an
	// argument, a result and a kernel argument, even with an alignment of 256, which
	// ptxas refuses. The exceptions, measured with cicc 11.8 and 12.4, which agree:
	//
	//   - an argument of more than 128 bytes is aligned to at least 4;
	//     results and kernel arguments are not;
	//   - __int128 is .align 16 .b8[16]; _Complex is .align alignof(part)
	//     .b8[sizeof]; pointers to member functions are .align 8 .b8[16];
	//   - bool, char and short are .b32 in functions and .u8, .u8, .u16
	//     in kernels;
	//   - a record with a copy constructor or destructor of its own goes
	//     by pointer, argument and result;
	//   - the alignment of a typedef, above or below that of its type, is
	//     that of a record, complex number, __int128 or pointer to a member
	//     function in all three roles; of what it passes as a scalar it is not
	//     written, and the parameter is aligned to its size;
	//   - long double is a double, .b64 or .f64. In a record it is laid out
	//     as on the host, 16 bytes, and carried in 8: the array is 8 bytes
	//     shorter than sizeof for each one, and what follows moves up by a
	//     rule that is not known.
	//
	// The front end's layouts of random C++ records were compared with those of this
	// package by [Rules.NVCC]. None differs unless [Layout.Doubt] returns a reason. The
	// differences are not modelled: under
	// #pragma pack, a member's aligned(n) beyond the packing and unnamed
	// bit-fields still raise the alignment; packed reaches base classes, but
	// not arrays of classes that are no POD; aligned(n) on a packed record
	// replaces that of its members.
	//
	// Not known: __half and __nv_bfloat16 outside of their records, GCC
	// vector extensions and _BitInt, which cicc refuses.
	NVCC Producer = iota
	// Clang is clang 17 to 22 with the LLVM of the same number. It differs from NVCC as
	// follows. A result has the alignment of the type that the record is lowered to,
	// which aligned(n), packing and some bit-fields do not change, and an argument has at
	// least that alignment. The alignment of a typedef is ignored. Records that are not
	// copied as bytes are passed by value as arguments, and through a pointer as results.
	// _Float16 and __bf16 are .align 2 .b8[2].
	Clang
	// GCC is GCC 12 as it compiles for offloading. It passes every aggregate, vector and
	// __int128 by pointer, and a complex number that is a result. It writes .u32, .u64,
	// .f32 and .f64. A complex argument is two parameters, its parts; ParamOf returns an
	// address for it, as for a result.
	GCC
	// Manual is the examples of the PTX manual: they pass the bytes of a record without
	// tail padding.
	Manual
	// Clang14 is clang 14. It differs from Clang in that a record that is an argument
	// has the alignment of the record, at least 4 as one of a function, even where the type that it is
	// lowered to has a larger one, as that of a packed record without holes; and that functions
	// which only their own module can call have no alignment of 16.
	Clang14
	// Clang15 is clang 15 and 16. It differs from Clang in that a record that is an
	// argument of a function is aligned to at least 4.
	Clang15
	// Rustc is rustc 1.95, for functions with extern "C" and kernels with extern
	// "ptx-kernel". A record is .align alignof .b8[sizeof], as an argument, a result and
	// a kernel argument; one without bytes is not passed. f16 is .align 2 .b8[2], and
	// i128 .align 16 .b8[16]. [Layout.Doubt] returns a reason for types that Rust lacks
	// or rustc refuses. Functions with Rust's own convention are not modelled.
	Rustc
)

// A Role is the kind of formal that passes a value.
type Role uint8

const (
	Argument       Role = iota // of a .func
	Result                     // of a .func
	KernelArgument             // of an .entry
	// InternalArgument and InternalResult are those of a function all of whose callers
	// the compiler sees. LLVM aligns them to at least 16, and with optimisation returns
	// the only element of a record in place of the record. nvcc without optimisation and
	// GCC declare such functions like others. With optimisation nvcc splits and drops
	// their parameters, which is not modelled.
	InternalArgument
	InternalResult
)

// Void is the Bytes of a Param for a result that does not exist.
const (
	noArray  = -1
	noResult = -2
)

// A Param is a .param declaration.
type Param struct {
	Name  string
	Align int64  // written where it is not 0
	Type  string // .b8 for an array
	// Bytes is the extent of an array; -1 for a scalar; -2 for an argument that is not
	// passed and for the result of a function that returns nothing.
	Bytes int64
	// Indirect reports that an address is passed instead of the value. That of a result
	// is the first argument.
	Indirect bool
}

// String returns the declaration: ".param .align 8 .b8 x[16]"; empty for a parameter or
// result that does not exist.
func (p Param) String() string {
	if p.Bytes == noResult {
		return ""
	}
	s := ".param "
	if p.Align != 0 {
		s += ".align " + strconv.FormatInt(p.Align, 10) + " "
	}
	s += p.Type + " " + p.Name
	if p.Bytes >= 0 {
		s += "[" + strconv.FormatInt(p.Bytes, 10) + "]"
	}
	return s
}

// Extent returns the size of p in bytes, and its alignment in PTX: that of its element
// or, if it is larger, the one that is written. The calling convention places p by these
// two.
func (p Param) Extent() (size, align int64) {
	bits, err := strconv.ParseInt(strings.TrimLeft(p.Type, ".bsuf"), 10, 64)
	if err != nil {
		return 0, 0 // no parameter
	}
	size, align = bits/8, max(bits/8, p.Align)
	if p.Bytes != noArray {
		size *= p.Bytes
	}
	return size, align
}

// Param returns the declaration by which nvcc passes the type as an argument of a
// function.
func (l *Layout) Param(name string) string {
	return l.ParamOf(NVCC, Argument, name).String()
}

// byNVCC returns the layout of l's type by the rules of nvcc. One that has been changed by hand
// stays.
func (l *Layout) byNVCC() *Layout {
	rules := l.Rules.NVCC()
	if l.Rules == rules {
		return l
	}
	own, err1 := Of(l.Type, l.Rules)
	as, err2 := Of(l.Type, rules)
	if err1 != nil || err2 != nil || own.Size != l.Size || own.Align != l.Align {
		return l
	}
	return &as
}

// ParamOf returns the declaration by which p passes the type in a role. That of [NVCC] is by
// [Rules.NVCC], whatever the rules of l: by those of C an empty struct would be an array
// without extent, and the function variadic.
func (l *Layout) ParamOf(p Producer, r Role, name string) Param {
	l = zero.Or(l)
	if p == NVCC {
		l = l.byNVCC()
	}
	out := Param{Name: name, Bytes: noArray}
	if p.Family() != Clang || p == Clang14 && r == InternalArgument {
		switch r {
		case InternalArgument:
			r = Argument
		case InternalResult:
			r = Result
		}
	}
	size, cls, n := l.element()
	_, isRecord := Unalias(l.Type).(*Record)
	scalar := !isRecord && n == 1 && l.Elem == nil && size == l.Size
	half := scalar && cls == floating && size == 2
	switch {
	case p == NVCC && !isRecord && l.shortened == 1 && l.Size == 16:
		out.Type = scalarParam(r, 8, floating)
		return out
	case p == GCC:
		return l.paramGCC(out, scalar, size, cls)
	case l.indirect(p, r):
		out.Type, out.Indirect = ".b"+strconv.FormatInt(l.Rules.pointer()*8, 10), true
		return out
	case scalar && !half:
		out.Type = scalarParam(r, size, cls)
		return out
	}
	out.Type = ".b8"
	out.Align, out.Bytes = l.Align, l.Size
	switch p.Family() {
	case NVCC:
		out.Bytes -= 8 * l.shortened
		if r == Argument && l.Size > 128 {
			out.Align = max(out.Align, 4)
		}
	case Clang:
		return l.paramClang(p, out, r)
	case Manual:
		out.Bytes = l.DataSize
	case Rustc:
		if l.Size == 0 {
			return Param{Name: name, Bytes: noResult}
		}
	}
	return out
}

// indirect reports whether the address is passed instead of the value.
func (l *Layout) indirect(p Producer, r Role) bool {
	if !l.NonTrivial || r == KernelArgument || p == Manual || p == Rustc {
		return false
	}
	return p == NVCC || r == Result || r == InternalResult
}

// scalarParam returns the type that carries a scalar of up to 8 bytes.
func scalarParam(r Role, size int64, cls class) string {
	if r != KernelArgument {
		return ".b" + strconv.FormatInt(max(size, 4)*8, 10)
	}
	typ, _ := load(size, cls)
	if cls == signed {
		typ = ".u" + strconv.FormatInt(size*8, 10)
	}
	return typ
}

func (l *Layout) paramGCC(out Param, scalar bool, size int64, cls class) Param {
	if !scalar || size > 8 {
		out.Type, out.Indirect = ".u"+strconv.FormatInt(l.Rules.pointer()*8, 10), true
		return out
	}
	out.Type, _ = load(max(size, 4), unsigned)
	if cls == floating && size >= 4 {
		out.Type, _ = load(size, cls)
	}
	return out
}

// paramClang adjusts what clang and LLVM do differently from nvcc.
func (l *Layout) paramClang(p Producer, out Param, r Role) Param {
	low := make(lowering).lower(l)
	out.Align = l.natural
	internal := int64(16) // the least alignment of what travels as bytes between functions of a module
	if p == Clang14 {
		internal = 1
	}
	switch r {
	case Result:
		out.Align = low.align
	case Argument, KernelArgument:
		if p != Clang14 { // which aligns the copy as the record
			out.Align = max(out.Align, low.align)
		}
		if _, isRecord := Unalias(l.Type).(*Record); isRecord && r == Argument && p != Clang {
			out.Align = max(out.Align, 4)
		}
	case InternalArgument:
		out.Align = max(out.Align, low.align, internal)
	case InternalResult:
		low = l.returned(low)
		switch {
		case low.size == 0:
			return Param{Name: out.Name, Bytes: noResult}
		case low.size <= 8 && low.kind <= lowFloat && !(low.kind == lowFloat && low.size < 4):
			return Param{Name: out.Name, Type: scalarParam(r, low.size, signed), Bytes: noArray}
		}
		out.Align, out.Bytes = max(low.align, internal), low.size
	}
	return out
}

// returned is what LLVM makes of the result of an internal function: elements
// without bytes are dropped, in C++ tail padding too, and an element that
// remains alone is returned by itself.
func (l *Layout) returned(low lowered) lowered {
	if low.kind != lowRecord {
		return low
	}
	_, isRecord := Unalias(l.Type).(*Record)
	out := lowered{align: 1, packed: low.packed, kind: lowRecord}
	off := int64(0)
	for _, e := range low.elems {
		align := e.align
		if low.packed {
			align = 1
		}
		off = round.Up(off, align)
		at := off
		off += e.size
		if e.size == 0 || isRecord && l.Rules.Lang == CXX && at >= l.DSize {
			continue
		}
		out.size = round.Up(out.size, align) + e.size
		out.align = max(out.align, align)
		out.elems = append(out.elems, e)
	}
	if len(out.elems) == 1 {
		return out.elems[0]
	}
	out.size = round.Up(out.size, out.align)
	return out
}

// tailAlign is the alignment of the array that a variadic function takes last.
const tailAlign = 8

// A Tail is what a call of a variadic function passes for the dots, in one array of bytes, as nvcc
// passes it (testdata/real/cicc124-variadic.ptx). The buffer that vprintf takes by its address, in
// local memory, has the same form, and so has the one whose address clang 19 passes in place of
// the array. Clang 16 leaves no gaps for alignment: its array is another.
type Tail struct {
	Offsets []int64 // of the values, in bytes
	Param   Param   // the array, without a name; of size 0 if there are no values
}

// TailOf returns the layout of the values after the dots, given their types after the promotions
// of C: small integers have become int, and float double. Each is at the next multiple of its
// alignment. The error, if any, is an [*Error]: a type that C promotes, or one that is aligned to
// more than 8, of which the places in a tail have not been measured.
func TailOf(types []Type, r Rules) (Tail, error) {
	t := Tail{Param: Param{Align: tailAlign, Type: ".b8"}}
	m := Memo{Rules: r}
	for i, typ := range types {
		l, err := m.Of(typ)
		if err != nil {
			return Tail{}, within(fmt.Sprintf("value %d", i), err)
		}
		size, cls, n := l.element()
		switch _, isRecord := Unalias(typ).(*Record); {
		case !isRecord && n == 1 && l.Elem == nil && (size < 4 || size == 4 && cls == floating):
			return Tail{}, &Error{Msg: fmt.Sprintf("value %d of a tail is a %s of %d bytes, which C promotes", i, typ, size)}
		case l.Align > tailAlign:
			return Tail{}, &Error{Msg: fmt.Sprintf("value %d of a tail is aligned to %d, and a tail to %d", i, l.Align, tailAlign)}
		}
		off := round.Up(t.Param.Bytes, l.Align)
		t.Offsets = append(t.Offsets, off)
		t.Param.Bytes = off + l.Size
	}
	return t, nil
}

package packers

import (
	"cmp"
	"fmt"
	"go/build/constraint"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// A unit is all that one run generates code for.
type unit struct {
	pkg     string            // name of the package
	path    string            // its import path; "" where it does not matter
	built   constraint.Expr   // of //go:build; nil for none
	imports map[string]string // names of packages by their paths
	names                     // what the package declares elsewhere
	records []*record
	stores  []*store
	inner   []*inner
	kernels []*kernel
	fields  int64 // of all kernels, as often as each stores them
	enums   []*enumeration
	test    bool // the code is part of a package's tests
	// cname is what a field of a record is called in C; nil where records are
	// of C themselves.
	cname func(rec *layout.Record, field string) string
}

// A place is where something stands in the input.
type place = cdecl.Pos

// A record is a struct type with methods.
type record struct {
	Name      string // in Go
	cname     string // in C
	Declare   bool   // the type itself is generated as well
	asked     bool   // -type names it
	Layout    *layout.Layout
	typedef   *layout.Layout // where the typedef that was asked for has another alignment
	Val       *value
	access    []accessor
	at        place
	holds     []string   // GOARCHes where Go's own layout is the same
	Source    string     // what it was made of, for the type's comment
	snapshots []snapshot // of the types that were read
}

// A snapshot is a type of the user's as it was read.
type snapshot struct {
	Typ   string // its name
	Under string // the type without a name
	Exact bool   // it is no struct, and could be converted to others
}

// passed is the layout as the type that was asked for is passed.
func (r *record) passed() *layout.Layout { return cmp.Or(r.typedef, r.Layout) }

// An inner is a type of the user's that lies in others and has accessors.
type inner struct {
	name   string
	at     place
	fields []string
	access []accessor
}

// An enumeration is one of C, of which something that was asked for has a value.
type enumeration struct {
	cname  string // "enum Mode"
	values []constantValue
	at     place
}

// A store is a generated [N]byte that holds a union or bit-fields of C.
type store struct {
	at     place
	name   string
	size   int64
	doc    string
	access []accessor
}

// value is the value of the bytes.
func (s *store) value() *value {
	v := rawBytes(s.size)
	v.Typ = s.name
	return v
}

// An accessor is a pair of methods that read and write a part of bytes.
type accessor struct {
	Name string // of the method that reads; the other one has Set before it
	Doc  string
	// field is the Go field whose bytes these are, "" for those of the
	// receiver itself.
	field string
	// A member of a union is a value at the start of the bytes.
	Val *value
	// A bit-field of an integer, or of bytes, starts at bit and has width
	// bits; val is its type.
	bit, width int64
	integer    bool   // field is an integer
	fieldType  string // of field, where it is an integer
	whole      int64  // bytes of the field, or of the receiver
	dims       int    // of an array of such fields, by how many indices
}

// A kernel is a kernel's parameters.
type kernel struct {
	Name   string // in the source
	Symbol string // for the linker; "" where it is not known
	GoName string
	Bounds []constantValue // what the source says of blocks
	// untyped says that the source has no types, so that there is no declaration.
	untyped   bool
	snapshots []snapshot // of the types that parameters were said to be
	Val       *value     // a structure without tail padding
	Params    []kernelParam
	Size      int64
	targets   string // for which the offsets hold; "" for all
	at        place
	Source    string
}

// A kernelParam is one parameter, in the order of the fields of the kernel's
// value.
type kernelParam struct {
	Off, Size int64
	decl      string // of PTX, with %s for the name
}

// A kind says how a value is stored.
type kind uint8

const (
	boolean kind = iota
	integer      // also an address
	float
	half // a floating-point number of 2 bytes, which is an integer in Go
	complexNumber
	array
	structure
	raw // bytes
)

// A value is a Go type as bytes.
type value struct {
	kind kind
	size int64
	Typ  string // the Go type in code
	// Scalars: the basic type, and whether typ is another one.
	basic string
	named bool
	// Arrays, bytes and complex numbers.
	elem *value
	n    int64
	// Structures.
	Fields []field
	align  int64      // of a type that is generated
	record *aggregate // in languages other than Go
	// made is the type of C of a parameter that Config.Params speaks of.
	made layout.Type
}

// A field is a field of a structure, in the order of Go's declaration. What has a capital is for templates, here and elsewhere.
type field struct {
	Name    string // "_" is never read
	Off     int64
	Val     *value
	Store   bool // bytes that have parts, which is a type that Go embeds
	Pad     bool // padding
	Comment string
	// Of a parameter of a kernel: what it is called, and the type that it is made of, where the source
	// has these.
	CName string
	made  layout.Type
	// Of a part, which is a bit-field or a member of a union: the index of the store that it lies in, and of a bit-field
	// the first bit and how many it has.
	in         int
	Bit, Width int64
}

func (f *field) blank() bool { return f.Name == "_" }

// scalar returns the value of one of Go's basic types.
func scalar(basic string) *value {
	v := &value{basic: basic, Typ: basic, kind: integer}
	word := strings.TrimRight(basic, "0123456789")
	bits, _ := strconv.ParseInt(basic[len(word):], 10, 64) // 0 where the name has none
	v.size = bits / 8
	switch word {
	case "bool":
		v.kind, v.size = boolean, 1
	case "uintptr":
		v.size = 8
	case "float":
		v.kind = float
	case "complex":
		v.kind, v.elem, v.n = complexNumber, scalar(fmt.Sprintf("float%d", bits/2)), 2
	}
	return v
}

// Signed reports whether a number is an integer with a sign.
func (v *value) Signed() bool { return strings.HasPrefix(v.basic, "int") }

// number returns the value of a scalar of C that has a counterpart in each language. What is larger than those of
// Go has 64 bits of it.
func number(s layout.Scalar, size int64) *value {
	switch s.Kind {
	case layout.Bool:
		return scalar("bool")
	case layout.Float16:
		v := scalar("uint16")
		v.kind = half
		return v
	case layout.BFloat16:
		return scalar("uint16")
	case layout.Float, layout.Double, layout.LongDouble:
		if s.Complex {
			return scalar(fmt.Sprintf("complex%d", size*8))
		}
		return scalar(fmt.Sprintf("float%d", size*8))
	}
	if s.Signed() {
		return scalar(fmt.Sprintf("int%d", min(size, 8)*8))
	}
	return scalar(fmt.Sprintf("uint%d", min(size, 8)*8))
}

// bytes returns the value of a [n]byte.
func rawBytes(n int64) *value {
	return &value{kind: raw, size: n, n: n, elem: scalar("uint8"), Typ: fmt.Sprintf("[%d]byte", n)}
}

// arrayOf returns the value of an array whose elements follow each other.
func arrayOf(elem *value, n int64) *value {
	return &value{
		kind: array, size: n * elem.size, elem: elem, n: n,
		Typ: fmt.Sprintf("[%d]%s", n, elem.Typ),
	}
}

// alignment is that of the Go type where another one has it, by the rules of the device.
func (v *value) alignment() int64 {
	switch v.kind {
	case raw:
		return 1
	case array:
		return v.elem.alignment()
	case structure:
		return max(v.align, 1)
	}
	return v.size
}

// statements counts those that store a value: long arrays have loops.
func (v *value) statements() int64 {
	if v.kind == array && v.cells() > maxUnrolled {
		return v.elem.statements()
	}
	return v.total((*value).statements)
}

// cells counts the stores that a value takes.
func (v *value) cells() int64 { return v.total((*value).cells) }

// total adds up the counts of the parts of a value; a scalar is 1.
func (v *value) total(count func(part *value) int64) int64 {
	switch v.kind {
	case array:
		return v.n * count(v.elem)
	case structure:
		n := int64(0)
		for i := range v.Fields {
			n += count(v.Fields[i].Val)
		}
		return n
	}
	return 1
}

package layout

import (
	"iter"
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// An Access is one ld.param or st.param, or several of the same kind at successive
// offsets.
type Access struct {
	Off   int64  // bytes from the parameter's start
	Type  string // PTX type with its dot: .u8, .f32, .v4.f32
	Reg   string // PTX type of each register: sub-word integers are extended to 32 bits
	Size  int64  // bytes of one access
	Count int64  // number of such accesses, at least 1

	// Shift and Width are the place of a bit-field in the loaded value, or in the
	// combined pieces. Width 0 stands for the whole value.
	Shift, Width int64
	// Piece reports that each access loads a part of one scalar that is not aligned,
	// since ld.param takes only aligned addresses.
	Piece bool
}

// element describes the scalar that a leaf consists of, and how many.
func (l *Layout) element() (size int64, cls class, n int64) {
	switch t := Unalias(l.Type).(type) {
	case Scalar:
		cls = scalars[t.Kind].class
		size, n = l.Size, 1
		if t.Complex {
			size, n = l.Size/2, 2
		}
	case *Enum:
		size, cls, n = l.Size, unsigned, 1
		if s, ok := Unalias(t.Underlying).(Scalar); ok {
			cls = scalars[s.Kind].class
		}
	case *Array:
		size, cls, n = l.Elem.element()
		if l.Elem.Size > 0 {
			n *= l.Size / l.Elem.Size
		} else {
			n = 0
		}
	case *Vector:
		size, cls, n = l.Elem.element()
		n *= t.Len
		if s, ok := Unalias(t.Elem).(Scalar); ok && s.Kind == Bool {
			n = l.DataSize
		}
	case *Pointer:
		size, cls, n = min(l.Size, l.Rules.pointer()), unsigned, 1
		if l.Size > size {
			n = l.Size / size
		}
	default:
		size, cls, n = 1, opaque, l.Size
	}
	if size > 8 {
		// No register holds more than 64 bits.
		n *= size / 8
		size, cls = 8, unsigned
	}
	return size, cls, n
}

// load returns the PTX type of a load of size bytes, and that of its register.
func load(size int64, c class) (typ, reg string) {
	bits := strconv.FormatInt(size*8, 10)
	switch {
	case c == floating && size == 2:
		return ".b16", ".b16"
	case c == floating:
		return ".f" + bits, ".f" + bits
	case size >= 4:
		return ".u" + bits, ".u" + bits
	case c == signed:
		return ".s" + bits, ".s32"
	}
	return ".u" + bits, ".u32"
}

// Loads returns the accesses that load a leaf of l from a parameter that is aligned to
// align, where 0 means l's own alignment.
func (l *Layout) Loads(f *Leaf, align int64) Access {
	l, f = zero.Or(l), zero.Or(f)
	if align == 0 {
		align = l.Align
	}
	if f.BitWidth > 0 {
		return bitLoad(f, align, l.Size)
	}
	m := Memo{Rules: l.Rules}
	fl, err := m.Of(f.Type)
	if err != nil {
		return Access{}
	}
	size, cls, n := fl.element()
	a := Access{Off: f.Offset, Size: size, Count: n}
	if size == 0 || n == 0 {
		return Access{Off: f.Offset}
	}
	aligned := align
	if f.Offset > 0 {
		aligned = min(align, f.Offset&-f.Offset)
	}
	if aligned < size {
		a.Piece = true
		a.Size, a.Count = aligned, n*(size/aligned)
		a.Type, a.Reg = load(aligned, unsigned)
		return a
	}
	a.Type, a.Reg = load(size, cls)
	return a
}

// bitLoad finds the smallest aligned access that holds a bit-field.
func bitLoad(f *Leaf, align, size int64) Access {
	first, last := f.Start(), f.Start()+f.BitWidth-1
	for n := int64(1); n <= 8 && n <= align; n *= 2 {
		off := first / 8 / n * n
		if last/8 < off+n && off+n <= size {
			a := Access{Off: off, Size: n, Count: 1, Shift: first - off*8, Width: f.BitWidth}
			a.Type, a.Reg = load(n, unsigned)
			return a
		}
	}
	a := Access{Off: first / 8, Size: 1, Count: last/8 - first/8 + 1, Shift: first % 8, Width: f.BitWidth, Piece: true}
	a.Type, a.Reg = load(1, unsigned)
	return a
}

// Groups returns the accesses that load all of l from a parameter that is aligned to
// align, where 0 means l's own alignment. Neighbours are merged into vectors as LLVM
// does: two or four elements of one type in a row, at a multiple of the vector's size,
// and of no more than 16 bytes. Bit-fields, pieces of misaligned scalars and members of
// unions are loaded one by one.
func (l *Layout) Groups(align int64) iter.Seq[Access] {
	l = zero.Or(l)
	if align == 0 {
		align = l.Align
	}
	return func(yield func(Access) bool) {
		var run Access // Count elements that may be merged
		flush := func() bool {
			for run.Count > 0 {
				a := run.vector(align)
				if !yield(a) {
					return false
				}
				n := a.Size / run.Size
				run.Off += a.Size
				run.Count -= n
			}
			return true
		}
		end := int64(0)
		for f := range l.Fields() {
			a := l.Loads(&f, align)
			switch {
			case a.Count == 0:
				continue
			case a.Width == 0 && !a.Piece && run.Count > 0 && a.Type == run.Type && a.Off == run.Off+run.Count*run.Size:
				run.Count += a.Count
				end = a.Off + a.Count*a.Size
				continue
			}
			if !flush() {
				return
			}
			run = Access{}
			if a.Width > 0 || a.Piece || a.Off < end {
				if !yield(a) {
					return
				}
			} else {
				run = a
			}
			end = max(end, a.Off+a.Count*a.Size)
		}
		flush()
	}
}

// vector returns the widest access that the elements of a begin with.
func (a Access) vector(align int64) Access {
	for n := int64(4); n >= 2; n /= 2 {
		size := n * a.Size
		if n <= a.Count && size <= 16 && size <= align && a.Off%size == 0 {
			return Access{Off: a.Off, Type: ".v" + strconv.FormatInt(n, 10) + a.Type, Reg: a.Reg, Size: size, Count: 1}
		}
	}
	a.Count = 1
	return a
}

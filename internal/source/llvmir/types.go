package llvmir

import (
	"math/bits"
	"strconv"
	"strings"
)

// A typ is a type of LLVM.
type typ struct {
	kind   kind
	n      int64  // bits of an integer, elements of an array or a vector, address space of a pointer
	name   string // of a named type
	elems  []*typ // of a record, an array, a vector; what a typed pointer points to
	packed bool
}

type kind uint8

const (
	other kind = iota // a type that no value of nvptx has, or that is not known
	void
	integer
	half // or bfloat
	float
	double
	pointer
	vector
	array
	record
	named
)

// limit is the most bytes of a type that is laid out.
const limit = 1 << 31

// deep is the most types in one another.
const deep = 64

// layout returns the bytes that an array has for each element of a type, and its alignment, by the layout of nvptx64;
// false where the releases of LLVM differ, and of types without a layout. Integers of other sizes than these are among
// them.
func (m *Module) layout(t *typ, depth int) (size, align int64, ok bool) {
	if depth > deep {
		return 0, 0, false
	}
	switch t.kind {
	case integer:
		n := int64(1)
		for 8*n < t.n {
			n *= 2
		}
		return n, n, t.n <= 64 || t.n == 128
	case half:
		return 2, 2, true
	case float:
		return 4, 4, true
	case double:
		return 8, 8, true
	case pointer:
		n := m.pointer(t.n)
		return n, n, true
	case vector:
		e := t.elems[0]
		size, _, ok = m.layout(e, depth+1)
		width := 8 * size
		if e.kind == integer && e.n == 1 {
			width = 1
		} else if e.kind == integer && e.n != width || e.kind > pointer {
			return 0, 0, false
		}
		if t.n < 1 || t.n > limit/16 {
			return 0, 0, false
		}
		n := int64(1) << bits.Len64(uint64((t.n*width+7)/8-1))
		return n, n, ok
	case array:
		size, align, ok = m.layout(t.elems[0], depth+1)
		if ok && size > 0 && t.n > limit/size {
			return 0, 0, false
		}
		return size * t.n, align, ok
	case record:
		align = 1
		for _, e := range t.elems {
			s, a, ok := m.layout(e, depth+1)
			if !ok || s > limit-size {
				return 0, 0, false
			}
			if !t.packed {
				size, align = up(size, a), max(align, a)
			}
			size += s
		}
		return up(size, align), align, size <= limit
	case named:
		if of := m.types[t.name]; of != nil {
			return m.layout(of, depth+1)
		}
	}
	return 0, 0, false
}

func up(n, align int64) int64 { return (n + align - 1) / align * align }

// under is what a named type stands for.
func (m *Module) under(t *typ) *typ {
	for range deep {
		of := m.types[t.name]
		if t.kind != named || of == nil {
			break
		}
		t = of
	}
	return t
}

// pointer is the size of an address of a space.
func (m *Module) pointer(space int64) int64 {
	own, all := "p"+strconv.FormatInt(space, 10)+":", "p:"
	size := int64(8)
	if !strings.HasPrefix(m.Triple, "nvptx64") {
		size = 4
	}
	for _, prefix := range []string{all, own} {
		for part := range strings.SplitSeq(m.datalayout, "-") {
			if rest, ok := strings.CutPrefix(part, prefix); ok {
				if n, err := strconv.ParseInt(strings.SplitN(rest, ":", 2)[0], 10, 64); err == nil {
					size = n / 8
				}
			}
		}
	}
	return size
}

// maxAlign is the largest alignment that a type gives a formal.
const maxAlign = 128

// formal is how the back end declares a value of a type in a function; why says why that is not known.
func (m *Module) formal(t *typ, a attrs) (f Formal, why string) {
	by := t
	if a.byval {
		by = a.of
		if by == nil && t.kind == pointer && len(t.elems) > 0 { // a typed pointer
			by = t.elems[0]
		}
		if by == nil {
			return f, "byval names no type"
		}
	}
	by = m.under(by)
	size, align, ok := m.layout(by, 0)
	switch {
	case by.kind == other || by.kind == void || by.kind == named:
		return f, "its type has no size"
	case !ok:
		return f, "the releases of LLVM declare such a type differently, or not at all"
	case size == 0:
		return f, "it has no bytes, which the releases of LLVM declare differently"
	case a.byval:
		return Formal{Size: size, Align: max(a.align, min(align, maxAlign)), Bytes: true}, ""
	case by.kind == half || by.kind == vector || by.kind == array || by.kind == record || by.kind == integer && by.n > 64:
		align = min(align, maxAlign)
		if a.stack > 0 {
			align = a.stack
		}
		return Formal{Size: size, Align: align, Bytes: true}, ""
	}
	return Formal{Size: size, Align: size}, ""
}

package verify

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// A scalarKind is what a scalar is.
type scalarKind uint8

const (
	kindInteger scalarKind = iota
	kindFloat
	kindPointer
	kindBits // a bit-field, of which the size is that in bits
)

// A leaf is a scalar of a parameter.
type leaf struct {
	path, typ string
	off, size int // bytes, from the parameter's start
	kind      scalarKind
	opaque    bool // one of an array of bytes
	elem      int  // bytes of an element, of an array that is a leaf; 0 of others
	bit       int  // of a bit-field, the first one, from off
}

// A formal is a parameter of a kernel as its debug information has it.
type formal struct {
	size   int
	leaves []leaf
}

// debugTypes are the parameters of functions by what a file has for debuggers.
type debugTypes struct {
	data  *dwarf.Data
	units map[uint64]dwarf.Offset // types that others have by signatures
	// formals are by the linker's name. A function may have several, of which those count that
	// have the most parameters.
	formals map[string][][]debugFormal
}

// A debugFormal is a parameter and where its type stands; 0: not known.
type debugFormal struct {
	name string
	typ  dwarf.Offset
}

// newDebugTypes lists functions by the names that called makes of the linker's, "" for those that
// are left out. Of nil there are none.
func newDebugTypes(d *cubin.HostData, called func(symbol string) string) *debugTypes {
	out := &debugTypes{formals: make(map[string][][]debugFormal)}
	if d == nil || d.Data == nil {
		return out
	}
	out.data, out.units = d.Data, d.Units
	r := &entries{Reader: d.Reader()}
	for {
		e := r.next()
		if e == nil {
			return out
		}
		if e.Tag != dwarf.TagSubprogram || !e.Children {
			continue
		}
		var formals []debugFormal
		if !r.children(func(c *dwarf.Entry) bool {
			if c.Tag == dwarf.TagFormalParameter {
				t := out.place(out.attr(c, dwarf.AttrType))
				name, _ := out.attr(c, dwarf.AttrName).(string)
				formals = append(formals, debugFormal{name, t})
			}
			return true
		}) {
			return out
		}
		for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, attrMIPSLinkageName, dwarf.AttrName} {
			name, ok := out.attr(e, a).(string)
			if !ok {
				continue
			}
			if name = called(name); name == "" || len(formals) == 0 {
				break
			}
			switch all := out.formals[name]; {
			case len(all) == 0 || len(formals) > len(all[0]):
				out.formals[name] = [][]debugFormal{formals}
			case len(formals) == len(all[0]):
				out.formals[name] = append(all, formals)
			}
			break
		}
	}
}

// entries are read forwards alone, and so many: in a file that is damaged they may lead back.
type entries struct {
	*dwarf.Reader
	last  dwarf.Offset
	count int
}

// mostEntries bounds the entries of a file.
const mostEntries = 1 << 22

// next is the next entry, nil after the last one and where something is wrong.
func (r *entries) next() *dwarf.Entry {
	e, err := r.Next()
	if r.count++; err != nil || e == nil || r.count > mostEntries {
		return nil
	}
	if e.Tag != 0 { // the end of children does not say where it is
		if e.Offset <= r.last {
			return nil
		}
		r.last = e.Offset
	}
	return e
}

// children calls f for each entry in the last one as long as it returns true, and reports whether it comes to their end.
func (r *entries) children(f func(*dwarf.Entry) bool) bool {
	for {
		c := r.next()
		switch {
		case c == nil:
			return false
		case c.Tag == 0:
			return true
		case c.Children:
			r.skip()
		}
		if !f(c) {
			return false
		}
	}
}

// skip goes after the children of the last entry.
func (r *entries) skip() {
	for depth := 1; depth > 0; {
		switch e := r.next(); {
		case e == nil:
			return
		case e.Tag == 0:
			depth--
		case e.Children:
			depth++
		}
	}
}

// attrMIPSLinkageName is DW_AT_MIPS_linkage_name, which DWARF 2 and 3 have in the place of a linkage name.
const attrMIPSLinkageName dwarf.Attr = 0x2007

// attr is an attribute of an entry, or of the one that it is a form of.
func (d *debugTypes) attr(e *dwarf.Entry, a dwarf.Attr) any {
	for range 4 {
		if v := e.Val(a); v != nil {
			return v
		}
		of, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if of, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				return nil
			}
		}
		if e = d.entry(d.data.Reader(), of); e == nil {
			return nil
		}
	}
	return nil
}

// place is where a type stands that an attribute names; 0: it is none, or not there.
func (d *debugTypes) place(v any) dwarf.Offset {
	switch v := v.(type) {
	case dwarf.Offset:
		return v
	case uint64:
		return d.units[v]
	}
	return 0
}

// attrSignature is DW_AT_signature, of a type that stands in a unit of its own.
const attrSignature dwarf.Attr = 0x69

// entry reads what stands at a place, or the type of its signature.
func (d *debugTypes) entry(r *dwarf.Reader, at dwarf.Offset) *dwarf.Entry {
	r.Seek(at)
	e, err := r.Next()
	if err != nil || e == nil {
		return nil
	}
	if signature, ok := e.Val(attrSignature).(uint64); ok && d.units[signature] != 0 {
		r.Seek(d.units[signature])
		if e, err = r.Next(); err != nil {
			return nil
		}
	}
	return e
}

// of are the parameters of a function, one for each of those in a cubin, nil where they are not known. A
// parameter whose type is not known has a size of 0. Compilers leave some out that nothing reads: then they are
// told by their names in the source. Where several functions have the name and not the same
// parameters, nothing is known.
func (d *debugTypes) of(fn *cubin.Function, source []Param) []formal {
	return agreed(d, fn, func(formals []debugFormal) []formal { return d.one(formals, fn, source) }, formal.equal)
}

// agreed are the parameters of a function by all that have its name; nil where these do not agree.
func agreed[T any](d *debugTypes, fn *cubin.Function, of func([]debugFormal) []T, equal func(a, b T) bool) (out []T) {
	for i, formals := range d.formals[fn.Name] {
		one := of(formals)
		if i > 0 && !slices.EqualFunc(out, one, equal) {
			return nil
		}
		out = one
	}
	return out
}

// equal reports whether two parameters have the same scalars.
func (f formal) equal(g formal) bool { return f.size == g.size && slices.Equal(f.leaves, g.leaves) }

// one are the parameters by one of the functions with the name.
func (d *debugTypes) one(formals []debugFormal, fn *cubin.Function, source []Param) []formal {
	if len(formals) == 0 || len(formals) > len(fn.Params) || len(source) != len(fn.Params) {
		return nil
	}
	out := make([]formal, len(fn.Params))
	for i := range out {
		k := i
		if len(formals) < len(fn.Params) {
			k = slices.IndexFunc(formals, func(f debugFormal) bool { return f.name != "" && f.name == source[i].Name })
		}
		if k < 0 {
			continue
		}
		w := typeWalk{debugTypes: d}
		if size, ok := w.scalars(formals[k].typ, 0, "", 0); ok && size == fn.Params[i].Size {
			out[i] = formal{size, w.leaves}
		}
	}
	return out
}

// A typeWalk lists the scalars of a type.
type typeWalk struct {
	*debugTypes
	leaves []leaf
	types  int // that have been looked at

	named    bool // arrays of scalars are leaves, elements of others have their numbers, and what has variants is bytes
	variants int
}

// Bounds for one parameter. It has fewer scalars than bytes, but for unions. In a file that is damaged a type may be a
// part of itself.
const (
	mostLeaves = 1 << 16
	mostTypes  = 1 << 14
)

// scalars lists those of a type that lies at an offset. It gives the type's size in bytes, and false where
// something of it is not known.
func (w *typeWalk) scalars(t dwarf.Offset, at int, path string, depth int) (size int, ok bool) {
	if w.types++; t == 0 || depth > 64 || w.types > mostTypes || len(w.leaves) > mostLeaves {
		return 0, false
	}
	r := w.data.Reader()
	e := w.entry(r, t)
	if e == nil {
		return 0, false
	}
	of := w.place(e.Val(dwarf.AttrType))
	name, _ := e.Val(dwarf.AttrName).(string)
	if n, ok := e.Val(dwarf.AttrByteSize).(int64); ok && n >= 0 && n <= 1<<16 {
		size = int(n)
	}
	add := func(k scalarKind, n int) (int, bool) {
		w.leaves = append(w.leaves, leaf{path: path, typ: name, off: at, size: n, kind: k})
		return size, n > 0
	}
	switch e.Tag {
	case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
		return w.scalars(of, at, path, depth+1)
	case dwarf.TagBaseType:
		switch encoding, _ := e.Val(dwarf.AttrEncoding).(int64); encoding {
		case 4: // float
			return add(kindFloat, size)
		case 1, 2, 5, 6, 7, 8, 0x10: // address, boolean, signed and unsigned numbers and characters
			return add(kindInteger, size)
		}
	case dwarf.TagEnumerationType:
		return add(kindInteger, size)
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		if size == 0 {
			size = r.AddressSize()
		}
		if name == "" {
			name = "pointer"
		}
		return add(kindPointer, size)
	case dwarf.TagArrayType:
		return w.array(&entries{Reader: r, last: e.Offset}, e, of, at, path, depth)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		if e.Val(dwarf.AttrDeclaration) != nil || size == 0 {
			return 0, w.named && e.Val(dwarf.AttrByteSize) != nil // such as a marker of Rust
		}
		first, before := len(w.leaves), w.variants
		ok := !e.Children || w.members(&entries{Reader: r, last: e.Offset}, at, path, depth)
		if w.named && w.variants > before {
			w.leaves = append(w.leaves[:first], leaf{path: path, typ: name, off: at, size: size, opaque: true})
			w.variants = before
		}
		return size, ok
	}
	return 0, false
}

// array lists the scalars of each element of an array, of which the reader stands at the extents.
func (w *typeWalk) array(r *entries, e *dwarf.Entry, of dwarf.Offset, at int, path string, depth int) (size int, ok bool) {
	n := int64(1)
	if e.Children && !r.children(func(c *dwarf.Entry) bool {
		if c.Tag != dwarf.TagSubrangeType {
			return true
		}
		count, ok := c.Val(dwarf.AttrCount).(int64)
		if last, isLast := c.Val(dwarf.AttrUpperBound).(int64); !ok && isLast {
			count, ok = last+1, true
		}
		if !ok || count < 0 || count > mostLeaves || n > mostLeaves {
			return false
		}
		n *= count
		return true
	}) {
		return 0, false
	}
	first := len(w.leaves)
	size, ok = w.scalars(of, at, path, depth+1)
	one := slices.Clone(w.leaves[first:])
	if !ok || n*int64(len(one)) > mostLeaves || n*int64(size) > mostLeaves {
		return 0, false
	}
	w.leaves = w.leaves[:first]
	if w.named && n > 1 && len(one) == 1 && one[0].path == path && one[0].elem == 0 && one[0].kind != kindBits {
		l := one[0]
		l.typ, l.elem, l.size = fmt.Sprintf("%s[%d]", l.typ, n), l.size, l.size*int(n)
		w.leaves = append(w.leaves, l)
		one = nil
	}
	for i := range int(n) {
		for _, l := range one {
			if l.off += i * size; w.named {
				l.path = path + "[" + strconv.Itoa(i) + "]" + l.path[len(path):]
			}
			w.leaves = append(w.leaves, l)
		}
	}
	return int(n) * size, true
}

// members lists the scalars of the members and bases of a record, at which the reader stands.
func (w *typeWalk) members(r *entries, at int, path string, depth int) bool {
	return r.children(func(c *dwarf.Entry) bool {
		if c.Tag == dwarf.TagVariantPart { // an enumeration with values
			w.variants++
		}
		static := c.Val(dwarf.AttrExternal) != nil || c.Val(dwarf.AttrDeclaration) != nil
		if c.Tag != dwarf.TagInheritance && (c.Tag != dwarf.TagMember || static) {
			return true
		}
		name, _ := c.Val(dwarf.AttrName).(string)
		if strings.HasPrefix(name, "__b_") { // what NVIDIA's compiler calls a base
			name = ""
		}
		if path != "" && name != "" {
			name = "." + name
		}
		off, ok := memberOffset(c)
		if !ok {
			return false
		}
		of := w.place(c.Val(dwarf.AttrType))
		if bits, ok := c.Val(dwarf.AttrBitSize).(int64); ok {
			at := (at+off)*8 + w.firstBit(c, of, int(bits))
			w.leaves = append(w.leaves, leaf{path: path + name, typ: w.typeText(of, 0), off: at / 8, bit: at % 8, size: int(bits), kind: kindBits})
			return true
		}
		_, ok = w.scalars(of, at+off, path+name, depth+1)
		return ok
	})
}

// firstBit is the first bit of a bit-field, from its place: DWARF 4 counts it from there, and earlier versions from the
// highest bit of the storage.
func (w *typeWalk) firstBit(e *dwarf.Entry, of dwarf.Offset, bits int) int {
	if n, ok := e.Val(dwarf.AttrDataBitOffset).(int64); ok {
		return int(max(n, 0))
	}
	n, ok := e.Val(dwarf.AttrBitOffset).(int64)
	size, sized := e.Val(dwarf.AttrByteSize).(int64)
	if !sized {
		storage := typeWalk{debugTypes: w.debugTypes}
		one, _ := storage.scalars(of, 0, "", 0)
		size = int64(one)
	}
	if !ok || n < 0 {
		return 0
	}
	return max(int(size)*8-int(n)-bits, 0)
}

// memberOffset is where a member begins in its record, in bytes. It is false where that is computed when a
// program runs.
func memberOffset(e *dwarf.Entry) (int, bool) {
	switch v := e.Val(dwarf.AttrDataMemberLoc).(type) {
	case nil: // of unions
		return 0, true
	case int64:
		return int(v), v >= 0 && v < 1<<16
	case []byte:
		const plusConstant = 0x23 // DW_OP_plus_uconst, then a number in groups of seven bits
		if len(v) < 2 || len(v) > 4 || v[0] != plusConstant {
			return 0, false
		}
		n, _ := binary.Uvarint(v[1:])
		return int(n), true
	}
	return 0, false
}

package packers

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// A fieldMaker makes the fields of one Go type from the members of a record.
type fieldMaker struct {
	in    *cInput
	owner string // name of the Go type, which unnamed types in it begin with
	names nameSet
	pos   place
	count int // of unions and runs of bit-fields without a name
}

// members converts the members of a record that lies at off.
func (f *fieldMaker) members(l *layout.Layout, off int64) []field {
	var out []field
	for i := 0; i < len(l.Members); {
		m := &l.Members[i]
		f.locate(l, i)
		if end := runEnd(l.Members, i); end > i {
			if run := f.bitFields(l, i, end, off); run != nil {
				out = append(out, *run)
			}
			i = end
			continue
		}
		i++
		if m.Layout.DataSize == 0 && m.Layout.Size <= 1 || m.Layout.Size == 0 {
			continue // without bytes; refused where C and C++ disagree
		}
		out = append(out, f.member(m, off)...)
	}
	return out
}

// locate makes the i-th member of a record the place of diagnostics, if it is known.
func (f *fieldMaker) locate(l *layout.Layout, i int) {
	rec := layout.Unalias(l.Type).(*layout.Record)
	i -= len(rec.Bases)
	if d := f.in.decls[rec]; d != nil && 0 <= i && i < len(d.FieldPos) && d.FieldPos[i].IsValid() {
		f.pos = d.FieldPos[i]
	}
}

// member converts a member that is no bit-field.
func (f *fieldMaker) member(m *layout.Member, off int64) []field {
	rec, _ := layout.Unalias(m.Field.Type).(*layout.Record)
	switch {
	case m.Anonymous() && rec != nil && rec.Kind == layout.Union:
		name := fmt.Sprintf("%sUnion%d", f.owner, f.number())
		s := f.store(m.Layout, name, f.names) // its methods are the owner's too
		return []field{{Name: s.name, Off: off + m.Offset, Val: s.value(), Store: true, Comment: "a union"}}
	case m.Anonymous():
		return f.members(m.Layout, off+m.Offset)
	}
	cname, comment := m.Field.Name, typeText(m.Field.Type)
	if m.Base {
		cname, comment = baseName(m.Field.Type), "the base class"
	}
	name := f.names.take(goName(cname))
	return []field{{Name: name, Off: off + m.Offset, Val: f.value(m.Layout, f.owner+name), Comment: comment}}
}

// baseName is the last part of the name of a class, without the arguments of its template.
func baseName(t layout.Type) string {
	s := strings.TrimPrefix(strings.TrimPrefix(t.String(), "struct "), "class ")
	for strings.HasSuffix(s, ">") {
		i, depth := len(s)-1, 1
		for ; i > 0 && depth > 0; i-- {
			depth += strings.Count(s[i-1:i], ">") - strings.Count(s[i-1:i], "<")
		}
		s = s[:i]
	}
	return s[strings.LastIndex(s, ":")+1:]
}

func (f *fieldMaker) number() int {
	f.count++
	return f.count - 1
}

// refuse reports why there is no value, and returns one in its place.
func (f *fieldMaker) refuse(format string, args ...any) *value {
	f.in.g.report(f.pos, badType, "%s: %s", f.owner, fmt.Sprintf(format, args...))
	return rawBytes(0)
}

// value converts a type. Types without a name of their
// own get the one given.
func (f *fieldMaker) value(l *layout.Layout, name string) *value {
	switch t := layout.Unalias(l.Type).(type) {
	case layout.Scalar:
		return f.scalar(t, l)
	case *layout.Pointer:
		if l.Size == 8 {
			return scalar("uint64")
		}
		return rawBytes(l.Size)
	case *layout.Enum:
		f.in.enum(t, name)
		if s, ok := layout.Unalias(t.Underlying).(layout.Scalar); ok {
			return f.scalar(s, l)
		}
	case *layout.Array:
		if t.Len == layout.Unbounded {
			return f.refuse("an array without a bound is not passed")
		}
		return bytesOr(arrayOf(f.value(l.Elem, name), t.Len))
	case *layout.Vector:
		elem := f.value(l.Elem, name)
		if elem.size*t.Len != l.Size {
			return rawBytes(l.Size)
		}
		return bytesOr(arrayOf(elem, t.Len))
	case *layout.Record:
		return f.record(t, l, name)
	}
	return f.refuse("%s has no counterpart in %s", l.Type, f.in.g.output)
}

// bytesOr returns an array of uint8 as bytes.
func bytesOr(v *value) *value {
	if v.elem.kind == integer && v.elem.basic == "uint8" {
		return rawBytes(v.n)
	}
	return v
}

func (f *fieldMaker) scalar(s layout.Scalar, l *layout.Layout) *value {
	switch {
	case s.Kind == layout.BitInt, s.Kind == layout.UBitInt, s.Kind == layout.VaList, s.Kind == layout.LongDouble && l.Size != 8,
		s.Complex && s.Kind != layout.Float && s.Kind != layout.Double:
		return f.refuse("%s has no counterpart in %s", l.Type, f.in.g.output)
	case s.Kind == layout.Int128, s.Kind == layout.UInt128:
		return rawBytes(16)
	}
	return number(s, l.Size)
}

// record converts a record: to its own Go type, to bytes with accessors where
// it is a union, and to an array where it is one of CUDA's vectors.
func (f *fieldMaker) record(rec *layout.Record, l *layout.Layout, name string) *value {
	if known := nameOf(rec, ""); known != "" && cdecl.OfCUDA(known, rec.At) {
		if v := vector(l); v != nil {
			return v
		}
	}
	if known := nameOf(rec, ""); known != "" {
		name = goName(known)
	}
	if rec.Kind == layout.Union {
		return f.store(l, name, nameSet{}).value()
	}
	return f.in.record(rec, name, f.pos).Val
}

// vector converts a record of CUDA's headers that is nothing but a few scalars
// of one type: to an array, or to the scalar.
func vector(l *layout.Layout) *value {
	var first *value
	n := int64(0)
	for leaf := range l.Fields() {
		s, ok := layout.Unalias(leaf.Type).(layout.Scalar)
		if !ok || s.Kind == layout.LongDouble && leaf.Size > 8 {
			return nil
		}
		v := number(s, leaf.Size)
		if first != nil && v.basic != first.basic || leaf.Offset != n*v.size {
			return nil
		}
		first = v
		n++
	}
	switch {
	case first == nil || n*first.size != l.Size:
		return nil
	case n == 1:
		return first
	}
	return bytesOr(arrayOf(first, n))
}

// store declares the bytes that hold a union, once. Its methods have none of the names.
func (f *fieldMaker) store(l *layout.Layout, name string, names nameSet) *store {
	rec := layout.Unalias(l.Type).(*layout.Record)
	if s, ok := f.in.stores[rec]; ok {
		return s
	}
	s := &store{at: f.in.g.input(), name: f.in.names.take(name), size: l.Size, doc: "holds " + spelled(rec, name) + "; the methods read and write its members."}
	f.in.stores[rec] = s
	inner := &fieldMaker{in: f.in, owner: s.name, names: names, pos: f.pos}
	s.access = inner.alternatives(l, 0)
	f.in.u.stores = append(f.in.u.stores, s)
	return s
}

// alternatives are the methods for the members of a union.
func (f *fieldMaker) alternatives(l *layout.Layout, bit int64) []accessor {
	var out []accessor
	for i := range l.Members {
		m := &l.Members[i]
		switch {
		case m.Field.BitField && !unnamedBits(m):
			out = append(out, f.bitField(m, bit+m.Bit, l.Size))
		case m.Field.BitField, m.Layout.Size == 0:
		case m.Anonymous() && layout.Unalias(m.Field.Type).(*layout.Record).Kind == layout.Union:
			out = append(out, f.alternatives(m.Layout, bit)...)
		default:
			name := m.Field.Name
			if name == "" {
				name = fmt.Sprintf("struct%d", f.number())
			}
			name = f.names.takePair(goName(name), "Set")
			out = append(out, accessor{
				Name: name, Val: f.value(m.Layout, f.owner+name), whole: l.Size, Doc: "member " + name + ", " + typeText(m.Field.Type),
			})
		}
	}
	return out
}

// bitFields converts a run of bit-fields, from one member to another, to bytes
// with methods.
func (f *fieldMaker) bitFields(l *layout.Layout, from, to int, off int64) *field {
	run := l.Members[from:to]
	first, last := bytesOfRun(run)
	if first < 0 {
		return nil
	}
	s := &store{at: f.in.g.input(), name: f.in.names.take(fmt.Sprintf("%sBits%d", f.owner, f.number())), size: last - first}
	s.doc = "holds bit-fields of " + f.owner + "; the methods read and write them."
	for i := range run {
		m := &run[i]
		if unnamedBits(m) {
			continue
		}
		f.locate(l, from+i)
		s.access = append(s.access, f.bitField(m, m.Offset*8+m.Bit-first*8, s.size))
	}
	f.in.u.stores = append(f.in.u.stores, s)
	return &field{Name: s.name, Off: off + first, Val: s.value(), Store: true, Comment: "bit-fields"}
}

func (f *fieldMaker) bitField(m *layout.Member, bit, whole int64) accessor {
	if (bit%8+m.Field.Bits+7)/8 > 8 {
		f.refuse("bit-field %s lies in nine bytes, and is read from eight at most", m.Field.Name)
	}
	return accessor{
		Name: f.names.takePair(goName(m.Field.Name), "Set"), Val: f.value(m.Layout, ""), bit: bit, width: m.Field.Bits, whole: whole,
		Doc: fmt.Sprintf("bit-field %s, %s : %d", m.Field.Name, typeText(m.Field.Type), m.Field.Bits),
	}
}

var unnamed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` ?\(unnamed [a-z]+ at [^()]*\)`) })

// typeText spells a type for a comment, without the places of unnamed types.
func typeText(t layout.Type) string {
	return unnamed().ReplaceAllString(cdecl.TypeText(t, layout.C), "")
}

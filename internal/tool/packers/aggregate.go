package packers

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// A translator makes, of the layouts of a unit, what languages other than Go declare.
type translator struct {
	g     *generator
	u     *unit
	names nameSet                   // of types
	named map[*layout.Record]string // names of records that the unit has chosen
	done  map[*layout.Record]*aggregate
	list  []*aggregate // those that others hold stand first
	args  []*aggregate // of the kernels
	enums []*enumType
}

// An aggregate is a record: fields that do not overlap, and parts of those that are bytes.
type aggregate struct {
	Name   string // of the type
	Source string // "Params is struct params of x.h: 16 bytes, aligned to 8."
	Union  bool
	Size   int64
	Align  int64
	Passed int64   // the alignment that it is passed with: that of a typedef, or align
	fields []field // in the order of the offsets; a union has one, the bytes of all members
	parts  []field
	Kernel *kernel // whose arguments they are; nil of a record
	stores int     // counted for their names
}

// takeFields names the fields that have parts, or those that have none.
func (s nameSet) takeFields(fields []field, store bool, spell func(name string) string) {
	for i := range fields {
		if f := &fields[i]; f.Store == store {
			f.Name = s.take(spell(f.Name))
		}
	}
}

// pads names padding.
func (s nameSet) pads(fields []field) []field {
	n := 0
	for i := range fields {
		if fields[i].Pad {
			fields[i].Name = s.take(fmt.Sprintf("_pad%d", n))
			n++
		}
	}
	return fields
}

// base is the type of the elements of an array of any dimensions; else the type itself.
func (v *value) base() *value {
	for v.kind == array || v.kind == raw {
		v = v.elem
	}
	return v
}

// naturally is the alignment of a type where numbers are aligned to their size, and records as given.
func (v *value) naturally(record func(a *aggregate) int64) int64 {
	switch v = v.base(); v.kind {
	case complexNumber:
		return v.elem.size
	case structure:
		return record(v.record)
	}
	return v.size
}

// HasBool reports whether there are bytes that are no value of a type.
func (v *value) HasBool() bool {
	b := v.base()
	return b.kind == boolean || b.kind == structure && b.record.HasBool()
}

func (a *aggregate) HasBool() bool {
	return slices.ContainsFunc(a.fields, func(f field) bool { return f.Val.HasBool() })
}

// An enumType is an enumeration.
type enumType struct {
	Name   string // CamelCase
	Source string
	of     *layout.Enum
	typ    *value
}

// translate makes the aggregates of a unit.
func (g *generator) translate(u *unit) *translator {
	t := &translator{g: g, u: u, named: map[*layout.Record]string{}, done: map[*layout.Record]*aggregate{}}
	t.names = newNameSet([]string{"Self", "None", "True", "False"})
	t.names["Any"] = g.output == python // of typing
	for i, k := range u.kernels {
		for _, other := range u.kernels[:i] {
			if k.GoName == other.GoName {
				g.report(k.at, taken, "%sArgs would be declared twice, for %s and for %s; another name, which -rename gives a kernel, keeps them apart", k.GoName, other.Name, k.Name)
			}
		}
		t.names[k.GoName+"Args"] = true
	}
	for _, r := range u.records {
		t.named[r.Layout.Type.(*layout.Record)] = t.names.take(r.Name)
	}
	for _, r := range u.records {
		if r.asked {
			a := t.record(r.Layout.Type.(*layout.Record), r.Name)
			if r.typedef != nil {
				a.Passed = r.typedef.Align
			}
		}
	}
	t.args = each(u.kernels, t.arguments)
	return t
}

// arguments makes the aggregate of the arguments of a kernel.
func (t *translator) arguments(k *kernel) *aggregate {
	a := &aggregate{Name: k.GoName + "Args", Source: "The arguments of the kernel " + k.Name + " of " + k.Source + ".", Size: k.Size, Align: 1, Kernel: k}
	for i := range k.Val.Fields {
		f := &k.Val.Fields[i]
		typ := f.Val
		for _, made := range []layout.Type{f.made, f.Val.made} {
			if made != nil {
				l := t.layout(made)
				typ = t.value(made, &l, k.GoName+f.Name)
				break
			}
		}
		a.fields = append(a.fields, field{Name: cmp.Or(f.CName, snakeCase(f.Name)), Off: f.Off, Val: typ, Comment: f.Comment})
	}
	return a
}

// layout is that of a type which has been laid out before.
func (t *translator) layout(typ layout.Type) layout.Layout {
	l, err := layout.Of(typ, t.g.nvcc())
	if err != nil {
		panic(fmt.Sprintf("packers: %v has had a layout: %v", typ, err))
	}
	return l
}

// record makes the aggregate of a record, once. The name is that of one without a name of its own.
func (t *translator) record(rec *layout.Record, name string) *aggregate {
	if a, ok := t.done[rec]; ok {
		return a
	}
	l := t.layout(rec) // an alias may have another alignment
	a := &aggregate{Name: t.nameOf(rec, name), Union: rec.Kind == layout.Union, Size: l.Size, Align: l.Align, Passed: l.Align}
	t.done[rec] = a
	what := spelled(rec, a.Name)
	if nameOf(rec, "") == "" {
		what = "a " + rec.Kind.String() + " without a name"
	}
	if !ofCUDA(rec) && t.g.types.in == nil { // else it is of the package beside the output
		what += " of " + filepath.Base(t.g.Input)
	}
	a.Source = fmt.Sprintf("%s is %s: %s, aligned to %d.", a.Name, what, byteCount(l.Size), l.Align)
	store := -1
	if a.Union {
		store = a.addStore("bytes", 0, l.Size, "")
	}
	t.members(a, rec, &l, 0, store, "")
	t.list = append(t.list, a)
	return a
}

// nameOf chooses the name of a record.
func (t *translator) nameOf(rec *layout.Record, unnamed string) string {
	if name, ok := t.named[rec]; ok {
		return name
	}
	if known := nameOf(rec, ""); known != "" {
		unnamed = goName(known)
	}
	return t.names.take(unnamed)
}

// addStore adds bytes that have parts, and returns the index of the field.
func (a *aggregate) addStore(what string, off, size int64, comment string) int {
	if what != "bytes" {
		what = fmt.Sprintf("%s%d", what, a.stores)
		a.stores++
	}
	a.fields = append(a.fields, field{Name: what, Store: true, Off: off, Val: rawBytes(size), Comment: comment})
	return len(a.fields) - 1
}

// members adds the members of a record that lies at off. Those in a store are parts of it, others fields.
// The names begin with the prefix.
func (t *translator) members(a *aggregate, rec *layout.Record, l *layout.Layout, off int64, store int, prefix string) {
	for i := 0; i < len(l.Members); {
		m := &l.Members[i]
		if end := runEnd(l.Members, i); end > i {
			t.bitFields(a, l.Members[i:end], off, store, prefix)
			i = end
			continue
		}
		i++
		name := m.Field.Name
		if m.Layout.Size == 0 || m.Layout.DataSize == 0 && m.Layout.Size <= 1 || name == "_" && t.u.cname != nil {
			continue
		}
		if t.u.cname != nil {
			name = t.u.cname(rec, name)
		}
		at := off + m.Offset
		inner, _ := layout.Unalias(m.Field.Type).(*layout.Record)
		switch {
		case inner != nil && m.Anonymous() && inner.Kind == layout.Union && store < 0:
			t.members(a, inner, m.Layout, at, a.addStore("union", at, m.Layout.Size, "a union"), prefix)
		case inner != nil && (m.Base || m.Anonymous()):
			t.members(a, inner, m.Layout, at, store, prefix)
		case inner != nil && sharesTail(l, m):
			t.members(a, inner, m.Layout, at, store, prefix+name+"_")
		default:
			v := t.value(m.Field.Type, m.Layout, a.Name+goName(name))
			f := field{Name: prefix + name, Off: at, Val: v, Comment: typeText(m.Field.Type), in: store}
			if store < 0 {
				a.fields = append(a.fields, f)
			} else {
				a.parts = append(a.parts, f)
			}
		}
	}
}

// sharesTail reports whether another member lies in the padding at the end of m.
func sharesTail(l *layout.Layout, m *layout.Member) bool {
	rec := layout.Unalias(l.Type).(*layout.Record)
	return rec.Kind != layout.Union && slices.ContainsFunc(l.Members, func(o layout.Member) bool {
		return o.Layout.Size > 0 && o.Offset > m.Offset && o.Offset < m.Offset+m.Layout.Size
	})
}

// runEnd is the index after the run of bit-fields that begins at the i-th member; i where that is none.
func runEnd(members []layout.Member, i int) int {
	for i < len(members) && members[i].Field.BitField {
		i++
	}
	return i
}

// unnamedBits reports whether a bit-field is room alone.
func unnamedBits(m *layout.Member) bool { return m.Field.Name == "" || m.Field.Bits == 0 }

// bytesOfRun are the bytes in which the bit-fields with names lie; the first is -1 where there are none.
func bytesOfRun(run []layout.Member) (first, last int64) {
	first = -1
	for i := range run {
		if m := &run[i]; !unnamedBits(m) {
			start := m.Offset*8 + m.Bit
			if first < 0 || start/8 < first {
				first = start / 8
			}
			last = max(last, (start+m.Field.Bits+7)/8)
		}
	}
	return first, last
}

// bitFields adds a run of bit-fields as parts of the bytes that they lie in.
func (t *translator) bitFields(a *aggregate, run []layout.Member, off int64, store int, prefix string) {
	first, last := bytesOfRun(run)
	if first < 0 {
		return
	}
	if store < 0 {
		store = a.addStore("bits", off+first, last-first, "bit-fields")
	}
	for i := range run {
		m := &run[i]
		if unnamedBits(m) {
			continue
		}
		a.parts = append(a.parts, field{
			Name: prefix + m.Field.Name, in: store, Bit: (off+m.Offset)*8 + m.Bit, Width: m.Field.Bits,
			Val:     t.value(m.Field.Type, m.Layout, a.Name+goName(m.Field.Name)),
			Comment: fmt.Sprintf("%s : %d", typeText(m.Field.Type), m.Field.Bits),
		})
	}
}

// value makes the value of a type, of which the reader has found that there is one. Types without a name of their own
// get the one given.
func (t *translator) value(typ layout.Type, l *layout.Layout, name string) *value {
	if v := halfType(typ); v != nil && l.Size == 2 {
		return v
	}
	switch u := layout.Unalias(typ).(type) {
	case *layout.Pointer:
		return wordOr(scalar("uint64"), l.Size)
	case *layout.Enum:
		v := t.value(u.Underlying, l, name)
		t.enum(u, v, name)
		return v
	case *layout.Array:
		return arrayOf(t.value(u.Elem, l.Elem, name), u.Len)
	case *layout.Vector:
		if l.Elem.Size*u.Len > l.Size { // bits
			return rawBytes(l.Size)
		}
		return arrayOf(t.value(u.Elem, l.Elem, name), l.Size/l.Elem.Size)
	case *layout.Record:
		if len(u.Fields) == 1 && strings.HasPrefix(u.Name, "__nv_fp8") {
			return scalar(fmt.Sprintf("uint%d", l.Size*8))
		}
		a := t.record(u, name)
		return &value{kind: structure, size: l.Size, Typ: a.Name, record: a}
	case layout.Scalar:
		return wordOr(number(u, l.Size), l.Size)
	}
	panic(fmt.Sprintf("packers: a %T has no value", typ))
}

// wordOr returns a value, or integers of 64 bits for what is larger.
func wordOr(v *value, size int64) *value {
	if v.kind == integer && size > 8 {
		return arrayOf(scalar("uint64"), size/8)
	}
	return v
}

// halfType is the value of one of CUDA's floating-point numbers of 2 bytes, by its name; nil of others.
func halfType(t layout.Type) *value {
	name, under := "", layout.Type(nil)
	switch t := t.(type) {
	case *layout.Alias:
		name, under = t.Name, t.Type
	case *layout.Qualified:
		under = t.Type
	case *layout.Record:
		name = t.Name
	}
	switch name {
	case "half", "__half":
		return number(layout.Scalar{Kind: layout.Float16}, 2)
	case "nv_bfloat16", "__nv_bfloat16":
		return scalar("uint16")
	}
	if under == nil {
		return nil
	}
	return halfType(under)
}

// enum notes an enumeration, once.
func (t *translator) enum(e *layout.Enum, v *value, unnamed string) {
	if len(e.Enumerators) == 0 || cdecl.OfCUDA(e.Name, e.At) || slices.ContainsFunc(t.enums, func(x *enumType) bool { return x.of == e }) {
		return
	}
	x := &enumType{Source: "enum " + e.Name, of: e, typ: v}
	if last := e.Name[strings.LastIndex(e.Name, ":")+1:]; last != "" {
		unnamed = goName(last)
	} else {
		x.Source = "the enumeration of " + unnamed
	}
	x.Name = t.names.take(unnamed)
	t.enums = append(t.enums, x)
}

package gen

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/ptxabi/ptxabi/layout"
)

// holdsSomewhere reports whether Go lays any of the types out as C does.
func (u *unit) holdsSomewhere() bool {
	return slices.ContainsFunc(u.records, func(r *record) bool { return len(r.holds) > 0 })
}

// layoutFile is the file for the machines on which Go's own layout is that of
// the device: assertions, and the bytes of a struct without a copy. Types that
// hold on fewer machines than others do restrict it to those.
func (u *unit) layoutFile() ([]byte, error) {
	f := u.newFile()
	arches := littleEndian
	for _, r := range u.records {
		if len(r.holds) > 0 {
			arches = slices.DeleteFunc(slices.Clone(arches), func(a string) bool { return !slices.Contains(r.holds, a) })
		}
	}
	for _, r := range u.records {
		if len(r.holds) == 0 {
			doc(f, fmt.Sprintf("Go lays %s out otherwise than the device; nothing holds of it here.", r.name))
			f.Line()
			continue
		}
		r.emitLayout(f)
	}
	return u.render(f, strings.Join(arches, " || "))
}

func (r *record) emitLayout(f *jen.File) {
	value := func() *jen.Statement { return jen.Id(r.name).Values() }
	doc(f, fmt.Sprintf("Go lays %s out as the device does, or this does not compile.", r.name))
	var list []jen.Code
	assert := func(x jen.Code, c string) {
		list = append(list, jen.Id("_").Op("=").Index(jen.Lit(1)).Struct().Values().Index(jen.Add(x).Op("-").Id(c)))
	}
	assert(jen.Qual("unsafe", "Sizeof").Call(value()), r.name+"Size")
	consts := offsets(r.name+"Offset", "", r.val, 0, nameSet{})
	i := 0
	for _, x := range r.val.fields {
		if x.blank() {
			continue
		}
		assert(jen.Qual("unsafe", "Offsetof").Call(value().Dot(x.name)), consts[i].name)
		i++
		if x.val.kind == structure {
			i += len(offsets("", "", x.val, 0, nameSet{}))
		}
	}
	f.Var().Defs(list...)
	f.Line()
	doc(f, "ParamBytes returns the bytes of v without a copy, as the device has them but for\npadding, which may be anything. They change as v does.")
	f.Func().Params(jen.Id("v").Op("*").Id(r.name)).Id("ParamBytes").Params().Index().Byte().Block(
		jen.Return(jen.Qual("unsafe", "Slice").Call(
			jen.Parens(jen.Op("*").Byte()).Call(pointer().Call(jen.Id("v"))), jen.Id(r.name+"Size"))),
	)
	f.Line()
}

// littleEndianOf returns the machines on which Go lays a generated type out as
// the device does.
func littleEndianOf(v *value, l *layout.Layout) []string {
	var out []string
	t := (&record{val: v}).goType()
	for _, arch := range littleEndian {
		if sizes := types.SizesFor("gc", arch); sizes != nil && placed(sizes, v, t) && sizes.Sizeof(t) == l.Size {
			out = append(out, arch)
		}
	}
	return out
}

// goType is the type that is generated for r, padding included.
func (r *record) goType() *types.Struct {
	var list []*types.Var
	for _, f := range r.padded() {
		list = append(list, types.NewField(token.NoPos, nil, f.name, goTypeOf(f.val), false))
	}
	return types.NewStruct(list, nil)
}

func goTypeOf(v *value) types.Type {
	switch v.kind {
	case raw:
		return types.NewArray(types.Typ[types.Uint8], v.size)
	case array:
		return types.NewArray(goTypeOf(v.elem), v.n)
	case structure:
		return (&record{val: v}).goType()
	}
	return types.Universe.Lookup(v.basic).Type()
}

// placed reports whether Go puts the fields of a generated type where v has
// them.
func placed(sizes types.Sizes, v *value, t types.Type) bool {
	switch v.kind {
	case array:
		return sizes.Sizeof(t) == v.size && placed(sizes, v.elem, t.(*types.Array).Elem())
	case structure:
		s := t.(*types.Struct)
		var fields []*types.Var
		for f := range s.Fields() {
			fields = append(fields, f)
		}
		offs := sizes.Offsetsof(fields)
		for i, f := range (&record{val: v}).padded() {
			if offs[i] != f.off || !placed(sizes, f.val, fields[i].Type()) {
				return false
			}
		}
	}
	return sizes.Sizeof(t) == v.size
}

package packers

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/ptxabi/ptxabi/internal/source/gotypes"
	"github.com/ptxabi/ptxabi/layout"
)

// A layoutGroup is what one file says of layouts: the types for which it holds
// on some machine that Go lays each of them out as the device does.
type layoutGroup struct {
	records []*record
	arches  []string
}

// layoutGroups parts the types. Types that hold on fewer machines than others
// do restrict these to those; where none would be left, another group begins.
func (u *unit) layoutGroups() []*layoutGroup {
	var out []*layoutGroup
next:
	for _, r := range u.records {
		if len(r.holds) == 0 {
			continue
		}
		for _, g := range out {
			common := slices.DeleteFunc(slices.Clone(g.arches), func(a string) bool { return !slices.Contains(r.holds, a) })
			if len(common) > 0 {
				g.records, g.arches = append(g.records, r), common
				continue next
			}
		}
		out = append(out, &layoutGroup{[]*record{r}, slices.Clone(r.holds)})
	}
	return out
}

// layoutFiles are the files for the machines on which Go's own layout is that
// of the device: assertions, and the bytes of a struct without a copy.
func (u *unit) layoutFiles(o outputSet) []*goFile {
	var out []*goFile
	for i, g := range u.layoutGroups() {
		f := &goFile{path: o.layout(i), built: onAny(g.arches)}
		for _, r := range u.records {
			f.part(r.claim(), "")
			switch {
			case slices.Contains(g.records, r):
				r.emitLayout(f)
			case len(r.holds) == 0 && i == 0:
				f.text(docComment("Go lays %s out otherwise than the device; nothing holds of it here.", r.name), "")
			}
		}
		out = append(out, f)
	}
	return out
}

func (r *record) emitLayout(f *goFile) {
	equal := [][2]string{{"Sizeof(" + r.name + "{})", r.name + "Size"}}
	consts := offsets(r.name+"Offset", "", r.val, 0, nameSet{})
	i := 0
	for _, x := range r.val.fields {
		if x.blank() {
			continue
		}
		equal = append(equal, [2]string{"Offsetof(" + r.name + "{}." + x.name + ")", consts[i].name})
		i++
		if x.val.kind == structure {
			i += len(offsets("", "", x.val, 0, nameSet{}))
		}
	}
	f.template("layout.go.tmpl", map[string]any{"Name": r.name, "Equal": equal})
}

// littleEndianOf returns the machines on which Go lays a generated type out as
// the device does.
func littleEndianOf(v *value, l *layout.Layout) []string {
	var out []string
	t := (&record{val: v}).goType()
	for _, arch := range littleEndian {
		if sizes := gotypes.SizesFor(arch); sizes != nil && placed(sizes, v, t) && sizes.Sizeof(t) == l.Size {
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

package packers

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/ptxabi/ptxabi/internal/source/gotypes"
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
				f.text(docComment("Go lays %s out otherwise than the device; nothing holds of it here.", r.Name), "")
			}
		}
		out = append(out, f)
	}
	return out
}

func (r *record) emitLayout(f *goFile) {
	equal := [][2]string{{"Sizeof(" + r.Name + "{})", r.Name + "Size"}}
	consts := offsets(r.Name+"Offset", "", r.Val, 0, nameSet{})
	for _, x := range r.Val.Fields {
		if !x.blank() {
			equal = append(equal, [2]string{"Offsetof(" + r.Name + "{}." + x.Name + ")", consts[0].Name})
			consts = consts[len(offsets("", "", &value{Fields: []field{x}}, 0, nameSet{})):]
		}
	}
	f.template("layout.go.tmpl", map[string]any{"Name": r.Name, "Equal": equal})
}

// littleEndian are the machines of Go that keep the lowest byte first.
var littleEndian = []string{"386", "amd64", "arm", "arm64", "loong64", "mips64le", "mipsle", "ppc64le", "riscv64", "wasm"}

// littleEndianOf returns the machines on which Go lays a type out as the device does.
func littleEndianOf(v *value, t types.Type) []string {
	var out []string
	for _, arch := range littleEndian {
		if sizes := gotypes.SizesFor(arch); sizes != nil && placed(sizes, v, t) {
			out = append(out, arch)
		}
	}
	return out
}

// goType is the type that is generated for v, of a structure with padding.
func (v *value) goType() types.Type {
	switch v.kind {
	case raw, array:
		return types.NewArray(v.elem.goType(), v.n)
	case structure:
		var list []*types.Var
		for _, f := range padded(v.Fields, v.size) {
			list = append(list, types.NewField(token.NoPos, nil, f.Name, f.Val.goType(), false))
		}
		return types.NewStruct(list, nil)
	}
	return types.Universe.Lookup(v.basic).Type()
}

// placed reports whether Go puts the fields of a type where v has them.
func placed(sizes types.Sizes, v *value, t types.Type) bool {
	switch v.kind {
	case array:
		if !placed(sizes, v.elem, t.Underlying().(*types.Array).Elem()) {
			return false
		}
	case structure:
		offs := map[string]int64{}
		typs := map[string]types.Type{}
		s := t.Underlying().(*types.Struct)
		fields := slices.Collect(s.Fields())
		for i, off := range sizes.Offsetsof(fields) {
			offs[fields[i].Name()], typs[fields[i].Name()] = off, fields[i].Type()
		}
		for _, f := range v.Fields {
			if !f.blank() && (offs[f.Name] != f.Off || !placed(sizes, f.Val, typs[f.Name])) {
				return false
			}
		}
	}
	return sizes.Sizeof(t) == v.size
}

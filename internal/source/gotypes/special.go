package gotypes

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// bitFields makes the record of the bit-fields that share an integer.
func (r *Reader) bitFields(typ types.Type, bits []Bit) (layout.Type, string) {
	b, ok := typ.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsUnsigned == 0 || basics[b.Kind()] == nil || b.Kind() == types.Uintptr {
		return nil, fmt.Sprintf("bit-fields lie in a uint8, uint16, uint32 or uint64, not in %s", typ)
	}
	l, err := layout.Of(basics[b.Kind()], r.Rules)
	if err != nil {
		return nil, err.Error()
	}
	signed := map[types.BasicKind]types.BasicKind{
		types.Uint8: types.Int8, types.Uint16: types.Int16, types.Uint32: types.Int32, types.Uint64: types.Int64,
	}[b.Kind()]
	rec := &layout.Record{}
	total := int64(0)
	for _, bit := range bits {
		t := basics[b.Kind()]
		if bit.Signed {
			t = basics[signed]
		}
		rec.Fields = append(rec.Fields, layout.Field{Name: bit.Name, Type: t, BitField: true, Bits: bit.Width})
		total += bit.Width
	}
	if rest := l.Size*8 - total; rest < 0 {
		return nil, fmt.Sprintf("the bit-fields take %d bits, %s has %d", total, typ, l.Size*8)
	} else if rest > 0 {
		rec.Fields = append(rec.Fields, layout.Field{Type: basics[b.Kind()], BitField: true, Bits: rest})
	}
	return rec, ""
}

// union makes the record of a union that is kept in a [N]byte.
func (r *Reader) union(pkg *types.Package, typ types.Type, list []Alternative) (layout.Type, string) {
	a, ok := typ.Underlying().(*types.Array)
	if !ok || !types.Identical(a.Elem().Underlying(), types.Typ[types.Uint8]) {
		return nil, fmt.Sprintf("a union is kept in a [N]byte, not in %s", typ)
	}
	rec := &layout.Record{Kind: layout.Union}
	for _, alt := range list {
		t, _, why := r.Alternative(pkg, alt)
		if t == nil || why != "" {
			return nil, why
		}
		rec.Fields = append(rec.Fields, layout.Field{Name: alt.Name, Type: t})
	}
	l, err := layout.Of(rec, r.Rules)
	if err != nil {
		return nil, err.Error()
	}
	if l.Size != a.Len() {
		return nil, fmt.Sprintf("the union has %d bytes; its field is a [%d]byte then, not a %s", l.Size, l.Size, typ)
	}
	return rec, ""
}

// Alternative returns the type of a member of a union, as C has it and as Go
// has it, or why there is none. A type of CUDA is an array in Go.
func (r *Reader) Alternative(pkg *types.Package, alt Alternative) (layout.Type, types.Type, string) {
	tv, err := types.Eval(token.NewFileSet(), pkg, token.NoPos, alt.Type)
	if err == nil && tv.IsType() {
		t, why := r.typ(tv.Type)
		if why != "" {
			why = "member " + alt.Name + ": " + why
		}
		return t, tv.Type, why
	}
	cuda, why := r.cudaType(alt.Type)
	if why != "" {
		return nil, nil, fmt.Sprintf("member %s: %s is neither a type of this package nor one of CUDA's", alt.Name, alt.Type)
	}
	all := cells(cuda)
	if t := all[0].goType(); t != nil {
		var typ types.Type = types.NewArray(t, int64(len(all)))
		if len(all) == 1 {
			typ = t
		}
		return cuda.Type, typ, ""
	}
	return nil, nil, fmt.Sprintf("member %s: %s has no counterpart in Go", alt.Name, alt.Type)
}

// cudaType lays out one of the types that CUDA's headers declare.
func (r *Reader) cudaType(name string) (*layout.Layout, string) {
	bad := fmt.Sprintf("%s is not a type of CUDA's headers, such as float4, half2 or dim3", name)
	if !isIdent(name) || basicNames[name] {
		return nil, bad
	}
	u, err := cdecl.Parse("", []byte("typedef "+name+" ptxabi_type;"), cdecl.Options{Rules: r.Rules})
	if err != nil || len(u.Typedefs) != 1 {
		return nil, bad
	}
	l, err := layout.Of(u.Typedefs[0].Type.Type, r.Rules)
	if err != nil {
		return nil, bad
	}
	return &l, ""
}

// basicNames are names of C that say nothing that Go's types do not.
var basicNames = map[string]bool{
	"int": true, "char": true, "short": true, "long": true, "float": true, "double": true, "void": true,
	"signed": true, "unsigned": true, "bool": true, "_Bool": true, "struct": true, "union": true, "enum": true, "const": true,
}

// stands returns the alignment of the type of CUDA that t stands for, or why it
// cannot.
func (r *Reader) stands(t layout.Type, name string) (int64, string) {
	cuda, why := r.cudaType(name)
	if why != "" {
		return 0, why
	}
	own, err := layout.Of(t, r.Rules)
	if err != nil {
		return 0, err.Error()
	}
	want, got := cells(cuda), cells(&own)
	same := own.Size == cuda.Size && len(want) == len(got)
	for i := 0; same && i < len(want); i++ {
		same = want[i].alike(got[i])
	}
	if !same {
		return 0, fmt.Sprintf("%s is %s, which this is not; %s", name, describe(want), remedy(want))
	}
	return cuda.Align, ""
}

// typed returns t as the type of CUDA that it stands for, or as an array of those where its
// elements do, or why neither can be.
func (r *Reader) typed(t layout.Type, name string) (layout.Type, string) {
	align, why := r.stands(t, name)
	if why == "" {
		return &layout.Alias{Name: name, Type: t, Align: align}, ""
	}
	if a, ok := layout.Unalias(t).(*layout.Array); ok {
		if elem, no := r.typed(a.Elem, name); no == "" {
			return &layout.Array{Elem: elem, Len: a.Len}, ""
		}
	}
	return nil, why
}

// A cell is a scalar in its place.
type cell struct {
	off, size int64
	typ       string // of PTX
}

func (c cell) alike(d cell) bool {
	return c.off == d.off && c.size == d.size && (c.typ[1] == 'f') == (d.typ[1] == 'f')
}

func (c cell) goType() types.Type {
	kind, ok := map[string]types.BasicKind{
		".u8": types.Uint8, ".s8": types.Int8, ".u16": types.Uint16, ".s16": types.Int16, ".u32": types.Uint32, ".s32": types.Int32,
		".u64": types.Uint64, ".s64": types.Int64, ".f32": types.Float32, ".f64": types.Float64, ".b16": types.Uint16,
	}[c.typ]
	if !ok {
		return nil
	}
	return types.Typ[kind]
}

// maxCells bounds what a comparison looks at.
const maxCells = 1 << 16

// cells takes a layout apart.
func cells(l *layout.Layout) []cell {
	var out []cell
	for f := range l.Fields() {
		a := l.Loads(&f, 0)
		for i := range a.Count {
			if len(out) == maxCells {
				return out
			}
			out = append(out, cell{a.Off + i*a.Size, a.Size, a.Type})
		}
	}
	return out
}

// remedy says which types of Go a type of CUDA can be.
func remedy(cells []cell) string {
	first := cells[0].goType()
	for _, c := range cells {
		if first == nil || c.typ != cells[0].typ {
			return "a struct of those is"
		}
	}
	name := first.String()
	if len(cells) > 1 {
		name = fmt.Sprintf("[%d]%s", len(cells), first)
	}
	return name + " is, and so are arrays of it"
}

// describe says what a type of CUDA is made of.
func describe(cells []cell) string {
	var names []string
	for _, c := range cells {
		name := c.typ
		if t := c.goType(); t != nil {
			name = t.String()
		}
		names = append(names, name)
	}
	if len(names) == 1 {
		return "one " + names[0]
	}
	return fmt.Sprintf("%d values: %s", len(names), strings.Join(names, ", "))
}

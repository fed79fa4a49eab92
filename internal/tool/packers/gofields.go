package packers

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/gotypes"
	"github.com/ptxabi/ptxabi/layout"
)

// goArches returns the machines on which Go lays a struct out as l says and
// keeps the lowest byte of a number first.
func goArches(t types.Type, l *layout.Layout) []string {
	var out []string
	for _, arch := range littleEndian {
		if sizes := gotypes.SizesFor(arch); sizes != nil && sameInGo(sizes, t, l) {
			out = append(out, arch)
		}
	}
	return out
}

// littleEndian are the machines of Go that keep the lowest byte first.
var littleEndian = []string{"386", "amd64", "arm", "arm64", "loong64", "mips64le", "mipsle", "ppc64le", "riscv64", "wasm"}

// sameInGo reports whether Go's sizes and offsets are those of l, of nested
// structs too.
func sameInGo(sizes types.Sizes, t types.Type, l *layout.Layout) bool {
	if sizes.Sizeof(t) != l.Size {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return l.Elem == nil || sameInGo(sizes, u.Elem(), l.Elem)
	case *types.Struct:
		var fields []*types.Var
		for f := range u.Fields() {
			fields = append(fields, f)
		}
		for i, off := range sizes.Offsetsof(fields) {
			m := &l.Members[i]
			if m.Layout.Size == 0 && sizes.Sizeof(fields[i].Type()) == 0 {
				continue
			}
			if tag, _ := gotypes.ParseTag(u.Tag(i)); tag.Bits != nil || tag.Union != nil {
				if off != m.Offset || sizes.Sizeof(fields[i].Type()) != m.Layout.Size {
					return false
				}
				continue
			}
			if off != m.Offset || !sameInGo(sizes, fields[i].Type(), m.Layout) {
				return false
			}
		}
	}
	return true
}

// accessors returns the methods for unions and bit-fields.
func (in *goInput) accessors(s *types.Struct, l *layout.Layout) []accessor {
	var out []accessor
	for i := range s.NumFields() {
		f := s.Field(i)
		tag, err := gotypes.ParseTag(s.Tag(i))
		if err != nil {
			continue
		}
		elem, dims := tag.Element(f.Type())
		bit := int64(0)
		for _, b := range tag.Bits {
			if b.Name != "" {
				v := in.value(elem, nil)
				basic := v.basic
				if b.Signed {
					basic = strings.TrimPrefix(basic, "u")
				}
				out = append(out, accessor{
					name: f.Name() + upperFirst(b.Name), field: f.Name(), val: scalar(basic), bit: bit, width: b.Width,
					integer: true, whole: v.size, fieldType: in.spell(elem), dims: len(dims), doc: fmt.Sprintf("bit-field %s of %s: %s", b.Name, f.Name(), bitRange(bit, b.Width)),
				})
			}
			bit += b.Width
		}
		whole := l.Members[i].Layout
		for range dims {
			whole = whole.Elem
		}
		for _, alt := range tag.Union {
			ct, gt, why := in.l.reader.Alternative(f.Pkg(), alt)
			if ct == nil || why != "" {
				continue // reported with the field
			}
			al, err := layout.Of(ct, in.g.nvcc())
			if err != nil {
				continue
			}
			out = append(out, accessor{
				name: f.Name() + upperFirst(alt.Name), field: f.Name(), val: in.value(gt, in.naturally(gt, &al)), whole: whole.Size, dims: len(dims),
				doc: fmt.Sprintf("member %s of the union %s", alt.Name, f.Name()),
			})
		}
	}
	return out
}

// naturally is the layout of a Go type that stands for a type of CUDA: that of
// an array, where CUDA's is a record.
func (in *goInput) naturally(t types.Type, l *layout.Layout) *layout.Layout {
	a, ok := t.Underlying().(*types.Array)
	if !ok || l.Elem != nil {
		return l
	}
	out := *l
	out.Elem = &layout.Layout{Size: l.Size / a.Len()}
	return &out
}

func bitRange(bit, width int64) string {
	if width == 1 {
		return fmt.Sprintf("bit %d", bit)
	}
	return fmt.Sprintf("bits %d to %d", bit, bit+width-1)
}

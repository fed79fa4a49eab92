package packers

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/gotypes"
	"github.com/ptxabi/ptxabi/layout"
)

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
					Name: f.Name() + upperFirst(b.Name), field: f.Name(), Val: scalar(basic), bit: bit, width: b.Width,
					integer: true, whole: v.size, fieldType: in.spell(elem), dims: len(dims), Doc: fmt.Sprintf("bit-field %s of %s: %s", b.Name, f.Name(), bitRange(bit, b.Width)),
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
				Name: f.Name() + upperFirst(alt.Name), field: f.Name(), Val: in.value(gt, in.naturally(gt, &al)), whole: whole.Size, dims: len(dims),
				Doc: fmt.Sprintf("member %s of the union %s", alt.Name, f.Name()),
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

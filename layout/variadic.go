package layout

import (
	"fmt"

	"github.com/ptxabi/ptxabi/internal/core/round"
)

// tailAlign is the alignment of the array that a variadic function takes last.
const tailAlign = 8

// A Tail is what a call of a variadic function passes for the dots, in one array of bytes, as nvcc
// passes it (testdata/real/cicc124-variadic.ptx). The buffer that vprintf takes by its address, in
// local memory, has the same form, and so has the one whose address clang 19 passes in place of
// the array. Clang 16 leaves no gaps for alignment: its array is another.
type Tail struct {
	Offsets []int64 // of the values, in bytes
	Param   Param   // the array, without a name; of size 0 if there are no values
}

// TailOf returns the layout of the values after the dots, given their types after the promotions
// of C: small integers have become int, and float double. Each is at the next multiple of its
// alignment. The error, if any, is an [*Error]: a type that C promotes, or one that is aligned to
// more than 8, of which the places in a tail have not been measured.
func TailOf(types []Type, r Rules) (Tail, error) {
	t := Tail{Param: Param{Align: tailAlign, Type: ".b8"}}
	m := Memo{Rules: r}
	for i, typ := range types {
		l, err := m.Of(typ)
		if err != nil {
			return Tail{}, within(fmt.Sprintf("value %d", i), err)
		}
		size, cls, n := l.element()
		switch _, isRecord := Unalias(typ).(*Record); {
		case !isRecord && n == 1 && l.Elem == nil && (size < 4 || size == 4 && cls == floating):
			return Tail{}, &Error{Msg: fmt.Sprintf("value %d of a tail is a %s of %d bytes, which C promotes", i, typ, size)}
		case l.Align > tailAlign:
			return Tail{}, &Error{Msg: fmt.Sprintf("value %d of a tail is aligned to %d, and a tail to %d", i, l.Align, tailAlign)}
		}
		off := round.Up(t.Param.Bytes, l.Align)
		t.Offsets = append(t.Offsets, off)
		t.Param.Bytes = off + l.Size
	}
	return t, nil
}

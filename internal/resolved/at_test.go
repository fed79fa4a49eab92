package resolved

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestAt holds what the number of a name means against what Lookup says of the name, among
// ranges with and without a digit at their ends and names of their own, in blocks.
func TestAt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"%r", "%r0", "%r3", "%r14", "%r1", "%r17", "%r012", "a", "a2", "a12", "a1", "long_name_1", "long_name_", "long_name_13"}
	var s Scope
	for range 300 {
		s.Reset()
		for range 40 {
			switch r.IntN(6) {
			case 0:
				s.Open()
			case 1:
				s.Close()
			case 2, 3:
				v := &ptx.Var{Name: names[r.IntN(len(names))]}
				if r.IntN(2) == 0 {
					v.Count = []int64{ptx.ZeroCount, 1, 2, 5, 10, 11, 19}[r.IntN(7)]
				}
				sym := s.NewSymbol()
				*sym = Symbol{Spec: &ptx.Spec{}, Var: v}
				s.Add(v.Name, sym)
			}
			for _, name := range names {
				require.Same(t, s.Lookup(name), s.At(s.Number(name)), name)
			}
		}
	}
}

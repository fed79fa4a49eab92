package body

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestNestedRanges looks names up in blocks that declare ranges of one name, as
// a search from the innermost to the outermost does.
func TestNestedRanges(t *testing.T) {
	for round := range 2 {
		var s scope
		s.reset(8)
		var counts []int64
		for depth := range 200 {
			s.open()
			n := int64((depth*7919 + 13*round) % 301)
			if n == 0 {
				n = ptx.ZeroCount
			}
			counts = append(counts, n)
			add(&s, "%r", &Symbol{Spec: &ptx.Spec{}, Var: &ptx.Var{Name: "%r", Count: n}})
			for _, k := range []int64{0, 1, 77, 150, 222, 299, 300} {
				want := int64(-1)
				for i := len(counts) - 1; i >= 0 && want < 0; i-- {
					if k < counts[i] {
						want = counts[i]
					}
				}
				got := int64(-1)
				if sym := s.lookup(fmt.Sprintf("%%r%d", k)); sym != nil {
					got = sym.Var.Count
				}
				assert.Equal(t, want, got, "%%r%d at depth %d", k, depth)
			}
			if depth%5 == 4 {
				s.close(0)
				counts = counts[:len(counts)-1]
			}
		}
	}
}

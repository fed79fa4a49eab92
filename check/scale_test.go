package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// BenchmarkScale checks modules of each shape at two sizes, one eight times the
// other.
func BenchmarkScale(b *testing.B) {
	for _, s := range bench.Shapes {
		if s.Name == "errors" {
			continue
		}
		for _, n := range []int{s.Small, 8 * s.Small} {
			b.Run(fmt.Sprintf("%s/size=%d", s.Name, n), func(b *testing.B) {
				text := s.Text(n)
				m := must.Parse(b, s.Name, text)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, check.Module(m, check.Options{Lower: true}).Err())
				}
			})
		}
	}
}

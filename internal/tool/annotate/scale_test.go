package annotate_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
)

// BenchmarkScale annotates the listings that are hard on an algorithm, at two sizes.
func BenchmarkScale(b *testing.B) {
	row := must.Target(b, "sm_90")
	for _, s := range bench.Listings {
		for _, n := range []int{s.Small, 8 * s.Small} {
			b.Run(fmt.Sprintf("%s/size=%d", s.Name, n), func(b *testing.B) {
				text := s.Text(n)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					discard(b, row, text)
				}
			})
		}
	}
}

// discard annotates a listing.
func discard(tb testing.TB, row *abi.Target, text []byte) {
	a := annotate.New(annotate.Options{Target: row})
	r := annotate.NewReader("bench.sass", bytes.NewReader(text))
	for {
		s, err := r.Next()
		if s == nil {
			require.Equal(tb, io.EOF, err)
			return
		}
		require.NoError(tb, err)
		_, err = a.WriteText(io.Discard, s)
		require.NoError(tb, err)
	}
}

// TestMemory bounds what is allocated for each byte of those listings, what is released again too.
func TestMemory(t *testing.T) {
	row := must.Target(t, "sm_90")
	for _, s := range bench.Listings {
		listing := s.Text(s.Small)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		discard(t, row, listing)
		runtime.ReadMemStats(&after)
		require.Less(t, float64(after.TotalAlloc-before.TotalAlloc)/float64(len(listing)), 300.0, s.Name)
	}
}

// TestShapes annotates those listings. Two of them are tangled: words of a frame that go round
// in a circle, and a frame of which each word is known at each label.
func TestShapes(t *testing.T) {
	row := must.Target(t, "sm_90")
	for _, s := range bench.Listings {
		listing := s.Text(min(s.Small, 600))
		out, err := text(listing, annotate.Options{Target: row, Registers: true})
		require.NoError(t, err, s.Name)
		require.NoError(t, unchanged(listing, out), s.Name)
		require.Equal(t, s.Name == "circle" || s.Name == "frame", bytes.Contains(out, []byte(annotate.TangledNote)), s.Name)
	}
}

package sig_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestNumbers holds the numbers of names to a map: equal names have the same one,
// others have others, whatever list or table they are in.
func TestNumbers(t *testing.T) {
	stems := []string{"%r", "%rd", "%f", "%fd", "%p", "%rs", "param", "retval", "f_param_", "x1_", "", "a.", "$L__BB0_"}
	for i := range 60 {
		stems = append(stems, "s"+strconv.Itoa(i)+"_") // some have the same hash
	}
	ends := []string{"", "0", "1", "7", "00", "01", "12", "16383", "16384", "99999", "100000", "12345678901234567890123"}
	rnd := rand.New(rand.NewPCG(1, 2))
	var s sig.Scope
	for range 3 { // Reset forgets all
		numbers := make(map[string]int32)
		for range 5000 {
			name := stems[rnd.IntN(len(stems))] + ends[rnd.IntN(len(ends))]
			if rnd.IntN(3) == 0 {
				name += strconv.Itoa(rnd.IntN(300))
			}
			if name == "" {
				continue
			}
			want, known := numbers[name]
			if rnd.IntN(2) == 0 {
				switch n := s.Numbered(name); {
				case known:
					require.Equal(t, want, n, name)
				case n >= 0: // the stem of another name
					numbers[name] = n
				}
				continue
			}
			n := s.Number(name)
			require.Equal(t, name, s.Name(n))
			require.Less(t, int(n), s.Numbers())
			if known {
				require.Equal(t, want, n, name)
			}
			numbers[name] = n
		}
		seen := make(map[int32]string)
		for name, n := range numbers {
			require.Empty(t, seen[n], "%s has the number of another name", name)
			seen[n] = name
			assert.Equal(t, n, s.Numbered(name))
		}
		s.Reset()
		assert.Equal(t, int32(-1), s.Numbered("%r1"))
	}
}

// TestNearRange looks names up again where what they mean has changed.
func TestNearRange(t *testing.T) {
	ranged := func(count int64) *sig.Symbol {
		return &sig.Symbol{Spec: &ptx.Spec{}, Var: &ptx.Var{Name: "%r", Count: count}}
	}
	var s sig.Scope
	outer, inner := ranged(100), ranged(10)
	one := &sig.Symbol{Spec: &ptx.Spec{}, Var: &ptx.Var{Name: "%r5", Count: ptx.NoCount}}
	s.Add("%r", outer)
	for range 2 {
		assert.Same(t, outer, s.Lookup("%r5"))
		assert.Same(t, outer, s.Lookup("%r05"))
		assert.Nil(t, s.Lookup("%r100"))
		assert.Nil(t, s.Lookup("%r18446744073709551621")) // 5, modulo 2^64
	}
	s.Open()
	s.Add("%r", inner)
	for range 2 {
		assert.Same(t, inner, s.Lookup("%r5"))
		assert.Same(t, outer, s.Lookup("%r50"))
	}
	s.Open()
	s.Add("%r5", one)
	assert.Same(t, one, s.Lookup("%r5"))
	assert.Same(t, inner, s.Lookup("%r6"))
	s.Close()
	assert.Same(t, inner, s.Lookup("%r5"))
	s.Close()
	assert.Same(t, outer, s.Lookup("%r5"))
	s.Rewind()
	assert.Nil(t, s.Lookup("%r5"))
}

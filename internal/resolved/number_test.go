package resolved

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNumbers holds the numbers of names against a map: of families, of such that
// share a place, of numbers that are in no family, and of names without numbers.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s scope
	for range 20 {
		s.Reset()
		want := make(map[string]int32)
		for range 2000 {
			stem := []string{"%r", "%rd", "%fd", "%p", "param", "a_b_", "%r1_", "%long_stems_", "x", "", "7"}[r.IntN(11)]
			digits := []string{
				"", fmt.Sprint(r.IntN(40)), fmt.Sprintf("0%d", r.IntN(40)), fmt.Sprint(maxMember + r.IntN(4) - 2),
				fmt.Sprint(r.IntN(1 << 18)), "99999999999999999999999",
			}[r.IntN(6)]
			name := stem + digits
			if name == "" {
				continue
			}
			n, known := want[name]
			if !known {
				n = -1
			}
			assert.Equal(t, n, s.Numbered(name), name)
			if r.IntN(2) == 0 {
				continue
			}
			got := s.Number(name)
			if known {
				assert.Equal(t, n, got, name)
			}
			want[name] = got
			assert.Equal(t, name, s.Name(got))
			// The number of a family's stem may be a new one as well.
			if stem != "" {
				if n := s.Numbered(stem); n >= 0 {
					want[stem] = n
				}
				if n := s.means[got].stem; n > 0 {
					assert.Equal(t, s.Name(n-1)+name[len(s.Name(n-1)):], name)
					assert.Equal(t, n-1, s.Numbered(s.Name(n-1)), name)
				}
			}
		}
		seen := make(map[int32]string)
		for name, n := range want {
			assert.Empty(t, seen[n], "%s has the number of %s", name, seen[n])
			seen[n] = name
			assert.Equal(t, n, s.Numbered(name), name)
		}
	}
}

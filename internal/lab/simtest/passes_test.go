package simtest

import (
	"slices"
	"testing"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leftOut are the sets of passes that are left out: each pass alone, all but one, and all.
func leftOut() map[string][]lower.Pass {
	sets := map[string][]lower.Pass{"all": lower.Passes()}
	for i, p := range lower.Passes() {
		sets[string(p)] = []lower.Pass{p}
		sets["all but "+string(p)] = slices.Delete(lower.Passes(), i, i+1)
	}
	return sets
}

// TestSimulationWithoutPasses executes random programs that were lowered without each of
// the passes, and without any: what passes do is never needed for code to be right.
func TestSimulationWithoutPasses(t *testing.T) {
	count := effort.Of(12, 100)
	if testing.Short() {
		count = 10
	}
	var sum tally
	for name, p := range leftOut() {
		for i := range count {
			target := abi.Targets()[i%len(abi.Targets())]
			s := randomSpec(uint64(7+i), target)
			mod := must.Parse(t, "random.ptx", []byte(s.source(target)))
			for _, homes := range []lower.Homes{nil, &randomHomes{t: target, seed: s.Seed, mod: mod}} {
				opts := allocated(homes)
				opts.Without = p
				n, err := runLowered(mod, target, uint32(s.Seed), opts, nil)
				if homes != nil && crowded(err) {
					continue // the allocation leaves too few registers
				}
				require.NoError(t, err, "without %s, seed %d on %s, homes: %t", name, s.Seed, target.Name, homes != nil)
				sum.add(n)
			}
		}
	}
	t.Logf("%+v", sum)
	assert.Positive(t, sum.observed)
}

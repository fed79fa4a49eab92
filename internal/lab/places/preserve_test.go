package places

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// preserving returns n random functions with .abi_preserve that have places on
// a target: as abitest draws them, but smaller, half of them with more than the
// parameter registers take.
func preserving(seed uint64, n int, target *abi.Target, d abitest.Dialect) []*abitest.Function {
	d.MaxFunction = 250
	r := rand.New(rand.NewPCG(seed, 0x9e3779b9))
	var all []*abitest.Function
	for i := 0; len(all) < n; i++ {
		s := abitest.Random(seed, i, d)
		if s.Kernel {
			continue
		}
		// Small numbers are the likely ones, large ones are at a limit.
		s.Preserve = abi.Preserve{Given: true, N: r.IntN([]int{13, 41, 41, 238}[r.IntN(4)])}
		if _, err := abi.Assign(s.ABI(), target); err == nil {
			all = append(all, s)
		}
	}
	return all
}

// TestPreserveAgainstPtxas compares random functions with .abi_preserve with
// each toolkit that takes the directive, spread over its targets.
// PTXABI_ORACLE_N sets the number for each target, PTXABI_ORACLE_SEED another
// seed.
func TestPreserveAgainstPtxas(t *testing.T) {
	var compared, moved atomic.Int64
	t.Cleanup(func() {
		t.Logf("compared %d functions, %d of them with values beyond R15", compared.Load(), moved.Load())
	})
	seed, few := setting(t, "PTXABI_ORACLE_SEED", 1), 6
	if testing.Short() {
		few = 1
	}
	eachTarget(t, func(t *testing.T, tk *oracle.Toolkit, target *abi.Target, i int) {
		if !tk.PTX.AtLeast(9, 0) || target.Passing.Preserving.Most == 0 {
			return
		}
		n := setting(t, "PTXABI_ORACLE_N", few)
		sigs := preserving(uint64(seed+i), n, target, abitest.DialectOf(target, tk.PTX))
		for _, s := range sigs {
			if as, err := abi.Assign(s.ABI(), target); err == nil && beyond(as) {
				moved.Add(1)
			}
		}
		r, err := CompareAll(context.Background(), Task{Assembler: tk, Target: target, Seed: uint64(seed + i)}, sigs)
		require.NoError(t, err)
		t.Log(r)
		compared.Add(int64(r.Signatures))
		assert.Equal(t, n, r.Signatures)
		for _, d := range r.Differences {
			t.Error(d)
		}
	})
}

// beyond reports whether a value is in registers above the parameter registers.
func beyond(as abi.Assignment) bool {
	for _, p := range append(as.Results, as.Params...) {
		if p.Loc.Kind == abi.InReg && int(p.Loc.Reg)+p.Words() > 16 {
			return true
		}
	}
	return false
}

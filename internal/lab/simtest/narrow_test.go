package simtest

import (
	_ "embed"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/sass"
)

//go:embed testdata/text/narrowModule.ptx
var narrowModule string

// TestNarrowPointer calls through a pointer of 32 bits, and notices where the
// call takes something else for the other half of an address.
func TestNarrowPointer(t *testing.T) {
	mod := must.Parse(t, "narrow.ptx", []byte(narrowModule))
	pairs, alone := 0, 0
	for _, target := range distinctTargets() {
		if !narrow(target) {
			continue
		}
		n, err := runModule(mod, target, 1, nil, nil)
		require.NoError(t, err, target.Name)
		require.Equal(t, n.observed, n.defined)
		half := func(in *sass.Instr) bool { return in.Note == "callee" && in.Args[1] == sass.Register(sass.RZ) }
		if machine.Of(target.SM).Spelling.IndirectWords == 1 {
			_, err = runModule(mod, target, 1, nil, first("k", half, nothing))
			require.ErrorIs(t, err, errUnchanged, target.Name)
			alone++
			continue
		}
		pairs++
		_, err = runModule(mod, target, 1, nil, first("k", half, nothing))
		assert.ErrorContains(t, err, "undefined", target.Name)
		_, err = runModule(mod, target, 1, nil, first("k", half, func(in *sass.Instr) { in.Args[1] = sass.Register(target.Passing.First) }))
		assert.ErrorContains(t, err, "the high word of the address of f", target.Name)
	}
	assert.Positive(t, pairs)
	assert.Positive(t, alone)
}

// TestNarrowPrograms finds addresses of 32 bits among the random programs of a
// target that has them, and none elsewhere.
func TestNarrowPrograms(t *testing.T) {
	for name, want := range map[string]bool{"sm_35": true, "sm_89": true, "sm_90": false} {
		target := must.Target(t, name)
		count := 0
		for seed := uint64(1); seed <= 200; seed++ {
			if s := randomSpec(seed, target); s.Narrow {
				count++
			}
		}
		if want {
			assert.Greater(t, count, 20, name)
		} else {
			assert.Zero(t, count, name)
		}
	}
}

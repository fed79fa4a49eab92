package simtest

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

//go:embed testdata/text/caseHead.ptx
var caseHead string

// TestCallsAreExecutedAsWritten executes the kernels of testdata/cases.txtar.
func TestCallsAreExecutedAsWritten(t *testing.T) {
	for _, c := range golden.Archive(t, "testdata/cases.txtar").Files {
		count, name, _ := strings.Cut(c.Name, ": ")
		t.Run(name, func(t *testing.T) {
			defined, err := strconv.Atoi(count)
			require.NoError(t, err)
			mod := must.Parse(t, "case.ptx", []byte(caseHead+string(c.Data)+"\tret;\n}\n"))
			for _, target := range distinctTargets() {
				for seed := uint32(1); seed <= effort.Of[uint32](1, 4); seed++ {
					n, err := runModule(mod, target, seed, nil, nil)
					if !assert.NoError(t, err, "%s, seed %d", target.Name, seed) {
						continue
					}
					if defined != 0 {
						assert.Equal(t, defined, n.defined, "%s, seed %d: bytes observed", target.Name, seed)
					}
					assert.Equal(t, n.observed, n.defined, "%s, seed %d: undefined bytes are observed", target.Name, seed)
					more, err := runModule(mod, target, seed, &randomHomes{t: target, seed: uint64(seed)}, nil)
					assert.NoError(t, err, "%s with homes, seed %d", target.Name, seed)
					assert.Equal(t, n, more, "%s with homes, seed %d", target.Name, seed)
				}
			}
		})
	}
}

// TestGuardedAlloca allocates memory under a guard, between calls.
func TestGuardedAlloca(t *testing.T) {
	mod := must.Parse(t, "alloca.ptx", must.Read(t, "testdata/text/guardedAlloca.ptx"))
	for _, target := range distinctTargets() {
		if target.SM < 52 {
			continue
		}
		most, least := 0, 1000
		for seed := uint32(1); seed <= 8; seed++ {
			n, err := runModule(mod, target, seed, nil, nil)
			require.NoError(t, err, "%s, seed %d", target.Name, seed)
			assert.Equal(t, n.observed, n.defined)
			most, least = max(most, n.observed), min(least, n.observed)
		}
		assert.Equal(t, []int{8, 20}, []int{least, most}, "%s: the guard was true at times and false at others", target.Name)
	}
}

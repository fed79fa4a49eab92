// Package simtest has the tests that execute what package lower makes, with the simulator of
// internal/lab/sim: random programs, random control flow, every pass left out, planted defects,
// registers with homes, and the counts of instructions beside ptxas.
package simtest

import (
	"errors"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// signatures is how many random programs TestSimulation runs; the environment
// variable PTXABI_SIGNATURES changes it, and PTXABI_SEED the first seed.
var signatures = effort.Of[uint64](150, 10_000)

func environmentNumber(t *testing.T, name string, normal uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return normal
	}
	n, err := strconv.ParseUint(text, 0, 64)
	require.NoError(t, err, name)
	return n
}

// distinctTargets returns the first of all measured targets that have the same
// facts: what is lowered for the others differs in the name alone.
func distinctTargets() []*abi.Target {
	var out []*abi.Target
	type whole struct {
		abi.Target
		machine.Machine
	}
	seen := make(map[whole]bool)
	for _, t := range abi.Targets() {
		key := whole{*t, *machine.Of(t.SM)}
		key.Name, key.SM, key.Suffix, key.Generation, key.Toolkits = "", 0, "", "", ""
		key.Regs.UniformDisputed = abi.RegSet{}
		key.Spelling.AddDispute = ""
		if !seen[key] {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

// TestSimulation lowers random programs and executes them: caller and callee
// have to agree on every byte with the PTX.
func TestSimulation(t *testing.T) {
	count, seed := environmentNumber(t, "PTXABI_SIGNATURES", signatures), environmentNumber(t, "PTXABI_SEED", 1)
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // all of it is garbage soon
	targets := abi.Targets()
	var ran atomic.Uint64
	var lock sync.Mutex
	var sum tally
	t.Run("targets", func(t *testing.T) {
		for i, target := range targets {
			t.Run(target.Name, func(t *testing.T) {
				t.Parallel()
				failed, part := 0, tally{}
				defer func() {
					lock.Lock()
					defer lock.Unlock()
					sum.add(part)
				}()
				for k := uint64(i); k < count; k += uint64(len(targets)) {
					s := randomSpec(seed+k, target)
					ran.Add(1)
					n, err := s.run(target, nil)
					if err == nil {
						part.add(n)
						continue
					}
					reportFailure(t, s, target)
					if failed++; failed == 3 {
						t.Fatal("and perhaps more")
					}
				}
			})
		}
	})
	if !t.Failed() {
		require.Equal(t, count, ran.Load(), "programs run")
		require.LessOrEqual(t, sum.crowded, 3+int(count/1000), "of nearly all programs homes have to be compared, too")
		require.Greater(t, sum.defined, sum.observed/2, "most of what is observed has to be defined, or nothing is compared")
	}
	t.Logf("%d programs from seed %d on %d targets: %d calls, %d bytes observed, %d of them defined; %d without homes",
		ran.Load(), seed, len(targets), sum.calls, sum.observed, sum.defined, sum.crowded)
}

// reportFailure shows the simplest program that fails.
func reportFailure(t *testing.T, s simSpec, target *abi.Target) {
	t.Helper()
	seed := s.Seed
	s, err := minimise(s, func(c simSpec) error { return c.check(target) })
	src := s.source(target)
	text := "(there is none)"
	if mod, perr := ptx.Parse("random.ptx", []byte(src)); perr == nil && !strings.HasPrefix(err.Error(), "panic") {
		opts := lower.Options{}
		if strings.HasPrefix(err.Error(), "with homes") {
			opts = allocated(&randomHomes{t: target, seed: s.Seed, mod: mod})
		}
		if prog, lerr := lower.Module(mod, target, opts); lerr == nil {
			text = prog.String()
		}
	}
	var list diag.List
	if errors.As(err, &list) {
		err = list
	}
	t.Errorf("seed %d on %s: %v\n\n%s\nlowered:\n%s", seed, target.Name, err, src, text)
}

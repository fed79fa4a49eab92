package simtest

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// flows is how many random programs TestFlow runs; the environment variable
// PTXABI_FLOWS changes it, and PTXABI_SEED the first seed.
var flows = effort.Of[uint64](35, 600)

// flowModes are the ways in which every program is lowered.
var flowModes = []struct {
	name  string
	homes func(h randomHomes) *randomHomes // nil for none
}{
	{"without homes", nil},
	{"random homes and slots", func(h randomHomes) *randomHomes { return &h }},
	{"random homes without slots", func(h randomHomes) *randomHomes {
		h.seed, h.none = h.seed+1_000_000, true
		return &h
	}},
	{"homes of their own", func(h randomHomes) *randomHomes {
		h.none, h.apart = true, true
		return &h
	}},
}

// A flowFailure is a mode that a program fails in.
type flowFailure struct {
	mode int
	err  error
}

// runFlow runs the program of a seed in one mode after the other. The slots that it
// had are counted with what it has.
func runFlow(seed uint64, t *abi.Target, without map[int]bool, change func(*sass.Program) bool) (tally, map[string]int, *flowFailure) {
	source, had := randomFlow(seed, t, without)
	mod, err := ptx.Parse("flow.ptx", []byte(source))
	if err != nil {
		return tally{}, had, &flowFailure{0, fmt.Errorf("the PTX does not parse: %w", err)}
	}
	var sum tally
	var first *tally
	for i := range flowModes {
		homes := flowHomes(i, seed, t, mod)
		n, err := runFlowMode(mod, t, seed, homes, change)
		switch {
		case errors.Is(err, errUnchanged):
			continue
		case homes != nil && crowded(err):
			sum.crowded++
			continue
		case err == nil && first != nil && n != *first:
			err = fmt.Errorf("it compares %+v, and %+v in another mode", n, *first)
		}
		if err != nil {
			return sum, had, &flowFailure{i, err}
		}
		first = &n
		sum.add(n)
		if homes != nil {
			for _, slots := range homes.slots {
				had["slots"] += len(slots)
			}
		}
	}
	return sum, had, nil
}

func flowHomes(mode int, seed uint64, t *abi.Target, mod *ptx.Module) *randomHomes {
	if flowModes[mode].homes == nil {
		return nil
	}
	return flowModes[mode].homes(randomHomes{t: t, seed: seed, mod: mod})
}

// runFlowMode is runModule; a panic is an error too.
func runFlowMode(mod *ptx.Module, t *abi.Target, seed uint64, homes *randomHomes, change func(*sass.Program) bool) (n tally, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	if homes == nil { // not an interface that holds one
		return runModule(mod, t, uint32(seed), nil, change)
	}
	return runModule(mod, t, uint32(seed), homes, change)
}

// TestFlow lowers random programs with real control flow and executes them, with
// and without homes.
func TestFlow(t *testing.T) {
	count, seed := environmentNumber(t, "PTXABI_FLOWS", flows), environmentNumber(t, "PTXABI_SEED", 1)
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // all of it is garbage soon
	targets := abi.Targets()
	var lock sync.Mutex
	var sum tally
	had := make(map[string]int)
	t.Run("targets", func(t *testing.T) {
		for i, target := range targets {
			t.Run(target.Name, func(t *testing.T) {
				t.Parallel()
				failed := 0
				for k := uint64(i); k < count; k += uint64(len(targets)) {
					n, features, failure := runFlow(seed+k, target, nil, nil)
					lock.Lock()
					sum.add(n)
					for name, n := range features {
						had[name] += n
					}
					had["programs"]++
					lock.Unlock()
					if failure == nil {
						continue
					}
					reportFlow(t, seed+k, target)
					if failed++; failed == 3 {
						t.Fatal("and perhaps more")
					}
				}
			})
		}
	})
	var text []string
	for _, name := range slices.Sorted(maps.Keys(had)) {
		text = append(text, fmt.Sprintf("%d %s", had[name], name))
	}
	t.Logf("from seed %d on %d targets, in %d ways each: %d calls, %d bytes observed, %d of them defined; %d runs without homes",
		seed, len(targets), len(flowModes), sum.calls, sum.observed, sum.defined, sum.crowded)
	t.Log(strings.Join(text, ", "))
	if t.Failed() {
		return
	}
	require.EqualValues(t, count, had["programs"])
	if count < flows {
		return // too few to have everything
	}
	assert.Greater(t, sum.defined, sum.observed/2, "most of what is observed has to be defined, or nothing is compared")
	assert.LessOrEqual(t, sum.crowded, 3+int(count/250), "of nearly all programs homes have to be compared, too")
	for _, name := range []string{
		"branches", "loops", "exits from loops", "guarded calls", "indirect calls", "parts passed through", "parts passed through functions", "words passed on in parts",
		"slots", "whole vectors", "accesses through addresses", "variables at the top",
	} {
		assert.Positive(t, had[name], name)
	}
}

// reportFlow shows a program that fails, without what it does not need for that.
func reportFlow(t *testing.T, seed uint64, target *abi.Target) {
	t.Helper()
	_, had := randomFlow(seed, target, nil)
	without := minimiseFlow(had["steps"], func(without map[int]bool) *flowFailure {
		_, _, failure := runFlow(seed, target, without, nil)
		return failure
	})
	_, _, failure := runFlow(seed, target, without, nil)
	source, _ := randomFlow(seed, target, without)
	text := "(there is none)"
	if mod, err := ptx.Parse("flow.ptx", []byte(source)); err == nil && !strings.HasPrefix(failure.err.Error(), "panic") {
		opts := lower.Options{}
		if homes := flowHomes(failure.mode, seed, target, mod); homes != nil {
			opts.Homes, opts.Slots = homes, homes
		}
		if prog, err := lower.Module(mod, target, opts); err == nil {
			text = prog.String()
		}
	}
	t.Errorf("seed %d on %s, %s: %v\n\n%s\nlowered:\n%s", seed, target.Name, flowModes[failure.mode].name, failure.err, source, text)
}

// minimiseFlow returns the steps of a program that can be left out so that it still
// fails in the same mode, and in a like manner.
func minimiseFlow(steps int, fails func(without map[int]bool) *flowFailure) map[int]bool {
	first := fails(nil)
	without := make(map[int]bool)
	try := func(from, size int) {
		wider := maps.Clone(without)
		for i := range size {
			wider[from+i] = true
		}
		if len(wider) == len(without) {
			return
		}
		if f := fails(wider); f != nil && f.mode == first.mode && manner(f.err) == manner(first.err) {
			without = wider
		}
	}
	try(0, 1)
	for size := 64; size > 0; size /= 2 {
		for from := 1; from <= steps; from += size {
			try(from, size)
		}
	}
	try(0, 1)
	return without
}

// manner is the kind of failure of an error: of a program that is no good, of one
// that is refused, of a panic, or of wrong code.
func manner(err error) string {
	var list diag.List
	if errors.As(err, &list) {
		return string(list[0].Code)
	}
	for _, kind := range []string{"the PTX", "panic", "lowered to what cannot be", "it compares"} {
		if strings.HasPrefix(err.Error(), kind) {
			return kind
		}
	}
	return ""
}

package lower_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/internal/opt"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// plainly are the sets of passes that naive code is executed with: none is needed for it to be
// right.
var plainly = map[string]opt.Passes{
	"all":      opt.All,
	"none":     {},
	"forward":  {Forward: true},
	"coalesce": {Coalesce: true},
	"pair":     {Pair: true},
	"gather":   {Gather: true},
}

// runPlainly executes the kernel "k" of a module that is lowered by naive selection, and requires
// that as much is compared as with the other selection. homes may be nil.
func runPlainly(t *testing.T, name string, mod *ptx.Module, target *abi.Target, seed uint64, homes *randomHomes) {
	t.Helper()
	opts := lower.Options{}
	if homes != nil {
		opts = allocated(homes)
	}
	want, err := runLowered(mod, target, uint32(seed), opts, nil)
	if homes != nil && crowded(err) {
		return // the allocation leaves too few registers
	}
	require.NoError(t, err)
	for of, passes := range plainly {
		prog, err := lower.PlainModule(mod, target, opts, passes)
		if homes != nil && crowded(err) {
			continue
		}
		require.NoError(t, err)
		got, err := runProgram(mod, target, uint32(seed), prog, nil)
		require.NoError(t, err, "%s, seed %d on %s, homes: %t, passes: %s", name, seed, target.Name, homes != nil, of)
		assert.Equal(t, want, got, "%s, seed %d on %s, homes: %t, passes: %s", name, seed, target.Name, homes != nil, of)
	}
}

// TestPlainSimulation executes random programs that naive selection has lowered, with each pass
// alone, all and none, without homes, with homes, and with slots.
func TestPlainSimulation(t *testing.T) {
	count := effort.Of[uint64](60, 2000)
	if testing.Short() {
		count = 16
	}
	targets := abi.Targets()
	for i := range count {
		target := targets[i%uint64(len(targets))]
		s := randomSpec(1000+i, target)
		mod, err := ptx.Parse("random.ptx", []byte(s.source(target)))
		require.NoError(t, err)
		runPlainly(t, "a random program", mod, target, s.Seed, nil)
		runPlainly(t, "a random program", mod, target, s.Seed, &randomHomes{t: target, seed: s.Seed, mod: mod})

		source, _ := randomFlow(1000+i, target, nil)
		mod, err = ptx.Parse("flow.ptx", []byte(source))
		require.NoError(t, err)
		for mode := range flowModes {
			runPlainly(t, "a program with control flow, "+flowModes[mode].name, mod, target, 1000+i, flowHomes(mode, 1000+i, target, mod))
		}
	}
	for _, c := range calledCases {
		mod, err := ptx.Parse("case.ptx", []byte(caseHead+c.body+"\tret;\n}\n"))
		require.NoError(t, err)
		for _, target := range distinctTargets() {
			runPlainly(t, c.name, mod, target, 1, nil)
			runPlainly(t, c.name, mod, target, 1, &randomHomes{t: target, seed: 1})
		}
	}
}

// TestPlainOnRealModules holds that naive selection lowers the real modules to code that is sound,
// with homes and without, and to fewer instructions than the other one. More are the loads
// of bytes of a large result, which the pass fetching makes one, and reads of bytes that narrow-reads leaves as
// they are.
func TestPlainOnRealModules(t *testing.T) {
	longer := map[string]bool{
		"cicc124-overaligned": true, "clang19-overaligned-O0": true, "clang19-overaligned": true, "clang19-sha256": true,
		"clang21-records-bytes": true, "clang19-records-bytes": true, "clang19-address": true, "cicc124-debug-lines": true,
		"cicc124-debug": true, "clang19-half-O0": true, "cicc118-records-mixed": true,
		"cicc124-alloca": true, "cicc124-hopper": true, "cicc130-recursion": true, "cicc135-records-words": true, "clang19-records-mixed-O0": true,
		"clang19-tokens": true, "clang19-recursion": true,
	}
	sum, plainSum := 0, 0
	for i, file := range realModules(t) {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := ptx.Parse(file, src)
		require.NoError(t, err)
		target, err := abi.Lookup(m.Target)
		if err != nil {
			continue
		}
		count := func(prog *sass.Program, err error) int {
			require.NoError(t, err, file)
			require.NoError(t, sassverify.Verify(file, prog, target), file)
			return strings.Count(prog.String(), " ;")
		}
		n, plain := count(lower.Module(m, target, lower.Options{})), count(lower.PlainModule(m, target, lower.Options{}, opt.All))
		name := strings.TrimSuffix(filepath.Base(file), ".ptx")
		if plain > n && !longer[name] || plain > n+n/7 {
			t.Errorf("%s: %d instructions, and %d by naive selection", name, n, plain)
		}
		sum, plainSum = sum+n, plainSum+plain
		if len(src) < 1<<17 && (i%4 == 0 || effort.Long()) {
			for _, passes := range []opt.Passes{opt.All, {}} {
				h := &distinctHomes{t: target, next: map[*ptx.Func]sass.Reg{}, of: map[*ptx.Func]map[virtualName]sass.Reg{}}
				count(lower.PlainModule(m, target, lower.Options{Homes: h}, passes))
			}
		}
	}
	t.Logf("%d instructions, and %d by naive selection", sum, plainSum)
	assert.Less(t, plainSum, sum)
}

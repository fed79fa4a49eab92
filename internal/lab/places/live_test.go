package places

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/ptx"
)

// toolkits returns the toolkits found, and skips a test where there is none.
func toolkits(t *testing.T) []*oracle.Toolkit {
	t.Helper()
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound + "; TestMeasuredSignatures and TestRecorded use recordings")
	}
	return tools.Toolkits
}

// setting returns the number that an environment variable holds.
func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}

// rowsOf returns the rows that a toolkit has.
func rowsOf(tk *oracle.Toolkit) []*abi.Target {
	var all []*abi.Target
	for _, name := range tk.Targets {
		if target, err := abi.Lookup(name); err == nil && tk.Measures(name) {
			all = append(all, target)
		}
	}
	return all
}

// eachTarget runs f in parallel for each target of each toolkit. The number is that of
// the target in the toolkit.
func eachTarget(t *testing.T, f func(t *testing.T, tk *oracle.Toolkit, target *abi.Target, i int)) {
	for _, tk := range toolkits(t) {
		for i, target := range rowsOf(tk) {
			t.Run(tk.Version.String()+"/"+target.Name, func(t *testing.T) {
				t.Parallel()
				f(t, tk, target, i)
			})
		}
	}
}

// ptxasOf is the code that a toolkit makes of a module.
func ptxasOf(t *testing.T, tk *oracle.Toolkit, src string, target *abi.Target) string {
	t.Helper()
	cubin, err := tk.Assemble(context.Background(), src, target.Name)
	require.NoError(t, err)
	listing, err := tk.Disassemble(context.Background(), cubin, target.Name)
	require.NoError(t, err)
	return listing
}

// corpusFor returns the functions of the corpus that an assembler takes for a target, but for
// those with opaque handles, which another test gives it.
func corpusFor(target *abi.Target, isa ptx.Version) []*abitest.Function {
	var corpus []*abitest.Function
	for _, c := range abitest.Corpus() {
		f := c.Function
		if _, err := abi.Assign(f.ABI(), target); err != nil || f.Opaque() ||
			f.Preserve.Given && !isa.AtLeast(9, 0) || f.Kernel && f.BlockSize() > target.MaxKernelParams(abi.Version(isa)) {
			continue
		}
		corpus = append(corpus, f)
	}
	return corpus
}

// TestCorpusAgainstPtxas compares the corpus of the test kit with each toolkit,
// for the targets that it assembles for.
func TestCorpusAgainstPtxas(t *testing.T) {
	eachTarget(t, func(t *testing.T, tk *oracle.Toolkit, target *abi.Target, _ int) {
		corpus := corpusFor(target, tk.PTX)
		require.Greater(t, len(corpus), 35)
		r, err := CompareAll(context.Background(), Task{Assembler: tk, Target: target}, corpus)
		require.NoError(t, err)
		assert.Equal(t, len(corpus), r.Signatures)
		for _, d := range r.Differences {
			t.Error(d)
		}
	})
}

// TestAssignAgainstPtxas compares 1,000 random signatures with each toolkit,
// spread over the targets that it assembles for. PTXABI_ORACLE_N sets the number
// for each target instead, PTXABI_ORACLE_SEED another seed.
func TestAssignAgainstPtxas(t *testing.T) {
	var compared, pairs atomic.Int64
	t.Cleanup(func() {
		t.Logf("compared %d signatures on %d pairs of toolkit and target", compared.Load(), pairs.Load())
	})
	seed := setting(t, "PTXABI_ORACLE_SEED", 1)
	total := 1000
	if testing.Short() {
		total = 100
	}
	eachTarget(t, func(t *testing.T, tk *oracle.Toolkit, target *abi.Target, i int) {
		targets := len(rowsOf(tk))
		n := setting(t, "PTXABI_ORACLE_N", (total+targets-1)/targets)
		r, err := Compare(context.Background(), Task{Assembler: tk, Target: target, Seed: uint64(seed + i), N: n})
		require.NoError(t, err)
		t.Log(r)
		compared.Add(int64(r.Signatures))
		pairs.Add(1)
		assert.Equal(t, n, r.Signatures+r.Skipped)
		for _, d := range r.Differences {
			t.Error(d)
		}
	})
}

// TestLevelsAgainstPtxas compares a few random signatures with each toolkit at
// the levels of optimisation that TestAssignAgainstPtxas does not use, each
// for another target that it assembles for. PTXABI_ORACLE_N sets the number for
// each target instead, and then for all targets.
func TestLevelsAgainstPtxas(t *testing.T) {
	seed := setting(t, "PTXABI_ORACLE_SEED", 1)
	n := setting(t, "PTXABI_ORACLE_N", 0)
	for i, tk := range toolkits(t) {
		targets := rowsOf(tk)
		for j, level := range []string{"-O0", "-O2", "-O3"} {
			for k, target := range targets {
				if n == 0 && k != (5*i+7*j+seed)%len(targets) {
					continue
				}
				t.Run(tk.Version.String()+"/"+target.Name+level, func(t *testing.T) {
					t.Parallel()
					task := Task{Assembler: tk, Target: target, Level: level, Seed: uint64(seed + 100*j + k), N: max(n, 8)}
					r, err := Compare(context.Background(), task)
					require.NoError(t, err)
					t.Log(r)
					assert.Equal(t, task.N, r.Signatures+r.Skipped)
					for _, d := range r.Differences {
						t.Error(d)
					}
				})
			}
		}
	}
}

// TestFindsDifference holds ptxas against a row that is wrong, and expects a
// small signature that shows it.
func TestFindsDifference(t *testing.T) {
	tk := toolkits(t)[0]
	targets := rowsOf(tk)
	if len(targets) == 0 {
		t.Skipf("%s assembles for no measured target", tk)
	}
	target := *targets[len(targets)-1]
	target.Passing.MaxAlign = 8
	r, err := Compare(context.Background(), Task{Assembler: tk, Target: &target, Seed: 1, N: 100})
	require.NoError(t, err)
	require.NotEmpty(t, r.Differences)
	d := r.Differences[0]
	require.NoError(t, d.Err)
	assert.NotEmpty(t, d.Mismatches)
	assert.LessOrEqual(t, len(d.Signature.Params), 2, "%s", d.Signature)
	assert.Contains(t, d.String(), "Assign says")
	assert.Contains(t, d.PTX, ".visible .func caller_")
	assert.Contains(t, d.SASS, "RET")
}

// TestNarrow compares a few signatures with 32-bit addresses, where a toolkit
// has them.
func TestNarrow(t *testing.T) {
	compared := 0
	for _, tk := range toolkits(t) {
		for _, name := range []string{"sm_35", "sm_52", "sm_75", "sm_80", "sm_89"} {
			narrow, err := tk.Narrow(context.Background(), name)
			require.NoError(t, err)
			if !narrow || !tk.Measures(name) {
				continue
			}
			r, err := Compare(context.Background(), Task{Assembler: tk, Target: must.Target(t, name), Narrow: true, Seed: 3, N: 20})
			require.NoError(t, err)
			t.Log(r)
			for _, d := range r.Differences {
				t.Error(d)
			}
			compared += r.Signatures
		}
	}
	if compared == 0 {
		t.Skip("no toolkit here has 32-bit addresses; those before CUDA 12 do")
	}
}

// TestDefects holds what Random leaves out because ptxas is wrong there. Where
// one of these fails, a release has fixed it, and Random may draw it.
func TestDefects(t *testing.T) {
	for _, tk := range toolkits(t) {
		for _, name := range []string{"sm_37", "sm_52", "sm_61", "sm_70", "sm_75"} {
			if !tk.Measures(name) {
				continue
			}
			t.Run(tk.Version.String()+"/"+name, func(t *testing.T) {
				c := &comparison{context.Background(), Task{Assembler: tk, Target: must.Target(t, name)}}

				result := &abitest.Formal{Type: "b8", Len: 52}
				alone := newTrial(&abitest.Function{Result: result}, 0)
				require.NoError(t, c.batch([]*trial{alone}))
				var crash *oracle.RefusedError
				require.True(t, errors.As(alone.err, &crash))
				assert.ErrorContains(t, crash, "segmentation fault")

				more := newTrial(&abitest.Function{Result: result, Params: []abitest.Formal{{Type: "b32"}}}, 0)
				half := newTrial(&abitest.Function{Params: []abitest.Formal{{Reg: true, Type: "f16"}}}, 1)
				require.NoError(t, c.batch([]*trial{more, half}))
				require.NoError(t, more.err, "with a parameter ptxas does not crash")
				assert.Empty(t, more.mismatches)
				if c.Target.SM < 53 {
					assert.ErrorContains(t, half.err, "F2F.F32.F16")
				} else {
					require.NoError(t, half.err)
					assert.Empty(t, half.mismatches)
				}
			})
		}
	}
}

// TestRefused has a signature that ptxas refuses among others that it takes.
func TestRefused(t *testing.T) {
	tk := toolkits(t)[0]
	targets := rowsOf(tk)
	if len(targets) == 0 {
		t.Skipf("%s assembles for no measured target", tk)
	}
	good := &abitest.Function{Params: []abitest.Formal{{Type: "b32"}}}
	bad := &abitest.Function{Params: []abitest.Formal{{Type: "u8"}, {Type: "b32"}}}
	r, err := CompareAll(context.Background(), Task{Assembler: tk, Target: targets[0]}, []*abitest.Function{good, bad, good})
	require.NoError(t, err)
	assert.Equal(t, 2, r.Signatures)
	require.Len(t, r.Differences, 1)
	d := r.Differences[0]
	assert.Equal(t, 1, d.Index)
	assert.ErrorContains(t, d.Err, "8-bit and 16-bit parameters")
	assert.Equal(t, ".func f (.param .u8 p0)", d.Signature.String(), "reduced to what is refused")
	assert.Contains(t, d.String(), "not compared")
}

// TestCanceled holds that a comparison ends with its context.
func TestCanceled(t *testing.T) {
	tk := toolkits(t)[0]
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Compare(ctx, Task{Assembler: tk, Target: must.Target(t, "sm_90"), Seed: 1, N: 1})
	assert.ErrorIs(t, err, context.Canceled)
}

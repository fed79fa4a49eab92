package simtest

import (
	"bytes"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// targetsFor returns the measured targets that a module can be lowered for.
func targetsFor(t *testing.T, m *ptx.Module) []*abi.Target {
	t.Helper()
	var out []*abi.Target
	own, err := abi.Assume(m.Target)
	require.NoError(t, err)
	all := distinctTargets()
	if own.Suffix != "" {
		all = abi.Targets()
	}
	for _, target := range all {
		if target.SM >= own.SM && (own.Suffix == "" || target.Name == own.Name) {
			out = append(out, target)
		}
	}
	require.NotEmpty(t, out)
	return out
}

// verified requires that what was lowered is sound, as far as that can be seen.
func verified(t testing.TB, m *ptx.Module, prog *sass.Program, target *abi.Target) {
	t.Helper()
	require.NoError(t, sassverify.Verify(m, prog, target), target.Name)
}

func TestRealModules(t *testing.T) {
	for n, file := range effort.RealModules(t, "../../..") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			src := must.Read(t, file)
			m := must.Parse(t, file, src)
			bodies, calls := 0, 0
			for _, it := range m.Items {
				if f, ok := it.(*ptx.Func); ok && f.HasBody {
					bodies++
					for _, s := range f.Body {
						if _, ok := s.(*ptx.Call); ok {
							calls++
						}
					}
				}
			}
			targets := targetsFor(t, m)
			if len(src) > 1<<20 || !effort.Long() {
				targets = targets[len(targets)-1:]
			}
			for _, target := range targets {
				prog, err := lower.Module(m, target, lower.Options{})
				require.NoError(t, err, target.Name)
				if n%2 == 0 || effort.Long() {
					verified(t, m, prog, target)
				} else {
					require.NoError(t, sassverify.Forms(file, prog, target), target.Name)
				}
				require.Len(t, prog.Funcs, bodies, target.Name)
				require.Equal(t, calls, boundCalls(prog, target), "%s: calls that say whether the convention binds them", target.Name)
				again, err := lower.Module(m, target, lower.Options{})
				require.NoError(t, err, target.Name)
				require.True(t, bytes.Equal(prog.AppendText(nil), again.AppendText(nil)), "%s: two runs differ", target.Name)
			}
		})
	}
}

// boundCalls counts the calls whose notes say whether the convention binds them.
func boundCalls(prog *sass.Program, target *abi.Target) int {
	sp := &machine.Of(target.SM).Spelling
	n := 0
	for _, f := range prog.Funcs {
		for i := range f.Items {
			in := &f.Items[i].Instr
			call := in.Op != "" && (in.Op == sp.Call || in.Op == sp.CallSelf || in.Op == sp.CallIndirect)
			if call && (strings.HasPrefix(in.Note, "convention binds") || strings.HasPrefix(in.Note, "local function:")) {
				n++
			}
		}
	}
	return n
}

// notLowered are modules that the assembler takes and whose code has no convention.
var notLowered = map[string]string{
	"968-preserve-last-is-first.ptx": "a register that the function keeps is its first parameter",
	"1096-align-kernel-32k.ptx":      "releases place the parameters differently",
}

// TestCheckedModules lowers the modules whose verdicts by the assembler are
// known. What package check has nothing against is lowered.
func TestCheckedModules(t *testing.T) {
	files := must.Glob(t, "../../../testdata/check/modules/*.ptx")
	lowered := 0
	for n, file := range files {
		src := must.Read(t, file)
		m, err := ptx.Parse(file, src)
		if err != nil || check.Module(m, check.Options{Lower: true}).Err() != nil {
			continue
		}
		if notLowered[filepath.Base(file)] != "" {
			_, err := lower.Module(m, targetsFor(t, m)[0], lower.Options{})
			require.Error(t, err, file)
			continue
		}
		if _, err := abi.Assume(m.Target); err != nil {
			continue // sm_1x has no convention
		}
		for i, target := range targetsFor(t, m) {
			if i > 0 && (n+i)%4 != 0 && !effort.Long() {
				continue // of each target there is a quarter
			}
			if target.Passing.Preserving.Most == 0 && bytes.Contains(src, []byte(".abi_preserve ")) {
				continue // no assembler that takes the directive has the target
			}
			prog, err := lower.Module(m, target, lower.Options{})
			if assert.NoError(t, err, target.Name) {
				mebibyte := bytes.Contains(src, []byte("[1048576]")) // which takes as long as all others
				if i == 0 && !mebibyte || effort.Long() {
					verified(t, m, prog, target)
				} else {
					require.NoError(t, sassverify.Forms(file, prog, target), target.Name)
				}
			}
			lowered++
		}
	}
	assert.Greater(t, lowered, effort.Of(500, 1000))
}

// TestMangled cuts, flips and splices real modules: whatever comes out of it
// is lowered or refused, and nothing panics.
func TestMangled(t *testing.T) {
	target := must.Target(t, "sm_90a")
	r := rand.New(rand.NewPCG(1, 2))
	lowered, refused := 0, 0
	for _, file := range effort.RealModules(t, "../../..") {
		src := must.Read(t, file)
		if len(src) > 100_000 {
			src = src[:100_000]
		}
		for range effort.Of(4, 12) {
			b := bytes.Clone(src)
			switch r.IntN(4) {
			case 0:
				b = b[:r.IntN(len(b))]
			case 1:
				for range 1 + r.IntN(8) {
					b[r.IntN(len(b))] = byte(r.IntN(256))
				}
			case 2:
				from, to := r.IntN(len(b)), r.IntN(len(b))
				n := r.IntN(200)
				copy(b[from:], b[to:min(to+n, len(b))])
			case 3:
				from := r.IntN(len(b))
				b = append(b[:from:from], b[min(from+r.IntN(40), len(b)):]...)
			}
			m, _ := ptx.Parse(file, b)
			prog, err := lower.Module(m, target, lower.Options{})
			if err != nil {
				require.Nil(t, prog)
				refused++
				continue
			}
			require.NoError(t, sassverify.Forms(file, prog, target))
			require.NotEmpty(t, prog.AppendText(nil))
			h := &distinctHomes{t: target, next: map[*ptx.Func]sass.Reg{}, of: map[*ptx.Func]map[virtualName]sass.Reg{}}
			_, err = lower.Module(m, target, lower.Options{Homes: h})
			require.NoError(t, err, "with homes")
			lowered++
		}
	}
	require.Positive(t, lowered)
	require.Positive(t, refused)
}

// FuzzModule lowers any text as a module: the result is verified, and a second run has the same.
func FuzzModule(f *testing.F) {
	for _, file := range effort.RealModules(f, "../../..") {
		src := must.Read(f, file)
		if len(src) < effort.Of(4_000, 8_000) {
			f.Add(src)
		}
	}
	old := must.Target(f, "sm_52")
	hopper := must.Target(f, "sm_90")
	f.Fuzz(func(t *testing.T, src []byte) {
		m, _ := ptx.Parse("fuzz.ptx", src)
		for _, target := range []*abi.Target{old, hopper} {
			prog, err := lower.Module(m, target, lower.Options{})
			if err != nil {
				continue
			}
			verified(t, m, prog, target)
			again, err := lower.Module(m, target, lower.Options{})
			require.NoError(t, err)
			require.True(t, bytes.Equal(prog.AppendText(nil), again.AppendText(nil)), "two runs differ")
			for _, stage := range lower.Stages() {
				require.NoError(t, lower.Write(io.Discard, string(src), lower.Options{Target: target, Stage: stage}), "%s", stage)
			}
		}
	})
}

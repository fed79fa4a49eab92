package measured_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	_ "github.com/ptxabi/ptxabi/internal/golden" // -update, which writes no recording
	"github.com/ptxabi/ptxabi/internal/measured"
)

func recordings() fs.FS { return os.DirFS("../../testdata/measured") }

// each calls f for the recordings of a probe with every release and target.
func each(t *testing.T, probe string, f func(t *testing.T, release, target string, file *measured.File)) {
	t.Helper()
	releases, err := measured.Releases(recordings())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(releases), 7)
	n := 0
	for _, release := range releases {
		file, err := measured.Read(recordings(), release, probe)
		require.NoError(t, err)
		for _, target := range file.Targets() {
			n++
			f(t, release, target, file)
		}
	}
	assert.GreaterOrEqual(t, n, 157, "pairs of release and target")
}

func row(t *testing.T, target string) *abi.Target {
	t.Helper()
	r, err := abi.Lookup(target)
	require.NoError(t, err)
	return r
}

// version returns "11.8" of "cuda-11.8".
func version(release string) string { return strings.TrimPrefix(release, "cuda-") }

// TestEveryPairIsNamed requires that a row names a release if and only if there
// are recordings of it.
func TestEveryPairIsNamed(t *testing.T) {
	seen := make(map[string][]string)
	each(t, "calls", func(t *testing.T, release, target string, _ *measured.File) {
		seen[target] = append(seen[target], version(release))
	})
	for _, row := range abi.Targets() {
		var named []string
		for _, full := range strings.Split(strings.TrimPrefix(row.Toolkits, "ptxas "), ", ") {
			named = append(named, full[:strings.LastIndex(full, ".")])
		}
		assert.Equal(t, named, seen[row.Name], row.Name)
		delete(seen, row.Name)
	}
	assert.Empty(t, seen, "targets without a row")
}

// compare holds derived facts against a row, with what a release does
// differently.
func compare(t *testing.T, release, target string, derived, differs map[string]string) {
	t.Helper()
	n := 0
	for _, f := range row(t, target).Facts() {
		got, ok := derived[f.Name]
		if !ok {
			continue
		}
		n++
		want := f.Value
		if other, ok := differs[f.Name]; ok {
			want = other
		}
		assert.Equal(t, want, got, "%s of %s with %s", f.Name, target, release)
	}
	assert.Len(t, derived, n, "each derived fact is one of the row: %s with %s", target, release)
}

// callsOf are the differences of a release from a target's row.
func callsOf(release, target string) map[string]string {
	switch {
	case release == "cuda-11.8" && target == "sm_90":
		return map[string]string{
			"table of function addresses":                   "none",
			"relocation of the table of function addresses": "none",
			"relocations of a function's address":           "R_CUDA_ABS32_LO_32, R_CUDA_ABS32_HI_32",
		}
	case strings.HasPrefix(target, "sm_12") && version(release) < "13.4":
		return map[string]string{"stack adjustment": "IADD3 R1, PT, PT, R1, n, RZ"}
	}
	return nil
}

func TestCalls(t *testing.T) {
	each(t, "calls", func(t *testing.T, release, target string, file *measured.File) {
		for _, options := range []string{"-c -O1", "-c -O3", "-c -g -O0"} {
			s := file.Find("calls", options, target)
			require.NotNil(t, s, "%s %s %s", release, target, options)
			facts, err := measured.Calls(s)
			require.NoError(t, err)
			require.Len(t, facts, 14)
			if options != "-c -O1" {
				delete(facts, "stack adjustment") // VIADD, IADD3 with a uniform register, …
			}
			compare(t, release, target, facts, callsOf(release, target))
		}
	})
}

// TestABrokenRecordingIsNoticed changes a recording in ways that stand for
// other conventions.
func TestABrokenRecordingIsNoticed(t *testing.T) {
	file, err := measured.Read(recordings(), "cuda-13.5", "calls")
	require.NoError(t, err)
	for _, test := range []struct{ fact, old, changed string }{
		{"direct call", "CALL.ABS.NOINC `(ext)", "CALL.REL.NOINC `(ext)"},
		{"return address", "RET.ABS.NODEC R20", "RET.ABS.NODEC R22"},
		{"relocation of a direct call", "R_CUDA_ABS55_16_34 ext", "R_CUDA_ABS47_34 ext"},
		{"table of function addresses", "`(__UFT_OFFSET)", ""},
		{"stack pointer of a kernel", "c[0x0][0x37c]", "c[0x0][0x28]"},
		{"stack adjustment", "R1, PT, PT, R1", "R1, R1"},
		{"relocations of the return address", "R_CUDA_ABS32_LO_32 direct", "R_CUDA_ABS32_LO_20 direct"},
	} {
		s := *file.Find("calls", "-c -O1", "sm_100")
		broken := strings.ReplaceAll(strings.Join(s.Lines, "\n"), test.old, test.changed)
		require.NotEqual(t, broken, strings.Join(s.Lines, "\n"), test.old)
		s.Lines = strings.Split(broken, "\n")
		facts, err := measured.Calls(&s)
		require.NoError(t, err)
		for _, f := range row(t, "sm_100").Facts() {
			if got, ok := facts[f.Name]; ok {
				assert.Equal(t, f.Name == test.fact, got != f.Value, "%s after %q: %s", f.Name, test.old, got)
			}
		}
	}
}

func TestFilesReadBack(t *testing.T) {
	releases, err := measured.Releases(recordings())
	require.NoError(t, err)
	total := 0
	for _, release := range releases {
		entries, err := fs.ReadDir(recordings(), release)
		require.NoError(t, err)
		for _, e := range entries {
			data, err := fs.ReadFile(recordings(), release+"/"+e.Name())
			require.NoError(t, err)
			text := strings.ReplaceAll(string(data), "\r\n", "\n")
			f, err := measured.Parse(text)
			require.NoError(t, err, e.Name())
			assert.Equal(t, text, f.String(), "%s/%s", release, e.Name())
			total += len(text)
		}
	}
	assert.Less(t, total, 6<<20, "the recordings stay small")
	_, err = measured.Parse("what made it\n\n-- a | b --\n")
	assert.EqualError(t, err, `line 3: found "-- a | b --", expected "-- MODULE | OPTIONS | TARGETS --"`)
}

func TestKernels(t *testing.T) {
	each(t, "kernels", func(t *testing.T, release, target string, file *measured.File) {
		facts, err := measured.Kernels(file, target)
		require.NoError(t, err)
		require.Len(t, facts, 8)
		var differs map[string]string
		if release == "cuda-11.8" {
			differs = map[string]string{
				"large kernel parameters": "none", "most large kernel parameters": "none",
				"large kernel parameter alignments count from": "none",
			}
		}
		compare(t, release, target, facts, differs)
	})
}

// TestKernelParameters holds the recorded places of the parameters of kernels,
// and those that their code reads, against Assign.
func TestKernelParameters(t *testing.T) {
	disputed := 0
	each(t, "kernels", func(t *testing.T, release, target string, file *measured.File) {
		for _, module := range []string{"scalars", "align64", "align256", "handle", "lasthandle", "full", "large", "largealign", "most", "beyond", "corner", "corner256"} {
			s := file.Find(module, "-c -O1", target)
			require.NotNil(t, s)
			sig, ok := measured.Signature(module)
			require.True(t, ok)
			want, err := abi.Assign(sig, row(t, target))
			got, gotErr := s.Placed(&want)
			require.NoError(t, gotErr)
			text := module + " on " + target + " with " + release
			var list abi.ErrorList
			if err != nil {
				require.ErrorAs(t, err, &list)
			}
			switch {
			case err == nil && got == "refused":
				assert.True(t, release == "cuda-11.8" && slices.Contains([]string{"large", "largealign", "most"}, module), text)
			case module == "handle":
				// The record says that a handle aligns what is behind it to 4,
				// the code that there is no handle.
				base := row(t, target).Kernel.ParamBase
				assert.Equal(t, base+4, want.Params[2].Loc.Off, text)
				assert.Equal(t, fmt.Sprintf("recorded at %#x, read at %#x", []int{base, base + 4}, []int{base, base + 1}), got, text)
				assert.NotEmpty(t, row(t, target).Kernel.HandleDispute)
			case err == nil:
				assert.Equal(t, want.String(), got, text)
			case list[0].Code == abi.Disputed:
				disputed++
				if release == "cuda-11.8" {
					assert.NotContains(t, got, "read at", text)
					require.Len(t, s.Notes("kernel"), 1, text)
					assert.Contains(t, s.Notes("kernel")[0], "base 0x160 size 4", text)
				} else {
					assert.Equal(t, "recorded at c[0x0][0x160], read at c[0x0][0x1a80]", got, text)
				}
			default:
				assert.Equal(t, "refused", got, text)
			}
		}
	})
	assert.GreaterOrEqual(t, disputed, 60)
}

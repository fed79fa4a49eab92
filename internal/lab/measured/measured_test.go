package measured_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

func recordings() fs.FS { return os.DirFS("../../../testdata/measured") }

func row(t *testing.T, target string) *abi.Target {
	t.Helper()
	return must.Target(t, target)
}

// version returns "11.8" of "cuda-11.8".
func version(release string) string { return strings.TrimPrefix(release, "cuda-") }

// TestEveryPairIsNamed requires that a row names a release if and only if there
// are recordings of it.
func TestEveryPairIsNamed(t *testing.T) {
	seen := make(map[string][]string)
	for _, p := range pairs(t) {
		seen[p.target] = append(seen[p.target], version(p.release))
	}
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
func compare(t require.TestingT, p *pair, derived, differs map[string]string) {
	n := 0
	for _, f := range p.row.Facts() {
		got, ok := derived[f.Name]
		if !ok {
			continue
		}
		n++
		want := f.Value
		if other, ok := differs[f.Name]; ok {
			want = other
		}
		assert.Equal(t, want, got, "%s of %s", f.Name, p)
	}
	assert.Len(t, derived, n, "each derived fact is one of the row: %s", p)
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

func checkCalls(t require.TestingT, p *pair) {
	for _, options := range []string{"-c -O1", "-c -O2", "-c -O3", "-c -g -O0"} {
		s := p.section(t, "calls", "calls", options)
		facts, err := derive(s, "calls", func() (map[string]string, error) { return measured.Calls(s) })
		require.NoError(t, err)
		require.Len(t, facts, 15)
		if options != "-c -O1" {
			facts = maps.Clone(facts)
			delete(facts, "stack adjustment") // VIADD, IADD3 with a uniform register, …
		}
		compare(t, p, facts, callsOf(p.release, p.target))
	}
}

// checkAddDispute derives whether releases that have a target spell the stack
// adjustment differently.
func checkAddDispute(t require.TestingT, p *pair) {
	var seen []string
	for _, other := range pairs(t) {
		if other.target == p.target {
			s := other.section(t, "calls", "calls", "-c -O1")
			facts, err := derive(s, "calls", func() (map[string]string, error) { return measured.Calls(s) })
			require.NoError(t, err)
			seen = append(seen, facts["stack adjustment"])
		}
	}
	slices.Sort(seen)
	assert.Equal(t, len(slices.Compact(seen)) > 1, machine.Of(p.row.SM).Spelling.AddDispute != "", p)
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
		var targets []string // which each probe was recorded for
		for _, p := range pairs(t) {
			if p.release == release {
				targets = append(targets, p.target)
			}
		}
		slices.Sort(targets)
		entries, err := fs.ReadDir(recordings(), release)
		require.NoError(t, err)
		for _, e := range entries {
			data, err := fs.ReadFile(recordings(), release+"/"+e.Name())
			require.NoError(t, err)
			text := strings.ReplaceAll(string(data), "\r\n", "\n")
			f, err := measured.Parse(text)
			require.NoError(t, err, e.Name())
			assert.Equal(t, text, f.String(), "%s/%s", release, e.Name())
			assert.Equal(t, targets, slices.Sorted(slices.Values(f.Targets())), "%s/%s", release, e.Name())
			total += len(text)
		}
	}
	assert.Less(t, total, 12<<20, "the recordings stay small")
	_, err = measured.Parse("what made it\n\n-- a | b --\n")
	assert.EqualError(t, err, `line 3: found "-- a | b --", expected "-- MODULE | OPTIONS | TARGETS --"`)
}

func checkKernels(t require.TestingT, p *pair) {
	file := p.file(t, "kernels")
	facts, err := derive(p.section(t, "kernels", "scalars", "-c -O1"), "kernels "+p.target, func() (map[string]string, error) {
		return measured.Kernels(file, p.target)
	})
	require.NoError(t, err)
	require.Len(t, facts, 8)
	var differs map[string]string
	if beforeLarge(t, p) {
		differs = map[string]string{
			"large kernel parameters": "none", "most large kernel parameters": "none",
			"large kernel parameter alignments count from": "none",
		}
	}
	compare(t, p, facts, differs)
}

// beforeLarge reports whether the release of a pair is one that makes no large
// parameter blocks, while a later one has the target.
func beforeLarge(t require.TestingT, p *pair) bool {
	return p.release == "cuda-11.8" && slices.ContainsFunc(pairs(t), func(o *pair) bool {
		return o.target == p.target && o.release != p.release
	})
}

// checkKernelParameters holds the recorded places of the parameters of kernels,
// and those that their code reads, against Assign.
func checkKernelParameters(t require.TestingT, p *pair) {
	for _, module := range []string{"scalars", "align64", "align256", "handle", "lasthandle", "full", "large", "largealign", "most", "beyond", "corner", "corner256"} {
		s := p.section(t, "kernels", module, "-c -O1")
		sig, ok := measured.Signature(module)
		require.True(t, ok)
		want, err := abi.Assign(sig, p.row)
		got, gotErr := s.Placed(&want)
		require.NoError(t, gotErr)
		var list abi.ErrorList
		if err != nil {
			require.ErrorAs(t, err, &list)
		}
		switch {
		case err == nil && got == "refused":
			assert.True(t, beforeLarge(t, p) && slices.Contains([]string{"large", "largealign", "most"}, module), "%s: %s", module, p)
		case module == "handle":
			// The record says that a handle aligns what is after it to 4,
			// the code that there is no handle.
			base := p.row.Kernel.ParamBase
			assert.Equal(t, fmt.Sprintf("recorded at %#x, read at %#x", []int{base, base + 4}, []int{base, base + 1}), got, p)
			require.Len(t, list, 1, p)
			assert.Equal(t, abi.Disputed, list[0].Code, p)
			assert.Contains(t, err.Error(), fmt.Sprintf("%#x and %#x here", base+4, base+1), p)
		case err == nil:
			assert.Equal(t, want.String(), got, "%s: %s", module, p)
		case list[0].Code == abi.Disputed && p.release == "cuda-11.8":
			assert.NotContains(t, got, "read at", "%s: %s", module, p)
			require.Len(t, s.Notes("kernel"), 1, "%s: %s", module, p)
			assert.Contains(t, s.Notes("kernel")[0], "base 0x160 size 4", "%s: %s", module, p)
		case list[0].Code == abi.Disputed:
			assert.Equal(t, "recorded at c[0x0][0x160], read at c[0x0][0x1a80]", got, "%s: %s", module, p)
		default:
			assert.Equal(t, "refused", got, "%s: %s", module, p)
		}
	}
}

// TestPreserveVersions derives from which version of the PTX ISA on functions have
// .abi_preserve.
func TestPreserveVersions(t *testing.T) {
	asked := 0
	for _, p := range pairs(t) {
		for _, name := range []string{"preserve", "control"} {
			before, since := p.section(t, "versions", name+"-8.8", "-c -O1").Refusal(), p.section(t, "versions", name+"-9.0", "-c -O1").Refusal()
			if p.row.SM < 80 || version(p.release) < "13." {
				assert.NotEmpty(t, since, p)
				continue
			}
			if !strings.Contains(before, "does not support this target") {
				asked++
				assert.Contains(t, before, "requires PTX ISA .version 9.0 or later", p)
			}
			if !strings.Contains(since, "does not support this target") {
				assert.Empty(t, since, p)
			}
		}
	}
	assert.Positive(t, asked)
}

// TestSinceGrade: the version from which on blocks may be large is measured where
// a release takes PTX of version 8.0 for the target, and documented elsewhere.
func TestSinceGrade(t *testing.T) {
	for _, r := range abi.Targets() {
		facts := r.Facts()
		i := slices.IndexFunc(facts, func(f abi.Fact) bool { return f.Name == "large kernel parameters from" })
		require.GreaterOrEqual(t, i, 0)
		want := abi.Documented
		if r.Kernel.LargeParams == 0 || sinceSeen(t, r) {
			want = abi.Measured
		}
		assert.Equal(t, want, facts[i].Grade, r.Name)
	}
}

// checkVersions derives from which version of the PTX ISA on kernels have large
// parameter blocks.
func checkVersions(t require.TestingT, p *pair) {
	const small = 4352
	for _, v := range []ptx.Version{{Major: 8, Minor: 0}, {Major: 8, Minor: 1}} {
		full, large := p.section(t, "versions", "full-"+v.String(), "-c -O1"), p.section(t, "versions", "large-"+v.String(), "-c -O1")
		if strings.Contains(full.Refusal(), "support") {
			continue // the release is older than the version, or the version than the target
		}
		require.Empty(t, full.Refusal(), p)
		if large.Refusal() != "" {
			assert.Equal(t, small, p.row.MaxKernelParams(abi.Version(v)), "PTX ISA %s: %s", v, p)
		} else {
			assert.Greater(t, p.row.MaxKernelParams(abi.Version(v)), small, "PTX ISA %s: %s", v, p)
		}
	}
}

// checkSpelling derives instructions of a row that the convention does not show.
func checkSpelling(t require.TestingT, p *pair) {
	s := p.section(t, "spelling", "spelling", "-c -O0")
	facts, err := derive(s, "spelling", func() (map[string]string, error) { return measured.Spelling(s) })
	require.NoError(t, err)
	require.Len(t, facts, 3)
	if callsOf(p.release, p.target)["stack adjustment"] != "" {
		facts = maps.Clone(facts)
		delete(facts, "addition of registers")
	}
	compare(t, p, facts, nil)
}

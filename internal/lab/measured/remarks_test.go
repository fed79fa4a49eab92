package measured_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/measured"
)

// TestMiscompiled: formals in .reg space that callers and callees do not agree
// on, or of which the callee reads a part.
func TestMiscompiled(t *testing.T) {
	wide := map[bool]int{}
	each(t, "defects", func(t *testing.T, release, target string, file *measured.File) {
		text := target + " with " + release
		half := file.Find("half", "-c -O1", target)
		require.NotNil(t, half, text)
		assert.Equal(t, row(t, target).SM < 53, len(matching(half, "F2F.F32.F16 R4, R")) == 1, "the caller widens: %s", text)
		stored := index(within(half, "reads"), "U16")
		require.GreaterOrEqual(t, stored, 0, "the callee reads a half: %s", text)
		assert.Contains(t, within(half, "reads")[stored], "], R4 ;", text)

		s := file.Find("wide", "-c -O1", target)
		require.NotNil(t, s, text)
		if s.Refusal() != "" {
			assert.True(t, release == "cuda-11.8" || row(t, target).SM < 70, text)
			return
		}
		byte8 := len(matching(s, "SGXT R4, R4, 0x8")) == 1
		wide[byte8]++
		assert.Equal(t, version(release) < "13.5", byte8, "8 bits: %s", text)
		upper := matching(s, "+0x8], R")
		require.Len(t, upper, 1, text)
		if release == "cuda-13.5" {
			reg := strings.TrimSuffix(upper[0][strings.LastIndex(upper[0], "R")+1:], " ;")
			low, err := strconv.Atoi(reg)
			require.NoError(t, err)
			zero := []string{fmt.Sprintf("MOV R%d, RZ ;", low), fmt.Sprintf("MOV.64 R%d, 0x0 ;", low)}
			assert.True(t, slices.ContainsFunc(zero, func(z string) bool { return len(matching(s, z)) == 1 }), "the upper half is 0: %s", text)
		}
	})
	assert.Positive(t, wide[true])
	assert.Positive(t, wide[false])
}

// TestMisreadParts: 11.8 and 12.4 with optimisation load parts of a word of a kernel's parameters, which nothing extends, as a
// word: from its start, or from the uniform datapath of sm_90 at the part's offset.
func TestMisreadParts(t *testing.T) {
	each(t, "parts", func(t *testing.T, release, target string, file *measured.File) {
		for module, kernels := range map[string][]string{"halves": {"same", "wider", "extended"}, "bytes": {"same", "wider"}} {
			for _, options := range []string{"-c -O0", "-c -O1", "-c -O3"} {
				s := file.Find(module, options, target)
				require.NotNil(t, s)
				for _, kernel := range kernels {
					text := fmt.Sprintf("%s: %s %s with %s %s", target, module, kernel, release, options)
					wrong := version(release) < "12.8" && options != "-c -O0" && (kernel == "wider" || kernel == "same" && module == "halves")
					form := `^/\*\w+\*/ U?LDCU?\.[US](8|16) U?R\d+, c\[0x0\]\[(0x..[56]|U?R\d+\+0x...)\] ;$`
					if wrong && row(t, target).SM >= 90 {
						form = `^/\*\w+\*/ ULDC UR4, c\[0x0\]\[0x21[56]\] ;$`
					} else if wrong {
						form = `^/\*\w+\*/ MOV R4, c\[0x0\]\[0x1[46]4\] ;$`
					}
					lines := within(s, kernel)
					load := index(lines, "c[0x0]")
					require.GreaterOrEqual(t, load, 0, text)
					assert.Regexp(t, form, lines[load], text)
				}
			}
		}
	})
}

// TestDescriptor: a function that accesses global memory reads a descriptor from
// constant bank 0, and nothing else from there.
func TestDescriptor(t *testing.T) {
	constant := regexp.MustCompile(`c\[0x0\]\[(0x[0-9a-f]+)\]`)
	each(t, "known", func(t *testing.T, release, target string, file *measured.File) {
		s := file.Find("known", "-c -O1", target)
		require.NotNil(t, s)
		got := []string{}
		for _, m := range constant.FindAllStringSubmatch(s.Code(), -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		var want []string
		switch sm := row(t, target).SM; {
		case sm >= 100:
			want = []string{"0x358"}
		case sm >= 90:
			want = []string{"0x208"}
		case sm >= 80:
			want = []string{"0x118"}
		}
		got = slices.DeleteFunc(slices.Compact(got), func(c string) bool { return c == "0x11c" }) // the high word
		assert.Equal(t, append([]string{}, want...), got, "%s with %s", target, release)
	})
}

// TestStackCheck: without optimisation a function with a frame holds R1 against
// the limit of local memory, with optimisation none does.
func TestStackCheck(t *testing.T) {
	each(t, "known", func(t *testing.T, release, target string, file *measured.File) {
		s := file.Find("known", "-c -O0", target)
		require.NotNil(t, s)
		require.NotEmpty(t, matching(s, "STL"), "a frame")
		for _, text := range []string{"S2R R0, SR_LMEMHIOFF ;", "ISETP.GE.U32.AND P0, PT, R1, R0, PT ;", "BPT.TRAP 0x1 ;"} {
			assert.Len(t, matching(s, text), 1, "%s: %s with %s", text, target, release)
		}
	})
	each(t, "alloca", func(t *testing.T, release, target string, file *measured.File) {
		s := file.Find("alloca", "-c -O1", target)
		require.NotNil(t, s)
		assert.Empty(t, matching(s, "ISETP"), "%s with %s", target, release) // what names R1 is recorded
	})
}

// TestUniformConstants: on Blackwell four words of constants are read at once
// into uniform registers, and no instruction but loads has a constant.
func TestUniformConstants(t *testing.T) {
	each(t, "constants", func(t *testing.T, release, target string, file *measured.File) {
		for _, options := range []string{"-c -O1", "-c -O3"} {
			s := file.Find("constants", options, target)
			require.NotNil(t, s)
			assert.Equal(t, row(t, target).SM >= 100, len(matching(s, "LDCU.128 UR")) == 1, "%s with %s", target, release)
		}
	})
	n := 0
	require.NoError(t, fs.WalkDir(recordings(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(path, "cuda-") {
			return err
		}
		text, err := fs.ReadFile(recordings(), path)
		require.NoError(t, err)
		f, err := measured.Parse(string(text))
		require.NoError(t, err, path)
		for i := range f.Sections {
			s := &f.Sections[i]
			if row(t, s.Targets[0]).SM < 100 {
				continue
			}
			for _, line := range matching(s, "c[0x") {
				n++
				assert.Regexp(t, `LDCU?(\.[US]?\d+)? `, line, path)
			}
		}
		return nil
	}))
	assert.Greater(t, n, 1000)
}

// TestKinship: which architectures of one family have the same code.
func TestKinship(t *testing.T) {
	all := map[string]bool{}
	entries, err := fs.Glob(recordings(), "probes/*.ptx")
	require.NoError(t, err)
	for _, e := range entries {
		all[strings.TrimSuffix(strings.TrimPrefix(e, "probes/"), ".ptx")] = true
	}
	delete(all, "joins") // which is about linkers, not about code
	differ := func(a, b string) []string {
		var out []string
		for probe := range all {
			same := true
			each(t, probe, func(t *testing.T, release, target string, file *measured.File) {
				for _, s := range file.Sections {
					if target == a && slices.Contains(file.Targets(), b) && slices.Contains(s.Targets, a) != slices.Contains(s.Targets, b) {
						same = false
					}
				}
			})
			if !same {
				out = append(out, probe)
			}
		}
		slices.Sort(out)
		return out
	}
	assert.Empty(t, differ("sm_120", "sm_121"))
	for _, pair := range [][2]string{{"sm_100", "sm_103"}, {"sm_100", "sm_110"}, {"sm_107", "sm_121"}} {
		list := differ(pair[0], pair[1])
		for _, probe := range []string{"calls", "saves", "unwind", "barriers", "preserve"} {
			assert.NotContains(t, list, probe, pair)
		}
	}
}

// TestFar: kernel parameters at the edges of blocks and of offsets.
func TestFar(t *testing.T) {
	negative := 0
	each(t, "far", func(t *testing.T, release, target string, file *measured.File) {
		text := target + " with " + release
		r := row(t, target)
		s := file.Find("edge", "-c -O1", target)
		require.NotNil(t, s, text)
		block := fmt.Sprintf("handles: bank 0 base %#x size 0", r.Kernel.ParamBase)
		if r.SM >= 90 {
			block = "handles: bank -1 base -0x1 size -1" // nothing is recorded
		}
		assert.Contains(t, s.Notes("kernel"), block, text)
		second := 4096 + r.Kernel.ParamBase
		if r.Kernel.AbsoluteAlign {
			second = 4096
		}
		assert.GreaterOrEqual(t, index(within(s, "align4096"), fmt.Sprintf("c[0x0][%#x]", second)), 0, text)
		if r.Kernel.Dispute != "" {
			at := r.Kernel.ParamBase + 8192 - r.Kernel.ParamBase + 4
			if release != "cuda-11.8" {
				at += r.Kernel.LargeBase - r.Kernel.ParamBase
			}
			assert.Contains(t, s.Notes("kernel"), fmt.Sprintf("align8192: bank 0 base %#x size %d", r.Kernel.ParamBase, 8192-r.Kernel.ParamBase+8), text)
			assert.GreaterOrEqual(t, index(within(s, "align8192"), fmt.Sprintf("c[0x0][%#x]", at)), 0, text)
		}
		s = file.Find("far", "-c -O1", target)
		require.NotNil(t, s, text)
		if s.Refusal() != "" {
			assert.True(t, r.Kernel.LargeParams == 0 || release == "cuda-11.8", text)
			return
		}
		negative++
		want := fmt.Sprintf("c[0x0][-%#x]", 1<<16-(r.Kernel.LargeBase+32752))
		assert.GreaterOrEqual(t, index(within(s, "far"), want), 0, "%s: %s", want, text)
	})
	assert.Greater(t, negative, 90)
}

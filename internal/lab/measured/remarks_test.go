package measured_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMiscompiled: formals in .reg space that callers and callees do not agree
// on, or of which the callee reads a part.
func TestMiscompiled(t *testing.T) {
	wide := map[bool]int{}
	hold(t, func(t require.TestingT, p *pair) {
		half := p.section(t, "defects", "half", "-c -O1")
		assert.Equal(t, p.row.SM < 53, len(matching(half, "F2F.F32.F16 R4, R")) == 1, "the caller widens: %s", p)
		stored := index(within(half, "reads"), "U16")
		require.GreaterOrEqual(t, stored, 0, "the callee reads a half: %s", p)
		assert.Contains(t, within(half, "reads")[stored], "], R4 ;", p)

		s := p.section(t, "defects", "wide", "-c -O1")
		if s.Refusal() != "" {
			assert.True(t, p.release == "cuda-11.8" || p.row.SM < 70, p)
			return
		}
		byte8 := len(matching(s, "SGXT R4, R4, 0x8")) == 1
		wide[byte8]++
		assert.Equal(t, version(p.release) < "13.5", byte8, "8 bits: %s", p)
		upper := matching(s, "+0x8], R")
		require.Len(t, upper, 1, p)
		if p.release == "cuda-13.5" {
			reg := strings.TrimSuffix(upper[0][strings.LastIndex(upper[0], "R")+1:], " ;")
			low, err := strconv.Atoi(reg)
			require.NoError(t, err)
			zero := []string{fmt.Sprintf("MOV R%d, RZ ;", low), fmt.Sprintf("MOV.64 R%d, 0x0 ;", low)}
			assert.True(t, slices.ContainsFunc(zero, func(z string) bool { return len(matching(s, z)) == 1 }), "the upper half is 0: %s", p)
		}
	})
	assert.Positive(t, wide[true])
	assert.Positive(t, wide[false])
}

// TestMisreadParts: 11.8 and 12.4 with optimisation load parts of a word of a kernel's parameters, which nothing extends, as a
// word: from its start, or from the uniform datapath of sm_90 at the part's offset.
func TestMisreadParts(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		for module, kernels := range map[string][]string{"halves": {"same", "wider", "extended"}, "bytes": {"same", "wider"}} {
			for _, options := range []string{"-c -O0", "-c -O1", "-c -O3"} {
				s := p.section(t, "parts", module, options)
				for _, kernel := range kernels {
					text := fmt.Sprintf("%s: %s %s %s", p, module, kernel, options)
					wrong := version(p.release) < "12.8" && options != "-c -O0" && (kernel == "wider" || kernel == "same" && module == "halves")
					form := `^/\*\w+\*/ U?LDCU?\.[US](8|16) U?R\d+, c\[0x0\]\[(0x..[56]|U?R\d+\+0x...)\] ;$`
					if wrong && p.row.SM >= 90 {
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
	hold(t, func(t require.TestingT, p *pair) {
		s := p.section(t, "known", "known", "-c -O1")
		got := []string{}
		for _, m := range constant.FindAllStringSubmatch(s.Code(), -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		var want []string
		switch sm := p.row.SM; {
		case sm >= 100:
			want = []string{"0x358"}
		case sm >= 90:
			want = []string{"0x208"}
		case sm >= 80:
			want = []string{"0x118"}
		}
		got = slices.DeleteFunc(slices.Compact(got), func(c string) bool { return c == "0x11c" }) // the high word
		assert.Equal(t, append([]string{}, want...), got, p)
	})
}

// TestStackCheck: without optimisation a function with a frame holds R1 against
// the limit of local memory, with optimisation none does.
func TestStackCheck(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		s := p.section(t, "known", "known", "-c -O0")
		require.NotEmpty(t, matching(s, "STL"), "a frame")
		for _, text := range []string{"S2R R0, SR_LMEMHIOFF ;", "ISETP.GE.U32.AND P0, PT, R1, R0, PT ;", "BPT.TRAP 0x1 ;"} {
			assert.Len(t, matching(s, text), 1, "%s: %s", text, p)
		}
	})
	hold(t, func(t require.TestingT, p *pair) {
		s := p.section(t, "alloca", "alloca", "-c -O1")
		assert.Empty(t, matching(s, "ISETP"), "%s", p) // what names R1 is recorded
	})
}

// TestUniformConstants: on Blackwell four words of constants are read at once
// into uniform registers, and no instruction but loads has a constant.
func TestUniformConstants(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		for _, options := range []string{"-c -O1", "-c -O3"} {
			s := p.section(t, "constants", "constants", options)
			assert.Equal(t, p.row.SM >= 100, len(matching(s, "LDCU.128 UR")) == 1, p)
		}
	})
	n := 0
	eachSection(t, func(r *recording) {
		if row(t, r.Targets[0]).SM < 100 {
			return
		}
		for _, line := range matching(r.Section, "c[0x") {
			n++
			assert.Regexp(t, `LDCU?(\.[US]?\d+)? `, line, r)
		}
	})
	assert.Greater(t, n, 1000)
}

// TestKinship: which architectures of one family have the same code.
func TestKinship(t *testing.T) {
	differ := func(a, b string) []string {
		probes := map[string]bool{}
		eachSection(t, func(r *recording) {
			if r.probe == "joins" || slices.Contains(r.Targets, a) == slices.Contains(r.Targets, b) {
				return // joins is about linkers, not about code
			}
			if targets := r.file.Targets(); slices.Contains(targets, a) && slices.Contains(targets, b) {
				probes[r.probe] = true
			}
		})
		return slices.Sorted(maps.Keys(probes))
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
	hold(t, func(t require.TestingT, p *pair) {
		r := p.row
		s := p.section(t, "far", "edge", "-c -O1")
		block := fmt.Sprintf("handles: bank 0 base %#x size 0", r.Kernel.ParamBase)
		if r.SM >= 90 {
			block = "handles: bank -1 base -0x1 size -1" // nothing is recorded
		}
		assert.Contains(t, s.Notes("kernel"), block, p)
		second := 4096 + r.Kernel.ParamBase
		if r.Kernel.AbsoluteAlign {
			second = 4096
		}
		assert.GreaterOrEqual(t, index(within(s, "align4096"), fmt.Sprintf("c[0x0][%#x]", second)), 0, p)
		if r.Kernel.Dispute != "" {
			at := r.Kernel.ParamBase + 8192 - r.Kernel.ParamBase + 4
			if p.release != "cuda-11.8" {
				at += r.Kernel.LargeBase - r.Kernel.ParamBase
			}
			assert.Contains(t, s.Notes("kernel"), fmt.Sprintf("align8192: bank 0 base %#x size %d", r.Kernel.ParamBase, 8192-r.Kernel.ParamBase+8), p)
			assert.GreaterOrEqual(t, index(within(s, "align8192"), fmt.Sprintf("c[0x0][%#x]", at)), 0, p)
		}
		s = p.section(t, "far", "far", "-c -O1")
		if s.Refusal() != "" {
			assert.True(t, r.Kernel.LargeParams == 0 || p.release == "cuda-11.8", p)
			return
		}
		negative++
		want := fmt.Sprintf("c[0x0][-%#x]", 1<<16-(r.Kernel.LargeBase+32752))
		assert.GreaterOrEqual(t, index(within(s, "far"), want), 0, "%s: %s", want, p)
	})
	assert.Greater(t, negative, 90)
}

package measured_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
)

// matching returns the lines of a section's code that contain a text.
func matching(s *measured.Section, text string) []string {
	var out []string
	for line := range strings.Lines(s.Code()) {
		if strings.Contains(line, text) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// TestVariantsHaveTheSameCode requires that targets with a suffix share every
// section with the plain one, as long as their assembler has both.
func TestVariantsHaveTheSameCode(t *testing.T) {
	eachSection(t, func(r *recording) {
		if r.Module == "tensor" || r.probe == "joins" {
			return // instructions that only targets with a suffix have; linkers
		}
		for _, target := range r.Targets {
			assert.Contains(t, r.Targets, strings.TrimRight(target, "af"), "%s: %s", target, r)
		}
	})
}

// TestPreserve holds what docs/abi.md says of .abi_preserve against the
// recordings.
func TestPreserve(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		get := func(module string) *measured.Section {
			s := p.section(t, "preserve", module, "-c -O1")
			return s
		}
		if version(p.release) < "13." {
			assert.Contains(t, get("callee7").Refusal(), ".abi_preserve", p)
			return
		}
		if p.row.SM < 80 {
			assert.Contains(t, get("callee7").Refusal(), "requires .target sm_80 or higher", p)
			return
		}
		for _, test := range []struct {
			module, ret string
			first, last int // of those from R16 on that a callee saves
		}{
			{"callee0", "R14", 16, 15},
			{"callee7", "R20", 16, 22},
			{"callee40", "R54", 16, 55},
		} {
			s := get(test.module)
			ret := matching(s, "RET.ABS.NODEC")
			require.Len(t, ret, 1, p)
			assert.Contains(t, ret[0], "RET.ABS.NODEC "+test.ret+" 0x0", "%s: %s", test.module, p)
			saves, err := s.Saves()
			require.NoError(t, err)
			want := abi.Regs(2)
			for r := range abi.RegRange(16, 200).All() {
				own := "R"+numeral(int(r)) == test.ret || "R"+numeral(int(r)-1) == test.ret
				if int(r) >= test.first && int(r) <= test.last && !own {
					want = want.Union(abi.Regs(r))
				}
			}
			assert.Equal(t, want, saves.Regs, "%s: %s", test.module, p)
		}
		assert.Len(t, matching(get("caller40"), "MOV R54, 32@lo((f"), 1, p)
		assert.Len(t, matching(get("caller40"), "MOV R55, 32@hi((f"), 1, p)
		assert.Contains(t, get("too-many").Refusal(), "Return Address (252) should be less than 253", p)

		saved, used, err := get("control4").Barriers()
		require.NoError(t, err)
		assert.Equal(t, abi.RegRange(4, 11), saved, p)
		assert.Equal(t, abi.RegRange(4, 11), used.Minus(abi.RegRange(0, 3)), p)
		assert.Contains(t, get("control12").Refusal(), ".abi_preserve_control 12 is invalid", p)
	})
}

func numeral(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return numeral(n/10) + string(rune('0'+n%10))
}

// TestLocal: without -c a function of a kernel is copied into it and called by
// a relative call; with -c the convention holds.
func TestLocal(t *testing.T) {
	elsewhere := 0
	hold(t, func(t require.TestingT, p *pair) {
		r := p.row
		whole := p.section(t, "local", "direct", "-O1")
		assert.Len(t, matching(whole, "`($kernel$once)"), 2, p)
		assert.Len(t, matching(whole, machine.Of(r.SM).Spelling.CallSelf+" `($kernel$once)"), 2, "a relative call: %s", p)
		apart := p.section(t, "local", "direct", "-c -O1")
		assert.Len(t, matching(apart, machine.Of(r.SM).Spelling.Call+" `(once)"), 2, p)
		if r.Regs.HasRetAddr() {
			require.Len(t, matching(whole, "RET.REL.NODEC"), 1, p)
			if !strings.Contains(matching(whole, "RET.REL.NODEC")[0], "RET.REL.NODEC R20 ") {
				elsewhere++
			}
			assert.Len(t, matching(apart, "RET.ABS.NODEC R20 0x0"), 2, p)

			targets := p.section(t, "local", "targets", "-O1")
			assert.Len(t, matching(targets, "RET.REL.NODEC R20 "), 2, "both targets: %s", p)
		}
	})
	assert.Greater(t, elsewhere, 100, "returns through another register than R20")
}

// TestKnown: at -O0 a caller stores what it had before a call out of callee-saved
// registers, at -O1 also out of those that the callee, whose body it has, does not
// touch.
func TestKnown(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		strict, knowing := p.section(t, "known", "known", "-c -O0"), p.section(t, "known", "known", "-c -O1")
		scratch := p.row.Regs.CallerSaved
		a, err := strict.Live()
		require.NoError(t, err)
		b, err := knowing.Live()
		require.NoError(t, err)
		assert.Equal(t, abi.RegSet{}, a.Intersect(scratch), "-O0: %s", p)
		assert.NotEqual(t, abi.RegSet{}, b.Intersect(scratch), "-O1: %s", p)
	})
}

// TestAddress32: modules of 32-bit addresses end with 11.8 and before sm_90.
func TestAddress32(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		s := p.section(t, "address32", "address32", "-c -O1 -m32")
		r := p.row
		if p.release != "cuda-11.8" || r.SM >= 90 {
			assert.Contains(t, s.Refusal()+strings.Join(s.Lines, " "), "32", p)
			assert.NotEmpty(t, s.Refusal(), p)
			assert.Empty(t, s.Code(), p)
			return
		}
		kernel := s.Notes("kernel")
		require.Len(t, kernel, 1, p)
		base := abi.ConstAddr{Off: r.Kernel.ParamBase}.String()
		assert.Contains(t, kernel[0], "base "+strings.TrimSuffix(base[len("c[0x0]["):], "]")+" size 8", p)
		if r.Regs.HasRetAddr() {
			assert.Len(t, matching(s, "CALL.ABS.NOINC R6 ;"), 1, p)
			high := matching(s, " R7, ")
			require.Len(t, high, 1, p)
			assert.Contains(t, []string{"MOV R7, RZ ;", "IMAD.MOV.U32 R7, RZ, RZ, RZ ;", "HFMA2.MMA R7, -RZ, RZ, 0, 0 ;"}, high[0][strings.Index(high[0], "/ ")+2:], "the high word is 0: %s", p)
		}
	})
}

// checkReach: an offset in local memory reaches as far as half of what it is
// beyond which it wraps.
func checkReach(t require.TestingT, p *pair) {
	s := p.section(t, "reach", "reach", "-c -O1")
	const written = 8999996 // the offset in the probe, of which the outgoing area begins at R1
	seen := int64(0)        // below what is saved in the frame
	for _, store := range matching(s, "STL [R1+-0x") {
		_, text, _ := strings.Cut(store, "[R1+-")
		n, err := strconv.ParseInt(text[:strings.Index(text, "]")], 0, 64)
		require.NoError(t, err)
		seen = max(seen, n)
	}
	require.Positive(t, seen, p)
	assert.Equal(t, int(written+seen)/2, p.row.Passing.MaxLocal, p)
	assert.GreaterOrEqual(t, s.Frame("f"), 9000000, p)
}

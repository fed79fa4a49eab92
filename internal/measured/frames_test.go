package measured_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/measured"
	"github.com/ptxabi/ptxabi/sass"
)

func TestFrames(t *testing.T) {
	each(t, "frames", func(t *testing.T, release, target string, file *measured.File) {
		text := target + " with " + release
		s := file.Find("static", "-c -O1", target)
		require.NotNil(t, s)
		facts, err := measured.Frames(s)
		require.NoError(t, err)
		require.Len(t, facts, 3)
		const old = "old stack pointer of a realigned frame"
		assert.Equal(t, "R3, kept in R2", facts[old], text)
		delete(facts, old)
		compare(t, release, target, facts, nil)

		r := row(t, target)
		f := &r.Frame
		assert.Equal(t, sass.Reg(3), f.OldSP)
		assert.Equal(t, sass.Reg(2), f.KeptSP)

		// What is recorded of a frame is its size and what realigning may add.
		saved, err := s.SavedAt("realign")
		require.NoError(t, err)
		size := 128
		if !r.Regs.HasRetAddr() {
			assert.Equal(t, map[int64]sass.Reg{0x40: 2}, saved, text)
		} else {
			assert.Equal(t, map[int64]sass.Reg{0x40: 2, 0x44: 20, 0x48: 21}, saved, text)
		}
		assert.Equal(t, size+64-f.FuncAlign, s.Frame("realign"), text)
		assert.Equal(t, 128+64-f.KernelAlign, s.Frame("k"), "a kernel: %s", text)
		assert.Equal(t, 0, s.Frame("local16")%f.Round, text)

		a := file.Find("alloca", "-c -O1", target)
		require.NotNil(t, a)
		if !f.Alloca {
			assert.Equal(t, "error   : Feature 'alloca' requires .target sm_52 or higher", a.Refusal(), text)
			return
		}
		base, err := a.FrameBase("dyn")
		require.NoError(t, err)
		assert.Equal(t, f.Base, base, text)
	})
}

// TestWidths holds the accesses that were seen against those of the rows: of
// registers' addresses all of them, of constants what there is in the code.
func TestWidths(t *testing.T) {
	each(t, "widths", func(t *testing.T, release, target string, file *measured.File) {
		s := file.Find("widths", "-c -O1", target)
		require.NotNil(t, s)
		sp := row(t, target).Spelling
		sorted := func(w abi.Widths) []string {
			list := strings.Fields(w.String())
			slices.Sort(list)
			return list
		}
		for _, test := range []struct {
			fn, prefix string
			want       abi.Widths
		}{
			{"local", "LDL", sp.LoadLocal},
			{"local", "STL", sp.StoreLocal},
			{"indexed", "LDC", sp.LoadConstIndexed},
		} {
			got, err := s.Widths(test.fn, test.prefix)
			require.NoError(t, err)
			assert.Equal(t, sorted(test.want), got, "%s %s: %s with %s", test.fn, test.prefix, target, release)
		}
		got, err := s.Widths("constant", "LDC")
		require.NoError(t, err)
		for _, op := range got {
			assert.Contains(t, sorted(sp.LoadConst), op, "%s with %s", target, release)
		}
		words, err := s.Widths("constant", "MOV")
		require.NoError(t, err)
		assert.Equal(t, sp.LoadConst.B32 == "MOV", len(words) > 0, "words by MOV: %s with %s", target, release)
	})
}

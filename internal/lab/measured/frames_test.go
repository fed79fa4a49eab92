package measured_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/sass"
)

func checkFrames(t require.TestingT, p *pair) {
	s := p.section(t, "frames", "static", "-c -O1")
	facts, err := derive(s, "frames", func() (map[string]string, error) { return measured.Frames(s) })
	require.NoError(t, err)
	require.Len(t, facts, 3)
	const old = "old stack pointer of a realigned frame"
	f := &p.row.Frame
	assert.Equal(t, facts[old], fmt.Sprintf("R%d, kept in R%d", f.OldSP, f.KeptSP), p)
	facts = maps.Clone(facts)
	delete(facts, old)
	compare(t, p, facts, nil)

	// What is recorded of a frame is its size and what realigning may add.
	saved, err := derive(s, "saved", func() (map[int64]sass.Reg, error) { return s.SavedAt("realign") })
	require.NoError(t, err)
	want := map[int64]sass.Reg{0x40: f.KeptSP}
	if p.row.Regs.HasRetAddr() {
		want[0x44], want[0x48] = p.row.Regs.RetAddr, p.row.Regs.RetAddr+1
	}
	assert.Equal(t, saved, want, p)
	assert.Equal(t, s.Frame("realign"), 128+64-f.FuncAlign, p)
	assert.Equal(t, s.Frame("k"), 128+64-f.KernelAlign, "a kernel: %s", p)
	// Frames that need 4 bytes and 12.
	up := func(n int) int { return (n + f.Round - 1) / max(f.Round, 1) * f.Round }
	assert.Equal(t, s.Frame("four"), up(4), p)
	assert.Equal(t, s.Frame("twelve"), up(12), p)
}

func checkAlloca(t require.TestingT, p *pair) {
	f := &p.row.Frame
	s := p.section(t, "frames", "alloca", "-c -O1")
	if !f.Alloca {
		assert.Equal(t, "error   : Feature 'alloca' requires .target sm_52 or higher", s.Refusal(), p)
		return
	}
	assert.Empty(t, s.Refusal(), p)
	base, err := derive(s, "base", func() (sass.Reg, error) { return s.FrameBase("dyn") })
	require.NoError(t, err)
	assert.Equal(t, base, f.Base, p)
	kept, err := derive(s, "kept", func() (sass.Reg, error) {
		_, kept, err := s.OldSP("both")
		return kept, err
	})
	require.NoError(t, err)
	assert.Equal(t, kept, f.KeptSPAlloca, p)
}

// checkWidths holds the accesses that were seen against those of the rows: of
// registers' addresses all of them, of constants what there is in the code.
func checkWidths(t require.TestingT, p *pair) {
	s := p.section(t, "widths", "widths", "-c -O1")
	sp := &machine.Of(p.row.SM).Spelling
	seen := func(fn, prefix string) []string {
		got, err := derive(s, fn+" "+prefix, func() ([]string, error) { return s.Widths(fn, prefix) })
		require.NoError(t, err)
		return got
	}
	sorted := func(w machine.Widths) []string {
		list := strings.Fields(w.String())
		slices.Sort(list)
		return list
	}
	for _, test := range []struct {
		fn, prefix string
		want       machine.Widths
	}{
		{"local", "LDL", sp.LoadLocal},
		{"local", "STL", sp.StoreLocal},
		{"indexed", "LDC", sp.LoadConstIndexed},
	} {
		assert.Equal(t, seen(test.fn, test.prefix), sorted(test.want), "%s %s: %s", test.fn, test.prefix, p)
	}
	for _, op := range seen("constant", "LDC") {
		assert.Contains(t, sorted(sp.LoadConst), op, p)
	}
	words := seen("constant", "MOV")
	assert.Equal(t, len(words) > 0, sp.LoadConst.B32 == "MOV", "words by MOV: %s", p)
	unsigned := sp.LoadConst // the assembler extends signs by itself
	unsigned.S8, unsigned.S16 = "", ""
	for op := range strings.FieldsSeq(unsigned.String()) {
		assert.Contains(t, slices.Concat(seen("constant", "LDC"), words), op, p)
	}
}

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

// TestSaves derives preserved and scratch registers from what a function saves
// that uses all of them.
func TestSaves(t *testing.T) {
	each(t, "saves", func(t *testing.T, release, target string, file *measured.File) {
		s := file.Find("saves", "-c -O1", target)
		require.NotNil(t, s)
		got, err := s.Saves()
		require.NoError(t, err)
		f := row(t, target).Regs
		text := target + " with " + release
		own := abi.Regs(f.SP)
		if f.HasRetAddr() {
			own = own.Union(abi.Regs(f.RetAddr, f.RetAddr+1)) // it calls nothing, so they stay
		}
		assert.Equal(t, f.Preserved.Minus(own), got.Regs, "preserved: %s", text)
		assert.Equal(t, f.Scratch, got.Named.Minus(got.Regs).Minus(own), "scratch: %s", text)
		assert.True(t, got.Ascending, "order of saves: %s", text)
		var last sass.Reg
		for r := range got.Named.All() {
			last = r
		}
		assert.Equal(t, f.Last, last, "highest register: %s", text)
	})
}

// TestBudget derives the smallest number of registers of a function from one
// that needs them all and may have 8.
func TestBudget(t *testing.T) {
	each(t, "budget", func(t *testing.T, release, target string, file *measured.File) {
		s := file.Find("budget", "-c -O1 -maxrregcount 8", target)
		require.NotNil(t, s)
		assert.Equal(t, row(t, target).Regs.MinBudget, s.Registers("f"), "%s with %s", target, release)
	})
}

// TestLive derives preserved registers from those in which a caller keeps
// values across a call.
func TestLive(t *testing.T) {
	each(t, "live", func(t *testing.T, release, target string, file *measured.File) {
		for _, module := range []string{"extern", "pointer"} {
			s := file.Find(module, "-c -O1", target)
			require.NotNil(t, s)
			got, err := s.Live()
			require.NoError(t, err)
			f := row(t, target).Regs
			text := module + " on " + target + " with " + release
			assert.Equal(t, abi.RegSet{}, got.Minus(f.Preserved), "beyond the preserved: %s", text)
			missing := f.Preserved.Minus(got)
			assert.LessOrEqual(t, len(slices.Collect(missing.All())), 4, "preserved and not used: %s: %s", text, missing)
		}
	})
}

// TestUnwind holds what the debugger is told against the rows.
func TestUnwind(t *testing.T) {
	each(t, "unwind", func(t *testing.T, release, target string, file *measured.File) {
		s := file.Find("unwind", "-c -g -O0", target)
		require.NotNil(t, s)
		u, err := s.Unwind("f")
		require.NoError(t, err)
		f := row(t, target).Regs
		text := target + " with " + release
		usable := abi.RegRange(0, f.Last)
		ret, column := abi.RegSet{}, "none"
		if f.HasRetAddr() {
			ret, column = abi.Regs(f.RetAddr, f.RetAddr+1), "R20"
		}
		assert.Equal(t, column, u.Return, text)
		assert.Equal(t, f.Preserved.Union(ret), u.Preserved["R"].Intersect(usable), "preserved: %s", text)
		assert.Equal(t, f.Scratch, u.Scratch["R"].Intersect(usable), "scratch: %s", text)

		assert.Equal(t, f.UniformScratch, u.Scratch["UR"], "scratch uniform registers: %s", text)
		uniform := f.UniformPreserved
		switch {
		case len(slices.Collect(uniform.All())) == 0:
		case release == "cuda-11.8":
			uniform = uniform.Union(abi.Regs(62))
		case strings.HasPrefix(release, "cuda-12."):
			uniform = uniform.Union(f.UniformDisputed)
		}
		assert.Equal(t, uniform, u.Preserved["UR"], "preserved uniform registers: %s", text)

		// The table has no P1 and no UP1; that they are scratch is seen in code.
		assert.Equal(t, f.PredScratch.Minus(abi.Regs(1)), u.Scratch["P"], "predicates: %s", text)
		assert.Equal(t, f.UniformPredScratch.Minus(abi.Regs(1)), u.Scratch["UP"], "uniform predicates: %s", text)
		assert.Equal(t, abi.RegSet{}, u.Preserved["P"].Union(u.Preserved["UP"]), text)

		k, err := s.Unwind("kernel")
		require.NoError(t, err)
		assert.Equal(t, "none", k.Return)
		assert.Equal(t, abi.Regs(f.SP), k.Preserved["R"].Intersect(usable), "a kernel preserves nothing: %s", text)
	})
}

func TestBarriers(t *testing.T) {
	each(t, "barriers", func(t *testing.T, release, target string, file *measured.File) {
		s := file.Find("barriers", "-c -O1", target)
		require.NotNil(t, s)
		saved, used, err := s.Barriers()
		require.NoError(t, err)
		f := row(t, target).Regs
		text := target + " with " + release
		assert.Equal(t, f.BarrierPreserved, saved, "preserved: %s", text)
		assert.Equal(t, abi.RegSet{}, used.Minus(saved).Minus(f.BarrierScratch), "used and not saved: %s", text)
		assert.Equal(t, f.BarrierScratch.Has(0), used.Has(0), text)
	})
}

func TestBrokenRegistersAreNoticed(t *testing.T) {
	change := func(probe, module, options, old, changed string) *measured.Section {
		file, err := measured.Read(recordings(), "cuda-13.5", probe)
		require.NoError(t, err)
		s := *file.Find(module, options, "sm_80")
		text := strings.Join(s.Lines, "\n")
		at := strings.Index(text, old)
		if probe == "live" {
			at = strings.LastIndex(text, old) // behind the call
		}
		require.GreaterOrEqual(t, at, 0, old)
		s.Lines = strings.Split(text[:at]+changed+text[at+len(old):], "\n")
		require.NotEqual(t, text, strings.Join(s.Lines, "\n"), old)
		return &s
	}
	f := row(t, "sm_80").Regs
	saves, err := change("saves", "saves", "-c -O1", "], R36 ;", "], R32 ;").Saves()
	require.NoError(t, err)
	assert.Equal(t, abi.Regs(32), saves.Regs.Minus(f.Preserved))
	assert.True(t, f.Preserved.Minus(saves.Regs).Has(36))

	live, err := change("live", "extern", "-c -O1", "], R36 ;", "], R32 ;").Live()
	require.NoError(t, err)
	assert.Equal(t, abi.Regs(32), live.Minus(f.Preserved))

	u, err := change("unwind", "unwind", "-c -g -O0", "R16-R31", "R16-R30").Unwind("f")
	require.NoError(t, err)
	assert.False(t, u.Preserved["R"].Has(31))

	saved, _, err := change("barriers", "barriers", "-c -O1", ", B11 ;", ", B5 ;").Barriers()
	require.NoError(t, err)
	assert.NotEqual(t, f.BarrierPreserved, saved)
}

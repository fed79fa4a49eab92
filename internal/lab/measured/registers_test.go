package measured_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/sass"
)

// checkSaves derives callee-saved and caller-saved registers from what a function saves
// that uses all of them.
func checkSaves(t require.TestingT, p *pair) {
	s := p.section(t, "saves", "saves", "-c -O1")
	got, err := derive(s, "saves", s.Saves)
	require.NoError(t, err)
	f := &p.row.Regs
	own := abi.Regs(f.SP)
	if f.HasRetAddr() {
		own = own.Union(abi.Regs(f.RetAddr, f.RetAddr+1)) // it calls nothing, so they stay
	}
	assert.Equal(t, got.Regs, f.CalleeSaved.Minus(own), "preserved: %s", p)
	assert.True(t, f.CalleeSaved.Has(f.SP), p)
	assert.Equal(t, got.Named.Minus(got.Regs).Minus(own), f.CallerSaved, "scratch: %s", p)
	assert.True(t, got.Ascending, "order of saves: %s", p)
	var last sass.Reg
	for r := range got.Named.All() {
		last = r
	}
	assert.Equal(t, last, f.Last, "highest register: %s", p)
}

// checkLevels holds what a function saves, and in which registers a caller keeps
// values, against the rows: at all levels of optimisation, and under a limit.
func checkLevels(t require.TestingT, p *pair) {
	f := &p.row.Regs
	own := abi.Regs(f.SP)
	if f.HasRetAddr() {
		own = own.Union(abi.Regs(f.RetAddr, f.RetAddr+1))
	}
	for _, level := range []string{"-O0", "-O2", "-O3", "-g -O0"} {
		s := p.section(t, "saveslevels", "saveslevels", "-c "+level+" -maxrregcount 40")
		got, err := derive(s, "saves", s.Saves)
		require.NoError(t, err)
		saved := got.Regs.Minus(f.CallerSaved) // those are spilled
		assert.Equal(t, saved, got.Named.Intersect(f.CalleeSaved).Minus(own), "%s: %s", level, p)
		assert.GreaterOrEqual(t, len(slices.Collect(saved.All())), 8, "%s: %s", level, p)
	}
	for _, options := range []string{"-c -O2", "-c -O3", "-c -O3 -maxrregcount 32"} {
		s := p.section(t, "livelevels", "livelevels", options)
		live, err := derive(s, "live", s.Live)
		require.NoError(t, err)
		assert.Equal(t, abi.RegSet{}, live.Minus(f.CalleeSaved), "%s: beyond the preserved: %s", options, p)
		assert.GreaterOrEqual(t, len(slices.Collect(live.All())), 8, "%s: %s", options, p)
	}
}

// TestUniform derives which uniform registers a function writes that loads many
// values. Two releases write callee-saved ones, and save none: docs/abi.md says
// so, and the rows stay as the debug frames have them.
func TestUniform(t *testing.T) {
	broken := make(map[string]bool)
	hold(t, func(t require.TestingT, p *pair) {
		for _, level := range []string{"-O0", "-O1", "-O2", "-O3"} {
			s := p.section(t, "uniform", "uniform", "-c "+level)
			written, err := derive(s, "uniform", s.UniformWritten)
			require.NoError(t, err)
			f := &p.row.Regs
			if f.UniformCallerSaved == (abi.RegSet{}) {
				assert.Equal(t, abi.RegSet{}, written, "%s: %s", level, p)
				continue
			}
			if lost := written.Intersect(f.UniformCalleeSaved); lost != (abi.RegSet{}) {
				assert.True(t, lost.Has(36), "%s: %s", level, p)
				broken[p.String()+" at "+level] = true
				written = written.Minus(f.UniformCalleeSaved)
			}
			assert.Equal(t, abi.RegSet{}, written.Minus(f.UniformCallerSaved), "neither caller-saved nor callee-saved: %s: %s", level, p)
		}
	})
	assert.Equal(t, []string{
		"sm_90 with cuda-11.8 at -O2", "sm_90 with cuda-11.8 at -O3",
		"sm_90 with cuda-12.4 at -O2", "sm_90 with cuda-12.4 at -O3",
		"sm_90a with cuda-12.4 at -O2", "sm_90a with cuda-12.4 at -O3",
	}, slices.Sorted(maps.Keys(broken)))
}

// checkBudget derives the smallest number of registers of a function from one
// that needs them all and may have 8.
func checkBudget(t require.TestingT, p *pair) {
	s := p.section(t, "budget", "budget", "-c -O1 -maxrregcount 8")
	assert.Equal(t, s.Registers("f"), p.row.Regs.MinBudget, p)
}

// checkBlocks holds the registers of kernels that need 300 against what blocks of
// so many threads have.
func checkBlocks(t require.TestingT, p *pair) {
	for module, threads := range map[string]int{
		"threads1024": 1024, "threads640": 640, "threads513": 513, "threads512": 512,
		"threads384": 384, "threads256": 256, "threads128": 128,
	} {
		got := p.section(t, "blocks", module, "-c -O1").Registers(module)
		want := machine.Of(p.row.SM).Multi.BlockLimit(threads, p.row.Regs.Last)
		if want == 0 {
			assert.Greater(t, got, 248, "%s: %s", module, p)
			continue
		}
		assert.Equal(t, got, want, "%s: %s", module, p)
	}
}

// checkBlockMemory finds the words of the memory of a block in the code of a kernel that reads
// them. It has to differ from the row in none, where the release has such a memory.
func checkBlockMemory(t require.TestingT, p *pair) {
	s := p.section(t, "blockmemory", "blockmemory", "-c -O1")
	size, start := p.row.Kernel.PerCTASize, p.row.Kernel.PerCTAStart
	if s.Refusal() != "" {
		if slices.ContainsFunc(pairs(t), func(q *pair) bool {
			return q.target == p.target && q.section(t, "blockmemory", "blockmemory", "-c -O1").Refusal() == ""
		}) {
			return // a newer release has it
		}
		assert.Equal(t, abi.ConstAddr{}, size, "%s", p)
		assert.Equal(t, abi.ConstAddr{}, start, "%s", p)
		return
	}
	assert.Len(t, matching(s, size.String()), 1+len(matching(s, "IMAD R0, R0, "+size.String())), "%s", p)
	assert.NotEmpty(t, matching(s, start.String()), "%s", p)
	for _, line := range matching(s, "c[") { // these two, the stack pointer, and the descriptor of global memory
		known := 0
		for _, a := range []abi.ConstAddr{size, start, {Bank: start.Bank, Off: start.Off + 4}, p.row.Kernel.SP} {
			if strings.Contains(line, a.String()) {
				known++
			}
		}
		assert.True(t, known == 1 || strings.Contains(line, "LDC.64 UR4, ") || strings.Contains(line, "LDCU.64 UR4, "), "%s: %s", p, line)
	}
}

// checkResident derives what blocks on one multiprocessor share from the registers
// that kernels get which require a number of such blocks.
func checkResident(t require.TestingT, p *pair) {
	for _, k := range [][2]int{
		{32, 16}, {32, 17}, {32, 24}, {32, 25}, {32, 32}, {32, 33}, {512, 2}, {512, 3}, {512, 4}, {512, 5},
	} {
		threads, blocks := k[0], k[1]
		module := fmt.Sprintf("k%dx%d", threads, blocks)
		s := p.section(t, "resident", module, "-c -O1")
		ignored := strings.Contains(strings.Join(s.Notes("said"), " "), "minnctapersm will be ignored")
		m := &machine.Of(p.row.SM).Multi
		assert.Equal(t, blocks > m.Blocks || threads*blocks > m.Threads, ignored, "%s: %s", module, p)
		want := m.ResidentLimit(threads, blocks, p.row.Regs.Last)
		if alone := m.BlockLimit(threads, p.row.Regs.Last); want == 0 || alone > 0 && alone < want {
			want = alone
		}
		if got := s.Registers(module); want == 0 {
			assert.Greater(t, got, 248, "%s: %s", module, p)
		} else {
			assert.Equal(t, got, want, "%s: %s", module, p)
		}
	}
}

// checkLone: calls without arguments whose result is in memory.
func checkLone(t require.TestingT, p *pair) {
	s := p.section(t, "lone", "lone", "-c -O1")
	assert.Equal(t, p.row.Passing.CrashOnLoneSret, strings.Contains(s.Refusal(), "segmentation fault"), p)
	assert.Equal(t, s.Refusal() == "", s.Code() != "", p)
	s = p.section(t, "lone", "argument", "-c -O1")
	assert.Empty(t, s.Refusal(), p)
	assert.NotEmpty(t, s.Code(), p)
}

// checkLive derives callee-saved registers from those in which a caller keeps
// values across a call.
func checkLive(t require.TestingT, p *pair) {
	for _, module := range []string{"extern", "pointer"} {
		s := p.section(t, "live", module, "-c -O1")
		got, err := derive(s, "live", s.Live)
		require.NoError(t, err)
		f := &p.row.Regs
		assert.Equal(t, abi.RegSet{}, got.Minus(f.CalleeSaved), "beyond the preserved: %s: %s", module, p)
		missing := f.CalleeSaved.Minus(got)
		assert.LessOrEqual(t, len(slices.Collect(missing.All())), 4, "preserved and not used: %s: %s: %s", module, p, missing)
	}
}

// unwind is the unwind table of a function of a pair.
func unwind(t require.TestingT, p *pair, fn string) measured.Unwind {
	s := p.section(t, "unwind", "unwind", "-c -g -O0")
	u, err := derive(s, "unwind "+fn, func() (measured.Unwind, error) { return s.Unwind(fn) })
	require.NoError(t, err)
	return u
}

// checkUnwind compares unwind tables with the rows.
func checkUnwind(t require.TestingT, p *pair) {
	u := unwind(t, p, "f")
	f := &p.row.Regs
	usable := abi.RegRange(0, f.Last)
	ret, column := abi.RegSet{}, "none"
	if f.HasRetAddr() {
		ret, column = abi.Regs(f.RetAddr, f.RetAddr+1), fmt.Sprintf("R%d", f.RetAddr)
	}
	assert.Equal(t, u.Return, column, p)
	assert.Equal(t, fmt.Sprintf("R%d 0", f.SP), u.CFA, p)
	assert.Equal(t, u.Preserved["R"].Intersect(usable), f.CalleeSaved.Union(ret), "preserved: %s", p)
	assert.Equal(t, u.Scratch["R"].Intersect(usable), f.CallerSaved, "scratch: %s", p)
	assert.True(t, u.Preserved["R"].Has(255), "the pattern goes on: %s", p)
	assert.Equal(t, u.Scratch["UR"], f.UniformCallerSaved, "scratch uniform registers: %s", p)

	// The table has no P1 and no UP1; checkPredicates has.
	assert.Equal(t, u.Scratch["P"], f.PredCallerSaved.Minus(abi.Regs(1)), "predicates: %s", p)
	assert.Equal(t, u.Scratch["UP"], f.UniformPredCallerSaved.Minus(abi.Regs(1)), "uniform predicates: %s", p)
	assert.Equal(t, abi.RegSet{}, u.Preserved["P"].Union(u.Preserved["UP"]), p)

	k := unwind(t, p, "kernel")
	assert.Equal(t, "none", k.Return, p)
	assert.Equal(t, k.Preserved["R"].Intersect(usable), abi.Regs(f.SP), "a kernel preserves nothing: %s", p)
}

// TestDisputed holds which uniform registers ptxas 11.8 preserves where later releases
// differ.
func TestDisputed(t *testing.T) {
	for _, p := range pairs(t) {
		if p.release == "cuda-11.8" && p.row.Regs.UniformDisputed != (abi.RegSet{}) {
			all := p.row.Regs.UniformCalleeSaved.Union(abi.Regs(62))
			assert.Equal(t, all, unwind(t, p, "f").Preserved["UR"], p)
		}
	}
}

// checkDisputed derives which uniform registers all releases preserve, on all
// architectures that have the same caller-saved ones, and which only some releases
// that have the target.
func checkDisputed(t require.TestingT, p *pair) {
	all, some := abi.RegRange(0, 255), abi.RegSet{}
	scratch := unwind(t, p, "f").Scratch["UR"]
	for _, other := range pairs(t) {
		u := unwind(t, other, "f")
		if u.Scratch["UR"] == scratch {
			all = all.Intersect(u.Preserved["UR"])
		}
		if other.target == p.target {
			some = some.Union(u.Preserved["UR"])
		}
	}
	assert.Equal(t, all, p.row.Regs.UniformCalleeSaved, "callee-saved uniform registers: %s", p)
	assert.Equal(t, some.Minus(all), p.row.Regs.UniformDisputed, "disputed uniform registers: %s", p)
}

// checkPredicates derives caller-saved predicates from those that a function sets and
// does not keep, and that a caller does not rely on.
func checkPredicates(t require.TestingT, p *pair) {
	type sets struct{ set, found abi.RegSet }
	get := func(module, class string) sets {
		s := p.section(t, "predicates", module, "-c -O1")
		got, err := derive(s, class, func() (sets, error) {
			set, found, err := s.Predicates(class)
			return sets{set, found}, err
		})
		require.NoError(t, err)
		return got
	}
	f := &p.row.Regs
	assert.Equal(t, sets{set: f.PredCallerSaved}, get("leaf", "P"), p)
	after := get("caller", "P")
	assert.Equal(t, abi.RegSet{}, after.found, "read after a call: %s", p)
	assert.Equal(t, f.PredCallerSaved, after.set, p)

	uniform := get("uniform", "UP")
	assert.Equal(t, abi.RegSet{}, uniform.found, p)
	assert.Equal(t, f.UniformPredCallerSaved != abi.RegSet{}, uniform.set.Has(1), p)
	assert.Equal(t, uniform.set, uniform.set.Intersect(f.UniformPredCallerSaved), p)
}

// checkBarriers derives barriers from those that functions save which nest many
// branches: with a call in the innermost, they use callee-saved ones alone, but for
// B0; without one, all.
func checkBarriers(t require.TestingT, p *pair) {
	type sets struct{ saved, used abi.RegSet }
	get := func(module string) sets {
		s := p.section(t, "barriers", module, "-c -O1")
		got, err := derive(s, "barriers", func() (sets, error) {
			saved, used, err := s.Barriers()
			return sets{saved, used}, err
		})
		require.NoError(t, err)
		return got
	}
	f := &p.row.Regs
	call, leaf := get("caller"), get("leaf")
	assert.Equal(t, call.saved, f.BarrierCalleeSaved, "preserved: %s", p)
	assert.Equal(t, leaf.saved, f.BarrierCalleeSaved, "preserved without a call: %s", p)
	assert.Equal(t, leaf.used.Minus(leaf.saved), f.BarrierCallerSaved, "scratch: %s", p)
	assert.Equal(t, abi.RegSet{}, call.used.Minus(call.saved).Minus(f.BarrierCallerSaved), "used and not saved: %s", p)
}

func TestBrokenRegistersAreNoticed(t *testing.T) {
	change := func(probe, module, options, old, changed string) *measured.Section {
		file, err := measured.Read(recordings(), "cuda-13.5", probe)
		require.NoError(t, err)
		s := *file.Find(module, options, "sm_80")
		text := strings.Join(s.Lines, "\n")
		at := strings.Index(text, old)
		if probe == "live" {
			at = strings.LastIndex(text, old) // after the call
		}
		require.GreaterOrEqual(t, at, 0, old)
		s.Lines = strings.Split(text[:at]+changed+text[at+len(old):], "\n")
		require.NotEqual(t, text, strings.Join(s.Lines, "\n"), old)
		return &s
	}
	f := row(t, "sm_80").Regs
	saves, err := change("saves", "saves", "-c -O1", "], R36 ;", "], R32 ;").Saves()
	require.NoError(t, err)
	assert.Equal(t, abi.Regs(32), saves.Regs.Minus(f.CalleeSaved))
	assert.True(t, f.CalleeSaved.Minus(saves.Regs).Has(36))

	live, err := change("live", "extern", "-c -O1", "], R36 ;", "], R32 ;").Live()
	require.NoError(t, err)
	assert.Equal(t, abi.Regs(32), live.Minus(f.CalleeSaved))

	u, err := change("unwind", "unwind", "-c -g -O0", "R16-R31", "R16-R30").Unwind("f")
	require.NoError(t, err)
	assert.False(t, u.Preserved["R"].Has(31))

	saved, _, err := change("barriers", "caller", "-c -O1", ", B11 ;", ", B5 ;").Barriers()
	require.NoError(t, err)
	assert.NotEqual(t, f.BarrierCalleeSaved, saved)

	_, err = change("uniform", "uniform", "-c -O1", "ULDC.64 UR4, c[0x0][0x118] ;", "MOV R9, UR4 ;").UniformWritten()
	assert.ErrorContains(t, err, "UR4 is read before it is written")
}

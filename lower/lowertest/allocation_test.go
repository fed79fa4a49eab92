package lowertest_test

import (
	_ "embed"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// randomRegisters are some of a target's, of which each is there with a chance of n in 4.
func randomRegisters(t *abi.Target, r *rand.Rand, n int) abi.RegSet {
	var set abi.RegSet
	for reg := sass.Reg(0); reg <= t.Regs.Last; reg++ {
		if r.IntN(4) < n {
			set = set.Union(abi.Regs(reg))
		}
	}
	return set
}

// A placedModule is a module whose registers have places.
type placedModule struct {
	file   string
	m      *ptx.Module
	target *abi.Target
	homes  *linearScan
	src    []byte // with the moves of what is spilled
}

// placedModules yields real modules with allocations at random: of all registers, of half
// of them, of a quarter, and of R0 to R63.
func placedModules(t *testing.T, yield func(p *placedModule, r *rand.Rand)) {
	t.Helper()
	for n, file := range realModules(t) {
		src := must.Read(t, file)
		r := rand.New(rand.NewPCG(7, uint64(n)))
		if !effort.Long() && (len(src) > 30_000 || n%2 != 0) {
			continue
		}
		for round := range effort.Of(1, 4) {
			m, target := sound(file, src)
			if m == nil {
				break
			}
			var homes *linearScan
			var err error
			switch (n/effort.Of(2, 1) + round) % 4 {
			case 0:
				homes, err = allocate(m, target, abi.RegRange(0, target.Regs.Last))
			case 1:
				homes, err = allocate(m, target, randomRegisters(target, r, 2))
			case 2:
				homes, err = allocate(m, target, randomRegisters(target, r, 3))
			case 3:
				homes, err = allocate(m, target, abi.RegRange(0, 63))
			}
			if err != nil { // too few of them for vectors
				continue
			}
			yield(&placedModule{file, m, target, homes, m.AppendText(nil)}, r)
		}
	}
}

// TestRightAllocations holds that nothing is reported of allocations that are right, and that
// nearly all that the source reads is compared.
func TestRightAllocations(t *testing.T) {
	var sum lowertest.AllocationReport
	placedModules(t, func(p *placedModule, _ *rand.Rand) {
		prog, err := lower.Module(p.m, p.target, lower.Options{Homes: p.homes, Slots: p.homes})
		if !assert.NoError(t, err, p.file) {
			return
		}
		r := allocation(t, p.src, prog.String(), p.target)
		for _, d := range r.Misplaced {
			t.Errorf("%s: %s", p.file, d)
		}
		if strings.HasPrefix(p.file, "../") { // some of others pass what does not fit
			assert.NoError(t, r.Err(), p.file)
		}
		sum.NotFollowed = append(sum.NotFollowed, r.NotFollowed...)
		sum.Functions += r.Functions
		sum.Instructions += r.Instructions
		sum.Missing += r.Missing
		sum.Uses += r.Uses
		sum.Bytes += r.Bytes
		sum.NotCompared = append(sum.NotCompared, r.NotCompared...)
	})
	t.Log(sum.String())
	assert.Greater(t, sum.Functions, effort.Of(300, 800))
	assert.Less(t, len(sum.NotCompared), sum.Uses/50)
	assert.Less(t, sum.Missing, sum.Instructions/effort.Of(400, 500))
}

// functions returns the functions of a module with their registers, in order.
func (s *linearScan) functions(m *ptx.Module) iter.Seq2[*ptx.Func, *frame] {
	return func(yield func(*ptx.Func, *frame) bool) {
		for _, it := range m.Items {
			if f, ok := it.(*ptx.Func); ok && s.of[f] != nil && !yield(f, s.of[f]) {
				return
			}
		}
	}
}

// A movedHome is an allocation in which one register has the home of another one.
type movedHome struct {
	*linearScan
	f    *ptx.Func
	reg  int
	home sass.Reg
}

func (h *movedHome) Home(f *ptx.Func, v lower.Virtual) (sass.Reg, bool) {
	if f == h.f && h.of[f].flow.Register(v.Var, v.Name) == h.reg {
		return h.home, true
	}
	return h.linearScan.Home(f, v)
}

// overwritten draws a register of a function that a statement overwrites if it gets the
// home of another one that is read later; false where there is none.
func overwritten(fr *frame, r *rand.Rand) (reg, victim, at int, ok bool) {
	fn := fr.flow
	computed := make([]bool, len(fn.Registers)) // by instructions that are no moves, and whole
	for i := range computed {
		computed[i] = fn.Registers[i].Elements() == 1 && !fn.Registers[i].Formal
	}
	for i, s := range fn.Func.Body {
		in, ok := s.(*ptx.Instr)
		for _, d := range fn.Defs(i) {
			if !ok || !d.Kills || in.Kind() == ptx.OpMove || !fn.Reachable(fn.BlockOf(i)) {
				computed[d.Reg] = false
			}
		}
	}
	type choice struct{ reg, victim, at int }
	var list []choice
	for _, l := range fn.Lifetimes() {
		_, homed := fr.homes[l.Reg]
		if !homed || !computed[l.Reg] || l.From() < 0 {
			continue
		}
		for _, g := range l.Ranges {
			for i := (g.From + 1) / 2; 2*i+1 < g.To; i++ {
				for _, d := range fn.Defs(i) {
					a, b := &fn.Registers[d.Reg], &fn.Registers[l.Reg]
					_, homed := fr.homes[d.Reg]
					if homed && d.Reg != l.Reg && computed[d.Reg] && a.Words() == b.Words() && l.Across(i) && len(list) < 10_000 {
						list = append(list, choice{d.Reg, l.Reg, i})
					}
				}
			}
		}
	}
	if list == nil {
		return 0, 0, 0, false
	}
	c := list[r.IntN(len(list))]
	return c.reg, c.victim, c.at, true
}

// A movedSlot is an allocation in which one spilled register has the slot of another one.
type movedSlot struct {
	*linearScan
	f   *ptx.Func
	reg int
	off int
}

func (h *movedSlot) Slot(f *ptx.Func, v lower.Virtual) (int, bool) {
	if f == h.f && h.of[f].flow.Register(v.Var, v.Name) == h.reg {
		return h.off, true
	}
	return h.linearScan.Slot(f, v)
}

// overwrittenSlot is overwritten for registers in slots, which moves from temporary
// registers write.
func overwrittenSlot(fr *frame, r *rand.Rand) (reg, victim, at int, ok bool) {
	fn := fr.flow
	written := func(i int) (reg int, ok bool) { // by a computation before
		in, isMove := fn.Func.Body[i].(*ptx.Instr)
		if !isMove || in.Op[:3] != "mov" || i == 0 || len(fn.Uses(i)) != 1 || !fn.Reachable(fn.BlockOf(i)) {
			return 0, false
		}
		before, isInstr := fn.Func.Body[i-1].(*ptx.Instr)
		if !isInstr || before.Kind() == ptx.OpMove || len(fn.Defs(i-1)) != 1 || fn.Defs(i - 1)[0].Reg != fn.Uses(i)[0] {
			return 0, false
		}
		d := fn.Defs(i)[0]
		_, spilled := fr.slots[fn.Registers[d.Reg].Var][fn.Registers[d.Reg].Name]
		return d.Reg, spilled
	}
	computed := make([]bool, len(fn.Registers))
	for i := range fn.Func.Body {
		for _, d := range fn.Defs(i) {
			computed[d.Reg] = true
		}
	}
	for i := range fn.Func.Body {
		for _, d := range fn.Defs(i) {
			if reg, ok := written(i); !ok || reg != d.Reg {
				computed[d.Reg] = false
			}
		}
	}
	type choice struct{ reg, victim, at int }
	var list []choice
	for _, l := range fn.Lifetimes() {
		if !computed[l.Reg] || l.From() < 0 {
			continue
		}
		for i := range fn.Func.Body {
			if reg, ok := written(i); ok && reg != l.Reg && fn.Registers[reg].Words() == fn.Registers[l.Reg].Words() && l.Across(i) && len(list) < 10_000 {
				list = append(list, choice{reg, l.Reg, i})
			}
		}
	}
	if list == nil {
		return 0, 0, 0, false
	}
	c := list[r.IntN(len(list))]
	return c.reg, c.victim, c.at, true
}

// TestBrokenSlots is TestBrokenAllocations for spilled registers.
func TestBrokenSlots(t *testing.T) {
	broken := 0
	for n, file := range realModules(t) {
		src := must.Read(t, file)
		r := rand.New(rand.NewPCG(9, uint64(n)))
		m, target := sound(file, src)
		if m == nil || len(src) > effort.Of(30_000, 200_000) || broken >= effort.Of(15, 1000) {
			continue
		}
		homes, err := allocate(m, target, abi.RegRange(0, 47).Minus(abi.RegRange(22, 31)))
		if err != nil {
			continue
		}
		src = m.AppendText(nil)
		for f, fr := range homes.functions(m) {
			reg, victim, at, ok := overwrittenSlot(fr, r)
			if !ok || len(f.Body) > 5000 {
				continue
			}
			v := &fr.flow.Registers[victim]
			moved := &movedSlot{homes, f, reg, fr.slots[v.Var][v.Name]}
			prog, err := lower.Module(m, target, lower.Options{Homes: moved, Slots: moved, Func: f.Name})
			require.NoError(t, err)
			broken++
			report := allocation(t, src, prog.String(), target)
			assert.NotEmpty(t, report.Misplaced, "%s: %s: %s in line %q overwrites %s: nothing is said; %s", file, f.Name, fr.flow.Registers[reg].Name,
				ptx.AppendStmt(nil, f.Body[at]), v.Name, report)
		}
	}
	t.Logf("%d allocations are broken", broken)
	assert.GreaterOrEqual(t, broken, 15)
}

// TestBrokenAllocations holds that each allocation is found in which a register is
// overwritten that is read later.
func TestBrokenAllocations(t *testing.T) {
	broken, found, unseen := 0, 0, 0
	placedModules(t, func(p *placedModule, r *rand.Rand) {
		for f, fr := range p.homes.functions(p.m) {
			if len(f.Body) > 3000 || broken >= effort.Of(30, 10_000) {
				continue
			}
			reg, victim, at, ok := overwritten(fr, r)
			if !ok {
				continue
			}
			homes := &movedHome{p.homes, f, reg, fr.homes[victim]}
			prog, err := lower.Module(p.m, p.target, lower.Options{Homes: homes, Slots: homes, Func: f.Name})
			if err != nil {
				continue // a home that is lost in a call
			}
			broken++
			report := allocation(t, p.src, prog.String(), p.target)
			if len(report.Misplaced) > 0 {
				found++
				continue
			}
			if len(report.NotCompared) > 0 {
				unseen++ // it says so
				continue
			}
			t.Errorf("%s: %s: %s in line %q overwrites %s: nothing is said; %s", p.file, f.Name, fr.flow.Registers[reg].Name,
				ptx.AppendStmt(nil, f.Body[at]), fr.flow.Registers[victim].Name, report)
		}
	})
	t.Logf("%d allocations are broken, %d found, %d where places were not compared", broken, found, unseen)
	assert.GreaterOrEqual(t, broken, effort.Of(30, 60))
	assert.LessOrEqual(t, unseen, max(1, broken/100))
}

// loop has a loop, a call, a guard, a variable, a pair of registers and a packed value.
//
//go:embed testdata/text/loop.ptx
var loop string

// right is a listing of loop by a compiler of its own, with instructions of the machine.
//
//go:embed testdata/text/right.sass
var right string

// TestMachineCode holds that instructions of the machine are followed by the comments that
// say what they are.
func TestMachineCode(t *testing.T) {
	// Up to the addition of 64 bits, whose operands are side by side.
	src := strings.Replace(loop, "\tsetp.gt.s32 %p2", "\tst.global.b64 [%rd1], %rd2;\n\tret;\n\tsetp.gt.s32 %p2", 1)
	listing := right + `
	ST.E.64 [R16.64], R10 ;  // ptx: st.global.b64 [R16], R10
	LDL R16, [R1+0x8] ;
	LDL R17, [R1+0xc] ;
	IADD3 R1, R1, 0x20, RZ ;
	RET.ABS.NODEC R20 0x0 ;
`
	listing = strings.Replace(listing, "\tIADD3 R16, R10, R8, RZ ;\n", "", 1)
	target := mustTarget(t, "sm_80")
	r := allocation(t, []byte(src), listing, target)
	assert.NoError(t, r.Err())
	assert.Equal(t, "1 function, 8 instructions, 16 uses, 61 bytes", r.String())
	for _, tt := range []struct{ from, to, want string }{
		{"MOV R17, R9", "MOV R17, R8", "R17 should hold bytes 4 to 8 of %rd1, which is bytes 4 to 8 of parameter to, which R9 held at entry; it holds %rd1; it is in R9"},
		{"STL.64 [R1+0x18], R10", "LDL.64 R10, [R1+0x18]", "R10 should hold bytes 0 to 4 of %rd2"},
		{"mad.lo.s32 R10, R4, R5, R10", "mad.lo.s32 R10, R4, R5, R12", "R12 should hold %r4, whose value depends on the way to line 12; it holds what R12 held at entry; it is in R10"},
	} {
		require.Contains(t, listing, tt.from)
		r := allocation(t, []byte(src), strings.Replace(listing, tt.from, tt.to, 1), target)
		assert.ErrorContains(t, r.Err(), tt.want)
	}
	// Without comments nothing can be compared, and that is an error.
	r = allocation(t, []byte(src), strings.ReplaceAll(listing, "// ptx:", "//"), target)
	assert.Zero(t, r.Uses)
	assert.Error(t, r.Err())
}

// TestPlantedAllocations breaks a listing in one place after the other.
func TestPlantedAllocations(t *testing.T) {
	target := mustTarget(t, "sm_80")
	homes := fixedHomes{
		"%r1": 4, "%r2": 24, "%r3": 6, "%r4": 7, "%r5": 10, "%r6": 11, "%r7": 11, "%rd1": 26, "%rd2": 28, "%p1": 0, "%p2": 1,
	}
	listing := lowered(t, loop, target, homes)
	r := allocation(t, []byte(loop), listing, target)
	require.NoError(t, r.Err())
	assert.Empty(t, r.NotCompared)
	assert.Zero(t, r.Missing)
	for _, tt := range []struct{ name, from, to, want string }{
		{"a use of another register", "add.s32 R4, R4, 1", "add.s32 R4, R10, 1", "line 20 of the source, `add.s32 %r1, %r1, 1`: R10 should hold %r1, whose value depends on the way to line 24; it holds %r5; it is in R4"},
		{"a definition of another register", "add.s32 R10, R10, 1", "add.s32 R6, R10, 1", "R6 should hold %r3"},
		{"one that is overwritten in a loop", "add.s32 R10, R10, 1", "mov.b32 R24, R10 ;\n\tadd.s32 R10, R10, 1", "R24 should hold %r2, which is parameter y, which R5 held at entry; it holds"},
		{"another predicate", "@P0 bra L", "@P1 bra L", "P1 should hold %p1, which line 22 of the source, `setp.lt.s32 %p1, %r5, %r3`, makes"},
		{"an operand at the call", "MOV R4, R7 ;", "MOV R4, R6 ;", "R4 should hold argument a of g"},
		{"a result that is lost", "MOV R11, R4 ;", "MOV R11, R5 ;", "R11 should hold %r6, which is result r of call 1 of g; it holds what call 1 of g left in R5"},
		{"halves of a pair", "mov.b64 R28, {R7, R10}", "mov.b64 R28, {R10, R7}", "R28 should hold bytes 0 to 4 of %rd2"},
		{"a pair that begins elsewhere", "add.s64 R28, R28, R26", "add.s64 R28, R28, R30", "R30 should hold bytes 0 to 4 of %rd1"},
		{"a result", "MOV R4, R11 ;", "MOV R4, R10 ;", "R4 should hold result res"},
		{"a register that a call changes", "R24", "R12", "R12 should hold %r2, which is parameter y, which R5 held at entry; it holds what call 1 of g left in R12"},
		{"guarded, of another register", "@P1 add.s32 R7, R7, 7", "@P1 add.s32 R10, R7, 7", "R4 should hold argument a of g"},
	} {
		require.Contains(t, listing, tt.from, tt.name)
		broken := strings.Replace(listing, tt.from, tt.to, 1)
		if tt.from[0] == 'R' { // everywhere
			broken = strings.ReplaceAll(listing, tt.from, tt.to)
		}
		r := allocation(t, []byte(loop), broken, target)
		if assert.Error(t, r.Err(), "%s\n%s", tt.name, broken) {
			assert.Contains(t, r.Err().Error(), tt.want, tt.name)
		}
	}
	for _, tt := range []struct{ name, from, to, want string }{
		{"an instruction left out", "\tmad.lo.s32 R7, R4, R24, R7 ;\n", "", "not found: 1 instruction"},
		{"another instruction", "mad.lo.s32", "mad.lo.u32", "not found: 1 instruction"},
		{"a jump through a register", "@P0 bra L ;", "BRX R2 -0x10 ;", "not followed: 1 function"},
		{"no function", "dot", "dit", "not followed: 1 function"},
		{"a call left out", "\tCALL.ABS.NOINC `(g) ;", "//", "not followed: 1 function"},
	} {
		require.Contains(t, listing, tt.from, tt.name)
		r := allocation(t, []byte(loop), strings.ReplaceAll(listing, tt.from, tt.to), target)
		assert.Contains(t, r.String(), tt.want, tt.name)
		assert.True(t, len(r.NotCompared) > 0 || len(r.NotFollowed) > 0, tt.name)
	}
	for _, none := range []*abi.Target{nil, {}} {
		_, err := lowertest.CheckAllocation([]byte(loop), listing, none)
		assert.EqualError(t, err, "no target")
	}
	_, err := lowertest.CheckAllocation([]byte("call"), listing, target)
	assert.ErrorContains(t, err, "module.ptx:1:1: ")
	_, err = lowertest.CheckAllocation([]byte(loop), "garbage", target)
	assert.ErrorContains(t, err, "disassembly:1:1: ")
}

// TestEditedListings holds that listings with lines left out, repeated and exchanged are
// reported on: nothing panics, and it ends.
func TestEditedListings(t *testing.T) {
	wrong, rounds := 0, 0
	placedModules(t, func(p *placedModule, r *rand.Rand) {
		if rounds >= effort.Of(30, 3000) || len(p.src) > 60_000 {
			return
		}
		prog, err := lower.Module(p.m, p.target, lower.Options{Homes: p.homes, Slots: p.homes})
		require.NoError(t, err)
		for range 5 {
			rounds++
			lines := strings.SplitAfter(prog.String(), "\n")
			for range 1 + r.IntN(3) {
				i, k := r.IntN(len(lines)), r.IntN(len(lines))
				switch r.IntN(3) {
				case 0:
					lines[i] = ""
				case 1:
					lines[i] += lines[k]
				case 2:
					lines[i], lines[k] = lines[k], lines[i]
				}
			}
			report, err := lowertest.CheckAllocation(p.src, strings.Join(lines, ""), p.target)
			if err != nil || report.Err() != nil {
				wrong++
			}
		}
	})
	t.Logf("%d of %d edited listings have errors", wrong, rounds)
	assert.Greater(t, wrong, rounds/4)
}

// TestNoAllocation holds that registers without homes are where they should be too: what
// package lower makes by itself.
func TestNoAllocation(t *testing.T) {
	uses, left := 0, 0
	for n, file := range realModules(t) {
		src := must.Read(t, file)
		m, _ := sound(file, src)
		if m == nil || len(src) > 200_000 || n%effort.Of(60, 1) != 0 {
			continue
		}
		for _, name := range []string{"sm_52", "sm_90", "sm_120"} {
			target := mustTarget(t, name)
			prog, err := lower.Module(m, target, lower.Options{})
			if err != nil {
				continue // it is for another target
			}
			r := allocation(t, src, prog.String(), target)
			assert.NoError(t, r.Err(), "%s for %s", file, name)
			uses += r.Uses
			left += len(r.NotCompared)
		}
	}
	t.Logf("%d words, %d not compared", uses, left)
	assert.Greater(t, uses, 100*left)
}

// TestHalfDropped holds that a mov that drops a half of its operand is followed.
func TestHalfDropped(t *testing.T) {
	const src = ".version 7.8\n.target sm_80\n.visible .func (.param .b32 r) f(.param .b64 x) {\n\t.reg .b32 %a;\n\t.reg .b64 %x;\n" +
		"\tld.param.b64 %x, [x];\n\tmov.b64 {_, %a}, %x;\n\tst.param.b32 [r], %a;\n\tret;\n}\n"
	target := mustTarget(t, "sm_80")
	listing := lowered(t, src, target, nil)
	r := allocation(t, []byte(src), listing, target)
	assert.Empty(t, r.NotCompared)
	assert.NoError(t, r.Err())
	assert.NotEmpty(t, allocation(t, []byte(src), strings.Replace(listing, "{_, %a}", "{%a, _}", 1), target).Misplaced)
}

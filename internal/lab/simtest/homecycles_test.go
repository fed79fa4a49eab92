package simtest

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// fixedHomes are homes by name, the same in all functions.
type fixedHomes map[string]sass.Reg

func (h fixedHomes) Home(_ *ptx.Func, r lower.Virtual) (sass.Reg, bool) {
	reg, ok := h[r.Name]
	return reg, ok
}

const homesHead = `
.version 8.3
.target sm_35
.address_size 64
.extern .global .b8 in[];
.extern .global .b8 out[];
`

// turnModule passes three values that live in each other's parameter registers,
// bytes that are put together out of two, and keeps one across the call.
//
//go:embed testdata/text/turnModule.ptx
var turnModule string

// turned makes cycles on the way out: a, b, c are passed in R4, R5, R6 and live
// in R5, R6, R4, and the other way round.
var turned = fixedHomes{"%r1": 5, "%r2": 6, "%r3": 4, "%r6": 8, "%r7": 7, "%r9": 17}

func TestHomesCycles(t *testing.T) {
	mod := must.Parse(t, "turn.ptx", []byte(turnModule))
	for _, target := range distinctTargets() {
		n, err := runModule(mod, target, 1, turned, nil)
		require.NoError(t, err, target.Name)
		assert.Equal(t, n.observed, n.defined)

		prog, err := lower.Module(mod, target, lower.Options{Homes: turned})
		require.NoError(t, err)
		breaks := func(fn string) int {
			return len(instrs(prog, fn, func(in *sass.Instr) bool {
				return in.Op == "MOV" && in.Args[0] == sass.Register(3)
			}))
		}
		// What comes in registers that are homes of others is loaded from the frame.
		assert.Equal(t, 1, breaks("f"), "%s: one cycle where the result is returned", target.Name)
		assert.Equal(t, 2, breaks("g"), "%s: two cycles where the arguments are passed", target.Name)
		assert.NotContains(t, strings.ReplaceAll(prog.String(), "%r_", ""), "%", "%s: a virtual register", target.Name)
	}
}

// fixedSlots are homes and slots by name, the same in all functions.
type fixedSlots struct {
	fixedHomes
	slots map[string]int
}

func (h fixedSlots) Slot(_ *ptx.Func, r lower.Virtual) (int, bool) {
	off, ok := h.slots[r.Name]
	return off, ok
}

// TestBadSlots gives slots that cannot be.
func TestBadSlots(t *testing.T) {
	mod := must.Parse(t, "bad.ptx", must.Read(t, "testdata/text/badSlots.ptx"))
	target := must.Target(t, "sm_80")
	for _, c := range []struct {
		slots map[string]int
		want  string // "" where there is nothing wrong
	}{
		{map[string]int{"%a": 0, "%rd2": 8, "%r3": 4}, ""},
		{map[string]int{"%a": 1 << 20}, ""},
		{map[string]int{"%a": 2}, "%a lives at 2 in the spill area, which is no multiple of 4"},
		{map[string]int{"%rd2": 4}, "%rd2 lives at 4 in the spill area, which is no multiple of 8"},
		{map[string]int{"%a": -4}, "%a lives at -4 in the spill area, which begins at 0"},
		{map[string]int{"%a": 1 << 30}, "%a lives at 1073741824 in the spill area"},
		{map[string]int{"%p1": 0}, "the predicate %p1 has a slot"},
		{map[string]int{"%r1": 0}, "%r1 lives in a slot of the frame, where add.s32 cannot have it"},
		{map[string]int{"%rd1": 0}, "%rd1 lives in a slot of the frame, where mov.b64 cannot have it"},
		{map[string]int{"%f1": 0, "%f2": 4, "%d1": 8}, ""},
		{map[string]int{"%p1": 0}, "give the slot to a 32-bit register %r, with selp.b32 %r, 1, 0, %p1 before"},
		{map[string]int{"%rd3": 0}, "mov.b64 with a register in a slot of the frame moves a number or another register of as many bits"},
	} {
		prog, err := lower.Module(mod, target, lower.Options{Slots: fixedSlots{slots: c.slots}})
		if c.want == "" {
			require.NoError(t, err, "%v", c.slots)
			require.NoError(t, sassverify.Verify(mod, prog, target), "%v", c.slots)
			assert.NotRegexp(t, `%\w+@`, prog.String(), "%v: the name of a slot is printed", c.slots)
			continue
		}
		assert.Nil(t, prog)
		var list diag.List
		if assert.ErrorAs(t, err, &list, "%v", c.slots) {
			assert.Equal(t, lower.BadHome, list[0].Code)
			assert.Contains(t, list[0].Msg, c.want)
		}
	}
}

// distinctHomes gives each register a callee-saved home of its own, until there
// are few left: an allocation that is right whatever the function does.
type distinctHomes struct {
	t    *abi.Target
	next map[*ptx.Func]sass.Reg
	of   map[*ptx.Func]map[virtualName]sass.Reg
	all  int
}

// virtualName tells registers apart that blocks declare under one name.
type virtualName struct {
	name string
	decl *ptx.Var
}

func (h *distinctHomes) Home(f *ptx.Func, r lower.Virtual) (sass.Reg, bool) {
	key := virtualName{r.Name, r.Var}
	if reg, ok := h.of[f][key]; ok {
		return reg, true
	}
	if r.Words == 0 {
		return 0, false
	}
	free := h.t.Regs.CalleeSaved.Minus(lower.Reserved(h.t)).Minus(abi.RegRange(200, 255))
	for reg := range free.All() {
		last := reg + sass.Reg(r.Words) - 1
		if reg < h.next[f] || int(reg)%r.Align != 0 || abi.RegRange(reg, last).Minus(free) != (abi.RegSet{}) {
			continue
		}
		if h.of[f] == nil {
			h.of[f] = make(map[virtualName]sass.Reg)
		}
		h.of[f][key], h.next[f] = reg, last+1
		h.all++
		return reg, true
	}
	return 0, false
}

// TestRealModulesWithHomes lowers what real compilers made with homes: nothing
// is reported, and the text is the same each time.
func TestRealModulesWithHomes(t *testing.T) {
	homes := 0
	for _, file := range effort.RealModules(t, "../../..") {
		src := must.Read(t, file)
		if len(src) > effort.Of(50_000, 1<<20) {
			continue
		}
		m := must.Parse(t, file, src)
		targets := targetsFor(t, m)
		for _, target := range effort.Of(targets[:1], []*abi.Target{targets[0], targets[len(targets)-1]}) {
			var texts []string
			for i := range 2 {
				h := &distinctHomes{t: target, next: map[*ptx.Func]sass.Reg{}, of: map[*ptx.Func]map[virtualName]sass.Reg{}}
				prog, err := lower.Module(m, target, lower.Options{Homes: h})
				require.NoError(t, err, "%s for %s", file, target.Name)
				if i == 0 && len(src) < effort.Of(8_000, 1<<20) {
					require.NoError(t, sassverify.Verify(m, prog, target), "%s for %s", file, target.Name)
				}
				texts = append(texts, prog.String())
				homes += h.all
			}
			require.Equal(t, texts[0], texts[1], "%s for %s", file, target.Name)
		}
	}
	assert.Greater(t, homes, 5_000)
}

// inSet has %h<n> live in R<n> where a set has it, and %r1 and %r2 in slots.
type inSet struct{ abi.RegSet }

func (s inSet) Home(_ *ptx.Func, r lower.Virtual) (sass.Reg, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.Name, "%h"))
	return sass.Reg(n), err == nil && s.Has(sass.Reg(n))
}

func (inSet) Slot(_ *ptx.Func, r lower.Virtual) (int, bool) {
	off, ok := map[string]int{"%r1": 0, "%r2": 4}[r.Name]
	return off, ok
}

// TestTemporaries holds that slots go through the registers that Temporaries names, and
// that the report says why where there are no five.
func TestTemporaries(t *testing.T) {
	var body strings.Builder
	for n := range 256 {
		fmt.Fprintf(&body, "\tmov.b32 %%h%d, 0;\n", n)
	}
	m, err := ptx.Parse("f.ptx", []byte(homesHead+`
.func (.param .b32 r) f (.param .b32 a)
{
	.reg .b32 %r<3>, %h<256>;
	ld.param.b32 %r1, [a];
`+body.String()+`
	mov.b32 %r2, %r1;
	st.param.b32 [r], %r2;
	ret;
}`))
	require.NoError(t, err)
	found, none := 0, 0
	for _, target := range abi.Targets() {
		all := abi.RegRange(0, target.Regs.Last).Minus(lower.Reserved(target))
		for _, free := range []abi.RegSet{all, abi.RegRange(8, 12), abi.RegRange(24, 28), abi.RegRange(24, 27).Union(abi.Regs(33)), abi.RegRange(25, 29)} {
			homes := inSet{all.Minus(free)}
			temps, ok := lower.Temporaries(target, homes.RegSet)
			prog, err := lower.Module(m, target, lower.Options{Homes: homes, Slots: homes})
			if !ok {
				none++
				assert.Empty(t, temps)
				require.Error(t, err, "%s, %s", target.Name, free)
				assert.Contains(t, err.Error(), "carry no parameters", "%s, %s", target.Name, free)
				continue
			}
			found++
			require.NoError(t, err, "%s, %s", target.Name, free)
			assert.Equal(t, 5, temps.Len())
			assert.Equal(t, temps, temps.Intersect(free))
			quad := sass.Reg(0)
			for r := range temps.All() {
				if r%4 == 0 && temps.Has(r+1) && temps.Has(r+2) && temps.Has(r+3) {
					quad = r
				}
			}
			assert.Contains(t, prog.String(), fmt.Sprintf("LDL R%d, [R1", quad), "%s, %s", target.Name, free) // from slot to slot
		}
	}
	assert.Greater(t, found, 100)
	assert.Greater(t, none, 50)
}

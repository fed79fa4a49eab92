package lowertest_test

import (
	_ "embed"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// apartHomes gives each register of a function a random home of its own that all its calls
// leave alone, as long as there are any.
type apartHomes struct {
	t    *abi.Target
	m    *ptx.Module
	r    *rand.Rand
	free map[*ptx.Func]*abi.RegSet
	of   map[string]sass.Reg // RZ for none
}

func (h *apartHomes) Home(f *ptx.Func, v lower.Virtual) (sass.Reg, bool) {
	key := f.Name + " " + v.Name
	if home, ok := h.of[key]; ok {
		return home, home != sass.RZ
	}
	free := h.free[f]
	if free == nil {
		set := abi.RegRange(0, h.t.Regs.Last).Minus(lower.Reserved(h.t))
		for _, c := range resolve.NewTable(h.m).Calls(f) {
			set = set.Intersect(h.t.RegsWith(c.Signature.Preserve).CalleeSaved)
		}
		free = &set
		h.free[f] = free
	}
	h.of[key] = sass.RZ
	var fits []sass.Reg
	for reg := range free.All() {
		if int(reg)+v.Words > int(h.t.Regs.Last) || int(reg)%max(v.Align, 1) != 0 {
			continue
		}
		if abi.RegRange(reg, reg+sass.Reg(max(v.Words, 1)-1)).Minus(*free) == (abi.RegSet{}) {
			fits = append(fits, reg)
		}
	}
	if v.Words == 0 || len(fits) < 12 { // lowering needs some for itself
		return 0, false
	}
	home := fits[h.r.IntN(len(fits))]
	*free = free.Minus(abi.RegRange(home, home+sass.Reg(v.Words-1)))
	h.of[key] = home
	return home, true
}

// allocated is a backend that prints what package lower makes with random homes.
func allocated(t *abi.Target, r *rand.Rand) lowertest.Compiler {
	return func(src []byte) (string, error) {
		m, err := ptx.Parse("module.ptx", src)
		if err != nil {
			return "", err
		}
		homes := &apartHomes{t: t, m: m, r: r, free: make(map[*ptx.Func]*abi.RegSet), of: make(map[string]sass.Reg)}
		prog, err := lower.Module(m, t, lower.Options{Homes: homes})
		if err != nil {
			return "", err
		}
		return prog.String(), nil
	}
}

// TestRightFunctions holds that nothing is reported of functions that are right: 10,000 in
// the gate, half of them with registers that are allocated. Every byte of them is compared.
func TestRightFunctions(t *testing.T) {
	n := effort.Of(4, 970)
	var sum lowertest.ListingsReport
	for i, name := range []string{"sm_35", "sm_62", "sm_80", "sm_90", "sm_120"} {
		target := mustTarget(t, name)
		for _, backend := range []lowertest.Compiler{
			ours(target, func(*sass.Instr) {}),
			allocated(target, rand.New(rand.NewPCG(5, uint64(i)))),
		} {
			run, err := lowertest.CheckListings(target, uint64(100+i), n, backend)
			require.NoError(t, err)
			assert.Equal(t, run.Asked, run.Compared)
			assert.Greater(t, run.Bytes, 50*run.Compared)
			sum.Compared += run.Compared
			sum.Words += run.Words
			sum.Bytes += run.Bytes
			sum.Registers += run.Registers
		}
	}
	t.Logf("%d functions of the kit, %d words, %d bytes, %d registers", sum.Compared, sum.Words, sum.Bytes, sum.Registers)
}

// TestHomesAreSilent holds that listings with registers that are allocated are compared to
// the end, moves of numbers and registers among them.
func TestHomesAreSilent(t *testing.T) {
	target := mustTarget(t, "sm_80")
	homes := fixedHomes{"%r1": 24, "%r2": 4, "%r3": 25, "%r4": 26, "%r5": 27}
	listing := lowered(t, silentModule, target, homes)
	r := compared(t, []byte(silentModule), listing, target)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.NotCompared)
	assert.Equal(t, 12, r.Bytes)
	listing = strings.Replace(listing, "mad.lo.s32 R27, R26, R4, R25", "mad.lo.s32 R27, R26, R25, R4", 1)
	r = compared(t, []byte(silentModule), listing, target)
	require.Len(t, r.Differences, 1)
	assert.Contains(t, r.Differences[0].String(), "R5 should hold argument b (what line 15 of the source, `mad.lo.s32 %r5, %r4, %r2, %r3`, computes)")
}

// TestUnknownCodeCosts holds that an instruction that is not known costs what depends on
// it and nothing else.
func TestUnknownCodeCosts(t *testing.T) {
	for _, name := range plantedTargets {
		target := mustTarget(t, name)
		p := planted{
			fn: "f", find: `(?m)^(\tMOV R36, R8 ;.*\n)`,
			put: "$1\tSTG.E [R4.64], R26 ;\n\tLDG.E R12, [R4.64] ;\n\tSECRET.NEW R8, R26, R31 ;\n",
		}
		r := compared(t, []byte(plantedModule), p.edited(t, listingOf(t, target)), target)
		assert.Empty(t, r.Differences, "%s", r.Differences)
		assert.Empty(t, r.NotFollowed)
		require.Len(t, r.NotCompared, 2, "the upper half of y, which is moved after it, and what the source does not store")
		assert.Contains(t, r.NotCompared[1].String(), "memory at +0x0 from parameter c, which R4 held at entry should be left alone if the source does not write it")
		assert.Contains(t, r.NotCompared[0].String(), "R7 should hold bytes 4 to 8 of argument b")
		assert.Contains(t, r.NotCompared[0].Got, "SECRET.NEW R8, R26, R31`, may have left: it is not known")
	}
}

//go:embed testdata/text/silentModule.ptx
var silentModule string

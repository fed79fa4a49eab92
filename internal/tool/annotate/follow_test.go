package annotate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// tangle is code of n lines that goes everywhere: jumps to labels, by addresses and through
// registers, joins, calls, values that are copied, computed, stored and loaded.
func tangle(rng *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString("\t.target sm_80\n.text.f:\n")
	labels := 1 + rng.IntN(n)
	reg := func() int { return rng.IntN(12) }
	label := func() string { return fmt.Sprintf(".L_%d", rng.IntN(labels)) }
	for i := range n {
		if rng.IntN(n) < labels {
			fmt.Fprintf(&b, "%s:\n", label())
		}
		guard := []string{"", "", "@P0 "}[rng.IntN(3)]
		op := ""
		switch rng.IntN(22) {
		case 0, 1:
			op = "BRA `(" + label() + ")"
		case 2:
			op = fmt.Sprintf("BRA %#x", 16*rng.IntN(n))
		case 3:
			op = "BSSY B0, `(" + label() + ")"
		case 4:
			op = "BSYNC B0"
		case 5:
			op = []string{"EXIT", "RET.ABS.NODEC R20 0x0", "BRX R4 -0x10"}[rng.IntN(3)]
		case 6:
			op = "CALL.REL.NOINC `(" + label() + ")"
		case 7:
			op = "CALL.ABS.NOINC `(g)"
		case 8, 9, 10, 11:
			op = fmt.Sprintf("MOV R%d, R%d", reg(), reg())
		case 12:
			op = fmt.Sprintf("FADD R%d, R%d, R%d", reg(), reg(), reg())
		case 13, 14:
			op = fmt.Sprintf("STL [R1+%#x], R%d", 4*rng.IntN(6), reg())
		case 15, 16:
			op = fmt.Sprintf("LDL R%d, [R1+%#x]", reg(), 4*rng.IntN(6))
		case 17:
			op = fmt.Sprintf("IADD3 R%d, R1, %#x, RZ", reg(), 4*rng.IntN(6))
		case 18:
			op = fmt.Sprintf("STL [R%d+0x4], R%d", reg(), reg())
		case 19:
			op = "LOP3.LUT R1, R1, 0xfffffff0, RZ, 0xc0, !PT"
		case 20:
			op = "ST.E [R2.64], R4"
		default:
			op = fmt.Sprintf("UMOV UR%d, UR%d", reg(), reg())
		}
		fmt.Fprintf(&b, "        /*%04x*/ %s%s ;\n", 16*i, guard, op)
	}
	return b.String()
}

// slowly follows values as simply as can be: whatever may follow an instruction gets what is
// known after it, until nothing changes. The states are those before each instruction, as
// facts, nil where control never comes.
func slowly(fn *function) [][]fact {
	n := len(fn.code)
	before := make([]snapshot, n)
	s := new(state)
	fn.enter(s)
	before[0].save(s)
	for changed := true; changed; {
		changed = false
		for i := range fn.code {
			if !before[i].reached {
				continue
			}
			before[i].load(s)
			fn.step(s, i)
			in := &fn.code[i]
			var next []int32
			if in.on {
				next = append(next, int32(i+1))
			}
			next = append(next, in.goals...)
			if in.joins {
				next = append(next, fn.graph.joins...)
			}
			if in.labels {
				next = append(next, fn.graph.labels...)
			}
			for _, to := range next {
				if !before[to].reached {
					before[to].save(s)
					changed = true
				} else if before[to].meet(s) {
					changed = true
				}
			}
		}
	}
	out := make([][]fact, n)
	for i := range before {
		if before[i].reached {
			out[i] = append([]fact{}, before[i].facts...)
		}
	}
	return out
}

// TestFollow holds that what is known at each place is what the simple way finds, in
// functions where control goes everywhere.
func TestFollow(t *testing.T) {
	row := must.Target(t, "sm_80")
	rng := rand.New(rand.NewPCG(24, 4))
	g := unknown("g", false, row)
	lost := 0
	rounds := effort.Of(400, 1500)
	for round := range rounds {
		text := tangle(rng, 1+rng.IntN(40))
		r := NewReader("x", strings.NewReader(text))
		section, err := r.Next()
		for err == nil && section.Func == nil {
			section, err = r.Next()
		}
		require.NoError(t, err, text)
		fn := analyze(&section.code, unknown("f", false, row), row, map[string]*Func{"g": g})
		require.False(t, fn.tangled, text)
		if fn.graph.lost {
			lost++
			continue
		}
		want := slowly(fn)
		if len(fn.blocks) > entryBlock {
			require.NotNil(t, want[0])
		}
		fn.walk(func(i int, s *state) {
			var got snapshot
			got.save(s)
			if want[i] == nil { // nothing is known where control never comes
				return
			}
			order := func(a, b fact) int {
				return cmp.Or(cmp.Compare(a.reg, b.reg), cmp.Compare(a.at.base, b.at.base), cmp.Compare(a.at.off, b.at.off))
			}
			slices.SortFunc(got.facts, order)
			slices.SortFunc(want[i], order)
			require.True(t, slices.Equal(want[i], got.facts), "round %d, instruction %d: %v is known, expected %v\n%s", round, i, got.facts, want[i], text)
		})
	}
	require.Less(t, lost, rounds/10)
}

package simtest

import (
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// preserveText is the directive .abi_preserve, "" for none.
func preserveText(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(" .abi_preserve %d", *n)
}

// directives are those after the formals of a function.
func (s *simSpec) directives() string {
	text := preserveText(s.Preserve)
	if s.Border != nil {
		text += fmt.Sprintf(" .abi_preserve_control %d", *s.Border)
	}
	return text
}

func (s *simSpec) anyPreserve() bool {
	return s.Preserve != nil || s.Border != nil || s.Mid != nil || s.Inner != nil && s.Inner.Preserve != nil
}

// preserve gives the functions of a program the directive at random, where the
// target knows it and their values find a place.
func (s *simSpec) preserve(t *abi.Target) {
	most := t.Passing.Preserving.Most
	r := rand.New(rand.NewPCG(s.Seed, 0x9e5))
	if most == 0 || r.IntN(3) != 0 {
		return
	}
	number := func() *int {
		if r.IntN(3) == 0 {
			return nil
		}
		n := []int{r.IntN(4), r.IntN(16), r.IntN(60), r.IntN(most + 1)}[r.IntN(4)]
		return &n
	}
	s.Preserve, s.Mid = s.placed(t, number()), number()
	if s.Inner != nil {
		s.Inner.Preserve = s.Inner.placed(t, number())
	}
	if r.IntN(4) == 0 {
		n := r.IntN(12)
		s.Border = &n
	}
}

func (s *simSpec) withoutPreserve() {
	s.Preserve, s.Mid, s.Border = nil, nil, nil
	if s.Inner != nil {
		s.Inner.Preserve = nil
	}
}

// placed returns n, nil where the function's values have no place with it, or
// take nearly all registers.
func (s *simSpec) placed(t *abi.Target, n *int) *int {
	if n == nil {
		return nil
	}
	var sg abi.Signature
	for _, p := range s.formals() {
		sg.Params = append(sg.Params, abi.Value{Size: p.size(), Align: p.align()})
	}
	if s.Tail != nil {
		sg.Params = append(sg.Params, abi.Value{Align: s.Tail.Align, Kind: abi.Unsized})
	}
	if s.Result != nil {
		sg.Results = []abi.Value{{Size: s.Result.size(), Align: s.Result.align()}}
	}
	sg.Preserve = abi.Preserve{Given: true, N: *n}
	as, err := abi.Assign(sg, t)
	if err != nil {
		return nil
	}
	words := 0
	for _, p := range append(as.Params, as.Results...) {
		words += p.Words()
	}
	if words > 96 && s.Spills {
		return nil // with homes and slots beside them there may be too few registers
	}
	return n
}

// conventionOf is what a function with the directive does to registers.
func conventionOf(t *abi.Target, p abi.Preserve) *sim.Convention {
	regs := t.RegsWith(p)
	return &sim.Convention{
		RetAddr:   regs.RetAddr,
		Preserved: slices.DeleteFunc(slices.Collect(regs.CalleeSaved.All()), func(r sass.Reg) bool { return r == regs.SP }),
		Scratch:   slices.Collect(regs.CallerSaved.All()),
	}
}

// preservedBy returns the registers that a call in f preserves.
func (h *randomHomes) preservedBy(f *ptx.Func, c *ptx.Call) abi.RegSet {
	if h.mod == nil {
		return h.t.Regs.CalleeSaved
	}
	table := resolve.NewTable(h.mod)
	name := c.Callee.Name()
	for _, s := range f.Body {
		switch s := s.(type) {
		case *ptx.Prototype:
			if s.Name == c.Proto.Name() {
				return h.t.RegsWith(resolve.NewPrototype(nil, s).Signature().Preserve).CalleeSaved
			}
		case *ptx.TargetList:
			if s.Name == c.Proto.Name() {
				name = s.Names[0].Text
			}
		}
	}
	return h.t.RegsWith(resolve.NewFunction(nil, table.Lookup(name).Func).Signature().Preserve).CalleeSaved
}

// preserveModule has functions that preserve less than their callers, more, and
// other registers; one with parameters on the stack moves its stack pointer where
// nothing is preserved that could keep the old one.
//
//go:embed testdata/text/preserveModule.ptx
var preserveModule string

// preserveTargets are the distinct targets that know the directive.
func preserveTargets() []*abi.Target {
	return slices.DeleteFunc(distinctTargets(), func(t *abi.Target) bool { return t.Passing.Preserving.Most == 0 })
}

func TestPreserveDefectsAreNoticed(t *testing.T) {
	mod := must.Parse(t, "preserve.ptx", []byte(preserveModule))
	saved := func(note string, r sass.Reg) func(in *sass.Instr) bool {
		return func(in *sass.Instr) bool { return in.Note == note && slices.Contains(in.Args, sass.R(r)) }
	}
	require.NotEmpty(t, preserveTargets())
	for _, target := range preserveTargets() {
		for _, homes := range []lower.Homes{nil, &randomHomes{t: target, seed: 3, mod: mod}} {
			n, err := runModule(mod, target, 1, homes, nil)
			require.NoError(t, err, target.Name)
			require.Equal(t, n.observed, n.defined)
			require.Equal(t, 4, n.calls)
		}
		for _, d := range []defect{
			{"what a callee does not preserve is not saved", first("many", saved("saved", 37), nothing)},
			{"what a callee does not preserve is not restored", first("many", saved("restored", 37), nothing)},
			{"two saved registers swapped", first("many", saved("saved", 37), func(in *sass.Instr) { in.Args[1].Reg++ })},
			{"a plain caller does not save", first("plain", saved("saved", 17), nothing)},
			{"its own return address not saved", first("many", saved("saved", 54), nothing)},
			{"the return address where plain callees have it", each("many", func(in *sass.Instr) bool {
				return in.Op == "MOV" && (in.Args[1].Kind == sass.Lo32 || in.Args[1].Kind == sass.Hi32)
			}, func(in *sass.Instr) { in.Args[0].Reg += 6 })},
			{"a return through R20", first("many", func(in *sass.Instr) bool { return in.Op == "RET.ABS.NODEC" }, func(in *sass.Instr) {
				in.Args[0] = sass.R(20)
			})},
			{"an argument where plain callees have it", first("plain", func(in *sass.Instr) bool {
				return in.Op == "MOV" && isReg(in.Args[0], 20, 30) && strings.HasPrefix(in.Note, "x[")
			}, func(in *sass.Instr) { in.Args[0] = sass.R(4) })},
			{"the old stack pointer not kept", first("plain", func(in *sass.Instr) bool {
				return in.Note == "stack pointer at entry" && strings.HasPrefix(in.Op, "STL")
			}, nothing)},
		} {
			_, err := runModule(mod, target, 1, nil, d.change)
			if assert.Error(t, err, "%s on %s", d.name, target.Name) {
				assert.False(t, errors.Is(err, errUnchanged), "%s on %s: there is nothing to break", d.name, target.Name)
			}
		}
	}
}

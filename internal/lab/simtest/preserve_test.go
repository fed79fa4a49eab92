package simtest

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
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
// target has it and their values find a place.
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

// conventionOf is the convention of a function with the directive.
func conventionOf(t *abi.Target, p abi.Preserve) *sim.Convention {
	regs := t.RegsWith(p)
	conv := sim.ConventionOf(&regs)
	return &conv
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

func knowsPreserve(t *abi.Target) bool { return t.Passing.Preserving.Most != 0 }

// TestPreserve executes functions that preserve other registers, with homes and without.
func TestPreserve(t *testing.T) {
	mod := must.Parse(t, "preserve.ptx", []byte(preserveModule))
	for _, target := range slices.DeleteFunc(distinctTargets(), func(t *abi.Target) bool { return !knowsPreserve(t) }) {
		for _, homes := range []lower.Homes{nil, &randomHomes{t: target, seed: 3, mod: mod}} {
			n, err := runModule(mod, target, 1, homes, nil)
			require.NoError(t, err, target.Name)
			require.Equal(t, n.observed, n.defined)
			require.Equal(t, 4, n.calls)
		}
	}
}

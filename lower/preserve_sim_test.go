package lower_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/internal/sim"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// preserveText is the directive .abi_preserve, "" for none.
func preserveText(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(" .abi_preserve %d", *n)
}

// directives are those behind the formals of a function.
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

// placed returns n, nil where the function's values have no place with it, or
// where its stack pointer would have none.
func (s *simSpec) placed(t *abi.Target, n *int) *int {
	if n == nil || s.Alloca && (*n == 0 || *n == 2) {
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
	if _, err := abi.Assign(sg, t); err != nil {
		return nil
	}
	return n
}

// conventionOf is what a function with the directive does to registers.
func conventionOf(t *abi.Target, p abi.Preserve) *sim.Convention {
	regs := t.RegsWith(p)
	return &sim.Convention{
		RetAddr:   regs.RetAddr,
		Preserved: slices.DeleteFunc(slices.Collect(regs.Preserved.All()), func(r sass.Reg) bool { return r == regs.SP }),
		Scratch:   slices.Collect(regs.Scratch.All()),
	}
}

// preservedBy returns the registers that a call in f preserves.
func (h *randomHomes) preservedBy(f *ptx.Func, c *ptx.Call) abi.RegSet {
	if h.mod == nil {
		return h.t.Regs.Preserved
	}
	table := sig.NewTable(h.mod)
	name := c.Callee.Name()
	for _, s := range f.Body {
		switch s := s.(type) {
		case *ptx.Prototype:
			if s.Name == c.Proto.Name() {
				return h.t.RegsWith(sig.Prototype(s).Preserve).Preserved
			}
		case *ptx.TargetList:
			if s.Name == c.Proto.Name() {
				name = s.Names[0].Text
			}
		}
	}
	return h.t.RegsWith(sig.Func(table.Lookup(name).Func).Preserve).Preserved
}

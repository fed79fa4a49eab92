package probe

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

var modern = abitest.Dialect{SM: 90, PTX: ptx.Version{Major: 8, Minor: 4}, MaxKernel: 32764, MaxFunction: 4096}

// TestAccesses holds that a probe touches every byte of a small formal once,
// the first and last bytes of a large one, and no kernel parameter by more than
// its alignment.
func TestAccesses(t *testing.T) {
	for size := 1; size <= 4*(maxAccesses-2); size++ {
		next := 0
		for _, a := range accesses(abitest.Formal{Type: "b8", Len: size}, size, 100, false) {
			assert.Equal(t, next, a.Off)
			assert.Equal(t, 100+a.Off, a.Global)
			next += a.Size
		}
		assert.Equal(t, size, next)
	}
	large := accesses(abitest.Formal{Type: "b8", Len: 4095}, 4095, 0, false)
	assert.LessOrEqual(t, len(large), maxAccesses)
	assert.Equal(t, Access{0, 4, 0, ""}, large[0])
	assert.Equal(t, Access{4094, 1, 4094, ""}, large[len(large)-1])

	assert.Equal(t, []Access{{0, 1, 0, ""}, {1, 1, 1, ""}, {2, 1, 2, ""}}, accesses(abitest.Formal{Type: "b8", Len: 3}, 3, 0, true))
	assert.Equal(t, []Access{{0, 2, 0, ""}, {2, 2, 2, ""}}, accesses(abitest.Formal{Type: "b16", Len: 2}, 4, 0, true))
	assert.Equal(t, []Access{{0, 8, 0, ".x"}, {8, 8, 8, ".y"}}, accesses(abitest.Formal{Reg: true, Type: "f64", Vec: 2}, 16, 0, false))
}

// TestThin holds that a probe that is made smaller keeps the ends of every
// formal and the numbers of those it leaves.
func TestThin(t *testing.T) {
	s := &abitest.Function{
		Result: &abitest.Formal{Type: "b8", Len: 11},
		Params: []abitest.Formal{{Reg: true, Type: "f64", Vec: 2}, {Type: "b8", Len: 22}, {Type: "b8"}},
	}
	p := New(s, 0)
	p.Thin()
	assert.Equal(t, [][]Access{
		{{0, 8, 0, ".x"}, {8, 8, 8, ".y"}},
		{{0, 4, 16, ""}, {12, 4, 28, ""}, {20, 2, 36, ""}},
		{{0, 1, 48, ""}},
	}, p.Params)
	assert.Equal(t, []Access{{0, 4, resultArea, ""}, {8, 2, resultArea + 8, ""}, {10, 1, resultArea + 10, ""}}, p.Result)
}

// TestDeclarations holds that a probe's PTX says, to the parser and the road
// from there to a signature, what the probe was made from: what is compared
// with ptxas is what a user gets.
func TestDeclarations(t *testing.T) {
	for i := range 300 {
		s := abitest.Random(3, i, modern)
		if !s.Kernel && i%4 == 0 {
			s.Preserve = abi.Preserve{Given: true, N: i % 41}
		}
		p := New(s, i)
		m := must.Parse(t, "probe.ptx", []byte(Module([]*Probe{p}, "sm_90", modern.PTX, false)))
		s.Tail = 0 // what callers pass is not declared
		found := 0
		for _, item := range m.Items {
			f, ok := item.(*ptx.Func)
			if !ok || f.Name == p.Caller() {
				continue
			}
			found++
			assert.Equal(t, s.ABI(), resolve.NewFunction(nil, f).Signature(), "%s", s)
		}
		if s.Kernel {
			assert.Equal(t, 1, found)
		} else {
			assert.Equal(t, 2, found, "definition and declaration")
		}
	}
}

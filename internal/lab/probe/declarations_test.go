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

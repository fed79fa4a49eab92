package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestAccessWithoutVolume checks a tree that was built by hand: the bytes of an access are
// those of its type and vector where Volume does not say.
func TestAccessWithoutVolume(t *testing.T) {
	access := func(off int64) *ptx.Module {
		reg := ptx.Operand{Kind: ptx.KindName, Text: "%r"}
		return &ptx.Module{Version: ptx.Version{Major: 8, Minor: 3}, Target: "sm_80", AddressSize: 64, Items: []ptx.Item{&ptx.Func{
			Linkage: ptx.Visible, Name: "f", HasBody: true, HasParams: true,
			Params: []ptx.Formal{{Spec: ptx.Spec{Space: ptx.ParamSpace, Align: 8, Type: ptx.B8}, Var: ptx.Var{Name: "a", Dims: []int64{16}}}},
			Body: []ptx.Stmt{
				&ptx.Decl{Spec: ptx.Spec{Space: ptx.RegSpace, Type: ptx.B32}, Vars: []ptx.Var{{Name: "%r"}}},
				&ptx.Access{Type: ptx.B32, Regs: []ptx.Operand{reg}, Addr: ptx.Address{Base: "a", Off: off}},
			},
		}}}
	}
	assert.Empty(t, check.Module(access(8), check.Options{Compile: true}).Errors())
	list := check.Module(access(16), check.Options{Compile: true})
	if assert.Len(t, list, 1) {
		assert.Contains(t, list[0].Msg, "16")
	}
}

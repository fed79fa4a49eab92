package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestHandMade checks a module of nodes that nobody has filled in, and one that is as a
// person would build it.
func TestHandMade(t *testing.T) {
	empty := &ptx.Module{Items: []ptx.Item{
		&ptx.Func{}, &ptx.Prototype{}, &ptx.TargetList{}, &ptx.Raw{}, &ptx.Directive{},
		&ptx.Func{Name: "f", HasBody: true, Body: []ptx.Stmt{
			&ptx.Access{}, &ptx.Access{Type: ptx.B32, Addr: ptx.Address{Base: "x"}}, &ptx.Call{}, &ptx.Instr{}, &ptx.Label{}, &ptx.Decl{}, &ptx.Close{}, &ptx.Open{},
			&ptx.Prototype{}, &ptx.TargetList{}, &ptx.Directive{}, &ptx.Raw{}, &ptx.Func{},
		}},
	}}
	for _, opts := range []check.Options{{}, {Compile: true, Pedantic: true}} {
		assert.NotEmpty(t, check.Module(empty, opts).Error())
	}
	x := ptx.Formal{Spec: ptx.Spec{Space: ptx.ParamSpace, Type: ptx.B32}, Var: ptx.Var{Name: "x"}}
	r := []ptx.Operand{{Kind: ptx.KindName, Text: "%r"}}
	m := &ptx.Module{Version: ptx.Version{Major: 8}, Target: "sm_80", AddressSize: 64, Items: []ptx.Item{
		&ptx.Func{Linkage: ptx.Visible, Name: "f", HasParams: true, Params: []ptx.Formal{x}, HasBody: true, Body: []ptx.Stmt{
			&ptx.Decl{Spec: ptx.Spec{Space: ptx.RegSpace, Type: ptx.B32}, Vars: []ptx.Var{{Name: "%r"}}},
			&ptx.Access{Type: ptx.B32, Regs: r, Addr: ptx.Address{Base: "x"}},
			&ptx.Instr{Op: "ret"},
		}},
	}}
	assert.Empty(t, check.Module(m, check.Options{Compile: true}))
	again, list := check.Source("x.ptx", m.AppendText(nil), check.Options{Compile: true})
	assert.Empty(t, list)
	assert.Equal(t, string(m.AppendText(nil)), string(again.AppendText(nil)))
}

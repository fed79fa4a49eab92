package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestHandMade checks a module of nodes that nothing has filled in, and one that is as a
// person would build it.
func TestHandMade(t *testing.T) {
	empty := &ptx.Module{Items: []ptx.Item{
		&ptx.Func{}, &ptx.Prototype{}, &ptx.TargetList{}, &ptx.Raw{}, &ptx.Directive{},
		&ptx.Func{Name: "f", HasBody: true, Body: []ptx.Stmt{
			&ptx.Access{}, &ptx.Access{Type: ptx.B32, Addr: ptx.Address{Base: "x"}}, &ptx.Call{}, &ptx.Instr{}, &ptx.Label{}, &ptx.Decl{}, &ptx.Close{}, &ptx.Open{},
			&ptx.Prototype{}, &ptx.TargetList{}, &ptx.Directive{}, &ptx.Raw{}, &ptx.Func{},
		}},
	}}
	for _, opts := range []check.Options{{}, {Compile: true, Pedantic: true, Release: ptx.Version{Major: 12, Minor: 4}}} {
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

// TestValidate checks trees that no text can have.
func TestValidate(t *testing.T) {
	reg := []ptx.Operand{{Kind: ptx.KindName, Text: "%r"}}
	x := ptx.Address{Base: "x"}
	for want, s := range map[string]ptx.Stmt{
		"it is nil; leave it out":                                            nil,
		"no Close ends this block; add one":                                  &ptx.Open{},
		"this Close ends no block; drop it, or add an Open before it":        &ptx.Close{},
		"a label has no name; set Name":                                      &ptx.Label{},
		"variable 0 of the declaration has no name; set Name":                &ptx.Decl{Vars: []ptx.Var{{}}},
		"an instruction has no opcode; set Op":                               &ptx.Instr{},
		"a guard has no name; set Name":                                      &ptx.Instr{Op: "ret", Guard: &ptx.Guard{}},
		"an operand has no name; set Text":                                   &ptx.Instr{Op: "mov.b32", Operands: []ptx.Operand{{Kind: ptx.KindName}}},
		"a call has no callee; set Callee":                                   &ptx.Call{},
		"its Args and its Operands name different things; leave Args empty":  &ptx.Instr{Op: "mov.b32", Args: "%a, %b", Operands: []ptx.Operand{{Kind: ptx.KindName, Text: "%a"}}},
		"ld.global.b32 is no access of a parameter; make it an Instr":        &ptx.Access{Instr: ptx.Instr{Op: "ld.global.b32"}, Type: ptx.B32, Regs: reg, Addr: x},
		"result 0 has no name; set Name, to _ if it has none":                &ptx.Prototype{Name: "p", Results: make([]ptx.Formal, 1)},
		"a prototype has no name; set Name":                                  &ptx.Prototype{},
		"a list of targets has no name; set Name":                            &ptx.TargetList{},
		"a function has no name; set Name":                                   &ptx.Func{},
		"function g: parameter 0 has no name; set Name, to _ if it has none": &ptx.Func{Name: "g", Params: make([]ptx.Formal, 1)},
		"its opcode is ld.param.b32, and its fields are those of st.param.b32; leave Op empty, or let the fields say the same":    &ptx.Access{Instr: ptx.Instr{Op: "ld.param.b32"}, Store: true, Type: ptx.B32, Regs: reg, Addr: x},
		"its opcode is ld.param.v2.b32, and its fields are those of ld.param.b32; leave Op empty, or let the fields say the same": &ptx.Access{Instr: ptx.Instr{Op: "ld.param.v2.b32"}, Type: ptx.B32, Regs: reg, Addr: x},
	} {
		m := &ptx.Module{Version: ptx.Version{Major: 8}, Target: "sm_80", AddressSize: 64, Items: []ptx.Item{&ptx.Func{Name: "f", HasBody: true, Body: []ptx.Stmt{&ptx.Instr{Op: "ret"}, s}}}}
		list := check.Module(m, check.Options{})
		require.Len(t, list, 1, want)
		assert.Equal(t, "statement 1 of function f: "+want, list[0].Msg)
		assert.Equal(t, ptx.BadSyntax, list[0].Code)
	}
	m := &ptx.Module{Items: []ptx.Item{
		nil, &ptx.Func{}, (*ptx.Func)(nil), &ptx.Decl{Vars: make([]ptx.Var, 1)}, &ptx.Func{Name: "f", HasBody: true, Body: []ptx.Stmt{(*ptx.Func)(nil)}},
	}}
	assert.Len(t, check.Module(m, check.Options{}), 5)

	m, err := ptx.ParseString("x.ptx", ".version 8.0\n.target sm_80\n.func f() { ret; }\n")
	require.NoError(t, err)
	require.Empty(t, m.Validate())
	f := m.Items[2].(*ptx.Func)
	f.Body = append(f.Body, &ptx.Open{}, nil)
	assert.Len(t, check.Module(m, check.Options{}), 2)
}

package ptx_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// forget clears the text that the nodes of a tree keep of their source, where
// their other fields say the same.
func forget(m *ptx.Module) {
	for _, it := range m.Items {
		switch it := it.(type) {
		case *ptx.Func:
			it.Head = ""
			for _, s := range it.Body {
				forgetStmt(s)
			}
		case ptx.Stmt:
			forgetStmt(it)
		}
	}
}

func forgetStmt(s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Decl:
		s.Text = ""
	case *ptx.Prototype:
		s.Text = ""
	case *ptx.TargetList:
		s.Text = ""
	case *ptx.Func:
		s.Head = ""
	case *ptx.Call:
		s.Args = ""
		forgetOperands(s.Results)
		forgetOperands(s.Params)
	case *ptx.Access:
		s.Args = ""
		forgetOperands(s.Regs)
	}
}

func forgetOperands(list []ptx.Operand) {
	for i := range list {
		switch o := &list[i]; o.Kind {
		case ptx.KindName, ptx.KindOther:
		case ptx.KindSum:
			o.Text = o.Name()
		default:
			o.Text = ""
			forgetOperands(o.Elems)
		}
	}
}

// requireFieldsSuffice checks that a tree without the text it keeps prints as
// one that parses to the same tree.
func requireFieldsSuffice(t *testing.T, name string, src []byte) {
	t.Helper()
	m := must.Parse(t, name, src)
	forget(m)
	out := m.AppendText(nil)
	again, err := ptx.Parse(name, out)
	require.NoError(t, err, "%s", out)
	forget(again)
	requireSameTree(t, m, again)
}

func TestFieldsOfRealModules(t *testing.T) {
	for _, f := range realFiles(t) {
		t.Run(filepath.Base(f), func(t *testing.T) {
			src := must.Read(t, f)
			requireFieldsSuffice(t, f, src)
		})
	}
}

// TestHandMade prints nodes that no parser made, with as few fields as they
// may have.
func TestHandMade(t *testing.T) {
	name := func(s string) ptx.Operand { return ptx.Operand{Kind: ptx.KindName, Text: s} }
	m := &ptx.Module{Items: []ptx.Item{
		&ptx.Directive{Name: ".version", Args: "8.0"},
		&ptx.Directive{Name: ".target", Args: "sm_90"},
		&ptx.Directive{Name: ".pragma", Args: `"nounroll"`, Semi: true},
		&ptx.Raw{Text: "@@DWARF .byte 1"},
		&ptx.Decl{
			Linkage: ptx.Extern,
			Spec:    ptx.Spec{Space: ptx.ConstSpace, Bank: 2, Align: 8, Vec: 2, Type: ptx.F32, Attr: ".managed"},
			Vars: []ptx.Var{
				{Name: "a", Dims: []int64{ptx.NoExtent, 4}},
				{Name: "b", Init: "{ 1 , 2 }"},
			},
		},
		&ptx.Func{
			Linkage: ptx.Visible, Entry: true, Name: "k",
			Params: []ptx.Formal{{
				Spec: ptx.Spec{
					Space: ptx.ParamSpace, Type: ptx.U64,
					Ptr: &ptx.Ptr{Space: ptx.ConstSpace, Bank: 3, Align: 16},
				},
				Var: ptx.Var{Name: "p"},
			}, {
				Spec: ptx.Spec{Space: ptx.ParamSpace, Type: ptx.U64, Ptr: &ptx.Ptr{Handle: ptx.TexRef}},
				Var:  ptx.Var{Name: "q"},
			}},
			Directives: []ptx.Directive{{Name: ".maxntid", Args: "16"}, {Name: ".noreturn"}},
		},
		&ptx.Func{
			Name: "f", Attr: ".unified(1, 2)", HasBody: true, HasParams: true,
			Results: []ptx.Formal{{
				Spec: ptx.Spec{Space: ptx.ParamSpace, Align: 4, AlignLate: true, Type: ptx.B8},
				Var:  ptx.Var{Name: "r", Dims: []int64{12}},
			}},
			Body: []ptx.Stmt{
				&ptx.Decl{Spec: ptx.Spec{Space: ptx.RegSpace, Type: ptx.B32}, Vars: []ptx.Var{{Name: "%r", Count: 4}}},
				&ptx.Prototype{
					Name: "P", Params: []ptx.Formal{{Spec: ptx.Spec{Space: ptx.RegSpace, Type: ptx.S32}, Var: ptx.Var{Name: "_"}}},
					Directives: []ptx.Directive{{Name: ".noreturn"}},
				},
				&ptx.TargetList{Name: "T", Names: []ptx.Operand{name("g"), name("h")}},
				&ptx.TargetList{Name: "B", Branch: true, Names: []ptx.Operand{name("L")}},
				&ptx.Func{Name: "g", Linkage: ptx.Extern},
				&ptx.Label{Name: "L"},
				&ptx.Open{},
				&ptx.Close{},
				&ptx.Instr{Op: "bra", Args: "L", Guard: &ptx.Guard{Name: "%p", Neg: true}},
				&ptx.Call{Instr: ptx.Instr{Op: "call"}, Callee: name("g")},
				&ptx.Call{
					Instr:   ptx.Instr{Op: "call.uni", Guard: &ptx.Guard{Name: "%p"}},
					Uni:     true,
					Results: []ptx.Operand{{Kind: ptx.KindSink}},
					Callee:  name("%rd1"),
					Params: []ptx.Operand{
						{Kind: ptx.KindInt, Bits: 1<<64 - 1},
						{Kind: ptx.KindFloat, Bits: 0x3f800000, FloatSize: 4},
						{Kind: ptx.KindFloat, Bits: 0x3ff0000000000000, FloatSize: 8},
						{Kind: ptx.KindFloat, Bits: 0x3ff8000000000000},
						{Kind: ptx.KindVector, Elems: []ptx.Operand{name("a"), name("b")}},
					},
					Proto: name("P"),
				},
				&ptx.Access{
					Instr: ptx.Instr{Op: "ld.param.v2.b32"}, Vec: 2, Type: ptx.B32,
					Regs: []ptx.Operand{name("a"), {Kind: ptx.KindSink}}, Addr: ptx.Address{Base: "x", Off: -4},
				},
				&ptx.Access{
					Instr: ptx.Instr{Op: "st.param.v2.b32"}, Store: true, Vec: 2, Whole: true, Type: ptx.B32,
					Regs: []ptx.Operand{name("v")}, Addr: ptx.Address{Base: "x", Off: 2, Indexed: true},
				},
				&ptx.Access{
					Instr: ptx.Instr{Op: "st.param.b32"}, Store: true, Type: ptx.B32,
					Regs: []ptx.Operand{{Kind: ptx.KindInt, Bits: 7}}, Addr: ptx.Address{Off: 16},
				},
				&ptx.Access{
					Instr: ptx.Instr{Op: "ld.param.b32"}, Type: ptx.B32,
					Regs: []ptx.Operand{name("%v.x")}, Addr: ptx.Address{Base: "x", Off: -8, Minus: true},
				},
				&ptx.Directive{Name: ".loc", Args: "1 2 3"},
				&ptx.Raw{Text: "@@DWARF .byte 2"},
				&ptx.Instr{Op: "add.s32", Args: "a, // b\n\tb"},
				&ptx.Instr{Op: "ret"},
			},
		},
	}}
	want := string(must.Read(t, "testdata/handmade.ptx"))
	require.Equal(t, want, string(m.AppendText(nil)))
	var b strings.Builder
	n, err := m.WriteTo(&b)
	require.NoError(t, err)
	require.EqualValues(t, len(want), n)
	require.Equal(t, want, b.String())
	requireFieldsSuffice(t, "hand.ptx", []byte(want))
}

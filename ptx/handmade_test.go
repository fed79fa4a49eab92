package ptx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestHandMadeOpcodes prints accesses and calls whose opcodes are left to their fields.
func TestHandMadeOpcodes(t *testing.T) {
	reg := []ptx.Operand{{Kind: ptx.KindName, Text: "%r"}}
	for want, s := range map[string]ptx.Stmt{
		"ld.param.b32 %r, [x];":          &ptx.Access{Type: ptx.B32, Regs: reg, Addr: ptx.Address{Base: "x"}},
		"st.param::func.u8 [x+4], %r;":   &ptx.Access{Store: true, Qual: ptx.FuncParam, Type: ptx.U8, Regs: reg, Addr: ptx.Address{Base: "x", Off: 4}},
		"ld.param.v2.f32 {%r, %r}, [x];": &ptx.Access{Type: ptx.F32, Vec: 2, Regs: append(reg, reg...), Addr: ptx.Address{Base: "x"}},
		"selp.b32 %r.x, !p, [x+4];": &ptx.Instr{Op: "selp.b32", Operands: []ptx.Operand{
			{Kind: ptx.KindName, Text: "%r", Elem: 'x'},
			{Kind: ptx.KindName, Text: "p", Neg: true},
			{Kind: ptx.KindAddress, Elems: []ptx.Operand{{Kind: ptx.KindSum, Bits: 4, Text: "x"}}},
		}},
		"call f;":                          &ptx.Call{Callee: ptx.Operand{Kind: ptx.KindName, Text: "f"}},
		"call.uni (%r), f, (%r);":          &ptx.Call{Uni: true, Callee: ptx.Operand{Kind: ptx.KindName, Text: "f"}, Results: reg, Params: reg},
		"@%p ld.param::entry.b64 %r, [x];": &ptx.Access{Instr: ptx.Instr{Guard: &ptx.Guard{Name: "%p"}}, Qual: ptx.EntryParam, Type: ptx.B64, Regs: reg, Addr: ptx.Address{Base: "x"}},
	} {
		assert.Equal(t, want, string(ptx.AppendStmt(nil, s)))
	}
}

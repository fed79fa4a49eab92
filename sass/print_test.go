package sass

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOperandText(t *testing.T) {
	tests := []struct {
		op   Operand
		want string
	}{
		{Operand{}, ""},
		{Register(0), "R0"},
		{Register(SP), "R1"},
		{Register(254), "R254"},
		{Register(RZ), "RZ"},
		{Register(3).Negated(), "-R3"},
		{Register(3).Negated().Negated(), "R3"},
		{Virtual("%r3", Whole), "%r3"},
		{Virtual("%r3", Whole).Negated(), "-%r3"},
		{Virtual("%rd1", Lo), "%rd1.lo"},
		{Virtual("%rd1", Hi), "%rd1.hi"},
		{Virtual("%q1", W0), "%q1.0"},
		{Virtual("%q1", W1), "%q1.1"},
		{Virtual("%q1", W2), "%q1.2"},
		{Virtual("%q1", W3), "%q1.3"},
		{Const(0, 0x160), "c[0x0][0x160]"},
		{Const(3, 0), "c[0x3][0x0]"},
		{Const(0, 0x1a80), "c[0x0][0x1a80]"},
		{Operand{Kind: KindConst, Name: "%r1", Off: 0x160}, "c[0x0][%r1+0x160]"},
		{Operand{Kind: KindConst, Name: "%r1"}, "c[0x0][%r1]"},
		{Operand{Kind: KindConst, Name: "%rd1", Off: 0x210, Part: Lo}, "c[0x0][%rd1.lo+0x210]"},
		{Operand{Kind: KindConstReg, Off: 0x160}, "c[0x0][R0+0x160]"},
		{Operand{Kind: KindConstReg, Bank: 3, Reg: 12, Off: -0x14}, "c[0x3][R12+-0x14]"},
		{Operand{Kind: KindConstReg, Reg: RZ, Off: 0x160}, "c[0x0][0x160]"},
		{Mem(SP, 0), "[R1]"},
		{Mem(SP, 8), "[R1+0x8]"},
		{Mem(0, 0xab), "[R0+0xab]"},
		{Mem(15, -4), "[R15+-0x4]"},
		{Mem(RZ, 0x40), "[0x40]"},
		{Operand{Kind: KindMem, Name: "%r1"}, "[%r1]"},
		{Operand{Kind: KindMem, Name: "%r1", Off: 0x10}, "[%r1+0x10]"},
		{Operand{Kind: KindMem, Name: "%rd9", Off: -8, Part: Lo}, "[%rd9.lo+-0x8]"},
		{Imm(0), "0x0"},
		{Imm(0xdeadbeef), "0xdeadbeef"},
		{Imm(-8), "-0x8"},
		{Imm(-1 << 63), "-0x8000000000000000"},
		{Symbol("f"), "`(f)"},
		{Symbol(".L_x_0"), "`(.L_x_0)"},
		{Operand{Kind: KindLo32, Name: "f"}, "32@lo(f)"},
		{Operand{Kind: KindHi32, Name: "fun@unified(f)"}, "32@hi(fun@unified(f))"},
		{Operand{Kind: KindLo32, Name: "caller", Label: ".L_x_0"}, "32@lo((caller + .L_x_0@srel))"},
		{Operand{Kind: KindHi32, Name: "caller", Label: ".L_x_0"}, "32@hi((caller + .L_x_0@srel))"},
		{Pred("P0"), "P0"},
		{Pred("%p1"), "%p1"},
		{Pred("PT").Negated(), "!PT"},
		{Uniform(4), "UR4"},
		{Uniform(RZ), "URZ"},
		{Operand{Kind: KindConstUni, Bank: 3, Uni: 4, Off: 0x10}, "c[0x3][UR4+0x10]"},
		{Operand{Kind: KindConstUni, Uni: 6}, "c[0x0][UR6]"},
		{Operand{Kind: KindConstUni, Uni: 4, Off: 0x160}, "c[0x0][UR4+0x160]"},
		{Operand{Kind: KindRegister, Reg: 4, Neg: true, Abs: true}, "-|R4|"},
		{Operand{Kind: KindRegister, Reg: 4, Not: true}, "~R4"},
		{Operand{Kind: KindRegister, Reg: 4, Reuse: true}, "R4.reuse"},
		{Operand{Kind: KindRegister, Reg: 4, Reuse: true, Suffix: "H1_H1"}, "R4.H1_H1.reuse"},
		{Operand{Kind: KindRegister, Reg: RZ, Not: true}, "~RZ"},
		{Operand{Kind: KindConst, Off: 0x160, Suffix: "H1"}, "c[0x0][0x160].H1"},
		{Operand{Kind: KindAddress, Reg: 4}, "[R4]"},
		{Operand{Kind: KindAddress, Reg: 2, Suffix: "64", Off: 16}, "[R2.64+0x10]"},
		{Operand{Kind: KindAddress, Label: "desc[UR4]", Reg: 2, Suffix: "64"}, "desc[UR4][R2.64]"},
		{Operand{Kind: KindAddress, Label: "desc[UR4]", Reg: 2, Suffix: "64", Off: 0x10}, "desc[UR4][R2.64+0x10]"},
		{Operand{Kind: KindAddress, Reg: RZ, Uni: 4, HasUni: true, Off: 4}, "[UR4+0x4]"},
		{Operand{Kind: KindAddress, Reg: RZ, Uni: 4, HasUni: true}, "[UR4]"},
		{Operand{Kind: KindAddress, Reg: 2, HasUni: true, Off: 16}, "[R2+UR0+0x10]"},
		{Operand{Kind: KindAddress, Reg: 2, Uni: 4, HasUni: true}, "[R2+UR4]"},
		{Operand{Kind: KindAddress, Label: "desc[UR6]", Reg: 2, Suffix: "U32", Uni: 4, HasUni: true, Off: 8}, "desc[UR6][R2.U32+UR4+0x8]"},
		{Operand{Kind: KindAddress, Label: "desc[UR4]", Reg: RZ}, "desc[UR4][0x0]"},
		{Operand{Kind: KindAddress, Label: "desc[UR4]", Reg: RZ, Off: 8}, "desc[UR4][0x8]"},
		{Operand{Kind: KindFloat, Name: "-5.9604644775390625e-08"}, "-5.9604644775390625e-08"},
		{Operand{Kind: KindFloat, Name: "+QNAN"}, "+QNAN"},
		{Operand{Kind: KindOther, Name: "SR_TID.X"}, "SR_TID.X"},
		{Operand{Kind: KindOther, Name: "SRZ"}, "SRZ"},
	}
	kinds := make(map[OperandKind]bool)
	seen := make(map[Operand]string)
	for _, tt := range tests {
		assert.Equal(t, tt.want, tt.op.String(), "%#v", tt.op)
		kinds[tt.op.Kind] = true
		if other, dup := seen[tt.op]; dup && other != tt.want {
			t.Errorf("%q and %q are equal operands", other, tt.want)
		}
		seen[tt.op] = tt.want
	}
	for k := KindNone; k <= KindOther; k++ {
		assert.True(t, kinds[k], "no text of kind %d is tested", k)
	}
}

func TestInstrText(t *testing.T) {
	tests := []struct {
		in   Instr
		want string
	}{
		{Instr{Op: "EXIT"}, "EXIT ;"},
		{Instr{Op: "RET"}, "RET ;"},
		{Instr{Op: "MOV", Args: []Operand{Register(4), Const(0, 0x160)}}, "MOV R4, c[0x0][0x160] ;"},
		{Instr{Guard: "@P0", Op: "MOV", Args: []Operand{Register(4), Virtual("%r1", Whole)}}, "@P0 MOV R4, %r1 ;"},
		{Instr{Guard: "@!%p1", Op: "BRA", Args: []Operand{Symbol("DONE")}}, "@!%p1 BRA `(DONE) ;"},
		{Instr{Op: "STL.64", Args: []Operand{Mem(SP, 0), Register(28)}}, "STL.64 [R1], R28 ;"},
		{Instr{Op: "IADD3", Args: []Operand{Register(SP), Register(SP), Imm(-0x50), Register(RZ)}}, "IADD3 R1, R1, -0x50, RZ ;"},
		{
			Instr{Op: "LOP3.LUT", Args: []Operand{Register(1), Register(1), Imm(0xfffffff0), Register(RZ), Imm(0xc0), Pred("PT").Negated()}},
			"LOP3.LUT R1, R1, 0xfffffff0, RZ, 0xc0, !PT ;",
		},
		{Instr{Op: "RET.ABS.NODEC", Args: []Operand{Register(20), Imm(0)}}, "RET.ABS.NODEC R20 0x0 ;"},
		{Instr{Op: "CALL.ABS.NOINC", Args: []Operand{Symbol("f")}}, "CALL.ABS.NOINC `(f) ;"},
		{Instr{Op: "CALL.ABS.NOINC", Args: []Operand{Register(6)}}, "CALL.ABS.NOINC R6 ;"},
		{Instr{Op: "CALL.ABS.NOINC", Args: []Operand{Register(6), Symbol("__UFT_OFFSET")}}, "CALL.ABS.NOINC R6 `(__UFT_OFFSET) ;"},
		{Instr{Op: "JMX", Args: []Operand{Register(6)}}, "JMX R6 ;"},
		{Instr{Text: "add.s32 %r1, %r2, %r3", Op: "unused"}, "add.s32 %r1, %r2, %r3 ;"},
		{Instr{Guard: "@%p1", Text: "bra\r\n\tL"}, "@%p1 bra  \tL ;"},
		{Instr{Op: "NOP", Note: "not part of the instruction"}, "NOP ;"},
		{Instr{Op: "NOP", Addr: 8, HasAddr: true}, "NOP ;"},
		{Instr{Op: "MOV", Args: []Operand{Register(0), Register(4)}, Pair: First}, "{ MOV R0, R4 ;"},
		{Instr{Op: "MOV", Args: []Operand{Register(0), Register(4)}, Pair: Second}, "MOV R0, R4 }"},
		{Instr{Op: "JMX", Args: []Operand{Register(2)}, Remark: "INDIRECT_CALL"}, `JMX R2 (*"INDIRECT_CALL"*) ;`},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, tt.in.String())
	}
}

func TestUnknownKindsPanic(t *testing.T) {
	assert.Panics(t, func() { _ = Operand{Kind: KindOther + 1}.String() })
	assert.Panics(t, func() { _ = (&Func{Items: []Item{{Kind: Comment + 1}}}).String() })
}

// caller is a function with one line of every shape.
func caller() *Func {
	return &Func{
		Name: "caller",
		Items: []Item{
			{Kind: Comment, Text: "arguments of\nf"},
			{Instr: Instr{Op: "MOV", Args: []Operand{Register(4), Virtual("%r1", Whole)}, Note: "x[0:4]"}},
			{Instr: Instr{Op: "STL", Args: []Operand{Mem(SP, 8), Virtual("%rd1", Lo)}, Note: "y[0:4]"}},
			{Instr: Instr{Op: "MOV", Args: []Operand{Register(20), {Kind: KindLo32, Name: "caller", Label: ".L_x_0"}}}},
			{Instr: Instr{Op: "MOV", Args: []Operand{Register(21), {Kind: KindHi32, Name: "caller", Label: ".L_x_0"}}, Note: "return address"}},
			{Instr: Instr{Op: "CALL.ABS.NOINC", Args: []Operand{Symbol("f")}}},
			{Kind: Label, Text: ".L_x_0"},
			{Instr: Instr{Guard: "@P0", Op: "MOV", Args: []Operand{Virtual("%r2", Whole), Register(4)}, Note: "out[0:4]"}},
			{Instr: Instr{Text: "st.global.v4.u32 [%rd12+1024], {%r100, %r101, %r102, %r103}", Note: "wide"}},
			{Instr: Instr{Text: strings.Repeat("x", 45), Note: "just fits"}},
			{Instr: Instr{Text: strings.Repeat("x", 46), Note: "one too many"}},
			{Instr: Instr{Op: "EXIT"}},
		},
	}
}

const callerText = "//--------------------- .text.caller --------------------------\n" +
	"caller:\n" +
	"\t// arguments of f\n" +
	"\tMOV R4, %r1 ;                                   // x[0:4]\n" +
	"\tSTL [R1+0x8], %rd1.lo ;                         // y[0:4]\n" +
	"\tMOV R20, 32@lo((caller + .L_x_0@srel)) ;\n" +
	"\tMOV R21, 32@hi((caller + .L_x_0@srel)) ;        // return address\n" +
	"\tCALL.ABS.NOINC `(f) ;\n" +
	".L_x_0:\n" +
	"\t@P0 MOV %r2, R4 ;                               // out[0:4]\n" +
	"\tst.global.v4.u32 [%rd12+1024], {%r100, %r101, %r102, %r103} ; // wide\n" +
	"\txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ; // just fits\n" +
	"\txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ; // one too many\n" +
	"\tEXIT ;\n"

func TestProgramText(t *testing.T) {
	p := &Program{Target: "sm_80"}
	const head = "// pseudo-SASS for sm_80: calling convention only, not assemblable\n"
	assert.Equal(t, head, p.String())

	f := caller()
	assert.Equal(t, callerText, f.String())
	p.Funcs = []*Func{f, {Name: "empty"}}
	want := head + "\n" + callerText + "\n//--------------------- .text.empty --------------------------\nempty:\n"
	assert.Equal(t, want, p.String())
	assert.Equal(t, "before"+want, string(p.AppendText([]byte("before"))))
}

func TestWriteTo(t *testing.T) {
	p := large()
	var buf bytes.Buffer
	n, err := p.WriteTo(&buf)
	require.NoError(t, err)
	assert.Equal(t, int64(buf.Len()), n)
	require.True(t, buf.String() == p.String(), "WriteTo and String differ")

	// A writer that fails ends the writing, wherever it does.
	for limit := 0; limit < buf.Len(); limit += 40_000 {
		w := &limitedWriter{left: limit}
		n, err := p.WriteTo(w)
		require.ErrorIs(t, err, errFull)
		require.Equal(t, int64(limit), n)
		require.Equal(t, 1, w.failed)
	}
}

var errFull = errors.New("full")

type limitedWriter struct{ left, failed int }

func (w *limitedWriter) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return len(p), nil
	}
	w.failed++
	return w.left, errFull
}

// large is a program of a thousand functions.
func large() *Program {
	p := &Program{Target: "sm_80"}
	for range 1000 {
		p.Funcs = append(p.Funcs, caller())
	}
	return p
}

func TestAppendTextDoesNotAllocate(t *testing.T) {
	p := large()
	buf := p.AppendText(nil)
	allocs := testing.AllocsPerRun(10, func() { buf = p.AppendText(buf[:0]) })
	assert.Zero(t, allocs)
}

func BenchmarkAppendText(b *testing.B) {
	p := large()
	buf := p.AppendText(nil)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = p.AppendText(buf[:0])
	}
}

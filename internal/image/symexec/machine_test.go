package symexec

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// snippet makes the listing of a function out of instructions, or of whole
// lines where they begin with a brace, a label or a guard.
func snippet(t *testing.T, lines ...string) *Listing {
	t.Helper()
	var b strings.Builder
	b.WriteString("f:\n.text.f:\n")
	for i, line := range lines {
		if strings.HasSuffix(line, ":") {
			b.WriteString(line + "\n")
			continue
		}
		end := " ;"
		if strings.HasSuffix(line, "}") {
			end = ""
		}
		fmt.Fprintf(&b, "        /*%04x*/                   %s%s\n", i*16, line, end)
	}
	all, err := Parse(b.String())
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all["f"]
}

// word returns the text form of a register's value: a number, an address, one
// whole word of somewhere, or four bytes of which ? is one that is not followed.
func (t *Trace) word(w Word) string {
	sp := Addr{Base: SPBase}
	if w.Base != NoBase {
		return fmt.Sprintf("%s%+#x", strings.TrimSuffix(t.describeByte(t.Bases[w.Base], sp), ".0"), w.Add)
	}
	if v, ok := w.number(); ok {
		return fmt.Sprintf("%#x", v)
	}
	if w.Whole() {
		return t.Describe(4, sp, func(i int) Byte { return w.B[i] })
	}
	var all []string
	for _, b := range w.B {
		switch b.Kind {
		case ConstByte:
			all = append(all, fmt.Sprintf("%02x", b.Off))
		case MadeByte:
			all = append(all, "?")
		default:
			all = append(all, t.describeByte(b, sp))
		}
	}
	return strings.Join(all, " ")
}

// TestSemantics has one line for each form of instruction met on the way: the
// instructions, and what they leave in a register.
func TestSemantics(t *testing.T) {
	for _, c := range []struct {
		code string // instructions, separated by semicolons
		reg  int
		want string
	}{
		{"MOV R0, R4", 0, "R4"},
		{"MOV R0, R4.reuse", 0, "R4"},
		{"MOV R0, RZ", 0, "0x0"},
		{"MOV R0, -RZ", 0, "0x0"},
		{"MOV32I R0, 0xfffffffe", 0, "0xfffffffe"},
		{"MOV R0, c[0x0][0x160]", 0, "c[0x0][0x160]"},
		{"MOV R0, c[0x0][-0x7f30]", 0, "c[0x0][0x80d0]"},
		{"MOV R0, 32@lo((f + .L_x_0@srel))", 0, "the address of a label"},
		{"MOV.64 R2, 0x100000000", 2, "0x0"},
		{"MOV.64 R2, 0x100000000", 3, "0x1"},
		{"MOV.64 R2, R4", 3, "R5"},
		{"UMOV UR4, 0x7 ; MOV R0, UR4", 0, "0x7"},
		{"R2UR UR4, R5 ; IMAD.U32 R0, RZ, RZ, UR4", 0, "R5"},
		{"CS2R R2, SRZ", 3, "0x0"},
		{"MOV.SPILL R2, 0x5", 2, "0x5"},
		{"IMAD.MOV.U32 R0, RZ, RZ, R4", 0, "R4"},
		{"IMAD.MOV.U32 R0, RZ, RZ, c[0x0][0x28]", 0, "c[0x0][0x28]"},
		{"IMAD.SHL.U32 R0, R4, 0x100, RZ", 0, "00 R4.0 R4.1 R4.2"},
		{"LDL.U8 R2, [R1] ; LDL.U8 R3, [R1+0x1] ; IMAD R0, R3, 0x100, R2", 0, "[R1+0x0] [R1+0x1] 00 00"},
		{"IMAD R0, R4, 0x3, RZ", 0, "? ? ? ?"},
		{"XMAD.PSL.CLO R0, R4, 0x1, R5", 0, "R5.0 R5.1 R4.0 R4.1"},
		{"XMAD.PSL.CLO R0, R4.H1, 0x1, R5", 0, "R5.0 R5.1 R4.2 R4.3"},
		{"HFMA2.MMA R0, -RZ, RZ, 0, 5.9604644775390625e-08", 0, "0x1"},
		{"HFMA2.MMA R0, -RZ, RZ, 1, -2", 0, "0x3c00c000"},
		{"HFMA2 R0, -RZ, RZ, 0, 0", 0, "0x0"},
		{"IADD3 R0, R1, -0x48, RZ", 0, "R1-0x48"},
		{"IADD3 R0, PT, PT, R1, 0x8, RZ", 0, "R1+0x8"},
		{"IADD32I R1, R1, -0x10 ; IADD32I R1, R1, 0x10", 1, "R1"},
		{"VIADD R0, R4, 0x30", 0, "R4+0x30"},
		{"IADD3 R0, R4, R5, RZ", 0, "? ? ? ?"},
		{"MOV32I R2, 0xfffffff0 ; IADD32I R0.CC, R2, 0x10 ; IADD.X R3, RZ, RZ", 0, "0x0"},
		{"MOV32I R2, 0xfffffff0 ; IADD32I R0.CC, R2, 0x10 ; IADD.X R3, RZ, RZ", 3, "0x1"},
		{"MOV32I R2, 0xfffffff0 ; IADD32I R0.CC, R2, 0xf ; IADD.X R3, R2, RZ", 3, "0xfffffff0"},
		{"IADD R0.CC, R4, RZ ; IADD.X R3, R5, RZ", 3, "R5"},
		{"IADD R0.CC, R4, R6 ; IADD.X R3, R5, RZ", 3, "? ? ? ?"},
		{"IADD.X R3, R5, RZ", 3, "? ? ? ?"},
		{"IADD R0.CC, RZ, RZ ; JCAL `(g) ; IADD.X R3, RZ, RZ", 3, "? ? ? ?"},
		{"IADD R0.CC, RZ, RZ ; IADD R2.CC, R4, R6 ; IADD.X R3, RZ, RZ", 3, "? ? ? ?"},
		{"MOV R2, 0xfffffff0 ; IADD3 R0, P0, R2, 0x10, RZ ; IADD3.X R3, RZ, RZ, RZ, P0, !PT", 3, "0x1"},
		{"MOV R2, 0xfffffff0 ; IADD3 R0, P1, PT, R2, 0xf, RZ ; IADD3.X R3, PT, PT, RZ, RZ, RZ, P1, !PT", 3, "0x0"},
		{"IADD3 R0, P0, R2, 0x10, RZ ; IADD3.X R3, RZ, RZ, RZ, P0, !PT", 3, "? ? ? ?"},
		{"IADD3 R0, P0, RZ, RZ, RZ ; IADD3.X R3, RZ, RZ, RZ, P1, !PT", 3, "? ? ? ?"},
		{"IADD3 R0, P0, RZ, RZ, RZ ; ISETP.GE.U32.AND P0, PT, R1, R0, PT ; IADD3.X R3, RZ, RZ, RZ, P0, !PT", 3, "? ? ? ?"},
		{"MOV.64 R2, 0x1fffffff0 ; IADD.64 R2, R2, 0x10", 2, "0x0"},
		{"MOV.64 R2, 0x1fffffff0 ; IADD.64 R2, R2, 0x10", 3, "0x2"},
		{"IADD.64 R2, R4, RZ", 3, "R5"},
		{"IADD.64 R2, R4, R6", 3, "? ? ? ?"},
		{"I2I.U16.U8 R0, R4", 0, "R4.0 00 ? ?"},
		{"I2I.U32.U16 R0, R4", 0, "R4.0 R4.1 00 00"},
		{"I2I.S32.S8 R0, R4", 0, "R4.0 ±R4.0 ±R4.0 ±R4.0"},
		{"S2R R0, SR_LMEMHIOFF", 0, "? ? ? ?"},
		{"PRMT R0, R4, 0x7772, RZ", 0, "R4.2 00 00 00"},
		{"PRMT R0, R4, 0x7710, RZ", 0, "R4.0 R4.1 00 00"},
		{"PRMT R0, R4, 0x5410, R5", 0, "R4.0 R4.1 R5.0 R5.1"},
		{"PRMT R0, R4, 0x8880, RZ", 0, "R4.0 ±R4.0 ±R4.0 ±R4.0"},
		{"MOV R2, 0x80 ; PRMT R0, R2, 0x8880, RZ", 0, "0xffffff80"},
		{"SHL R0, R4, 0x8", 0, "00 R4.0 R4.1 R4.2"},
		{"SHR.U32 R0, R4, 0x18", 0, "R4.3 00 00 00"},
		{"SHR R0, R4, 0x10", 0, "R4.2 R4.3 ±R4.3 ±R4.3"},
		{"SHF.R.S32.HI R0, RZ, 0x1f, R4", 0, "±R4.3 ±R4.3 ±R4.3 ±R4.3"},
		{"SHL R0, R4, 0x4", 0, "? ? ? ?"},
		{"SHF.L.U32 R0, R4, 0x10, RZ", 0, "00 00 R4.0 R4.1"},
		{"SHF.R.U32.HI R0, RZ, 0x8, R4", 0, "R4.1 R4.2 R4.3 00"},
		{"SHF.R.S32.HI R0, RZ, 0x18, R4", 0, "R4.3 ±R4.3 ±R4.3 ±R4.3"},
		{"BFE.U32 R0, R4, 0x810", 0, "R4.2 00 00 00"},
		{"BFE.U32 R0, R4, 0x1000", 0, "R4.0 R4.1 00 00"},
		{"BFI R0, R4, 0x810, R5", 0, "R5.0 R5.1 R4.0 R5.3"},
		{"SGXT.U32 R0, R4, 0x8", 0, "R4.0 00 00 00"},
		{"SGXT R0, R4, 0x10", 0, "R4.0 R4.1 ±R4.1 ±R4.1"},
		{"LOP3.LUT R0, R4, 0xff, RZ, 0xc0, !PT", 0, "R4.0 00 00 00"},
		{"LOP3.LUT R0, R4, 0xffff0000, R5, 0xf8, !PT", 0, "R4.0 R4.1 ? ?"},
		{"SHL R2, R4, 0x10 ; BFE.U32 R3, R5, 0x1000 ; LOP3.LUT R0, R2, R3, RZ, 0xfc, !PT", 0, "R5.0 R5.1 R4.0 R4.1"},
		{"LOP32I.AND R0, R4, 0xff00", 0, "00 R4.1 00 00"},
		{"LOP.OR R0, R4, RZ", 0, "R4"},
		{"LOP.PASS_B R0, RZ, ~RZ", 0, "0xffffffff"},
		{"LDC R0, c[0x0][0x28]", 0, "c[0x0][0x28]"},
		{"LDC.U8 R0, c[0x0][0x163]", 0, "c[0x0][0x163] 00 00 00"},
		{"LDC.64 R2, c[0x0][0x160]", 3, "c[0x0][0x164]"},
		{"MOV R3, 0x8 ; LDC R0, c[0x0][R3+0x160]", 0, "c[0x0][0x168]"},
		{"ULDC.64 UR4, c[0x0][0x118] ; MOV R0, UR5", 0, "c[0x0][0x11c]"},
		{"LDL R0, [R1+0x38]", 0, "[R1+0x38]"},
		{"IADD3 R1, R1, -0x10, RZ ; LDL.128 R8, [R1+0x10]", 11, "[R1+0xc]"},
		{"LDL.S8 R0, [R1]", 0, "[R1+0x0] ±[R1+0x0] ±[R1+0x0] ±[R1+0x0]"},
		{"STL.64 [R1+-0x10], R20 ; LDL R0, [R1-0xc]", 0, "R21"},
		{"STL.64 [R1-0x8], R10 ; LDL.LU.64 R2, [R1-0x8]", 3, "R11"},
		{"STL.U8 [R1], R5 ; LDL R0, [R1]", 0, "R5.0 [R1+0x1] [R1+0x2] [R1+0x3]"},
		{"STL [R4+0x8], RZ ; LDL R0, [R4+0x8]", 0, "0x0"},
		{"MOV R2, 0x0 ; MOV R3, 0x1 ; LDG.E.U16.STRONG.SYS R0, desc[UR4][R2.64+0x10]", 0, "what was loaded from 0x100000010 what was loaded from 0x100000011 00 00"},
		{"MOV R2, 0x0 ; MOV R3, 0x1 ; LD.E.CV.64 R6, [R2]", 7, "what was loaded from 0x100000004"},
		{"UMOV UR4, 0x0 ; UMOV UR5, 0x1 ; LDG.E R0, [UR4+0x4]", 0, "what was loaded from 0x100000004"},
		{"@!PT MOV R0, R9 ; @PT MOV R2, R4", 0, "R0"},
		{"YIELD (*\"RELOCATOR OPCODE,YIELD,280\"*) ; NOP ; DEPBAR.LE SB5, 0x1", 4, "R4"},
		{"JCAL `(g)", 4, "R4 after call 1"},
		{"JCAL `(g)", 16, "R16"},
		{"CALL.ABS.NOINC `(g) ; LDL R0, [R1]", 0, "[R1+0x0] after call 1"},
	} {
		l := snippet(t, append(strings.Split(c.code, " ; "), "RET")...)
		tr, err := runs(l, must.Target(t, "sm_80"))
		require.NoError(t, err, c.code)
		assert.Equal(t, c.want, tr.word(tr.Ret.Regs[c.reg]), c.code)
	}
}

// TestRealign follows an address through the clearing of its low bits.
func TestRealign(t *testing.T) {
	l := snippet(t,
		"IADD3 R3, R1, RZ, RZ", "IADD3 R1, R1, -0x80, RZ", "LOP3.LUT R1, R1, 0xffffffc0, RZ, 0xc0, !PT",
		"STL [R1+0x40], R4", "LDL R5, [R1+0x40]", "LDL R6, [R3+0x8]", "MOV R1, R3", "RET")
	tr, err := runs(l, must.Target(t, "sm_80"))
	require.NoError(t, err)
	assert.Equal(t, "R4", tr.word(tr.Ret.Regs[5]))
	assert.Equal(t, "[R1+0x8]", tr.word(tr.Ret.Regs[6]))
	assert.Equal(t, "R1", tr.word(tr.Ret.Regs[1]))
}

// TestPair reads instructions issued together, of which the second may not
// depend on the first.
func TestPair(t *testing.T) {
	l := snippet(t, "{  MOV R0, R4", "MOV R2, R5         }", "MOV R3, R0", "RET")
	tr, err := runs(l, must.Target(t, "sm_52"))
	require.NoError(t, err)
	assert.Equal(t, "R4", tr.word(tr.Ret.Regs[3]))

	l = snippet(t, "{  MOV R0, R4", "MOV R2, R0         }", "RET")
	_, err = runs(l, must.Target(t, "sm_52"))
	assert.ErrorContains(t, err, "reads what its pair writes")
}

// TestBarriers reads the initialisation of barriers with which functions of
// sm_87 begin.
func TestBarriers(t *testing.T) {
	l := snippet(t, "ISETP.NE.U32.AND P0, PT, RZ, UR2, PT", "@P0 BRA `(.L_x_1)", "BMOV.32 B0, 0xffffffff",
		"BMOV.32.CLEAR B1, B0", "UMOV UR2, 0x1", ".L_x_1:", "MOV R0, R4", "RET")
	tr, err := runs(l, must.Target(t, "sm_87"))
	require.NoError(t, err)
	assert.Equal(t, "R4", tr.word(tr.Ret.Regs[0]))
}

// TestNotFollowed has code that the machine has to refuse instead of guessing.
func TestNotFollowed(t *testing.T) {
	for code, want := range map[string]string{
		"FROB R0, R4":                         "unknown instruction",
		"@P0 MOV R0, R4":                      "guarded instruction",
		"@P0 BRA `(.L_x_9)":                   "guarded instruction",
		"BMOV.32.CLEAR R3, B6":                "unknown operands",
		"ISETP.NE.AND R3, PT, R4, R5, PT":     "unknown operands",
		"MOV R0, |R4|":                        "unknown operand",
		"IADD3 R0, -R4, R5, RZ":               "unknown operand",
		"IADD3 R0, P0, P1, R4, R5, R6":        "unknown operands",
		"IADD3.X R0, R4, R5, RZ, !P0, !PT":    "unknown operands",
		"IADD3.X R0, R4, R5, RZ, P0, P1":      "unknown operands",
		"IADD3.HI R0, R4, R5, RZ":             "unknown modifiers",
		"IADD.64.X R0, R4, R6":                "unknown operands",
		"IADD.64 R0, R4, -R6":                 "unknown operand",
		"IADD R0.CC, R4":                      "unknown operands",
		"IADD R0.H1, R4, R5":                  "unknown destination",
		"I2I.U8.U16 R0, R4":                   "unknown modifiers",
		"I2I.U16.U8 R0, R4.B1":                "unknown operand",
		"S2R R0, R4":                          "unknown operands",
		"MOV R0, R4, 0x3":                     "unknown operands",
		"IMAD.WIDE R2, R4, 0x4, R6":           "unknown modifiers",
		"PRMT R0, R4, R5, R6":                 "unknown operands",
		"SHL R0, R4, R5":                      "unknown operands",
		"LOP3.LUT R0, R4, R5, R6, 0xc0, P0":   "unknown operands",
		"LDL R0, [R4.64]":                     "unknown address",
		"LDL R0, [0x10]":                      "unknown address",
		"IADD3 R2, R4, R5, RZ ; LDL R0, [R2]": "unknown address",
		"LDG.E R0, [R2.64]":                   "unknown address",
		"LDG.E.CONSTANT R0, [R2.64]":          "unknown modifiers",
		"STG.E.EF [R2.64], R0":                "unknown modifiers",
		"LDC R0, c[0x0][R4]":                  "unknown address",
		"MOV R0, cx[UR4][0x0]":                "unknown operand",
		"HFMA2.MMA R0, -RZ, RZ, +QNAN, 0":     "unknown constant",
		"HFMA2.MMA R0, R4, RZ, 0, 0":          "unknown operands",
		"CALL.ABS.NOINC R6, R8":               "unknown call",
		"CALL.ABS.NOINC 0x10":                 "unknown call",
		"STL.128 [R1], R253":                  "no register",
		"NOP":                                 "ends without a return",
	} {
		l := snippet(t, strings.Split(code, " ; ")...)
		_, err := runs(l, must.Target(t, "sm_80"))
		assert.ErrorContains(t, err, want, code)
	}
}

// TestHalf reads every finite half-precision number back from its decimal form.
func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		exp, mantissa := h>>10&31, h&1023
		if exp == 31 {
			continue
		}
		f := math.Ldexp(float64(mantissa), -24)
		if exp > 0 {
			f = math.Ldexp(float64(1024+mantissa), exp-25)
		}
		if h>>15 != 0 {
			f = -f
		}
		got, err := half(fmt.Sprintf("%.20g", f))
		require.NoError(t, err)
		require.Equal(t, uint16(h), got)
	}
}

// runs executes a listing from its first instruction to its return. Calls are
// taken to follow the convention of target as far as callee-saved registers go.
func runs(l *Listing, target *abi.Target) (*Trace, error) {
	return Run(l, target.Regs.CalleeSaved, target, false)
}

package annotate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noteOf is what is said of the last instruction of code, in function fn of a
// module for a target.
func noteOf(t *testing.T, target, module, fn, code string) string {
	t.Helper()
	listing := "\t.target " + target + "\n.text." + fn + ":\n"
	for line := range strings.SplitSeq(code, "; ") {
		listing += "\t" + line + " ;\n"
	}
	out, err := annotated([]byte(listing), []byte(".version 8.8\n.target "+target+"\n.address_size 64\n"+module), false)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	_, note, _ := strings.Cut(lines[len(lines)-1], "// ")
	return note
}

// TestOperandWidths reads as many registers of each operand as the instruction
// does: the forms are those that ptxas makes of modules with all operations in
// 64 bits.
func TestOperandWidths(t *testing.T) {
	// d in R4:R5, p in R6:R7, q in R8:R11, i in R12, j in R13.
	const module = ".visible .func (.param .b64 r) g (.param .b64 d, .param .b64 p, .param .align 16 .b8 q[16], .param .b32 i, .param .b32 j) { ret; }\n" +
		".visible .entry k (.param .u64 d, .param .u64 p, .param .align 16 .b8 q[16]) { ret; }\n"
	for _, tt := range []struct{ target, code, want string }{
		// After what is stored there may be a predicate.
		{"sm_50", "ST.E.64 [R14], R4, P1", "d[0:8]"},
		{"sm_61", "ST.E.128 [R14+0x10], R8, P1", "q[0:16]"},
		{"sm_61", "ST.E.U8 [R14+0x10], R8, P1", "q[0:4]"},
		{"sm_50", "ST.E.64 [R6], R4, P1", "R6 = p[0:8], R4 = d[0:8]"},
		{"sm_70", "ST.E.64.SYS [R14], R4", "d[0:8]"},
		{"sm_90", "STG.E.128 desc[UR4][R14.64], R8", "q[0:16]"},
		{"sm_100", "STG.E.ENL2.256 desc[UR4][R14.64], R4, R8", "R4 = d[0:8], R6 = p[0:8], R8 = q[0:16]"},
		// Operations on memory.
		{"sm_61", "RED.E.ADD.U64 [R14], R4", "d[0:8]"},
		{"sm_61", "RED.E.ADD.F64.RN [R14], R4", "d[0:8]"},
		{"sm_90", "REDG.E.ADD.64.STRONG.GPU desc[UR4][R14.64], R4", "d[0:8]"},
		{"sm_90", "REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR4][R14.64], R8", "q[0:16]"},
		{"sm_61", "ATOM.E.CAS.64 R34, [R14], R4, R6", "R4 = d[0:8], R6 = p[0:8]"},
		{"sm_90", "ATOMG.E.CAS.64.STRONG.GPU PT, R34, [R6], R4, R8", "R6 = p[0:8], R4 = d[0:8], R8 = q[0:8]"},
		{"sm_90", "ATOMG.E.CAS.128.STRONG.GPU PT, R36, [R14], R32, R8", "q[0:16]"},
		{"sm_90", "ATOMG.E.CAS.STRONG.GPU PT, R11, [R14], R12, R13", "R12 = i[0:4], R13 = j[0:4]"},
		{"sm_70", "ATOMG.E.MIN.S64.STRONG.GPU PT, R32, [R14], R4", "d[0:8]"},
		{"sm_90", "ATOMG.E.ADD.F32x2.FTZ.RN.STRONG.GPU PT, R14, desc[UR4][R16.64], R4", "d[0:8]"},
		{"sm_90", "ATOMG.E.ADD.F32x2.FTZ.RN.STRONG.GPU PT, R4, desc[UR4][R16.64], R8; MOV R0, R5", ""},
		// Conversions.
		{"sm_61", "F2I.S32.F64.TRUNC R0, R4", "d[0:8]"},
		{"sm_61", "F2I.U64.F32.TRUNC R0, R12", "i[0:4]"},
		{"sm_80", "F2I.F64.TRUNC R15, R4", "d[0:8]"},
		{"sm_80", "F2I.U64.TRUNC R14, R12", "i[0:4]"},
		{"sm_80", "F2I.S64.F64.TRUNC R14, R4", "d[0:8]"},
		{"sm_80", "I2F.F64.S64 R14, R4", "d[0:8]"},
		{"sm_80", "I2F.F64.U32 R14, R12", "i[0:4]"},
		{"sm_80", "I2F.F64 R14, R12", "i[0:4]"},
		{"sm_80", "I2F.S64 R14, R4", "d[0:8]"},
		{"sm_80", "F2F.F32.F64 R14, R4", "d[0:8]"},
		{"sm_80", "F2F.F64.F32 R14, R12", "i[0:4]"},
		{"sm_80", "FRND.F64 R14, R4", "d[0:8]"},
		{"sm_80", "F2F.F32.F64 R4, R6; MOV R0, R5", "d[4:8]"}, // one register is written
		{"sm_80", "I2F.S64 R4, R6; MOV R0, R5", "d[4:8]"},
		{"sm_80", "MATCH.ANY.U64 R0, R4", "d[0:8]"},
		{"sm_80", "MATCH.ANY.U64 R4, R6; MOV R0, R5", "d[4:8]"},
		// A funnel has its words in operands of their own.
		{"sm_80", "SHF.L.U64.HI R4, R12, 0x2, R7", "R12 = i[0:4], R7 = p[4:8]"},
		{"sm_80", "SHF.L.U64.HI R4, R12, 0x2, R7; MOV R0, R5", "d[4:8]"},
		// What a wide product is added to.
		{"sm_80", "IMAD.WIDE.U32 R14, R12, 0x4, R4", "R12 = i[0:4], R4 = d[0:8]"},
		{"sm_80", "IMAD.WIDE.U32.X R14, R12, R13, R4, P1", "R12 = i[0:4], R13 = j[0:4], R4 = d[0:8]"},
		{"sm_80", "IMAD.HI R14, R12, R13, R4", "R12 = i[0:4], R13 = j[0:4], R4 = d[0:8]"},
		// 64 bits at once.
		{"sm_120", "IADD.64 R14, R4, R6", "R4 = d[0:8], R6 = p[0:8]"},
		{"sm_120", "MOV.64 R14, R4", "d[0:8]"},
		{"sm_120", "MOV.64 R14, R4; MOV R0, R15", "d[4:8]"},
		{"sm_120", "SEL.64 R14, R4, R6, P0", "R4 = d[0:8], R6 = p[0:8]"},
		{"sm_120", "SEL.64 R4, R8, R6, P0; MOV R0, R5", ""},
		{"sm_121", "IMNMX.S64 PT, PT, R14, R4, R6, PT, !PT", "R4 = d[0:8], R6 = p[0:8]"},
		{"sm_121", "ISETP.LT.S64.AND P0, PT, R4, R6, PT", "R4 = d[0:8], R6 = p[0:8]"},
		{"sm_100", "FADD2 R14, R4.F32x2.HI_LO, R8.F32x2.HI_LO", "R4 = d[0:8], R8 = q[0:8]"},
		{"sm_100", "FFMA2 R4, R4.F32x2.HI_LO, R6.F32x2.HI_LO, R8.F32x2.HI_LO; MOV R0, R12", "i[0:4]"},
		{"sm_80", "DSETP.MIN.AND P1, P2, R4, R6, PT", "R4 = d[0:8], R6 = p[0:8]"},
		// What is not known has no names.
		{"sm_120", "NEWOP.64 R14, R4", ""},
		{"sm_120", "LOP3.64.LUT R14, R4, R6, RZ, 0xc0, !PT", ""},
		{"sm_90", "PRMT.WIDE R14, R4, 0x7710, R6", ""},
	} {
		assert.Equal(t, tt.want, noteOf(t, tt.target, module, "g", tt.code), "%s %s", tt.target, tt.code)
	}
	for _, tt := range []struct{ code, want string }{
		{"LDCU.128 UR4, c[0x0][0x380]; UIADD3.64 UR4, UPT, UPT, UR4, UR6, URZ", "UR4 = d[0:8], UR6 = p[0:8]"},
		{"LDCU.64 UR4, c[0x0][0x388]; IADD.64 R4, R4, UR4", "p[0:8]"},
		{"LDC.64 R8, c[0x0][0x388]; MOV.64 R10, R8; MOV R12, R11", "p[4:8]"},
		{"MOV.64 R10, c[0x0][0x388]", "p[0:8]"},
		{"IADD.64 R10, R12, c[0x0][0x388]", "p[0:8]"},
		{"IMAD.WIDE.U32.X R10, R12, R13, c[0x0][0x388], P0", "p[0:8]"},
		{"F2F.F32.F64 R10, c[0x0][0x388]", "p[0:8]"},
		{"I2F.F64.U32 R10, c[0x0][0x388]", "p[0:4]"},
	} {
		assert.Equal(t, tt.want, noteOf(t, "sm_120", module, "k", tt.code), tt.code)
	}
}

// TestOverwrittenParameters has functions that may store to their parameters on
// the stack: loads before that have names, on whichever way control came.
func TestOverwrittenParameters(t *testing.T) {
	const module = ".visible .func (.param .b32 r) st (.param .align 8 .b8 s[200], .param .b32 i) { ret; }\n.extern .func ext ();\n"
	const load = "LDL R0, [R1+0x64]"
	const address = "IADD3 R8, R2, c[0x0][0x20], RZ; "
	for _, tt := range []struct{ code, want string }{
		{load, "s[100:104]"},
		// Where the address of a local is taken.
		{address + load, "s[100:104]"},
		{address + "STL [R1+-0x8], R3; " + load, "s[100:104]"},
		{address + "STG.E [R6.64], R3; " + load, "s[100:104]"},
		{address + "LD.E R3, [R8.64]; " + load, "s[100:104]"},
		{address + "ST.E [R8.64], R3; " + load, ""},
		{address + "@P0 ST.E [R8.64], R3; " + load, ""},
		{address + "ATOM.E.ADD.STRONG.GPU PT, R3, [R8.64], R3; " + load, ""},
		{address + "RED.E.ADD.STRONG.GPU [R8.64], R3; " + load, ""},
		{address + "NEWOP R3; " + load, ""},
		{address + "CALL.ABS.NOINC `(ext); " + load, ""},
		// And where none is.
		{"ST.E [R8.64], R3; " + load, "s[100:104]"},
		{"CALL.ABS.NOINC `(ext); " + load, "s[100:104]"},
		// Stores to the stack.
		{"STL [R1+0x60], R3; " + load, ""},
		{"STL [R5], R3; " + load, ""},
		{"@P0 STL [R5], R3; " + load, ""},
	} {
		assert.Equal(t, tt.want, noteOf(t, "sm_80", module, "st", tt.code), tt.code)
	}
	// A part of the function's own code that it calls.
	for part, want := range map[string]bool{"STL [R5], R3": false, "STL [R1+-0x8], R3": false, "STG.E [R6.64], R3": true} {
		listing := "\t.target sm_80\n.text.st:\n\tCALL.REL.NOINC `(.L_x_0) ;\n\t" + load + " ;\n\tEXIT ;\n.L_x_0:\n\t" + part + " ;\n\tRET.REL.NODEC R20 `(st) ;\n"
		out, err := annotated([]byte(listing), []byte(".version 7.0\n.target sm_80\n.address_size 64\n"+module), false)
		require.NoError(t, err)
		assert.Equal(t, want, strings.Contains(string(out), "s[100:104]"), "%s", out)
	}
	// On one of two ways, and in a loop.
	for code, want := range map[string]bool{
		address + "@P0 BRA `(.L_x_0) ;\n\tNOP ;\n.L_x_0:\n\t" + load:                            true,
		address + "@P0 BRA `(.L_x_0) ;\n\tST.E [R8.64], R3 ;\n.L_x_0:\n\t" + load:               false,
		address + "NOP ;\n.L_x_0:\n\t" + load + " ;\n\tST.E [R8.64], R3 ;\n\t@P0 BRA `(.L_x_0)": false,
	} {
		listing := "\t.target sm_80\n.text.st:\n\t" + strings.ReplaceAll(code, "; ", ";\n\t") + " ;\n"
		out, err := annotated([]byte(listing), []byte(".version 7.0\n.target sm_80\n.address_size 64\n"+module), false)
		require.NoError(t, err)
		assert.Equal(t, want, strings.Contains(string(out), "s[100:104]"), "%s", out)
	}
}

package lowertest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/lower/lowertest"
)

// comparedAs compares a listing of functions with a module for a target. The module has no head, and "%" begins a function
// of the listing.
func comparedAs(t *testing.T, target, src, listing string) *lowertest.Report {
	t.Helper()
	version := map[string]string{"sm_35": "3.1", "sm_60": "6.0", "sm_80": "7.8", "sm_90": "8.0"}[target]
	head := ".version " + version + "\n.target " + target + "\n.address_size 64\n"
	var b strings.Builder
	for line := range strings.Lines(listing) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "%"); ok {
			line = "//--------------------- .text." + name + " --------------------------\n" + name + ":\n"
		}
		b.WriteString(line)
	}
	r := compared(t, []byte(head+src), indented(b.String()), mustTarget(t, target))
	return r
}

// TestOperands plants operands that an instruction cannot have into right code, and values that no function can read.
func TestOperands(t *testing.T) {
	const src = ".extern .func (.param .b32 r) g(.param .b32 x);\n" +
		".visible .func (.param .b64 res) f(.param .b64 p, .param .b32 n) {\n\t.reg .b64 %d<3>;\n\t.reg .b32 %r<3>;\n\t.param .b32 x;\n\t.param .b32 r;\n" +
		"\tld.param.b64 %d1, [p];\n\tld.param.b32 %r1, [n];\n\tst.param.b32 [x], %r1;\n\tcall (r), g, (x);\n\tld.param.b32 %r2, [r];\n\tst.global.b32 [%d1], %r2;\n" +
		"\tst.param.b64 [res], %d1;\n\tret;\n}\n"
	const right = "%f\nIADD3 R1, R1, -0x18, RZ ;\nSTL.64 [R1+0x8], R16 ;\nSTL.64 [R1], R20 ;\nMOV R16, R4 ;\nMOV R17, R5 ;\nMOV R4, R6 ;\n" +
		"MOV R20, 32@lo((f + .L_1@srel)) ;\nMOV R21, 32@hi((f + .L_1@srel)) ;\nCALL.ABS.NOINC `(g) ;\n.L_1:\nSTG.E [R16.64], R4 ;\n" +
		"MOV R4, R16 ;\nMOV R5, R17 ;\nLDL.64 R16, [R1+0x8] ;\nLDL.64 R20, [R1] ;\nIADD3 R1, R1, 0x18, RZ ;\nRET.ABS.NODEC R20 0x0 ;\n"
	r := comparedAs(t, "sm_80", src, right)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.NotCompared)
	for what, tt := range map[string]struct{ old, wrong, want string }{
		"an odd pair":               {"STL.64 [R1+0x8], R16", "STL.64 [R1+0x8], R17", "R17 should be a multiple of 2, as it begins 2 words"},
		"an odd address":            {"STG.E [R16.64], R4", "STG.E [R17.64], R4", "R17 should be a multiple of 2"},
		"a register above the file": {"MOV R17, R5", "MOV R254, R5 ;\nMOV R17, R5", "R254 should be among R0 to R252"},
		"no register":               {"MOV R17, R5", "MOV R300, R5 ;\nMOV R17, R5", "R300 should be among R0 to R252"},
		"a pair above the file":     {"STG.E [R16.64], R4", "STG.E [R16.64], R4 ;\nLDG.E.128 R252, [R16.64]", "R252 should be among R0 to R249"},
		"a load that is misaligned": {"LDL.64 R16, [R1+0x8] ;", "LDL.64 R16, [R1+0x8] ;\nLDL.64 R8, [R1+0x4] ;", "should be a multiple of 8; it is one of 4"},
		"a store that is":           {"STL.64 [R1], R20 ;", "STL.64 [R1], R20 ;\nSTL.64 [R1+0x14], R20 ;", "should be a multiple of 8; it is one of 4"},
		"a store through nothing":   {"[R16.64]", "[R12.64]", "R12 should hold an address; it holds what call 1 of g left in R12, which is no value of the source"},
		"a store through R24":       {"[R16.64]", "[R24.64]", "R24 should hold an address; it holds what R24 held at entry"},
		"a result of nothing":       {"MOV R4, R16 ;", "MOV R4, R9 ;", "R4 should hold bytes 0 to 4 of result res"},
	} {
		bad := strings.Replace(right, tt.old, tt.wrong, 1)
		require.NotEqual(t, right, bad, what)
		r := comparedAs(t, "sm_80", src, bad)
		require.NotEmpty(t, r.Differences, what)
		var all []string
		for _, d := range r.Differences {
			all = append(all, d.String())
		}
		assert.Contains(t, strings.Join(all, "\n"), tt.want, what)
	}
}

// TestWidening holds conversions of integers against machine code: of a sign it has copies.
func TestWidening(t *testing.T) {
	const src = ".visible .func (.param .b64 r) f(.param .b32 n) {\n\t.reg .b64 %d<3>;\n\t.reg .b16 %h<3>;\n" +
		"\tld.param.s8 %h1, [n];\n\tcvt.s64.s8 %d1, %h1;\n\tst.param.b64 [r], %d1;\n\tret;\n}\n"
	const right = "%f\nPRMT R4, R4, 0x8880, RZ ;\nSHF.R.S32.HI R5, RZ, 0x1f, R4 ;\nRET.ABS.NODEC R20 0x0 ;\n"
	r := comparedAs(t, "sm_80", src, right)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.NotCompared)
	for what, wrong := range map[string][2]string{
		"zeros":      {"PRMT R4, R4, 0x8880, RZ", "LOP3.LUT R4, R4, 0xff, RZ, 0xc0, !PT"},
		"16 bits":    {"0x8880", "0x9910"},
		"zero above": {"SHF.R.S32.HI R5, RZ, 0x1f, R4", "MOV R5, RZ"},
		"none":       {"PRMT R4, R4, 0x8880, RZ ;", ""},
	} {
		assert.NotEmpty(t, comparedAs(t, "sm_80", src, strings.Replace(right, wrong[0], wrong[1], 1)).Differences, what)
	}
}

// TestRightForms has right code of forms that releases of the assembler and of nvdisasm differ in.
func TestRightForms(t *testing.T) {
	const pick = ".visible .func (.param .b32 r) f(.param .b32 n, .param .b32 v) {\n\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n\tld.param.b32 %r1, [n];\n\tld.param.b32 %r2, [v];\n" +
		"\tsetp.gt.u32 %p, %r1, 1;\n\t@%p bra D;\nT:\t.branchtargets A, B;\n\tbrx.idx %r1, T;\nA:\tst.param.b32 [r], %r1;\n\tret;\nB:\tst.param.b32 [r], %r2;\n\tret;\nD:\tst.param.b32 [r], 7;\n\tret;\n}\n"
	// nvdisasm 12.8 and 12.9 of -O1 for sm_60: the table of a jump is in a constant bank that the listing does not have.
	r := comparedAs(t, "sm_60", pick, "%f\nMOV R0, R4 ;\nISETP.GT.U32.AND P0, PT, R0, 0x1, PT ;\n@P0 BRA `(.L_x_2) ;\nSHL R0, R0, 0x2 ;\nLDC R0, c[0x2][R0] ;\n.L_x_9:\n"+
		"BRX R0 `(((.L_x_4 - .) - 0x8)) ;\n.L_x_11:\nRET ;\n.L_x_12:\nMOV R4, R5 ;\nRET ;\n.L_x_2:\nMOV R4, 0x7 ;\nRET ;\n")
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.NotFollowed)
	assert.Equal(t, 1, r.Functions)

	// nvdisasm 11.8 prints nothing for an instruction that it cannot read.
	const one = ".visible .func (.param .b32 r) f(.param .b32 n) {\n\t.reg .b32 %r;\n\tld.param.b32 %r, [n];\n\tst.param.b32 [r], %r;\n\tret;\n}\n"
	r = comparedAs(t, "sm_90", one, "%f\n\t/*0000*/ MOV R8, R4 ;\n\t/*0010*/ NOP ;\n\t/*0030*/ RET.ABS.NODEC R20 0x0 ;\n")
	assert.Empty(t, r.Differences)
	require.Len(t, r.NotFollowed, 1)
	assert.Contains(t, r.NotFollowed[0], "leaves out instructions after line 4, by their offsets")

	// ptxas 11.8 calls through registers on sm_90 as on sm_89.
	const through = ".extern .func g();\n.visible .func f() {\n\t.reg .b64 %d;\n\tmov.b64 %d, g;\nP:\t.callprototype _ ();\n\tcall %d, (), P;\n\tret;\n}\n"
	const plain = "%f\nIADD3 R1, R1, -0x8, RZ ;\nSTL.64 [R1], R20 ;\nMOV R6, 32@lo(g) ;\nMOV R7, 32@hi(g) ;\nMOV R20, 32@lo((f + .L_1@srel)) ;\nMOV R21, 32@hi((f + .L_1@srel)) ;\n" +
		"CALL.ABS.NOINC R6 ;\n.L_1:\nLDL.64 R20, [R1] ;\nIADD3 R1, R1, 0x8, RZ ;\nRET.ABS.NODEC R20 0x0 ;\n"
	r = comparedAs(t, "sm_90", through, plain)
	assert.Empty(t, r.Differences)
	require.Len(t, r.NotCompared, 3)
	assert.Contains(t, r.NotCompared[0].Got, "as ptxas 11.8 has it")
	r = comparedAs(t, "sm_90", through, strings.Replace(plain, "CALL.ABS.NOINC R6", "CALL.ABS.NOINC R6 `(__UFT_OFFSET)", 1))
	assert.NotEmpty(t, r.Differences, "one form with the address of the other")

	// -O0 aligns the stack for no tail that is empty, and saves what lies where one would begin.
	const tail = ".extern .func g(.param .align 8 .b8 a[44], .param .align 32 .b8 v[]);\n.visible .func f() {\n\t.param .align 8 .b8 a[44];\n\tst.param.b32 [a], 1;\n\tcall g, (a);\n\tret;\n}\n"
	r = comparedAs(t, "sm_80", tail, "%f\nIADD3 R1, R1, -0x10, RZ ;\nSTL.64 [R1+0x8], R20 ;\nMOV R4, 0x1 ;\n"+
		"MOV R20, 32@lo((f + .L_1@srel)) ;\nMOV R21, 32@hi((f + .L_1@srel)) ;\nCALL.ABS.NOINC `(g) ;\n.L_1:\nLDL.64 R20, [R1+0x8] ;\nIADD3 R1, R1, 0x10, RZ ;\nRET.ABS.NODEC R20 0x0 ;\n")
	assert.Empty(t, r.Differences)
	assert.Equal(t, 1, r.Calls)

	// On sm_35 threads meet at an instruction that ends in .S.
	const join = ".visible .func (.param .b32 r) f(.param .b32 n, .param .b32 v) {\n\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n\tld.param.b32 %r1, [n];\n\tld.param.b32 %r2, [v];\n" +
		"\tsetp.gt.u32 %p, %r1, 1;\n\t@%p bra A;\n\tst.param.b32 [r], %r1;\n\tbra E;\nA:\tst.param.b32 [r], %r2;\nE:\tret;\n}\n"
	const meet = "%f\nISETP.GT.U32.AND P0, PT, R4, 0x1, PT ;\nSSY `(.L_x_5) ;\n@P0 BRA `(.L_x_6) ;\nNOP.S (*\"TARGET= .L_x_5 \"*) ;\nMOV R2, R9 ;\n.L_x_6:\nMOV.S R4, R5 (*\"TARGET= .L_x_5 \"*) ;\nMOV R2, R9 ;\n.L_x_5:\nRET ;\n"
	r = comparedAs(t, "sm_35", join, meet)
	assert.Empty(t, r.Differences, "what is after it is not executed")
	assert.NotEmpty(t, comparedAs(t, "sm_35", join, strings.Replace(meet, "NOP.S (*\"TARGET= .L_x_5 \"*)", "NOP", 1)).Differences)
}

// TestCallsOnSeveralWays holds calls of one function on several ways each for itself, in machine code.
func TestCallsOnSeveralWays(t *testing.T) {
	const src = ".extern .func g(.param .b32 x);\n.extern .func h();\n.visible .func f(.param .b32 a, .param .b32 b) {\n\t.reg .b32 %r<3>;\n\t.reg .b64 %d;\n\t.reg .pred %p;\n" +
		"\tld.param.b32 %r1, [a];\n\tld.param.b32 %r2, [b];\n\tsetp.gt.u32 %p, %r1, 5;\n\t@%p bra E;\n\t{\n\t.param .b32 x;\n\tst.param.b32 [x], %r1;\n\tcall g, (x);\n\t}\n" +
		"E:\n\t{\n\t.param .b32 x;\n\tst.param.b32 [x], %r2;\n\tcall g, (x);\n\t}\n\tmov.b64 %d, h;\nP:\t.callprototype _ ();\n\tcall %d, (), P;\n\tret;\n}\n"
	call := func(name, label string) string {
		return "MOV R20, 32@lo((f + " + label + "@srel)) ;\nMOV R21, 32@hi((f + " + label + "@srel)) ;\nCALL.ABS.NOINC `(" + name + ") ;\n" + label + ":\n"
	}
	right := "%f\nIADD3 R1, R1, -0x10, RZ ;\nSTL.64 [R1], R20 ;\nSTL [R1+0x8], R16 ;\nMOV R16, R5 ;\nISETP.GT.U32.AND P0, PT, R4, 0x5, PT ;\n@P0 BRA `(.L_9) ;\n" + call("g", ".L_1") +
		".L_9:\nMOV R4, R16 ;\n" + call("g", ".L_2") + call("h", ".L_3") + "LDL.64 R20, [R1] ;\nLDL R16, [R1+0x8] ;\nIADD3 R1, R1, 0x10, RZ ;\nRET.ABS.NODEC R20 0x0 ;\n"
	r := comparedAs(t, "sm_80", src, right) // the call of h is by name, as the source could have it
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.NotCompared)
	assert.Equal(t, 3, r.Calls)
	for what, wrong := range map[string][2]string{
		"the first of what the second passes": {"@P0 BRA `(.L_9) ;\n", "@P0 BRA `(.L_9) ;\nMOV R4, R5 ;\n"},
		"neither":                             {"MOV R4, R16 ;\n", "MOV R4, 0x3 ;\n"},
		"another function":                    {"`(h)", "`(g)"},
		"one that is always called is not":    {call("h", ".L_3"), ""},
	} {
		bad := strings.Replace(right, wrong[0], wrong[1], 1)
		require.NotEqual(t, right, bad, what)
		assert.NotEmpty(t, comparedAs(t, "sm_80", src, bad).Differences, what)
	}
	r = comparedAs(t, "sm_80", src, strings.Replace(right, call("g", ".L_1"), "", 1))
	assert.Empty(t, r.Differences, "the compiler may know that the first is never made")
}

// TestHalfOfWord has code of ptxas 12.4 and 12.8 at -O1 for a 2-byte parameter of a kernel in the upper half of a word: the
// first is wrong, and so may the second be, which it has for sm_90.
func TestHalfOfWord(t *testing.T) {
	const src = ".extern .func g(.param .b16 x);\n.visible .entry f(.param .b16 a, .param .b16 b, .param .b16 c, .param .b16 d) {\n\t.reg .b16 %h;\n\t.param .b16 x;\n" +
		"\tld.param.b16 %h, [d];\n\tst.param.b16 [x], %h;\n\tcall g, (x);\n\tret;\n}\n"
	const call = "MOV R20, 32@lo((f + .L_1@srel)) ;\nMOV R21, 32@hi((f + .L_1@srel)) ;\nCALL.ABS.NOINC `(g) ;\n.L_1:\nEXIT ;\n"
	r := comparedAs(t, "sm_80", src, "%f\nMOV R1, c[0x0][0x28] ;\nMOV R4, c[0x0][0x164] ;\n"+call)
	require.Len(t, r.Differences, 1)
	assert.Contains(t, r.Differences[0].String(), "R4 should hold argument x (parameter d, which is at c[0x0][0x166]); it holds parameter c, which is at c[0x0][0x164]")
	r = comparedAs(t, "sm_80", src, "%f\nMOV R1, c[0x0][0x28] ;\nULDC UR4, c[0x0][0x166] ;\nMOV R4, UR4 ;\n"+call)
	assert.Empty(t, r.Differences)
	assert.Len(t, r.NotCompared, 1, "what a load reads that is not aligned is not known")
	r = comparedAs(t, "sm_80", src, "%f\nMOV R1, c[0x0][0x28] ;\nULDC.U16 UR4, c[0x0][0x166] ;\nMOV R4, UR4 ;\n"+call)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.NotCompared)
}

// TestNarrowTerms holds that what is above the 16 bits that an instruction reads does not count, and that these do.
func TestNarrowTerms(t *testing.T) {
	const src = `.visible .func (.param .align 4 .b8 r[4]) f(.param .align 4 .b8 x[4]) {
	.reg .b16 %rs<9>;
	ld.param.u16 %rs1, [x];
	add.s16 %rs2, %rs1, %rs1;
	ld.param.v2.u8 {%rs3, %rs4}, [x+2];
	st.param.b16 [r], %rs2;
	st.param.v2.b8 [r+2], {%rs3, %rs4};
	ret;
}`
	listing := func(selected string) string {
		return "%f\n\tPRMT R5, R4, " + selected + ", RZ ;\n\tadd.s16 R5, R5, R5 ;\n\tPRMT R4, R5, 0x7610, R4 ;\n\tRET.ABS.NODEC R20 0x0 ;\n"
	}
	assert.Empty(t, comparedAs(t, "sm_80", src, listing("0x7710")).Differences, "zeros above x")
	assert.Empty(t, comparedAs(t, "sm_80", src, listing("0x3210")).Differences, "all of x")
	assert.NotEmpty(t, comparedAs(t, "sm_80", src, listing("0x7732")).Differences, "the other half of x")
}

// TestComputedOperands holds that the result of an instruction depends on which others have computed its operands.
func TestComputedOperands(t *testing.T) {
	const src = `.visible .func g() { ret; }
.visible .func h() { ret; }
.visible .func (.param .b64 r) f(.param .b32 x, .param .b32 y) {
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	ld.param.b32 %r1, [x];
	ld.param.b32 %r2, [y];
	mul.lo.u32 %r3, %r1, %r2;
	xor.b32 %r4, %r1, %r2;
	and.b32 %r5, %r3, %r4;
	mov.b64 %rd1, g;
	mov.b64 %rd2, h;
	xor.b64 %rd3, %rd1, 1;
	cvt.u64.u32 %rd4, %r5;
	or.b64 %rd5, %rd3, %rd4;
	st.param.b64 [r], %rd5;
	ret;
}`
	target := mustTarget(t, "sm_80")
	listing := lowered(t, src, target, nil)
	assert.Empty(t, compared(t, []byte(src), listing, target).Differences)
	for _, edit := range [][2]string{{"%r3, %r4", "%r4, %r4"}, {"%rd3, %rd1", "%rd3, %rd2"}} {
		wrong := strings.Replace(listing, edit[0], edit[1], 1)
		assert.NotEqual(t, listing, wrong)
		assert.NotEmpty(t, compared(t, []byte(src), wrong, target).Differences, "%s for %s", edit[1], edit[0])
	}
}

// TestInPlace holds that instructions are followed that write the register which they read: conversions, which the machine
// follows, and sums with numbers.
func TestInPlace(t *testing.T) {
	const src = `.visible .func (.param .b32 r) f(.param .b32 a, .param .b32 b, .param .b32 c) {
	.reg .b16 %h;
	.reg .b32 %r<9>;
	ld.param.s16 %h, [a];
	ld.param.b32 %r2, [b];
	ld.param.b32 %r3, [c];
	cvt.s32.s16 %r1, %h;
	add.s32 %r4, %r1, %r2;
	add.s32 %r5, %r4, %r3;
	st.param.b32 [r], %r5;
	ret;
}
.visible .func (.param .b32 r) g(.param .b32 a) {
	.reg .b32 %r<9>;
	ld.param.b32 %r1, [a];
	add.s32 %r2, %r1, 8;
	st.param.b32 [r], %r2;
	ret;
}`
	listing := func(last, sum string) string {
		return "%f\n\tcvt.s32.s16 R4, R4 ;\n\tadd.s32 R4, R4, R5 ;\n\tadd.s32 R4, R4, " + last + " ;\n\tRET ;\n" +
			"%g\n\tadd.s32 R4, R4, " + sum + " ;\n\tRET ;\n"
	}
	r := comparedAs(t, "sm_60", src, listing("R6", "8"))
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.NotCompared)
	assert.Len(t, comparedAs(t, "sm_60", src, listing("R5", "8")).Differences, 1)
	assert.Len(t, comparedAs(t, "sm_60", src, listing("R6", "9")).Differences, 1)
}

// TestUndefinedOnStack holds that an argument on the stack may be anything where the source stores a register that has no value.
func TestUndefinedOnStack(t *testing.T) {
	const src = `.extern .func f(.param .b32 a, .param .align 4 .b8 b[48]);
.visible .entry k() {
	.reg .b32 %r<9>;
	.param .b32 a;
	.param .align 4 .b8 b[48];
	mov.u32 %r3, 7;
	st.param.b32 [a], %r1;
	st.param.b32 [b], %r2;
	st.param.b32 [b+12], %r3;
	call f, (a, b);
	ret;
}`
	target := mustTarget(t, "sm_60")
	right := strings.Replace(lowered(t, ".version 6.0\n.target sm_60\n.address_size 64\n"+src, target, nil), "STL [R1], %r2", "STL [R1], R9", 1)
	require.Contains(t, right, "STL [R1], R9")
	require.Contains(t, right, "STL [R1+0xc], %r3")
	assert.Empty(t, compared(t, []byte(".version 6.0\n.target sm_60\n.address_size 64\n"+src), right, target).Differences)
	wrong := strings.Replace(right, "STL [R1+0xc], %r3", "STL [R1+0xc], R9", 1)
	assert.Len(t, compared(t, []byte(".version 6.0\n.target sm_60\n.address_size 64\n"+src), wrong, target).Differences, 1)
}

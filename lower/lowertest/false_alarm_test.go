package lowertest_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/sass"
)

// TestRightCode has listings of right code: of ptxas 12.4 at -O1 for sm_80, and of a backend.
func TestRightCode(t *testing.T) {
	const head = ".version 7.8\n.target sm_80\n.address_size 64\n"
	const begin = "//--------------------- .text.f --------------------------\nf:\n"
	const frame = "IADD3 R1, R1, -0x48, RZ ;\nSTL [R1+0x38], R20 ;\nSTL [R1+0x3c], R21 ;\nSTL [R1+0x40], R16 ;\n"
	const leave = "LDL R16, [R1+0x40] ;\nLDL R20, [R1+0x38] ;\nLDL R21, [R1+0x3c] ;\nIADD3 R1, R1, 0x48, RZ ;\nRET.ABS.NODEC R20 0x0 ;\n"
	called := func(label, args, callee string) string {
		return args + "MOV R20, 32@lo((f + .L_" + label + "@srel)) ;\nMOV R21, 32@hi((f + .L_" + label + "@srel)) ;\nCALL.ABS.NOINC " + callee + " ;\n.L_" + label + ":\n"
	}
	const alignedFrame = ".extern .func g();\n.visible .func f(.param .b32 a) { .reg .b32 %r; .local .align 16 .b8 l[16]; ld.param.b32 %r, [a]; st.local.b32 [l], %r; call g; ret; }"
	alignedCode := "MOV R3, R1 ;\nIADD3 R1, R1, -0x20, RZ ;\nLOP3.LUT R1, R1, 0xfffffff0, RZ, 0xc0, !PT ;\nSTL [R1+0x18], R21 ;\nSTL [R1+0x14], R20 ;\nSTL [R1+0x10], R2 ;\nMOV R2, R3 ;\nSTL [R1], R4 ;\n" +
		called("1", "", "`(g)") + "MOV R3, R2 ;\nLDL R2, [R1+0x10] ;\nLDL R20, [R1+0x14] ;\nLDL R21, [R1+0x18] ;\nMOV R1, R3 ;\nRET.ABS.NODEC R20 0x0 ;\n"
	for name, tt := range map[string]struct{ src, listing, wrong, right string }{
		"a number is added to what is returned": {
			".visible .func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.s32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }",
			"IADD3 R4, R4, 0x1, RZ ;\nRET.ABS.NODEC R20 0x0 ;\n", "0x1, RZ", "0x2, RZ",
		},
		"a number is taken from it": {
			".visible .func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; sub.u32 %r2, %r1, 4; st.param.b32 [r], %r2; ret; }",
			"IADD3 R4, R4, -0x4, RZ ;\nRET.ABS.NODEC R20 0x0 ;\n", "-0x4", "0x4",
		},
		"a product": { // which is not compared, but a register that nothing has written is none
			".visible .func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; mul.lo.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }",
			"IMAD R4, R4, R4, RZ ;\nRET.ABS.NODEC R20 0x0 ;\n", "IMAD R4, R4, R4, RZ", "MOV R4, R9",
		},
		"a helper of the assembler": {
			".visible .func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; st.param.b32 [r], %r1; ret; }",
			"MOV R10, R4 ;\nMOV R11, R20 ;\nMOV R12, R21 ;\nCALL.REL.NOINC `(__cuda_sm20_div_u64) ;\nMOV R4, R10 ;\nMOV R20, R11 ;\nMOV R21, R12 ;\nRET.ABS.NODEC R20 0x0 ;\n" +
				"//--------------------- .text.__cuda_sm20_div_u64 --------------------------\n__cuda_sm20_div_u64:\nMOV R6, R7 ;\nRET.ABS.NODEC R8 0x0 ;\n", "MOV R4, R10", "MOV R4, R11",
		},
		"calls through registers in another order": {
			".extern .func (.param .align 8 .b8 r[56]) g(); .extern .func h(.param .b32 x);\n.visible .func f(.param .b32 a) { .reg .pred %p; .reg .b32 %r; .reg .b64 %d; .param .align 8 .b8 s[56]; .param .b32 y;\n" +
				"P: .callprototype (.param .align 8 .b8 _[56]) _ (); Q: .callprototype _ (.param .b32 _);\nld.param.b32 %r, [a]; setp.eq.s32 %p, %r, 0; @%p bra L; mov.b64 %d, g; call (s), %d, (), P; ret;\n" +
				"L: mov.b64 %d, h; st.param.b32 [y], %r; call %d, (y), Q; ret; }",
			frame + "ISETP.NE.AND P0, PT, R4, RZ, PT ;\n@P0 BRA `(.L_2) ;\n" + called("1", "MOV R6, 32@lo(h) ;\nMOV R7, 32@hi(h) ;\n", "R6") + leave +
				".L_2:\n" + called("3", "MOV R4, R1 ;\nMOV R6, 32@lo(g) ;\nMOV R7, 32@hi(g) ;\n", "R6") + leave,
			"MOV R4, R1 ;\n", "",
		},
		"two calls of one function, and a branch": {
			".extern .func g(); .extern .func h();\n.visible .func f(.param .b32 a) { .reg .pred %p; .reg .b32 %r; ld.param.b32 %r, [a]; setp.eq.s32 %p, %r, 0; call g; call g; @%p bra L; call h; L: ret; }",
			frame + "MOV R16, R4 ;\n" + called("1", "", "`(g)") + called("2", "", "`(g)") + "ISETP.EQ.AND P0, PT, R16, RZ, PT ;\n@P0 BRA `(.L_4) ;\n" + called("3", "", "`(h)") + ".L_4:\n" + leave,
			called("2", "", "`(g)"), "",
		},
		"a call on one way": {
			".extern .func g();\n.visible .func f(.param .b32 a) { .reg .pred %p; .reg .b32 %r; ld.param.b32 %r, [a]; setp.gt.s32 %p, %r, 4; @%p bra L; call g; L: ret; }",
			frame + "ISETP.GT.AND P0, PT, R4, 0x4, PT ;\n@P0 BRA `(.L_4) ;\n" + called("3", "", "`(g)") + ".L_4:\n" + leave,
			called("3", "", "`(g)"), "",
		},
		"two calls on one way": { // the condition is not followed
			".extern .func g(); .extern .func h();\n.visible .func f(.param .b32 a) { .reg .pred %p; .reg .b32 %r<2>; ld.param.b32 %r0, [a]; and.b32 %r1, %r0, 3; setp.gt.s32 %p, %r1, 2; @%p bra L; call g; call h; L: ret; }",
			frame + "LOP3.LUT R4, R4, 0x3, RZ, 0xc0, !PT ;\nISETP.GT.AND P0, PT, R4, 0x2, PT ;\n@P0 BRA `(.L_4) ;\n" + called("2", "", "`(g)") + called("3", "", "`(h)") + ".L_4:\n" + leave,
			"`(h)", "`(g)",
		},
		"a way that no argument takes": {
			".extern .func g(); .extern .func h();\n.visible .func f(.param .b32 a) { .reg .pred %p; .reg .b32 %r<2>; ld.param.b32 %r0, [a]; and.b32 %r1, %r0, 3; setp.le.s32 %p, %r1, 3; call h; @%p bra L; call g; L: ret; }",
			frame + called("3", "", "`(h)") + leave,
			called("3", "", "`(h)"), "",
		},
		"a call behind two branches on one predicate": {
			".extern .func g(.param .b32 x);\n.visible .func f(.param .b32 a) { .reg .pred %p; .reg .b32 %r; .param .b32 x; ld.param.b32 %r, [a]; setp.eq.s32 %p, %r, 0; @%p bra L; @!%p bra L; st.param.b32 [x], %r; call g, (x); L: ret; }",
			frame + "ISETP.EQ.AND P0, PT, R4, RZ, PT ;\n@P0 BRA `(.L_4) ;\nISETP.NE.AND P0, PT, R4, RZ, PT ;\n@P0 BRA `(.L_4) ;\n" + called("3", "", "`(g)") + ".L_4:\n" + leave,
			"`(g)", "`(h)",
		},
		"a call behind a return that is always taken": {
			".extern .func g();\n.visible .func f() { .reg .pred %p; .reg .b32 %r; mov.b32 %r, 5; setp.eq.s32 %p, %r, 5; @%p ret; call g; ret; }",
			"RET.ABS.NODEC R20 0x0 ;\n", "R20", "R22",
		},
		"a store behind a branch that is always taken": {
			".visible .func f() { .reg .pred %p; .reg .b32 %r; .reg .b64 %d; mov.b64 %d, 4096; st.volatile.global.b32 [%d], 7; mov.b32 %r, 5; setp.eq.s32 %p, %r, 5; @%p bra L; st.volatile.global.b32 [%d+4], %r; L: ret; }",
			"MOV R5, 0x7 ;\nMOV R6, 0x1000 ;\nMOV R7, RZ ;\nSTG.E.STRONG.SYS [R6], R5 ;\nRET.ABS.NODEC R20 0x0 ;\n", "0x7", "0x6",
		},
		"a call of the address 0": {
			".visible .func f(.param .b32 a) { .reg .b64 %d; P: .callprototype _ (); mov.b64 %d, 0; call %d, P; ret; }",
			frame + "MOV R0, R4 ;\n" + called("3", "", "RZ") + leave, "RZ", "R4",
		},
		"a call before a loop without end": {
			".extern .func g(.param .b32 x);\n.visible .func f(.param .b32 a) { .reg .b32 %r; .param .b32 x; ld.param.b32 %r, [a]; st.param.b32 [x], %r; call g, (x); L: bra L; }",
			frame + called("1", "", "`(g)") + ".L_5:\nBRA `(.L_5) ;\n", "STL [R1+0x40], R16 ;\n", "MOV R4, R16 ;\n",
		},
		"a trap, after which the end is left out": {
			".extern .func g();\n.visible .func f() { call g; trap; }", frame + called("1", "", "`(g)") + "BPT.TRAP 0x1 ;\n.L_5:\nBRA `(.L_5) ;\n", "`(g)", "`(h)",
		},
		"what a pointer points to": {
			".visible .func (.param .b32 r) f(.param .b64 p) { .reg .b32 %r<2>; .reg .b64 %d; ld.param.b64 %d, [p]; ld.u32 %r0, [%d+8]; st.param.b32 [r], %r0; ret; }",
			"LD.E R4, [R4.64+0x8] ;\nRET.ABS.NODEC R20 0x0 ;\n", "+0x8", "+0xc",
		},
		"an address that the source has not written either": {
			".extern .func g();\n.visible .func f(.param .b32 a) { .reg .b32 %r; .reg .b64 %d; ld.param.b32 %r, [a]; st.global.b32 [%d], %r; call g; ret; }",
			frame + "STG.E [R6.64], R4 ;\n" + called("1", "", "`(g)") + leave, "`(g)", "`(h)",
		},
		"what was stored before": {
			".visible .func (.param .b32 r) f(.param .b64 p, .param .b32 a) { .reg .b32 %r<2>; .reg .b64 %d; ld.param.b64 %d, [p]; ld.param.b32 %r0, [a]; st.u32 [%d+8], %r0; ld.u32 %r1, [%d+8]; st.param.b32 [r], %r1; ret; }",
			"ST.E [R4.64+0x8], R6 ;\nMOV R4, R6 ;\nRET.ABS.NODEC R20 0x0 ;\n", "MOV R4, R6", "MOV R4, R9",
		},
		"an aligned frame, not as large as what is saved": {alignedFrame, alignedCode, "-0x20", "-0x10"},
		"an aligned frame of nothing":                     {alignedFrame, alignedCode, "IADD3 R1, R1, -0x20, RZ ;\n", ""},
		"a product on the stack": { // a word that nothing stores is found, whatever the source computes
			".extern .func g(.param .align 4 .b8 x[52]);\n.visible .func f(.param .b32 a) { .reg .b32 %r<2>; .param .align 4 .b8 x[52]; ld.param.b32 %r0, [a]; mul.lo.s32 %r1, %r0, %r0; ld.global.b32 %r0, [1024];\n" +
				"mul.lo.s32 %r1, %r1, %r0; st.param.b32 [x+48], %r1; call g, (x); ret; }",
			frame + "LDG.E R5, [0x400] ;\nIMAD R4, R4, R4, RZ ;\nIMAD R4, R4, R5, RZ ;\nSTL [R1+0x30], R4 ;\n" + called("1", "", "`(g)") + leave,
			"STL [R1+0x30], R4 ;\n", "",
		},
	} {
		target := mustTarget(t, "sm_80")
		r := compared(t, []byte(head+tt.src), indented(begin+tt.listing), target)
		assert.Empty(t, r.Differences, name)
		wrong := strings.Replace(tt.listing, tt.wrong, tt.right, 1)
		require.NotEqual(t, tt.listing, wrong)
		r = compared(t, []byte(head+tt.src), indented(begin+wrong), target)
		if assert.NotEmpty(t, r.Differences, "%s: the planted mistake is found", name) {
			assert.Contains(t, r.String(), r.Differences[0].String())
		}
	}
}

// TestFunctionAddress compares what a call through a register goes through, and finds other targets.
func TestFunctionAddress(t *testing.T) {
	const src = `.version 8.7
.target %
.address_size 64
.extern .func g(.param .b32 x);
.extern .func h(.param .b32 x);
.visible .func f(.param .b32 a)
{
	.reg .b32 %r;
	.reg .b64 %d;
	.param .b32 x;
	ld.param.b32 %r, [a];
	st.param.b32 [x], %r;
	mov.b64 %d, g;
P:	.callprototype _ (.param .b32 _);
	call %d, (x), P;
	ret;
}`
	for name, address := range map[string]string{"sm_80": "g", "sm_90": "fun@unified(g)"} {
		target := mustTarget(t, name)
		call := "CALL.ABS.NOINC R6 ;\n"
		if name == "sm_90" {
			call = "CALL.ABS.NOINC R6 `(__UFT_OFFSET) ;\n"
		}
		right := "//--------------------- .text.f --------------------------\nf:\nIADD3 R1, R1, -0x8, RZ ;\nSTL [R1], R20 ;\nSTL [R1+0x4], R21 ;\n" +
			"MOV R6, 32@lo(" + address + ") ;\nMOV R7, 32@hi(" + address + ") ;\nMOV R20, 32@lo((f + .L_1@srel)) ;\nMOV R21, 32@hi((f + .L_1@srel)) ;\n" + call +
			".L_1:\nLDL R20, [R1] ;\nLDL R21, [R1+0x4] ;\nIADD3 R1, R1, 0x8, RZ ;\nRET.ABS.NODEC R20 0x0 ;\n"
		compare := func(listing string) *lowertest.Report {
			r := compared(t, []byte(strings.Replace(src, "%", name, 1)), indented(listing), target)
			return r
		}
		r := compare(right)
		assert.Empty(t, r.Differences, name)
		assert.Empty(t, r.NotCompared, name)
		for what, wrong := range map[string][2]string{
			"another function":       {"(" + address + ")", "(" + strings.Replace(address, "g", "h", 1) + ")"},
			"the other half":         {"32@hi(" + address, "32@lo(" + address},
			"the wrong address":      {address, map[string]string{"sm_80": "fun@unified(g)", "sm_90": "g"}[name]},
			"a pair that is not set": {"MOV R6, 32@lo(", "MOV R8, 32@lo("},
			"another pair":           {"NOINC R6", "NOINC R8"},
			"an odd pair":            {"NOINC R6", "NOINC R5"},
		} {
			bad := strings.ReplaceAll(right, wrong[0], wrong[1])
			require.NotEqual(t, right, bad)
			assert.NotEmpty(t, compare(bad).Differences, "%s: %s", name, what)
		}
	}
}

// TestHelpers names a helper of a backend.
func TestHelpers(t *testing.T) {
	src := []byte(".version 7.8\n.target sm_80\n.address_size 64\n.visible .func f() { ret; }")
	listing := "//--------------------- .text.f --------------------------\nf:\nMOV R10, R20 ;\nMOV R11, R21 ;\nCALL.REL.NOINC `(soft_div) ;\nMOV R20, R10 ;\nMOV R21, R11 ;\nRET.ABS.NODEC R20 0x0 ;\n" +
		"//--------------------- .text.soft_div --------------------------\nsoft_div:\nMOV R6, R7 ;\nRET.ABS.NODEC R8 0x0 ;\n"
	r := compared(t, src, indented(listing), mustTarget(t, "sm_80"))
	assert.NotEmpty(t, r.Differences)
	r, err := lowertest.Options{Helpers: []string{"soft_div"}}.Compare(src, indented(listing), mustTarget(t, "sm_80"))
	require.NoError(t, err)
	assert.Empty(t, r.Differences)

	old := mustTarget(t, "sm_52")
	begin := regexp.MustCompile(`(?m)^\w+:$`)
	compile := func(src []byte) (string, error) {
		listing, err := ours(old, func(*sass.Instr) {})(src)
		return begin.ReplaceAllString(listing, "$0\n\tCAL `(soft_div) ;") + "//--------------------- .text.soft_div --------------------------\nsoft_div:\n\tRET ;\n", err
	}
	_, err = lowertest.CheckListings(old, 1, 0, compile)
	assert.ErrorContains(t, err, "soft_div")
	_, err = lowertest.Options{Helpers: []string{"soft_div"}}.CheckListings(old, 1, 0, compile)
	assert.NoError(t, err)
	assert.True(t, isa.Helper("__cuda_sm70_shflsync_down"))
	assert.False(t, isa.Helper("__cuda_sin"))
}

// TestForwarded compares package lower with itself on a result of several words of 128 bits that is passed on.
func TestForwarded(t *testing.T) {
	src := []byte(".version 7.8\n.target sm_52\n.address_size 64\n.extern .func (.param .align 4 .b8 r[52]) f(); .extern .func g(.param .align 4 .b8 a[52]);\n" +
		".entry k() { .param .align 4 .b8 t[52]; call (t), f, (); call g, (t); ret; }")
	target := mustTarget(t, "sm_52")
	m := must.Parse(t, "a.ptx", src)
	prog, err := lower.Module(m, target, lower.Options{})
	require.NoError(t, err)
	r := compared(t, src, string(prog.AppendText(nil)), target)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.NotCompared)
}

// TestAlloca compares package lower with itself on a function that moves the stack pointer by a size that it computes. What is
// stored at the new one is compared.
func TestAlloca(t *testing.T) {
	src := []byte(`.version 7.8
.target sm_80
.address_size 64
.extern .func use(.param .b64 p, .param .align 4 .b8 s[52]);
.visible .func f(.param .b64 n, .param .b32 x)
{
	.reg .b64 %d<4>;
	.reg .b32 %r;
	ld.param.b64 %d1, [n];
	ld.param.b32 %r, [x];
	alloca.u64 %d2, %d1, 16;
	{
	.param .b64 p;
	.param .align 4 .b8 s[52];
	st.param.b64 [p], %d2;
	st.param.b32 [s+48], %r;
	call use, (p, s);
	}
	ret;
}`)
	target := mustTarget(t, "sm_80")
	m := must.Parse(t, "a.ptx", src)
	prog, err := lower.Module(m, target, lower.Options{})
	require.NoError(t, err)
	homes, err := lower.Module(m, target, lower.Options{Homes: fixedHomes{"%d1": 24, "%d2": 26, "%r": 28}})
	require.NoError(t, err)
	for _, listing := range []string{string(prog.AppendText(nil)), string(homes.AppendText(nil))} {
		r := compared(t, src, listing, target)
		assert.Empty(t, r.Differences)
		wrong := strings.Replace(listing, "STL [R1+0x30]", "STL [R1+0x2c]", 1)
		require.NotEqual(t, listing, wrong)
		r = compared(t, src, wrong, target)
		assert.NotEmpty(t, r.Differences)
	}
}

// TestEveryTarget holds the kit against package lower on all targets: with the cases of package abitest.
func TestEveryTarget(t *testing.T) {
	for i, target := range abi.Targets() {
		if !effort.Long() && i%6 != 0 {
			continue
		}
		_, err := lowertest.CheckListings(target, 1, 1, ours(target, func(*sass.Instr) {}))
		assert.NoError(t, err, target.Name)
	}
}

// indented indents the lines that are instructions.
func indented(listing string) string {
	var b strings.Builder
	for line := range strings.Lines(listing) {
		if line[0] >= 'A' && line[0] <= 'Z' || line[0] == '@' {
			b.WriteByte('\t')
		}
		b.WriteString(line)
	}
	return b.String()
}

package lower_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestIgnoredAbove looks at which loads of a byte into a word are left unextended, by
// what reads the register, and whatever registers are called.
func TestIgnoredAbove(t *testing.T) {
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	for _, tt := range []struct {
		reader string // R1 is what was loaded
		plain  bool
	}{
		{"st.global.u8 [sink+4], R1;", true},
		{"st.volatile.global.b8 [sink], R1;", true},
		{"st.global.b8 [R1], R2;", false},
		{"st.global.b8 [sink], R2;", false}, // nothing reads it
		{"st.global.u16 [sink], R1;", false},
		{"st.global.v2.u8 [sink], {R2, R1};", true},
		{"st.global.u8 [sink], /* R2 */ R1;", true},
		{"cvt.u32.u8 R2, R1;", true},
		{"cvt.s32.s8 R2, R1;", true},
		{"cvt.u32.u16 R2, R1;", false},
		{"and.b32 R2, R1, 255;", true},
		{"and.b32 R2, R1, 256;", false},
		{"and.b32 R2, R3, 255; or.b32 R2, R3, R1;", false},
		{"cvt.u32.u8 R2, R1; st.global.u8 [sink], R1;", true},
		{"cvt.u32.u8 R2, R1; st.global.u32 [sink], R1;", false},
		{"add.u32 R2, R3, R1;", false},
		{"cvt.u32.u8 R2, R10;", false},
	} {
		for _, stem := range []string{"%r", "r", "%long_names_", "%r1_"} {
			reader := strings.ReplaceAll(tt.reader, "R", stem)
			src := ".version 7.0\n.target sm_80\n.address_size 32\n.global .b8 sink[16];\n" +
				".func g(.param .b32 p)\n{\nret;\n}\n" +
				".visible .func f(.param .align 4 .b8 x[8])\n{\n.reg .b32 " + stem + "<20>;\n" +
				"ld.param.u8 " + stem + "1, [x+4];\n" + reader + "\n{\n.param .b32 a;\nst.param.b32 [a], " + stem + "3;\ncall.uni g, (a);\n}\nret;\n}\n"
			m, err := ptx.ParseString("x.ptx", src)
			require.NoError(t, err)
			out, err := lower.Module(m, target, lower.Options{})
			require.NoError(t, err, src)
			_, of, _ := strings.Cut(out.String(), ".text.f")
			assert.Equal(t, tt.plain, strings.Contains(of, "\tMOV "+stem+"1, R5 ;"), "%s\n%s", reader, of)
			assert.Equal(t, !tt.plain, strings.Contains(of, "\tPRMT "+stem+"1, R5, 0x7770, RZ ;"), "%s\n%s", reader, of)
		}
	}
}

// TestIgnoredBits does it with readers of registers of other types, and with some
// that read the byte in a way that is not looked into.
func TestIgnoredBits(t *testing.T) {
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	for _, c := range []struct {
		reader  string
		ignores bool
	}{
		{"st.global.u8 [mem], %r1;", true},
		{"st.global.u8 [%rd2], %r2;", false}, // %rd2 is made of the register
		{"st.global.L2::cache_hint.u8 [mem], %r2, %rd2;", false},
		{"cvt.u8.u32 %r2, %r1;", false},
		{"cvt.rn.f32.u8 %f1, %r1;", true},
		{"and.b32 %r2, %r1, -1;", false},
		{"and.b32 %r2, 255, %r1;", false},
		{"mov.b64 %rd1, {%r1, %r2};", false},
		{"setp.eq.u32 %p1, %r1, 0;", false},
		{"@%p1 st.global.u8 [mem], %r1; add.u32 %r2, %r1, 1;", false},
	} {
		of := "%r1"
		if strings.Contains(c.reader, "%rd2") {
			of = "%rd2"
		}
		src := ".version 8.5\n.target sm_80\n.address_size 64\n.global .align 16 .b8 mem[256];\n.extern .func e ();\n" +
			".func f (.param .align 4 .b8 a[4])\n{\n\t.reg .pred %p<2>;\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<3>;\n\t.reg .f32 %f<2>;\n" +
			"\tld.param.u8 " + of + ", [a];\n\t" + c.reader + "\n\tcall e, ();\n\tret;\n}\n"
		m, err := ptx.Parse("x.ptx", []byte(src))
		require.NoError(t, err, c.reader)
		prog, err := lower.Module(m, target, lower.Options{})
		require.NoError(t, err, c.reader)
		assert.Equal(t, !c.ignores, strings.Contains(prog.String(), "PRMT "+of), "%s\n%s", c.reader, prog)
	}
}

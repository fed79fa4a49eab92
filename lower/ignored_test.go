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

// TestIgnoredBits holds which readers of a byte that was loaded let its extension
// be left out: those alone that are known to read no more than the byte.
func TestIgnoredBits(t *testing.T) {
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	for _, c := range []struct {
		reader  string
		ignores bool
	}{
		{"st.global.u8 [mem], %r1;", true},
		{"st.global.b16 [mem], %r1;", false},
		{"st.global.v2.b8 [mem], {%r1, %r1};", true},
		{"st.global.u8 [%rd1], %r1;", true},
		{"st.global.u8 [%rd2], %r2;", false}, // %rd2 is made of the register
		{"st.global.L2::cache_hint.u8 [mem], %r2, %rd2;", false},
		{"cvt.u32.u8 %r2, %r1;", true},
		{"cvt.u8.u32 %r2, %r1;", false},
		{"cvt.rn.f32.u8 %f1, %r1;", true},
		{"and.b32 %r2, %r1, 255;", true},
		{"and.b32 %r2, %r1, 256;", false},
		{"and.b32 %r2, %r1, -1;", false},
		{"and.b32 %r2, 255, %r1;", false},
		{"mov.b64 %rd1, {%r1, %r2};", false},
		{"setp.eq.u32 %p1, %r1, 0;", false},
		{"@%p1 st.global.u8 [mem], %r1; add.u32 %r2, %r1, 1;", false},
		{"", false}, // loaded as PTX has it where nothing reads it
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

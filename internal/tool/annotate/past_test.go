package annotate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWideAccesses has accesses of several words: each name stands at its
// register, and what lies after a parameter is said.
func TestWideAccesses(t *testing.T) {
	const module = ".version 7.0\n.target sm_80\n.address_size 64\n" +
		".visible .entry k (.param .u32 n, .param .u32 m, .param .u64 p, .param .b8 c[5], .param .align 16 .b8 s[12]) { ret; }\n" +
		".visible .func (.param .align 4 .b8 r[52]) f (.param .align 4 .b8 y[48], .param .align 8 .b8 x[4], .param .align 16 .b8 z[8]) { ret; }\n"
	head := map[string]string{
		"k": "\t.target sm_80\n.text.k:\n",
		"f": "\t.target sm_80\n.text.f:\n",
	}
	for _, tt := range []struct{ fn, code, want string }{
		// n at 0x160, m at 0x164, p at 0x168, c at 0x170, s at 0x180.
		{"k", "LDC R4, c[0x0][0x160]", "n[0:4]"},
		{"k", "LDC.64 R4, c[0x0][0x160]", "R4 = n[0:4], R5 = m[0:4]"},
		{"k", "ULDC.64 UR8, c[0x0][0x160]", "UR8 = n[0:4], UR9 = m[0:4]"},
		{"k", "LDC.128 R4, c[0x0][0x160]", "R4 = n[0:4], R5 = m[0:4], R6 = p[0:8]"},
		{"k", "LDC.64 R4, c[0x0][0x168]", "p[0:8]"},
		{"k", "DADD R2, R2, c[0x0][0x160]", "n[0:4], m[0:4]"},
		{"k", "LDC.64 R4, c[0x0][0x170]", "c[0:5]"}, // the last word is c's
		{"k", "LDC.128 R4, c[0x0][0x170]", "c[0:5] and 8 bytes past its end"},
		{"k", "LDC.128 R4, c[0x0][0x180]", "s[0:12] and 4 bytes past its end"},
		{"k", "LDC.64 R4, c[0x0][0x188]", "s[8:12] and 4 bytes past its end"},
		{"k", "LDC.64 R4, c[0x0][0x18c]", ""}, // nobody's
		{"k", "DADD R2, R2, c[0x0][0x188]", "s[8:12] and 4 bytes past its end"},
		// y on the stack at 0, x in R6, z at 48; r in memory.
		{"f", "LDL.64 R8, [R1+0x28]", "y[40:48]"},
		{"f", "LDL.128 R8, [R1+0x20]", "y[32:48]"},
		{"f", "LDL.128 R8, [R1+0x28]", "y[40:48] and 8 bytes past its end"},
		{"f", "STL.64 [R4+0x2c], R8", "r[44:52]"},
		{"f", "STL.64 [R4+0x30], R8", "r[48:52] and 4 bytes past its end"},
		{"f", "STL.U8 [R4+0x33], R8", "r[51:52]"},
		{"f", "STL.U16 [R4+0x33], R8", "r[51:52] and 1 byte past its end"},
	} {
		out, err := annotated([]byte(head[tt.fn]+"\t"+tt.code+" ;\n"), []byte(module), false)
		require.NoError(t, err)
		_, note, _ := strings.Cut(string(out), tt.code+" ;")
		note, _, _ = strings.Cut(strings.TrimLeft(note, " /"), "; ")
		assert.Equal(t, tt.want, strings.TrimSuffix(strings.TrimSpace(note), "; "), tt.code)
	}
}

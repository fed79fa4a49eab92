package ptx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestTaken reads text that every release of the assembler from 11.8 to 13.5 takes, as measured, unless it says
// another one.
func TestTaken(t *testing.T) {
	for _, src := range []string{
		".extern .func f(.param .b32 x) .pred;",
		".extern .func f(.param .b32 x) .v2 .f32;",
		".extern .func (.param .b32 r) f .texref;",
		".extern .func f(.param .b32 x)",
		".extern .func f(.param .b32 x)\n.visible .func g() { ret; }",
		".extern .func f(.param .b32 x) .pragma \"nounroll\";",
		".pred;\n.u16;",
		".func g() { .u16; .v2 .f32; .align 4 .b32; .reg .b32; ret; }",
		".func g(.param .b32 x) { .reg .b32 %r; ld\n.param.b32 %r, [x]; ld /* c */ .param.b32 %r, [x]; ret; }",
		".func g() { .reg .b32 %r; st\n.shared.b32 [%r], %r; ld\n.local.b32 %r, [%r]; ret; }",
		".func g() { mma.sp::2:4.sync %r, %q; ret; }", // 13.4 on, of targets that have it
		".file 1 \"a\nb.cu\"\n.func g() { ret; }",
		".file 1 \"a\\\nb.cu\"\n.func g() { ret; }",
		"#line 7 \"x.cu\"\n.func g() { ret; }",
		"# 7 \"x.cu\" 2 3\n.func g() { ret; #line 8 \"x.cu\"\n }",
		"  # line 7 \"x.cu\"\n.func g() { ret; }",
		".file 1 \"a.cu\"\n.func g() { .loc 1 2 3, function_name .debug_str+2, inlined_at 1 2 3\n ret; }",
		".address_size 0x40\n.func g() { ret; }",
		".address_size 64U\n.func g() { ret; }",
		".address_size 0100\n.func g() { ret; }",
		".address_size 0b1000000\n.func g() { ret; }",
		".nv_intermediate_source_section {\n.code_block {\n.ir_name: \"ir\"\n.sourceFileName: 2\n.source_begin\n{ \" /* .func f(\n.source_end\n}\n}\n.func g() { ret; }", // 13.4 on
		".func g() .language \"NVVM\", 2 { ret; }",     // 13.4 on
		".entry g() .minperctamemory 64\n{ ret; }",     // 13.4 on
		".func g() { .loc_intermediate 1 2 3\n ret; }", // 13.4 on
	} {
		m, err := ptx.ParseString("x.ptx", src)
		assert.NoError(t, err, src)
		again, err := ptx.ParseString("x.ptx", string(m.AppendText(nil)))
		assert.NoError(t, err, "%s", m.AppendText(nil))
		assert.Equal(t, string(m.AppendText(nil)), string(again.AppendText(nil)))
	}
	for _, src := range []string{"# 7\n.func g() { ret; }", "#define x", ".address_size 063", ".file 1 \"a\n;b\"", ".entry k()\n.func g() { ret; }"} {
		_, err := ptx.ParseString("x.ptx", src)
		assert.Error(t, err, src)
	}
}

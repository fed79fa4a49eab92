package ptx_test

import (
	"strings"
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

// TestNotPTX checks that a file which is not PTX is one error, which says what it is.
func TestNotPTX(t *testing.T) {
	for src, want := range map[string]string{
		"\x7fELF\x02\x01":            "an ELF object such as a cubin",
		"PK\x03\x04\x14\x00\x00\x00": "a ZIP archive",
		"BC\xc0\xde5\x14":            "LLVM bitcode",
		"\x00.\x00v\x00e\x00r\x00s\x00i\x00o\x00n\x00 \x007": "UTF-16 text",
		strings.Repeat("\x00", 1000):                         "NUL characters and no text",
		"# Title\n\nText\n\n```ptx\n.version 7.8\n```\n":     "Markdown",
		"\t.text\n\t.globl f\nf:\n\tret\n":                   "assembly of another processor",
		"\t.file\t\"a.c\"\n\t.text\n":                        "assembly of another processor",
		"\x1f\x8b\x08\x00":                                   "compressed by gzip",
		"!<arch>\nx.o/":                                      "an archive of objects",
		"\x50\xed\x55\xba\x01\x00":                           "a fatbin",
		"\xff\xfe.\x00v\x00":                                 "UTF-16 text",
		"\x89PNG\r\n":                                        "a picture",
		"// c\n#include <x.h>\nint f();":                     "C or CUDA source",
		"__global__ void k(int *p) { *p = 1; }":              "C or CUDA source",
		"# A title\n\nText of it, `.func`.\n":                "Markdown",
		"; ModuleID = 'x'\ndefine void @f() {}":              "LLVM IR",
		"package main\n\nfunc main() {}\n":                   "Go source",
		"{\"a\": 1}":                                         "JSON",
		"hello\nworld":                                       "no line begins with .version",
		"\x01\x02\x03":                                       "not text",
		"\xc8\x1f\xae\x2eS\xe0\x85\xfd\x00a b":               "not text",
	} {
		_, err := ptx.ParseString("x", src)
		if assert.Error(t, err, "%q", src) {
			assert.NotContains(t, err.Error(), "\n")
			assert.Contains(t, err.Error(), want)
		}
	}
	for _, src := range []string{"x:\n.func f() { ret; }", "garbage\n.version 8.0\n", "#x\n.visible .func f() { ret; }"} {
		_, err := ptx.ParseString("x", src)
		assert.NotContains(t, err.Error(), "not PTX")
	}
}

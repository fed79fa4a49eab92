package llvmir

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// declared are declarations, and what llc of 19, 22 and 23 all make of them; "" where they differ. A definition that calls the
// function is what makes llc print it.
var declared = []struct{ ir, ptx string }{
	{"void @f(i1, i8, i16, i24, i32, i48, i64, i128)", "() (.b32, .b32, .b32, .b32, .b32, .b64, .b64, .align 16 .b8[16])"},
	{"void @f(half, bfloat, float, double, ptr, ptr addrspace(3))", "() (.align 2 .b8[2], .align 2 .b8[2], .b32, .b64, .b64, .b64)"},
	{"signext i8 @f(i8 zeroext %x)", "(.b32) (.b32)"},
	{"i1 @f()", "(.b32) ()"},
	{"i48 @f()", "(.b64) ()"},
	{"half @f()", "(.align 2 .b8[2]) ()"},
	{"i128 @f()", "(.align 16 .b8[16]) ()"},
	{"ptr @f()", "(.b64) ()"},
	{"<2 x float> @f()", "(.align 8 .b8[8]) ()"},
	{"<3 x float> @f()", "(.align 16 .b8[16]) ()"},
	{"<2 x i1> @f()", "(.align 1 .b8[1]) ()"},
	{"<256 x i32> @f()", "(.align 128 .b8[1024]) ()"},
	{"%D @f()", "(.align 8 .b8[24]) ()"},
	{"[3 x i16] @f()", "(.align 2 .b8[6]) ()"},
	{"%Q @f()", "(.align 1 .b8[5]) ()"},
	{"{ i32, i64 } @f()", "(.align 8 .b8[16]) ()"},
	{"void @f(<2 x half>, <3 x i8>, <3 x float>, <4 x double>, <2 x ptr>, <5 x i16>)", "() (.align 4 .b8[4], .align 4 .b8[4], .align 16 .b8[16], .align 32 .b8[32], .align 16 .b8[16], .align 16 .b8[16])"},
	{"void @f(%P, %Q, %C, %D, [3 x i16], <{ i8, <2 x float> }>)", "() (.align 8 .b8[16], .align 1 .b8[5], .align 1 .b8[2], .align 8 .b8[24], .align 2 .b8[6], .align 1 .b8[9])"},
	{"void @f([2 x <3 x float>], { i1, i8, i24 }, { {}, i32 })", "() (.align 16 .b8[32], .align 4 .b8[8], .align 4 .b8[4])"},
	{"void @f(ptr byval(%P), ptr byval(%P) align 1, ptr byval(%P) align 16 %x, ptr noundef byval(%Q) align 1, ptr byval(%C) align 1)", "() (.align 8 .b8[16], .align 8 .b8[16], .align 16 .b8[16], .align 1 .b8[5], .align 1 .b8[2])"},
	{"void @f(ptr byval(i32) align 4, ptr byval({ i32, i32 }) alignstack(16))", "() (.align 4 .b8[4], .align 4 .b8[8])"},
	{"void @f(ptr dead_on_unwind writable sret(%D) align 8 %r, i32)", "() (.b64, .b32)"},
	{"void @f({ i32, i32 } alignstack(16), { i32, i32 } alignstack(2), i32 alignstack(16))", "() (.align 16 .b8[8], .align 2 .b8[8], .b32)"},
	{"void @f(i32, ...)", ""},
	{"void @f(fp128)", ""},
	{"void @f(i96)", ""},
	{"void @f({}, i32)", ""},
	{"void @f([0 x i32], i32)", ""},
	// From LLVM 21 on, and up to 14.
	{"alignstack(16) { i32, i32 } @f()", "(.align 16 .b8[8]) ()"},
	{"i32* @f(i8*, i32 (i8)*, %P addrspace(3)* byval(%P) align 8)", "(.b64) (.b64, .b64, .align 8 .b8[16])"},
}

const declaredTypes = "target triple = \"nvptx64-nvidia-cuda\"\n%P = type { [2 x i64] }\n%Q = type <{ i8, i32 }>\n%C = type { i8, i8 }\n%D = type { i8, double, %C }\n"

// String is "(results) (params)".
func (f *Func) String() string {
	form := func(v Formal) string {
		if v.Bytes {
			return fmt.Sprintf(".align %d .b8[%d]", v.Align, v.Size)
		}
		return fmt.Sprintf(".b%d", 8*v.Size)
	}
	result := ""
	if f.Result != nil {
		result = form(*f.Result)
	}
	var params []string
	for _, v := range f.Params {
		params = append(params, form(v))
	}
	return "(" + result + ") (" + strings.Join(params, ", ") + ")"
}

// TestDeclared holds the rules against what LLVM was seen to declare, and what an llc of today, where there is one, declares.
func TestDeclared(t *testing.T) {
	llc := ""
	for _, name := range []string{"llc", "llc-23", "llc-22", "llc-21", "llc-20", "llc-19"} {
		if path, err := exec.LookPath(name); err == nil && llc == "" {
			if out, err := exec.Command(path, "--version").Output(); err == nil && regexp.MustCompile(`version (19|2\d)\.`).Match(out) && strings.Contains(string(out), "nvptx64") {
				llc = path
			}
		}
	}
	module := declaredTypes
	var asked []string
	for _, tt := range declared {
		m, list := Parse("x.ll", declaredTypes+"declare "+tt.ir+"\n")
		require.NoError(t, list.Err(), tt.ir)
		require.Len(t, m.Funcs, 1)
		if tt.ptx == "" {
			assert.NotEmpty(t, m.Funcs[0].Unknown, tt.ir)
			assert.Len(t, list, 1, tt.ir)
			continue
		}
		assert.Empty(t, list, tt.ir)
		assert.Equal(t, tt.ptx, m.Funcs[0].String(), tt.ir)
		if llc == "" || strings.Contains(tt.ir, "*") || strings.HasPrefix(tt.ir, "alignstack") {
			continue
		}
		result, rest, _ := strings.Cut(tt.ir, "@f(")
		body := " { ret void }"
		if !strings.HasPrefix(result, "void") {
			body = " { ret " + strings.TrimPrefix(result, "signext ") + "undef }"
		}
		module += fmt.Sprintf("define %s@f%d(%s%s\n", result, len(asked), rest, body)
		asked = append(asked, tt.ptx)
	}
	if llc == "" {
		t.Skip("no llc of LLVM 19 or later with nvptx64: the rules were not derived again")
	}
	file := filepath.Join(t.TempDir(), "x.ll")
	require.NoError(t, os.WriteFile(file, []byte(module), 0o600))
	out, err := exec.Command(llc, "-O0", "-mcpu=sm_75", "-mattr=+ptx63", file, "-o", "-").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for i, want := range asked {
		assert.Equal(t, want, printed(string(out), fmt.Sprintf("f%d", i)), "%s\n%s", llc, module)
	}
	t.Logf("%d derived again with %s", len(asked), llc)
}

var formalPattern = regexp.MustCompile(`\.param (\.align \d+ )?(\.b\d+) \w+(\[\d+\])?`)

// printed is the head of a function in PTX.
func printed(text, name string) string {
	head, _, _ := strings.Cut(text, " "+name+"(")
	result := head[strings.LastIndex(head, ".func"):]
	params, _, _ := strings.Cut(text[len(head):], "{")
	forms := func(s string) string {
		var all []string
		for _, m := range formalPattern.FindAllStringSubmatch(s, -1) {
			all = append(all, m[1]+m[2]+m[3])
		}
		return strings.Join(all, ", ")
	}
	return "(" + forms(result) + ") (" + forms(params) + ")"
}

// TestModule reads what else a module has: kernels of both kinds, alignments of annotations, variables, aliases, uses.
func TestModule(t *testing.T) {
	m, list := Parse("x.ll", string(must.Read(t, "testdata/module.ll")))
	require.Empty(t, list)
	assert.Equal(t, "sm_80", m.CPU)
	var b strings.Builder
	for _, f := range m.Funcs {
		fmt.Fprintln(&b, f.Pos, f.Name, f.Linkage, f.Defined, f.Kernel, f.NoReturn, f)
		for _, u := range f.Uses {
			fmt.Fprintln(&b, "\t", u.Pos, u.Name, u.Call)
		}
	}
	for _, v := range m.Vars {
		fmt.Fprintln(&b, v.Pos, v.Name, v.Linkage, v.Space, v.Size, v.Align, v.Unsized, v.Value, v.Uses)
	}
	golden.Hold(t, "testdata/module.txt", b.String())
}

// TestMistakes: what cannot be read is said with its place, and the rest is there.
func TestMistakes(t *testing.T) {
	twice := "%t0 = type {}\n" // each name has the one before twice, so that 2^40 are in the last
	for i := range 40 {
		twice += fmt.Sprintf("%%t%d = type { %%t%d, %%t%d }\n", i+1, i, i)
	}
	for text, want := range map[string]string{
		"defin void @f()\ndeclare void @g()":                `x.ll:1:1: error: "defin" begins no declaration, definition, type or variable [BadSyntax]`,
		"define void @f() {\nentry:\n ret void":             "",
		"declare void f()\ndeclare void @g()":               "x.ll:1:14: error: the name of a function expected [BadSyntax]",
		"define broken":                                     `x.ll:1:8: error: a type expected, not the end of the text [BadSyntax]`,
		"declare void @f(x)\ndeclare void @g()":             `x.ll:1:17: error: a type expected, not "x" [BadSyntax]`,
		"declare void @f(i32\ndeclare void @g()":            "x.ll:2:1: error: , or ) expected [BadSyntax]",
		"%t = type { i32, %t }\ndeclare void @f(%t)":        "x.ll:2:14: note: how PTX declares f is not known: parameter 0: the releases of LLVM declare such a type differently, or not at all [LeftOut]",
		twice + "declare void @f(%t40)\n":                   "x.ll:42:14: note: how PTX declares f is not known: parameter 0: it has no bytes, which the releases of LLVM declare differently [LeftOut]",
		"declare void @f(%missing)\n":                       "x.ll:1:14: note: how PTX declares f is not known: parameter 0: its type has no size [LeftOut]",
		"@v = external global\n@w = global i32 0":           `x.ll:2:1: error: a type expected, not "@w" [BadSyntax]`,
		"declare void @f([9223372036854775807 x i64])\n":    "x.ll:1:14: note: how PTX declares f is not known: parameter 0: the releases of LLVM declare such a type differently, or not at all [LeftOut]",
		"declare void @f(" + strings.Repeat("[1 x ", 99):    "x.ll:1:342: error: more than 64 types in one another [BadSyntax]",
		"declare void @f(ptr addrspace)\ndeclare void @g()": "x.ll:1:30: error: ( expected [BadSyntax]",
		"@":                         "x.ll:1:1: error: = expected [BadSyntax]",
		"target":                    "x.ll:1:1: error: = expected [BadSyntax]",
		"declare void @f(ptr byval": "x.ll:1:21: error: , or ) expected [BadSyntax]",
	} {
		m, list := Parse("x.ll", text)
		got := ""
		if len(list) > 0 {
			got = list[0].Error()
		}
		assert.Equal(t, want, got, text)
		if strings.HasSuffix(text, "@g()") {
			if assert.NotEmpty(t, m.Funcs, text) {
				assert.Equal(t, "g", m.Funcs[len(m.Funcs)-1].Name)
			}
		}
	}
}

// FuzzParse checks that no text causes a panic.
func FuzzParse(f *testing.F) {
	for _, tt := range declared {
		f.Add(declaredTypes + "declare " + tt.ir + "\n")
	}
	f.Add("@a = alias void (i32), ptr @g\n!0 = !{ptr @g, !\"kernel\", i32 1}\ndefine void @g() { call void @h(ptr @a) }")
	f.Fuzz(func(_ *testing.T, text string) { Parse("x.ll", text) })
}

package link_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/source/llvmir"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// TestLLVM holds modules of LLVM against PTX and against each other.
func TestLLVM(t *testing.T) {
	const head, text = "target triple = \"nvptx64-nvidia-cuda\"\n%P = type { i32, i32, i32, i32 }\n", ".version 7.0\n.target sm_80\n.address_size 64\n"
	call := func(decl, call string) string {
		return head + "declare " + decl + "\ndefine ptx_kernel void @k(ptr %p) #0 { " + call + "\n ret void }\nattributes #0 = { \"target-cpu\"=\"sm_80\" }\n"
	}
	for _, tt := range []struct{ name, a, b, want string }{
		{"equal", call("i32 @f(i32, ptr byval(%P) align 4)", "%x = call i32 @f(i32 1, ptr %p)"), text + ".visible .func (.param .b32 r) f(.param .b32 x, .param .align 4 .b8 p[16]) { ret; }\n", ""},
		{
			"number", call("i32 @f(i32)", "%x = call i32 @f(i32 1)"), head + "define i32 @f(i32 %x, i32 %y) { ret i32 %x }\n",
			"a.ll:3:13: error: modules differ on f: 1 parameter here, 2 parameters there; the linker refuses it as PTX and, as LTO-IR, takes it and passes other values: make them equal [MismatchedModules]",
		},
		{
			"two definitions", head + "define void @f() { ret void }\n", head + "define void @f() { ret void }\n",
			"b.ll:3:13: error: f is defined here and in another file; the linker refuses it: make one .weak, or hide it (static, or without .visible) [RepeatedDefinition]",
		},
		{
			"no result in C", call("ptr @f(i32)", "%x = call ptr @f(i32 1)"), text + ".visible .func f(.param .b32 x) { ret; }\n",
			"a.ll:3:13: error: modules differ on f: 1 result here, 0 results there; the linker refuses it as PTX and, as LTO-IR, takes it and passes other values (with abi=\"c\" Numba declares a pointer as the result where C has none: if one of them is Numba's, let the function return one): make them equal [MismatchedModules]",
		},
		{
			"unused", head + "declare ptr @f(i32)\ndefine ptx_kernel void @k() { ret void }\n", text + ".visible .func f(.param .b32 x) { ret; }\n",
			"a.ll:3:13: warning: modules differ on f: 1 result here, 0 results there; nothing here uses it, so that the linker does not see it: make them equal all the same [LooseDeclaration]",
		},
		{
			"alignment", call("void @f(i32, ptr byval(%P) align 16)", "call void @f(i32 1, ptr %p)"), text + ".visible .func f(.param .b32 x, .param .align 4 .b8 p[16]) { ret; }\n",
			"a.ll:3:14: error: modules differ on f: parameter 1 is .param .align 16 .b8[16] here, .param .align 4 .b8[16] there; the linker takes it, and parameter 1 is at R5 for one module and at R8 for the other: make them equal [SilentMismatch]",
		},
		{"variable arguments", call("i32 @f(ptr, ...)", "%x = call i32 (ptr, ...) @f(ptr %p, i32 1)"), text + ".visible .func (.param .b32 r) f(.param .b64 x) { ret; }\n", ""},
		{
			"missing", call("i32 @f(i32)\ndeclare float @__nv_sinf(float)", "%x = call i32 @f(i32 1)\n%y = call float @__nv_sinf(float 1.0)"), "",
			"a.ll:3:13: warning: f is defined in none of the files; the linker refuses that [MissingDefinition]",
		},
		{
			"variable", head + "@v = external addrspace(1) global [4 x i32], align 4\n", text + ".visible .global .align 4 .b32 v[3];\n",
			"a.ll:3:1: error: files differ on v: 16 bytes here, 12 there; the linker refuses it: make the declarations equal [MismatchedVariable]",
		},
		{"unknown size", head + "@v = external addrspace(1) global i96\n", text + ".visible .global .align 4 .b32 v[3];\n", ""},
		{"values", head + "@v = weak addrspace(1) global i32 1, align 4\n", text + ".weak .global .align 4 .b32 v = 2;\n", ""},
		{
			"no return", call("void @f() noreturn", "call void @f()"), text + ".visible .func f() { ret; }\n",
			"a.ll:3:14: error: f is .noreturn here, and its definition is not; the linker takes it, and callers have left out the code after the call [LostReturn]",
		},
		{"alias", head + "@g = alias void (), ptr @f\ndefine void @f() { ret void }\n", text + ".extern .func g();\n.extern .func f();\n.visible .entry k() { call g; call f; ret; }\n", ""},
		{
			"kernel", head + "define weak ptx_kernel void @k(i8 %x) { ret void }\n", text + ".weak .entry k(.param .u32 x) { ret; }\n",
			"b.ptx:4:14: error: files differ on the kernel k: 4 bytes of parameters here, 1 there; the linker refuses it [MismatchedModules]",
		},
		{
			"addresses of 32 bits", strings.Replace(call("void @f()", ""), "nvptx64", "nvptx", 1), text + ".visible .func f() { ret; }\n",
			"b.ptx: error: addresses have 64 bits here, 32 there; the linker refuses it [MixedTargets]",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := new(link.Set)
			for i, one := range []string{tt.a, tt.b} {
				name := []string{"a.ll", "b.ll"}[i]
				switch {
				case one == "":
				case strings.HasPrefix(one, ".version"):
					s.AddPTX(link.Place{Name: "b.ptx", File: "b.ptx"}, parsed(t, "b.ptx", one))
				default:
					m, list := llvmir.Parse(name, one)
					require.NoError(t, list.Err())
					s.AddLLVM(link.Place{Name: name, File: name}, m)
				}
			}
			r := s.Report(link.Options{})
			got := ""
			for _, d := range r.Diags {
				line, _, _ := strings.Cut(d.Error(), "\n")
				got += line
			}
			assert.Equal(t, tt.want, got)
			assert.Equal(t, []link.Kind{link.LLVM}, r.Files[0].Kinds)
		})
	}
}

// TestLLVMReal holds modules of LLVM against the PTX that llc 19 made of them: nothing differs, and everything is defined twice.
func TestLLVMReal(t *testing.T) {
	const folder = "../../../testdata/real/"
	for _, name := range []string{"types", "handles", "textures"} {
		text := must.Read(t, folder+"src/"+name+".ll")
		ir, list := llvmir.Parse("x.ll", string(text))
		require.NoError(t, list.Err())
		text = must.Read(t, folder+"llc19-"+name+".ptx")
		s := new(link.Set)
		s.AddLLVM(link.Place{Name: "x.ll", File: "x.ll"}, ir)
		s.AddPTX(link.Place{Name: "x.ptx", File: "x.ptx"}, parsed(t, "x.ptx", string(text)))
		r := s.Report(link.Options{})
		assert.Positive(t, r.Counts.Shared)
		for _, d := range r.Diags {
			assert.Equal(t, check.RepeatedDefinition, d.Code, "%s: %v", name, d)
		}
	}
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// write writes files to a folder of their own and returns their paths.
func writeFiles(t *testing.T, files ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i := 0; i+1 < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		require.NoError(t, os.WriteFile(path, []byte(files[i+1]), 0o666))
		paths = append(paths, path)
	}
	return paths
}

const linkHead = ".version 8.3\n.target sm_90\n.address_size 64\n"

// TestLinkRules draws each code of package link with its example, at the severity that
// is stated, and no other.
func TestLinkRules(t *testing.T) {
	for _, r := range link.Rules {
		if r.Modules == nil {
			continue // of objects alone
		}
		t.Run(string(r.Code), func(t *testing.T) {
			var files []string
			for i, text := range r.Modules {
				if !strings.HasPrefix(text, ".version") {
					text = linkHead + text
				}
				files = append(files, fmt.Sprintf("m%d.ptx", i), text)
			}
			got := ptxabi(nil, append([]string{"link"}, writeFiles(t, files...)...)...)
			require.NotEmpty(t, got.stderr)
			for line := range strings.Lines(got.stderr) {
				if !strings.HasPrefix(line, "\t") {
					assert.Contains(t, line, ": "+r.Severity.String()+": ")
					assert.Contains(t, line, " ["+string(r.Code)+"]\n")
				}
			}
		})
	}
}

// TestLink tries the command's inputs and what it says of them.
func TestLink(t *testing.T) {
	caller := linkHead + ".extern .func (.param .b32 r) scale(.param .b32 n, .param .align 8 .b8 x[16]);\n.visible .entry k() { .param .b32 a; .param .align 8 .b8 b[16]; .param .b32 r; st.param.b32 [a], 1; st.param.b64 [b], 2; st.param.b64 [b+8], 2; call (r), scale, (a, b); ret; }\n"
	callee := linkHead + ".visible .func (.param .b32 r) scale(.param .b32 n, .param .align 16 .b8 x[16]) { ret; }\n"
	for _, tt := range []struct {
		name   string
		files  []string
		flags  []string
		status int
		stdout []string
		stderr []string
	}{
		{"alignment", []string{"a.ptx", caller, "b.ptx", callee}, nil, 1, []string{"2 modules for sm_90\n1 name is known to two or more, 1 of which differs\n"}, []string{"parameter 1 (x) is at R8 for one module and at R6 for the other", "[SilentMismatch]"}},
		{"same", []string{"a.ptx", caller, "b.ptx", strings.Replace(callee, "align 16", "align 8", 1)}, nil, 0, []string{"none of which differs"}, nil},
		{"header", []string{"b.ptx", callee, "b.h", "struct __attribute__((aligned(16))) v { float x[4]; };\nextern \"C\" __device__ int scale(int n, struct v x);\n"}, nil, 0, []string{"1 module and 1 header"}, nil},
		{"header differs", []string{"b.ptx", callee, "b.h", "extern \"C\" __device__ float scale(int n, double x);\n"}, nil, 1, nil, []string{"b.h:1:29: error: modules differ on scale"}},
		{"C++ and C", []string{"a.ptx", caller, "b.ptx", strings.Replace(callee, "scale", "_Z5scalei4vec4", 1)}, nil, 0, nil, []string{"scale is defined in none of the files", `defines _Z5scalei4vec4, which is C++: declare it extern "C" there`}},
		{"Numba", []string{"a.ptx", linkHead + ".extern .func (.param .f32 r) f(.param .f32 x);\n.visible .entry k() { .param .f32 a; .param .f32 r; st.param.f32 [a], 0f00000000; call (r), f, (a); ret; }\n", "b.cubin", ""}, nil, 2, nil, []string{"an empty file"}},
		{"JSON", []string{"a.ptx", caller, "b.ptx", callee}, []string{"-format", "json"}, 1, []string{`"format": "ptxabi.link/1"`, `"code": "SilentMismatch"`}, nil},
		{"SARIF", []string{"a.ptx", caller, "b.ptx", callee}, []string{"-format", "sarif"}, 1, []string{`"ruleId": "SilentMismatch"`}, nil},
		{"no files", nil, nil, 2, nil, []string{"link: no FILE"}},
		{"Go", []string{"a.go", "package a\n"}, nil, 2, nil, []string{"Go declares nothing that is linked"}},
		{"text", []string{"a.txt", "hello\n"}, nil, 2, nil, []string{"a.txt:1:1: error"}},
		{"target", []string{"a.ptx", caller}, []string{"-target", "sm_1"}, 2, nil, []string{"sm_1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ptxabi(nil, append(append([]string{"link"}, tt.flags...), writeFiles(t, tt.files...)...)...)
			assert.Equal(t, tt.status, got.status, "%s%s", got.stdout, got.stderr)
			for _, want := range tt.stdout {
				assert.Contains(t, got.stdout, want)
			}
			for _, want := range tt.stderr {
				assert.Contains(t, got.stderr, want)
			}
			if tt.stderr == nil {
				assert.Empty(t, got.stderr)
			}
		})
	}
	assert.Equal(t, "0 modules\n1 module is linked already and takes no part; ptxabi verify compares it with its source\nnothing to compare\n",
		ptxabi(nil, "link", "../../examples/recursion/tree.cubin").stdout)
	header := writeSource(t, "walk.h", "extern \"C\" __device__ void walk(int node);\n")
	r := ptxabi(nil, "link", header, "../../examples/recursion/walk.cubin")
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stderr, "files differ on walk: parameter 0 (node) is .b32 here, .b64 there")
	r = ptxabi(nil, append([]string{"link"}, writeFiles(t, "a.ptx", caller)[0], "/none")...)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "/none: no such file")
}

// TestLinkHalf has one file among good ones that cannot be read: the others are answered, and why it is not is said after.
func TestLinkHalf(t *testing.T) {
	good := linkHead + ".extern .func g(.param .b32 x);\n.visible .entry k() { .param .b32 a; st.param.b32 [a], 1; call g, (a); ret; }\n"
	files := writeFiles(t, "good.ptx", good, "bad.ptx", linkHead+".visible .func g(.param .b32 ) { ret; }\n")
	for _, bad := range []string{files[1], "/none.ptx"} {
		r := ptxabi(nil, "link", files[0], bad)
		assert.Equal(t, 2, r.status)
		assert.Contains(t, r.stdout, "1 module for sm_90\n")
		assert.Contains(t, r.stderr, bad+":")
		assert.NotContains(t, r.stderr, "MissingDefinition") // which bad may have
		r = ptxabi(nil, "link", "-format", "jsonl", files[0], bad)
		assert.Equal(t, 2, r.status)
		assert.Contains(t, r.stdout, `"status": 2, "result": {"format": "ptxabi.link/1"`)
		assert.Contains(t, r.stdout, `"severity": "error"`)
		r = ptxabi(nil, "stack", "../../examples/recursion/tree.cubin", bad)
		assert.Equal(t, 2, r.status)
		assert.Contains(t, r.stdout, "kernel")
		assert.Contains(t, r.stderr, bad+":")
	}
	assert.Equal(t, result{status: 2, stderr: "ptxabi: /none.ptx: no such file or directory\nptxabi: /none2.ptx: no such file or directory\n"}, ptxabi(nil, "link", "/none.ptx", "/none2.ptx"))
}

// TestLinkHelpers links two objects that have the same functions of the assembler's own, which are local to each
// held against.
func TestLinkHelpers(t *testing.T) {
	data, err := os.ReadFile("../../internal/tool/verify/testdata/helpers-sm_80-12.4.cubin")
	require.NoError(t, err)
	r := ptxabi(nil, append([]string{"link"}, writeFiles(t, "a.cubin", string(data), "b.cubin", string(data))...)...)
	assert.Contains(t, r.stdout, "\n2 names are known to two or more, none of which differs\n")
}

// TestLinkUnread has a file with an image for link-time optimisation alone, which may define what another one uses, and one
// with the same beside a cubin.
func TestLinkUnread(t *testing.T) {
	lto := entry{kind: 8, arch: 80, flags: 1, data: "BC"}
	module := ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func g();\n.visible .entry k(){call g;ret;}\n"
	user := writeSource(t, "user.ptx", module)
	both := writeSource(t, "both.fatbin", fatbin(wideCubin(t), lto))
	r := ptxabi(nil, "link", user, both)
	assert.Contains(t, r.stdout+r.stderr, "not read: 1 image for link-time optimisation")
	assert.Contains(t, r.stdout+r.stderr, "[MissingDefinition]")

	// Another container has the image alone.
	alone := writeSource(t, "alone.fatbin", fatbin(wideCubin(t))+fatbin(lto, lto))
	r = ptxabi(nil, "link", user, alone)
	assert.Contains(t, r.stdout+r.stderr, "not read: 2 images for link-time optimisation")
	assert.NotContains(t, r.stdout+r.stderr, "[MissingDefinition]")
	r = ptxabi(nil, "link", "-format", "json", user, alone)
	assert.Contains(t, r.stdout, `"unread": 2`)

	// Files of their own, and a module of LLVM, of which not all is read.
	files := writeFiles(t, "x.bc", "BC\xc0\xde\x35\x14\x00\x00", "x.ltoir", "\xedCN\x7f\x01\x40\x5d\x02", "x.ll", "declare i32 @g(\ndeclare i32 @k()\n")
	r = ptxabi(nil, append([]string{"link", user}, files...)...)
	assert.Equal(t, 1, r.status)
	for _, want := range []string{
		"not read: 2 images for link-time optimisation", "x.bc: note: left out: LLVM's bitcode: llvm-dis makes a .ll of it, which is read [LeftOut]", "x.ltoir: note: left out: LTO-IR",
		"x.ll:2:1: error: a type expected", "x.ll:2:13: error: k is a function here and a kernel there",
	} {
		assert.Contains(t, r.stdout+r.stderr, want)
	}
	assert.NotContains(t, r.stdout+r.stderr, "[MissingDefinition]")
}

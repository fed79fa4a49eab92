package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestField has small inputs of our own for kinds of binaries that are met in the field, of which each was
// answered wrongly.
func TestField(t *testing.T) {
	const dir = "testdata/field/"
	for _, tt := range []struct {
		what     string
		args     []string
		status   int
		want     string
		unwanted string
	}{
		{"a module without kernels beside another one", []string{"verify", dir + "empty.o", dir + "empty.ptx"}, 0, "no difference", ""},
		{"a long name in a library of lib.exe", []string{"verify", dir + "long-name.lib", dir + "mul.ptx"}, 0, "long-name.lib(device_kernels_long_name.obj, 0x1a6)", ""},
		{"whole programs in a PE file", []string{"link", dir + "whole.obj"}, 0, "2 modules are linked already", "error"},
		{"pieces that a program links itself", []string{"link", dir + "pieces.so"}, 0, "2 modules are linked already", "error"},
		{"an indirect call relative to the kernel", []string{"annotate", "-ptx", dir + "pick.ptx", dir + "pick.sass"}, 0, "// proto: a R4 -> b R4\n", "// pick: out"},
		{"its stack", []string{"stack", dir + "pick.sass"}, 0, "kernel pick: at least 0 bytes of stack\n", "recursive"},
		{"an indirect call of sm_61", []string{"annotate", "-ptx", dir + "sm61.ptx", dir + "sm61.sass"}, 0, "// proto: a R4 -> b R4\n", ""},
		{"its stack", []string{"stack", dir + "sm61.sass"}, 0, "kernel pick: at least 0 bytes of stack\n", ""},
		{"a hash of a build, cubins", []string{"diff", dir + "old.cubin", dir + "new.cubin"}, 0, "no difference", "renamed"},
		{"a hash of a build, PTX", []string{"diff", dir + "old.ptx", dir + "new.ptx"}, 0, "no difference", "renamed"},
		{"a hash of a build, a cubin and PTX", []string{"verify", dir + "old.cubin", dir + "new.ptx"}, 0, "kernel demo::(anonymous namespace)::scale(float*, int): same", ""},
		{"a static kernel of relocatable code", []string{"verify", dir + "static.cubin", dir + "static.cu"}, 0, "kernel pack(float*, int): same", "only in"},
		{"a record of 12.8 that includes an indirect callee", []string{"stack", dir + "included.cubin"}, 0, "kernel pick: 424 bytes of stack\n", "at least"},
		{"one that does not", []string{"stack", dir + "nested.cubin"}, 0, "kernel pick: at least 1600 bytes of stack\n", ""},
		{"one of sm_61, without an unwind table", []string{"stack", dir + "returns.cubin"}, 0, "kernel k: 1016 bytes of stack\n", ""},
		{"beside it, recursion", []string{"stack", dir + "returns.cubin"}, 0, "kernel k2: at least 904 bytes of stack\n", ""},
		{"pointers that lead to others there", []string{"stack", dir + "chain.cubin"}, 0, "kernel k: at least 160 bytes of stack\n", ""},
		{"its stack", []string{"stack", dir + "static.cubin"}, 0, "kernel pack(float*, int): 0 bytes of stack\n", "__nv_static"},
	} {
		r := ptxabi(nil, tt.args...)
		assert.Equal(t, tt.status, r.status, "%s: %s%s", tt.what, r.stdout, r.stderr)
		assert.Contains(t, r.stdout, tt.want, tt.what)
		if tt.unwanted != "" {
			assert.NotContains(t, r.stdout+r.stderr, tt.unwanted, tt.what)
		}
	}
	for _, command := range []string{"check", "layout"} {
		r := ptxabi(nil, command, dir+"limit.cu")
		assert.Contains(t, r.stderr, "limit.cu:2:17: note: kernel k takes 4224 bytes of parameters; nvcc before 12.1 takes 4096 at most")
	}
}

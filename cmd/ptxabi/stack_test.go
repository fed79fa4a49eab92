package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

const (
	tree     = "../../examples/recursion/"
	listings = "../../internal/tool/stack/testdata/code/"
)

// TestStackPicture holds the picture of docs/stack.md against what stack draws.
func TestStackPicture(t *testing.T) {
	const file = "../../docs/images/stack.svg"
	r := ptxabi(nil, "stack", "-format", "svg", tree+"main.cubin", tree+"walk.cubin")
	require.Equal(t, 0, r.status, r.stderr)
	have, err := os.ReadFile(file)
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(r.stdout), 0o666))
		return
	}
	require.NoError(t, err)
	assert.Equal(t, string(have), r.stdout, "PTXABI_UPDATE=1 rewrites it")
}

// TestStack tries the command's inputs and what it says of them.
func TestStack(t *testing.T) {
	object := []string{tree + "main.cubin", tree + "walk.cubin"}
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		stdout string
		stderr string
	}{
		{"objects", object, 0, "linked from these files, for sm_80\n\nkernel tree: no bound, 144 bytes of stack for one level\n", ""},
		{"program", []string{tree + "tree.cubin"}, 0, "each level of walk takes 16 bytes: for n levels set the limit to 144 + (n - 1) * 16", ""},
		{"one object", object[:1], 0, "not counted: walk", ""},
		{"no kernel", object[1:], 2, "", "no kernel in the files"},
		{"block", append([]string{"-block", "1024"}, object...), 0, "blocks of 1024 threads launch, 2 of them on a multiprocessor: the number of threads limits it", ""},
		{"too large a block", append([]string{"-block", "2048"}, object...), 2, "", "-block 2048: a block has 1 to 1024 threads"},
		{"PTX", []string{tree + "main.ptx"}, 2, "", "no cubin in the files; PTX has no frames and registers"},
		{"PTX and its object", []string{tree + "main.cubin", tree + "walk.ptx"}, 0, "not counted: walk", "walk.ptx: note: left out: PTX has neither frames nor registers"},
		{"listing", []string{listings + "whole.sass", listings + "whole.cubin"}, 0, "2 functions have a recorded frame too; none differs", ""},
		{"listing before sm_70", []string{listings + "sm_52.sass"}, 0, "linked from these files, for sm_52\nframes and calls are from the code, not recorded\n\nkernel k: no bound, 128 bytes of stack", ""},
		{"listing of another target", []string{"-target", "sm_90", listings + "whole.sass"}, 2, "", "no kernel for sm_90 in the files"},
		{"json of a listing", []string{"-format", "json", listings + "alloca.sass"}, 0, `"source": "code"`, ""},
		{"another target", append([]string{"-target", "sm_90"}, object...), 2, "", "sm_90"},
		{"no file", []string{filepath.Join(tree, "none")}, 2, "", "no such file"},
		{"C++", []string{cxxCubin}, 0, "\nkernel step(float, Particle, double*): ", ""},
		{"symbols", []string{"-no-demangle", "-all", cxxCubin}, 0, "\nkernel _Z4stepf8ParticlePd: ", ""},
		{"json", append([]string{"-format", "json"}, object...), 0, `"format": "ptxabi.stack/1"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ptxabi(nil, append([]string{"stack"}, tt.args...)...)
			assert.Equal(t, tt.status, r.status, "%s%s", r.stdout, r.stderr)
			assert.Contains(t, r.stdout, tt.stdout)
			if tt.stderr == "" {
				assert.Empty(t, r.stderr)
			}
			assert.Contains(t, r.stderr, tt.stderr)
		})
	}
}

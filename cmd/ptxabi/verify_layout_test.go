package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVerifyLayout compares a kernel with layouts in the form that layout prints.
func TestVerifyLayout(t *testing.T) {
	const step = "../../examples/drift/step.cubin"
	r := ptxabi(nil, "layout", "-format", "json", writeSource(t, "s.h", "struct Params { double *x; float dt; int n; };\nstruct Old { float dt; int n; double *x; };\n"))
	require.Equal(t, 0, r.status, r.stderr)
	file := writeSource(t, "s.json", r.stdout)
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-layout", file, "-type", "Params", step}, 0, "kernel step: same as struct Params, c[0x0][0x160], 16 bytes\n"},
		{[]string{"-layout", file, "-type", "Old", step}, 1, "kernel step: differs from struct Old\n"},
		{[]string{"-layout", file, "-type", "Params", "-param", "0", step}, 1, "parameter 0"},
		{[]string{"-layout", file, step}, 2, "2 types in it; choose one with -type: Params, Old"},
		{[]string{"-layout", file, "-type", "Parms", step}, 2, `no type "Parms"; did you mean Params?`},
		{[]string{"-layout", file, step, step + "x"}, 2, "step.cubinx"},
		{[]string{"-layout", step, step}, 2, ""},
		{[]string{step, "x.rs"}, 2, "x.rs: Rust, and verify reads PTX, C, CUDA and Go; -layout reads"},
	} {
		r := ptxabi(nil, append([]string{"verify"}, tt.args...)...)
		assert.Equal(t, tt.status, r.status, "%v: %s%s", tt.args, r.stdout, r.stderr)
		assert.Contains(t, r.stdout+r.stderr, tt.want, "%v", tt.args)
	}
	r = ptxabi([]byte(strings.Replace(r.stdout, "x", "y", 1)), "verify", "-layout", "-", "-")
	assert.Equal(t, 2, r.status)
}

package lower_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestDump holds that the dump of each stage has each function of the real modules, and
// that what Module says of a module Dump says too. The golden cases of testdata/golden/stages
// hold what stands in a dump.
func TestDump(t *testing.T) {
	target, err := abi.Lookup("sm_90a")
	require.NoError(t, err)
	for _, file := range effort.RealModules(t, "..") {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := ptx.Parse(file, src)
		require.NoError(t, err)
		bodies := 0
		for _, it := range m.Items {
			if f, ok := it.(*ptx.Func); ok && f.HasBody {
				bodies++
			}
		}
		for _, stage := range lower.Stages() {
			dump, err := lower.Dump(m, target, lower.Options{}, stage)
			require.NoError(t, err, "%s of %s", stage, file)
			assert.Equal(t, bodies, strings.Count("\n"+string(dump), "\n"+string(stage)+" of "), "%s of %s", stage, file)
		}
	}

	m, err := ptx.ParseString("x.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.func f() { call g, (); ret; }")
	require.NoError(t, err)
	_, want := lower.Module(m, target, lower.Options{})
	require.Error(t, want)
	for _, stage := range lower.Stages() {
		dump, err := lower.Dump(m, target, lower.Options{}, stage)
		assert.Nil(t, dump)
		assert.Equal(t, want, err)
	}
	m, err = ptx.ParseString("x.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func g(.param .b32 a, .param .align 8 .b8 rest[]);\n"+
		".func f() { .param .b32 x; st.param.b32 [x], 1; call g, (x); ret; }")
	require.NoError(t, err)
	dump, err := lower.Dump(m, target, lower.Options{}, lower.Plan)
	require.NoError(t, err)
	assert.Contains(t, string(dump), "param  a ")
	assert.NotContains(t, string(dump), "param  rest", "which the call leaves out")

	_, err = lower.Dump(m, target, lower.Options{}, "tree")
	assert.EqualError(t, err, `lower: no stage "tree"; the stages are body, plan, selected and code`)
	_, err = lower.Dump(nil, target, lower.Options{}, lower.Body)
	assert.EqualError(t, err, "lower: no module")
	_, err = lower.Dump(m, nil, lower.Options{}, lower.Body)
	assert.EqualError(t, err, "lower: no target")
}

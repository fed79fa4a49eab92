package lower_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// written is what Write writes of a stage.
func written(src string, target *abi.Target, stage lower.Stage) (string, error) {
	var b strings.Builder
	err := lower.Write(&b, src, lower.Options{File: "x.ptx", Target: target, Stage: stage})
	return b.String(), err
}

// TestDump holds that the dump of each stage has each function of the real modules, and
// that what Module says of a module is said of its dumps too. The golden cases of testdata/golden/stages
// hold what stands in a dump.
func TestDump(t *testing.T) {
	target := must.Target(t, "sm_90a")
	for _, file := range effort.RealModules(t, "..") {
		src := must.Read(t, file)
		m := must.Parse(t, file, src)
		bodies := 0
		for _, it := range m.Items {
			if f, ok := it.(*ptx.Func); ok && f.HasBody {
				bodies++
			}
		}
		for _, stage := range lower.Stages() {
			dump, err := written(string(src), target, stage)
			require.NoError(t, err, "%s of %s", stage, file)
			assert.Equal(t, bodies, strings.Count("\n"+dump, "\n"+string(stage)+" of "), "%s of %s", stage, file)
		}
	}

	const wrong = ".version 8.0\n.target sm_80\n.address_size 64\n.func f() { call g, (); ret; }"
	m, err := ptx.ParseString("x.ptx", wrong)
	require.NoError(t, err)
	_, want := lower.Module(m, target, lower.Options{})
	require.Error(t, want)
	for _, stage := range lower.Stages() {
		dump, err := written(wrong, target, stage)
		assert.Empty(t, dump)
		assert.Equal(t, want, err)
	}
	dump, err := written(".version 8.0\n.target sm_80\n.address_size 64\n.extern .func g(.param .b32 a, .param .align 8 .b8 rest[]);\n"+
		".func f() { .param .b32 x; st.param.b32 [x], 1; call g, (x); ret; }", target, lower.Plan)
	require.NoError(t, err)
	assert.Contains(t, dump, "param  a ")
	assert.NotContains(t, dump, "param  rest", "which the call leaves out")

	_, err = written("", target, "tree")
	assert.EqualError(t, err, `lower: no stage "tree"; the stages are ["body" "plan" "selected" "code"]`)
}

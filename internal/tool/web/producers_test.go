package web_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/web"
	"github.com/ptxabi/ptxabi/layout"
)

const passed = "struct V { float x, y, z; };\nstruct V g(struct V a, _Complex float c, char k);\n"

// TestProducers shows what two producers make of declarations beside each other, with
// what lies elsewhere. What is shown is what layoutcmd declares.
func TestProducers(t *testing.T) {
	r := web.Answer(web.Request{Text: passed, Lang: "c", Target: "sm_90", Against: "gcc-12"})
	require.Empty(t, r.Refused)
	assert.Equal(t, "nvcc", r.Producer)
	require.NotNil(t, r.Other)
	assert.Equal(t, "gcc-12", r.Other.Producer)
	assert.Equal(t, "sm_90", r.Other.Target)
	assert.Len(t, r.Other.Pictures, len(r.Pictures))
	// GCC passes the address of the struct and the parts of the complex number.
	assert.Equal(t, []string{"f0.p0", "f0.p1", "f0.p2", "f0.r0"}, r.Other.Moved)
	assert.Equal(t, []string{"f0.p0", "f0.p1", "f0.p2", "f0.p3", "f0.p4"}, r.Other.There)
	require.NotNil(t, r.Diff)
	assert.Empty(t, r.Diff.Refused)
	assert.True(t, r.Diff.Types)
	require.NotEmpty(t, r.Diff.Rows)
	assert.Equal(t, web.DiffRow{Function: "V", What: "type", A: ".param .align 4 .b8 V[12]", B: ".param .u64 V // its address", Why: "as each declares a parameter of it", Breaks: true}, r.Diff.Rows[0])
	for _, name := range layout.ProducerNames() {
		var opts layoutcmd.Options
		require.NoError(t, opts.SetProducer(name))
		r := web.Answer(web.Request{Text: passed, Lang: "c", Target: "sm_90", Producer: name})
		require.Empty(t, r.Refused, name)
		assert.Equal(t, name, r.Producer)
		want, err := layoutcmd.Load("input.h", []byte(passed), opts)
		require.NoError(t, err)
		declared, why := want.Declare(want.Unit.Funcs[0], "g")
		if strings.HasPrefix(name, "warp") { // whose functions are refused
			require.NotNil(t, why, name)
			require.NotEmpty(t, r.Diagnostics, name)
			continue
		}
		require.Nil(t, why)
		n := 0
		for _, v := range r.Values {
			if v.Role == "parameter" {
				assert.Equal(t, declared.Func.Params[n].Name, v.Name, name)
				n++
			}
		}
		assert.Equal(t, len(declared.Func.Params), n, name)
		same := web.Answer(web.Request{Text: passed, Lang: "c", Target: "sm_90", Producer: name, Against: name})
		require.NotNil(t, same.Other, name)
		assert.Empty(t, same.Other.Moved, name)
		assert.Empty(t, same.Other.There, name)
		assert.Empty(t, same.Diff.Rows, name)
	}
}

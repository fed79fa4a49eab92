package diff_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/diff"
)

// TestHandlesAlone compares kernels of handles alone with their cubins: from sm_90
// on those do not record where a block without bytes begins.
func TestHandlesAlone(t *testing.T) {
	body := must.Read(t, "../../image/cubin/testdata/opaque.ptx")
	for name, target := range map[string]string{"opaque-sm_80-12.4": "sm_80", "opaque-sm_90-13.5": "sm_90"} {
		data := must.Read(t, "../../image/cubin/testdata/cubins/"+name+".cubin")
		f, err := cubin.Open(data)
		require.NoError(t, err)
		row := must.Target(t, target)
		compiled := diff.NewCompiledSide(f, name, row)
		source, err := side("opaque.ptx", append([]byte(".version 8.0\n.target "+target+"\n.address_size 64\n"), body...), target)
		require.NoError(t, err)
		for _, r := range []*diff.Report{diff.Compare(compiled, source), diff.Compare(source, compiled)} {
			assert.True(t, r.OK(), r.Text())
		}
	}
}

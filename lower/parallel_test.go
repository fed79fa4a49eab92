package lower_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestWorkers holds that what comes out does not depend on how many functions are
// lowered at once, nor on whether the program or its text is asked for. sm_70
// makes a label at each call, which count through the module.
func TestWorkers(t *testing.T) {
	m, err := ptx.Parse("x.ptx", bench.Functions(7, 200))
	require.NoError(t, err)
	o, err := ptx.ParseOutline("x.ptx", string(bench.Functions(7, 200)))
	require.NoError(t, err)
	for _, name := range []string{"sm_70", "sm_120"} {
		target, err := abi.Lookup(name)
		require.NoError(t, err)
		prog, err := lower.Module(m, target, lower.Options{Workers: 1})
		require.NoError(t, err)
		want := string(prog.AppendText(nil))
		for _, workers := range []int{0, 1, 2, 7} {
			opts := lower.Options{Workers: workers}
			prog, err := lower.Module(m, target, opts)
			require.NoError(t, err)
			assert.True(t, want == prog.String(), "%s: the program of %d workers", name, workers)
			parts, err := lower.Text(o, target, opts)
			require.NoError(t, err)
			assert.True(t, want == string(bytes.Join(parts, nil)), "%s: the text of %d workers", name, workers)
			opts.Func = "f7"
			one, err := lower.Module(m, target, opts)
			require.NoError(t, err)
			parts, err = lower.Text(o, target, opts)
			require.NoError(t, err)
			assert.Equal(t, one.String(), string(bytes.Join(parts, nil)))
		}
	}
}

// TestWorkersReport holds that diagnostics come in order of the source, and that
// there is no text with them.
func TestWorkersReport(t *testing.T) {
	src := bench.Functions(7, 100)
	for _, name := range []string{"a", "b"} {
		src = append(src, "\n.visible .func (.reg .b32 x, .reg .b32 y) "+name+"()\n{\n\tret;\n}\n"...)
	}
	m, err := ptx.Parse("x.ptx", src)
	require.NoError(t, err)
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	_, want := lower.Module(m, target, lower.Options{Workers: 1})
	require.Error(t, want)
	o, err := ptx.ParseOutline("x.ptx", string(src))
	require.NoError(t, err)
	text, err := lower.Text(o, target, lower.Options{Workers: 4})
	assert.Nil(t, text)
	assert.EqualError(t, err, want.Error())
	prog, err := lower.Module(m, target, lower.Options{Workers: 4})
	assert.Nil(t, prog)
	assert.EqualError(t, err, want.Error())
}

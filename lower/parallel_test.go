package lower_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestWorkers holds that what comes out does not depend on how many functions are
// lowered at once, nor on whether the program or its text is wanted.
func TestWorkers(t *testing.T) {
	src := bench.Functions(7, 200)
	m := must.Parse(t, "x.ptx", src)
	for _, name := range []string{"sm_70", "sm_120"} {
		target := must.Target(t, name)
		for _, fn := range []string{"", "f7"} {
			prog, err := lower.Module(m, target, lower.Options{Func: fn})
			require.NoError(t, err)
			want := prog.String()
			for _, workers := range effort.Of([]int{0, 1, 3}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}) {
				opts := lower.Options{Target: target, Workers: workers, Func: fn}
				prog, err := lower.Module(m, target, opts)
				require.NoError(t, err)
				assert.True(t, want == prog.String(), "%s: the program of %d workers", name, workers)
				var text bytes.Buffer
				require.NoError(t, lower.Write(&text, string(src), opts))
				assert.True(t, want == text.String(), "%s: the text of %d workers", name, workers)
			}
		}
	}
}

// TestWorkersReport holds that diagnostics come in order of the source and all at once: an error of syntax, another
// one, and one that lowering finds.
func TestWorkersReport(t *testing.T) {
	target := must.Target(t, "sm_80")
	for tail, code := range map[string]string{
		".visible .func (.reg .b32 x, .reg .b32 y) a()\n{\n\tret;\n}\n": "MultipleResults",
		".visible .func a()\n{\n\tret\n}\n":                             "BadSyntax",
		".extern .func (.param .align 16 .b8 r[150000000]) big();\n.visible .func a()\n{\n\t.param .align 16 .b8 r[150000000];\n\tcall (r), big, ();\n\tret;\n}\n": "BadSignature",
	} {
		src := string(bench.Functions(7, 100)) + tail + ".visible .func b()\n{\n\tcall nothing;\n\tret;\n}\n"
		m, _ := ptx.ParseString("x.ptx", src)
		_, want := lower.Module(m, target, lower.Options{})
		require.ErrorContains(t, want, code)
		require.ErrorContains(t, want, "UndeclaredCallee")
		for workers := range 5 {
			var text bytes.Buffer
			assert.Equal(t, want, lower.Write(&text, src, lower.Options{Target: target, File: "x.ptx", Workers: workers}))
			prog, err := lower.Module(m, target, lower.Options{Workers: workers})
			assert.Nil(t, prog)
			assert.Equal(t, want, err)
		}
	}
}

// fullWriter takes so many bytes.
type fullWriter int

var errFull = errors.New("no space left")

func (w *fullWriter) Write(p []byte) (int, error) {
	if *w -= fullWriter(len(p)); *w < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestWriteFails holds that an error of the writer is that of Write, wherever it comes.
func TestWriteFails(t *testing.T) {
	src := string(bench.Functions(7, 200))
	for workers := range 4 {
		for _, size := range []fullWriter{0, 100_000, 900_000} {
			assert.Equal(t, errFull, lower.Write(&size, src, lower.Options{Workers: workers}))
		}
	}
	assert.EqualError(t, lower.Write(new(fullWriter), ".version 7.0\n.address_size 64\n", lower.Options{}), "lower: the module has no .target")
}

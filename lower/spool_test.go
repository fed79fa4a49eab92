package lower_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestSpool holds that a large text is the same in a file as in memory: of many functions, of
// one that is larger than a part, and where the last function takes addresses, so that notes
// of calls change that are in the file already.
func TestSpool(t *testing.T) {
	many := string(bench.Functions(7, 400))
	taken := many + "\n.visible .func last()\n{\n\t.reg .b64 %rd<2>;\n\tmov.b64 %rd1, f3;\n\tmov.b64 %rd1, f350;\n\tret;\n}\n"
	var calls bench.Shape
	for _, s := range bench.Shapes {
		if s.Name == "calls" {
			calls = s
		}
	}
	target, err := abi.Lookup("sm_90")
	require.NoError(t, err)
	for name, src := range map[string]string{
		"many": many, "taken": taken, "long": string(calls.Text(8000)),
		"kept": taken + "\n.global .align 1 .b8 x[1] = {1, 2};\n", // read as a whole
		"bad":  many + "\n.visible .func (.reg .b32 x, .reg .b32 y) last()\n{\n\tret;\n}\n",
	} {
		o, err := ptx.ParseOutline("x.ptx", src)
		require.NoError(t, err)
		want, wantErr := lower.Text(o, target, lower.Options{})
		assert.Equal(t, name == "bad", wantErr != nil, "%s: %v", name, wantErr)
		for _, workers := range []int{1, 2} {
			file, err := os.Create(filepath.Join(t.TempDir(), "spool"))
			require.NoError(t, err)
			times := 0
			text, err := lower.Text(o, target, lower.SpoolFrom(lower.Options{Workers: workers, Spool: func() (lower.Spool, error) {
				times++
				return file, nil
			}}, 300_000))
			assert.Equal(t, wantErr, err, name)
			assert.True(t, text == nil, name)
			if err == nil {
				got, err := io.ReadAll(file)
				require.NoError(t, err)
				assert.Equal(t, 1, times, name)
				assert.True(t, bytes.Equal(slices.Concat(want...), got), "%s, %d workers: the texts differ", name, workers)
			}
			require.NoError(t, file.Close())
		}
	}
}

// TestSpoolUnused holds that a small text goes to no file, and one that has none stays in
// memory.
func TestSpoolUnused(t *testing.T) {
	target, err := abi.Lookup("sm_90")
	require.NoError(t, err)
	for n, asked := range map[int]int{20: 0, 400: 1} {
		o, err := ptx.ParseOutline("x.ptx", string(bench.Functions(7, n)))
		require.NoError(t, err)
		want, err := lower.Text(o, target, lower.Options{})
		require.NoError(t, err)
		times := 0
		text, err := lower.Text(o, target, lower.SpoolFrom(lower.Options{Spool: func() (lower.Spool, error) {
			times++
			return nil, nil
		}}, 300_000))
		require.NoError(t, err)
		assert.Equal(t, asked, times)
		assert.True(t, bytes.Equal(slices.Concat(want...), slices.Concat(text...)))
	}
}

// fullFile is a file on a disk that is full.
type fullFile struct{ strings.Reader }

var errFull = errors.New("no space left")

func (*fullFile) WriteAt([]byte, int64) (int, error) { return 0, errFull }
func (*fullFile) Truncate(int64) error               { return nil }

func TestSpoolFails(t *testing.T) {
	target, err := abi.Lookup("sm_90")
	require.NoError(t, err)
	o, err := ptx.ParseOutline("x.ptx", string(bench.Functions(7, 400)))
	require.NoError(t, err)
	for _, spool := range []func() (lower.Spool, error){
		func() (lower.Spool, error) { return nil, errFull },
		func() (lower.Spool, error) { return new(fullFile), nil },
	} {
		text, err := lower.Text(o, target, lower.SpoolFrom(lower.Options{Spool: spool}, 300_000))
		assert.True(t, text == nil)
		assert.ErrorIs(t, err, errFull)
	}
}

package stack_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/internal/tool/stack"
)

// TestDamaged links damaged files with one that is sound, and asks for the stack: they
// are refused or read, and nothing panics.
func TestDamaged(t *testing.T) {
	sound := must.Read(t, tree+"main.cubin")
	var files [][]byte
	for _, pattern := range []string{tree + "*.cubin", "../../image/cubin/testdata/cubins/*.cubin", "../../image/cubin/testdata/fatbins/*.fatbin"} {
		names := must.Glob(t, pattern)
		for _, name := range names {
			data := must.Read(t, name)
			files = append(files, data)
		}
	}
	n := effort.Of(600, 100_000)
	read := 0
	for i := range n {
		r := rand.New(rand.NewPCG(27, uint64(i)))
		data := bytes.Clone(files[r.IntN(len(files))])
		if r.IntN(3) == 0 {
			data = data[:1+r.IntN(len(data)-1)]
		}
		for range r.IntN(12) {
			switch at := r.IntN(len(data)); r.IntN(3) {
			case 0:
				data[at] ^= 1 << r.IntN(8)
			case 1:
				data[at] = byte(r.IntN(256))
			default:
				data[at] = []byte{0, 0xff, 0x7f, 0x80}[r.IntN(4)]
			}
		}
		var set link.Set
		_, err := set.AddFile("sound.cubin", sound)
		require.NoError(t, err)
		if _, err := set.AddFile("x", data); err != nil {
			continue
		}
		read++
		_ = set.Report("").String()
		s := stack.Of(set.Programs(""), stack.Options{Block: 256})
		_, _ = s.String(), s.SVG()
		_, err = json.Marshal(s)
		require.NoError(t, err)
	}
	require.Greater(t, read, n/4)
}

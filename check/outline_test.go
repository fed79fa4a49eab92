package check_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// bothWays checks a text as a whole and body by body, with bodies read by several goroutines, with each of the options, and
// requires the same to be reported. It counts what was reported: nothing at all, warnings and
// notes, errors, and errors of syntax, with which a text is read as a whole.
func bothWays(t *testing.T, name string, src []byte, counts map[string]int) {
	t.Helper()
	for _, opts := range []check.Options{{}, {Compile: true}, {Compile: true, Pedantic: true}, {Lower: true}} {
		m, want := check.Source(name, src, opts)
		opts.Workers = 3
		_, got := check.Text(name, string(src), opts)
		require.Equal(t, want, got, "%s, %+v", name, opts)
		switch {
		case m.Errors.Err() != nil:
			counts["syntax"]++
		case got.Err() != nil:
			counts["errors"]++
		case len(got) > 0:
			counts["remarks"]++
		default:
			counts["nothing"]++
		}
	}
}

// TestOutline holds that of modules that are read body by body the same is reported as
// of whole ones: real ones, those with known verdicts, those of golden cases.
func TestOutline(t *testing.T) {
	counts := make(map[string]int)
	for _, file := range slices.Concat(effort.RealModules(t, ".."), must.Glob(t, "../testdata/check/modules/*.ptx")) {
		bothWays(t, file, must.Read(t, file), counts)
	}
	require.NoError(t, filepath.WalkDir("../testdata", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		a, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, f := range a.Files {
			if bytes.Contains(f.Data, []byte(".func")) {
				bothWays(t, path, f.Data, counts)
			}
		}
		return nil
	}))
	for _, s := range bench.Shapes {
		bothWays(t, s.Name, s.Text(200), counts)
	}
	t.Log(counts)
	assert.Greater(t, counts["nothing"], 500)
	assert.Greater(t, counts["remarks"], 300)
	assert.Greater(t, counts["errors"], 350)
}

// TestOutlineMangled does the same with damaged modules, in which bodies may end
// where braces do not say so, and names mean something else.
func TestOutlineMangled(t *testing.T) {
	const splinters = "{}\"/*;\n.,%_0[]()"
	files := must.Glob(t, "../testdata/real/*.ptx")
	r := rand.New(rand.NewPCG(3, 4))
	counts := make(map[string]int)
	for _, file := range files {
		src := must.Read(t, file)
		if len(src) > 20_000 {
			continue
		}
		for range effort.Of(3, 20) {
			b := bytes.Clone(src)
			for range 1 + r.IntN(3) {
				if at := r.IntN(len(b)); r.IntN(2) == 0 {
					b[at] = splinters[r.IntN(len(splinters))]
				} else {
					from := r.IntN(len(src))
					copy(b[at:], src[from:min(from+20, len(src))])
				}
			}
			bothWays(t, file, b, counts)
		}
	}
	t.Log(counts)
	assert.Greater(t, counts["nothing"]+counts["remarks"], 10)
	assert.Greater(t, counts["errors"], 25)
	assert.Greater(t, counts["syntax"], 25)
}

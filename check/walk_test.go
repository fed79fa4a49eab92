package check

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// bothWays checks a text as a whole and body by body, with each of the options, and
// requires the same to be reported. It counts what was reported the second way: nothing
// at all, warnings and notes, errors.
func bothWays(t *testing.T, name string, src []byte, counts map[string]int) {
	t.Helper()
	for _, opts := range []policy{{}, {Options: Options{Compile: true}}, {Options: Options{Compile: true, Pedantic: true}}, {lowering: true}} {
		o, err := ptx.ParseOutline(name, string(src))
		if err != nil {
			counts["syntax"]++
			return
		}
		got, ok := outline(o, opts)
		if !ok {
			require.Nil(t, got, name)
			counts["whole"]++
			continue
		}
		m, err := ptx.Parse(name, src)
		require.NoError(t, err, name)
		require.Equal(t, module(m, opts), got, "%s, %+v", name, opts)
		require.Equal(t, got, outsideFirst(t, o, opts), "%s, %+v", name, opts)
		switch {
		case got.Err() != nil:
			counts["errors"]++
		case len(got) > 0:
			counts["remarks"]++
		default:
			counts["nothing"]++
		}
	}
}

// outsideFirst checks a module body by body as outline does, but what stands outside of
// bodies before.
func outsideFirst(t *testing.T, o *ptx.Outline, opts policy) diag.List {
	t.Helper()
	w, m := newWalk(o, opts), o.Module()
	require.Equal(t, module(m, opts).Err() == nil, w.Outside())
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody {
			body, ok := new(ptx.Reader).Body(o, f)
			require.True(t, ok)
			_, ok = w.Body(f, resolved.New(f, body, resolve.ParamsInBody(m, f)))
			require.True(t, ok)
		}
	}
	return w.Finish(func(f *ptx.Func) []ptx.Stmt {
		body, _ := new(ptx.Reader).Body(o, f)
		return body
	})
}

// TestOutline holds that of modules that are read body by body the same is reported as
// of whole ones: real ones, those with known verdicts, those of golden cases.
func TestOutline(t *testing.T) {
	counts := make(map[string]int)
	for _, pattern := range []string{"../testdata/real/*.ptx", "../testdata/check" + "/modules/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			bothWays(t, file, src, counts)
		}
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
	assert.Greater(t, counts["errors"], 50)
	assert.Greater(t, counts["whole"], 300)
}

// TestOutlineMangled does the same with damaged modules, in which bodies may end
// where braces do not say so, and names mean something else.
func TestOutlineMangled(t *testing.T) {
	const splinters = "{}\"/*;\n.,%_0[]()"
	files, err := filepath.Glob("../testdata/real/*.ptx")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(3, 4))
	counts := make(map[string]int)
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		if len(src) > 20_000 {
			continue
		}
		for range 20 {
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
	assert.Greater(t, counts["nothing"]+counts["remarks"], 100)
	assert.Greater(t, counts["errors"], 10)
	assert.Greater(t, counts["whole"], 100)
}

// TestWalkKeeps holds that a walk keeps nodes of bodies where they are wrong, and not
// where a head is: that is read once, and stays.
func TestWalkKeeps(t *testing.T) {
	for _, test := range []struct {
		name, src string
		kept      bool
	}{
		{"nothing", ".func f (.param .align 16 .b8 a[32]) { ret; }", false},
		{"a head", ".func f (.param .align 32 .b8 a[32]) { ret; }", false},
		{"a declaration before", ".func g (.param .align 32 .b8 a[32]);\n.func f (.param .align 32 .b8 a[32]) { ret; }", false},
		{"a body", ".func f () { .param .b8 a[4][8]; ret; }", true},
	} {
		o, err := ptx.ParseOutline(test.name, ".version 7.8\n.target sm_80\n.address_size 64\n"+test.src)
		require.NoError(t, err, test.name)
		w := newWalk(o, policy{lowering: true})
		f := o.Module().Items[len(o.Module().Items)-1].(*ptx.Func)
		body, ok := new(ptx.Reader).Body(o, f)
		require.True(t, ok, test.name)
		kept, ok := w.Body(f, resolved.New(f, body, resolve.ParamsInBody(o.Module(), f)))
		assert.True(t, ok, test.name)
		assert.Equal(t, test.kept, kept, test.name)
	}
}

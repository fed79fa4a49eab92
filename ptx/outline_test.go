package ptx_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/ptx"
)

// texts returns modules of all kinds: real ones, cases with and without
// errors, generated ones, and real ones that are cut off.
func texts(tb testing.TB) map[string]string {
	tb.Helper()
	all := make(map[string]string)
	for _, glob := range []string{"testdata/errors/*.ptx", "testdata/tree/*.txtar", "../testdata/real/*.ptx"} {
		files, err := filepath.Glob(glob)
		require.NoError(tb, err)
		require.NotEmpty(tb, files)
		for i, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(tb, err)
			if len(text) > 200_000 {
				text = text[:200_000]
			}
			all[f] = string(text)
			if i%8 == 0 {
				all[f+" cut off"] = string(text[:len(text)*2/3])
			}
		}
	}
	for _, s := range bench.Shapes {
		all[s.Name] = string(s.Text(300))
	}
	all["generated"] = string(bench.Functions(5, 30))
	all["not closed"] = ".func f(.param .b32 a) {\n.reg .b32 r;\n.func g(.param .b64 b, .param .b64 c) {\nld.param.b64 r, [b];\nret;\n}\n.func h() { ret; }"
	all["not closed before declarations"] = ".func f() {\n{ .reg .b32 r;\nret;\n.global .u32 x;\n.visible .func d();\n.func g(.param .b64 b) { ret; }\n.func h() {\nret;"
	all["closed by another"] = ".func f() {\nret;\n.func g(.param .b64 b) { ret; }\n}\n.func h() { foo bar; }"
	all["a declaration within"] = "\ufeff.func f() { .func g(.param .b64 b); call g, (0); ret; }\n.func h() { { .reg .b32 x; } ret; }"
	all["nothing"] = ""
	return all
}

// requireReaders checks that the tokens alone read what Parse reads, and that an
// outline and its bodies are the same, or say that they are not.
func requireReaders(t *testing.T, r *ptx.Reader, name, src string) {
	t.Helper()
	want, wantErr := ptx.ParseString(name, src)
	got, err := ptx.Parse(name, []byte(src))
	require.Equal(t, wantErr, err, name)
	require.Equal(t, string(dump(want)), string(dump(got)), name)

	outline, err := ptx.ParseOutline(name, src)
	require.NotNil(t, outline)
	if wantErr != nil {
		requireCareful(t, r, want, outline.Careful())
	}
	if err != nil {
		if wantErr == nil { // a quote in a line that begins with # closes nothing in a body
			require.Regexp(t, `(?m)^[ \t]*#.*"`, src, "%v", err)
		}
		return
	}
	m := outline.Module()
	require.Equal(t, want.Source(), m.Source(), name)
	bodies := make(map[*ptx.Func][]byte)
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || !f.HasBody {
			continue
		}
		again := *f
		if again.Body, ok = r.Body(outline, f); !ok {
			require.Error(t, wantErr, name)
			return
		}
		require.Nil(t, f.Body)
		text := outline.BodyText(f)
		require.Equal(t, "{}", text[:1]+text[len(text)-1:], name)
		var b bytes.Buffer
		dumpNode(&b, "", &again)
		bodies[f] = b.Bytes()
	}
	require.NoError(t, wantErr, name)
	require.Equal(t, want.NUL, m.NUL, name)
	require.Len(t, m.Items, len(want.Items), name)
	for i, it := range want.Items {
		var wanted, got bytes.Buffer
		dumpNode(&wanted, "", it)
		if f, ok := m.Items[i].(*ptx.Func); ok && f.HasBody {
			got.Write(bodies[f])
		} else {
			dumpNode(&got, "", m.Items[i])
		}
		require.Equal(t, wanted.String(), got.String(), name)
	}
}

// requireCareful checks that a careful outline of a text with errors, and its bodies, are what Parse makes.
func requireCareful(t *testing.T, r *ptx.Reader, want *ptx.Module, outline *ptx.Outline) {
	t.Helper()
	got := outline.Module()
	require.Equal(t, want.Errors, got.Errors, want.Name)
	require.Equal(t, want.NUL, got.NUL, want.Name)
	require.Len(t, got.Items, len(want.Items), want.Name)
	for i, it := range got.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody {
			require.Nil(t, f.Body)
			again := *f
			again.Body, _ = r.Body(outline, f)
			it = &again
		}
		var wanted, is bytes.Buffer
		dumpNode(&wanted, "", want.Items[i])
		dumpNode(&is, "", it)
		require.Equal(t, wanted.String(), is.String(), want.Name)
	}
}

func TestReaders(t *testing.T) {
	var r ptx.Reader // one for all: what it reads does not depend on what it has read
	for name, src := range texts(t) {
		requireReaders(t, &r, name, src)
	}
}

// TestOutlineOfOthers asks for bodies that are not those of an outline.
func TestOutlineOfOthers(t *testing.T) {
	const src = ".func a() { ret; }\n.func b();"
	var r ptx.Reader
	whole, err := ptx.ParseString("x.ptx", src)
	require.NoError(t, err)
	outline, err := ptx.ParseOutline("x.ptx", src)
	require.NoError(t, err)
	other, err := ptx.ParseOutline("x.ptx", ".func a() { }")
	require.NoError(t, err)
	a, b := outline.Module().Items[0].(*ptx.Func), outline.Module().Items[1].(*ptx.Func)
	assert.True(t, a.HasBody)
	assert.Nil(t, a.Body)
	assert.Equal(t, "{ ret; }", outline.BodyText(a))
	assert.Empty(t, outline.BodyText(b))

	body, ok := r.Body(outline, a)
	assert.True(t, ok)
	assert.Len(t, body, 1)
	body, ok = r.Body(outline, b)
	assert.True(t, ok, "a declaration has no body")
	assert.Nil(t, body)
	for _, o := range []*ptx.Outline{nil, {}, other} {
		_, ok = r.Body(o, a)
		assert.False(t, ok)
		assert.Empty(t, o.BodyText(a))
	}
	_, ok = r.Body(outline, whole.Items[0].(*ptx.Func))
	assert.False(t, ok, "a function of a whole module")
	_, ok = r.Body(outline, &ptx.Func{HasBody: true})
	assert.False(t, ok, "a function that was built by hand")
}

// TestBodiesAtOnce reads the bodies of one module from several goroutines.
func TestBodiesAtOnce(t *testing.T) {
	src := string(bench.Functions(6, 60))
	whole, err := ptx.ParseString("x.ptx", src)
	require.NoError(t, err)
	outline, err := ptx.ParseOutline("x.ptx", src)
	require.NoError(t, err)
	items := outline.Module().Items
	got, want := make([]string, len(items)), make([]string, len(items))
	for i, it := range whole.Items {
		var b bytes.Buffer
		dumpNode(&b, "", it)
		want[i] = b.String()
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			var mine ptx.Reader
			for i := worker; i < len(items); i += 4 {
				var b bytes.Buffer
				f, ok := items[i].(*ptx.Func)
				if !ok {
					dumpNode(&b, "", items[i])
				} else {
					again := *f
					again.Body, ok = mine.Body(outline, f)
					assert.True(t, ok)
					dumpNode(&b, "", &again)
				}
				got[i] = b.String()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, want, got)
}

// TestReaderMemory checks that a Reader allocates nothing for bodies like those that
// it has read, and that an outline takes little room.
func TestReaderMemory(t *testing.T) {
	src := string(bench.Functions(7, 800))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	outline, err := ptx.ParseOutline("x.ptx", src)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	perByte := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(src))
	assert.Less(t, perByte, 0.6, "bytes allocated for each byte of a module")
	t.Logf("%.2f bytes allocated per byte of text", perByte)

	var r ptx.Reader
	n := 0
	read := func() {
		for _, it := range outline.Module().Items {
			if f, ok := it.(*ptx.Func); ok {
				n++
				if _, ok := r.Body(outline, f); !ok {
					t.Error(f.Name)
				}
			}
		}
	}
	read()
	assert.Equal(t, 800, n)
	// Lists that are longer than the rest of an array are allocated apart.
	assert.LessOrEqual(t, testing.AllocsPerRun(3, read), 40.0)
}

package ptx_test

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// texts returns modules of all kinds: real ones, cases with and without
// errors, generated ones, and real ones that are cut off.
func texts(tb testing.TB) map[string]string {
	tb.Helper()
	all := make(map[string]string)
	for _, glob := range []string{"testdata/errors/*.ptx", "testdata/tree/*.txtar", "../testdata/real/*.ptx"} {
		files := must.Glob(tb, glob)
		for i, f := range files {
			text := must.Read(tb, f)
			if most := effort.Of(20_000, 200_000); len(text) > most {
				text = text[:most]
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

// requireReaders checks that an outline and its bodies are what Parse reads, with the same errors.
func requireReaders(t *testing.T, r *ptx.Reader, name, src string) {
	t.Helper()
	want, wantErr := ptx.ParseString(name, src)
	got, err := ptx.Parse(name, []byte(src))
	require.Equal(t, wantErr, err, name)
	require.Equal(t, string(dump(want)), string(dump(got)), name)

	outline, _ := ptx.ParseOutline(name, src)
	m := outline.Module()
	require.Equal(t, want.Source(), m.Source(), name)
	require.Equal(t, want.NUL, m.NUL, name)
	require.Equal(t, want.Unread, m.Unread, name)
	require.Len(t, m.Items, len(want.Items), name)
	errs := slices.Clone(m.Errors)
	for i, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody {
			read, err := r.Func(outline, f)
			if err != nil {
				errs = append(errs, err.(diag.List)...)
			}
			require.Nil(t, f.Body)
			text := outline.BodyText(f)
			require.Equal(t, "{", text[:1], name)
			it = read
		}
		var wanted, is bytes.Buffer
		dumpNode(&wanted, "", want.Items[i])
		dumpNode(&is, "", it)
		require.Equal(t, wanted.String(), is.String(), name)
	}
	errs.Sort()
	require.Equal(t, want.Errors.Error(), errs.Error(), name)
}

func TestReaders(t *testing.T) {
	var r ptx.Reader // one for all: what it reads does not depend on what it has read
	for name, src := range texts(t) {
		requireReaders(t, &r, name, src)
	}
}

// TestOutlineOfOthers reads bodies that are not those of an outline.
func TestOutlineOfOthers(t *testing.T) {
	const src = ".func a() { ret; }\n.func b();"
	var r ptx.Reader
	outline, err := ptx.ParseOutline("x.ptx", src)
	require.NoError(t, err)
	other, err := ptx.ParseOutline("x.ptx", ".func a() { }")
	require.NoError(t, err)
	a, b := outline.Module().Items[0].(*ptx.Func), outline.Module().Items[1].(*ptx.Func)
	assert.True(t, a.HasBody)
	assert.Nil(t, a.Body)
	assert.Equal(t, "{ ret; }", outline.BodyText(a))
	assert.Empty(t, outline.BodyText(b))

	read, err := r.Func(outline, a)
	require.NoError(t, err)
	assert.Len(t, read.Body, 1)
	read, err = r.Func(outline, b)
	require.NoError(t, err, "a declaration has no body")
	assert.Same(t, b, read)
	for _, o := range []*ptx.Outline{nil, {}, other} {
		_, err = r.Func(o, a)
		require.Error(t, err)
		assert.Empty(t, o.BodyText(a))
	}
	_, err = r.Func(outline, &ptx.Func{HasBody: true})
	require.Error(t, err, "a function that was built by hand")
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
					f, err := mine.Func(outline, f)
					assert.NoError(t, err)
					dumpNode(&b, "", f)
				}
				got[i] = b.String()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, want, got)
}

// TestReaderMemory checks that a Reader allocates no statements for bodies like those that
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
				if _, err := r.Func(outline, f); err != nil {
					t.Error(err)
				}
			}
		}
	}
	read()
	assert.Equal(t, 800, n)
	// Lists that are longer than the rest of an array are allocated apart.
	assert.LessOrEqual(t, testing.AllocsPerRun(3, read), 840.0, "but for 800 functions")
}

// TestStringOfLines has a string over three lines in a body: what follows has its own line.
func TestStringOfLines(t *testing.T) {
	const src = ".version 8.0\n.target sm_80\n.address_size 64\n.func f()\n{\n.pragma \"a\nb\nc\";\nret;\n}\n.func g() { ret; }\n"
	o, err := ptx.ParseOutline("x.ptx", src)
	require.NoError(t, err)
	m, err := ptx.ParseString("x.ptx", src)
	require.NoError(t, err)
	for i, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok {
			assert.Equal(t, f.EndPos, o.Module().Items[i].(*ptx.Func).EndPos, f.Name)
		}
	}
	assert.Equal(t, uint32(10), m.Items[3].(*ptx.Func).EndPos.Line)
}

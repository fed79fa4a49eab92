package ptx_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/bench"
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
	all["a declaration within"] = "\ufeff.func f() { .func g(.param .b64 b); call g, (0); ret; }\n.func h() { { .reg .b32 x; } ret; }"
	all["nothing"] = ""
	return all
}

// requireReader checks that r reads what Parse reads, whole and by function.
func requireReader(t *testing.T, r *ptx.Reader, name, src string) {
	t.Helper()
	want, wantErr := ptx.Parse(name, []byte(src))
	wantText := string(dump(want))

	whole, err := ptx.ParseString(name, src)
	require.Equal(t, wantErr, err, name)
	require.Equal(t, wantText, string(dump(whole)), name)
	requireHeads(t, r, whole, wantErr, src)

	m, err := r.Parse(name, src)
	require.Equal(t, wantErr, err, name)
	require.Equal(t, wantText, string(dump(m)), name)

	var got bytes.Buffer
	m, funcs := r.Funcs(name, src)
	for f := range funcs {
		require.Equal(t, ptx.Item(f), m.Items[len(m.Items)-1], name)
		require.Equal(t, f.HasBody, f.Body != nil, name)
		dumpNode(&got, "", f)
	}
	require.Equal(t, wantErr, r.Err(), name)
	var wantFuncs, gotAgain, wantHeads bytes.Buffer
	var other ptx.Reader
	for _, it := range want.Items {
		if f, ok := it.(*ptx.Func); ok {
			dumpNode(&wantFuncs, "", f)
			f.Body = nil
		}
		dumpNode(&wantHeads, "", it)
	}
	require.Equal(t, wantFuncs.String(), got.String(), name)
	heads := dump(m)
	require.Equal(t, wantHeads.String(), string(heads[bytes.IndexByte(heads, '\n')+1:]), name)

	for i, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok {
			reader := []*ptx.Reader{r, &other}[i%2]
			again := *f
			again.Body = reader.Body(m, f)
			require.Nil(t, f.Body)
			dumpNode(&gotAgain, "", &again)
		}
	}
	require.Equal(t, wantFuncs.String(), gotAgain.String(), name)
	require.Equal(t, wantErr, r.Err(), name)
}

// requireHeads checks that heads and bodies read alone are those of the whole, or
// that they say that they are not.
func requireHeads(t *testing.T, r *ptx.Reader, whole *ptx.Module, wantErr error, src string) {
	t.Helper()
	m, err := new(ptx.Reader).Heads(whole.Name, src)
	if err != nil {
		if wantErr == nil { // a quote in a line that begins with # closes nothing in a body
			require.Regexp(t, `(?m)^[ \t]*#.*"`, src, "%v", err)
		}
		return
	}
	bodies := make(map[*ptx.Func][]byte)
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || !f.HasBody {
			continue
		}
		again := *f
		if again.Body, ok = r.Reread(m, f); !ok {
			require.Error(t, wantErr, whole.Name)
			return
		}
		require.Nil(t, f.Body)
		text := m.BodyText(f)
		require.Equal(t, "{}", text[:1]+text[len(text)-1:], whole.Name)
		var b bytes.Buffer
		dumpNode(&b, "", &again)
		bodies[f] = b.Bytes()
	}
	require.NoError(t, wantErr, whole.Name)
	require.Len(t, m.Items, len(whole.Items), whole.Name)
	for i, it := range whole.Items {
		var want, got bytes.Buffer
		dumpNode(&want, "", it)
		if f, ok := m.Items[i].(*ptx.Func); ok && f.HasBody {
			got.Write(bodies[f])
		} else {
			dumpNode(&got, "", m.Items[i])
		}
		require.Equal(t, want.String(), got.String(), whole.Name)
	}
}

func TestReader(t *testing.T) {
	var r ptx.Reader // one for all: what it reads does not depend on what it has read
	for name, src := range texts(t) {
		requireReader(t, &r, name, src)
	}
}

func TestReaderStops(t *testing.T) {
	var r ptx.Reader
	m, funcs := r.Funcs("x.ptx", ".version 8.0\n.func a() { ret; }\n.func b() { ret; }\n.func c() { ret; } garbage")
	for range 2 { // ranging again begins again
		var names []string
		for f := range funcs {
			names = append(names, f.Name)
			if f.Name == "b" {
				break
			}
		}
		assert.Equal(t, []string{"a", "b"}, names)
		assert.Len(t, m.Items, 3)
		assert.Equal(t, ptx.Version{Major: 8}, m.Version)
		assert.NoError(t, r.Err())
	}
	n := 0
	for range funcs {
		n++
	}
	assert.Equal(t, 3, n)
	assert.Error(t, r.Err())
}

// TestBodyByHand checks that a function that no Reader read is left alone.
func TestBodyByHand(t *testing.T) {
	var r ptx.Reader
	m, err := ptx.Parse("x.ptx", []byte(".func a() { ret; }\n.func b();"))
	require.NoError(t, err)
	assert.Len(t, r.Body(m, m.Items[0].(*ptx.Func)), 1)
	assert.Nil(t, r.Body(m, m.Items[1].(*ptx.Func)))
	assert.Nil(t, r.Body(&ptx.Module{}, &ptx.Func{HasBody: true}))
	assert.NoError(t, r.Err())
}

// TestBodyAtOnce reads the bodies of one module from several goroutines.
// TestHeadsOfOthers asks for bodies of modules that Heads has not read.
func TestHeadsOfOthers(t *testing.T) {
	const src = ".func a() { ret; }\n.func b();"
	var r ptx.Reader
	whole, err := ptx.ParseString("x.ptx", src)
	require.NoError(t, err)
	f := whole.Items[0].(*ptx.Func)
	body, ok := r.Reread(whole, f)
	assert.True(t, ok)
	assert.Len(t, body, 1)
	assert.Empty(t, whole.BodyText(f))

	m, funcs := r.Funcs("x.ptx", src)
	for range funcs {
	}
	_, ok = r.Reread(m, m.Items[0].(*ptx.Func))
	assert.False(t, ok)
	assert.Empty(t, m.BodyText(m.Items[0].(*ptx.Func)))

	m, err = r.Heads("x.ptx", src)
	require.NoError(t, err)
	assert.Equal(t, "{ ret; }", m.BodyText(m.Items[0].(*ptx.Func)))
	body, ok = new(ptx.Reader).Reread(m, m.Items[1].(*ptx.Func))
	assert.True(t, ok)
	assert.Nil(t, body)
}

func TestBodyAtOnce(t *testing.T) {
	src := string(bench.Functions(6, 60))
	var r ptx.Reader
	m, funcs := r.Funcs("x.ptx", src)
	var want []string
	for f := range funcs {
		var b bytes.Buffer
		dumpNode(&b, "", f)
		want = append(want, b.String())
	}
	require.NoError(t, r.Err())
	got := make([]string, len(want))
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			var mine ptx.Reader
			i := 0
			for _, it := range m.Items {
				f, ok := it.(*ptx.Func)
				if !ok {
					continue
				}
				if i%4 == worker {
					var b bytes.Buffer
					again := *f
					again.Body = mine.Body(m, f)
					dumpNode(&b, "", &again)
					got[i] = b.String()
				}
				i++
			}
		})
	}
	wg.Wait()
	assert.Equal(t, want, got)
}

// TestReaderMemory checks that a Reader allocates nothing for a module like
// one that it has read, and little when it reads by function.
func TestReaderMemory(t *testing.T) {
	src := string(bench.Functions(7, 100))
	var r ptx.Reader
	read := func() {
		if _, err := r.Parse("x.ptx", src); err != nil {
			t.Error(err)
		}
	}
	read()
	// Lists that are longer than the rest of an array are allocated apart.
	assert.LessOrEqual(t, testing.AllocsPerRun(3, read), 40.0)

	src = string(bench.Functions(7, 800))
	r = ptx.Reader{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, funcs := r.Funcs("x.ptx", src)
	n := 0
	for range funcs {
		n++
	}
	runtime.ReadMemStats(&after)
	require.NoError(t, r.Err())
	assert.Equal(t, 800, n)
	assert.Len(t, m.Items, 804)
	perByte := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(src))
	assert.Less(t, perByte, 0.6, "bytes allocated for each byte of a module that is read by function")
	t.Logf("%.2f bytes allocated per byte of text by function", perByte)
}

func ExampleReader_Funcs() {
	const src = `
.version 8.0
.target sm_80
.global .b32 count;
.func (.param .b32 r) twice(.param .b32 x) { st.param.b32 [r], 2; ret; }
.entry kernel() { exit; }
`
	var r ptx.Reader
	m, funcs := r.Funcs("x.ptx", strings.TrimSpace(src))
	for f := range funcs {
		fmt.Println(f.Name, len(f.Params), len(f.Body), "of", len(m.Items), "items so far")
	}
	fmt.Println(r.Err())
	// Output:
	// twice 1 2 of 4 items so far
	// kernel 0 1 of 5 items so far
	// <nil>
}

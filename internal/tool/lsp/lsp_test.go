package lsp

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/exp/jsonrpc2"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
)

//go:embed testdata/text/module.ptx
var module string

// A client talks to a server in this process.
type client struct {
	t      testing.TB
	w      jsonrpc2.Writer
	raw    io.WriteCloser
	calls  int64
	answer chan *jsonrpc2.Response
	notes  chan *jsonrpc2.Request
	ended  chan error
}

func start(t testing.TB, o Options) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	f := jsonrpc2.HeaderFramer()
	c := &client{t: t, w: f.Writer(inW), raw: inW, answer: make(chan *jsonrpc2.Response, 1), notes: make(chan *jsonrpc2.Request, 10000), ended: make(chan error, 1)}
	go func() {
		c.ended <- Serve(context.Background(), inR, outW, o)
		inR.Close() // who writes on has an error
		outW.Close()
	}()
	go func() {
		r := f.Reader(outR)
		for {
			msg, _, err := r.Read(context.Background())
			if err != nil {
				close(c.answer)
				return
			}
			switch msg := msg.(type) {
			case *jsonrpc2.Response:
				c.answer <- msg
			case *jsonrpc2.Request:
				c.notes <- msg
			}
		}
	}()
	t.Cleanup(func() { inW.Close() })
	return c
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	n, err := jsonrpc2.NewNotification(method, params)
	require.NoError(c.t, err)
	_, err = c.w.Write(context.Background(), n)
	require.NoError(c.t, err)
}

func (c *client) call(method string, params, result any) error {
	c.t.Helper()
	c.calls++
	r, err := jsonrpc2.NewCall(jsonrpc2.Int64ID(c.calls), method, params)
	require.NoError(c.t, err)
	_, err = c.w.Write(context.Background(), r)
	require.NoError(c.t, err)
	a := <-c.answer
	require.NotNil(c.t, a, "the server has ended")
	require.Equal(c.t, jsonrpc2.Int64ID(c.calls), a.ID)
	if a.Error != nil {
		return a.Error
	}
	require.NotEmpty(c.t, a.Result, "an answer has a result, which may be null, or an error")
	if result != nil {
		require.NoError(c.t, json.Unmarshal(a.Result, result))
	}
	return nil
}

// published waits for the diagnostics of a version.
func (c *client) published(version int) published {
	c.t.Helper()
	for n := range c.notes {
		var p published
		require.Equal(c.t, "textDocument/publishDiagnostics", n.Method)
		require.NoError(c.t, json.Unmarshal(n.Params, &p))
		if p.Version != nil && *p.Version == version {
			return p
		}
	}
	return published{}
}

type object map[string]any

func opened(t testing.TB, src string) *client {
	c := start(t, Options{})
	require.NoError(t, c.call("initialize", object{"capabilities": object{}}, nil))
	c.notify("initialized", object{})
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file:///x.ptx", "version": 1, "text": src}})
	return c
}

// TestHostile has messages that make no sense: each call is answered, and the server goes on.
func TestHostile(t *testing.T) {
	c := start(t, Options{})
	assert.ErrorContains(t, c.call("textDocument/hover", object{}, nil), "not initialized")
	require.NoError(t, c.call("initialize", object{}, nil))
	for _, src := range []string{module, "", "\ufeff.version", "\x00\xff\r\n\"", strings.Repeat("{", 1000), ".version 7.0\n.target sm_80\n.func f(.param .b32"} {
		c.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file:///x.ptx", "version": 1, "text": src}})
		for method := range answers {
			for _, pos := range []position{{0, 0}, {-1, -1}, {1 << 30, 1 << 30}, {3, 99999}, {4, 4}, {0, 1}} {
				err := c.call(method, object{"textDocument": object{"uri": "file:///x.ptx"}, "position": pos, "range": span{pos, position{-5, 3}}}, nil)
				if method != "textDocument/rename" {
					require.NoError(t, err, method)
				}
			}
			require.NoError(t, c.call(method, object{"textDocument": object{"uri": "file:///other"}}, nil))
		}
		for _, change := range []object{{}, {"range": span{position{9, 9}, position{1, 1}}, "text": "x"}, {"range": span{position{-1, 0}, position{1 << 30, 0}}, "text": "y"}} {
			c.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///x.ptx"}, "contentChanges": []object{change}})
		}
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///none"}, "contentChanges": []object{{"text": "x"}}})
	c.notify("textDocument/didClose", object{"textDocument": object{"uri": "file:///none"}})
	assert.ErrorContains(t, c.call("nothing", nil, nil), "nothing")
	for _, wrong := range []struct {
		params any
		want   string
	}{
		{[]int{1}, "array, expected an object"},
		{object{"textDocument": object{"uri": 1}}, "number in textDocument.uri, expected a string"},
		{object{"textDocument": object{"version": "1"}}, "string in textDocument.version, expected a whole number"},
		{object{"position": object{"line": 1.5}}, "number 1.5 in position.line, expected a whole number"},
		{object{"contentChanges": object{}}, "object in contentChanges, expected an array"},
		{object{"contentChanges": []object{{"range": []int{}}}}, "array in contentChanges.range, expected an object"},
		{object{"initializationOptions": object{"assume": "yes"}}, "string in initializationOptions.assume, expected true or false"},
	} {
		assert.EqualError(t, c.call("textDocument/hover", wrong.params, nil), "JSON RPC invalid params: "+wrong.want)
	}
	for _, text := range []string{
		"{{{", "1", `"x"`, "[]", "{}", `{"method": "exit"}`, `{"jsonrpc": "1.0", "id": 1, "method": "exit"}`,
		`{"jsonrpc": "2.0", "id": {}, "method": "exit"}`, `{"jsonrpc": "2.0", "method": 1}`, `{"jsonrpc": "2.0"}`,
	} {
		_, err := fmt.Fprintf(c.raw, "Content-Length: %d\r\n\r\n%s", len(text), text)
		require.NoError(t, err, text)
		require.NoError(t, c.call("textDocument/documentSymbol", object{"textDocument": object{"uri": "file:///x.ptx"}}, nil), text)
	}
	assert.ErrorContains(t, c.call("initialize", object{}, nil), "twice")
	c.notify("exit", nil)
	assert.ErrorIs(t, <-c.ended, ErrExit)
}

// TestHeaders has headers of messages as clients may spell them, and such as make no sense.
func TestHeaders(t *testing.T) {
	const text = `{"jsonrpc": "2.0", "method": "exit"}`
	length := fmt.Sprint(len(text))
	for header, want := range map[string]string{
		"Content-Length: " + length: "",
		"content-length: " + length: "",
		"CONTENT-LENGTH:" + length:  "",
		"content-type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: " + length: "",
		"Content-Type: x":               "a message without Content-Length",
		"Content-Length: x":             `Content-Length: "x", expected a number of bytes`,
		"Content-Length: 0":             `Content-Length: "0", expected a number of bytes`,
		"Content-Length: 999999999999":  `Content-Length: "999999999999", expected a number of bytes`,
		"Content-Length: 999999999":     "unexpected EOF",
		"Content-Length " + length:      `"Content-Length 36" is no line of a header, expected NAME: VALUE`,
		strings.Repeat("x", 5000) + ":": "a line of a header has more than 4096 bytes",
	} {
		err := Serve(t.Context(), strings.NewReader(header+"\r\n\r\n"+text), io.Discard, Options{})
		if want == "" {
			assert.ErrorIs(t, err, ErrExit, header)
		} else {
			assert.ErrorContains(t, err, want, header)
		}
	}
}

// TestCloseClears holds that nothing is published of a document after what its closing publishes, whatever the analysis is at.
func TestCloseClears(t *testing.T) {
	c := start(t, Options{})
	require.NoError(t, c.call("initialize", object{}, nil))
	last, seen := map[string]int{}, map[string]int{}
	n := effort.Of(500, 3000)
	for i := range n {
		of := object{"uri": fmt.Sprintf("file:///%d.ptx", i), "version": 1, "text": ".version 7.8\n.target sm_80\n.func f () { call g; }\n"}
		c.notify("textDocument/didOpen", object{"textDocument": of})
		for range rand.IntN(2000) {
			runtime.Gosched()
		}
		c.notify("textDocument/didClose", object{"textDocument": of})
	}
	require.NoError(t, c.call("shutdown", nil, nil))
	c.notify("exit", nil)
	require.NoError(t, <-c.ended)
	<-c.answer // closed after the last note
	close(c.notes)
	for note := range c.notes {
		var p published
		require.NoError(t, json.Unmarshal(note.Params, &p))
		last[p.URI] = len(p.Diagnostics)
		seen[p.URI]++
	}
	assert.Len(t, last, n)
	for uri, left := range last {
		assert.Zero(t, left, "%s, published %d times", uri, seen[uri])
	}
}

// TestCheckPanics has a check that panics: the server says so, and goes on.
func TestCheckPanics(t *testing.T) {
	first := true
	c := start(t, Options{Check: func(_ context.Context, text []byte) ([]byte, error) {
		if first {
			first = false
			panic("a mistake")
		}
		return Check(text)
	}})
	require.NoError(t, c.call("initialize", object{}, nil))
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file:///x.ptx", "version": 1, "text": module}})
	p := c.published(1)
	require.Len(t, p.Diagnostics, 1)
	assert.Contains(t, p.Diagnostics[0].Message, "internal error, this text is not checked: a mistake")
	var h hover
	require.NoError(t, c.call("textDocument/hover", object{"textDocument": object{"uri": "file:///x.ptx"}, "position": position{3, 31}}, &h))
	assert.Contains(t, h.Contents.Value, "**func callee**")
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///x.ptx", "version": 2}, "contentChanges": []object{{"text": module}}})
	p = c.published(2)
	require.NotEmpty(t, p.Diagnostics)
	assert.NotContains(t, p.Diagnostics[0].Message, "internal error")
}

// TestPositions goes from offsets to positions and back.
func TestPositions(t *testing.T) {
	for _, inBytes := range []bool{true, false} {
		text := newText("a\r\n\nä😀x\n"+"end", inBytes)
		for off, r := range text.src { // where letters begin
			if r == '\r' || r == '\n' && off > 0 && text.src[off-1] == '\r' {
				continue // the end of a line is one place
			}
			assert.Equal(t, off, text.offset(text.at(off)), off)
		}
		assert.Equal(t, len(text.src), text.offset(position{99, 0}))
	}
	long := newText(strings.Repeat("é😀x ", 500_000), false)
	begin := time.Now()
	for i := range 5000 { // what looks at the whole line takes a minute
		off := len(long.src) - 8*i
		require.Equal(t, off, long.offset(long.at(off)))
	}
	assert.Less(t, time.Since(begin), 5*time.Second)
}

// TestChanges makes many changes at once, to texts of one piece and of many, and to a model of them.
func TestChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	some := func(n int) string {
		var b strings.Builder
		for range random.IntN(n) {
			b.WriteString([]string{"x", "\n", "yy\nz", "ö", "\r\n", "\r", "😀", strings.Repeat("ab", 40), strings.Repeat("é", 3000)}[random.IntN(9-random.IntN(2))])
		}
		return b.String()
	}
	for range 200 {
		whole := newText(some(40), random.IntN(2) == 0)
		place := func(model string) position {
			return position{random.IntN(strings.Count(model, "\n") + 2), random.IntN(1 + random.IntN(9000))}
		}
		model := whole.src
		var changes []contentChange
		for range random.IntN(60) {
			c := contentChange{Text: some(4)}
			if random.IntN(40) > 0 {
				c.Range = &span{place(model), place(model)}
				from := modelOffset(model, c.Range.Start, whole.utf8)
				to := max(from, modelOffset(model, c.Range.End, whole.utf8))
				if !utf8.ValidString(model[:from]) || !utf8.ValidString(model[:to]) {
					continue // within a letter
				}
				model = model[:from] + c.Text + model[to:]
			} else {
				model = c.Text
			}
			changes = append(changes, c)
		}
		got := whole.apply(changes)
		require.Equal(t, model, got.src, "%+v", changes)
		require.Equal(t, newText(model, whole.utf8).lines, got.lines)
	}
}

// TestChangesCost has as many changes as a line has bytes: they copy the text far less often than once each.
func TestChangesCost(t *testing.T) {
	const n = 20_000
	text := newText(strings.Repeat("x", n), false)
	changes := make([]contentChange, n)
	for i := range changes {
		at := position{0, i * 7919 % n}
		changes[i] = contentChange{Text: "y", Range: &span{at, at}}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := text.apply(changes)
	runtime.ReadMemStats(&after)
	assert.Len(t, got.src, 2*n)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n*20_000))
}

// large is a module of 4 MB: functions with calls, as a compiler writes them.
func large() string {
	var src strings.Builder
	src.WriteString(".version 7.8\n.target sm_80\n.address_size 64\n")
	for i := 0; src.Len() < 4<<20; i++ {
		fmt.Fprintf(&src, ".visible .func f%d (.param .b32 a)\n{\n\t.reg .b32 %%r<9>;\n", i)
		for range 40 {
			src.WriteString("\tadd.s32 %r1, %r2, %r3;\n")
		}
		fmt.Fprintf(&src, "\t{\n\t.param .b32 p;\n\tst.param.b32 [p], %%r1;\n\tcall f%d, (p);\n\t}\n\tret;\n}\n", max(i-1, 0))
	}
	return src.String()
}

// BenchmarkKey is a key in a module of 4 MB, and an answer after it: what the user waits for.
func BenchmarkKey(b *testing.B) {
	src := large()
	middle := strings.Count(src[:strings.Index(src[len(src)/2:], ".visible")+len(src)/2], "\n") // the head of a function
	for _, method := range []string{"hover", "definition", "references", "documentSymbol", "inlayHint", "completion", "codeAction", "semanticTokens/range"} {
		b.Run(method, func(b *testing.B) {
			c := opened(b, src)
			c.published(1)
			version := 1
			p := object{
				"textDocument": object{"uri": "file:///x.ptx"}, "position": position{middle, len(".visible .func f1")},
				"range": span{position{middle, 0}, position{middle + 100, 0}}, // a screen
			}
			for b.Loop() {
				version++
				c.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///x.ptx", "version": version}, "contentChanges": []object{{"range": span{position{6, 0}, position{6, 0}}, "text": " "}}})
				require.NoError(b, c.call("textDocument/"+method, p, nil))
			}
		})
	}
}

// TestHash reads a '#' that begins no line marker as a token: reading ends.
func TestHash(t *testing.T) {
	n, text := 0, newText("a # b\n# 1 \"x\"\n#", false)
	for tok, ok := text.next(0); ok && n < 9; tok, ok = text.next(tok.to) {
		n++
	}
	assert.Equal(t, 5, n)
}

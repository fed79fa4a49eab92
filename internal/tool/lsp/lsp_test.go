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

func start(t testing.TB, o Options) *client { return startWith(t, o, nil) }

// startWith is start with what checks a text.
func startWith(t testing.TB, o Options, check func(string, *text, configuration) *analysis) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	f := jsonrpc2.HeaderFramer()
	c := &client{t: t, w: f.Writer(inW), raw: inW, answer: make(chan *jsonrpc2.Response, 1), notes: make(chan *jsonrpc2.Request, 10000), ended: make(chan error, 1)}
	go func() {
		s := newServer(context.Background(), outW, o)
		if check != nil {
			s.check = oneByOne(check)
		}
		c.ended <- s.serve(inR)
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

// on is a request about the n-th place of a text in the module.
func on(t testing.TB, what string, n int) object {
	t.Helper()
	off := -1
	for range n {
		i := strings.Index(module[off+1:], what)
		require.GreaterOrEqual(t, i, 0, what)
		off += 1 + i
	}
	return object{"textDocument": object{"uri": "file:///x.ptx"}, "position": newText(module, false).at(off + 1)}
}

func TestAnswers(t *testing.T) {
	c := opened(t, module)
	p := c.published(1)
	require.NotEmpty(t, p.Diagnostics)
	assert.Equal(t, "ptxabi", p.Diagnostics[0].Source)

	var h hover
	require.NoError(t, c.call("textDocument/hover", on(t, "callee", 1), &h))
	assert.Contains(t, h.Contents.Value, "**func callee** on sm_80, measured\n")
	assert.Contains(t, h.Contents.Value, "`.b32 a`: R4, 4 bytes")
	require.NoError(t, c.call("textDocument/hover", on(t, "p)", 1), &h))
	assert.Contains(t, h.Contents.Value, "parameter `.b64 p`, 8 bytes aligned to 8, on sm_80")
	assert.Contains(t, h.Contents.Value, "\n- F5: 8 bytes, aligned to 8, take 2 registers, the first a multiple of 2; free are R4-R15, and the lowest such run is R4:R5\n")
	require.NoError(t, c.call("textDocument/hover", on(t, "k (", 1), &h))
	assert.Contains(t, h.Contents.Value, "a parameter block of 4 bytes at c[0x0][0x160]")
	require.NoError(t, c.call("textDocument/hover", on(t, ".extern", 1), &h))
	assert.Contains(t, h.Contents.Value, "defined in another module")

	var at location
	require.NoError(t, c.call("textDocument/definition", on(t, "callee, (", 1), &at))
	assert.Equal(t, 3, at.Range.Start.Line)
	require.NoError(t, c.call("textDocument/definition", on(t, "done;", 1), &at))
	assert.Equal(t, 13, at.Range.Start.Line)
	require.NoError(t, c.call("textDocument/definition", on(t, "%r2", 1), &at))
	assert.Equal(t, 7, at.Range.Start.Line)

	var all []location
	r := on(t, "callee", 1)
	require.NoError(t, c.call("textDocument/references", r, &all))
	assert.Len(t, all, 1)
	r["context"] = object{"includeDeclaration": true}
	require.NoError(t, c.call("textDocument/references", r, &all))
	assert.Len(t, all, 2, "not the one in the comment")

	var symbols []symbol
	require.NoError(t, c.call("textDocument/documentSymbol", r, &symbols))
	require.Len(t, symbols, 3)
	assert.Equal(t, "caller", symbols[1].Name)
	assert.Equal(t, position{15, 1}, symbols[1].Range.End)

	var hints []inlayHint
	require.NoError(t, c.call("textDocument/inlayHint", object{"textDocument": object{"uri": "file:///x.ptx"}, "range": span{position{0, 0}, position{99, 0}}}, &hints))
	var labels []string
	for _, h := range hints {
		labels = append(labels, fmt.Sprint(h.Position.Line, " ", h.Label))
	}
	assert.Equal(t, []string{"3 R4", "3 R4", "3 R6:R8", "5 R4:R5", "10 R4", "10 R4", "10 R6:R8", "16 c[0x0][0x160]"}, labels)

	assert.Contains(t, completed(t, c, on(t, "callee, (", 1)), "callee")

	// A change in the middle, after a letter of two bytes.
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///x.ptx", "version": 2}, "contentChanges": []object{
		{"range": span{position{4, 3}, position{4, 4}}, "text": "ö 😀 "}, {"range": span{position{10, 11}, position{10, 17}}, "text": "missing"},
	}})
	p = c.published(2)
	var codes []string
	for _, d := range p.Diagnostics {
		codes = append(codes, d.Code)
	}
	assert.Contains(t, codes, "UndeclaredCallee")

	require.NoError(t, c.call("shutdown", nil, nil))
	assert.ErrorContains(t, c.call("textDocument/hover", r, nil), "not initialized")
	c.notify("exit", nil)
	assert.NoError(t, <-c.ended)
}

// completed are what a position is completed to.
func completed(t testing.TB, c *client, at object) (labels []string) {
	t.Helper()
	var list completionList
	require.NoError(t, c.call("textDocument/completion", at, &list))
	for _, one := range list.Items {
		labels = append(labels, one.Label)
	}
	return labels
}

// TestFixes applies a fix, after which there is nothing to fix.
func TestFixes(t *testing.T) {
	src := ".version 7.8\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) g (.param .b8 .align 8 a[16]);\n"
	c := opened(t, src)
	p := c.published(1)
	var list []codeAction
	whole := object{"textDocument": object{"uri": "file:///x.ptx"}, "range": span{position{0, 0}, position{99, 0}}}
	require.NoError(t, c.call("textDocument/codeAction", whole, &list))
	require.NotEmpty(t, list, "%v", p.Diagnostics)
	text := newText(src, false)
	edits := list[0].Edit.Changes["file:///x.ptx"]
	require.Len(t, edits, 1)
	from, to := text.offset(edits[0].Range.Start), text.offset(edits[0].Range.End)
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///x.ptx", "version": 2}, "contentChanges": []object{{"text": src[:from] + edits[0].NewText + src[to:]}}})
	after := c.published(2)
	for _, d := range after.Diagnostics {
		assert.NotEqual(t, list[0].Diagnostics[0].Code+list[0].Diagnostics[0].Message, d.Code+d.Message)
	}
}

// TestTarget has a target that is configured, changed, and one that does not fit.
func TestTarget(t *testing.T) {
	c := start(t, Options{Target: "sm_90"})
	require.NoError(t, c.call("initialize", object{"capabilities": object{"general": object{"positionEncodings": []string{"utf-8"}}}}, nil))
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file:///x.ptx", "version": 1, "text": module}})
	c.published(1)
	var h hover
	require.NoError(t, c.call("textDocument/hover", on(t, "k (", 1), &h))
	assert.Contains(t, h.Contents.Value, "c[0x0][0x210]")
	c.notify("workspace/didChangeConfiguration", object{"settings": object{"ptxabi": object{"target": "sm_50"}}})
	p := c.published(1)
	require.NotEmpty(t, p.Diagnostics)
	assert.Equal(t, "BadTarget", p.Diagnostics[0].Code)
	assert.Equal(t, span{position{1, 0}, position{1, len(".target")}}, p.Diagnostics[0].Range)
	c.notify("workspace/didChangeConfiguration", object{"settings": object{"target": "sm_80"}}) // of another program, or Helix's
	assert.ErrorContains(t, c.call("nothing", nil, nil), "nothing")
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///x.ptx", "version": 2}, "contentChanges": []object{{"text": module}}})
	p = c.published(2)
	assert.Equal(t, "BadTarget", p.Diagnostics[0].Code, "the configuration stays")
}

// TestHalf has a function whose head cannot be read beside one that can: places are said of the second alone.
func TestHalf(t *testing.T) {
	c := opened(t, ".version 7.8\n.target sm_80\n.func good (.param .b32 x) { ret }\n.func bad (.param .b32 x, .param .b64 )y) { ret; }\n")
	c.published(1)
	var h hover
	at := func(line int) object {
		return object{"textDocument": object{"uri": "file:///x.ptx"}, "position": position{line, 7}}
	}
	require.NoError(t, c.call("textDocument/hover", at(2), &h))
	assert.Contains(t, h.Contents.Value, "R4")
	require.NoError(t, c.call("textDocument/hover", at(3), &h))
	assert.Contains(t, h.Contents.Value, "the diagnostics say why")
	var hints []inlayHint
	require.NoError(t, c.call("textDocument/inlayHint", object{"textDocument": object{"uri": "file:///x.ptx"}, "range": span{position{0, 0}, position{9, 0}}}, &hints))
	assert.Len(t, hints, 1)
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
	const n = 3000
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
	c := startWith(t, Options{}, func(uri string, t *text, conf configuration) *analysis {
		if first {
			first = false
			panic("a mistake")
		}
		return newAnalysis(uri, t, conf)
	})
	require.NoError(t, c.call("initialize", object{}, nil))
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file:///x.ptx", "version": 1, "text": module}})
	p := c.published(1)
	require.Len(t, p.Diagnostics, 1)
	assert.Contains(t, p.Diagnostics[0].Message, "internal error, this text is not checked: a mistake")
	var h hover
	require.NoError(t, c.call("textDocument/hover", on(t, "callee", 1), &h))
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

// TestEditing renames, highlights, folds, helps with signatures, says what an argument becomes, and inserts a semicolon.
func TestEditing(t *testing.T) {
	const src = ".version 7.8\n.target sm_80\n" +
		".func (.param .b32 r) callee (.param .b32 a, .param .align 8 .b8 s[12])\n{\n\tst.param.b32 [r], 1;\n\tret;\n}\n" +
		".func caller (.param .b64 p)\n{\n\t.reg .b32 %x, %y<4>;\n\t.param .b32 one;\n\t.param .align 8 .b8 two[12];\n\t.param .b32 out;\n" +
		"\t{\tst.param.b32 [one], %x;\n\tcall (out), callee, (one, two);\n\tld.param.b32 %y1, [out];\n\tret\n\t}\n}\n"
	c := opened(t, src)
	p := c.published(1)
	at := func(what string, n int, more object) object {
		off := 0
		for range n {
			off += strings.Index(src[off:], what) + 1
		}
		r := object{"textDocument": object{"uri": "file:///x.ptx"}, "position": newText(src, false).at(off - 1)}
		for k, v := range more {
			r[k] = v
		}
		return r
	}
	var marks []highlight
	require.NoError(t, c.call("textDocument/documentHighlight", at("one", 1, nil), &marks))
	assert.Len(t, marks, 3)
	var edit *workspaceEdit
	require.NoError(t, c.call("textDocument/rename", at("one", 3, object{"newName": "first"}), &edit))
	require.NotNil(t, edit)
	assert.Len(t, edit.Changes["file:///x.ptx"], 3)
	require.NoError(t, c.call("textDocument/rename", at("callee", 2, object{"newName": "other"}), &edit))
	assert.Len(t, edit.Changes["file:///x.ptx"], 2)
	for _, bad := range []struct{ of, to, why string }{
		{"one", "two", "two has a meaning here already"},
		{"one", "caller", "caller has a meaning here already"},
		{"one", "1x", `"1x" is not a name of PTX`},
		{"%y1", "%z", "one of a range of registers"},
		{"ret", "x", `"ret" is no name that this text declares`},
	} {
		assert.ErrorContains(t, c.call("textDocument/rename", at(bad.of, 1, object{"newName": bad.to}), &edit), bad.why)
	}
	var can *span
	require.NoError(t, c.call("textDocument/prepareRename", at("one", 1, nil), &can))
	require.NotNil(t, can)
	var folds []foldingRange
	require.NoError(t, c.call("textDocument/foldingRange", at("one", 1, nil), &folds))
	assert.Equal(t, []foldingRange{{2, 5}, {13, 16}, {7, 17}}, folds)
	var help signatureHelp
	require.NoError(t, c.call("textDocument/signatureHelp", at("two);", 1, nil), &help))
	require.Len(t, help.Signatures, 1)
	assert.Equal(t, "callee(.b32 a in R4, .b8 s in R6:R8)", help.Signatures[0].Label)
	assert.Equal(t, 1, help.Parameter)
	help = signatureHelp{}
	require.NoError(t, c.call("textDocument/signatureHelp", at("out),", 1, nil), &help))
	assert.Empty(t, help.Signatures)
	var h hover
	require.NoError(t, c.call("textDocument/hover", at("two);", 1, nil), &h))
	assert.Equal(t, "`two` is passed as **s of callee: R6:R8, bytes 0 to 12**, measured", h.Contents.Value)
	require.NoError(t, c.call("textDocument/hover", at("out),", 1, nil), &h))
	assert.Equal(t, "`out` gets **r of callee: R4, bytes 0 to 4**, measured", h.Contents.Value)
	require.NoError(t, c.call("textDocument/hover", at("two[", 1, nil), &h))
	assert.Equal(t, "`.param .b8 two[12]`\n\n`two` is passed as **s of callee: R6:R8, bytes 0 to 12**, measured", h.Contents.Value)
	require.NoError(t, c.call("textDocument/hover", at("p)", 1, nil), &h))
	assert.True(t, strings.HasPrefix(h.Contents.Value, "**p of caller: R4:R5, bytes 0 to 8**, measured\n"), h.Contents.Value)
	require.NotNil(t, p.Diagnostics[0].About)
	var list []codeAction
	require.NoError(t, c.call("textDocument/codeAction", object{"textDocument": object{"uri": "file:///x.ptx"}, "range": span{position{0, 0}, position{99, 0}}}, &list))
	titles := map[string][]textEdit{}
	for _, one := range list {
		titles[one.Title] = one.Edit.Changes["file:///x.ptx"]
	}
	require.Len(t, titles["insert ';'"], 1)
	assert.Equal(t, textEdit{span{position{16, 4}, position{16, 4}}, ";"}, titles["insert ';'"][0])
	for _, d := range p.Diagnostics {
		if d.Code == "BadSyntax" {
			assert.Equal(t, "https://pkg.go.dev/github.com/ptxabi/ptxabi/ptx#BadSyntax", d.About.Href)
		}
	}
}

// TestRenameInRange refuses another name for a label that a list names by its number.
func TestRenameInRange(t *testing.T) {
	src := ".version 8.0\n.target sm_80\n.address_size 64\n.func f()\n{\n\t.reg .b32 %i;\nt:\t.branchtargets L<2>, M;\n\tbrx.idx %i, t;\nL0:\nL1:\nM:\tret;\n}\n"
	c := opened(t, src)
	c.published(1)
	rename := func(label string) error {
		at := newText(src, false).at(strings.Index(src, "\n"+label+":") + 1)
		var edit *workspaceEdit
		return c.call("textDocument/rename", object{"textDocument": object{"uri": "file:///x.ptx"}, "position": at, "newName": "N"}, &edit)
	}
	assert.ErrorContains(t, rename("L1"), "one of a range of targets")
	assert.NoError(t, rename("M"))
}

// TestHash reads a '#' that begins no line marker as a token: reading ends.
func TestHash(t *testing.T) {
	n, text := 0, newText("a # b\n# 1 \"x\"\n#", false)
	for tok, ok := text.next(0); ok && n < 9; tok, ok = text.next(tok.to) {
		n++
	}
	assert.Equal(t, 5, n)
}

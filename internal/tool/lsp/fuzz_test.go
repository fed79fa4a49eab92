package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// session is messages as a client sends them.
func session(messages ...string) []byte {
	var b bytes.Buffer
	for _, m := range messages {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return b.Bytes()
}

// FuzzServe gives the server any bytes: it ends with them, and each message that it writes is JSON with its length.
func FuzzServe(f *testing.F) {
	text, err := json.Marshal(module)
	require.NoError(f, err)
	begin := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`, `{"jsonrpc":"2.0","method":"initialized"}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"x","version":1,"text":` + string(text) + `}}}`,
	}
	for method := range answers {
		f.Add(session(append(begin,
			`{"jsonrpc":"2.0","id":2,"method":"`+method+`","params":{"textDocument":{"uri":"x"},"position":{"line":7,"character":9},"range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}}}}`,
			`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"x","version":2},"contentChanges":[{"range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}},"text":"}"}]}}`,
			`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`)...))
	}
	f.Add([]byte("Content-Length: 99999999999\r\n\r\n"))
	f.Add([]byte("content-length:3\nX: y\n\n{}}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		_ = Serve(context.Background(), bytes.NewReader(in), &out, Options{}) // whatever the client has done wrong
		written := newFrames(&out)
		for {
			data, err := written.next()
			if err == io.EOF {
				return
			}
			require.NoError(t, err)
			require.True(t, json.Valid(data), "%s", data)
		}
	})
}

// FuzzEdits applies edits to any text, all at once and to a model of it: both have the same text.
func FuzzEdits(f *testing.F) {
	f.Add("ab\ncd\r\nä😀e\n\nf", "x\ny", []byte{0, 1, 1, 2, 0, 2, 1, 2, 2, 1, 0, 9, 9}, false)
	f.Add("a\rb\u2028c", "😀", []byte{0, 0, 0, 3, 1, 0, 1, 0, 1, 2}, true)
	f.Fuzz(func(t *testing.T, src, insert string, where []byte, inBytes bool) {
		if !utf8.ValidString(src) || !utf8.ValidString(insert) {
			return // JSON has no such text
		}
		var changes []contentChange
		model := src
		for len(where) >= 5 && len(changes) < 20 {
			from, to := position{int(int8(where[0])), int(int8(where[1]))}, position{int(int8(where[2])), int(int8(where[3]))}
			c := contentChange{Text: insert[:len(insert)*int(where[4]%2)], Range: &span{from, to}}
			where = where[5:]
			first := modelOffset(model, from, inBytes)
			last := max(first, modelOffset(model, to, inBytes))
			if inBytes && !(utf8.ValidString(model[:first]) && utf8.ValidString(model[:last])) {
				return // within a letter
			}
			require.Equal(t, first, newText(model, inBytes).offset(from))
			changes = append(changes, c)
			model = model[:first] + c.Text + model[last:]
		}
		require.Equal(t, model, newText(src, inBytes).apply(changes).src, "%+v", changes)
	})
}

// modelOffset is where a position is in a text, as the protocol describes it. Within the two halves of a letter it is
// after it.
func modelOffset(src string, p position, inBytes bool) int {
	if p.Line < 0 {
		return 0
	}
	lines := strings.SplitAfter(src, "\n")
	if p.Line >= len(lines) {
		return len(src)
	}
	before := len(strings.Join(lines[:p.Line], ""))
	line := strings.TrimSuffix(lines[p.Line], "\n")
	if line != lines[p.Line] || p.Line == len(lines)-1 {
		line = strings.TrimSuffix(line, "\r")
	}
	if inBytes {
		return before + min(max(p.Character, 0), len(line))
	}
	units := utf16.Encode([]rune(line))
	n := min(max(p.Character, 0), len(units))
	if n > 0 && n < len(units) && utf16.IsSurrogate(rune(units[n-1])) && units[n-1] < 0xdc00 {
		n++
	}
	return before + len(string(utf16.Decode(units[:n])))
}

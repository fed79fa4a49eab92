package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestSessions runs testdata/session, each with a server of its own. Commands are
//
//	start [TARGET]               initializes it, for positions that count bytes where a target is named
//	open FILE, change FILE TO    tell it of a text, and print what is published
//	configure JSON [FILE]        changes settings, and prints what is published of a file
//	shutdown, exit
//	format FILE, tokens FILE     print the text that formatting makes, and tokens with their types
//	METHOD FILE TEXT N [NAME]    asks about the N-th place of a text, or about all of the file; NAME is another name for it,
//	                             and has references show the declaration too
func TestSessions(t *testing.T) {
	servers := make(map[string]*documents)
	golden.Sessions(t, "testdata/session", "../../..", func(t *testing.T, args []string, _ []byte) (string, string, int) {
		d := servers[t.Name()]
		if d == nil {
			d = &documents{text: map[string]string{}}
			servers[t.Name()] = d
		}
		out, err := d.run(t, args)
		if err != nil {
			return out, err.Error() + "\n", 1
		}
		return out, "", 0
	}, nil)
}

// documents are those that a client has open.
type documents struct {
	*client
	inBytes bool
	text    map[string]string
	version int
}

func (d *documents) run(t *testing.T, args []string) (string, error) {
	switch args[0] {
	case "start":
		var capabilities object
		if len(args) > 1 {
			d.inBytes = true
			capabilities = object{"general": object{"positionEncodings": []string{"utf-8"}}}
		}
		d.client = start(t, Options{Target: strings.Join(args[1:], "")})
		return "", d.call("initialize", object{"capabilities": capabilities}, nil)
	case "open":
		d.version++
		d.text[args[1]] = string(must.Read(t, args[1]))
		d.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file:///" + args[1], "version": d.version, "text": d.text[args[1]]}})
		return lines(d.published(d.version).Diagnostics), nil
	case "change":
		d.version++
		from, to := d.text[args[1]], string(must.Read(t, args[2]))
		d.text[args[1]] = to
		head := 0
		for head < min(len(from), len(to)) && from[head] == to[head] {
			head++
		}
		for !utf8.ValidString(from[:head]) {
			head--
		}
		old := newText(from, d.inBytes)
		change := contentChange{Text: to[head:], Range: &span{old.at(head), old.at(len(from))}}
		d.notify("textDocument/didChange", object{"textDocument": object{"uri": "file:///" + args[1], "version": d.version}, "contentChanges": []contentChange{change}})
		return lines(d.published(d.version).Diagnostics), nil
	case "configure":
		d.notify("workspace/didChangeConfiguration", object{"settings": json.RawMessage(args[1])})
		if len(args) == 2 {
			return "", nil
		}
		return lines(d.published(d.version).Diagnostics), nil
	case "shutdown":
		return "", d.call("shutdown", nil, nil)
	case "exit":
		d.notify("exit", nil)
		return "", <-d.ended
	}
	src := d.text[args[1]]
	switch args[0] {
	case "format":
		return format(t, src, &params{}), nil
	case "tokens":
		a := newAnalysis("file:///x", newText(src, false), configuration{})
		return showTokens(a, a.semanticTokens(nil).(semanticTokens).Data) + "\n", nil
	}
	p := object{"textDocument": object{"uri": "file:///" + args[1]}, "range": span{position{0, 0}, position{99, 0}}}
	if len(args) > 3 {
		n, err := strconv.Atoi(args[3])
		require.NoError(t, err)
		at := 0
		for range n {
			i := strings.Index(src[at:], args[2])
			require.GreaterOrEqual(t, i, 0, args)
			at += i + 1
		}
		p["position"] = newText(src, d.inBytes).at(at - 1)
		p["newName"] = strings.Join(args[4:], "")
		p["context"] = object{"includeDeclaration": len(args) > 4}
	}
	var result any
	if err := d.call("textDocument/"+args[0], p, &result); err != nil {
		return "", err
	}
	switch r := result.(type) {
	case []any:
		return lines(r), nil
	case map[string]any:
		if contents, ok := r["contents"].(map[string]any); ok { // of hover
			return fmt.Sprintln(contents["value"]), nil
		}
	}
	return lines([]any{result}), nil
}

// lines are values as JSON, one a line.
func lines[T any](list []T) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, v := range list {
		if err := e.Encode(v); err != nil {
			panic(err)
		}
	}
	return b.String()
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An object is one of JSON.
type object map[string]any

// An editor speaks with the language server.
type editor struct {
	in   io.Writer
	out  *bufio.Reader
	last int // the ID of the last request
}

// send sends a message.
func (e *editor) send(o object) error {
	o["jsonrpc"] = "2.0"
	data, err := json.Marshal(o)
	if err == nil {
		_, err = fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(data), data)
	}
	return err
}

// wait reads messages up to one that begins as a text says. What an editor does with it is not measured.
func (e *editor) wait(start string) error {
	for {
		head, err := textproto.NewReader(e.out).ReadMIMEHeader()
		if err != nil {
			return err
		}
		size, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			return err
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(e.out, data); err != nil || bytes.HasPrefix(data, []byte(start)) {
			return err
		}
	}
}

// call sends a request and reads its answer.
func (e *editor) call(method string, params object) error {
	e.last++
	if err := e.send(object{"id": e.last, "method": method, "params": params}); err != nil {
		return err
	}
	return e.wait(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":`, e.last))
}

// key is the slowest of the requests that follow a key in a module, each by the median of some.
func key(program, module string, count int) (cost, error) {
	text, err := os.ReadFile(module)
	if err != nil {
		return cost{}, err
	}
	cmd := exec.Command(program, "lsp")
	in, err := cmd.StdinPipe()
	if err != nil {
		return cost{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return cost{}, err
	}
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	worst, err := keys(&editor{in: in, out: bufio.NewReader(out)}, string(text), count)
	in.Close()
	if ended := cmd.Wait(); err == nil {
		err = ended
	}
	return cost{wall: worst, peak: peakMemory(cmd.ProcessState)}, err
}

// keys is key for a server that has begun.
func keys(e *editor, text string, count int) (worst time.Duration, err error) {
	const uri = "file:///module.ptx"
	if err := e.call("initialize", object{"capabilities": object{}}); err != nil {
		return 0, err
	}
	if err := e.send(object{"method": "textDocument/didOpen", "params": object{"textDocument": object{"uri": uri, "languageId": "ptx", "version": 0, "text": text}}}); err != nil {
		return 0, err
	}
	if err := e.wait(`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics"`); err != nil {
		return 0, err
	}
	middle := len(text)/2 + strings.Index(text[len(text)/2:], ".func") + len(".func ")
	line, start := strings.Count(text[:middle], "\n"), strings.LastIndexByte(text[:middle], '\n')+1
	at := object{"line": line, "character": middle - start}
	params := object{"textDocument": object{"uri": uri}, "position": at, "range": object{"start": at, "end": object{"line": line + 100, "character": 0}}}
	below := object{"line": line + 2, "character": 0}
	version := 0
	for _, method := range []string{"hover", "definition", "references", "documentSymbol", "inlayHint", "completion", "codeAction", "semanticTokens/range"} {
		var times []time.Duration
		for range count {
			version++
			key := time.Now()
			if err := e.send(object{"method": "textDocument/didChange", "params": object{
				"textDocument":   object{"uri": uri, "version": version},
				"contentChanges": []object{{"range": object{"start": below, "end": below}, "text": " "}},
			}}); err != nil {
				return 0, err
			}
			if err := e.call("textDocument/"+method, params); err != nil {
				return 0, fmt.Errorf("%s: %w", method, err)
			}
			times = append(times, time.Since(key))
		}
		slices.Sort(times)
		worst = max(worst, times[len(times)/2])
	}
	if err := e.call("shutdown", nil); err != nil {
		return 0, err
	}
	return worst, e.send(object{"method": "exit"})
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
)

// maxRequest is the size of the largest request in bytes, if nothing says otherwise.
const maxRequest = 64 << 20

// notInBatch are the commands that are not answered: they go on until they are interrupted,
// or read what batch reads.
var notInBatch = []string{"serve", "batch", "lsp"}

func bindBatch(o *options) action {
	limit := maxRequest
	o.Bind(&limit, "max-request")
	o.none = "requests are on standard input"
	return func(e env, _ []string) error {
		if limit < 1 {
			return o.errorf("-max-request %d, expected a number of bytes", limit)
		}
		return answer(e, limit)
	}
}

// answer answers the requests on standard input.
func answer(e env, limit int) error {
	defer endUnread(e)()
	var own os.FileInfo // of standard input, if it is a file or a pipe
	if f, ok := e.stdin.(*os.File); ok {
		own, _ = f.Stat()
	}
	in := bufio.NewReaderSize(e.stdin, 64<<10)
	var text, out []byte
	var err error
	for first := true; ; first = false {
		long := false
		if text, long, err = jsonline.ReadLine(in, text[:0], limit); err != nil && len(text) == 0 && !long {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("standard input: %w", disk.Reason(err))
		}
		if first {
			text = bytes.TrimPrefix(text, []byte("\ufeff")) // a byte-order mark
		}
		var a jsonline.Answer
		switch {
		case long:
			a = refuse(jsonline.ReadBefore(text), "a request of more than %d bytes; -max-request allows longer ones", limit)
		case len(bytes.TrimSpace(text)) == 0:
			continue
		default:
			a = answerTo(e, own, text)
		}
		out = append(jsonline.Append(out[:0], a), '\n')
		if err := write(e.stdout, out); err != nil {
			return err
		}
	}
}

// refuse is the answer to what is no request, in the form that it names, as far as it was read.
func refuse(r jsonline.Request, format string, args ...any) jsonline.Answer {
	msg := "batch: " + fmt.Sprintf(format, args...)
	if r.JSON {
		one := json.RawMessage(appendLines(nil, diag.List{{Code: failure, Msg: msg}}))
		return jsonline.Answer{ID: jsonline.OrNull(r.ID), Status: 2, Results: &[]json.RawMessage{}, Diagnostics: &[]json.RawMessage{one}}
	}
	none, said := "", "ptxabi: "+msg+"\n"
	return jsonline.Answer{ID: jsonline.OrNull(r.ID), Status: 2, Stdout: &none, Stderr: &said}
}

// answerTo does what a request says. It is from the file own, if that is not nil.
func answerTo(e env, own os.FileInfo, text []byte) jsonline.Answer {
	r, err := jsonline.ParseRequest(text)
	if err != nil {
		return refuse(r, "%v", err)
	}
	for _, arg := range r.Args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value // of a flag
		}
		if isFile(arg, own) {
			return refuse(r, `%s: batch reads its requests from there; the file - is what "stdin" has`, arg)
		}
	}
	var out, said bytes.Buffer
	request := env{stdin: strings.NewReader(r.Stdin), stdout: &out, stderr: &said, getenv: e.getenv, json: r.JSON, end: e.end, batch: true, run: e.run}
	a := jsonline.Answer{ID: jsonline.OrNull(r.ID), Status: guarded(r.Args, request)}
	if r.JSON {
		results, err := jsonline.Values(out.Bytes())
		said, wrong := jsonline.Values(said.Bytes())
		if err != nil || wrong != nil {
			return refuse(r, `%s: it does not print JSON; "json" needs arguments such as -format json`, strings.Join(r.Args, " "))
		}
		a.Results, a.Diagnostics = &results, &said
		return a
	}
	stdout, stderr := out.String(), said.String()
	a.Stdout, a.Stderr = &stdout, &stderr
	return a
}

// isFile reports whether a name is that of a file, which may be nil.
func isFile(name string, file os.FileInfo) bool {
	if file == nil {
		return false
	}
	info, err := os.Stat(name)
	return err == nil && os.SameFile(info, file)
}

// guarded runs a request. What it panics with, which is a mistake of this program, is its
// standard error, and others are answered.
func guarded(args []string, e env) (status int) {
	defer func() {
		if p := recover(); p != nil {
			status = exit(fmt.Errorf("internal error: %v\n%s", p, debug.Stack()), e)
		}
	}()
	return e.run(args, e)
}

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
)

// A line is what -format jsonl has for a file, or for several that are one question;
// docs/schemas/jsonl.schema.json describes it.
type line struct {
	File        string            `json:"file,omitempty"`
	Image       string            `json:"image,omitempty"` // of a file with several
	Files       []string          `json:"files,omitempty"`
	Status      int               `json:"status"`
	Result      json.RawMessage   `json:"result,omitempty"`
	Diagnostics []json.RawMessage `json:"diagnostics"`
}

// each does a command for its one file, or for each of several or for those of -format jsonl, whatever is wrong with some:
// the error has the worst exit status. Beside are the files that each is compared with.
func (o *options) each(e env, files []string, run func(e env, file string) error, beside ...string) error {
	lines := o.format == "jsonl"
	switch {
	case len(files) == 0:
		return o.noFile()
	case slices.Contains(slices.Concat(files, beside), ""):
		return o.errorf("FILE is empty; - is standard input")
	case !lines && len(files) == 1:
		return run(e, files[0])
	case !lines && o.format != "text":
		return o.errorf("%d files, and -format %s is for one: jsonl has a line for each", len(files), o.format)
	case o.output != "" && o.output != "-" && len(files) > 1:
		return o.errorf("%d files, and -o is for one", len(files))
	case o.output != "" && o.output != "-":
		return o.errorf("-format jsonl is for standard output")
	case len(files) > 1 && slices.Contains(beside, "-"):
		return o.errorf("standard input is read once, and %d files are compared with it", len(files))
	}
	if file := repeated(files); file != "" {
		return o.errorf("%s is named twice", file)
	}
	worst := 0
	for _, file := range files {
		ok, status, err := false, 0, error(nil)
		if lines && o.lines != nil {
			ok, status, err = o.lines(&e, file)
		}
		switch {
		case ok || err != nil:
		case lines:
			status, err = o.line(e, line{File: file}, func(e env) error { return run(e, file) })
		default:
			if err = write(e.stdout, fmt.Appendf(nil, "==> %s <==\n", printable(file))); err == nil {
				status = exit(run(e, file), e)
			}
		}
		if err != nil {
			return err
		}
		worst = max(worst, status)
	}
	return statusError(worst)
}

// together is for a command that has one answer for all files: with -format jsonl it is one line.
func (o *options) together(e env, files []string, run func(e env) error) error {
	switch {
	case o.format != "jsonl":
		return run(e)
	case len(files) == 0:
		return o.noFile()
	case o.output != "" && o.output != "-":
		return o.errorf("-format jsonl is for standard output")
	}
	status, err := o.line(e, line{Files: files}, run)
	return cmp.Or(err, statusError(status))
}

// statusError is an error with an exit status whose reason has been printed.
func statusError(status int) error { return []error{nil, errFindings, errPrinted}[status] }

// line runs the command for JSON, and writes the line of it.
func (o *options) line(e env, l line, run func(e env) error) (status int, err error) {
	var out, notes bytes.Buffer
	own := e
	own.stdout, own.stderr, own.json, own.terminal, own.kept = &out, &notes, true, false, nil
	o.format = "json"
	l.Status = exit(run(own), own)
	o.format = "jsonl"
	results, err := jsonline.Values(out.Bytes())
	if err == nil {
		l.Diagnostics, err = jsonline.Values(notes.Bytes())
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %w", l.File, err)
	case o.Name == "check": // whose results are diagnostics
		l.Diagnostics = append(results, l.Diagnostics...)
	case len(results) > 1:
		return 0, fmt.Errorf("%s: %d results, expected one", l.File, len(results))
	case len(results) == 1:
		l.Result = results[0]
	}
	return l.Status, write(e.stdout, append(jsonline.Append(nil, l), '\n'))
}

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
	none, message := "", "ptxabi: "+msg+"\n"
	return jsonline.Answer{ID: jsonline.OrNull(r.ID), Status: 2, Stdout: &none, Stderr: &message}
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
	var out, notes bytes.Buffer
	request := env{stdin: strings.NewReader(r.Stdin), stdout: &out, stderr: &notes, getenv: e.getenv, json: r.JSON, end: e.end, batch: true, run: e.run}
	a := jsonline.Answer{ID: jsonline.OrNull(r.ID), Status: guarded(r.Args, request)}
	if r.JSON {
		results, err := jsonline.Values(out.Bytes())
		notes, wrong := jsonline.Values(notes.Bytes())
		if err != nil || wrong != nil {
			return refuse(r, `%s: it does not print JSON; "json" needs arguments such as -format json`, strings.Join(r.Args, " "))
		}
		a.Results, a.Diagnostics = &results, &notes
		return a
	}
	stdout, stderr := out.String(), notes.String()
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

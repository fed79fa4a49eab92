package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// maxRequest is the size of the largest request in bytes, if nothing says otherwise.
const maxRequest = 64 << 20

// A request is a line of batch's input.
type request struct {
	ID    json.RawMessage `json:"id"`
	Args  []string        `json:"args"`
	Stdin string          `json:"stdin"`
	JSON  bool            `json:"json"`
}

// An answer is a line of its output: with text, or with JSON.
type answer struct {
	ID          json.RawMessage    `json:"id"`
	Status      int                `json:"status"`
	Stdout      *string            `json:"stdout,omitempty"`
	Stderr      *string            `json:"stderr,omitempty"`
	Results     *[]json.RawMessage `json:"results,omitempty"`
	Diagnostics *[]json.RawMessage `json:"diagnostics,omitempty"`
}

// notInBatch are the commands that are not answered: they go on until they are interrupted,
// or read what batch reads.
var notInBatch = []string{"serve", "batch", "lsp"}

func runBatch(e env, args []string) error {
	o := newOptions("batch")
	limit := maxRequest
	o.Bind(&limit, "max-request")
	rest, err := o.parse(args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return o.errorf("%s, expected none: requests are on standard input", prose.Count(len(rest), "argument"))
	case limit < 1:
		return o.errorf("-max-request %d, expected a number of bytes", limit)
	}
	defer endUnread(e)()
	var own os.FileInfo // of standard input, if it is a file or a pipe
	if f, ok := e.stdin.(*os.File); ok {
		own, _ = f.Stat()
	}
	in := bufio.NewReaderSize(e.stdin, 64<<10)
	var text, out []byte
	for first := true; ; first = false {
		long := false
		if text, long, err = readLine(in, text[:0], limit); err != nil && len(text) == 0 && !long {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("standard input: %w", disk.Reason(err))
		}
		if first {
			text = bytes.TrimPrefix(text, []byte("\ufeff")) // a byte-order mark
		}
		var a answer
		switch {
		case long:
			a = refuse(readBefore(text), "a request of more than %d bytes; -max-request allows longer ones", limit)
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

// readLine reads up to the end of a line. Of one that is longer than the limit the beginning is kept.
func readLine(in *bufio.Reader, text []byte, limit int) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(bytes.TrimRight(part, "\r\n")) > limit; long {
			part = part[:min(len(part), limit-len(text))]
		}
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, long, err
		}
	}
}

// refuse is the answer to what is no request, in the form that it asks for, as far as it was read.
func refuse(r request, format string, args ...any) answer {
	msg := "batch: " + fmt.Sprintf(format, args...)
	if r.JSON {
		one := json.RawMessage(appendLines(nil, diag.List{{Code: failure, Msg: msg}}))
		return answer{ID: orNull(r.ID), Status: 2, Results: &[]json.RawMessage{}, Diagnostics: &[]json.RawMessage{one}}
	}
	none, said := "", "ptxabi: "+msg+"\n"
	return answer{ID: orNull(r.ID), Status: 2, Stdout: &none, Stderr: &said}
}

// unread says why a line or a part of it is not what is wanted.
func unread(err error, where, want string) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s%s, expected %s", wrong.Value, where, want)
	}
	return err
}

func orNull(id json.RawMessage) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}

// set sets the fields of a request. After an error it has those that could be read.
func (r *request) set(fields map[string]json.RawMessage) error {
	known := []struct {
		name, want string
		to         any
	}{{"id", "any value", &r.ID}, {"args", "an array of strings", &r.Args}, {"stdin", "a string", &r.Stdin}, {"json", "true or false", &r.JSON}}
	var first error
	names := make([]string, 0, len(known))
	for _, f := range known {
		if text, ok := fields[f.name]; ok {
			first = cmp.Or(first, unread(json.Unmarshal(text, f.to), fmt.Sprintf(" in %q", f.name), f.want))
		}
		names = append(names, f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(names, name) {
			first = cmp.Or(first, fmt.Errorf("unknown field %q, expected one of %s", name, strings.Join(names, ", ")))
		}
	}
	return first
}

// readBefore returns the fields of a request that stand before the mistake in its line.
func readBefore(text []byte) (r request) {
	fields := make(map[string]json.RawMessage)
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return r
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		if s, ok := name.(string); ok && utf8.Valid(value) {
			fields[s] = value
		}
	}
	_ = r.set(fields) // the mistake that is reported is the one in the line
	return r
}

// answerTo does what a request says. It is from the file own, if that is not nil.
func answerTo(e env, own os.FileInfo, text []byte) answer {
	if !utf8.Valid(text) {
		return refuse(readBefore(text), "not a request: bytes that are not UTF-8")
	}
	var r request
	d := json.NewDecoder(bytes.NewReader(text))
	var fields map[string]json.RawMessage // whose names are exact; those of a struct are in any case
	if err := d.Decode(&fields); err != nil {
		return refuse(readBefore(text), "not a request: %v", unread(err, "", "an object"))
	}
	if err := r.set(fields); err != nil {
		return refuse(r, "not a request: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return refuse(r, "more than one value on a line")
	}
	if len(r.Args) == 0 {
		return refuse(r, `a request without "args", which are a command and its arguments`)
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
	a := answer{ID: orNull(r.ID), Status: guarded(r.Args, request)}
	if r.JSON {
		results, err := jsonValues(out.Bytes())
		said, wrong := jsonValues(said.Bytes())
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

// refusedInBatch reports whether a command is not answered.
func refusedInBatch(name string) bool { return slices.Contains(notInBatch, name) }

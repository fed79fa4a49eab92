package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A line is what -format jsonl has for a file; docs/schemas/jsonl.schema.json describes it.
type line struct {
	File        string            `json:"file"`
	Status      int               `json:"status"`
	Result      json.RawMessage   `json:"result,omitempty"`
	Diagnostics []json.RawMessage `json:"diagnostics"`
}

// several does a command for each of several files, or for those of -format jsonl; ok is
// false where it has one file and another form, of which it has done nothing. It answers
// for all files, whatever is wrong with some: the error has the worst exit status.
func (o *options) several(e env, rest []string, run func(e env, args []string) error) (ok bool, err error) {
	if o.format != "jsonl" && len(rest) < 2 {
		return false, nil
	}
	switch {
	case len(rest) == 0:
		return true, o.noFile()
	case slices.Contains(rest, ""):
		return true, o.errorf("FILE is empty; - is standard input")
	case o.format != "jsonl" && o.format != "text":
		return true, o.errorf("%d files, and -format %s is for one: jsonl has a line for each", len(rest), o.format)
	case o.output != "" && o.output != "-" && len(rest) > 1:
		return true, o.errorf("%d files, and -o is for one", len(rest))
	case o.output != "" && o.output != "-":
		return true, o.errorf("-format jsonl is for standard output")
	}
	if file := repeated(rest); file != "" {
		return true, o.errorf("%s is named twice", file)
	}
	worst := 0
	for _, file := range rest {
		args := slices.Concat(o.Flags(), []string{"-format", "text", "--", file})
		status := 0
		if o.format == "jsonl" {
			args[len(args)-3] = "json"
			if status, err = o.line(e, file, func(e env) int { return exit(run(e, args), e) }); err != nil {
				return true, err
			}
		} else {
			if err := write(e.stdout, fmt.Appendf(nil, "==> %s <==\n", printable(file))); err != nil {
				return true, err
			}
			status = exit(run(e, args), e)
		}
		worst = max(worst, status)
	}
	return true, []error{nil, errFindings, errSaid}[worst]
}

// line writes the line of a file.
func (o *options) line(e env, file string, run func(env) int) (status int, err error) {
	var out, said bytes.Buffer
	own := e
	own.stdout, own.stderr, own.json, own.terminal = &out, &said, true, false
	l := line{File: file, Diagnostics: []json.RawMessage{}}
	l.Status = run(own)
	results, err := jsonValues(out.Bytes())
	if err == nil {
		l.Diagnostics, err = jsonValues(said.Bytes())
	}
	if err != nil || len(results) > 1 {
		return 0, fmt.Errorf("%s: %d results: %w", file, len(results), err)
	}
	if len(results) == 1 {
		l.Result = results[0]
	}
	return l.Status, write(e.stdout, append(appendJSON(nil, l), '\n'))
}

// jsonValues are the values that a text of JSON has, one behind the other.
func jsonValues(text []byte) ([]json.RawMessage, error) {
	all := []json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var v json.RawMessage
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, v)
	}
}

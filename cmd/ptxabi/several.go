package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

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

// statusError is an error with an exit status whose reason has been said.
func statusError(status int) error { return []error{nil, errFindings, errSaid}[status] }

// line runs the command for JSON, and writes the line of it.
func (o *options) line(e env, l line, run func(e env) error) (status int, err error) {
	var out, said bytes.Buffer
	own := e
	own.stdout, own.stderr, own.json, own.terminal, own.kept = &out, &said, true, false, nil
	o.format = "json"
	l.Status = exit(run(own), own)
	o.format = "jsonl"
	results, err := jsonline.Values(out.Bytes())
	if err == nil {
		l.Diagnostics, err = jsonline.Values(said.Bytes())
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

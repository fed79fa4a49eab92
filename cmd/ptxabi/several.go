package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// A series is a command that does the same for each of several files.
type series struct {
	*options
	run   func(e env, args []string) error
	files []string
	// before and after are the other arguments of each.
	before, after []string
	// lines, if not nil, writes the lines of a file that has several; ok is false of others.
	lines func(e *env, file string) (ok bool, status int, err error)
}

// several does a command for each of several files, or for those of -format jsonl; ok is
// false where it has one file and another form, of which it has done nothing.
func (o *options) several(e env, rest []string, run func(e env, args []string) error) (ok bool, err error) {
	return (&series{options: o, run: run, files: rest}).each(e)
}

// each answers for all files, whatever is wrong with some: the error has the worst exit status.
func (s *series) each(e env) (ok bool, err error) {
	files := s.files
	if s.format != "jsonl" && len(files) < 2 {
		return false, nil
	}
	switch {
	case len(files) == 0:
		return true, s.noFile()
	case slices.Contains(files, ""):
		return true, s.errorf("FILE is empty; - is standard input")
	case s.format != "jsonl" && s.format != "text":
		return true, s.errorf("%d files, and -format %s is for one: jsonl has a line for each", len(files), s.format)
	case s.output != "" && s.output != "-" && len(files) > 1:
		return true, s.errorf("%d files, and -o is for one", len(files))
	case s.output != "" && s.output != "-":
		return true, s.errorf("-format jsonl is for standard output")
	case len(files) > 1 && (slices.Contains(s.before, "-") || slices.Contains(s.after, "-")):
		return true, s.errorf("standard input is read once, and %d files are compared with it", len(files))
	}
	if file := repeated(files); file != "" {
		return true, s.errorf("%s is named twice", file)
	}
	worst := 0
	for _, file := range files {
		status := 0
		operands := slices.Concat(s.before, []string{file}, s.after)
		if s.format == "jsonl" && s.lines != nil {
			ok, own, err := s.lines(&e, file)
			if err != nil {
				return true, err
			}
			if ok {
				worst = max(worst, own)
				continue
			}
		}
		if s.format == "jsonl" {
			if status, err = s.line(e, line{File: file}, operands); err != nil {
				return true, err
			}
		} else {
			if err := write(e.stdout, fmt.Appendf(nil, "==> %s <==\n", printable(file))); err != nil {
				return true, err
			}
			status = exit(s.run(e, s.args("text", operands)), e)
		}
		worst = max(worst, status)
	}
	return true, statusError(worst)
}

// together is a command that has one answer for all files: with -format jsonl it is one line. Otherwise ok is false.
func (o *options) together(e env, files []string, run func(e env, args []string) error) (ok bool, err error) {
	if o.format != "jsonl" {
		return false, nil
	}
	switch {
	case len(files) == 0:
		return true, o.noFile()
	case o.output != "" && o.output != "-":
		return true, o.errorf("-format jsonl is for standard output")
	}
	status, err := (&series{options: o, run: run}).line(e, line{Files: files}, files)
	return true, cmp.Or(err, statusError(status))
}

// statusError is an error with an exit status whose reason has been said.
func statusError(status int) error { return []error{nil, errFindings, errSaid}[status] }

// args are the arguments of one run.
func (s *series) args(format string, operands []string) []string {
	return slices.Concat(s.Flags(), []string{"-format", format, "--"}, operands)
}

// line runs the command, and writes the line of it.
func (s *series) line(e env, l line, operands []string) (status int, err error) {
	var out, said bytes.Buffer
	own := e
	own.stdout, own.stderr, own.json, own.terminal, own.kept = &out, &said, true, false, nil
	l.Status = exit(s.run(own, s.args("json", operands)), own)
	results, err := jsonline.Values(out.Bytes())
	if err == nil {
		l.Diagnostics, err = jsonline.Values(said.Bytes())
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %w", strings.Join(operands, " "), err)
	case s.Name == "check": // whose results are diagnostics
		l.Diagnostics = append(results, l.Diagnostics...)
	case len(results) > 1:
		return 0, fmt.Errorf("%s: %d results, expected one", strings.Join(operands, " "), len(results))
	case len(results) == 1:
		l.Result = results[0]
	}
	return l.Status, write(e.stdout, append(jsonline.Append(nil, l), '\n'))
}

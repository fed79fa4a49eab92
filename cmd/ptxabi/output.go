package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"sync"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/display"
)

// emit writes a result where -o says.
func (o *options) emit(e env, data []byte) error {
	if o.output == "" || o.output == "-" {
		return write(e.stdout, o.shown(e, data))
	}
	return ofFile(o.output, disk.Replace(o.output, data))
}

// ofFile is an error of a file; nil without one.
func ofFile(file string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", file, disk.Reason(err))
}

// shown is how a result of whole lines looks on the screen.
func (o *options) shown(e env, data []byte) []byte {
	if e.screen && o.forPeople() {
		data = []byte(display.Fold(string(data), e.width()))
	}
	if o.paints(e) {
		data = paint(data)
	}
	return data
}

// emitText writes a text for people as emit does, without what a terminal obeys: names are
// whatever the input says.
func (o *options) emitText(e env, text []byte) error {
	return o.emit(e, []byte(diag.PrintableLines(string(text))))
}

// stream writes a result where -o says as it is made. A file is written whole or not at
// all. Of a result on standard output that fails, what fits into a buffer is not written.
func (o *options) stream(e env, make func(w io.Writer) error) error {
	if o.output == "" || o.output == "-" {
		out := bufio.NewWriterSize(checkedWriter{e.stdout, "standard output"}, streamBuffer)
		if err := make(out); err != nil {
			return err
		}
		return out.Flush()
	}
	failed := error(nil) // of what is made, and not of the file
	err := disk.ReplaceBy(o.output, func(f *os.File) error {
		out := bufio.NewWriterSize(checkedWriter{f, o.output}, streamBuffer)
		if failed = make(out); failed != nil {
			return failed
		}
		return out.Flush()
	})
	if failed != nil {
		return failed
	}
	return ofFile(o.output, err)
}

// streamBuffer is how much of a result is kept before it is written, in bytes.
const streamBuffer = 1 << 20

// A checkedWriter is a file, which its errors name.
type checkedWriter struct {
	w    io.Writer
	name string
}

func (c checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	return n, ofFile(c.name, err)
}

// A printableWriter writes texts for people, of which each part is whole lines, without what
// a terminal obeys.
type printableWriter struct{ w io.Writer }

func (p printableWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.w, diag.PrintableLines(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// emitReports writes reports of differences: doc, which is their JSON, or their
// texts with an empty line between them. Not being the same is a finding.
func (o *options) emitReports(e env, doc []byte, texts []string, same bool) error {
	if o.format == "text" {
		doc = nil
		for i, text := range texts {
			if i > 0 {
				doc = append(doc, '\n')
			}
			doc = append(doc, diag.PrintableLines(text)...)
		}
	}
	return findings(o.emit(e, doc), !same)
}

// asJSON is a result as JSON.
func asJSON(result any) []byte {
	out, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		panic("a result is no JSON: " + err.Error())
	}
	return append(out, '\n')
}

// width is how many columns a report has on the screen.
func (e env) width() int {
	if e.columns == 0 || !e.screen {
		return display.Columns
	}
	return min(max(e.columns, 40), display.Columns)
}

// whole is stream for a result of which nothing is to be written to standard output if it fails.
func (o *options) whole(e env, make func(w io.Writer) error) error {
	if o.output != "" && o.output != "-" {
		return o.stream(e, make)
	}
	var s spool
	defer s.drop()
	if err := make(&s); err != nil {
		return err
	}
	if s.file == nil {
		return write(e.stdout, s.text)
	}
	return o.stream(e, s.copyTo)
}

// A spool keeps a result until it is known to be whole: in memory, or a large one in a temporary
// file if there can be one.
type spool struct {
	text []byte
	file *os.File
}

// spoolSize is how much of a result is kept in memory, in bytes.
const spoolSize = 1 << 19

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.text)+len(p) > spoolSize {
		if f, err := os.CreateTemp("", "ptxabi-*.tmp"); err == nil {
			s.file = f
			os.Remove(f.Name()) // at once, where the system lets: it is gone whatever ends the process
			if _, err := f.Write(s.text); err != nil {
				return 0, s.failed(err)
			}
			s.text = nil
		}
	}
	if s.file == nil {
		if s.text == nil {
			s.text = make([]byte, 0, min(8*len(p), spoolSize)) // a large result comes in large parts
		}
		s.text = append(s.text, p...)
		return len(p), nil
	}
	n, err := s.file.Write(p)
	return n, s.failed(err)
}

// failed says what an error of the file means.
func (s *spool) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("temporary file: %w; TMPDIR names another folder, and -o needs none", disk.Reason(err))
}

// copyTo writes what is kept in the file.
func (s *spool) copyTo(w io.Writer) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return s.failed(err)
	}
	_, err := io.Copy(w, s.file)
	return err
}

// drop removes the file.
func (s *spool) drop() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}

// paints reports whether a result is a report for people on a terminal that shows colours.
func (o *options) paints(e env) bool {
	switch {
	case !o.forPeople():
		return false
	case o.color == "auto":
		return e.screen && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
	}
	return o.color == "always"
}

// forPeople reports whether a result is a report, and nothing that programs or assemblers read.
func (o *options) forPeople() bool {
	return o.format == "text" && o.Name != "adapt" && o.Name != "export" && o.Name != "lower"
}

const (
	bold    = "\x1b[1m"
	dim     = "\x1b[2m"
	red     = "\x1b[1;31m"
	green   = "\x1b[32m"
	plainly = "\x1b[0m"
)

// inks are the words of reports that are painted. They decorate a text and decide nothing: a name that looks like one of these
// words is painted, and its text stays.
var inks = sync.OnceValue(func() []ink {
	return []ink{
		{regexp.MustCompile(`(?m)^(?:func|entry|prototype|kernel|struct|union|class|type|target|image) [^:\n]+`), bold},
		{regexp.MustCompile(`(?m)^ *(?:name  .*|fact  .*|target  .*|offset  .*)$`), dim},
		{regexp.MustCompile(`(?m)breaks callers|[1-9]\d* so that callers break|^  breaks:`), red},
		{regexp.MustCompile(`(?m)callers work|^  works:|^no difference$|^\d+ unchanged$|\bthe same$`), green},
	}
})

// An ink is how the text that an expression matches is painted.
type ink struct {
	what  *regexp.Regexp
	style string
}

// paint colours a report.
func paint(text []byte) []byte {
	for _, ink := range inks() {
		text = ink.what.ReplaceAll(text, []byte(ink.style+"$0"+plainly))
	}
	return text
}

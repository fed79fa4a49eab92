package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

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

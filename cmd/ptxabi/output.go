package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/display"
)

// emit writes a result, in parts, where -o says.
func (o *options) emit(e env, parts ...[]byte) error {
	if o.output == "" || o.output == "-" {
		for _, data := range parts {
			if err := write(e.stdout, o.shown(e, data)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := replace(o.output, parts); err != nil {
		return fmt.Errorf("%s: %w", o.output, disk.Reason(err))
	}
	return nil
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
	err := replaceBy(o.output, func(f *os.File) error {
		out := bufio.NewWriterSize(checkedWriter{f, o.output}, streamBuffer)
		if failed = make(out); failed != nil {
			return failed
		}
		return out.Flush()
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return fmt.Errorf("%s: %w", o.output, disk.Reason(err))
	}
	return nil
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
	if err != nil {
		err = fmt.Errorf("%s: %w", c.name, disk.Reason(err))
	}
	return n, err
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
	if err := o.emit(e, doc); err != nil {
		return err
	}
	if !same {
		return errFindings
	}
	return nil
}

// width is how many columns a report has on the screen.
func (e env) width() int {
	if e.columns == 0 || !e.screen {
		return display.Columns
	}
	return min(max(e.columns, 40), display.Columns)
}

// replace gives a file new contents, whole or not at all. What is no regular file is
// refused, but a descriptor of the process.
func replace(path string, parts [][]byte) error {
	return replaceBy(path, func(f *os.File) error { return writeAll(f, parts) })
}

// replaceBy is replace by what fill writes.
func replaceBy(path string, fill func(*os.File) error) error {
	r, err := beginReplace(path)
	if err != nil {
		return err
	}
	if r == nil {
		return overwrite(path, fill)
	}
	if err := fill(r.File); err != nil {
		r.drop()
		return err
	}
	return r.commit()
}

// A replacement is a file with what is to be the contents of another one.
type replacement struct {
	*os.File             // beside the other one
	path     string      // of the other one
	info     fs.FileInfo // about it; nil if there is none yet
}

// beginReplace makes an empty file beside another one. A link to a file leads where it did.
// It returns nil for what is no regular file and may be written to as it is.
func beginReplace(path string) (*replacement, error) {
	if disk.Overwritable(path) {
		return nil, nil
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a directory")
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file; without -o the result is on standard output")
	}
	f, err := disk.CreateBeside(path)
	if err != nil {
		return nil, err
	}
	return &replacement{f, path, info}, nil
}

// commit puts the file in the place of the other one, which keeps its permissions.
func (r *replacement) commit() (err error) {
	defer func() {
		if err != nil {
			r.drop()
		}
	}()
	if r.info != nil {
		if err := r.Chmod(r.info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := r.Sync(); err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	if err := os.Rename(r.Name(), r.path); err != nil {
		return disk.Reason(err)
	}
	disk.Settled(r.Name())
	return nil
}

// drop removes the file.
func (r *replacement) drop() {
	r.Close()
	os.Remove(r.Name())
	disk.Settled(r.Name())
}

// overwrite writes to what is open already.
func overwrite(path string, fill func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = fill(f)
	return errors.Join(err, f.Close())
}

func writeAll(f *os.File, parts [][]byte) error {
	for _, data := range parts {
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/ptxabi/ptxabi/ptx"
)

// A source is a module as it was read.
type source struct {
	name string // for complaints
	path string // "" for standard input
	text []byte
}

// read reads a file, or standard input for "-".
func read(e env, file string) (*source, error) {
	s := &source{name: file, path: file}
	var err error
	if file == "-" {
		s.name, s.path = "<stdin>", ""
		s.text, err = readSome(e.stdin, maxInput)
	} else {
		s.text, err = readFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, reason(err))
	}
	switch {
	case bytes.HasPrefix(s.text, []byte("\x7fELF")):
		return nil, fmt.Errorf("%s: an ELF file, not PTX text", s.name)
	case bytes.HasPrefix(s.text, []byte("\xff\xfe")), bytes.HasPrefix(s.text, []byte("\xfe\xff")):
		return nil, fmt.Errorf("%s: UTF-16 text; PTX is ASCII", s.name)
	}
	return s, nil
}

// maxInput is the size of the largest input that is read, in bytes.
const maxInput = 1 << 30

// readFile reads a file of at most maxInput bytes.
func readFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() <= maxInput {
		return os.ReadFile(name) // which allocates once
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSome(f, maxInput)
}

// readSome reads all of r, which may hold at most limit bytes.
func readSome(r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("more than %d bytes of input", limit)
	}
	return text, err
}

// reason is err without the path that a caller names itself.
func reason(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// parse reads the module. The complaints are all that the parser has, of any
// severity; the error is not about the module.
func (s *source) parse() (*ptx.Module, ptx.ErrorList, error) {
	m, err := ptx.Parse(s.name, s.text)
	var list ptx.ErrorList
	if err != nil && !errors.As(err, &list) {
		return nil, nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return m, list, nil
}

// loaded is a module without syntax errors and the target that it is for.
type loaded struct {
	*source
	module *ptx.Module
	target target
	diags  ptx.ErrorList // warnings and notes so far
	print  printer
}

// load does what commands that read a module have in common.
func load(e env, o *options, file string) (*loaded, error) {
	if err := checkTarget(o.target, o.assume); err != nil {
		return nil, err
	}
	src, err := read(e, file)
	if err != nil {
		return nil, err
	}
	if err := o.distinct(src); err != nil {
		return nil, err
	}
	l := &loaded{source: src, print: newPrinter(e, o.color, src)}
	if l.module, l.diags, err = src.parse(); err != nil {
		return nil, err
	}
	if l.diags.Err() != nil {
		return nil, l.finish(nil)
	}
	if l.target, err = chooseTarget(l.module, o.target, o.assume); err != nil {
		return nil, fmt.Errorf("%s%w", l.place(), err)
	}
	if l.target.note != nil {
		l.diags.Add(l.target.note)
	}
	return l, nil
}

// place is what stands before a complaint about the module's target.
func (l *loaded) place() string {
	if pos := l.module.TargetPos; pos.IsValid() {
		return fmt.Sprintf("%s:%s: ", l.name, pos)
	}
	return l.name + ": "
}

// finish prints all complaints, and reports whether one of them is an error.
func (l *loaded) finish(more ptx.ErrorList) error {
	l.diags = append(l.diags, more...)
	l.diags.Sort()
	l.print.all(l.diags)
	if l.diags.Err() != nil {
		return errFindings
	}
	return nil
}

// distinct refuses an output that is the input.
func (o *options) distinct(src *source) error {
	if o.output == "" || o.output == "-" || src.path == "" {
		return nil
	}
	in, err1 := os.Stat(src.path)
	out, err2 := os.Stat(o.output)
	if err1 == nil && err2 == nil && os.SameFile(in, out) && out.Mode().IsRegular() {
		return o.errorf("-o %s is the input", o.output)
	}
	return nil
}

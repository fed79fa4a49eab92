package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A source is a module as it was read.
type source struct {
	name string // for diagnostics
	path string // "" for standard input
	text string
}

// arg is the argument of a command line that names the source.
func (s *source) arg() string {
	if s.path == "" {
		return "-"
	}
	return s.path
}

// read reads a file of text, or standard input for "-".
func read(e env, file string) (*source, error) {
	s, err := readRaw(e, file)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(s.text, "\x7fELF"):
		return nil, fmt.Errorf("%s: %w", s.name, errELF)
	case strings.HasPrefix(s.text, "\xff\xfe"), strings.HasPrefix(s.text, "\xfe\xff"):
		return nil, fmt.Errorf("%s: UTF-16 text; PTX is ASCII", s.name)
	}
	return s, nil
}

// errELF says that a text is a compiled file.
var errELF = errors.New("an ELF file, not PTX text; \"ptxabi images -extract DIR FILE\" writes the PTX that is in it, if there is any")

// readRaw reads a file, whatever is in it, or standard input for "-".
func readRaw(e env, file string) (*source, error) {
	in, err := open(e, file)
	if err != nil {
		return nil, err
	}
	defer in.close()
	s := &source{name: in.name, path: in.path}
	if s.text, err = readSome(in, in.size, maxInput); err != nil {
		return nil, ofFile(s.name, err)
	}
	if len(s.text) > largeText {
		collectOften()
	}
	return s, nil
}

// maxInput is the size of the largest input that is read, in bytes.
const maxInput = 1 << 30

// An opened is a file, or standard input.
type opened struct {
	io.Reader
	file *os.File // nil for standard input
	name string   // for diagnostics
	path string   // "" for standard input
	size int64    // in bytes; 0 where it is not known
}

func (o *opened) close() {
	if o.file != nil {
		o.file.Close() // it was read alone
	}
}

// open opens a file, or standard input for "-".
func open(e env, file string) (*opened, error) {
	if file == "-" {
		return &opened{Reader: e.stdin, name: "<stdin>"}, nil
	}
	f, err := disk.Open(file)
	if err != nil {
		return nil, ofFile(file, err)
	}
	o := &opened{Reader: f, file: f, name: file, path: file}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		o.size = info.Size()
	}
	return o, nil
}

// readSome reads all of r, which is about size bytes and may hold at most limit.
// Large modules are read into a string at once, since no copy of one is small.
func readSome(r io.Reader, size, limit int64) (string, error) {
	var text strings.Builder
	err := readInto(&text, r, size, limit)
	return text.String(), err
}

// readBinary is readSome for bytes.
func readBinary(r io.Reader, size, limit int64) ([]byte, error) {
	var data bytes.Buffer
	err := readInto(&data, r, size, limit)
	return data.Bytes(), err
}

// readInto reads into a buffer.
func readInto(to interface {
	io.Writer
	Grow(n int)
}, r io.Reader, size, limit int64,
) error {
	to.Grow(int(min(size, limit)) + bytes.MinRead)
	n, err := io.Copy(to, io.LimitReader(r, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("more than %d bytes of input", limit)
	}
	return err
}

// parse reads the module. The diagnostics are all that the parser has, of any severity.
func (s *source) parse() (m *ptx.Module, list diag.List) {
	m, err := ptx.ParseString(s.name, s.text)
	errors.As(err, &list)
	return m, list
}

// loaded is a module and the target that it is for.
type loaded struct {
	*source
	outline *ptx.Outline
	module  *ptx.Module // without the bodies of its functions
	target  *abi.Target
	diags   diag.List // so far
	print   printer
}

// load reads a module, for all commands that read one.
func load(e env, o *options, file string) (*loaded, error) {
	if _, err := o.wanted(); err != nil {
		return nil, err
	}
	src, err := read(e, file)
	if err != nil {
		return nil, err
	}
	if err := o.distinct(src.path); err != nil {
		return nil, err
	}
	l := &loaded{source: src, print: o.printer(e, src)}
	l.outline, _ = ptx.ParseOutline(src.name, src.text)
	l.module = l.outline.Module()
	l.diags = slices.Clone(l.module.Errors)
	if l.diags.Err() != nil {
		if err := notPTX(src); err != nil {
			return nil, err // where every line would be reported
		}
		if l.module.Version == (ptx.Version{}) && len(l.module.Items) == 0 {
			return nil, l.finish(nil)
		}
	}
	if compiled.IsBlank(l.module) {
		return nil, fmt.Errorf("%s: no PTX in it", src.name)
	}
	t, note, err := o.chooseTarget(l.module, o.target)
	if err != nil {
		var r ptx.Reader
		for _, it := range l.module.Items {
			if f, ok := it.(*ptx.Func); ok {
				var wrong diag.List // of its body
				_, err := r.Func(l.outline, f)
				errors.As(err, &wrong)
				l.diags = append(l.diags, wrong...)
			}
		}
		if l.diags.Err() != nil { // it may be among what could not be read
			return nil, l.finish(nil)
		}
		return nil, l.badTarget(err)
	}
	if l.target = t; note != nil {
		l.diags.Add(note)
	}
	return l, nil
}

// notPTX names the kind of a text that does not parse, if it is known.
func notPTX(src *source) error {
	switch {
	case isSource(src):
		if strings.Contains(src.text, "__global__") {
			return fmt.Errorf("%s: not PTX; a compiler makes PTX of it, and \"ptxabi layout -target sm_90 %s\" shows its types and kernels", src.name, src.arg())
		}
		return fmt.Errorf("%s: not PTX; a compiler makes PTX of it, and \"ptxabi layout %s\" shows its types", src.name, src.arg())
	case strings.Contains(src.text, ".version"):
		return nil
	}
	if isListing(src) {
		return fmt.Errorf("%s: a listing of machine code, not PTX; \"ptxabi annotate %s\" reads it", src.name, src.arg())
	}
	return nil
}

// isListing reports whether a text is a disassembler's.
func isListing(src *source) bool {
	prog, err := sass.Parse(src.name, []byte(src.text))
	return err == nil && len(prog.Funcs) > 0
}

// isSource reports whether a file is C, CUDA or Go, by its name and by what PTX
// begins with.
func isSource(src *source) bool {
	ext := strings.ToLower(filepath.Ext(src.name))
	return slices.Contains([]string{".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".go"}, ext) &&
		!strings.Contains(src.text, ".version")
}

// badTarget is the code of a .target that no result can be had for, or not for
// -target.
const badTarget = "BadTarget"

// badTarget reports the module's .target, where it has one. The exit status is
// that of usage: nothing else was looked at.
func (l *loaded) badTarget(err error) error {
	pos := l.module.TargetPos
	if !pos.IsValid() {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	l.print.all(diag.List{{File: l.name, Pos: pos, Code: badTarget, Msg: err.Error()}})
	return errPrinted
}

// finish prints all diagnostics. It returns errFindings if one of them is an error.
func (l *loaded) finish(more diag.List) error {
	l.diags = append(l.diags, more...)
	l.diags.Sort()
	l.print.all(l.diags)
	return findings(nil, l.diags.Err() != nil)
}

// distinct refuses an output that is the input.
func (o *options) distinct(file string) error {
	if o.output == "" || o.output == "-" || file == "" || file == "-" {
		return nil
	}
	in, err1 := os.Stat(file)
	out, err2 := os.Stat(o.output)
	if err1 == nil && err2 == nil && os.SameFile(in, out) && out.Mode().IsRegular() {
		return o.errorf("-o %s is the input", o.output)
	}
	return nil
}

// openCompiled lists the images of a file, or of standard input for "-". The file may be PTX if
// mayBePTX is set.
func openCompiled(e env, file string, mayBePTX bool, lookup compiled.Lookup) (*compiled.File, func(), error) {
	name, data, end, err := readWhole(e, file)
	if err != nil {
		return nil, end, err
	}
	if mayBePTX && len(data) > 0 && !cubin.Binary(data) && isPTX(&source{name: name, text: string(data)}) {
		return compiled.OfPTX(name, data, lookup), end, nil
	}
	f, err := compiled.New(name, data, lookup)
	if err != nil {
		end()
		return nil, func() {}, err
	}
	return f, end, nil
}

// readWhole has the contents of a file, or of standard input for "-", until end is called: mapped where
// the system does that, otherwise read, at most maxInput bytes.
func readWhole(e env, file string) (name string, data []byte, end func(), err error) {
	end = func() {}
	in, err := open(e, file)
	if err != nil {
		return "", nil, end, err
	}
	defer in.close()
	if in.file != nil {
		if data, unmap, ok := mapFile(in.file, in.size); ok {
			return in.name, data, unmap, nil
		}
	}
	data, err = readBinary(in, in.size, maxInput)
	return in.name, data, end, ofFile(in.name, err)
}

// isCompiled reports whether a file begins as one does that has images in it.
func isCompiled(name string) bool {
	f, err := disk.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, mostHead)
	n, _ := io.ReadFull(f, head)
	return cubin.Binary(head[:n])
}

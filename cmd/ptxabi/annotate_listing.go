package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/sass"
)

// A listing is what annotate reads and writes, function by function.
type listing struct {
	e                            env
	o                            *options
	ptxFile, sourceFile, structs string
	registers                    bool
	picks                        *annotate.Picks

	name   string // for diagnostics
	in     io.Reader
	closed func() error
	head   head

	ptx, source *source
	half        bool     // ptx or source has errors, and the names are of what they leave
	listed      []string // its functions, where -source has to know all of them
	nameless    nameless
	targets     map[string]*forTarget // by the names that the listing has for them
	doc         *annotate.Document    // of JSON, once it has begun

	some    bool      // it has a function
	wrong   diag.List // the first lines that are wrong
	more    int       // how many others are
	plr     bool      // it has columns of nvdisasm -plr
	tangled int       // functions
	whole   bool      // it is of an executable, and no function has shown yet
	buf     []byte
}

// A forTarget is what annotates functions of one architecture.
type forTarget struct {
	row       *abi.Target
	annotator *annotate.Annotator
	marked    bool // the text says that the facts of the row are assumed
}

// A head keeps what an input begins with, to say what it is if it is no listing.
type head struct {
	in   io.Reader
	text []byte
	over bool // it is one
}

// maxHead is how much of it is kept, in bytes.
const maxHead = 1 << 20

func (h *head) Read(p []byte) (int, error) {
	n, err := h.in.Read(p)
	if room := maxHead - len(h.text); room > 0 && !h.over {
		h.text = append(h.text, p[:min(n, room)]...)
	}
	return n, err
}

// open opens the listing, and reads the other files.
func (l *listing) open(file string) error {
	src := &source{name: file, path: file}
	l.closed = func() error { return nil }
	if file == "-" {
		src.name, src.path = "<stdin>", ""
		l.in = l.e.stdin
	} else {
		f, err := disk.Open(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, disk.Reason(err))
		}
		l.in, l.closed = f, f.Close
	}
	if head, rest := begins(l.in); strings.HasPrefix(strings.TrimLeft(head, " \t\r\n"), "[") {
		l.in = annotate.FromJSON(rest)
	} else {
		l.in = rest
	}
	l.name = src.name
	err := l.o.distinct(src)
	if err == nil {
		err = l.readNames()
	}
	if err != nil {
		l.close()
	}
	l.head.in = l.in
	return err
}

// begins returns what an input begins with, and the input as it was.
func begins(in io.Reader) (string, io.Reader) {
	head := make([]byte, 64)
	n, _ := io.ReadFull(in, head) // an error comes again
	if s, ok := in.(io.Seeker); ok {
		if _, err := s.Seek(int64(-n), io.SeekCurrent); err == nil {
			return string(head[:n]), in
		}
	}
	return string(head[:n]), io.MultiReader(strings.NewReader(string(head[:n])), in)
}

func (l *listing) close() { l.closed() } // it was read alone

// readNames reads the files that names are taken from.
func (l *listing) readNames() (err error) {
	if l.ptxFile != "" {
		if l.ptx, err = read(l.e, l.ptxFile); err != nil {
			return err
		}
		l.nameless = nameless{e: l.e, listing: l.name, ptx: l.ptx.name}
	}
	if l.sourceFile == "" {
		return nil
	}
	if l.source, err = read(l.e, l.sourceFile); err != nil {
		return err
	}
	return l.list()
}

// list finds the names of all functions of the listing. It is read once more for that,
// and kept in memory where it cannot be.
func (l *listing) list() error {
	text, ok := l.in.(io.ReadSeeker)
	if ok {
		_, err := text.Seek(0, io.SeekCurrent)
		ok = err == nil
	}
	if !ok {
		all, err := readSome(l.in, 0, maxInput)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, disk.Reason(err))
		}
		text = strings.NewReader(all)
	}
	l.in = text
	r := sass.NewReader(l.name, text)
	r.Want = func(string) bool { return false }
	for {
		s, err := r.Next()
		if s == nil {
			if !errors.Is(err, io.EOF) {
				return fmt.Errorf("%s: %w", l.name, disk.Reason(err))
			}
			break
		}
		if s.Func != nil {
			l.listed = append(l.listed, strings.Clone(s.Func.Name))
		}
	}
	if _, err := text.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("%s: %w", l.name, disk.Reason(err))
	}
	return nil
}

// annotate writes the listing with its comments, or the comments alone.
func (l *listing) annotate(w io.Writer) error {
	r := annotate.NewReader(l.name, &l.head)
	if l.picks != nil {
		r.Want = l.picks.Want
	}
	for {
		s, err := r.Next()
		if s == nil {
			if !errors.Is(err, io.EOF) {
				return fmt.Errorf("%s: %w", l.name, disk.Reason(err))
			}
			return l.end(w)
		}
		if s.Func != nil {
			l.some, l.head.over, l.head.text = true, true, nil
		}
		if err != nil {
			l.report(err)
		}
		if l.wrong != nil { // nothing more is written
			l.plr = l.plr || slices.ContainsFunc(s.Lines, func(line string) bool {
				return strings.Contains(line, ": Register usage and reassignment")
			})
			continue
		}
		if err := l.section(w, s); err != nil {
			return err
		}
	}
}

// section writes a section of the listing.
func (l *listing) section(w io.Writer, s *annotate.Section) error {
	if s.Func == nil {
		l.whole = l.whole || slices.ContainsFunc(s.Lines, func(line string) bool {
			return strings.Contains(line, ".elftype") && strings.Contains(line, "ET_EXEC")
		})
		if l.picks != nil || l.o.format == "json" {
			return nil
		}
		l.buf = l.buf[:0]
		for _, line := range s.Lines {
			l.buf = append(l.buf, line...)
		}
		_, err := w.Write(l.buf)
		return err
	}
	name := s.Func.Name
	l.picks.Listed(name, s.Func.Kernel)
	if !s.Wanted {
		return nil
	}
	t, err := l.forTarget(s.Target)
	if err != nil || l.picks != nil && !l.picks.Take(name, s.IsKernel(t.row)) {
		return err
	}
	if l.whole && !s.IsKernel(t.row) && !sass.Helper(name) {
		l.whole = false
		l.e.tell(diag.Note, l.name, s.Func.Pos.Line, "%s and other functions here: their parameters may be in other places, unless the executable was linked from objects of ptxas -c", name)
	}
	if l.ptx != nil && !t.annotator.Names(name) {
		l.nameless.function(strings.Clone(name))
	}
	if l.o.format == "json" {
		return l.json(w, s, t)
	}
	if from := t.row.AssumedFrom; from != "" && !t.marked {
		t.marked = true
		if _, err := fmt.Fprintf(w, "// %s\n", prose.Assumed(t.row.Name, from)); err != nil {
			return err
		}
	}
	tangled, err := t.annotator.WriteText(w, s)
	l.noteTangled(s.Func, tangled)
	return err
}

// json writes the comments of a function.
func (l *listing) json(w io.Writer, s *annotate.Section, t *forTarget) error {
	l.buf = l.buf[:0]
	if l.doc == nil {
		l.doc = &annotate.Document{File: l.name, Target: t.row.Name, Assumed: t.row.AssumedFrom != "", Registers: l.registers}
		l.buf = l.doc.AppendBegin(l.buf)
	}
	said := t.annotator.Func(s)
	l.noteTangled(s.Func, said.Tangled)
	l.buf = l.doc.AppendFunc(l.buf, said, t.row)
	_, err := w.Write(l.buf)
	return err
}

// noteTangled says of a function that values are not followed through it as a whole.
func (l *listing) noteTangled(f *sass.Func, tangled bool) {
	if !tangled {
		return
	}
	if l.tangled++; l.tangled <= maxReported {
		l.e.tell(diag.Note, l.name, f.Pos.Line, "%s: %s", f.Name, annotate.TangledNote)
	}
}

// report notes what is wrong.
func (l *listing) report(err error) {
	var list diag.List
	if !errors.As(err, &list) {
		return
	}
	n := min(len(list), maxReported-len(l.wrong))
	l.wrong = append(l.wrong, list[:n]...)
	l.more += len(list) - n
}

// end writes what stands after the functions, and says what is wrong with the listing.
func (l *listing) end(w io.Writer) error {
	switch {
	case !l.some:
		return fmt.Errorf("%s: %s", l.name, notListing(&source{name: l.name, text: string(l.head.text)}))
	case l.wrong != nil:
		l.e.list(l.wrong)
		l.e.more(l.name, l.more)
		if l.plr {
			l.e.tell(diag.Note, l.name, 0, "it has the columns of nvdisasm -plr, which are not part of a listing: leave -plr out; -registers adds such columns")
		}
		return errFindings
	}
	l.e.more(l.name, l.tangled-maxReported)
	l.nameless.end()
	if err := l.picks.Missing(l.name); err != nil {
		return err
	}
	if l.doc == nil {
		return nil
	}
	_, err := w.Write(l.doc.AppendEnd(nil))
	return err
}

// forTarget returns what annotates code of an architecture, by the listing's name for it.
func (l *listing) forTarget(name string) (*forTarget, error) {
	if t := l.targets[name]; t != nil {
		return t, nil
	}
	row, err := l.row(name)
	if err != nil {
		return nil, err
	}
	a := annotate.Options{Target: row, Registers: l.registers}
	e := l.e
	if len(l.targets) > 0 {
		e.stderr, e.kept = io.Discard, nil // the same was said for the first
	}
	if l.ptx != nil {
		if a.Funcs, err = ptxFuncs(e, l.o, l.ptx, row); err != nil && (l.doc != nil || a.Funcs == nil) {
			return nil, err
		}
		l.half = l.half || err != nil
		for _, f := range a.Funcs {
			l.nameless.names = append(l.nameless.names, f.Name)
		}
	}
	if l.source != nil {
		half, err := sourceNames(e, l.o, &a, l.listed, l.source, l.structs)
		if err != nil {
			return nil, err
		}
		l.half = l.half || half
	}
	t := &forTarget{row: row, annotator: annotate.New(a)}
	if l.targets == nil {
		l.targets = make(map[string]*forTarget)
	}
	l.targets[strings.Clone(name)] = t
	return t, nil
}

// row is the target of code that the listing says to be for that architecture.
func (l *listing) row(listed string) (*abi.Target, error) {
	name := l.o.target
	if name == "" {
		name = listed
	}
	if name == "" {
		return nil, l.o.errorf("%s does not name its architecture; give it with -target", l.name)
	}
	t, err := l.o.row(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	if l.o.target != "" && listed != "" {
		if own, err := archOf(listed); err == nil && own.SM != t.SM {
			return nil, l.o.errorf("-target %s does not fit: %s is for %s", l.o.target, l.name, listed)
		}
	}
	return t, nil
}

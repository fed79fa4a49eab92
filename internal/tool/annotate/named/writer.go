// Package named writes annotated listings whose values have names of PTX and of sources.
package named

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
)

// Few is how many messages of a kind there are at most.
const Few = 10

// A Writer writes a listing with its comments, or the comments alone, function by function.
type Writer struct {
	To    io.Writer
	File  string          // the listing's name
	JSON  bool            // the comments alone
	Picks *annotate.Picks // nil: all functions
	// Known is what is known of code for an architecture, by the listing's name for it. It is called once for each.
	Known func(arch string) (annotate.Options, error)
	// Module is the file of PTX that the code was compiled from, "" for none, and InModule its functions, once Known was called.
	Module   string
	InModule []string
	Tell     func(s diag.Severity, file string, line uint32, format string, args ...any)
	More     func(file string, n int) // tells that there are n messages more, if any

	codes      map[string]*code // by the listing's names of architectures
	doc        annotate.Document
	some       bool // there is a function
	executable bool // the listing is of one, and has shown no function yet
	wrong      WrongError
	unnamed    int // functions
	tangled    int // functions
}

// code is the code of an architecture.
type code struct {
	annotate.Options
	*annotate.Annotator
	marked bool // the text says that the facts of the target are assumed
}

// ErrNoFunction says that a text is no listing.
var ErrNoFunction = errors.New("no function in it")

// A WrongError are the first lines of a listing that cannot be read.
type WrongError struct {
	List    diag.List
	More    int  // lines
	Columns bool // they have columns of nvdisasm -plr
}

func (e *WrongError) Error() string { return e.List.Error() }

// Write writes a listing.
func (w *Writer) Write(in io.Reader) error {
	r := annotate.NewReader(w.File, in)
	if w.Picks != nil {
		r.Want = w.Picks.Want
	}
	for {
		s, err := r.Next()
		if s == nil {
			if !errors.Is(err, io.EOF) {
				return fmt.Errorf("%s: %w", w.File, err)
			}
			return w.end()
		}
		w.some = w.some || s.Func != nil
		w.wrong.add(err)
		if w.wrong.List != nil { // nothing more is written
			w.wrong.Columns = w.wrong.Columns || hasLine(s, ": Register usage and reassignment")
			continue
		}
		if err := w.section(s); err != nil {
			return err
		}
	}
}

// add adds diagnostics.
func (e *WrongError) add(err error) {
	var list diag.List
	errors.As(err, &list)
	n := min(len(list), Few-len(e.List))
	e.List = append(e.List, list[:n]...)
	e.More += len(list) - n
}

// hasLine reports whether a line of a section has all of those parts.
func hasLine(s *annotate.Section, parts ...string) bool {
	return slices.ContainsFunc(s.Lines, func(line string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) })
	})
}

func (w *Writer) section(s *annotate.Section) error {
	if s.Func == nil {
		w.executable = w.executable || hasLine(s, ".elftype", "ET_EXEC")
		if w.Picks != nil || w.JSON {
			return nil
		}
		_, err := io.WriteString(w.To, strings.Join(s.Lines, ""))
		return err
	}
	name := s.Func.Name
	w.Picks.Listed(name, s.Func.Kernel)
	if !s.Wanted {
		return nil
	}
	c, err := w.code(s.Target)
	if err != nil || w.Picks != nil && !w.Picks.Take(name, s.IsKernel(c.Target)) {
		return err
	}
	if w.executable && !s.IsKernel(c.Target) && !isa.Helper(name) {
		w.executable = false
		w.Tell(diag.Note, w.File, s.Func.Pos.Line, "%s and other functions here: their parameters may be in other places, unless the executable was linked from objects of ptxas -c", name)
	}
	if w.Module != "" && !c.Names(name) && !isa.Helper(name) { // what the assembler adds no module has
		if w.unnamed++; w.unnamed <= Few {
			w.Tell(diag.Warning, w.Module, 0, "it has no function %s, which %s lists: its values have the names of their places%s", name, w.File, verify.Like(name, w.InModule))
		}
	}
	tangled, err := w.function(s, c)
	if tangled {
		if w.tangled++; w.tangled <= Few {
			w.Tell(diag.Note, w.File, s.Func.Pos.Line, "%s: %s", name, annotate.TangledNote)
		}
	}
	return err
}

// function writes a function, and reports whether it is tangled.
func (w *Writer) function(s *annotate.Section, c *code) (tangled bool, err error) {
	if w.JSON {
		w.doc.File = w.File
		said := c.Func(s)
		_, err = w.To.Write(w.doc.Append(nil, said, &c.Options))
		return said.Tangled, err
	}
	if from := c.Target.AssumedFrom; from != "" && !c.marked {
		c.marked = true
		if _, err := fmt.Fprintf(w.To, "// %s\n", prose.Assumed(c.Target.Name, from)); err != nil {
			return false, err
		}
	}
	return c.WriteText(w.To, s)
}

// code returns the code of an architecture.
func (w *Writer) code(arch string) (*code, error) {
	if c := w.codes[arch]; c != nil {
		return c, nil
	}
	o, err := w.Known(arch)
	if err != nil {
		return nil, err
	}
	if w.codes == nil {
		w.codes = make(map[string]*code)
	}
	c := &code{Options: o, Annotator: annotate.New(o)}
	w.codes[strings.Clone(arch)] = c
	return c, nil
}

// end writes what stands after the functions.
func (w *Writer) end() error {
	switch {
	case !w.some:
		return ErrNoFunction
	case w.wrong.List != nil:
		return &w.wrong
	}
	w.More(w.File, w.tangled-Few)
	w.More(w.Module, w.unnamed-Few)
	if err := w.Picks.Missing(w.File); err != nil {
		return err
	}
	_, err := io.WriteString(w.To, w.doc.End())
	return err
}

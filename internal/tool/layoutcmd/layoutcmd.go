// Package layoutcmd is what ptxabi layout does: it reads C, CUDA or Go
// declarations and writes their layouts in one of several forms. It does no
// I/O of its own.
package layoutcmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
	"github.com/ptxabi/ptxabi/layout"
)

// Options are the flags of the command.
type Options struct {
	Types    []string // records to show, by name; nil shows all
	Lang     string   // "c", "c++", or "" to go by the file's name
	Rules    layout.Rules
	Producer layout.Producer
	// CXX says that the producer reads C as C++, which nvcc does in any case.
	CXX bool
	// Target is the architecture for which kernels' constant-bank
	// addresses are shown; nil shows none.
	Target *abi.Target
	// FS is where included files are looked for; nil is nowhere.
	FS fs.FS
	// Include and System are the folders of FS that have included files, as -I and
	// -isystem of compilers say; First are files read before the input, and Defines macros.
	Include, System, First, Defines []string
	// Partial makes a mistake cost the declaration that it is in and what needs
	// that, with a warning. It is an error where a type of Types is lost, or all are.
	Partial bool
	// SkipTemplates leaves C++ templates out with a warning; otherwise they are
	// errors.
	SkipTemplates bool
	// GOARCH is the machine that a Go file is compiled for: where its struct has other
	// bytes there, a note says so. If it is empty that is any of 64 bits.
	GOARCH string
	// Package has the other files of a Go file's package, whose types it may
	// use. Mistakes in them are not reported.
	Package []File
}

// SetProducer sets whose declarations are asked for, by a name that [layout.ParseProducer] takes.
func (o *Options) SetProducer(name string) (err error) {
	o.Producer, err = layout.ParseProducer(name)
	o.CXX = strings.HasPrefix(name, "g++-") || strings.HasPrefix(name, "warp-")
	return err
}

// warp reports that the producer is Warp, of whose declarations those of kernels are known: its functions pass some
// records as numbers or with another alignment (internal/lab/producers/testdata/tables.md).
func (o *Options) warp() bool { return o.CXX && o.Producer != layout.GCC }

// passing returns the rules by which the producer lays out what it passes.
func (o *Options) passing() layout.Rules {
	rules := o.Rules
	if o.CXX {
		rules.Lang = layout.CXX
	}
	if o.Producer == layout.NVCC {
		return rules.NVCC()
	}
	return rules
}

// A File is a source.
type File struct {
	Name string
	Text []byte
}

// A Result is what was read.
type Result struct {
	Options
	Records []*Record
	Kernels []*Kernel
	Skipped int         // templates that were left out
	Lost    int         // structs of Go that were left out
	Unit    *cdecl.Unit // nil for Go
	Errors  diag.List
	// Warnings are all else that is to be said of the input. They do not keep it
	// from having a result.
	Warnings diag.List

	memos map[layout.Rules]*layout.Memo
	same  cdecl.Places
	used  budget
}

// of lays out t by rules, the parts that types share once.
func (r *Result) of(t layout.Type, rules layout.Rules) (*layout.Layout, error) {
	m := r.memos[rules]
	if m == nil {
		m = &layout.Memo{Rules: rules}
		if r.memos == nil {
			r.memos, r.same = map[layout.Rules]*layout.Memo{}, cdecl.Places{}
		}
		r.memos[rules] = m
	}
	return m.Of(t)
}

// A Record is a record to show.
type Record struct {
	Name   string
	Pos    cdecl.Pos
	Layout *layout.Layout
	Param  layout.Param // by the producer asked for
	Notes  []string
	// Doubt says why the producer may lay the type out otherwise than Layout
	// and Param do. It is one of the Notes.
	Doubt string

	typ    layout.Type    // as it was named, with the alignment of a typedef
	passed *layout.Layout // what Param carries
}

// ErrNoType says that -type named something that the input does not declare.
var ErrNoType = errors.New("no such type")

// Formats are the values of -format.
var Formats = []string{"text", "json", "ptx", "clang", "structlayout", "svg"}

// Load reads a source. A file whose name ends in .go is Go, and so is one without
// an ending that begins like Go, as standard input may. Findings about the input
// are in the result; the error is about the options.
func Load(name string, src []byte, o Options) (*Result, error) {
	r := &Result{Options: o}
	r.Rules.Lang = language(name, o.Lang)
	if ext := path.Ext(name); ext == ".go" || ext == "" && o.Lang == "" && beginsLikeGo(src) {
		r.loadGo(name, src)
	} else if err := r.loadC(name, src); err != nil {
		return nil, err
	}
	err := r.choose()
	if len(r.Types) > 0 {
		r.withoutHeaders(name)
	}
	return r, err
}

// withoutHeaders leaves out the warnings about what included headers have that cannot be read: the error about a requested type names them where
// it needs them.
func (r *Result) withoutHeaders(name string) {
	r.Warnings = slices.DeleteFunc(slices.Clone(r.Warnings), func(d *diag.Diagnostic) bool { return d.File != name && cdecl.Confined(d.Code) })
}

func language(name, lang string) layout.Lang {
	ext := path.Ext(name)
	cxx := ext == ".H" || ext == ".C" || slices.Contains(cxxEnds, strings.ToLower(ext)) // as compilers have them
	if lang == "c++" || lang != "c" && cxx {
		return layout.CXX
	}
	return layout.C
}

// cxxEnds are the ends of names of files in C++.
var cxxEnds = []string{".cu", ".cuh", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ii", ".cup"}

func (r *Result) loadC(name string, src []byte) error {
	o := cdecl.Options{
		Rules: r.Rules, FS: r.FS, Include: r.Include, System: r.System, First: r.First,
		SkipTemplates: r.SkipTemplates, Partial: r.Partial,
	}
	if r.Producer == layout.NVCC {
		o.Defines = cdecl.NVCC(r.Rules.Lang)
	}
	o.Defines = append(o.Defines, r.Defines...)
	for _, t := range r.Types {
		if strings.Contains(t, "<") && r.Rules.Lang == layout.CXX {
			o.Named = append(o.Named, t)
		}
	}
	u, err := cdecl.Parse(name, src, o)
	if err != nil && !errors.As(err, &r.Errors) {
		return err
	}
	if at := u.CXX; r.Partial && r.Lang == "" && at.IsValid() && at.File == name {
		r.Errors, r.Rules.Lang, r.Lang = nil, layout.CXX, "c++"
		err := r.loadC(name, src)
		r.Warnings.Add(cdecl.New(at, diag.Note, cdecl.Ignored, "this is C++, and so is what the whole file is read as; -lang c reads it as C"))
		return err
	}
	r.Unit, r.Warnings, r.Skipped = u, u.Warnings, u.Skipped
	if r.SkipTemplates {
		r.withoutHeaders(name)
	}
	named := map[string]bool{}
	for _, d := range u.Records {
		if d.Layout != nil && (!d.System || slices.Contains(r.Types, d.Name)) {
			rec := &Record{Name: d.Name, Pos: d.Pos, Layout: d.Layout}
			if a := d.Typedef; a != nil {
				if l, err := r.of(a, r.Rules); err == nil {
					rec.Layout, rec.typ = l, a
				}
			}
			r.add(rec)
			named[d.Name] = true
		}
	}
	// A typedef of a record is shown where it is asked for by name.
	for _, d := range u.Typedefs {
		if named[d.Name] || !slices.Contains(r.Types, d.Name) {
			continue
		}
		if l, err := r.of(d.Type, r.Rules); err == nil {
			r.add(&Record{Name: d.Name, Pos: d.Pos, Layout: l, typ: d.Type})
		}
	}
	for _, name := range o.Named {
		t := u.Named[name]
		if t == nil || named[name] {
			continue
		}
		if l, err := r.of(t, r.Rules); err == nil {
			r.add(&Record{Name: name, Layout: l, typ: t})
		} else {
			r.Errors.Add(cdecl.New(cdecl.Pos{File: "-type"}, diag.Error, cdecl.Unsupported, "%s: %s", name, cmp.Or(u.LeftOut(t), err.Error())))
		}
	}
	r.kernels(u)
	return nil
}

// add completes a record. What nvcc passes depends on its own idea of the
// type, which is C++'s with the host's long double; what g++ passes, on C++'s.
func (r *Result) add(rec *Record) {
	if rec.typ == nil {
		rec.typ = rec.Layout.Type
	}
	l, err := r.of(rec.typ, r.passing())
	if err != nil { // another layout would be a guess
		r.Errors.Add(cdecl.New(rec.Pos, diag.Error, cdecl.Unsupported, "%v", err))
		return
	}
	switch why := l.Doubt(r.Producer); {
	case why != "" && r.Producer == layout.NVCC:
		rec.Doubt = doubtful(r.Producer, why)
		rec.Notes = append(rec.Notes, rec.Doubt)
	case why != "" && r.Producer == layout.Rustc:
		rec.Notes = append(rec.Notes, doubtful(r.Producer, why))
	case !r.same.Same(l, rec.Layout):
		rec.Notes = append(rec.Notes, r.asCXX(l))
	}
	rec.passed = l
	rec.Param = l.ParamOf(r.Producer, layout.Argument, identifier(rec.Name))
	if r.warp() {
		rec.Notes = append(rec.Notes, "kernels of Warp take it so; its functions, which only Warp's code calls, may pass it otherwise")
	}
	if rec.Layout.NonTrivial {
		rec.Notes = append(rec.Notes, "is not copied as bytes: results of it are returned through a pointer")
	}
	if rec.Param.Align > 128 {
		rec.Notes = append(rec.Notes, fmt.Sprintf("ptxas refuses parameters of functions that are aligned to more than 128 bytes, this one is to %d", rec.Param.Align))
	}
	r.Records = append(r.Records, rec)
}

// asCXX is the note of a record of C that the producer lays out as l.
func (r *Result) asCXX(l *layout.Layout) string {
	who, what := "nvcc", ".param is that"
	switch r.Producer {
	case layout.NVCC:
	case layout.GCC:
		who, what = "g++", "that is what the address is of"
	case layout.Clang:
		who = "Warp's clang"
	}
	return fmt.Sprintf("%s lays this out as C++, in %s, aligned to %d; %s, the fields are C's", who, prose.Count(l.Size, "byte"), l.Align, what)
}

// doubtful is the note of what [layout.Layout.Doubt] says.
func doubtful(p layout.Producer, why string) string {
	if p == layout.Rustc {
		return "rustc does not take this, because of " + why
	}
	return "nvcc may lay this out otherwise, because of " + why
}

// cut reports whether p has fewer bytes than l. Where nvcc's has, because of
// long double, the places of the fields in it are not known.
func cut(p layout.Param, l *layout.Layout) bool { return p.Bytes >= 0 && p.Bytes < l.Size }

// identifier makes a name that PTX can have of a qualified C++ one.
func identifier(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return c
		}
		return '_'
	}, strings.ReplaceAll(name, "::", "_"))
}

// choose keeps the records that -type names, in source order.
func (r *Result) choose() error {
	if len(r.Types) == 0 {
		if r.Partial && len(r.Records)+len(r.Kernels) == 0 && r.Unit != nil {
			r.blame(func(string) bool { return true })
			if len(r.Unit.Typedefs)+len(r.Unit.Funcs) == 0 {
				r.raise(func(d *diag.Diagnostic) bool { return slices.Contains(r.Unit.Forgiven, d) })
			}
		}
		return nil
	}
	has := func(name string) bool {
		return slices.ContainsFunc(r.Records, func(rec *Record) bool { return rec.Name == name })
	}
	if r.Partial {
		r.blame(func(name string) bool { return slices.Contains(r.Types, name) && !has(name) })
	}
	for _, want := range r.Types {
		if has(want) {
			continue
		}
		if len(r.Errors) == 0 && slices.ContainsFunc(r.Kernels, func(k *Kernel) bool { return k.Name == want }) {
			return fmt.Errorf("%s is a kernel, not a type: -target prints kernels, without -type", want)
		}
		if len(r.Errors) == 0 {
			return fmt.Errorf("%w: %s", ErrNoType, want)
		}
		return nil
	}
	// Everything asked for is there: what is not supported, or not known,
	// elsewhere in the input does not matter.
	move(&r.Errors, &r.Warnings, diag.Warning, func(d *diag.Diagnostic) bool { return cdecl.Confined(d.Code) })
	r.Records = slices.DeleteFunc(r.Records, func(rec *Record) bool { return !slices.Contains(r.Types, rec.Name) })
	return nil
}

// blame makes errors of what is known of the types that were lost and wanted.
func (r *Result) blame(wanted func(name string) bool) {
	if r.Unit == nil {
		return
	}
	for _, l := range r.Unit.Lost {
		if !wanted(l.Name) {
			continue
		}
		if !r.raise(func(d *diag.Diagnostic) bool { return d.File == l.Pos.File && d.Pos == l.Pos.Pos }) {
			r.Errors.Add(cdecl.New(l.Pos, diag.Error, cdecl.Unsupported, "%s could not be read: %s", l.Name, l.Why))
		}
	}
}

// raise makes errors of the warnings that are chosen, and reports whether there
// were any.
func (r *Result) raise(chosen func(*diag.Diagnostic) bool) bool {
	before := len(r.Errors)
	move(&r.Warnings, &r.Errors, diag.Error, chosen)
	return len(r.Errors) > before
}

// move moves the diagnostics that are chosen to another list, with its severity.
func move(from, to *diag.List, severity diag.Severity, chosen func(*diag.Diagnostic) bool) {
	var kept diag.List
	for _, d := range *from {
		if chosen(d) {
			other := *d
			other.Severity = severity
			to.Add(&other)
		} else {
			kept.Add(d)
		}
	}
	*from = kept
}

// Format writes a result in one of the Formats.
func (r *Result) Format(format string) ([]byte, error) {
	r.used = budget{}
	write := map[string]func() ([]byte, error){
		"text": r.text, "json": r.json, "ptx": r.ptx, "clang": r.clang, "structlayout": r.structlayout,
		"svg": func() ([]byte, error) { return r.SVG(picture.Page), nil },
	}[format]
	if write == nil {
		return nil, fmt.Errorf("unknown format %q", format)
	}
	return write()
}

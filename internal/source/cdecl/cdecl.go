// Package cdecl reads C, C++ and CUDA declarations as they stand in real
// headers and yields the types and functions they declare, laid out by
// [layout.Rules].
//
// It understands declarations, not programs: function bodies are skipped, and
// virtual functions are refused. Class templates are read for the arguments that
// they are given, unless they have parameter packs, template parameters, or partial
// specialisations with computed arguments. Macros, conditional sections, #include through an [fs.FS]
// and the line markers of preprocessed input are handled; the names of libc's usual
// headers and CUDA's built-in types are known without a header, unless the input
// declares them itself.
package cdecl

import (
	"io/fs"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

// Options say how input is read. The zero Options read C for nvptx64.
type Options struct {
	// Rules also choose the language: input is C++ if Rules.Lang is CXX.
	Rules layout.Rules
	// FS is where #include "file" looks, relative to the including file and
	// then to the root; names are joined to the name given to Parse, so that
	// an FS may take other paths than fs.ValidPath allows. With a nil FS
	// such includes are errors.
	FS fs.FS
	// Include and System are where FS has the files of #include, in order, as
	// -I and -isystem of compilers say. What comes from System is marked so, and what
	// cannot be read in it is no error.
	Include, System []string
	// First are files to read before the input, as -include of compilers says.
	First []string
	// Named are types to read after the input, such as "Node<float>"; see [Unit.Named].
	Named []string
	// Partial makes a mistake cost the declaration that it is in and what needs
	// that. It is a warning then, and [Unit.Lost] tells what was lost.
	Partial bool
	// SkipTemplates leaves templates out with a warning, and so records and
	// kernels that need one, or that have something else of C++ in them that is
	// not read; otherwise each is an error.
	SkipTemplates bool
	// Defines are macros defined at the start, as NAME or NAME=VALUE.
	Defines []string
}

// NVCC returns the macros for [Options.Defines] that nvcc defines and other compilers
// of CUDA do not. What is read as C may be anybody's.
func NVCC(lang layout.Lang) []string {
	if lang != layout.CXX {
		return nil
	}
	return []string{"__NVCC__"}
}

// A Unit is what one input declares, in source order.
type Unit struct {
	Records  []*RecordDecl
	Typedefs []*TypedefDecl
	Funcs    []*FuncDecl
	// Skipped is how many templates were left out by [Options.SkipTemplates].
	Skipped int
	// Unread are kernels that were left out with it, as a template is among the
	// types of their parameters.
	Unread []Unread
	// Templates are templates of kernels that were left out with it.
	Templates []Unread
	// Warnings are remarks that do not make the result wrong, among them
	// notes on records that are not copied as bytes.
	Warnings diag.List

	// Lost are the names of the types that could not be read, with [Options.Partial].
	Lost []Unread
	// Named are the types of [Options.Named], by that text.
	Named map[string]layout.Type
	// CXX is where C++ begins in an input that was read as C; the zero Pos if it
	// does not.
	CXX Pos
	// Forgiven are those of Warnings that would be errors without [Options.Partial].
	Forgiven diag.List

	leftOut map[*layout.Record]lack // see LeftOut
}

// lose notes that a type could not be read.
func (u *Unit) lose(name string, pos Pos, why string) {
	u.Lost = append(u.Lost, Unread{Name: name, Pos: pos, Why: why})
}

// A RecordDecl is the definition of a record with a name, its own or that of
// a typedef.
type RecordDecl struct {
	Name   string // qualified
	Pos    Pos    // of the keyword
	Type   *layout.Record
	Layout *layout.Layout // nil where the record was refused
	System bool           // defined in a system header of preprocessed input
	// Typedef is what a record without a tag has its name of: its alignment is
	// not that of the record.
	Typedef *layout.Alias
	// FieldPos has the positions of Type.Fields.
	FieldPos []Pos
}

// A TypedefDecl is a typedef or a using declaration of a type.
type TypedefDecl struct {
	Name   string
	Pos    Pos
	Type   *layout.Alias
	System bool
}

// A FuncDecl is the first declaration of a function.
type FuncDecl struct {
	Name     string // qualified
	Pos      Pos
	Kernel   bool // __global__, or the attribute that it stands for
	Device   bool // __device__, likewise
	Result   layout.Type
	Params   []Param
	Variadic bool
	NoProto  bool // C's f(), which says nothing of parameters, in all declarations
	System   bool
	C        bool // declared extern "C", so that its name alone is the linker's
	// Bounds are the numbers of its __launch_bounds__: threads of a block at most, blocks of a
	// multiprocessor at least, blocks of a cluster at most, as many as there are; nil where there are
	// none, or they are not known.
	Bounds []int64
	Static bool // declared static: its symbol is for its file alone
	// Label is the linker's name that asm("…") after the declaration gives it; "" for none.
	Label string
}

// An Unread is a kernel of which not all types are known, or a type that could not be
// read.
type Unread struct {
	Name string // qualified
	Pos  Pos
	Why  string
	// Code is that of the diagnostic that says why, at At; both are zero of a type.
	Code diag.Code
	At   Pos
	// Params are the names of a kernel's parameters, "" of one without a name.
	Params []string
}

// A Param is a parameter of a function. Arrays and functions have become
// pointers.
type Param struct {
	Name string // may be empty
	Pos  Pos
	Type layout.Type
}

// Parse reads src, which is called name in positions. It always returns what
// it could read; the error, if any, is a [diag.List] of everything found.
// A declaration with an error in it is left out, or has no layout.
func Parse(name string, src []byte, opts Options) (*Unit, error) {
	pp := newPrep(opts)
	toks := pp.file(name, src)
	if opts.Rules.Lang == layout.CXX {
		toks = splitShifts(toks)
	}
	p := newParser(toks, opts)
	p.errs = append(pp.errs, p.errs...) // a pragma may stand first
	p.warnings, p.dead, p.macros = pp.warnings, pp.dead, pp.macros
	p.run()
	if opts.Partial {
		p.forgive()
	}
	p.unit.Warnings = p.warnings.sorted()
	return p.unit, p.errs.sorted().Err()
}

// Package packers generates Go code that packs structs and arguments into the bytes that CUDA
// kernels read, and the same for Rust and Python.
//
// [Generate] reads Go packages, C and CUDA headers, PTX modules or cubins and returns files; it
// writes nothing. The command ptxparam calls it. The generated code imports the standard library
// alone, and with Config.Binding also cgo and that binding.
//
// The layout of types is that of NVIDIA's front end for C++ on 64-bit devices. A type whose
// layout differs in C, or is not known, is refused.
package packers

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/build/constraint"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
)

// A Config is what to generate. Input and either Types or Kernels are required, so that
// the zero Config is an error.
type Config struct {
	// Input is a Go file or a folder, a header or CUDA file (.h, .hpp, .cuh, .cu and the
	// like), a PTX module, or a cubin or another file that contains cubins. "" is the file
	// that $GOFILE of Env names.
	Input string
	// Source, if it is not nil, is the text of Input, whose name decides whether it is C,
	// Go or PTX. Then no file is read, not even one that the text includes or imports.
	Source []byte
	Types  []string // structs to generate methods for
	// Kernels are __global__ functions of a header, or entries of a module or cubin:
	// symbols, names in C++ with or without template arguments and types of parameters,
	// patterns with a *, or "all".
	Kernels []string
	// Params are types of parameters of kernels of a module or a cubin, by KERNEL.INDEX:
	// "Params" for "saxpy.0". The first index is 0, and a type is one of the package, of
	// Go or of CUDA.
	Params map[string]string
	// Rename has the names of kernels in Go, by one of the names in Kernels.
	Rename map[string]string
	// Lang is the language of headers, "c" or "c++"; with "" it depends on their names:
	// .h and .c are C, the others C++. "rust" and "python" are languages to generate,
	// which the name of Output chooses as well.
	Lang string
	// Include and System are folders of included files, as -I and -isystem of compilers have
	// them; Defines are macros, NAME or NAME=TEXT, and First headers that are read before the
	// input. CUDA's own headers are looked for in System, in a toolkit that CUDA_HOME or
	// CUDA_PATH names, and where pip installs them.
	Include, System, Defines, First []string
	// Rules are the layout rules of the host on which nvcc compiles the kernels: "sysv"
	// of Linux, with a long of 8 bytes, or "msvc" of Windows, with one of 4. With "" the
	// output's build constraints choose one; without such constraints the requested types
	// must have the same layout by both.
	Rules string
	// Target is the architecture of the kernels, as package abi's Lookup takes it; "" is
	// none. It matters for parameters with alignments above 16, and chooses among the
	// cubins of a file.
	Target string
	// Output is the file that the code will be written to; its name ends in .go, .rs or
	// .py. "" is the first type's name in lower case with "_param.go", or the end of the
	// language that Lang names, in the folder of the Go package or, for other inputs and
	// languages, in Dir.
	Output  string
	Package string // name of the package; "" is that of the folder
	// Tags is a //go:build expression, or build tags separated by commas. The
	// package is read, and the generated code built, where it holds.
	Tags   string
	Header string // a C header to generate; "" is none
	PTX    string // a PTX skeleton to generate; "" is none
	Test   bool   // a test of the generated code too
	// Binding is the package of Go that launches the kernels, one of BindingNames, where its own launch
	// does not pass arguments of more than eight bytes: a Launch for it is generated, which
	// needs cgo. After a = stands the import path of a fork of it: "mumax=example.org/cu". "" is
	// none: what is generated fits any binding that takes kernelParams or extra.
	Binding string

	// Warn, if it is not nil, is called with warnings, whose files are as those of errors.
	Warn func(*diag.Diagnostic)

	// Names is the source of a module or a cubin, in C++ or C: the parameters of kernels have the names that they
	// have there, and those types that neither a symbol nor debug information has. "" is none.
	Names string

	// Cubin is a cubin, or a file that contains cubins: the kernels must have the same parameters in it, at the same
	// places. "" is none.
	Cubin string

	Dir string   // what relative paths start from; "" is the current folder
	Env []string // nil is os.Environ()
}

// A File is a file to be written.
type File struct {
	Path string // as Config has it, relative to Config.Dir unless absolute
	Data []byte
	// Remove reports that the file is one of an earlier run that has to be removed, since
	// it would not compile with the others. It has no Data.
	Remove bool
}

// Earlier reports whether an earlier run has written a text to the file: one of its lines
// is the first line of the file's Data. It may have other line ends, a byte-order mark,
// and a notice above.
func (f File) Earlier(text []byte) bool {
	first, _, _ := bytes.Cut(f.Data, []byte("\n"))
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		if bytes.Equal(bytes.TrimSpace(line), bytes.TrimSpace(first)) {
			return true
		}
	}
	return false
}

// Codes of diagnostics. Those of headers are package cdecl's.
const (
	badType     = cdecl.BadType
	unknownName = cdecl.Undeclared
	taken       = cdecl.Redefined

	badKernel diag.Code = "BadKernel"
	badTarget diag.Code = "BadTarget"
	mismatch  diag.Code = "LayoutMismatch"
)

// Generate returns the files of a Config, the Go code first. The error is a [diag.List],
// in the order of places, if something is wrong with the input. Other errors are about
// the Config, or about files that cannot be read.
func Generate(cfg Config) ([]File, error) { return new(Session).Generate(cfg) }

// A Session generates files for several Configs, and asks the go command for the packages
// of a folder only once, and Python for its folders. Other files are read again each time. The zero Session is ready;
// it must not be used concurrently.
type Session struct {
	lists map[string][]*packages.Package
	tree  []*packages.Package // what Preload was answered
	// folders are those of Python's packages, by environment.
	folders map[string][]string
}

// Generate is the function [Generate], within the session.
func (s *Session) Generate(cfg Config) ([]File, error) {
	if cfg.Env == nil {
		cfg.Env = os.Environ()
	}
	skipped := false
	g := &generator{Config: cfg, session: s, launches: &skipped}
	files, warned, err := g.attempt()
	if err != nil && skipped { // a type may be one of a launch, or have one in it
		g = &generator{Config: cfg, session: s}
		files, warned, err = g.attempt()
	}
	var list, still diag.List
	if g.header && g.Source == nil && errors.As(err, &list) {
		// The types of CUDA that most kernels need are known; the headers of CUDA have the others.
		if toolkit := g.toolkit(); len(toolkit) > 0 {
			more := &generator{Config: cfg, session: s}
			more.System = slices.Concat(g.System, toolkit)
			found, also, later := more.attempt()
			foreign := func(d *diag.Diagnostic) bool {
				return slices.ContainsFunc(toolkit, func(dir string) bool { return strings.HasPrefix(d.File, dir) })
			}
			if later == nil || errors.As(later, &still) && len(still) <= len(list) && !slices.ContainsFunc(still, foreign) {
				files, warned, err = found, also, later // what was missing has been found, and something else has not
			}
		}
	}
	for _, d := range warned {
		cfg.Warn(d)
	}
	return files, err
}

// attempt generates the files, with what is warned of.
func (g *generator) attempt() (files []File, warned diag.List, err error) {
	if g.Warn != nil {
		g.Warn = warned.Add
	}
	g.types.used = nameSet{}
	files, err = g.generate()
	return files, warned, err
}

// generate returns the files of a generator.
func (g *generator) generate() ([]File, error) {
	if err := g.defaults(); err != nil {
		return nil, err
	}
	u, err := g.read()
	if err != nil {
		return nil, err
	}
	g.unmapped()
	if err := g.holdCubin(u); err != nil {
		return nil, err
	}
	if err := g.failed(); err != nil {
		return nil, err
	}
	g.promoted(u)
	if g.output != golang {
		return g.translated(u)
	}
	return g.write(u)
}

// A generator is one run.
type generator struct {
	Config
	session  *Session
	output   language
	asked    string // of Config.Lang, where it names the language to generate
	out      outputSet
	tags     constraint.Expr // of Config.Tags
	launcher *binding        // of Config.Binding
	target   *abi.Target     // of Config.Target
	errs     diag.List
	types    typeMap
	header   bool           // has been read
	source   []sourceKernel // of Config.Names
	// launches is where to note that the types of a file of launches were not checked: they need package runtime, and
	// kernels do not take them. If it is nil, they are checked.
	launches *bool
}

// report adds an error, with the file's name as the input was given.
func (g *generator) report(at place, code diag.Code, format string, args ...any) {
	at.File = g.shown(at.File)
	g.errs.Add(cdecl.New(at, diag.Error, code, format, args...))
}

// InOrder returns diagnostics in order of their places and without repetitions.
func InOrder(list diag.List) diag.List {
	slices.SortStableFunc(list, func(a, b *diag.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return slices.CompactFunc(list, func(a, b *diag.Diagnostic) bool { return a.Code == b.Code && a.Error() == b.Error() })
}

// failed returns what has been reported; nil if nothing has been.
func (g *generator) failed() error { return InOrder(g.errs).Err() }

// defaults completes the Config.
func (g *generator) defaults() error {
	if g.Input == "" {
		if g.Input = g.getenv("GOFILE"); g.Input == "" {
			return errors.New("no input: name a file, or a folder, such as . for the package here; go generate sets $GOFILE")
		}
	}
	if len(g.Types)+len(g.Kernels) == 0 {
		if _, err := os.Stat(g.path(g.Input)); g.Source == nil && err != nil {
			return fmt.Errorf("%s: %w", g.Input, disk.Reason(err))
		}
		return errors.New("nothing to generate: name structs of " + g.Input + " with -type, or kernels with -kernel")
	}
	if slices.Contains(slices.Concat(g.Types, g.Kernels), "") {
		return errors.New("a name of -type or -kernel is empty")
	}
	if err := g.chooseLanguage(); err != nil {
		return err
	}
	g.out = g.outputs()
	if g.Output != "" && sameFile(g.path(g.Output), g.path(g.Input)) {
		return fmt.Errorf("-o %s is the input", g.Output)
	}
	if !slices.Contains([]string{"", "sysv", "msvc"}, g.Rules) {
		return fmt.Errorf("-rules %q is none of sysv, msvc", g.Rules)
	}
	for _, name := range slices.Sorted(maps.Keys(g.Rename)) {
		if !exported(g.Rename[name]) {
			return fmt.Errorf("-rename %s=%s: %[2]s is not an exported Go name", name, g.Rename[name])
		}
	}
	var err error
	if g.launcher, err = g.binding(); err != nil {
		return err
	}
	if g.tags, err = tagsConstraint(g.Tags); err != nil {
		return err
	}
	if g.Rules == "" {
		g.Rules = chosenHost(and(g.tags, nameConstraint(g.out.code)))
	}
	if g.Target != "" {
		var unmeasured *abi.UnmeasuredError
		var unknown *abi.UnknownTargetError
		t, err := abi.Lookup(g.Target)
		switch {
		case err == nil:
			g.target = t
		case errors.As(err, &unmeasured) && !unmeasured.NoABI:
			return fmt.Errorf("-target: target %s has not been measured", unmeasured.Name)
		case errors.As(err, &unknown):
			return fmt.Errorf("-target: %w%s", err, near.DidYouMean(unknown.Name, TargetNames()))
		default:
			return fmt.Errorf("-target: %w", err)
		}
	}
	for _, list := range [][]string{g.Types, g.Kernels} {
		sorted := slices.Sorted(slices.Values(list))
		if n := len(slices.Compact(sorted)); n < len(list) {
			return errors.New("a name of -type or -kernel stands there twice")
		}
	}
	return nil
}

// TargetNames returns the names of the targets that Config.Target may name.
func TargetNames() []string {
	return each(abi.Targets(), func(t *abi.Target) string { return t.Name })
}

func (g *generator) getenv(name string) string {
	for _, e := range slices.Backward(g.Env) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// path returns where a path of the Config leads.
func (g *generator) path(p string) string { return disk.In(g.Dir, p) }

// read reads the input by what it is.
func (g *generator) read() (*unit, error) {
	folder := false
	if g.Source == nil {
		info, err := os.Stat(g.path(g.Input))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.Input, disk.Reason(err))
		}
		folder = info.IsDir()
	}
	data, _ := g.readFile(g.Input) // an error is that of reading it as what it is
	elf := bytes.HasPrefix(data, []byte("\x7fELF"))
	ext := strings.ToLower(filepath.Ext(g.Input))
	if err := g.readNames(); err != nil {
		return nil, err
	}
	compiled := slices.Contains(compiledEnds, ext) || elf
	switch {
	case len(g.Params) > 0 && ext != ".ptx" && !compiled:
		return nil, fmt.Errorf("%s: -param is for PTX and cubins; a header says what its parameters are, and Go has no kernels", g.Input)
	case g.Names != "" && ext != ".ptx" && !compiled:
		return nil, fmt.Errorf("%s: -names is for PTX and cubins, whose source it names", g.Input)
	case folder || ext == ".go":
		if len(g.Kernels) > 0 {
			return nil, fmt.Errorf("%s: -kernel is for headers, PTX and cubins; Go declares no kernels", g.Input)
		}
		return g.readGo(folder)
	case compiled:
		switch {
		case len(g.Types) > 0:
			return nil, fmt.Errorf("%s: -type is for Go and headers; a cubin has no types", g.Input)
		case g.PTX != "":
			return nil, fmt.Errorf("%s: -emit-ptx needs types, which a cubin does not have", g.Input)
		}
		return g.readCubin()
	case ext == ".ptx":
		if len(g.Types) > 0 {
			return nil, fmt.Errorf("%s: -type is for Go and headers; PTX declares no types", g.Input)
		}
		return g.readPTX()
	case slices.Contains([]string{".h", ".hh", ".hpp", ".hxx", ".cuh", ".cu", ".c", ".cc", ".cpp", ".cxx"}, ext):
		return g.readC()
	}
	return nil, fmt.Errorf("%s: neither Go (.go, or a folder) nor a header (.h, .hh, .hpp, .hxx, .cuh, .cu) nor PTX (.ptx) nor compiled (.cubin, .fatbin, .o, .a, .so, or another ELF file)", g.Input)
}

// compiledEnds are the ends of names of files that have cubins in them. A program or libx.so.1 ends in none of them.
var compiledEnds = []string{".cubin", ".fatbin", ".o", ".obj", ".a", ".lib", ".so", ".dll", ".exe"}

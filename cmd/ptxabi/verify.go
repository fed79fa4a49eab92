package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/internal/tool/verify/declared"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

func bindVerify(o *options) action {
	s := structFlags{param: verify.Whole}
	o.Bind(&s.kernel, "kernel")
	o.Bind(&s.typ, "type")
	o.Bind(&s.layout, "layout")
	o.Bind(&s.param, "param")
	o.Bind(&s.strict, "strict")
	return func(e env, rest []string) error {
		n := len(rest) - 1
		switch {
		case s.layout != "" && n < 0 && o.format != "jsonl":
			return o.errorf("%s beside -layout, expected one at least: CUBIN", prose.Count(0, "file"))
		case s.layout != "":
			return o.each(e, rest, func(e env, file string) error { return s.verifyLayout(e, o, file) })
		case n < 1:
			return o.errorf("%s, expected two at least: CUBIN FILE", prose.Count(len(rest), "file"))
		}
		return o.each(e, rest[:n], func(e env, file string) error { return s.verify(e, o, file, rest[n]) }, rest[n])
	}
}

// verify compares a compiled file with a source.
func (s structFlags) verify(e env, o *options, file, against string) error {
	if err := s.usage(o, file, against); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of a mapped file that is cut while it is read
	ofPTX := s.typ == "" && (against == "-" || isPTXName(against))
	f, end, err := openCompiled(e, file, !ofPTX && !isCompiled(against), o.row)
	switch text := (compiled.TextError{}); {
	case errors.As(err, &text) && ofPTX && isPTXName(file):
		return fmt.Errorf("%s: PTX, and so is %s; \"ptxabi diff %s %s\" compares PTX with PTX", file, against, file, against)
	case errors.As(err, &text):
		return fmt.Errorf("%s: text; the compiled file comes first, its source after it", file)
	case err != nil:
		return err
	}
	defer end()
	f.Bodies = !ofPTX
	src, err := s.source(e, o, against)
	if err != nil {
		return err
	}
	subject, err := newSubject(e, o, src, s.typ)
	if err != nil {
		return err
	}
	return s.compare(e, o, subject, f)
}

// usage refuses flags and files that do not go together.
func (s *structFlags) usage(o *options, file, against string) error {
	lang := otherLanguages[strings.ToLower(path.Ext(against))]
	switch {
	case s.typ == "" && o.Given("type"):
		return o.errorf("-type is empty: it names a struct of %s, and without it FILE is searched for kernels", against)
	case s.typ == "" && o.Given("param"):
		return o.errorf("-param needs -type: it chooses the parameter that the struct is for")
	case s.kernel == "" && o.Given("kernel"):
		return o.errorf("-kernel is empty: it names the kernel that is compared")
	case o.Given("param") && s.param < 0:
		return o.errorf("-param %d: parameters count from 0", s.param)
	case file == "-" && against == "-":
		return o.errorf("CUBIN and FILE are both -: standard input is one of them at most")
	case lang != "":
		return o.errorf("%s: %s, and verify reads PTX, C, CUDA and Go; -layout reads what a program in any language writes of its structs, as docs/verify.md shows%[3]s", against, lang, otherWay(lang))
	}
	return nil
}

// source reads the file, or the Go package, that is compared with, and the struct that -type names in it.
func (s *structFlags) source(e env, o *options, against string) (src *source, err error) {
	var more []layoutcmd.File
	if info, statErr := os.Stat(against); s.typ != "" && statErr == nil && info.IsDir() {
		src, more, err = goPackage(e, against, s.typ)
	} else {
		src, err = read(e, against)
	}
	if err == nil && s.typ != "" {
		s.Struct, err = aStruct(e, o, src, more, s.typ)
	}
	return src, err
}

// compare compares a file with its source, and writes what was found.
func (s *structFlags) compare(e env, o *options, src *subject, f *compiled.File) error {
	c := &compiled.Comparison{
		File: f, Source: src.name, Module: src.module, Param: s.param, Kernel: s.kernel, Arch: o.target, Tell: e.tell,
		On: func(b *verify.Binary, t *abi.Target) (*verify.Source, error) { return src.on(e, o, b, t) },
		Progress: func(what string, n int) (step, end func()) {
			p := newProgress(e, what, n)
			return p.step, p.hide
		},
	}
	if src.module != nil {
		c.Text = src.text
	}
	if s.typ != "" {
		c.Struct = &s.Struct
	}
	reports, err := c.Reports()
	if errors.As(err, new(compiled.ChoiceError)) {
		err = o.errorf("%w", err)
	}
	if err == nil {
		err = o.emitVerified(e, reports, src.source, s.strict)
	}
	return findings(err, src.wrong)
}

// verifyLayout compares a compiled file with a type of a recorded layout.
func (s structFlags) verifyLayout(e env, o *options, file string) error {
	switch {
	case file == "-" && s.layout == "-":
		return o.errorf("CUBIN and -layout are both -: standard input is one of them at most")
	case o.Given("param") && s.param < 0:
		return o.errorf("-param %d: parameters count from 0", s.param)
	}
	src := &source{name: s.layout, path: s.layout}
	var err error
	if s.layout != "-" && isCompiled(s.layout) {
		s.Struct, err = debugged(e, s.layout, s.typ)
	} else if src, err = read(e, s.layout); err == nil {
		s.Struct, err = declared.Recorded(src.name, s.typ, []byte(src.text))
		if ext := path.Ext(src.name); errors.As(err, new(declared.NoLayoutError)) && ext != ".json" && ext != "" && src.path != "" {
			err = fmt.Errorf("%s: neither a layout in JSON nor a program; -type without -layout reads C, CUDA and Go: \"ptxabi verify -type NAME CUBIN %s\"", src.name, src.arg())
		}
	}
	if err != nil {
		return err
	}
	s.typ = s.Struct.Name
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of a mapped file that is cut while it is read
	f, end, err := openCompiled(e, file, true, o.row)
	if err != nil {
		return err
	}
	defer end()
	f.Bodies = true
	return s.compare(e, o, &subject{source: src}, f)
}

// debugged is a type of a program that has debug information.
func debugged(e env, file, name string) (verify.Struct, error) {
	if name == "" {
		return verify.Struct{}, fmt.Errorf("%s: a program has many types; choose one with -type", file)
	}
	_, data, done, err := readWhole(e, file)
	if err != nil {
		return verify.Struct{}, err
	}
	defer done()
	return declared.Debugged(file, name, data)
}

// otherWay is the advice for a compiled language beside layouts that a program writes.
func otherWay(lang string) string {
	if slices.Contains([]string{"Rust", "Zig", "Fortran", "Swift", "D"}, lang) {
		return ", or the program itself, compiled with -g"
	}
	return " for " + lang
}

// otherLanguages are those of files that are not read, by how their names end.
var otherLanguages = map[string]string{
	".rs": "Rust", ".py": "Python", ".cs": "C#", ".jl": "Julia", ".java": "Java",
	".zig": "Zig", ".f90": "Fortran", ".f03": "Fortran", ".cuf": "Fortran", ".swift": "Swift", ".d": "D",
}

// isPTXName reports whether a file has the name of one of PTX.
func isPTXName(file string) bool { return strings.EqualFold(path.Ext(file), ".ptx") }

// emitVerified writes what was found.
func (o *options) emitVerified(e env, reports []*verify.Report, src *source, strict bool) error {
	verify.Settle(reports, strict)
	if o.format == "sarif" || o.format == "github" {
		return o.report(e, verify.Diagnostics(reports, func(symbol string) string { return symbol }), map[string]*source{src.name: src}, nil)
	}
	doc, err := verify.JSON(reports)
	if err != nil {
		return err
	}
	same := !slices.ContainsFunc(reports, func(r *verify.Report) bool { return !r.OK() })
	var texts []string
	if o.format == "text" {
		texts = verify.Texts(reports, verify.Style{All: o.all, Mangled: o.mangled})
	}
	return o.emitReports(e, doc, texts, same)
}

// structFlags say which struct is compared with which kernel.
type structFlags struct {
	typ, kernel string
	layout      string // the file of a recorded layout
	param       int
	strict      bool
	verify.Struct
}

// A subject is the source that compiled files are compared with, which is read once.
type subject struct {
	*source
	module   *verify.Module // nil: it is not PTX
	read     map[string]*layoutcmd.Result
	reported bool // what is wrong with it has been printed
	wrong    bool // it has errors, and what they leave is compared
}

// newSubject reads PTX; C and CUDA are read for each target.
func newSubject(e env, o *options, src *source, typ string) (*subject, error) {
	s := &subject{source: src, read: make(map[string]*layoutcmd.Result)}
	switch ext := strings.ToLower(path.Ext(src.name)); {
	case typ != "":
		return s, nil
	case ext == ".go":
		return nil, o.errorf("%s is a Go file, which declares no kernels: name the struct of a parameter with -type", src.name)
	case ext != ".ptx" && src.path != "" && compiled.IsText(src.text):
		return s, nil
	}
	if outline, err := ptx.ParseOutline(src.name, src.text); err == nil && outline.Module().Version.Major > 1 {
		if m, ok := verify.ReadModule(outline); ok {
			s.module = m
			return s, nil
		}
	}
	m, list := src.parse()
	newPrinter(e, o, src).all(list)
	if list.Err() != nil {
		m, s.wrong = half.Of(m, list).Heads, true
		if len(resolve.Functions(m)) == 0 {
			return nil, errFindings
		}
	}
	if m.Version == (ptx.Version{}) && len(m.Items) == 0 {
		return nil, fmt.Errorf("%s: no PTX module in it", src.name)
	}
	s.module = verify.NewModule(m)
	return s, nil
}

// on is the declarations of the source, laid out on a target.
func (s *subject) on(e env, o *options, f *verify.Binary, t *abi.Target) (*verify.Source, error) {
	if s.module != nil {
		return declared.Module(s.module, t, f.PTX != nil, s.wrong), nil
	}
	res, err := s.declared(e, o, t)
	if err != nil {
		return nil, err
	}
	out := declared.Source(s.name, res, f.File, t)
	out.Templates, out.Partial = res.Skipped > 0, s.wrong
	return out, nil
}

// declared is what a C or CUDA file declares for a target. Its diagnostics are printed once.
func (s *subject) declared(e env, o *options, t *abi.Target) (*layoutcmd.Result, error) {
	if res := s.read[t.Name]; res != nil {
		return res, nil
	}
	src := s.source
	res, err := loadKernels(src, layoutcmd.Options{Target: t})
	if err != nil {
		return nil, o.errorf("%w", err)
	}
	if len(res.Errors) > 0 && !slices.ContainsFunc(res.Errors, func(d *diag.Diagnostic) bool { return d.File == src.name || !cdecl.Confined(d.Code) }) {
		// Headers have types that cannot be read: a kernel that takes one is not compared, and says so.
		if res, err = loadKernels(src, layoutcmd.Options{Target: t, Partial: true}); err != nil {
			return nil, o.errorf("%w", err)
		}
	}
	if len(res.Errors) > 0 {
		switch { // where there would be an error in every line
		case isListing(src):
			return nil, fmt.Errorf("%s: a listing of machine code, not source; \"ptxabi annotate %s\" reads it", src.name, src.arg())
		case strings.Contains(src.text, ".version") && isPTX(src):
			return nil, fmt.Errorf("%s: PTX, which has to be in a file whose name ends in .ptx, or - for standard input", src.name)
		}
	}
	if !s.reported || len(res.Errors) > 0 {
		newPrinter(e, o, src).all(slices.Concat(res.Warnings, res.Errors))
		s.reported = true
	}
	switch {
	case len(res.Errors) > 0:
		// What the errors leave is compared.
		res, err = loadKernels(src, layoutcmd.Options{Target: t, Partial: true})
		if s.wrong = true; err != nil || len(res.Kernels) == 0 {
			return nil, errFindings
		}
	case len(res.Kernels) == 0 && len(res.Unit.Unread) == 0:
		return nil, fmt.Errorf("%s: %w", src.name, errNoKernels)
	}
	s.read[t.Name] = res
	return res, nil
}

// loadKernels reads a C or CUDA file that declares kernels. They are CUDA's, which
// is C++, whatever the file is called; a file that is C alone is read as such.
// Templates are left out.
func loadKernels(src *source, opts layoutcmd.Options) (*layoutcmd.Result, error) {
	opts.Producer, opts.FS, opts.SkipTemplates = layout.NVCC, disk.System(""), true
	return layoutcmd.LoadEither(src.name, []byte(src.text), opts)
}

var errNoKernels = errors.New("it declares no kernels: no __global__ functions")

// goPackage reads the files of a Go package, tests left out: that which declares
// the type, and the others.
func goPackage(e env, dir, typ string) (*source, []layoutcmd.File, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, ofFile(dir, err)
	}
	var src *source
	var more []layoutcmd.File
	for _, entry := range list {
		name := filepath.Join(dir, entry.Name())
		if entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		one, err := readRaw(e, name)
		if err != nil {
			return nil, nil, err
		}
		if src == nil && declares(name, one.text, typ) {
			src = one
			continue
		}
		more = append(more, layoutcmd.File{Name: name, Text: []byte(one.text)})
	}
	if src == nil {
		return nil, nil, fmt.Errorf("%s: no Go file in it declares the type %s", dir, typ)
	}
	return src, more, nil
}

// declares reports whether a Go file declares a type.
func declares(name, text, typ string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && slices.ContainsFunc(g.Specs, func(s ast.Spec) bool {
			t, ok := s.(*ast.TypeSpec)
			return ok && t.Name.Name == typ
		})
	})
}

// aStruct reads the type that -type names. Other files of a Go package may have
// types that it uses.
func aStruct(e env, o *options, src *source, more []layoutcmd.File, name string) (verify.Struct, error) {
	if path.Ext(src.name) == ".ptx" || src.path == "" {
		return verify.Struct{}, o.errorf("-type is for a Go, C or CUDA file, and %s is PTX", src.name)
	}
	res, err := layoutcmd.Load(src.name, []byte(src.text), layoutcmd.Options{
		Types: []string{name}, Producer: layout.NVCC, FS: disk.System(""), Package: more, GOARCH: goarch(e),
	})
	if err != nil {
		like := typesLike(src, layoutcmd.Options{Types: []string{name}, FS: disk.System(""), Package: more})
		return verify.Struct{}, fmt.Errorf("%s: %w%s", src.name, err, like)
	}
	newPrinter(e, o, src).all(slices.Concat(res.Warnings, res.Errors))
	if len(res.Errors) > 0 {
		return verify.Struct{}, errFindings
	}
	rec := res.Records[0]
	for _, n := range rec.Notes {
		at := rec.Pos
		at.File = src.name
		newPrinter(e, o, src).all(diag.List{cdecl.New(at, diag.Note, layoutcmd.Note, "%s: %s", rec.Name, n)})
	}
	size := rec.Param.Bytes
	if size < 0 || rec.Param.Indirect {
		size = rec.Layout.Size
	}
	return verify.Struct{File: src.name, Name: rec.Name, Line: int(rec.Pos.Line), Layout: rec.Layout, Size: int(size)}, nil
}

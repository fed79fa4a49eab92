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
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/internal/tool/verify/declared"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A subject is the source that compiled files are compared with, which is read once.
type subject struct {
	*source
	module *verify.Module // nil: it is not PTX
	read   map[string]*layoutcmd.Result
	said   bool // what is wrong with it has been printed
	wrong  bool // it has errors, and what they leave is compared
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

// on is what the source declares, laid out on a target.
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

// declared is what a C or CUDA file declares for a target. What there is to say of it is said once.
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
	if !s.said || len(res.Errors) > 0 {
		newPrinter(e, o, src).all(slices.Concat(res.Warnings, res.Errors))
		s.said = true
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
func goPackage(dir, typ string) (*source, []layoutcmd.File, error) {
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
		text, err := readFile(name)
		if err != nil {
			return nil, nil, ofFile(name, err)
		}
		if src == nil && declares(name, text, typ) {
			src = &source{name: name, path: name, text: text}
			continue
		}
		more = append(more, layoutcmd.File{Name: name, Text: []byte(text)})
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
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name == typ {
					return true
				}
			}
		}
	}
	return false
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

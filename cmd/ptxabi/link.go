package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/cli/report"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/llvmir"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/resolve"
)

func bindLink(o *options) action {
	return func(e env, rest []string) error {
		return o.together(e, rest, func(e env) error { return o.link(e, rest) })
	}
}

// link links files.
func (o *options) link(e env, files []string) error {
	in, err := new(input).readSet(e, o, files)
	if err != nil {
		return err
	}
	r := in.set.Report(o.target)
	list := append(in.notes, r.Diags...)
	switch o.format {
	case "json":
		out := asJSON(struct {
			*link.Report
			Diagnostics []json.RawMessage `json:"diagnostics"`
		}{r, jsonOf(report.AppendJSON(nil, list.AtLeast(o.floor())))})
		return in.after(e, findings(write(e.stdout, out), list.Err() != nil))
	case "text":
		if err := o.emitText(e, []byte(r.String())); err != nil {
			return err
		}
	}
	return in.after(e, o.report(e, list, in.sources, nil))
}

// An input is a set of files to be linked.
type input struct {
	set     link.Set
	sources map[string]*source
	notes   diag.List // what is left out, and what reading has to say
	// machine says that what is wanted is machine code: listings of it are read, and notes
	// say that PTX and headers have none.
	machine  bool
	listings int      // how many were read
	wrong    messages // why others could not be
}

// readSet reads the files of a command line.
func (in *input) readSet(e env, o *options, files []string) (*input, error) {
	switch {
	case len(files) == 0:
		return nil, o.noFile()
	case slices.Contains(files, ""):
		return nil, o.errorf("FILE is empty; - is standard input")
	}
	if twice := repeated(files); twice != "" {
		return nil, o.errorf("%s is given twice", twice)
	}
	if o.target != "" {
		t, err := o.row(o.target)
		if err != nil {
			return nil, err
		}
		o.target = t.Name
	}
	in.sources, in.set.Assume = make(map[string]*source), o.assume
	failed := 0
	last := func(file string) bool { return slices.Contains(headers, strings.ToLower(filepath.Ext(file))) }
	others := slices.DeleteFunc(slices.Clone(files), last) // for whose architectures headers are read
	for _, file := range append(others, slices.DeleteFunc(slices.Clone(files), func(file string) bool { return !last(file) })...) {
		own := e
		own.kept = &messages{}
		if err := in.read(own, o, file); err != nil {
			exit(err, own)
			in.wrong.add(own.kept)
			failed++
			continue
		}
		e.replay(own.kept)
	}
	in.set.Partial = in.set.Partial || failed > 0
	if failed == len(files) {
		return nil, in.after(e, nil)
	}
	return in, nil
}

// after says why files could not be read, after the report on the others, which has the error err.
func (in *input) after(e env, err error) error {
	if len(in.wrong.print) == 0 || err != nil && !errors.Is(err, errFindings) {
		return err
	}
	e.replay(&in.wrong)
	return errPrinted
}

// headers are how files in C and CUDA end.
var headers = []string{".h", ".hh", ".hpp", ".hxx", ".cuh", ".cu", ".c", ".cc", ".cpp", ".cxx"}

// read reads one file.
func (in *input) read(e env, o *options, file string) error {
	name, data, _, err := readWhole(e, file) // what is made of it refers to it until the end
	if err != nil {
		return err
	}
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case cubin.Binary(data) || link.Bitcode(data):
		notes, err := in.set.AddFile(name, data)
		in.notes = append(in.notes, notes...)
		return err
	case slices.Contains(headers, ext):
		if in.machine {
			in.noCode(name, "declarations have neither frames nor registers")
			return nil
		}
		return in.header(e, o, &source{name: name, path: file, text: string(data)})
	case ext == ".ll":
		if in.machine {
			in.noCode(name, "LLVM's intermediate language has neither frames nor registers")
			return nil
		}
		m, list := llvmir.Parse(name, string(data))
		in.sources[name] = &source{name: name, path: file, text: string(data)}
		in.notes = append(in.notes, list...)
		in.set.Partial = in.set.Partial || list.Err() != nil // what could not be read may define names
		in.set.AddLLVM(link.Place{Name: name, File: name}, m)
		return nil
	case ext == ".go":
		return fmt.Errorf("%s: Go declares nothing that is linked", name)
	case len(data) == 0:
		return fmt.Errorf("%s: an empty file", name)
	}
	src := &source{name: name, path: file, text: string(data)}
	if in.machine && compiled.Listed(src.text) {
		return in.listing(e, o, src)
	}
	m, list := src.parse()
	if list.Err() != nil {
		if err := notPTX(src); err != nil {
			return err
		}
		read := half.Of(m, list)
		if in.machine || len(resolve.Functions(read.Heads)) == 0 {
			newPrinter(e, o, src).all(list)
			return errFindings
		}
		m, in.set.Partial = read.Heads, true
		in.notes = append(in.notes, list...)
	} else if compiled.IsBlank(m) {
		return fmt.Errorf("%s: no PTX in it", name)
	}
	in.sources[name] = src
	if in.machine {
		in.noCode(name, "PTX has neither frames nor registers; ptxas -c makes an object of it")
	}
	in.set.AddPTX(link.Place{Name: name, File: name}, m)
	return nil
}

// noCode notes that a file takes no part because no machine code is in it.
func (in *input) noCode(name, why string) {
	in.notes.Add(&diag.Diagnostic{File: name, Severity: diag.Note, Code: link.LeftOut, Msg: "left out: " + why})
}

// listing adds a disassembler's listing.
func (in *input) listing(e env, o *options, src *source) error {
	var list diag.List
	switch err := in.set.AddListing(link.Place{Name: src.name, File: src.name}, src.text, o.target); {
	case errors.Is(err, link.ErrNoArch):
		return o.errorf("%s does not name its architecture; give it with -target", src.name)
	case errors.As(err, &list):
		newPrinter(e, o, src).all(list)
		return errFindings
	case err != nil:
		return explain(err)
	}
	in.listings++
	return nil
}

// header adds the functions and kernels that a C or CUDA file declares, by the names
// that the linker has for them.
func (in *input) header(e env, o *options, src *source) error {
	archs := in.set.Archs(o.target)
	if archs == nil {
		archs = []string{""}
	}
	for i, arch := range archs {
		var opts layoutcmd.Options
		if a, err := resolve.ParseArch(arch); err == nil {
			opts.Defines = []string{fmt.Sprintf("__CUDA_ARCH__=%d0", a.SM)}
		}
		res, err := loadKernels(src, opts)
		if err != nil {
			return o.errorf("%w", err)
		}
		if slices.ContainsFunc(res.Errors, func(d *diag.Diagnostic) bool { return !cdecl.Confined(d.Code) }) {
			newPrinter(e, o, src).all(slices.Concat(res.Warnings, res.Errors))
			return errFindings
		}
		in.set.Partial = in.set.Partial || len(res.Errors) > 0
		in.sources[src.name] = src
		if notes := append(res.Errors, in.set.AddDeclared(src.name, res, arch)...); i == 0 { // the others have the same
			in.notes = append(in.notes, notes...)
		}
	}
	return nil
}

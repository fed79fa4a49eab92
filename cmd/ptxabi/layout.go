package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
)

var layoutHelp = manual.Help{
	Usage: "ptxabi layout [flags] FILE...",
	Text: `Layout reads the declarations of a C or CUDA header, or of a Go file, and prints
every record byte by byte: the fields, the holes between them, the .param
declaration that carries it, and the loads of each field. The names of libc's
usual headers and CUDA's built-in types need no header; other headers are
searched in the folders of -I and -isystem. If a declaration cannot be read, a
warning says so, what needs it is left out, and the rest is laid out. The exit
status is 1 if a type that -type names is left out, if nothing is left, or if
the file has an error that ends the reading. Go structs are laid out by the rules of C, with a note if Go's own layout differs.`,
	More: `Examples:

  ptxabi layout x.h
  ptxabi layout -type Params -format clang x.h
  ptxabi layout -I include -isystem /usr/include -D NDEBUG x.h
  ptxabi layout -type Params -format svg -o x.svg x.h
  ptxabi layout -lang c++ -target sm_90 -producer clang x.cu
  ptxabi layout -rules msvc -format json - < x.h`,
}

func runLayout(e env, args []string) error {
	o := newOptions("layout")
	var types []string
	opts := layoutcmd.Options{FS: disk.System(""), Partial: true}
	rules, producer := "sysv", "nvcc"
	o.Add(&types, "type NAME,...", "only these records; may be repeated")
	o.AddSearch(&opts.Include, &opts.System, &opts.Defines, &opts.First, "likewise, after those of -I; the records of these headers are not shown")
	o.Add(&opts.Lang, "lang LANG", `
		c or c++; by default, the language of the file's name, and C for a
		.h file without C++`, "c", "c++")
	o.Add(&rules, "rules RULES", "sysv, as on Linux and for nvptx64, or msvc, as on Windows", "sysv", "msvc")
	o.Add(&producer, "producer WHO", `
		the compiler whose .param declarations are shown: nvcc, clang,
		gcc, manual, which are the examples of the PTX manual, or a
		release that was measured, such as clang-16, nvrtc-12.8, cicc-12.4
		or gcc-12`).Hints = layout.ProducerNames()
	o.addTarget(`
		show the kernels of the file too, with the constant-bank address
		of each field on this architecture`)
	o.Add(&o.assume, "assume", "accept a target that has not been measured")
	o.addFormat(`
		text; json, whose form docs/schemas/layout.schema.json
		describes; jsonl, a line of that for each FILE, which
		docs/schemas/jsonl.schema.json describes; ptx, the accesses
		merged into vectors; clang, as clang -Xclang
		-fdump-record-layouts-complete prints; structlayout, for the viewers of
		honnef.co/go/tools; svg, a picture of the bytes and bits, for light and dark
		screens and for paper`, append(slices.Clone(layoutcmd.Formats), "jsonl")...)
	o.Add(&o.output, "o FILE", "write to FILE, whole or not at all")
	o.addDiagnostics()
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	opts.GOARCH = goarch(e)
	if ok, err := o.several(e, rest, runLayout); ok {
		return err
	}
	file, err := o.file(rest)
	if err != nil {
		return err
	}
	if rules == "msvc" {
		opts.Rules = layout.LLP64
	}
	if err = opts.SetProducer(producer); err != nil {
		return o.errorf("-producer: %w", err)
	}
	if o.Given("type") {
		list := strings.Join(types, ",")
		if opts.Types = prose.List(list); slices.Contains(opts.Types, "") {
			return o.errorf("-type %s: a name is empty", list)
		}
	}
	if o.target != "" {
		if opts.Target, err = lookup(o.target, o.assume); err != nil {
			return err
		}
	}
	src, err := read(e, file)
	if err == nil {
		err = o.distinct(src)
	}
	switch {
	case errors.Is(err, errELF):
		return fmt.Errorf("%s: an ELF file; layout reads C, CUDA and Go, and \"ptxabi verify\" compares cubins with them", file)
	case err != nil:
		return err
	case strings.Contains(src.text, ".version") && isPTX(src):
		return fmt.Errorf("%s: PTX, and layout reads C, CUDA and Go; \"ptxabi assign %s\" shows where its formals live", src.name, src.arg())
	}
	res, err := layoutcmd.Load(src.name, []byte(src.text), opts)
	if errors.Is(err, layoutcmd.ErrNoType) {
		return fmt.Errorf("%s: %w%s", src.name, err, typesLike(src, opts))
	}
	if err != nil {
		return o.errorf("%w", err)
	}
	if len(res.Errors) > 0 && isListing(src) {
		return fmt.Errorf("%s: a listing of machine code, and layout reads C, CUDA and Go; \"ptxabi annotate %s\" reads it", src.name, src.arg())
	}
	newPrinter(e, o, src).all(slices.Concat(res.Warnings, res.Errors))
	var wrong error
	if len(res.Errors) > 0 {
		if wrong = errFindings; len(opts.Types) > 0 || o.format == "json" || len(res.Records)+len(res.Kernels) == 0 {
			return wrong
		}
	}
	if note := nothingIn(src, res); note != nil {
		newPrinter(e, o, src).all(diag.List{note})
	}
	out, err := res.Format(o.format)
	if err != nil {
		return err
	}
	switch o.format {
	case "text", "ptx", "clang":
		err = o.emitText(e, out)
	default:
		err = o.emit(e, out)
	}
	return cmp.Or(err, wrong)
}

// typesLike suggests types for the first of those asked for that is not there.
func typesLike(src *source, opts layoutcmd.Options) string {
	wanted := opts.Types
	opts.Types = nil
	res, err := layoutcmd.Load(src.name, []byte(src.text), opts)
	if err != nil {
		return ""
	}
	var names []string
	for _, r := range res.Records {
		names = append(names, r.Name)
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return near.DidYouMean(name, names)
		}
	}
	return ""
}

// nothingIn says that there is nothing to show; nil if there is.
func nothingIn(src *source, res *layoutcmd.Result) *diag.Diagnostic {
	if len(res.Records)+len(res.Kernels) > 0 {
		return nil
	}
	note := &diag.Diagnostic{File: src.name, Severity: diag.Note, Msg: "no records in it"}
	if res.Target == nil && res.Unit != nil && slices.ContainsFunc(res.Unit.Funcs, func(f *cdecl.FuncDecl) bool { return f.Kernel }) {
		note.Msg += "; -target shows its kernels"
	}
	return note
}

// goarch is the machine that Go compiles for: GOARCH, or this one.
func goarch(e env) string {
	if arch := e.getenv("GOARCH"); arch != "" {
		return arch
	}
	return runtime.GOARCH
}

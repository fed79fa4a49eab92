package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cdecl"
	"github.com/ptxabi/ptxabi/internal/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
)

const layoutHelp = `usage: ptxabi layout [flags] FILE

Layout reads the declarations of a C or CUDA header, or of a Go file, and prints
every record byte by byte: the fields, the holes between them, the .param
declaration that carries it, and how each field is loaded. Simple macros,
conditionals and #include "file" are understood; the names of stdint.h, stddef.h
and CUDA's built-in types need no header. Go structs are laid out by C's rules,
with a note where Go's own differ.

  -type NAME,... these records alone
  -lang LANG     c or c++; by default what the file's name says, C for .h
  -rules RULES   sysv, as on Linux and for nvptx64, or msvc, as on Windows
  -producer WHO  whose .param declarations: nvcc, clang, gcc or manual, which
                 are the examples of the PTX manual
  -target SM     show the kernels of the file too, with the constant-bank address
                 of each field on this architecture
  -assume        accept a target that has not been measured
  -format FORM   text; json, whose form docs/schemas/layout.schema.json
                 describes; ptx, the accesses merged into vectors; clang, as clang
                 -Xclang -fdump-record-layouts-complete prints; structlayout, for
                 the viewers of honnef.co/go/tools; svg, a picture of the bytes
                 and bits, for light and dark screens and for paper
` + diagHelp + `
Examples:

  ptxabi layout x.h
  ptxabi layout -type Params -format clang x.h
  ptxabi layout -type Params -format svg x.h >x.svg
  ptxabi layout -lang c++ -target sm_90 -producer clang x.cu
  ptxabi layout -rules msvc -format json - < x.h
`

func runLayout(e env, args []string) error {
	o := newOptions("layout")
	var types, lang, rules, producer string
	o.set.StringVar(&types, "type", "", "")
	o.set.StringVar(&lang, "lang", "", "")
	o.set.StringVar(&rules, "rules", "sysv", "")
	o.set.StringVar(&producer, "producer", "nvcc", "")
	o.set.StringVar(&o.target, "target", "", "")
	o.set.BoolVar(&o.assume, "assume", false, "")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	file, err := o.file(rest)
	if err != nil {
		return err
	}
	if err := o.oneOf("format", o.format, layoutcmd.Formats...); err != nil {
		return err
	}
	opts := layoutcmd.Options{Lang: lang, FS: systemFiles{}}
	if o.given("lang") {
		if err := o.oneOf("lang", lang, "c", "c++"); err != nil {
			return err
		}
	}
	if err := o.oneOf("rules", rules, "sysv", "msvc"); err != nil {
		return err
	}
	if rules == "msvc" {
		opts.Rules = layout.LLP64
	}
	if opts.Producer, err = layout.ParseProducer(producer); err != nil {
		return o.errorf("-producer: %w", err)
	}
	if o.given("type") {
		opts.Types = strings.Split(types, ",")
	}
	if o.target != "" {
		if opts.Target, err = lookup(o.target, o.assume); err != nil {
			return err
		}
	}
	src, err := read(e, file)
	if err != nil {
		return err
	}
	res, err := layoutcmd.Load(src.name, src.text, opts)
	if err != nil {
		return o.errorf("%w", err)
	}
	list := append(complaints(res.Warnings, ptx.SeverityWarning), complaints(res.Complaints, ptx.SeverityError)...)
	newPrinter(e, o.color, src).all(list)
	if len(res.Complaints) > 0 {
		return errFindings
	}
	out, err := res.Format(o.format)
	if err != nil {
		return err
	}
	return o.emit(e, out)
}

// complaints are those about declarations, as a printer takes them.
func complaints(list cdecl.ErrorList, severity ptx.Severity) ptx.ErrorList {
	var out ptx.ErrorList
	for _, e := range list {
		out = append(out, &ptx.Error{
			File: e.Pos.File, Pos: ptx.Pos{Line: uint32(e.Pos.Line), Col: uint32(e.Pos.Col)},
			Severity: severity, Code: string(e.Code), Msg: e.Msg,
		})
	}
	return out
}

// systemFiles are the files of the system by any path, which is how included
// files are named.
type systemFiles struct{}

func (systemFiles) Open(name string) (fs.File, error) {
	f, err := os.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, errors.New("is a directory")
	}
	return f, nil
}

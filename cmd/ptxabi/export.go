package main

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/tool/export"
)

var exportHelp = manual.Help{
	Usage: "ptxabi export -lang LANG [flags]",
	Text: `Export prints the convention as source text for a program that is not written in
Go: every measured target with all its facts, their sources in comments, and the
function that computes the places of parameters and results. Copy the text into
the program: it needs no other file and no library, and is the same each time.

  c       a header for C99 and C++11, ptxabi.h, without allocation
  rust    a module, ptxabi.rs, no_std, without unsafe code or allocation
  python  a typed module, ptxabi.py, for Python 3.8 and later

The three give the same answers as this program. With -reader the text is a reader
instead: what the kernels of a cubin in memory take, from its records, under the
same conditions. docs/export.md shows how to use them.`,
	More: `Examples:

  ptxabi export -lang c -o ptxabi.h
  ptxabi export -lang python >ptxabi.py
  ptxabi export -lang rust -reader -o src/ptxabi_cubin.rs`,
}

func runExport(e env, args []string) error {
	o := newOptions("export")
	lang, reader := "", false
	o.Add(&lang, "lang LANG", "c, rust or python", export.Languages()...)
	o.Add(&reader, "reader", `
		a reader of the parameters of compiled kernels, ptxabi_cubin.h,
		ptxabi_cubin.rs or ptxabi_cubin.py`)
	o.Add(&o.output, "o FILE", "write to FILE, whole or not at all")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if lang == "" {
		return o.errorf("no -lang, which is one of %s", strings.Join(export.Languages(), ", "))
	}
	if len(rest) > 0 {
		return o.errorf("%d arguments, expected none: %s", len(rest), strings.Join(rest, " "))
	}
	text, err := export.Text(lang)
	if reader {
		text, err = export.Reader(lang)
	}
	if err != nil {
		return err
	}
	return o.emit(e, text)
}

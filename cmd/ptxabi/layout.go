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
	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
)

func bindLayout(o *options) action {
	var types []string
	opts := layoutcmd.Options{FS: disk.System(""), Partial: true}
	rules, producer := "sysv", "nvcc"
	o.Bind(&types, "type")
	o.BindSearch(&opts.Include, &opts.System, &opts.Defines, &opts.First)
	o.Bind(&opts.Lang, "lang")
	o.Bind(&rules, "rules")
	o.Bind(&producer, "producer").Hints = layout.ProducerNames()
	return func(e env, rest []string) error {
		opts.GOARCH = goarch(e)
		return o.each(e, rest, func(e env, file string) error {
			if rules == "msvc" {
				opts.Rules = layout.LLP64
			}
			if err := opts.SetProducer(producer); err != nil {
				return o.errorf("-producer: %w", err)
			}
			if o.Given("type") {
				list := strings.Join(types, ",")
				if opts.Types = display.List(list); slices.Contains(opts.Types, "") {
					return o.errorf("-type %s: a name is empty", list)
				}
			}
			t, err := o.wanted()
			if err != nil {
				return err
			}
			opts.Target = t
			src, err := read(e, file)
			if err == nil {
				err = o.distinct(src.path)
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
		})
	}
}

// typesLike suggests types for the first of those named that is not there.
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
			return near.Suggest(name, names)
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

package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/internal/tool/verify/declared"
)

func bindVerify(o *options) action {
	s := structFlags{param: verify.Whole}
	var st verify.Style
	var strict bool
	o.Bind(&s.kernel, "kernel")
	o.Bind(&s.typ, "type")
	o.Bind(&s.layout, "layout")
	o.Bind(&s.param, "param")
	o.Bind(&strict, "strict")
	o.Bind(&st.All, "all")
	o.Bind(&st.Mangled, "no-demangle")
	return func(e env, rest []string) error {
		n := len(rest) - 1
		switch {
		case s.layout != "" && n < 0 && o.format != "jsonl":
			return o.errorf("%s beside -layout, expected one at least: CUBIN", prose.Count(0, "file"))
		case s.layout != "":
			return o.each(e, rest, func(e env, file string) error { return s.verifyLayout(e, o, file, strict, st) })
		case n < 1:
			return o.errorf("%s, expected two at least: CUBIN FILE", prose.Count(len(rest), "file"))
		}
		return o.each(e, rest[:n], func(e env, file string) error { return s.verify(e, o, file, rest[n], strict, st) }, rest[n])
	}
}

// verify compares a compiled file with a source.
func (s structFlags) verify(e env, o *options, file, against string, strict bool, st verify.Style) error {
	switch {
	case s.typ == "" && o.Given("type"):
		return o.errorf("-type is empty: it names a struct of %s, and without it FILE is searched for kernels", against)
	case s.typ == "" && o.Given("param"):
		return o.errorf("-param needs -type: it chooses the parameter that the struct is for")
	case s.kernel == "" && o.Given("kernel"):
		return o.errorf("-kernel is empty: it names the kernel that is compared")
	case o.Given("param") && s.param < 0:
		return o.errorf("-param %d: parameters count from 0", s.param)
	}
	if file == "-" && against == "-" {
		return o.errorf("CUBIN and FILE are both -: standard input is one of them at most")
	}
	if lang := otherLanguages[strings.ToLower(path.Ext(against))]; lang != "" {
		return o.errorf("%s: %s, and verify reads PTX, C, CUDA and Go; -layout reads what a program in any language writes of its structs, as docs/verify.md shows%[3]s", against, lang, otherWay(lang))
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of a mapped file that is cut meanwhile
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
	var src *source
	var more []layoutcmd.File
	if info, statErr := os.Stat(against); s.typ != "" && statErr == nil && info.IsDir() {
		src, more, err = goPackage(against, s.typ)
	} else {
		src, err = read(e, against)
	}
	if err != nil {
		return err
	}
	if s.typ != "" {
		if s.Struct, err = aStruct(e, o, src, more, s.typ); err != nil {
			return err
		}
	}
	subject, err := newSubject(e, o, src, s.typ)
	if err != nil {
		return err
	}
	return s.compare(e, o, subject, f, strict, st)
}

// compare compares a file with its source, and writes what was found.
func (s *structFlags) compare(e env, o *options, src *subject, f *compiled.File, strict bool, st verify.Style) error {
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
		err = o.emitVerified(e, reports, src.source, strict, st)
	}
	return findings(err, src.wrong)
}

// verifyLayout compares a compiled file with a type of a recorded layout.
func (s structFlags) verifyLayout(e env, o *options, file string, strict bool, st verify.Style) error {
	switch {
	case file == "-" && s.layout == "-":
		return o.errorf("CUBIN and -layout are both -: standard input is one of them at most")
	case o.Given("param") && s.param < 0:
		return o.errorf("-param %d: parameters count from 0", s.param)
	}
	src := &source{name: s.layout, path: s.layout}
	var err error
	if s.layout != "-" && isCompiled(s.layout) {
		s.Struct, err = debugged(s.layout, s.typ)
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
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of a mapped file that is cut meanwhile
	f, end, err := openCompiled(e, file, true, o.row)
	if err != nil {
		return err
	}
	defer end()
	f.Bodies = true
	return s.compare(e, o, &subject{source: src}, f, strict, st)
}

// debugged is a type of a program that has debug information.
func debugged(file, name string) (verify.Struct, error) {
	if name == "" {
		return verify.Struct{}, fmt.Errorf("%s: a program has many types; choose one with -type", file)
	}
	data, done, err := readBinaryFile(file)
	if err != nil {
		return verify.Struct{}, ofFile(file, err)
	}
	defer done()
	return declared.Debugged(file, name, data)
}

// otherWay is what there is for a compiled language beside layouts that a program writes.
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
func (o *options) emitVerified(e env, reports []*verify.Report, src *source, strict bool, st verify.Style) error {
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
		texts = verify.Texts(reports, st)
	}
	return o.emitReports(e, doc, texts, same)
}

// structFlags say which struct is compared with which kernel.
type structFlags struct {
	typ, kernel string
	layout      string // the file of a recorded layout
	param       int
	verify.Struct
}

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
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/internal/tool/verify/declared"
)

func runVerify(e env, args []string) error {
	o := newOptions("verify")
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
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if s.layout != "" {
		return s.verifyLayout(e, o, rest, strict, st)
	}
	if n := len(rest) - 1; n >= 1 {
		if ok, err := (&series{options: o, run: runVerify, files: rest[:n], after: rest[n:]}).each(e); ok {
			return err
		}
	}
	switch {
	case len(rest) != 2 || rest[0] == "" || rest[1] == "":
		return o.errorf("%s, expected two at least: CUBIN FILE", prose.Count(len(rest), "file"))
	case s.typ == "" && o.Given("type"):
		return o.errorf("-type is empty: it names a struct of %s, and without it FILE is searched for kernels", rest[1])
	case s.typ == "" && o.Given("param"):
		return o.errorf("-param needs -type: it chooses the parameter that the struct is for")
	case s.kernel == "" && o.Given("kernel"):
		return o.errorf("-kernel is empty: it names the kernel that is compared")
	case o.Given("param") && s.param < 0:
		return o.errorf("-param %d: parameters count from 0", s.param)
	}
	if rest[0] == "-" && rest[1] == "-" {
		return o.errorf("CUBIN and FILE are both -: standard input is one of them at most")
	}
	if lang := otherLanguages[strings.ToLower(path.Ext(rest[1]))]; lang != "" {
		return o.errorf("%s: %s, and verify reads PTX, C, CUDA and Go; -layout reads what a program in any language writes of its structs, as docs/verify.md shows%[3]s", rest[1], lang, otherWay(lang))
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of a mapped file that is cut meanwhile
	ofPTX := s.typ == "" && (rest[1] == "-" || isPTXName(rest[1]))
	f, end, err := openCompiled(e, rest[0], !ofPTX && !isCompiled(rest[1]), o.row)
	switch text := (compiled.TextError{}); {
	case errors.As(err, &text) && ofPTX && isPTXName(rest[0]):
		return fmt.Errorf("%s: PTX, and so is %s; \"ptxabi diff %s %s\" compares PTX with PTX", rest[0], rest[1], rest[0], rest[1])
	case errors.As(err, &text):
		return fmt.Errorf("%s: text; the compiled file comes first, its source after it", rest[0])
	case err != nil:
		return err
	}
	defer end()
	f.Bodies = !ofPTX
	var src *source
	var more []layoutcmd.File
	if info, statErr := os.Stat(rest[1]); s.typ != "" && statErr == nil && info.IsDir() {
		src, more, err = goPackage(rest[1], s.typ)
	} else {
		src, err = read(e, rest[1])
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
	reports, err := s.reports(e, o, src, f)
	if err == nil {
		err = o.emitVerified(e, reports, src.source, strict, st)
	}
	if err == nil && src.wrong {
		return errFindings
	}
	return err
}

// verifyLayout compares compiled files with a type of a recorded layout.
func (s *structFlags) verifyLayout(e env, o *options, rest []string, strict bool, st verify.Style) error {
	if ok, err := (&series{options: o, run: runVerify, files: rest}).each(e); ok {
		return err
	}
	switch {
	case len(rest) != 1 || rest[0] == "":
		return o.errorf("%s beside -layout, expected one at least: CUBIN", prose.Count(len(rest), "file"))
	case rest[0] == "-" && s.layout == "-":
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
	f, end, err := openCompiled(e, rest[0], true, o.row)
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
		return verify.Struct{}, fmt.Errorf("%s: %w", file, disk.Reason(err))
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

// reports compares the chosen images of a file with the source. Of several those that share nothing with it are
// left out, but for PTX whose module shares something: that has drifted.
func (s *structFlags) reports(e env, o *options, src *subject, f *compiled.File) ([]*verify.Report, error) {
	c, err := s.choose(e, o, src, f)
	if err != nil {
		return nil, err
	}
	s.say(e, c, src, f)
	type compared struct {
		*verify.Report
		name    string
		module  uint64
		ptx     bool
		virtual string // what the PTX that it was made of is for; "" if that is not recorded
		kernels []string
	}
	var all []compared
	shared := make(map[uint64]bool)
	cubins := 0
	if err := openAll(e, f, c, func(b *compiled.Binary) error {
		if b.PTX == nil {
			cubins++
		} else if s.typ != "" && len(c.Images) > 1 && len(b.Kernels()) == 0 {
			e.tell(diag.Note, b.Name, 0, "left out: it has no kernel")
			return nil
		}
		t, err := o.row(b.Arch)
		if err != nil {
			return fmt.Errorf("%s: %w", b.Name, err)
		}
		r, err := s.report(e, o, src, b, t)
		if err != nil {
			return err
		}
		one := compared{Report: r, name: b.Name, module: b.Module, ptx: b.PTX != nil, virtual: b.MadeFor()}
		if s.kernel != "" {
			one.kernels = b.Kernels()
		}
		all = append(all, one)
		shared[b.Module] = shared[b.Module] || r.Shared()
		return nil
	}); err != nil {
		return nil, err
	}
	if own := src.arch(); own != nil && o.target == "" {
		// A compiler makes PTX for each architecture that it is told, which may be meant to differ.
		name := fmt.Sprintf("sm_%d", own.SM)
		of := func(r compared) bool { return r.virtual == name || r.virtual == "" }
		if slices.ContainsFunc(all, of) {
			var others []string
			n := len(all)
			all = slices.DeleteFunc(all, func(r compared) bool {
				out := !of(r) && !r.OK()
				if out && !slices.Contains(others, r.virtual) {
					others = append(others, r.virtual)
				}
				return out
			})
			if n -= len(all); n > 0 {
				e.tell(diag.Note, f.Name, 0, "left out: %s made of PTX for %s, which differ from %s for %s: -target compares them", prose.Count(n, "image"), compiled.Span(others), src.name, own.Name)
			}
		}
	}
	var reports []*verify.Report
	var ofSource []string // kernels of the source
	for _, r := range all {
		other := cubins > 1
		if r.ptx {
			other = len(all) > 1 && !shared[r.module]
		}
		if other && !r.Shared() && !src.empty() {
			if s.typ != "" && s.kernel != "" {
				e.tell(diag.Note, r.name, 0, "left out: it has no kernel %s", s.kernel)
			} else {
				e.tell(diag.Note, r.name, 0, "left out: it has nothing that %s defines", src.name)
			}
			continue
		}
		names := r.kernels
		if s.typ == "" {
			for _, k := range r.Kernels {
				names = append(names, k.Name)
				if k.Line > 0 {
					ofSource = append(ofSource, k.Name)
				}
			}
		}
		switch {
		case s.typ == "" && s.kernel != "" && !r.Only(s.kernel):
			return nil, fmt.Errorf("%s and %s: neither has a kernel %s%s", r.name, src.name, s.kernel, verify.Like(s.kernel, names))
		case s.typ != "" && !r.Shared():
			e.tell(diag.Note, r.name, 0, "it has no kernel %s%s", s.kernel, verify.Like(s.kernel, names))
		}
		if n := len(c.Modules); n > 1 {
			r.Module, r.Modules = c.Number(f, r.module), n
		}
		reports = append(reports, r.Report)
	}
	switch {
	case len(reports) == 0 || src.empty() && !slices.ContainsFunc(reports, (*verify.Report).OK):
		return nil, s.nothing(src, f, c.Images)
	case s.typ == "" && s.kernel != "" && !slices.ContainsFunc(reports, (*verify.Report).Declares):
		return nil, fmt.Errorf("%s has no kernel %s%s", src.name, s.kernel, verify.Like(s.kernel, ofSource))
	}
	return reports, nil
}

// nothing is the error for images of which none has what is compared.
func (s *structFlags) nothing(src *subject, f *compiled.File, images []int) error {
	if src.empty() {
		return fmt.Errorf("%s defines no kernel or function", src.name)
	}
	if s.kernel == "" {
		return fmt.Errorf("%s: none of %s has anything that %s defines", f.Name, f.Kinds(images), src.name)
	}
	names := f.Kernels(images)
	if slices.ContainsFunc(names, func(n string) bool { return verify.Named(n, s.kernel) }) {
		return fmt.Errorf("%s has no kernel %s", src.name, s.kernel)
	}
	return fmt.Errorf("%s: none of %s has a kernel %s%s", f.Name, f.Kinds(images), s.kernel, verify.Like(s.kernel, names))
}

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

// report compares one cubin or PTX image with the source, or with a struct of it.
func (s *structFlags) report(e env, o *options, src *subject, f *compiled.Binary, t *abi.Target) (*verify.Report, error) {
	if s.typ == "" {
		all, err := src.on(e, o, &f.Binary, t)
		if err != nil {
			return nil, err
		}
		return f.Compare(all), nil
	}
	kernel, err := f.Kernel(s.kernel)
	if errors.As(err, new(compiled.ChoiceError)) {
		err = o.errorf("%w", err)
	}
	if err != nil {
		return nil, err
	}
	param := s.param
	if fn := f.Func(kernel); fn != nil && len(fn.Params) == 1 && !o.Given("param") {
		param = 0
	}
	return f.CompareStruct(s.Struct, t, kernel, param), nil
}

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/verify"
)

const verifyHelp = `usage: ptxabi verify [flags] CUBIN FILE

Verify compares compiled kernels with their source: each parameter's offset and
size, the size of the block, its place in the constant bank, kernels and
functions missing on either side, the extents of blocks that .maxntid and
.reqntid give, and the registers that .maxnreg, .maxntid,
.reqntid and .minnctapersm leave to a kernel; of PTX also results and parameters
of the functions that others call, whether frames have room for what the calls
need that are in the code, and whether PTX of the module's .target runs on the
cubin's architecture. CUBIN is a cubin, a fatbin, or an object, executable or
library of objects, ELF or PE, with either in it; of several cubins each is
compared but for those that have nothing of FILE, which are other modules. PTX in
it, which a driver compiles, is compared as cubins are, but that of registers it has
directives alone, and no frames. FILE is
a PTX module, or a C or CUDA file that declares kernels, as __global__ or with the
attribute global: C++ has its own names for them in a cubin, made of the types of
the parameters; one whose name is not there as it should be goes by that of the
only kernel that it can be, which differs from it in a type, or by its name alone
where a type is not spelled, which the report says. A cubin has no names of
parameters: PTX with two of one size in another order is the same, which diff of
the PTX files shows. One of the two may be -, standard input, where FILE is
PTX.

With -type it compares one struct of a Go, C or CUDA file with one kernel: field
by field with all its parameters, which a launch may pass as one buffer, or as a
whole with the parameter that -param names or that is the kernel's only one. What
is inside of a parameter no cubin records.

Where something differs both layouts are shown side by side, the first parameter
that differs marked, and the exit status is 1.

  -target SM     the cubins for that architecture, and the PTX with that .target,
                 alone
  -kernel NAME   that kernel alone, by its name in the cubin or the one that C++
                 made it of; with -type it may be left out if there is but one
  -type NAME     the struct; FILE is then not searched for kernels, and may be the
                 folder of a Go package
  -param N       the parameter that -type is for, counted from 0
  -format FORM   text or json, whose form docs/schemas/verify.schema.json
                 describes
` + diagHelp + `
Examples:

  ptxabi verify x.cubin x.ptx
  ptxabi verify -format json a.out x.ptx
  ptxabi verify -type Params -kernel step x.cubin x.go
`

func runVerify(e env, args []string) error {
	o := newOptions("verify")
	var s structFlags
	o.set.StringVar(&o.target, "target", "", "")
	o.set.StringVar(&s.typ, "type", "", "")
	o.set.StringVar(&s.kernel, "kernel", "", "")
	o.set.IntVar(&s.param, "param", verify.Whole, "")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if err := o.oneOf("format", o.format, "text", "json"); err != nil {
		return err
	}
	switch {
	case len(rest) != 2 || rest[0] == "" || rest[1] == "":
		return o.errorf("%s, expected two: CUBIN FILE", count(len(rest), "file"))
	case s.typ == "" && o.given("type"):
		return o.errorf("-type is empty: it names a struct of %s, and without it FILE is searched for kernels", rest[1])
	case s.typ == "" && o.given("param"):
		return o.errorf("-param says what the struct is for that -type names")
	case s.kernel == "" && o.given("kernel"):
		return o.errorf("-kernel is empty: it names the kernel that is compared")
	case o.given("param") && s.param < 0:
		return o.errorf("-param %d: parameters count from 0", s.param)
	}
	if rest[0] == "-" && rest[1] == "-" {
		return o.errorf("CUBIN and FILE are both -: standard input is one of them at most")
	}
	files, err := compiled(e, rest[0])
	if err != nil {
		return err
	}
	if files, err = o.forTarget(rest[0], files); err != nil {
		return err
	}
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
	reports, err := s.reports(e, o, src, files)
	if err != nil {
		return err
	}
	return o.emitVerified(e, reports)
}

// forTarget are the cubins and the PTX for -target, all of them where it is not given.
func (o *options) forTarget(file string, files []binary) ([]binary, error) {
	if o.target == "" {
		return files, nil
	}
	t, err := lookup(o.target, false)
	if err != nil {
		return nil, err
	}
	var all []binary
	var have []string
	for _, f := range files {
		if f.Arch == t.Name {
			all = append(all, f)
		} else if !slices.Contains(have, f.Arch) {
			have = append(have, f.Arch)
		}
	}
	if len(all) == 0 {
		what := "no cubin"
		if slices.ContainsFunc(files, func(f binary) bool { return f.ptx != nil }) {
			what = "neither cubin nor PTX"
		}
		return nil, o.errorf("%s has %s for %s, only for %s", file, what, t.Name, strings.Join(have, ", "))
	}
	return all, nil
}

// reports compares each cubin and PTX image with the source. Of several those that
// share nothing with it are other modules of the program, but for PTX whose module
// shares something: that has drifted.
func (s *structFlags) reports(e env, o *options, src *source, files []binary) ([]*verify.Report, error) {
	all := make([]*verify.Report, len(files)) // nil: left out
	shared := make(map[uint64]bool)
	modules := make(map[uint64]bool)
	cubins := 0
	for i := range files {
		f := &files[i]
		modules[f.module] = true
		if f.ptx == nil {
			cubins++
		} else if s.typ != "" && len(files) > 1 && len(f.Kernels()) == 0 {
			fmt.Fprintf(e.stderr, "%s: note: left out: it has no kernel\n", printable(f.name))
			continue
		}
		t, err := lookup(f.Arch, false)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if all[i], err = s.report(e, o, src, f, t); err != nil {
			return nil, err
		}
		shared[f.module] = shared[f.module] || all[i].Shared()
	}
	var reports []*verify.Report
	for i, r := range all {
		if r == nil {
			continue
		}
		f := &files[i]
		other := cubins > 1 || len(modules) > 1
		if f.ptx != nil {
			other = len(files) > 1 && !shared[f.module]
		}
		if other && !r.Shared() {
			fmt.Fprintf(e.stderr, "%s: note: left out: it has nothing that %s defines\n", printable(f.name), printable(s.what(src)))
			continue
		}
		names := f.Kernels()
		if s.typ == "" {
			for _, k := range r.Kernels {
				names = append(names, k.Name)
			}
		}
		switch {
		case s.typ == "" && s.kernel != "" && !r.Only(s.kernel):
			return nil, fmt.Errorf("%s and %s: neither has a kernel %s%s", f.name, src.name, s.kernel, kernelLike(s.kernel, names))
		case s.typ != "" && !r.Shared():
			fmt.Fprintf(e.stderr, "%s: note: it has no kernel %s%s\n", printable(f.name), printable(s.kernel), printable(kernelLike(s.kernel, names)))
		}
		reports = append(reports, r)
	}
	if len(reports) == 0 {
		like := ""
		if s.kernel != "" {
			like = kernelLike(s.kernel, kernelsOf(files))
		}
		return nil, fmt.Errorf("none of %s has anything that %s defines%s", kinds(files), s.what(src), like)
	}
	return reports, nil
}

// what is looked for in the cubins.
func (s *structFlags) what(src *source) string {
	if s.typ != "" && s.kernel != "" {
		return "-kernel " + s.kernel
	}
	return src.name
}

// emitVerified writes what was found.
func (o *options) emitVerified(e env, reports []*verify.Report) error {
	doc, err := verify.JSON(reports)
	if err != nil {
		return err
	}
	same := true
	var texts []string
	for _, r := range reports {
		same, texts = same && r.OK(), append(texts, r.Text())
	}
	return o.emitReports(e, doc, texts, same)
}

// structFlags say which struct is compared with which kernel.
type structFlags struct {
	typ, kernel string
	param       int
	verify.Struct
}

// report compares one cubin or PTX image with the source, or with a struct of it.
func (s *structFlags) report(e env, o *options, src *source, f *binary, t *abi.Target) (*verify.Report, error) {
	if s.typ == "" {
		all, err := declared(e, o, src, f, t)
		if err != nil {
			return nil, err
		}
		if f.ptx != nil {
			return f.ptx.Compare(f.name, f.number, all), nil
		}
		return verify.Compare(f.name, f.File, all), nil
	}
	kernel, err := aKernel(o, f, s.kernel)
	if err != nil {
		return nil, err
	}
	param := s.param
	if fn := f.Func(kernel); fn != nil && len(fn.Params) == 1 && !o.given("param") {
		param = 0
	}
	if f.ptx != nil {
		return f.ptx.CompareStruct(f.name, f.number, s.Struct, t, kernel, param), nil
	}
	return verify.CompareStruct(f.name, f.File, s.Struct, t, kernel, param), nil
}

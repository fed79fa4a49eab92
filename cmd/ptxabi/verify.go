package main

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cubin"
	"github.com/ptxabi/ptxabi/internal/verify"
)

const verifyHelp = `usage: ptxabi verify [flags] CUBIN FILE

Verify compares compiled kernels with their source: each parameter's offset and
size, the size of the block, its place in the constant bank, kernels and
functions missing on either side, frames, and the registers that .maxnreg,
.maxntid and .reqntid leave to a kernel; and whether PTX of the module's .target
runs on the cubin's architecture. CUBIN is a cubin, a fatbin, or an object or
executable with either in it; of several cubins each is compared. FILE is a PTX
module, or a C or CUDA file that declares kernels: C++ has its own names for them
in a cubin, and one goes by its name there if there is but one kernel that it can
be. One of the two may be -, standard input, where FILE is PTX.

With -type it compares one struct of a Go, C or CUDA file with one kernel: field
by field with all its parameters, which a launch may pass as one buffer, or as a
whole with the parameter that -param names or that is the kernel's only one. What
is inside of a parameter no cubin records.

Where something differs both layouts are shown side by side, the first parameter
that differs marked, and the exit status is 1.

  -type NAME     the struct; FILE is then not searched for kernels
  -kernel NAME   the kernel that -type is for; it may be left out if there is but
                 one
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
		return o.errorf("%d files, expected two: CUBIN FILE", len(rest))
	case s.typ == "" && (o.given("type") || o.given("kernel") || o.given("param")):
		return o.errorf("-kernel and -param say what the struct is for that -type names")
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
	src, err := read(e, rest[1])
	if err != nil {
		return err
	}
	if s.typ != "" {
		if s.Struct, err = aStruct(e, o, src, s.typ); err != nil {
			return err
		}
	}
	var reports []*verify.Report
	same := true
	for _, f := range files {
		t, err := lookup(f.Arch, false)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		r, err := s.report(e, o, src, f, t)
		if err != nil {
			return err
		}
		reports, same = append(reports, r), same && r.OK()
	}
	out, err := verify.JSON(reports)
	if err != nil {
		return err
	}
	if o.format == "text" {
		out = nil
		for i, r := range reports {
			if i > 0 {
				out = append(out, '\n')
			}
			// Names of a cubin are whatever it says.
			for line := range strings.Lines(r.Text()) {
				out = append(append(out, printable(strings.TrimSuffix(line, "\n"))...), '\n')
			}
		}
	}
	if err := o.emit(e, out); err != nil {
		return err
	}
	if !same {
		return errFindings
	}
	return nil
}

// structFlags say which struct is compared with which kernel.
type structFlags struct {
	typ, kernel string
	param       int
	verify.Struct
}

// report compares one cubin with the source, or with a struct of it.
func (s *structFlags) report(e env, o *options, src *source, f binary, t *abi.Target) (*verify.Report, error) {
	if s.typ == "" {
		all, err := declared(e, o, src, f.File, t)
		if err != nil {
			return nil, err
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
	return verify.CompareStruct(f.name, f.File, s.Struct, t, kernel, param), nil
}

// A binary is a cubin with the name of the file it is in, and where it is there.
type binary struct {
	*cubin.File
	name string
}

// compiled reads the cubins of a file, or of standard input for "-".
func compiled(e env, file string) ([]binary, error) {
	var data []byte
	var err error
	if file == "-" {
		file = "<stdin>"
		data, err = readSome(e.stdin, maxInput)
	} else {
		data, err = readFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, reason(err))
	}
	images, err := cubin.Images(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []binary
	var other []string
	for _, m := range images {
		if m.Kind != cubin.Cubin {
			other = append(other, m.Kind.String())
			continue
		}
		b, err := m.Contents()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		f, err := cubin.Open(b)
		name := file
		if len(images) > 1 || m.Where != "" {
			name = fmt.Sprintf("%s(0x%x)", file, m.Offset)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, binary{f, name})
	}
	switch {
	case len(all) > 0:
		return all, nil
	case len(other) > 0:
		return nil, fmt.Errorf("%s: no cubin in it, only %s", file, strings.Join(other, ", "))
	}
	return nil, fmt.Errorf("%s: no cubin in it", file)
}

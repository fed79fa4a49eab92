package main

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cubin"
	"github.com/ptxabi/ptxabi/internal/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/verify"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
)

const verifyHelp = `usage: ptxabi verify [flags] CUBIN FILE

Verify compares compiled kernels with their source: each parameter's offset and
size, the size of the block, its place in the constant bank, kernels and
functions missing on either side, and .maxnreg. CUBIN is a cubin, a fatbin, or an
object or executable with either in it; of several cubins each is compared. FILE
is a PTX module, or a C or CUDA file that declares kernels.

Where something differs both layouts are shown side by side, the first parameter
that differs marked, and the exit status is 1.

  -format FORM   text or json, whose form docs/schemas/verify.schema.json
                 describes
` + diagHelp + `
Examples:

  ptxabi verify x.cubin x.ptx
  ptxabi verify -format json a.out x.ptx
`

func runVerify(e env, args []string) error {
	o := newOptions("verify")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if err := o.oneOf("format", o.format, "text", "json"); err != nil {
		return err
	}
	if len(rest) != 2 || rest[0] == "" || rest[1] == "" {
		return o.errorf("%d files, expected two: CUBIN FILE", len(rest))
	}
	if path.Ext(rest[1]) == ".go" {
		return o.errorf("Go files are not there yet; ptxparam -emit-ptx makes a module of one")
	}
	files, err := compiled(rest[0])
	if err != nil {
		return err
	}
	src, err := read(e, rest[1])
	if err != nil {
		return err
	}
	var reports []*verify.Report
	same := true
	for _, f := range files {
		t, err := lookup(f.Arch, false)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		s, err := declared(e, o, src, f.File, t)
		if err != nil {
			return err
		}
		r := verify.Compare(f.name, f.File, s)
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

// A binary is a cubin with the name of the file it is in, and where it is there.
type binary struct {
	*cubin.File
	name string
}

// compiled reads the cubins of a file.
func compiled(file string) ([]binary, error) {
	data, err := readFile(file)
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

// declared is what a source declares, laid out on a target.
func declared(e env, o *options, src *source, f *cubin.File, t *abi.Target) (*verify.Source, error) {
	if ext := strings.ToLower(path.Ext(src.name)); ext == ".ptx" || src.path == "" {
		m, list, err := src.parse()
		if err != nil {
			return nil, err
		}
		newPrinter(e, o.color, src).all(list)
		if list.Err() != nil {
			return nil, errFindings
		}
		return verify.FromPTX(m, t), nil
	}
	res, err := layoutcmd.Load(src.name, src.text, layoutcmd.Options{Target: t, Producer: layout.NVCC, FS: systemFiles{}})
	if err != nil {
		return nil, o.errorf("%w", err)
	}
	list := append(complaints(res.Warnings, ptx.SeverityWarning), complaints(res.Complaints, ptx.SeverityError)...)
	newPrinter(e, o.color, src).all(list)
	switch {
	case len(res.Complaints) > 0:
		return nil, errFindings
	case len(res.Kernels) == 0:
		return nil, fmt.Errorf("%s: %w", src.name, errNoKernels)
	}
	return fromKernels(src.name, res.Kernels, f, t), nil
}

var errNoKernels = errors.New("it declares no kernels: no __global__ functions")

// fromKernels takes the kernels of C declarations. A kernel that C++ has given
// another name goes by the name in the cubin, if it can be but one.
func fromKernels(name string, kernels []*layoutcmd.Kernel, f *cubin.File, t *abi.Target) *verify.Source {
	s := &verify.Source{Name: name, Target: t}
	for _, k := range kernels {
		out := verify.SourceKernel{Name: linkName(f, k.Name), Line: k.Pos.Line, Block: &verify.Block{
			Bank: int(k.Block.Bank), Base: k.Block.Base, Size: k.Block.Size, Params: []verify.Param{},
		}}
		for _, p := range k.Params {
			size := p.Param.Bytes
			if size < 0 {
				size = p.Layout.Size
			}
			out.Block.Params = append(out.Block.Params, verify.Param{
				Name: p.Name, Type: p.Layout.Type.String(), Offset: p.Loc.Off - k.Block.Base, Size: int(size),
			})
		}
		s.Kernels = append(s.Kernels, out)
	}
	return s
}

// linkName is the name of a kernel in a cubin.
func linkName(f *cubin.File, name string) string {
	if f.Func(name) != nil {
		return name
	}
	found := name
	for _, fn := range f.Functions {
		if fn.Kernel && strings.HasPrefix(fn.Name, fmt.Sprintf("_Z%d%s", len(name), name)) {
			if found != name {
				return name
			}
			found = fn.Name
		}
	}
	return found
}

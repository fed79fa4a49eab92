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

// declared is what a source declares, laid out on a target.
func declared(e env, o *options, src *source, f *cubin.File, t *abi.Target) (*verify.Source, error) {
	switch ext := strings.ToLower(path.Ext(src.name)); {
	case ext == ".go":
		return nil, o.errorf("%s is a Go file, which declares no kernels: -type names the struct of it that one takes", src.name)
	case ext == ".ptx" || src.path == "":
		m, list, err := src.parse()
		if err != nil {
			return nil, err
		}
		newPrinter(e, o.color, src).all(list)
		if list.Err() != nil {
			return nil, errFindings
		}
		out := verify.FromPTX(m, t)
		out.Misfit = misfit(m, t)
		return out, nil
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

// misfit says why no cubin for t can be of the module, "" if one can.
func misfit(m *ptx.Module, t *abi.Target) string {
	own, err := archOf(m.Target)
	if m.Target == "" || err != nil || own.refuse(arch{t.Name, t.SM, t.Suffix}) == nil {
		return ""
	}
	return fmt.Sprintf("code for %s, which %s is not compiled for: its .target is %s", t.Name, m.Name, own.name)
}

var errNoKernels = errors.New("it declares no kernels: no __global__ functions")

// fromKernels takes the kernels of C declarations. A kernel that C++ has given
// another name goes by the name in the cubin, if it can be but one.
func fromKernels(name string, kernels []*layoutcmd.Kernel, f *cubin.File, t *abi.Target) *verify.Source {
	s := &verify.Source{Name: name, Target: t}
	for _, k := range kernels {
		out := verify.SourceKernel{Name: k.Name, Line: k.Pos.Line, Block: &verify.Block{
			Bank: int(k.Block.Bank), Base: k.Block.Base, Size: k.Block.Size, Params: []verify.Param{},
		}}
		switch names := verify.Linked(f, k.Name); len(names) {
		case 0:
		case 1:
			out.Name = names[0]
		default:
			out.Candidates = names
		}
		for _, p := range k.Params {
			size := p.Param.Bytes
			if size < 0 {
				size = p.Layout.Size
			}
			off := p.Loc.Off - k.Block.Base
			out.Block.Params = append(out.Block.Params, verify.Param{
				Name: p.Name, Type: p.Layout.Type.String(), Offset: off, Size: int(size), Fields: verify.Fields(p.Layout, off),
			})
		}
		s.Kernels = append(s.Kernels, out)
	}
	return s
}

// aStruct reads the type that -type names.
func aStruct(e env, o *options, src *source, name string) (verify.Struct, error) {
	if path.Ext(src.name) == ".ptx" || src.path == "" {
		return verify.Struct{}, o.errorf("-type is for a Go, C or CUDA file, and %s is PTX", src.name)
	}
	res, err := layoutcmd.Load(src.name, src.text, layoutcmd.Options{Types: []string{name}, Producer: layout.NVCC, FS: systemFiles{}})
	if err != nil {
		return verify.Struct{}, fmt.Errorf("%s: %w", src.name, err)
	}
	list := append(complaints(res.Warnings, ptx.SeverityWarning), complaints(res.Complaints, ptx.SeverityError)...)
	newPrinter(e, o.color, src).all(list)
	if len(res.Complaints) > 0 {
		return verify.Struct{}, errFindings
	}
	rec := res.Records[0]
	for _, n := range rec.Notes {
		note := &ptx.Error{
			File: src.name, Pos: ptx.Pos{Line: uint32(rec.Pos.Line), Col: uint32(rec.Pos.Col)}, Severity: ptx.SeverityNote,
			Code: "Layout", Msg: rec.Name + ": " + n,
		}
		newPrinter(e, o.color, src).all(ptx.ErrorList{note})
	}
	size := rec.Param.Bytes
	if size < 0 || rec.Param.Indirect {
		size = rec.Layout.Size
	}
	return verify.Struct{File: src.name, Name: rec.Name, Line: rec.Pos.Line, Layout: rec.Layout, Size: int(size)}, nil
}

// aKernel is the kernel of a cubin that -kernel names, or the only one it has.
func aKernel(o *options, b binary, name string) (string, error) {
	names := verify.Linked(b.File, name)
	var have []string
	for i := range b.Functions {
		if fn := &b.Functions[i]; fn.Kernel {
			have = append(have, fn.Name)
		}
	}
	if name == "" {
		names = have
	}
	switch {
	case len(names) == 1:
		return names[0], nil
	case name == "" && len(names) == 0:
		return "", fmt.Errorf("%s: no kernel in it", b.name)
	case len(names) == 0:
		return name, nil // which the report says
	case name == "":
		return "", o.errorf("%s has %d kernels, and -kernel does not say which %s is for: %s", b.name, len(names), "-type", strings.Join(names, ", "))
	}
	return "", o.errorf("-kernel %s may mean each of %s", name, strings.Join(names, ", "))
}

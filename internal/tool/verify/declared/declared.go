// Package declared makes sources for package verify of what is declared in C and CUDA:
// their kernels, as package layoutcmd reads them.
package declared

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Misfit says why no cubin for t can be of the module, "" if one can.
func Misfit(m *ptx.Module, t *abi.Target) string {
	own, err := resolve.ParseArch(m.Target)
	if m.Target == "" || err != nil || own.RunsOn(resolve.ArchOf(t)) == nil {
		return ""
	}
	return fmt.Sprintf("code for %s, which %s is not compiled for: its .target is %s", t.Name, m.Name, own.Name)
}

// Source takes the kernels of C declarations. A kernel that C++ has given
// another name goes by the name in the cubin, if it can be but one; its
// parameters' types tell overloads apart.
func Source(name string, res *layoutcmd.Result, f *cubin.File, t *abi.Target) *verify.Source {
	kernels := res.Kernels
	s := &verify.Source{Name: name, Target: t}
	all := Kernels(kernels)
	for _, u := range res.Unit.Unread {
		all = append(all, verify.Declared{Name: u.Name})
	}
	linked := verify.Linked(f, all)
	for _, k := range kernels {
		out := verify.SourceKernel{Name: k.Name, Line: int(k.Pos.Line), Block: &verify.Block{
			Bank: int(k.Block.Bank), Base: k.Block.Base, Size: k.Block.Size, Params: []verify.Param{},
		}}
		for _, p := range k.Params {
			size := p.Param.Bytes
			if size < 0 {
				size = p.Layout.Size
			}
			off := p.Loc.Off - k.Block.Base
			one := verify.ParamOf(p.Name, p.Type, p.Layout, off, int(size))
			if p.Pos.File == k.Pos.File {
				one.At(int(p.Pos.Line))
			}
			out.Block.Params = append(out.Block.Params, one)
		}
		out.Launch(k.Bounds, t)
		s.Kernels = append(s.Kernels, out)
	}
	for _, u := range res.Unit.Unread {
		s.Kernels = append(s.Kernels, verify.SourceKernel{Name: u.Name, Line: int(u.Pos.Line), Unread: u.Why})
	}
	for i, names := range linked {
		switch k := &s.Kernels[i]; {
		case len(names) > 1:
			k.Candidates = names
		case len(names) == 1:
			if k.Name = names[0]; i < len(kernels) {
				k.Named(all[i])
			}
		}
	}
	return s
}

// Kernels are kernels with the types by which overloads are told apart.
func Kernels(kernels []*layoutcmd.Kernel) []verify.Declared {
	var all []verify.Declared
	for _, k := range kernels {
		d := verify.Declared{Name: k.Name, Params: []layout.Type{}, C: k.C}
		for _, p := range k.Params {
			d.Params = append(d.Params, p.Layout.Type)
		}
		all = append(all, d)
	}
	return all
}

// Module is what a module of PTX declares, laid out on a target, to compare code or PTX with; partial says that it is what
// errors leave.
func Module(m *verify.Module, t *abi.Target, isPTX, partial bool) *verify.Source {
	out := m.On(t)
	out.Partial = partial
	if out.Misfit = Misfit(m.Module, t); out.Misfit != "" && isPTX {
		out.Misfit = "PTX, and so " + out.Misfit
	}
	return out
}

package verify

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// FromPTX lays the kernels of a module out on a target, and its functions.
func FromPTX(m *ptx.Module, t *abi.Target) *Source {
	s := &Source{Name: m.Name, Target: t, AddressSize: m.AddressSize, Complete: true, Areas: make(map[string]Area)}
	table := resolve.NewTable(m)
	for f, of := range table.Named(m) {
		if f.Entry {
			if f.HasBody {
				s.Kernels = append(s.Kernels, kernelOf(m, f, t))
			}
			continue
		}
		s.Functions = append(s.Functions, sourceFunc(f, of))
		if a, err := abi.Assign(resolve.Func(f), t); err == nil {
			s.Areas[f.Name] = area(lineOf(f.NamePos), &a)
		}
	}
	return s
}

func kernelOf(m *ptx.Module, f *ptx.Func, t *abi.Target) SourceKernel {
	k := SourceKernel{Name: f.Name, Line: lineOf(f.NamePos)}
	k.MaxRegs, k.RegsFrom = registers(f, t)
	k.Threads = threadsOf(f)
	params, s := resolve.Params(m, f), resolve.Func(f)
	s.Params = resolve.Values(params)
	var a abi.Assignment
	list := resolve.Assign(&a, s, t, resolve.Place{File: m.Name, Name: f.Name, Pos: f.NamePos, Params: params, Version: m.Version, Later: true})
	if len(list) > 0 {
		k.Err = list[0].Msg
		return k
	}
	k.Block, k.Older = sourceBlock(params, &a), handlesAsBytes(params, t)
	return k
}

// sourceBlock is the parameter block of an assignment.
func sourceBlock(params []ptx.Formal, a *abi.Assignment) *Block {
	b := &Block{Bank: int(a.Block.Bank), Base: a.Block.Base, Size: a.Block.Size, Params: []Param{}}
	for i, p := range a.Params {
		f := &params[i]
		q := Param{Name: f.Name, Type: typeOf(f), Size: p.Size, Offset: p.Loc.Off - a.Block.Base, handles: isHandles(f)}
		if f.Type.Class() == ptx.Handle {
			q.Handle, q.Offset, q.Size = strings.TrimPrefix(f.Type.String(), "."), -1, 0
		}
		b.Params = append(b.Params, q)
	}
	return b
}

// typeOf is a formal's type as PTX has it: ".u64", ".align 16 .b8[20]".
func typeOf(f *ptx.Formal) string {
	s := f.Type.String()
	if f.Align != 0 {
		s = fmt.Sprintf(".align %d %s", f.Align, s)
	}
	for _, d := range f.Dims {
		if d == ptx.NoExtent {
			s += "[]"
			continue
		}
		s += fmt.Sprintf("[%d]", d)
	}
	return s
}

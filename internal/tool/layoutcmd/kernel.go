package layoutcmd

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// nvccParams is how many bytes of parameters the front end of nvcc took before 12.1: 11.8 refuses 4,097, and 12.4 does
// not.
const nvccParams = 4096

// A Kernel is a __global__ function on the target asked for.
type Kernel struct {
	Name   string
	Pos    cdecl.Pos
	Block  abi.Block
	Params []KernelParam
	C      bool // extern "C"
	// Bounds are the numbers of __launch_bounds__, as in cdecl.FuncDecl.
	Bounds []int64
}

// A KernelParam is a parameter at its place in the constant bank.
type KernelParam struct {
	Name   string
	Pos    cdecl.Pos
	Type   layout.Type // as it is declared
	Layout *layout.Layout
	Param  layout.Param
	Loc    abi.Loc
	Notes  []string
}

// known reports whether the fields of p lie in the constant bank, in places that
// are known.
func (p *KernelParam) known(by layout.Producer) bool {
	return !p.Param.Indirect && (!cut(p.Param, p.Layout) || by != layout.NVCC)
}

// kernels assigns the parameters of the kernels of u.
func (r *Result) kernels(u *cdecl.Unit) {
	if r.Target == nil {
		r.limits(u)
		return
	}
	for _, f := range u.Funcs {
		if !f.Kernel || f.System {
			continue
		}
		if p, why := leftOut(u, f); why != "" {
			r.Warnings.Add(cdecl.New(p.Pos, diag.Warning, cdecl.Unsupported, "%s; the kernel %s is left out", why, f.Name))
			u.Unread = append(u.Unread, cdecl.Unread{Name: f.Name, Pos: f.Pos, Why: why})
			continue
		}
		if d := r.kernel(f); d != nil {
			r.Errors.Add(d)
		}
	}
}

// limits reports the kernels that nvcc's own limit is for, which has nothing to do with a target: blocks are placed
// on one that takes more.
func (r *Result) limits(u *cdecl.Unit) {
	t, err := abi.Lookup("sm_90")
	if r.Producer != layout.NVCC || err != nil {
		return
	}
	on := Result{Options: r.Options}
	on.Target = t
	for _, f := range u.Funcs {
		if _, why := leftOut(u, f); f.Kernel && !f.System && why == "" {
			_ = on.kernel(f) // whose errors are those of a target
		}
	}
	r.Warnings = append(r.Warnings, on.Warnings...)
}

// leftOut is the first parameter whose type was left out, with the reason; "" if
// there is none.
func leftOut(u *cdecl.Unit, f *cdecl.FuncDecl) (p cdecl.Param, why string) {
	for _, p := range f.Params {
		if why := u.LeftOut(p.Type); why != "" {
			return p, fmt.Sprintf("%s: %s", p.Type, why)
		}
	}
	return cdecl.Param{}, ""
}

// ofParam lays out the type of a parameter as the producer passes it.
func (r *Result) ofParam(t layout.Type) (*layout.Layout, error) {
	rules := r.passing()
	if _, record := layout.Unalias(t).(*layout.Record); !record {
		rules.LongDouble = r.Rules.LongDouble // by itself it is a double
	}
	return r.of(t, rules)
}

// kernel adds a kernel to the result, or returns why there is none.
func (r *Result) kernel(f *cdecl.FuncDecl) *diag.Diagnostic {
	k := &Kernel{Name: f.Name, Pos: f.Pos, C: f.C, Bounds: f.Bounds}
	sig := abi.Signature{Kind: abi.Entry}
	for i, p := range f.Params {
		l, err := r.ofParam(p.Type)
		if err != nil {
			return cdecl.New(p.Pos, diag.Error, cdecl.BadType, "parameter %d of %s: %v", i, f.Name, err)
		}
		name := cmp.Or(p.Name, fmt.Sprintf("%s_param_%d", identifier(f.Name), i))
		var notes []string
		if why := l.Doubt(r.Producer); why != "" {
			notes = append(notes, doubtful(r.Producer, why))
		}
		param := l.ParamOf(r.Producer, layout.KernelArgument, name)
		size, align := param.Extent()
		if size > 1<<20 {
			return cdecl.New(p.Pos, diag.Error, cdecl.BadType, "parameter %s of %s has %d bytes, %s passes at most %d",
				name, f.Name, size, r.Target.Name, max(r.Target.Kernel.MaxParams, r.Target.Kernel.LargeParams))
		}
		sig.Params = append(sig.Params, abi.Value{Size: int(size), Align: int(align)})
		k.Params = append(k.Params, KernelParam{Name: name, Pos: p.Pos, Type: p.Type, Layout: l, Param: param, Notes: notes})
	}
	a, err := abi.Assign(sig, r.Target)
	if err != nil {
		return refused(f, k, err)
	}
	k.Block = a.Block
	if r.Producer == layout.NVCC && k.Block.Size > nvccParams {
		r.Warnings.Add(cdecl.New(f.Pos, diag.Note, cdecl.Ignored, "kernel %s takes %d bytes of parameters; nvcc before 12.1 takes %d at most, whatever the architecture", f.Name, k.Block.Size, nvccParams))
	}
	for i := range k.Params {
		k.Params[i].Loc = a.Params[i].Loc
	}
	r.Kernels = append(r.Kernels, k)
	return nil
}

// refused names the parameter that the convention cannot take.
func refused(f *cdecl.FuncDecl, k *Kernel, err error) *diag.Diagnostic {
	var list abi.ErrorList
	if errors.As(err, &list) && len(list) > 0 && list[0].Param >= 0 && list[0].Param < len(k.Params) {
		i := list[0].Param
		return cdecl.New(f.Params[i].Pos, diag.Error, cdecl.BadType, "kernel %s: parameter %s %s", f.Name, k.Params[i].Name, list[0].Msg)
	}
	return cdecl.New(f.Pos, diag.Error, cdecl.BadType, "kernel %s: %v", f.Name, err)
}

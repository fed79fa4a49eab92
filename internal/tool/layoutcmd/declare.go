package layoutcmd

import (
	"cmp"
	"fmt"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
)

// Note is the code of what is to be known of how a type is laid out.
const Note diag.Code = "Layout"

// A Declaration is a function of C as its producer declares it in PTX.
type Declaration struct {
	// Func has the positions of C: of the function, and for its formals of what they
	// stand for.
	Func *ptx.Func
	// Formals are what stands for the parameters of Func, in order.
	Formals []DeclaredFormal
	// Result is what the function returns, also where Func has a parameter for it; the
	// zero value where it returns nothing.
	Result DeclaredFormal
	Notes  diag.List
}

// A DeclaredFormal is a parameter in PTX. Two may stand for one of C. C is the index of what it stands for among
// the parameters of C; -1 for the address of a result, and the number of parameters for
// what stands for variable arguments.
type DeclaredFormal struct {
	C int
	// Type is that of the value: the result's for -1, nil for variable arguments, and
	// where two formals stand for one parameter the part's. Layout is how the producer
	// lays it out; nil where Type is.
	Type   layout.Type
	Layout *layout.Layout
	// Offset is where a part begins in the parameter, in bytes.
	Offset int64
	// Indirect says that the formal is the address of the value.
	Indirect bool
}

// maxDeclared is the size of a value, in bytes, beyond which no target passes one.
const maxDeclared = 1 << 29

// Declare returns the declaration that r's producer makes of f, a function of r's unit,
// under a name of PTX. A result in memory that the producer has a parameter for is the
// first parameter. A record without bytes, which C has, is an array without extent in
// PTX, as clang writes it: the assembler takes one at the end alone. The diagnostic says why there is no declaration; nil if there is one.
func (r *Result) Declare(f *cdecl.FuncDecl, name string) (*Declaration, *diag.Diagnostic) {
	d := &Declaration{Func: &ptx.Func{Pos: f.Pos.Pos, NamePos: f.Pos.Pos, Linkage: ptx.Visible, Entry: f.Kernel, Name: name, HasParams: true}}
	if p, why := leftOut(r.Unit, f); why != "" {
		return nil, cdecl.New(p.Pos, diag.Error, cdecl.Unsupported, "%s", why)
	}
	role := layout.Argument
	if f.Kernel {
		role = layout.KernelArgument
	}
	add := func(as DeclaredFormal, pos cdecl.Pos, p layout.Param) {
		d.Func.Params, d.Formals = append(d.Func.Params, formalOf(p, pos.Pos)), append(d.Formals, as)
	}
	if !isVoid(f.Result) {
		if f.Kernel {
			return nil, cdecl.New(f.Pos, diag.Error, cdecl.BadType, "the kernel %s returns %s, and kernels return nothing", f.Name, f.Result)
		}
		p, l, why := r.formal(d, f, f.Result, layout.Result, "result", f.Pos)
		if why != nil {
			return nil, why
		}
		d.Result = DeclaredFormal{C: -1, Type: f.Result, Layout: l, Indirect: p.Indirect}
		switch {
		case p.Indirect:
			add(d.Result, f.Pos, p)
		case p.String() != "" && p.Bytes != 0:
			d.Func.Results = []ptx.Formal{formalOf(p, f.Pos.Pos)}
		}
	}
	for i, c := range f.Params {
		own := cmp.Or(identifier(c.Name), fmt.Sprintf("%s_param_%d", name, i))
		offset := int64(0)
		for _, part := range r.parts(c.Type, own) {
			p, l, why := r.formal(d, f, part.typ, role, part.name, c.Pos)
			if why != nil {
				return nil, why
			}
			add(DeclaredFormal{C: i, Type: part.typ, Layout: l, Offset: offset, Indirect: p.Indirect}, c.Pos, p)
			offset += l.Size
		}
	}
	if f.Variadic {
		if f.Kernel {
			return nil, cdecl.New(f.Pos, diag.Error, cdecl.BadType, "the kernel %s takes any number of arguments, which no kernel can", f.Name)
		}
		add(DeclaredFormal{C: len(f.Params)}, f.Pos, r.tail(name))
	}
	return d, nil
}

// formalOf is p as PTX declares it.
func formalOf(p layout.Param, pos ptx.Pos) ptx.Formal {
	f := ptx.Formal{
		Pos:  pos,
		Spec: ptx.Spec{Space: ptx.ParamSpace, Type: ptx.TypeOf(p.Type), Align: p.Align},
		Var:  ptx.Var{Pos: pos, Name: p.Name},
	}
	if p.Bytes >= 0 {
		f.Dims = []int64{p.Bytes}
	}
	return f
}

// A part is what one parameter of PTX carries of one of C.
type part struct {
	typ  layout.Type
	name string
}

// parts returns a parameter as it is, but for complex numbers of GCC, which passes
// their parts. Seen with GCC 12, in testdata/real, of float and double.
func (r *Result) parts(t layout.Type, name string) []part {
	s, ok := layout.Unalias(t).(layout.Scalar)
	if r.Producer != layout.GCC || !ok || !s.Complex {
		return []part{{t, name}}
	}
	s.Complex = false
	return []part{{s, name + "_real"}, {s, name + "_imag"}}
}

// tail is what stands for variable arguments: with nvcc an array without extent, with
// the others the address of where they lie. Seen in the output of cicc 11.8 and 12.4,
// clang 19 and GCC 12 of testdata/real.
func (r *Result) tail(name string) layout.Param {
	switch r.Producer.Family() {
	case layout.Clang:
		return layout.Param{Name: name + "_vararg", Type: ".b64", Bytes: -1}
	case layout.GCC:
		return layout.Param{Name: name + "_vararg", Type: ".u64", Bytes: -1}
	}
	return layout.Param{Name: "%VAParam", Align: 8, Type: ".b8", Bytes: 0}
}

// formal declares one parameter or result of f.
func (r *Result) formal(d *Declaration, f *cdecl.FuncDecl, t layout.Type, role layout.Role, name string, pos cdecl.Pos) (layout.Param, *layout.Layout, *diag.Diagnostic) {
	l, err := r.ofParam(t)
	if err != nil {
		return layout.Param{}, nil, cdecl.New(pos, diag.Error, cdecl.BadType, "%s: %v", name, err)
	}
	p := l.ParamOf(r.Producer, role, name)
	switch {
	case r.Producer == layout.NVCC && cut(p, l) && !p.Indirect:
		return p, l, cdecl.New(pos, diag.Error, cdecl.BadType, "%s: nvcc's idea of its long double is not known", name)
	case r.warp() && !f.Kernel && p.Bytes >= 0:
		return p, l, cdecl.New(pos, diag.Error, cdecl.BadType, "%s: functions of Warp, which only its own code calls, pass records in other ways; of a kernel, __global__, they are known", name)
	case p.Bytes > maxDeclared:
		return p, l, cdecl.New(pos, diag.Error, cdecl.BadType, "%s has %d bytes, more than any target passes", name, p.Bytes)
	}
	if why := l.Doubt(r.Producer); why != "" {
		d.Notes.Add(cdecl.New(pos, diag.Note, Note, "%s of %s: %s", name, f.Name, doubtful(r.Producer, why)))
	}
	if p.Align > 128 && !f.Kernel {
		d.Notes.Add(cdecl.New(pos, diag.Note, Note, "%s of %s: ptxas refuses parameters of functions that are aligned to more than 128 bytes, this one is to %d", name, f.Name, p.Align))
	}
	return p, l, nil
}

func isVoid(t layout.Type) bool {
	s, ok := layout.Unalias(t).(layout.Scalar)
	return t == nil || ok && s.Kind == layout.Void
}

// Identifier makes a name that a function of PTX can have of a qualified C++ one.
func Identifier(name string) string {
	if name = identifier(name); name == "_" { // which is no name
		return "__"
	}
	return name
}

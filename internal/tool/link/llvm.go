package link

import (
	"fmt"

	"github.com/ptxabi/ptxabi/internal/source/llvmir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// AddLLVM adds a module of LLVM's intermediate language as the PTX that LLVM makes of it. Formals that it does not tell are
// not compared. The module goes into a link for any architecture.
func (s *Set) AddLLVM(p Place, from *llvmir.Module) {
	m := &ptx.Module{Name: p.Name, AddressSize: 64}
	if _, err := resolve.ParseArch(from.CPU); err == nil {
		m.Target = from.CPU
	}
	if from.Triple != "" && from.Triple[:min(7, len(from.Triple))] != "nvptx64" {
		m.AddressSize = 32
	}
	unknown := make(map[string]bool) // functions by their formals, and variables by their alignments
	for _, f := range from.Funcs {
		unknown[f.Name] = f.Unknown != ""
		m.Items = append(m.Items, llvmFunc(f))
	}
	for _, v := range from.Vars {
		unknown[v.Name] = v.Align == 0
		m.Items = append(m.Items, llvmVar(v))
	}
	for _, a := range from.Aliases {
		m.Items = append(m.Items, &ptx.Directive{Pos: a.Pos, Name: ".alias", Args: a.Name + ", " + a.Of})
	}
	out := &form{kind: Text, ir: true, arch: m.Target, bits: m.AddressSize, text: m}
	out.sites, out.own, out.graph = textSites(m)
	for _, one := range out.sites {
		one.ir = true
		if unknown[one.name] {
			one.fn, one.proto, one.align = nil, "", 0
		}
	}
	s.add(p, out)
}

// ptxLinkage is what PTX calls a linkage.
var ptxLinkage = map[llvmir.Linkage]ptx.Linkage{
	llvmir.Visible: ptx.Visible, llvmir.Extern: ptx.Extern, llvmir.Internal: ptx.NoLinkage, llvmir.Weak: ptx.Weak, llvmir.Common: ptx.Common,
}

// llvmFunc is a function in PTX, whose body does nothing but mention what that of LLVM mentions. It
// has a formal of no type where its formals are not known.
func llvmFunc(f *llvmir.Func) *ptx.Func {
	out := &ptx.Func{Pos: f.Pos, NamePos: f.Pos, Linkage: ptxLinkage[f.Linkage], Entry: f.Kernel, Name: f.Name, HasParams: true, HasBody: f.Defined}
	out.Body = mentionAll(f.Uses)
	if f.Unknown != "" {
		out.Params = []ptx.Formal{{Spec: ptx.Spec{Unknown: []ptx.UnknownWord{{}}}}}
		return out
	}
	if f.Result != nil {
		out.Results = []ptx.Formal{llvmFormal(f, *f.Result)}
	} else if f.NoReturn && !f.Kernel {
		out.Directives = []ptx.Directive{{Name: ".noreturn", Pos: f.Pos}}
	}
	for i := range f.Params {
		out.Params = append(out.Params, llvmFormal(f, f.Params[i]))
	}
	return out
}

// mentionAll are statements that mention symbols.
func mentionAll(uses []llvmir.Use) (all []ptx.Stmt) {
	for _, u := range uses {
		switch {
		case u.Call && u.Name == "":
			all = append(all, &ptx.Call{Instr: ptx.Instr{Pos: u.Pos, Op: "call"}, Proto: ptx.Operand{Kind: ptx.KindName, Text: "_"}})
		case u.Call:
			all = append(all, &ptx.Call{Instr: ptx.Instr{Pos: u.Pos, Op: "call"}, Callee: ptx.Operand{Kind: ptx.KindName, Text: u.Name}})
		default:
			all = append(all, &ptx.Instr{Pos: u.Pos, Op: "mov.u64", Args: "%rd, " + u.Name})
		}
	}
	return all
}

func llvmFormal(f *llvmir.Func, v llvmir.Formal) ptx.Formal {
	out := ptx.Formal{Pos: f.Pos, Spec: ptx.Spec{Space: ptx.ParamSpace, Type: numbers[v.Size]}, Var: ptx.Var{Pos: f.Pos, Name: v.Name}}
	if v.Bytes {
		out.Type, out.Align, out.AlignPos, out.Dims = ptx.B8, v.Align, f.Pos, []int64{v.Size}
	}
	return out
}

// numbers are the types of numbers by their bytes.
var numbers = map[int64]ptx.Type{1: ptx.B8, 2: ptx.B16, 4: ptx.B32, 8: ptx.B64}

// llvmVar is a variable as bytes.
func llvmVar(v *llvmir.Var) *ptx.Decl {
	spaces := map[int]ptx.Space{0: ptx.GlobalSpace, 1: ptx.GlobalSpace, 3: ptx.SharedSpace, 4: ptx.ConstSpace}
	out := &ptx.Decl{Pos: v.Pos, Linkage: ptxLinkage[v.Linkage], Spec: ptx.Spec{Space: spaces[v.Space], Type: ptx.B8, Align: v.Align}}
	if v.Handle {
		out.Type = ptx.TexRef
	}
	if v.Managed {
		out.Attr = ".managed"
	}
	one := ptx.Var{Pos: v.Pos, Name: v.Name, Dims: []int64{v.Size}}
	if v.Size < 0 || v.Unsized {
		one.Dims[0] = ptx.NoExtent // or not known
	}
	for _, u := range v.Uses {
		one.Init += u.Name + " "
	}
	if v.Value {
		one.Init += fmt.Sprint(1)
	}
	out.Vars = []ptx.Var{one}
	return out
}

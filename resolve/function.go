package resolve

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Kind is the kind of declaration of a [Function].
type Kind uint8

const (
	// Func is a .func.
	Func Kind = iota
	// Entry is an .entry, a kernel.
	Entry
	// Prototype is a .callprototype, the signature of calls through registers.
	Prototype
)

// String returns "func", "entry" or "prototype".
func (k Kind) String() string { return prose.Name("Kind", k, "func", "entry", "prototype") }

// A Function is a function, kernel or prototype with its formals. The zero Function is
// one without a name, parameters and results.
type Function struct {
	// Module is the module that declares it. Diagnostics have its name, and its version
	// limits the parameters of kernels. If it is nil, diagnostics have no name, and only
	// the target limits them.
	Module *ptx.Module
	// Decl is the declaration of a Func or Entry, and Proto that of a Prototype; the
	// other one is nil.
	Decl  *ptx.Func
	Proto *ptx.Prototype
	// Aliasee is the function of which Decl is an .alias; nil for functions that are not
	// aliases. The formals are those of the alias itself.
	Aliasee *ptx.Func

	Name    string
	Pos     diag.Pos // where the declaration begins
	NamePos diag.Pos
	// Params and Results are the formals, with the parameters that kernels of PTX 1.0 to
	// 1.3 declare in the body.
	Params, Results []ptx.Formal
}

// NewFunction returns the Function of f, a function or kernel of m. Aliasee is nil;
// [Functions] sets it. A nil module stands for one of the newest version.
func NewFunction(m *ptx.Module, f *ptx.Func) *Function {
	f = zero.Or(f)
	return &Function{Module: m, Decl: f, Name: f.Name, Pos: f.Pos, NamePos: f.NamePos, Params: Params(m, f), Results: f.Results}
}

// NewPrototype returns the Function of p, a prototype of m.
func NewPrototype(m *ptx.Module, p *ptx.Prototype) *Function {
	p = zero.Or(p)
	return &Function{Module: m, Proto: p, Name: p.Name, Pos: p.Pos, NamePos: p.Pos, Params: p.Params, Results: p.Results}
}

// Functions returns the functions, kernels and prototypes of a module in source order.
// Each function is listed once: at its definition, or if it has none, at its first
// declaration, which may be in a body. An alias is listed at its declaration.
func Functions(m *ptx.Module) []*Function { return slices.Collect(NewTable(m).Functions()) }

// Functions yields the functions that the function [Functions] returns, for the module of the table.
func (t *Table) Functions() iter.Seq[*Function] {
	t = zero.Or(t)
	return func(yield func(*Function) bool) {
		if t.module == nil { // the zero Table
			return
		}
		for _, it := range t.module.Items {
			for f := range t.In(it) {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// In yields those of [Table.Functions] that one item of the module declares: the item itself, and the declarations in its
// body. The item may be a function that a [ptx.Reader] has read from an outline.
func (t *Table) In(it ptx.Item) iter.Seq[*Function] {
	return func(yield func(*Function) bool) {
		one := func(s any) bool {
			switch s := s.(type) {
			case *ptx.Prototype:
				return yield(NewPrototype(t.module, s))
			case *ptx.Func:
				f := NewFunction(t.module, s)
				switch c := t.Lookup(s.Name); {
				case c == nil || c.Func == s || s.NamePos.IsValid() && c.Func.NamePos == s.NamePos:
				case c.Func.Name != s.Name && c.First == s.NamePos:
					f.Aliasee = c.Func
				default: // it is listed at its definition, or at its first declaration
					return true
				}
				return yield(f)
			}
			return true
		}
		if !one(it) {
			return
		}
		if f, ok := it.(*ptx.Func); ok {
			for _, s := range f.Body {
				if !one(s) {
					return
				}
			}
		}
	}
}

// Kind returns the kind of f's declaration.
func (f *Function) Kind() Kind {
	f = zero.Or(f)
	switch {
	case f.Proto != nil:
		return Prototype
	case f.Decl != nil && f.Decl.Entry:
		return Entry
	}
	return Func
}

// Directive returns the directive of that name, with its dot, after f's formals; nil
// if there is none.
func (f *Function) Directive(name string) *ptx.Directive {
	f = zero.Or(f)
	switch {
	case f.Proto != nil:
		return f.Proto.Directive(name)
	case f.Decl != nil:
		return f.Decl.Directive(name)
	}
	return nil
}

// Signature returns the signature of f, by which the convention places its values.
// Package abi refuses an invalid one, such as .abi_preserve of a kernel.
func (f *Function) Signature() abi.Signature {
	f = zero.Or(f)
	s := abi.Signature{Params: Values(f.Params), Results: Values(f.Results), Preserve: Preserve(f.Directive(PreserveName))}
	if f.Kind() == Entry && f.Known() {
		s.Kind = abi.Entry
	}
	return s
}

// Call returns the signature of a call of f, or through the prototype f, that passes
// args. It is that of f, except for the unsized array at the end of a variadic function's
// parameters: a call passes an array of any size for it, whose bytes count in
// [abi.Assignment.StackBytes], or nothing. The alignment is that of the parameter.
//
// The error, if any, has every reason why args cannot be passed to f: their number, their
// sizes, or that f is a kernel.
func (f *Function) Call(args ...abi.Value) (abi.Signature, error) {
	f = zero.Or(f)
	s := f.Signature()
	if s.Kind == abi.Entry {
		return abi.Signature{}, fmt.Errorf("%s is a kernel, which cannot be called", f.Name)
	}
	n := len(s.Params)
	variadic := n > 0 && s.Params[n-1].Kind == abi.Unsized
	switch {
	case variadic && len(args) == n-1:
	case len(args) != n:
		return abi.Signature{}, fmt.Errorf("%s for %s, which takes %d", prose.Count(len(args), "argument"), f.Name, n)
	}
	var errs []error
	if variadic && len(args) == n {
		tail := args[n-1]
		if s.Params[n-1].Size = tail.Size; tail.Size < 0 {
			errs = append(errs, fmt.Errorf("argument %d has %s, less than none", n-1, prose.Count(tail.Size, "byte")))
		}
		args = args[:n-1]
	}
	for i, arg := range args {
		switch p := s.Params[i]; {
		case arg.Kind != p.Kind:
			errs = append(errs, fmt.Errorf("argument %d is %s, %s of %s is %s", i, arg.Kind, f.Params[i].Name, f.Name, p.Kind))
		case arg.Size != p.Size:
			errs = append(errs, fmt.Errorf("argument %d has %s, %s of %s has %d", i, prose.Count(arg.Size, "byte"), f.Params[i].Name, f.Name, p.Size))
		}
	}
	if errs != nil {
		return abi.Signature{}, errors.Join(errs...)
	}
	return s, nil
}

// Known reports whether the types and spaces of the formals of f are known, and the number of its .abi_preserve.
func (f *Function) Known() bool {
	f = zero.Or(f)
	return !f.preserveUnread() && !slices.ContainsFunc(f.Params, unknown) && !slices.ContainsFunc(f.Results, unknown)
}

func unknown(p ptx.Formal) bool { return !p.Known() }

// Outside returns the reason why the values of f have no places: f does not follow the ABI, "several results" or
// "a handle", or it is not known whether it does, "what follows a type, space or form that is not known". It is
// "" if f follows the ABI.
func (f *Function) Outside() string {
	f = zero.Or(f)
	handle := func(p ptx.Formal) bool { return p.Type.Class() == ptx.Handle }
	switch {
	case !f.Known():
		return "what follows a type, space or form that is not known"
	case f.Kind() == Entry:
	case len(f.Results) > 1:
		return "several results"
	case slices.ContainsFunc(f.Params, handle), slices.ContainsFunc(f.Results, handle):
		return "a handle"
	}
	return ""
}

// About returns the reason of Outside with an introduction: "outside the ABI: a handle"; "" if there is none.
func (f *Function) About() string {
	switch why := f.Outside(); {
	case why == "":
		return ""
	case !f.Known():
		return "without a place: " + why
	default:
		return "outside the ABI: " + why
	}
}

// The names of the directives for [Preserve]: the one for registers, and the one for
// barriers, which changes no place.
const (
	PreserveName        = ".abi_preserve"
	PreserveControlName = ".abi_preserve_control"
)

// Preserve returns the number of a directive .abi_preserve or .abi_preserve_control; the
// zero Preserve for nil. An invalid number is returned as -1, for package abi to refuse.
func Preserve(d *ptx.Directive) abi.Preserve {
	if d == nil {
		return abi.Preserve{}
	}
	if strings.TrimSpace(d.Args) == "WARP_SZ" {
		return abi.Preserve{Given: true, N: 32}
	}
	n, err := strconv.ParseInt(strings.TrimRight(strings.TrimSpace(d.Args), "Uu"), 0, 32)
	if err != nil {
		n = -1
	}
	return abi.Preserve{Given: true, N: int(n)}
}

// Params returns the parameters of f. They are f.Params, except for kernels of PTX 1.0 to
// 1.3, which declare them in the body.
func Params(m *ptx.Module, f *ptx.Func) []ptx.Formal {
	if !ParamsInBody(m, f) {
		return zero.Or(f).Params
	}
	list := slices.Clone(f.Params)
	for _, s := range f.Body {
		d, ok := s.(*ptx.Decl)
		if !ok || d.Space != ptx.ParamSpace {
			continue
		}
		for _, v := range d.Vars {
			list = append(list, ptx.Formal{Pos: d.Pos, Spec: d.Spec, Var: v})
		}
	}
	return list
}

// ParamsInBody reports whether the .param variables that the body of f declares are its
// parameters, as in kernels before PTX 1.4.
func ParamsInBody(m *ptx.Module, f *ptx.Func) bool {
	return f != nil && f.Entry && m != nil && m.Version != (ptx.Version{}) && !m.Version.AtLeast(1, 4)
}

package resolve

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
)

// BadSignature is the code of errors in formals that have no assignment.
const BadSignature diag.Code = "BadSignature"

// Assign returns the places of the parameters and results of f on t. The list has every
// reason why f has no assignment, with the names and positions of the formals: the errors
// of [abi.Assign], and parameters that the module's version does not pass to kernels. It
// also has an error for a value after an array of handles, which releases of the
// assembler up to 13.0 place differently from those from 13.4 on.
//
// A formal of an unknown type or space, and those after it, have no places, and the size of
// a kernel's block is 0 then. Assign places the formals before it.
//
// If package abi has no assignment, the result is empty. If the only reason is the
// module's version or a release of the assembler, the result has the places that f has without
// that restriction.
func (f *Function) Assign(t *abi.Target) (abi.Assignment, diag.List) {
	f = zero.Or(f)
	s := f.placed()
	n := len(s.Params)
	a, diags := f.assign(s, t)
	if n == len(f.Params) {
		return a, diags
	}
	for i := n; i < len(f.Params) && len(a.Params) == i; i++ { // a place depends on the formals before it alone
		v := Value(&f.Params[i].Spec, &f.Params[i].Var)
		a.Params = appendUnplaced(a.Params, []abi.Value{v})
	}
	a.Kind, a.Block.Size = abi.Func, 0
	return a, diags
}

// placed returns the signature of f without the first formal of an unknown type or space and
// those after it, if the places of the formals before do not depend on them. With .abi_preserve or an unknown result they
// do.
func (f *Function) placed() abi.Signature {
	s := f.Signature()
	n := slices.IndexFunc(f.Params, unknown)
	if n < 0 || s.Preserve.Given || slices.ContainsFunc(f.Results, unknown) {
		return s
	}
	if s.Params = s.Params[:n]; f.Kind() == Entry {
		s.Kind = abi.Entry
	}
	return s
}

// Explain returns the rules that place the parameters and results of f on t, as
// [abi.Explain] does. A formal of an unknown type or space, and those
// after it, have no rules; the lists are as long as those of f. They are nil if package abi
// has no assignment.
func (f *Function) Explain(t *abi.Target) abi.Explanation {
	f = zero.Or(f)
	s := f.placed()
	_, why, err := abi.Explain(s, t)
	if err != nil || !f.Known() && len(s.Params) == len(f.Params) {
		return abi.Explanation{}
	}
	if more := len(f.Params) - len(s.Params); more > 0 {
		all := func(r abi.Rule) bool { return slices.Contains([]string{"F4", "K1", "K2", "K4", "K5"}, r.Name) }
		for i := range why.Params {
			why.Params[i] = slices.DeleteFunc(why.Params[i], all) // they depend on all parameters
		}
		why.Params = append(why.Params, make([][]abi.Rule, more)...)
	}
	return why
}

// AssignLatest is Assign for releases of the assembler from 13.4 on: arrays of handles
// have no bytes, and values after them are not errors.
func (f *Function) AssignLatest(t *abi.Target) (abi.Assignment, diag.List) {
	f = zero.Or(f)
	s := f.Signature()
	a, err := abi.Assign(s, t)
	if err != nil && !f.preserveUnread() {
		return abi.Assignment{Kind: s.Kind}, f.refused(err)
	}
	return a, f.limited(&a, s, t)
}

// Assign returns the places of the arguments and results of the call on t, with the diagnostics of
// [Function.Assign]. It returns none if the call has no signature.
func (c *CallSite) Assign(t *abi.Target) (abi.Assignment, diag.List) {
	if c == nil || c.Err != nil {
		return abi.Assignment{}, nil
	}
	return zero.Or(c.Callee).assign(c.Signature, t)
}

// assign returns the assignment of s on t: that of f, or of a call of f.
func (f *Function) assign(s abi.Signature, t *abi.Target) (abi.Assignment, diag.List) {
	a, err := abi.Assign(s, t)
	switch {
	case err != nil && f.preserveUnread():
		a = abi.Assignment{Params: appendUnplaced(nil, s.Params), Results: appendUnplaced(nil, s.Results)}
	case err != nil:
		return abi.Assignment{Kind: s.Kind}, f.refused(err)
	case s.Kind == abi.Entry:
		return a, append(f.limited(&a, s, t), f.handles()...)
	}
	return a, nil
}

// appendUnplaced appends values without known places.
func appendUnplaced(list []abi.Placement, values []abi.Value) []abi.Placement {
	for _, v := range values {
		list = append(list, abi.Placement{Size: v.Size, Align: max(v.Align, 1)})
	}
	return list
}

// An Assigned is a function with the places of its values on a target.
type Assigned struct {
	Function
	Places abi.Assignment
}

// AssignAll returns the functions of a list with their places on t, and the diagnostics
// of [Function.Assign] for all of them.
func AssignAll(list []*Function, t *abi.Target) ([]Assigned, diag.List) {
	out := make([]Assigned, len(list))
	var diags diag.List
	for i, f := range list {
		places, more := f.Assign(t)
		out[i] = Assigned{*f, places}
		diags = append(diags, more...)
	}
	return out, diags
}

// report adds an error.
func (f *Function) report(diags *diag.List, pos diag.Pos, format string, args ...any) {
	diags.Add(&diag.Diagnostic{File: zero.Or(f.Module).Name, Pos: pos, Code: BadSignature, Msg: fmt.Sprintf(format, args...)})
}

// preserveUnread reports whether the number of an .abi_preserve is missing, since it could not be read. No place is known
// then.
func (f *Function) preserveUnread() bool {
	d := f.Directive(PreserveName)
	return d != nil && d.Args == ""
}

// refused turns an error of package abi, which has indices of formals, into diagnostics with names and positions.
func (f *Function) refused(err error) diag.List {
	var diags diag.List
	var list abi.ErrorList
	if !errors.As(err, &list) {
		f.report(&diags, f.NamePos, "%s: %v", f.Name, err)
		return diags
	}
	for _, e := range list {
		formals := f.Params
		if e.Result {
			formals = f.Results
		}
		if e.Param < 0 || e.Param >= len(formals) {
			f.report(&diags, f.NamePos, "%s: %s", f.Name, e.Msg)
			continue
		}
		p := &formals[e.Param]
		if p.Size() == ptx.MaxSize {
			f.report(&diags, p.Var.Pos, "%s of %s: an array of %d bytes or more", p.Name, f.Name, int64(ptx.MaxSize))
			continue
		}
		f.report(&diags, p.Var.Pos, "%s of %s: %s", p.Name, f.Name, e.Msg)
	}
	return diags
}

// handles reports arrays of handles in front of values. Releases of the assembler
// up to 13.0 give them bytes of the block, those from 13.4 on none.
func (f *Function) handles() diag.List {
	var diags diag.List
	after := -1 // the index of the next value after formal i, which is no handle
	for i := len(f.Params) - 1; i >= 0; i-- {
		p := &f.Params[i]
		switch {
		case p.Type.Class() != ptx.Handle:
			after = i
		case len(p.Dims) > 0 && after >= 0:
			f.report(&diags, p.Var.Pos, "%s of %s: an array of handles has bytes with ptxas up to 13.0 and none from 13.4 on, so that %s is not where it was; put the array after all values",
				p.Name, f.Name, f.Params[after].Name)
		}
	}
	return diags
}

// limited reports the first parameter of a kernel that ends beyond the bytes that the
// module's version and its own target allow, whichever target the places are for.
func (f *Function) limited(a *abi.Assignment, s abi.Signature, t *abi.Target) diag.List {
	if s.Kind != abi.Entry || a.Block.Size <= t.Kernel.MaxParams || f.Module == nil || f.Module.Version == (ptx.Version{}) {
		return nil
	}
	version := abi.Version(f.Module.Version)
	limit := t.MaxKernelParams(version)
	why := fmt.Sprintf("PTX %d.%d passes at most %d; %s allows %d from PTX %d.%d on", version.Major, version.Minor, limit,
		t.Name, t.Kernel.LargeParams, t.Kernel.LargeSince.Major, t.Kernel.LargeSince.Minor)
	if own, _, err := Target(f.Module, "", true); err == nil && own.MaxKernelParams(version) < limit {
		limit = own.MaxKernelParams(version)
		why = fmt.Sprintf(".target %s passes at most %d; .target %s allows %d", f.Module.Target, limit, t.Name, t.MaxKernelParams(version))
	}
	if a.Block.Size <= limit || limit >= max(t.Kernel.MaxParams, t.Kernel.LargeParams) {
		return nil
	}
	// The limit is not for the size of the block, but for the end of its parameters
	// with alignments counted from its start: step K1 of Assign, here without large blocks.
	older := *t
	older.Kernel.LargeParams = 0
	var errs abi.ErrorList
	if _, err := abi.Assign(s, &older); !errors.As(err, &errs) {
		return nil
	}
	for _, e := range errs {
		if e.Code != abi.TooLarge || e.Param < 0 || e.Param >= len(f.Params) {
			continue
		}
		p := &f.Params[e.Param]
		end, _, _ := strings.Cut(e.Msg, ", ")
		var diags diag.List
		f.report(&diags, p.Var.Pos, "%s of %s: %s, %s", p.Name, f.Name, end, why)
		return diags
	}
	return nil
}

// Value returns the size, alignment and kind of a declared name, by which the convention
// places it: a formal, or a .param variable or register that a call passes.
func Value(s *ptx.Spec, v *ptx.Var) abi.Value {
	if s == nil || v == nil {
		return abi.Value{}
	}
	align := s.Alignment()
	if s.Type.Class() == ptx.Handle || !s.Known() {
		return abi.Value{Kind: abi.Opaque, Align: align}
	}
	if v.Unsized() {
		return abi.Value{Kind: abi.Unsized, Align: align}
	}
	return abi.Value{Size: s.SizeOf(v), Align: align}
}

// Values returns the [Value] of each formal.
func Values(list []ptx.Formal) []abi.Value {
	values := slices.Grow([]abi.Value(nil), len(list))
	for i := range list {
		values = append(values, Value(&list[i].Spec, &list[i].Var))
	}
	return values
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/adapt"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// load reads a header, and the options of its shims; without a result, list says why.
func (a *adapting) load(e env, file string) (o adapt.Options, src *source, r *layoutcmd.Result, list diag.List, err error) {
	o.Trap = a.trap
	o.From, _ = adapt.ParseConvention(a.from) // which are known
	o.To, _ = adapt.ParseConvention(a.to)
	if o.HiddenCaller, err = adapt.ParseHidden(a.hiddenFrom); err != nil {
		return o, nil, nil, nil, a.errorf("-hidden-from: %w", err)
	}
	if o.HiddenCallee, err = adapt.ParseHidden(a.hiddenTo); err != nil {
		return o, nil, nil, nil, a.errorf("-hidden-to: %w", err)
	}
	if i := slices.IndexFunc(o.HiddenCaller, func(h adapt.Hidden) bool { return h.Value != nil }); i >= 0 {
		return o, nil, nil, nil, a.errorf("-hidden-from: parameter %d has a value; callers pass theirs", i)
	}
	if src, err = read(e, file); err != nil {
		return o, nil, nil, nil, err
	}
	a.sources[src.name] = src
	a.layout.Lang = a.lang
	r, err = layoutcmd.Load(src.name, []byte(src.text), a.layout)
	switch {
	case err != nil:
		return o, nil, nil, nil, a.errorf("%w", err)
	case slices.ContainsFunc(r.Errors, func(d *diag.Diagnostic) bool { return !cdecl.Confined(d.Code) }):
		return o, src, nil, slices.Concat(r.Warnings, r.Errors), nil
	case r.Unit == nil:
		return o, nil, nil, nil, fmt.Errorf("%s: Go; adapt reads C and CUDA", src.name)
	}
	for _, d := range r.Errors { // what the function needs of it is said of the function
		less := *d
		less.Severity = diag.Warning
		r.Warnings.Add(&less)
	}
	return o, src, r, slices.Clone(r.Warnings), nil
}

// prototype adapts a function of a header.
func (a *adapting) prototype(e env, file string) (*adapt.Shim, diag.List, error) {
	o, src, r, list, err := a.load(e, file)
	if r == nil || err != nil {
		return nil, list, err
	}
	f, err := adapt.Choose(src.name, r.Unit, r.Rules.Lang, a.fn)
	if err != nil {
		return nil, nil, err
	}
	if o.Symbol = a.symbol; o.Symbol == "" {
		var known bool
		if o.Symbol, known = layoutcmd.LinkerName(f, r.Rules.Lang); !known {
			return nil, nil, fmt.Errorf("%s: the linker's name of %s is not known; give it with -symbol", src.name, f.Name)
		}
	}
	if o.Name = a.name; o.Name == "" {
		o.Name = layoutcmd.Identifier(f.Name) + "_for_" + strings.NewReplacer("-", "_", ".", "_", "+", "x").Replace(a.from)
	}
	if err := adapt.Names(o.Name, o.Symbol); err != nil {
		return nil, nil, a.errorf("%w", err)
	}
	shim, why := adapt.FromPrototype(r, f, o)
	return shim, append(list, why...), nil
}

// modules adapts a declaration of one module to that of another.
func (a *adapting) modules(e env, head *adapt.Head) (*adapt.Shim, diag.List, error) {
	text, mapping := strings.Join(a.moves, "\n"), "-move"
	if a.mapped != "" {
		src, err := read(e, a.mapped)
		if err != nil {
			return nil, nil, err
		}
		text, mapping = strings.TrimSuffix(src.text, "\n")+"\n"+text, src.name
		a.sources[src.name] = src
	}
	given := a.mapped != "" || a.moves != nil
	caller, list, err := a.module(e, a.caller)
	if caller == nil {
		return nil, list, err
	}
	callee, more, err := a.module(e, a.callee)
	if list = append(list, more...); callee == nil {
		return nil, list, err
	}
	to, err := adapt.Declared(callee, a.callee, a.fn, "-func", func(f *ptx.Func) bool { return f.HasBody })
	if err != nil {
		return nil, nil, err
	}
	from, err := adapt.Declared(caller, a.caller, adapt.Called(caller, a.name, to.Name), "-name", func(f *ptx.Func) bool { return !f.HasBody })
	if err != nil {
		return nil, nil, err
	}
	name := a.name
	if name == "" {
		name = from.Name
	}
	if err := adapt.Names(name, to.Name); err != nil {
		return nil, nil, a.errorf("%w", err)
	}
	head.Version, head.Target = callee.Version, callee.Target
	if caller.Version.AtLeast(callee.Version.Major, callee.Version.Minor) { // which has what both use
		head.Version = caller.Version
	}
	var shim *adapt.Shim
	var why diag.List
	if given {
		shim, why = adapt.FromMapping(from, to, name, mapping, text)
	} else {
		shim, why = adapt.ByPosition(from, to, name)
	}
	if shim != nil {
		shim.Notes = adapt.Placed(shim.Notes, caller.Name, callee.Name)
	}
	return shim, append(list, adapt.Placed(why, caller.Name, callee.Name)...), nil
}

// module reads a module of PTX with addresses of 64 bits; of one with errors, the functions whose heads have none.
func (a *adapting) module(e env, file string) (*ptx.Module, diag.List, error) {
	src, err := read(e, file)
	if err != nil {
		return nil, nil, err
	}
	a.sources[src.name] = src
	m, list := src.parse()
	if list.Err() != nil {
		err = notPTX(src)
		m = half.Of(m, list).Heads
	}
	switch {
	case err != nil:
		return nil, nil, err
	case list.Err() != nil && len(resolve.Functions(m)) == 0:
		return nil, list, nil
	case compiled.IsBlank(m):
		return nil, nil, fmt.Errorf("%s: no PTX in it", src.name)
	case m.AddressSize != 64:
		return nil, nil, fmt.Errorf("%s: its addresses have 32 bits; shims are for .address_size 64", src.name)
	}
	return m, list, nil
}

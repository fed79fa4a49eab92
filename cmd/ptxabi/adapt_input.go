package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/tool/adapt"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// load reads a header, and the options of its shims; without a result, list says why.
func (a *adapting) load(e env, file string) (o adapt.Options, src *source, r *layoutcmd.Result, list diag.List, err error) {
	o.Trap = a.trap
	if o.From, err = adapt.ParseConvention(a.from); err != nil {
		return o, nil, nil, nil, a.errorf("-from: %w", err)
	}
	if o.To, err = adapt.ParseConvention(a.to); err != nil {
		return o, nil, nil, nil, a.errorf("-to: %w", err)
	}
	if o.HiddenCaller, err = hidden(a.hiddenFrom); err != nil {
		return o, nil, nil, nil, a.errorf("-hidden-from: %w", err)
	}
	if o.HiddenCallee, err = hidden(a.hiddenTo); err != nil {
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
	f, err := a.choose(src, r.Unit, r.Rules.Lang)
	if err != nil {
		return nil, nil, err
	}
	symbol, err := a.symbolOf(src, f, r.Rules.Lang)
	if err != nil {
		return nil, nil, err
	}
	o.Symbol = symbol
	if o.Name = a.name; o.Name == "" {
		o.Name = layoutcmd.Identifier(f.Name) + "_for_" + strings.NewReplacer("-", "_", ".", "_", "+", "x").Replace(a.from)
	}
	if err := a.names(o.Name, o.Symbol); err != nil {
		return nil, nil, err
	}
	shim, why := adapt.FromPrototype(r, f, o)
	return shim, append(list, why...), nil
}

// names refuses what is no name in PTX.
func (a *adapting) names(names ...string) error {
	for _, n := range names {
		if n == "WARP_SZ" {
			return a.errorf("WARP_SZ is a constant of PTX, not a function name")
		}
		if n != layoutcmd.Identifier(n) || n == "" || n == "$" || n[0] >= '0' && n[0] <= '9' {
			return a.errorf("%s is not a function name in PTX", strconv.Quote(n))
		}
	}
	return nil
}

// choose returns the function of a header, which -func names as it is declared or as the linker does.
func (a *adapting) choose(src *source, u *cdecl.Unit, lang layout.Lang) (*cdecl.FuncDecl, error) {
	var all []*cdecl.FuncDecl
	var names, symbols []string
	for _, f := range u.Funcs {
		if f.System || f.Kernel && a.fn == "" {
			continue
		}
		names = append(names, f.Name)
		symbol, known := linked(f, lang)
		if a.fn == "" || f.Name == a.fn || known && symbol == a.fn {
			all = append(all, f)
			symbols = append(symbols, symbol)
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s: no function prototype in it", src.name)
	case len(all) == 0:
		return nil, fmt.Errorf("%s: no function %q%s", src.name, a.fn, near.DidYouMean(a.fn, names))
	case len(all) > 1 && a.fn != "":
		return nil, fmt.Errorf("%s: %d functions are named %s; choose one by its linker name with -func: %s", src.name, len(all), a.fn, strings.Join(slices.DeleteFunc(symbols, func(s string) bool { return s == "" }), ", "))
	case len(all) > 1:
		return nil, fmt.Errorf("%s: %d functions; choose one with -func: %s", src.name, len(all), strings.Join(names, ", "))
	}
	return all[0], nil
}

// linked is what the linker calls a function, if that is known.
func linked(f *cdecl.FuncDecl, lang layout.Lang) (string, bool) {
	if f.Label != "" {
		return f.Label, true
	}
	if f.C || lang != layout.CXX {
		return f.Name, true
	}
	var types []layout.Type
	for _, p := range f.Params {
		types = append(types, p.Type)
	}
	return cxxname.Mangle(f.Name, types)
}

// symbolOf is what the linker calls a function.
func (a *adapting) symbolOf(src *source, f *cdecl.FuncDecl, lang layout.Lang) (string, error) {
	if a.symbol != "" {
		return a.symbol, nil
	}
	name, ok := linked(f, lang)
	if !ok {
		return "", fmt.Errorf("%s: the linker's name of %s is not known; give it with -symbol", src.name, f.Name)
	}
	return name, nil
}

// hidden reads a list of hidden parameters.
func hidden(list string) (out []adapt.Hidden, err error) {
	if list == "" {
		return nil, nil
	}
	for _, one := range strings.Split(list, ",") {
		typ, value, has := strings.Cut(strings.TrimSpace(one), "=")
		h := adapt.Hidden{Type: ptx.TypeOf("." + typ)}
		if size := h.Type.Size(); size != 4 && size != 8 {
			return nil, fmt.Errorf("%q is not a type of a hidden parameter; use b32, b64, f32 or f64", typ)
		}
		if has && (h.Type == ptx.F32 || h.Type == ptx.F64) {
			u, err := floatBits(value, h.Type)
			if err != nil {
				return nil, err
			}
			h.Value = &u
		} else if has {
			v, err := strconv.ParseInt(value, 0, 64)
			u := uint64(v)
			if err != nil {
				if u, err = strconv.ParseUint(value, 0, 64); err != nil {
					return nil, fmt.Errorf("%q is not a number of 64 bits", value)
				}
			}
			if h.Type.Size() == 4 {
				if u > 1<<32-1 && v >= 0 || v < -1<<31 {
					return nil, fmt.Errorf("%s does not fit into %s", value, typ)
				}
				u &= 1<<32 - 1
			}
			h.Value = &u
		}
		out = append(out, h)
	}
	return out, nil
}

// floatBits are the bits of a number of a type.
func floatBits(value string, t ptx.Type) (uint64, error) {
	v, err := strconv.ParseFloat(value, t.Size()*8)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of %s", value, t)
	}
	if t == ptx.F32 {
		return uint64(math.Float32bits(float32(v))), nil
	}
	return math.Float64bits(v), nil
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
	to, err := a.declared(callee, a.callee, a.fn, "-func", func(f *ptx.Func) bool { return f.HasBody })
	if err != nil {
		return nil, nil, err
	}
	from, err := a.declared(caller, a.caller, a.called(caller, to.Name), "-name", func(f *ptx.Func) bool { return !f.HasBody })
	if err != nil {
		return nil, nil, err
	}
	name := a.name
	if name == "" {
		name = from.Name
	}
	if err := a.names(name, to.Name); err != nil {
		return nil, nil, err
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
		shim.Notes = placed(shim.Notes, caller.Name, callee.Name)
	}
	return shim, append(list, placed(why, caller.Name, callee.Name)...), nil
}

// placed names the file that a diagnostic about a declaration is in.
func placed(list diag.List, caller, callee string) diag.List {
	for _, d := range list {
		if d.File == "" && d.Pos.IsValid() {
			if d.File = callee; strings.HasPrefix(d.Msg, "caller") {
				d.File = caller
			}
		}
	}
	return list
}

// called is which function of the caller's module is meant: the one of -name or, where
// there is none of that name, the one that the callee's has.
func (a *adapting) called(m *ptx.Module, callee string) string {
	if a.name == "" {
		return ""
	}
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok && f.Name == a.name {
			return a.name
		}
	}
	return callee
}

// module reads a module of PTX with addresses of 64 bits; of one with errors, the functions whose heads have none.
func (a *adapting) module(e env, file string) (*ptx.Module, diag.List, error) {
	src, err := read(e, file)
	if err != nil {
		return nil, nil, err
	}
	a.sources[src.name] = src
	m, list, err := src.parse()
	if err == nil && list.Err() != nil {
		err = notPTX(src)
		m = half.Of(m, list).Heads
	}
	switch {
	case err != nil:
		return nil, nil, err
	case list.Err() != nil && len(resolve.Functions(m)) == 0:
		return nil, list, nil
	case isBlank(m):
		return nil, nil, fmt.Errorf("%s: no PTX in it", src.name)
	case m.AddressSize != 64:
		return nil, nil, fmt.Errorf("%s: its addresses have 32 bits; shims are for .address_size 64", src.name)
	}
	return m, list, nil
}

// declared returns the function of a module that a name means, or the only one that is
// likely where there is none.
func (a *adapting) declared(m *ptx.Module, file, name, flag string, likely func(*ptx.Func) bool) (*ptx.Func, error) {
	var names []string
	var found *ptx.Func
	likelies, seen := 0, make(map[string]bool)
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || f.Entry {
			continue
		}
		if name == f.Name {
			return f, nil
		}
		if !seen[f.Name] {
			seen[f.Name] = true
			names = append(names, f.Name)
		}
		if likely(f) {
			likelies++
		}
		if likely(f) || len(names) == 1 && likelies == 0 {
			found = f
		}
	}
	switch {
	case name != "":
		return nil, fmt.Errorf("%s: no function %q%s", file, name, near.DidYouMean(name, names))
	case likelies == 1, len(names) == 1:
		return found, nil
	case len(names) == 0:
		return nil, fmt.Errorf("%s: no function in it; kernels are not called", file)
	}
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return nil, fmt.Errorf("%s: choose a function with %s: %s", file, flag, strings.Join(names, ", "))
}

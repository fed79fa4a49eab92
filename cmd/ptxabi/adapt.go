package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/report"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/adapt"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// An adapting is the command's flags.
type adapting struct {
	*options
	from, to, name, symbol string
	caller, callee, mapped string
	moves                  []string
	hiddenFrom, hiddenTo   string
	trap, header           bool
	bindings               string
	lang                   string
	layout                 layoutcmd.Options
	sources                map[string]*source
}

func bindAdapt(o *options) action {
	a := adapting{options: o, layout: layoutcmd.Options{FS: disk.System(""), Partial: true}}
	a.Bind(&a.from, "from").Hints = adapt.Conventions
	a.Bind(&a.to, "to").Hints = adapt.Conventions
	a.Bind(&a.name, "name")
	a.Bind(&a.symbol, "symbol")
	a.Bind(&a.caller, "caller")
	a.Bind(&a.callee, "callee")
	a.Bind(&a.mapped, "map")
	a.Bind(&a.moves, "move")
	a.Bind(&a.hiddenFrom, "hidden-from")
	a.Bind(&a.hiddenTo, "hidden-to")
	a.Bind(&a.trap, "trap")
	a.Bind(&a.header, "emit-header")
	a.Bind(&a.bindings, "bindings")
	a.Bind(&a.lang, "lang")
	a.BindSearch(&a.layout.Include, &a.layout.System, &a.layout.Defines, &a.layout.First)
	return func(e env, rest []string) error {
		if a.callee == "" && a.caller == "" && (len(rest) > 0 || o.format == "jsonl") {
			return o.each(e, rest, func(e env, file string) error { return a.adapt(e, []string{file}) })
		}
		if o.format == "jsonl" {
			return o.errorf("-format jsonl is for files; use -format json with -caller and -callee")
		}
		return a.adapt(e, rest)
	}
}

// anyTarget is the target of a shim where neither a flag nor a module names one.
const anyTarget = "sm_75"

// adapt adapts what the flags name, or a function of one file.
func (a adapting) adapt(e env, rest []string) error {
	a.sources = make(map[string]*source)
	if a.bindings != "" && a.from == "" {
		a.from = adapt.Languages[a.bindings][0]
	}
	if err := a.usage(rest); err != nil {
		return err
	}
	if a.bindings != "" {
		return a.bind(e, rest[0])
	}
	var shim *adapt.Shim
	var list diag.List
	var err error
	head := adapt.Head{Target: anyTarget}
	if a.callee != "" {
		shim, list, err = a.modules(e, &head)
	} else {
		shim, list, err = a.prototype(e, rest[0])
	}
	if err != nil {
		return err
	}
	t, err := a.head(&head)
	if err != nil {
		return err
	}
	if shim != nil {
		if why := shim.For(t); len(why) > 0 {
			shim, list = nil, append(list, adapt.Placed(why, "", a.callee)...)
		}
	}
	if head.Version.AtLeast(ptx.Newest.Major, ptx.Newest.Minor+1) {
		list.Add(&diag.Diagnostic{File: a.callee, Severity: diag.Warning, Code: remark, Msg: fmt.Sprintf("the shim is .version %v, as the modules are, and the newest assembler that was measured takes %v", head.Version, ptx.Newest)})
	}
	return a.result(e, shim, list, head)
}

// head completes what stands at the beginning of the module, and returns its target.
func (a *adapting) head(head *adapt.Head) (*abi.Target, error) {
	if a.target != "" {
		head.Target = a.target
	}
	arch, err := archOf(head.Target)
	if err != nil {
		return nil, err
	}
	head.Target = arch.Name
	if v := adapt.VersionFor(arch); !head.Version.AtLeast(v.Major, v.Minor) {
		head.Version = v
	}
	t, err := a.row(head.Target)
	if err == nil {
		head.Assumed = t.AssumedFrom
	}
	return t, err
}

// bind writes the declarations of a header's functions in another language, and their shims. A function that has none
// is left out, with a warning.
func (a *adapting) bind(e env, file string) error {
	o, src, r, list, err := a.load(e, file)
	if err != nil {
		return err
	}
	head := adapt.Head{Target: anyTarget}
	t, err := a.head(&head)
	if err != nil {
		return err
	}
	bindings := adapt.Bindings{Lang: a.bindings, From: a.from}
	var shims []*adapt.Shim
	if r != nil {
		made, warnings := bindings.AddAll(r, src.name, a.fn, o, t)
		shims, list = made, append(list, warnings...)
	}
	p := newPrinter(e, a.options, nil)
	p.all(list)
	if len(shims) == 0 {
		return a.errorf("%s: no function in it has a declaration for %s", src.name, a.bindings)
	}
	output := a.output
	a.output = strings.TrimSuffix(output, filepath.Ext(output)) + ".ptx"
	if err := a.emit(e, adapt.Module(head, shims...)); err != nil {
		return err
	}
	ptx := filepath.Base(a.output)
	a.output = output
	return a.emit(e, bindings.Text(filepath.Base(src.name), ptx))
}

// usage refuses flags that do not go together.
func (a *adapting) usage(rest []string) error {
	if name := a.Empty("from", "to", "name", "symbol", "caller", "callee", "map", "hidden-from", "hidden-to"); name != "" {
		return a.errorf("-%s is empty", name)
	}
	for _, side := range [][2]string{{"from", a.from}, {"to", a.to}} {
		if _, err := adapt.ParseConvention(side[1]); side[1] != "" && err != nil {
			return a.errorf("%w", manual.OneOf("-"+side[0]+" ", side[1], adapt.Conventions))
		}
	}
	if err := cmp.Or(a.sides(rest), a.stray(), a.forBindings()); err != nil {
		return err
	}
	if a.trap && (a.to != "numba" || a.from == "numba") {
		return a.errorf("-trap is for a callee of numba and a caller of another compiler: use it with -to numba and another -from")
	}
	if a.callee == "" && len(rest) == 0 {
		return a.noFile()
	}
	return nil
}

// ofModules reports whether the two sides are modules, and not compilers of a prototype.
func (a *adapting) ofModules() bool { return a.caller != "" || a.callee != "" }

// sides refuses flags that do not name two sides.
func (a *adapting) sides(rest []string) error {
	switch {
	case !a.ofModules() && (a.from == "" || a.to == ""):
		return a.errorf("the two sides are missing: -from and -to name the compilers of a prototype in C, or -caller and -callee two PTX modules")
	case !a.ofModules():
	case a.caller == "" || a.callee == "":
		return a.errorf("-caller and -callee name a module each, and one is missing")
	case len(rest) > 0:
		return a.errorf("%s: with -caller and -callee there is no other FILE", rest[0])
	case a.caller == "-" && a.callee == "-", a.mapped == "-" && (a.caller == "-" || a.callee == "-"):
		return a.errorf("- is given twice")
	}
	return nil
}

// stray refuses flags that are for sides of the other kind.
func (a *adapting) stray() error {
	with, wrong := "-from and -to", []string{"map", "move"}
	if a.ofModules() {
		with, wrong = "-caller and -callee", []string{"from", "to", "symbol", "hidden-from", "hidden-to", "trap", "lang", "I", "isystem", "D", "include"}
	}
	for _, name := range wrong {
		if a.Given(name) {
			return a.errorf("-%s does not go with %s", name, with)
		}
	}
	return nil
}

// forBindings refuses flags that do not go with -bindings.
func (a *adapting) forBindings() error {
	switch out := filepath.Ext(a.output); {
	case a.bindings == "":
	case a.ofModules() || a.header || a.format != "text" || a.name != "" || a.symbol != "":
		return a.errorf("-bindings is for a header: without -caller, -callee, -emit-header, -format, -name and -symbol")
	case !slices.Contains(adapt.Languages[a.bindings], a.from):
		return a.errorf("-bindings %s declares functions of %s; -from %s has others", a.bindings, strings.Join(adapt.Languages[a.bindings], ", "), a.from)
	case out == "" || out == ".ptx":
		return a.errorf("-bindings writes two files: -o names that of the declarations, such as norm.py or norm.rs")
	}
	return nil
}

// result writes the shim, or says why there is none.
func (a *adapting) result(e env, shim *adapt.Shim, list diag.List, head adapt.Head) error {
	var text []byte
	if shim != nil {
		if shim.Name == shim.Callee.Name {
			return a.errorf("the shim and the callee would both be named %s; give the shim another name with -name", shim.Name)
		}
		list = append(list, shim.Notes...)
		text = shim.Text(head)
		if a.header {
			var why diag.List
			if text, why = shim.Header(); why != nil {
				shim, list = nil, append(list, why...)
			}
		}
	}
	var err error
	if a.format == "json" {
		out := struct {
			Format      string            `json:"format"`
			Name        string            `json:"name,omitempty"`
			Text        string            `json:"text,omitempty"`
			Diagnostics []json.RawMessage `json:"diagnostics"`
		}{Format: "ptxabi.adapt/1", Text: string(text), Diagnostics: jsonOf(report.AppendJSON(nil, list))}
		if shim != nil {
			out.Name = shim.Name
		} else { // nothing to write, but why
			a.output = ""
		}
		err = a.emit(e, asJSON(out))
	} else {
		p := newPrinter(e, a.options, nil)
		if e.terminal {
			p.Texts = textsOf(list, a.sources)
		}
		p.all(list)
		if shim != nil {
			err = a.emit(e, text)
		}
	}
	return findings(err, shim == nil || list.Err() != nil)
}

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
	arch, err := archOf(cmp.Or(a.target, anyTarget))
	if err != nil {
		return o, nil, nil, nil, err
	}
	a.layout.Lang, a.layout.Defines = a.lang, slices.Concat([]string{fmt.Sprintf("__CUDA_ARCH__=%d0", arch.SM)}, a.layout.Defines) // -D may be another
	r, err = layoutcmd.Load(src.name, []byte(src.text), a.layout)
	switch {
	case err != nil:
		return o, nil, nil, nil, a.errorf("%w", err)
	case slices.ContainsFunc(r.Errors, func(d *diag.Diagnostic) bool { return !cdecl.Confined(d.Code) }):
		return o, src, nil, slices.Concat(r.Warnings, r.Errors), nil
	case r.Unit == nil:
		return o, nil, nil, nil, fmt.Errorf("%s: Go; adapt reads C and CUDA", src.name)
	}
	for _, d := range r.Errors { // what the function needs of it is reported at the function
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
	name := cmp.Or(a.name, from.Name)
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

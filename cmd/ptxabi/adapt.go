package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/manual"
	"github.com/ptxabi/ptxabi/internal/cli/report"
	"github.com/ptxabi/ptxabi/internal/tool/adapt"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
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
	head := adapt.Head{Target: "sm_75"}
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
	head := adapt.Head{Target: "sm_75"}
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
	ptxOnly, cOnly := []string{"map", "move"}, []string{"from", "to", "symbol", "hidden-from", "hidden-to", "trap", "lang", "I", "isystem", "D", "include"}
	with, wrong := "-from and -to", ptxOnly
	if a.caller != "" || a.callee != "" {
		with, wrong = "-caller and -callee", cOnly
		switch {
		case a.caller == "" || a.callee == "":
			return a.errorf("-caller and -callee name a module each, and one is missing")
		case len(rest) > 0:
			return a.errorf("%s: with -caller and -callee there is no other FILE", rest[0])
		case a.caller == "-" && a.callee == "-", a.mapped == "-" && (a.caller == "-" || a.callee == "-"):
			return a.errorf("- is given twice")
		}
	} else if a.from == "" || a.to == "" {
		return a.errorf("the two sides are missing: -from and -to name the compilers of a prototype in C, or -caller and -callee two PTX modules")
	}
	for _, name := range wrong {
		if a.Given(name) {
			return a.errorf("-%s does not go with %s", name, with)
		}
	}
	switch out := filepath.Ext(a.output); {
	case a.bindings == "":
	case a.caller != "" || a.callee != "" || a.header || a.format != "text" || a.name != "" || a.symbol != "":
		return a.errorf("-bindings is for a header: without -caller, -callee, -emit-header, -format, -name and -symbol")
	case !slices.Contains(adapt.Languages[a.bindings], a.from):
		return a.errorf("-bindings %s declares functions of %s; -from %s has others", a.bindings, strings.Join(adapt.Languages[a.bindings], ", "), a.from)
	case out == "" || out == ".ptx":
		return a.errorf("-bindings writes two files: -o names that of the declarations, such as norm.py or norm.rs")
	}
	if a.trap && (a.to != "numba" || a.from == "numba") {
		return a.errorf("-trap is for a callee of numba and a caller of another compiler: use it with -to numba and another -from")
	}
	if a.callee == "" && len(rest) == 0 {
		return a.noFile()
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
	if a.format == "json" {
		out := struct {
			Format      string            `json:"format"`
			Name        string            `json:"name,omitempty"`
			Text        string            `json:"text,omitempty"`
			Diagnostics []json.RawMessage `json:"diagnostics"`
		}{Format: "ptxabi.adapt/1", Text: string(text), Diagnostics: jsonOf(report.AppendJSON(nil, list))}
		if shim != nil {
			out.Name = shim.Name
		}
		if shim == nil { // nothing to write, but why
			a.output = ""
		}
		if err := a.emit(e, asJSON(out)); err != nil {
			return err
		}
	} else {
		p := newPrinter(e, a.options, nil)
		if e.terminal {
			p.Texts = textsOf(list, a.sources)
		}
		p.all(list)
		if shim != nil {
			if err := a.emit(e, text); err != nil {
				return err
			}
		}
	}
	return findings(nil, shim == nil || list.Err() != nil)
}

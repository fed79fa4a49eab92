package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/diff"
)

func bindDiff(o *options) action {
	matrix, changed := false, true
	o.Bind(&matrix, "matrix")
	o.Bind(&changed, "changed")
	return func(e env, rest []string) error {
		if o.all = o.all || !changed; o.all && changed && o.Given("changed") {
			return o.errorf("-changed and -all exclude each other")
		}
		first, files := rest[:0], rest
		switch {
		case len(rest) == 0 && o.format != "jsonl":
			return o.errorf("0 files, expected one at least: A [B...]")
		case len(rest) > 1:
			first, files = rest[:1:1], rest[1:]
		}
		return o.each(e, files, func(e env, file string) error { return o.diff(e, append(first, file), matrix) }, first...)
	}
}

// diff compares two files, or a file with itself for two targets or for all.
func (o *options) diff(e env, files []string, matrix bool) error {
	targets, err := o.twoTargets()
	if err != nil {
		return err
	}
	switch {
	case matrix && o.target != "":
		return o.errorf("-matrix compares all targets, -target one or two: use one of them")
	case !matrix && len(files) == 1 && !strings.Contains(o.target, ","):
		return o.errorf("one module and one target: there is nothing to compare with; -target takes two, sm_80,sm_90")
	}
	var modules []*diffModule
	var inputs []*diff.Input
	cubins := 0
	for _, file := range files {
		m, err := o.diffModule(e, file)
		if err != nil {
			return err
		}
		if modules, inputs = append(modules, m), append(inputs, &m.Input); m.Cubins != nil {
			cubins++
		}
	}
	var all *diff.Matrix
	var reports []*diff.Report
	var notes diag.List
	switch {
	case cubins > 0 && matrix:
		return o.errorf("-matrix compares PTX: a cubin is for one target")
	case cubins > 0 && len(files) == 1:
		return o.errorf("a cubin is for one target: two of them can be compared, or one with its PTX")
	case matrix && len(files) == 1:
		all = diff.NewMatrix(modules[0].Module, abi.Targets())
		all.LeftOut = modules[0].Lost
	case matrix:
		reports, notes = diff.Everywhere(inputs)
	case cubins == 2:
		reports, notes, err = diff.Libraries(inputs, targets[0], targets[1], o.row)
	default:
		if len(modules) == 1 {
			modules, inputs = append(modules, modules[0]), append(inputs, inputs[0])
		}
		var sides [2]*diff.Side
		if sides, err = o.diffSides(e, modules, targets); err == nil {
			reports = append(reports, diff.CompareInputs(inputs, sides))
		}
	}
	if errors.As(err, new(diff.ChoiceError)) {
		return o.errorf("%w", err)
	}
	if err != nil {
		return err
	}
	e.notes(notes)
	return findings(o.emitDiff(e, reports, all), slices.ContainsFunc(modules, func(m *diffModule) bool { return m.Wrong }))
}

// diffSides places the values of two modules. PTX is laid out for the target of the cubin that it is compared with, where no
// other is named, or for its own.
func (o *options) diffSides(e env, modules []*diffModule, targets [2]*abi.Target) (sides [2]*diff.Side, err error) {
	var last *abi.Target
	for i, m := range modules {
		if m.Cubins == nil {
			continue
		}
		f, err := m.OneCubin(targets[i])
		if err != nil {
			return sides, err
		}
		if last, err = o.row(f.Arch); err != nil {
			return sides, fmt.Errorf("%s: %w", f.Name, err)
		}
		sides[i] = diff.NewCompiledSide(f.File, f.Name, last)
	}
	for i, m := range modules {
		if m.Cubins != nil {
			continue
		}
		t := cmp.Or(targets[i], last)
		if t == nil {
			if t, _, err = o.chooseTarget(m.Module, ""); err != nil {
				l := &loaded{source: m.source, module: m.Module, print: newPrinter(e, o, m.source)}
				return sides, l.badTarget(err)
			}
		}
		s, list := diff.NewSide(m.Module, t)
		if newPrinter(e, o, m.source).all(list); list.Err() != nil {
			return sides, errFindings
		}
		sides[i] = s
	}
	newPrinter(e, o, modules[0].source).all(diff.Unambiguous(sides, modules[0].Name, modules[1].Name))
	return sides, nil
}

// twoTargets are those of -target for the two sides, nil without.
func (o *options) twoTargets() (two [2]*abi.Target, err error) {
	if o.target == "" {
		return two, nil
	}
	names := strings.Split(o.target, ",")
	for i, name := range names {
		if two[min(i, 1)], err = o.row(name); err != nil {
			return two, err
		}
	}
	switch len(names) {
	case 1:
		two[1] = two[0]
	case 2:
	default:
		return two, o.errorf("-target %s: %d targets, two at most", o.target, len(names))
	}
	return two, nil
}

// A diffModule is one of the two files as it was read.
type diffModule struct {
	*source
	diff.Input
}

func (o *options) diffModule(e env, file string) (*diffModule, error) {
	src, err := readRaw(e, file)
	if err != nil {
		return nil, err
	}
	if cubin.Binary([]byte(src.text)) {
		f, err := compiled.New(src.name, []byte(src.text), o.row)
		if err != nil {
			return nil, err
		}
		list, name, text, err := f.Cubins()
		if err != nil {
			return nil, err
		}
		if list != nil {
			return &diffModule{src, diff.Input{Name: src.name, Cubins: list}}, nil
		}
		src = &source{name: name, text: text}
	}
	m, list := src.parse()
	if list.Err() != nil {
		if isSource(src) {
			typ := ""
			if strings.EqualFold(path.Ext(src.name), ".go") {
				typ = "-type NAME "
			}
			return nil, o.errorf("%s is not PTX: compile it to PTX to compare it, and \"ptxabi verify %sCUBIN %s\" compares it with a compiled file", src.name, typ, src.name)
		}
		if err := notPTX(src); err != nil {
			return nil, err
		}
	}
	if list.Err() == nil {
		list = append(list, errorsOf(check.Module(m, check.Options{Lower: true}))...)
	}
	newPrinter(e, o, src).all(list)
	if list.Err() == nil && compiled.IsBlank(m) {
		return nil, fmt.Errorf("%s: no PTX in it", src.name)
	}
	in, notes := diff.FromPTX(src.name, m, list)
	if in == nil {
		return nil, errFindings
	}
	e.notes(notes)
	return &diffModule{src, *in}, nil
}

// errorsOf are the errors of a list alone. What a module is warned of is the
// business of check.
func errorsOf(list diag.List) diag.List {
	return slices.DeleteFunc(list, func(e *diag.Diagnostic) bool { return e.Severity != diag.Error })
}

// emitDiff writes what was found.
func (o *options) emitDiff(e env, reports []*diff.Report, m *diff.Matrix) error {
	doc := asJSON(diff.Document{Format: diff.Format, Reports: reports, Matrix: m})
	same := m == nil || m.OK()
	style := diff.Style{All: o.all, Whole: o.verbose, Mangled: o.mangled, Width: e.width()}
	var texts []string
	if m != nil {
		texts = append(texts, m.TextIn(style))
	}
	for _, r := range reports {
		same, texts = same && r.OK(), append(texts, r.TextIn(style))
	}
	return o.emitReports(e, doc, texts, same)
}

package main

import (
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

func runDiff(e env, args []string) error {
	o := newOptions("diff")
	matrix, changed := false, true
	o.Bind(&matrix, "matrix")
	o.Bind(&changed, "changed")
	rest, err := o.parse(args)
	if err != nil {
		return err
	}
	if o.all = o.all || !changed; o.all && changed && o.Given("changed") {
		return o.errorf("-changed and -all exclude each other")
	}
	s := series{options: o, run: runDiff, files: rest}
	if len(rest) > 1 {
		s.files, s.before = rest[1:], rest[:1]
	}
	if ok, err := s.each(e); ok {
		return err
	}
	targets, err := o.twoTargets()
	if err != nil {
		return err
	}
	switch {
	case len(rest) < 1 || len(rest) > 2 || rest[0] == "" || rest[len(rest)-1] == "":
		return o.errorf("%d files, expected one at least: A [B...]", len(rest))
	case matrix && len(targets) > 0:
		return o.errorf("-matrix compares all targets, -target one or two: use one of them")
	case !matrix && len(rest) == 1 && len(targets) < 2:
		return o.errorf("one module and one target: there is nothing to compare with; -target takes two, sm_80,sm_90")
	}
	var modules []*diffModule
	var inputs []*diff.Input
	hasCubin := false
	for _, file := range rest {
		m, err := o.diffModule(e, file)
		if err != nil {
			return err
		}
		modules, inputs, hasCubin = append(modules, m), append(inputs, &m.Input), hasCubin || m.Cubins != nil
	}
	switch {
	case hasCubin && matrix:
		return o.errorf("-matrix compares PTX: a cubin is for one target")
	case hasCubin && len(rest) == 1:
		return o.errorf("a cubin is for one target: two of them can be compared, or one with its PTX")
	case hasCubin:
		return wrongly(o.diffCubins(e, modules, inputs, targets), modules)
	case matrix && len(rest) == 1:
		all := diff.NewMatrix(modules[0].Module, abi.Targets())
		all.LeftOut = modules[0].Lost
		return wrongly(o.emitDiff(e, nil, all), modules)
	case matrix:
		reports, notes := diff.Everywhere(inputs)
		e.notes(notes)
		return wrongly(o.emitDiff(e, reports, nil), modules)
	}
	if len(modules) == 1 {
		modules, inputs = append(modules, modules[0]), append(inputs, inputs[0])
	}
	if len(targets) == 1 {
		targets = append(targets, targets[0])
	}
	var sides [2]*diff.Side
	for i, m := range modules {
		var t *abi.Target
		if len(targets) > 0 {
			t = targets[i]
		} else {
			own, err := chooseTarget(m.Module, "", o.assume)
			if err != nil {
				l := &loaded{source: m.source, module: m.Module, print: newPrinter(e, o, m.source)}
				return l.badTarget(err)
			}
			t = own.Target
		}
		s, list := diff.NewSide(m.Module, t)
		if newPrinter(e, o, m.source).all(list); list.Err() != nil {
			return errFindings
		}
		sides[i] = s
	}
	return wrongly(o.emitDiff(e, []*diff.Report{diff.CompareInputs(inputs, sides)}, nil), modules)
}

// wrongly is the error of a report on modules, one of which may have errors itself.
func wrongly(err error, modules []*diffModule) error {
	if err == nil && slices.ContainsFunc(modules, func(m *diffModule) bool { return m.Wrong }) {
		return errFindings
	}
	return err
}

// twoTargets are those of -target, at most two.
func (o *options) twoTargets() ([]*abi.Target, error) {
	var all []*abi.Target
	for name := range strings.SplitSeq(o.target, ",") {
		if o.target == "" {
			break
		}
		t, err := o.row(name)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	if len(all) > 2 {
		return nil, o.errorf("-target %s: %d targets, two at most", o.target, len(all))
	}
	return all, nil
}

// A diffModule is one of the two with what was read of it.
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
	m, list, err := src.parse()
	if err != nil {
		return nil, err
	}
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

// diffCubins compares two sides, a cubin at least among them. PTX is laid out for
// the target of the cubin that it is compared with.
func (o *options) diffCubins(e env, modules []*diffModule, inputs []*diff.Input, targets []*abi.Target) error {
	var sides [2]*diff.Side
	want := func(i int) *abi.Target {
		if len(targets) == 0 {
			return nil
		}
		return targets[min(i, len(targets)-1)]
	}
	choice := func(err error) error {
		if errors.As(err, new(diff.ChoiceError)) {
			return o.errorf("%w", err)
		}
		return err
	}
	if inputs[0].Cubins != nil && inputs[1].Cubins != nil {
		reports, notes, err := diff.Libraries(inputs, want(0), want(1), o.row)
		if err != nil {
			return choice(err)
		}
		e.notes(notes)
		return o.emitDiff(e, reports, nil)
	}
	var last *abi.Target
	for i, m := range modules {
		if m.Cubins == nil {
			continue
		}
		f, err := m.OneCubin(want(i))
		if err != nil {
			return choice(err)
		}
		if last, err = o.row(f.Arch); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		sides[i] = diff.NewCompiledSide(f.File, f.Name, last)
	}
	for i, m := range modules {
		if m.Cubins != nil {
			continue
		}
		t := want(i)
		if t == nil {
			t = last
		}
		s, list := diff.NewSide(m.Module, t)
		if newPrinter(e, o, m.source).all(list); list.Err() != nil {
			return errFindings
		}
		sides[i] = s
	}
	return o.emitDiff(e, []*diff.Report{diff.CompareInputs(inputs, sides)}, nil)
}

// emitDiff writes what was found.
func (o *options) emitDiff(e env, reports []*diff.Report, m *diff.Matrix) error {
	doc, err := diff.JSON(reports, m)
	if err != nil {
		return err
	}
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

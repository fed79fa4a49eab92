package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/diff"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
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
	hasCubin := false
	for _, file := range rest {
		m, err := o.diffModule(e, file)
		if err != nil {
			return err
		}
		modules, hasCubin = append(modules, m), hasCubin || m.cubins != nil
	}
	switch {
	case hasCubin && matrix:
		return o.errorf("-matrix compares PTX: a cubin is for one target")
	case hasCubin && len(rest) == 1:
		return o.errorf("a cubin is for one target: two of them can be compared, or one with its PTX")
	case hasCubin:
		return wrongly(o.diffCubins(e, modules, targets), modules)
	case matrix && len(rest) == 1:
		all := diff.NewMatrix(modules[0].module, abi.Targets())
		all.LeftOut = modules[0].lost
		return wrongly(o.emitDiff(e, nil, all), modules)
	case matrix:
		return wrongly(o.emitDiff(e, diffAll(e, modules), nil), modules)
	}
	if len(modules) == 1 {
		modules = append(modules, modules[0])
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
			own, err := chooseTarget(m.module, "", o.assume)
			if err != nil {
				l := &loaded{source: m.source, module: m.module, print: newPrinter(e, o, m.source)}
				return l.badTarget(err)
			}
			t = own.Target
		}
		s, list := diff.NewSide(m.module, t)
		if newPrinter(e, o, m.source).all(list); list.Err() != nil {
			return errFindings
		}
		sides[i] = s
	}
	return wrongly(o.emitDiff(e, []*diff.Report{compareSides(modules, sides)}, nil), modules)
}

// wrongly is the error of a report on modules, one of which may have errors itself.
func wrongly(err error, modules []*diffModule) error {
	if err == nil && slices.ContainsFunc(modules, func(m *diffModule) bool { return m.wrong }) {
		return errFindings
	}
	return err
}

// compareSides compares what the errors of both modules leave: what one could not read is not said to be missing there.
func compareSides(modules []*diffModule, sides [2]*diff.Side) *diff.Report {
	lost := map[string]bool{}
	for i, m := range modules {
		sides[i].LeftOut = m.lost
		for _, name := range m.lost {
			lost[name] = true
		}
		for _, name := range sides[1-i].Names() {
			if m.outside && !slices.Contains(sides[i].Names(), name) {
				lost[name] = true
			}
		}
	}
	for _, s := range sides {
		s.Without(lost)
	}
	return diff.Compare(sides[0], sides[1])
}

// twoTargets are those of -target, at most two.
func (o *options) twoTargets() ([]*abi.Target, error) {
	var all []*abi.Target
	for name := range strings.SplitSeq(o.target, ",") {
		if o.target == "" {
			break
		}
		t, err := lookup(name, o.assume)
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

// A diffModule is a module, or the cubins of a file.
type diffModule struct {
	*source
	module  *ptx.Module
	wrong   bool     // it had errors, and module is what they leave
	outside bool     // some are in no function
	lost    []string // the functions that are left out for them
	cubins  []binary // nil: it is PTX
}

func (o *options) diffModule(e env, file string) (*diffModule, error) {
	src, err := readRaw(e, file)
	if err != nil {
		return nil, err
	}
	if cubin.Binary([]byte(src.text)) {
		list, text, err := cubinsOf(src.name, []byte(src.text))
		if err != nil {
			return nil, err
		}
		if text == nil {
			return &diffModule{source: src, cubins: list}, nil
		}
		src = text
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
	if list.Err() != nil {
		read := half.Of(m, list)
		if len(resolve.Functions(read.Heads)) == 0 {
			return nil, errFindings
		}
		if len(read.Lost) > 0 {
			e.tell(diag.Note, src.name, 0, "left out for errors in their declarations: %s", strings.Join(read.Lost, ", "))
		}
		if len(read.Outside) > 0 {
			e.tell(diag.Note, src.name, 0, "it has errors outside of functions: a function that it lacks is not compared, since it may stand there")
		}
		return &diffModule{source: src, module: read.Heads, wrong: true, outside: len(read.Outside) > 0, lost: read.Lost}, nil
	}
	if isBlank(m) {
		return nil, fmt.Errorf("%s: no PTX in it", src.name)
	}
	var unknown []string // of a later version
	for _, f := range resolve.Functions(m) {
		if f.Opaque() && f.Proto == nil {
			unknown = append(unknown, f.Name)
		}
	}
	if len(unknown) > 0 {
		e.tell(diag.Note, src.name, 0, "left out, since a type, state space or form in their declarations is not known: %s", strings.Join(unknown, ", "))
	}
	return &diffModule{source: src, module: m, lost: unknown}, nil
}

// errorsOf are the errors of a list alone. What a module is warned of is the
// business of check.
func errorsOf(list diag.List) diag.List {
	return slices.DeleteFunc(list, func(e *diag.Diagnostic) bool { return e.Severity != diag.Error })
}

// diffCubins compares two sides, a cubin at least among them. PTX is laid out for
// the target of the cubin that it is compared with.
func (o *options) diffCubins(e env, modules []*diffModule, targets []*abi.Target) error {
	var sides [2]*diff.Side
	want := func(i int) *abi.Target {
		if len(targets) == 0 {
			return nil
		}
		return targets[min(i, len(targets)-1)]
	}
	if modules[0].cubins != nil && modules[1].cubins != nil {
		pairs, err := o.commonTargets(modules, want(0), want(1))
		if err != nil {
			return err
		}
		return o.diffLibraries(e, modules, pairs)
	}
	var last *abi.Target
	for i, m := range modules {
		if m.cubins == nil {
			continue
		}
		f, err := o.oneCubin(m, want(i))
		if err != nil {
			return err
		}
		if last, err = lookup(f.Arch, o.assume); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		sides[i] = diff.NewCompiledSide(f.File, f.name, last)
	}
	for i, m := range modules {
		if m.cubins != nil {
			continue
		}
		t := want(i)
		if t == nil {
			t = last
		}
		s, list := diff.NewSide(m.module, t)
		if newPrinter(e, o, m.source).all(list); list.Err() != nil {
			return errFindings
		}
		sides[i] = s
	}
	return o.emitDiff(e, []*diff.Report{compareSides(modules, sides)}, nil)
}

// archs are the architectures of a file's cubins, each once.
func (m *diffModule) archs() []string {
	var all []string
	for _, f := range m.cubins {
		if !slices.Contains(all, f.Arch) {
			all = append(all, f.Arch)
		}
	}
	return all
}

// commonTargets are the targets for which two compiled files are compared: those that are asked for, or
// which both have code for. Where each has code for one it is that.
func (o *options) commonTargets(modules []*diffModule, a, b *abi.Target) ([][2]*abi.Target, error) {
	if a != nil {
		for i, t := range []*abi.Target{a, b} {
			if m := modules[i]; !slices.Contains(m.archs(), t.Name) {
				return nil, o.errorf("%s has no cubin for %s, only for %s", m.name, t.Name, spanOf(m.archs()))
			}
		}
		return [][2]*abi.Target{{a, b}}, nil
	}
	ofA, ofB := modules[0].archs(), modules[1].archs()
	names := [][2]string{{ofA[0], ofB[0]}}
	if len(ofA) > 1 || len(ofB) > 1 {
		names = nil
		for _, name := range ofA {
			if slices.Contains(ofB, name) {
				names = append(names, [2]string{name, name})
			}
		}
		if names == nil {
			return nil, o.errorf("%s has cubins for %s, %s for %s: -target chooses one of each, separated by a comma",
				modules[0].name, spanOf(ofA), modules[1].name, spanOf(ofB))
		}
	}
	var all [][2]*abi.Target
	for _, pair := range names {
		var both [2]*abi.Target
		for i, name := range pair {
			t, err := lookup(name, o.assume)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", modules[i].name, err)
			}
			both[i] = t
		}
		all = append(all, both)
	}
	return all, nil
}

// diffLibraries compares two compiled files: all kernels that one has for a target with all that the other has. Of
// targets in a row for which the same is to be said the first stands for all.
func (o *options) diffLibraries(e env, modules []*diffModule, targets [][2]*abi.Target) error {
	var all []*diff.Report
	for _, pair := range targets {
		var sides [2]*diff.Side
		twice := make(map[string]bool)
		for i, m := range modules {
			var files []*cubin.File
			name := m.name
			for _, f := range m.cubins {
				if f.Arch == pair[i].Name {
					files, name = append(files, f.File), f.name
				}
			}
			if len(files) > 1 {
				name = m.name
			}
			sides[i] = diff.NewLibrarySide(files, name, pair[i])
			names := sides[i].Ambiguous()
			if len(names) > 0 {
				e.tell(diag.Note, m.name, 0, "left out: %s that %s has several times, with different parameters: %s", prose.Count(len(names), "kernel"), pair[i], strings.Join(names[:min(len(names), few)], ", "))
			}
			for _, name := range names {
				twice[name] = true
			}
		}
		for _, s := range sides {
			s.Without(twice)
		}
		r := diff.Compare(sides[0], sides[1])
		if n := len(all); n > 0 && all[n-1].Extend(r) {
			continue
		}
		all = append(all, r)
	}
	return o.emitDiff(e, all, nil)
}

// oneCubin is the cubin of a file for a target, or the only one there is.
func (o *options) oneCubin(m *diffModule, t *abi.Target) (binary, error) {
	var all []binary
	names := spanOf(m.archs())
	for _, f := range m.cubins {
		if t == nil || f.Arch == t.Name {
			all = append(all, f)
		}
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1 && t != nil:
		return binary{}, o.errorf("%s has %d cubins for %s: ptxabi verify finds the one that was compiled from a module", m.name, len(all), t.Name)
	case t != nil:
		return binary{}, o.errorf("%s has no cubin for %s, only for %s", m.name, t.Name, names)
	}
	return binary{}, o.errorf("%s has %d cubins, for %s: -target chooses one", m.name, len(all), names)
}

// diffAll compares two modules on every target that has a layout of both, and
// says which have not. Of reports in a row that say the same the first stands for
// all.
func diffAll(e env, modules []*diffModule) []*diff.Report {
	var all []*diff.Report
	for _, t := range abi.Targets() {
		sa, la := diff.NewSide(modules[0].module, t)
		sb, lb := diff.NewSide(modules[1].module, t)
		if list := append(la, lb...); list.Err() != nil {
			e.tell(diag.Note, t.Name, 0, "left out: %s", list[0].Error())
			continue
		}
		r := compareSides(modules, [2]*diff.Side{sa, sb})
		if n := len(all); n > 0 && all[n-1].Extend(r) {
			continue
		}
		all = append(all, r)
	}
	return all
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

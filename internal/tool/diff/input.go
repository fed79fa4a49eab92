//go:build !explorer && !nopack

package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// An Input is a module, or the cubins of a file.
type Input struct {
	Name    string
	Module  *ptx.Module
	Wrong   bool              // it had errors, and Module is what they leave
	Outside bool              // some are in no function
	Lost    []string          // the functions that are left out for them
	Cubins  []compiled.Binary // nil: it is PTX
}

// FromPTX is a module, or what its errors leave of it, with notes on what is left out. It is nil if that is all.
func FromPTX(name string, m *ptx.Module, list diag.List) (in *Input, notes diag.List) {
	if list.Err() != nil {
		read := half.Of(m, list)
		if len(resolve.Functions(read.Heads)) == 0 {
			return nil, nil
		}
		if len(read.Lost) > 0 {
			notes.Add(note(name, "left out for errors in their declarations: %s", strings.Join(read.Lost, ", ")))
		}
		if len(read.Outside) > 0 {
			notes.Add(note(name, "it has errors outside of functions: a function that it lacks is not compared, since it may stand there"))
		}
		return &Input{Name: name, Module: read.Heads, Wrong: true, Outside: len(read.Outside) > 0, Lost: read.Lost}, notes
	}
	var unknown []string // of a later version
	for _, f := range resolve.Functions(m) {
		if !f.Known() && f.Proto == nil {
			unknown = append(unknown, f.Name)
		}
	}
	if len(unknown) > 0 {
		notes.Add(note(name, "left out, since a type, state space or form in their declarations is not known: %s", strings.Join(unknown, ", ")))
	}
	return &Input{Name: name, Module: m, Lost: unknown}, notes
}

// A ChoiceError says that other targets have to be asked for.
type ChoiceError struct{ error }

// CompareInputs compares what the errors of both modules leave: what one could not read is not said to be missing there.
func CompareInputs(inputs []*Input, sides [2]*Side) *Report {
	lost := map[string]bool{}
	for i, m := range inputs {
		sides[i].LeftOut = m.Lost
		for _, name := range m.Lost {
			lost[name] = true
		}
		for _, name := range sides[1-i].Names() {
			if m.Outside && !slices.Contains(sides[i].Names(), name) {
				lost[name] = true
			}
		}
	}
	for _, s := range sides {
		s.Without(lost)
	}
	return Compare(sides[0], sides[1])
}

// Everywhere compares two modules on every target that has a layout of both; the notes say which have not. Of reports
// in a row that say the same the first stands for all.
func Everywhere(inputs []*Input) (all []*Report, notes diag.List) {
	for _, t := range abi.Targets() {
		sa, la := NewSide(inputs[0].Module, t)
		sb, lb := NewSide(inputs[1].Module, t)
		if list := append(la, lb...); list.Err() != nil {
			notes.Add(note(t.Name, "left out: %s", list[0].Error()))
			continue
		}
		all = extended(all, CompareInputs(inputs, [2]*Side{sa, sb}))
	}
	return all, notes
}

// archs are the architectures of a file's cubins, each once.
func (in *Input) archs() []string {
	var all []string
	for _, f := range in.Cubins {
		if !slices.Contains(all, f.Arch) {
			all = append(all, f.Arch)
		}
	}
	return all
}

// commonTargets are the targets for which two compiled files are compared: those that are asked for, or
// which both have code for. Where each has code for one it is that.
func commonTargets(inputs []*Input, a, b *abi.Target, lookup compiled.Lookup) ([][2]*abi.Target, error) {
	if a != nil {
		for i, t := range []*abi.Target{a, b} {
			if m := inputs[i]; !slices.Contains(m.archs(), t.Name) {
				return nil, ChoiceError{fmt.Errorf("%s has no cubin for %s, only for %s", m.Name, t.Name, compiled.Span(m.archs()))}
			}
		}
		return [][2]*abi.Target{{a, b}}, nil
	}
	ofA, ofB := inputs[0].archs(), inputs[1].archs()
	names := [][2]string{{ofA[0], ofB[0]}}
	if len(ofA) > 1 || len(ofB) > 1 {
		names = nil
		for _, name := range ofA {
			if slices.Contains(ofB, name) {
				names = append(names, [2]string{name, name})
			}
		}
		if names == nil {
			return nil, ChoiceError{fmt.Errorf("%s has cubins for %s, %s for %s: -target chooses one of each, separated by a comma",
				inputs[0].Name, compiled.Span(ofA), inputs[1].Name, compiled.Span(ofB))}
		}
	}
	var all [][2]*abi.Target
	for _, pair := range names {
		var both [2]*abi.Target
		for i, name := range pair {
			t, err := lookup(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", inputs[i].Name, err)
			}
			both[i] = t
		}
		all = append(all, both)
	}
	return all, nil
}

// Libraries compares two compiled files, for the targets a and b or, for nil, those that both have code for: all kernels
// that one has for a target with all that the other has. Of targets in a row for which the same is to be said the first
// stands for all. The notes say what is left out.
func Libraries(inputs []*Input, a, b *abi.Target, lookup compiled.Lookup) (all []*Report, notes diag.List, err error) {
	targets, err := commonTargets(inputs, a, b, lookup)
	if err != nil {
		return nil, nil, err
	}
	for _, pair := range targets {
		var sides [2]*Side
		for i, in := range inputs {
			var files []*cubin.File
			name := in.Name
			for _, f := range in.Cubins {
				if f.Arch == pair[i].Name {
					files, name = append(files, f.File), f.Name
				}
			}
			if len(files) > 1 {
				name = in.Name
			}
			sides[i] = NewLibrarySide(files, name, pair[i])
		}
		notes = append(notes, Unambiguous(sides, inputs[0].Name, inputs[1].Name)...)
		all = extended(all, Compare(sides[0], sides[1]))
	}
	return all, notes, nil
}

// Unambiguous leaves out the kernels that one of two sides has several times, which are not alike, and notes them for its file.
func Unambiguous(sides [2]*Side, files ...string) (notes diag.List) {
	twice := make(map[string]bool)
	for i, s := range sides {
		if !s.Compiled {
			continue
		}
		names := s.Ambiguous()
		if len(names) > 0 {
			notes.Add(note(files[i], "left out: %s that %s has several times, with different parameters: %s", prose.Count(len(names), "kernel"), s.Target, strings.Join(names[:min(len(names), compiled.Few)], ", ")))
		}
		for _, name := range names {
			twice[name] = true
		}
	}
	for _, s := range sides {
		s.Without(twice)
	}
	return notes
}

// extended adds a report to others, of which the last may stand for it.
func extended(all []*Report, r *Report) []*Report {
	if n := len(all); n > 0 && all[n-1].Extend(r) {
		return all
	}
	return append(all, r)
}

func note(file, format string, args ...any) *diag.Diagnostic {
	return &diag.Diagnostic{File: file, Severity: diag.Note, Msg: fmt.Sprintf(format, args...)}
}

// OneCubin is the cubin of a file for a target, or the only one there is.
func (in *Input) OneCubin(t *abi.Target) (compiled.Binary, error) {
	var all []compiled.Binary
	names := compiled.Span(in.archs())
	for _, f := range in.Cubins {
		if t == nil || f.Arch == t.Name {
			all = append(all, f)
		}
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1 && t != nil:
		return compiled.Binary{}, ChoiceError{fmt.Errorf("%s has %d cubins for %s: ptxabi verify finds the one that was compiled from a module", in.Name, len(all), t.Name)}
	case t != nil:
		return compiled.Binary{}, ChoiceError{fmt.Errorf("%s has no cubin for %s, only for %s", in.Name, t.Name, names)}
	}
	return compiled.Binary{}, ChoiceError{fmt.Errorf("%s has %d cubins, for %s: -target chooses one", in.Name, len(all), names)}
}

// NewCompiledSide is what a cubin records of its kernels, sorted by name: offsets
// and sizes of their parameters. The order of its symbols is the assembler's
// business.
func NewCompiledSide(f *cubin.File, name string, t *abi.Target) *Side {
	return NewLibrarySide([]*cubin.File{f}, name, t)
}

// NewLibrarySide is [NewCompiledSide] of all cubins that a library has for a target. Of kernels that
// have one name and are alike one is kept.
func NewLibrarySide(files []*cubin.File, name string, t *abi.Target) *Side {
	s := &Side{File: name, Target: t.Name, Assumed: t.AssumedFrom != "", Compiled: true, row: t}
	for _, f := range files {
		s.add(f)
	}
	slices.SortStableFunc(s.funcs, func(a, b *Func) int { return strings.Compare(a.Name, b.Name) })
	s.funcs = slices.CompactFunc(s.funcs, func(a, b *Func) bool { return a.Name == b.Name && a.key() == b.key() })
	return s
}

// add adds the kernels of a cubin.
func (s *Side) add(f *cubin.File) {
	for i := range f.Functions {
		fn := &f.Functions[i]
		if !fn.Kernel {
			continue
		}
		bank := uint8(max(fn.ParamBank, 0))
		out := &Func{
			Name: strings.Clone(fn.Name), Kind: "entry", Params: []Value{}, Returns: []Value{}, Visible: true,
			Block: &Block{int(bank), max(fn.ParamBase, 0), max(fn.ParamSize, 0)},
		}
		for _, p := range fn.Params {
			v := Value{Size: p.Size}
			if p.Offset >= 0 {
				v.loc = abi.Loc{Kind: abi.InConst, Bank: bank, Off: out.Block.Base + p.Offset}
			} else if p.PointeeSpace != 0 { // an array of handles, of 13.4 and later, has none
				v.Type = "." + strings.TrimPrefix(p.PointeeSpace.String(), ".")
			}
			v.Place = abi.Placement{Loc: v.loc, Size: p.Size}.String()
			out.Params = append(out.Params, v)
		}
		s.funcs = append(s.funcs, out)
	}
}

// Ambiguous are the names that several kernels of a library have which are not alike, sorted: which of them
// is which of another library nothing says.
func (s *Side) Ambiguous() []string {
	var all []string
	for i, f := range s.funcs {
		if i > 0 && f.Name == s.funcs[i-1].Name {
			all = append(all, f.Name)
		}
	}
	return slices.Compact(all)
}

package gen

import (
	"fmt"
	"go/build/constraint"
	"iter"
	"slices"

	"github.com/ptxabi/ptxabi/internal/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// host returns the rules of the host where nvcc runs, whose records the device has
// too.
func (g *generator) host() layout.Rules {
	if g.Rules == "msvc" {
		return layout.LLP64
	}
	return layout.LP64
}

// chosenHost returns the rules that the systems choose for which the output is built: those
// of Windows or of the others. It is "" where the output is for both.
func chosenHost(x constraint.Expr) string {
	if x == nil {
		return ""
	}
	built := func(system string) bool {
		for _, free := range []bool{true, false} {
			if x.Eval(func(tag string) bool {
				switch {
				case tag == "unix":
					return system != "windows" && system != "js" && system != "wasip1" && system != "plan9"
				case slices.Contains(systems, tag):
					return tag == system
				}
				return free
			}) {
				return true
			}
		}
		return false
	}
	windows, others := built("windows"), slices.ContainsFunc(systems, func(s string) bool { return s != "windows" && built(s) })
	switch {
	case windows && !others:
		return "msvc"
	case others && !windows:
		return "sysv"
	}
	return ""
}

// nvcc returns the rules by which kernels are compiled there: NVIDIA's front end, which
// reads C as C++.
func (g *generator) nvcc() layout.Rules { return g.host().NVCC() }

// windows returns the generator for kernels that are compiled on Windows; nil if it is
// known where they are.
func (g *generator) windows() *generator {
	if g.Rules != "" {
		return nil
	}
	other := *g
	other.Rules, other.errs = "msvc", nil
	return &other
}

// compareHosts reports records and kernels that were asked for and that mean something
// else where nvcc runs on Windows. What the header does not declare there, or wrongly,
// is not for it.
func (g *generator) compareHosts(here *cdecl.Unit) {
	other := g.windows()
	if other == nil || len(g.errs) > 0 {
		return
	}
	there, err := other.parseC(g.Input)
	if there == nil || err != nil && len(there.Records)+len(there.Funcs) == 0 {
		return
	}
	for _, name := range g.Types {
		a, at, _ := findRecord(here, name)
		b, _, _ := findRecord(there, name)
		if a != nil && b != nil {
			g.compareTypes(other, at, name, a, b)
		}
	}
	for _, name := range g.Kernels {
		a, b := kernelOf(here, name), kernelOf(there, name)
		if a == nil || b == nil || len(a.Params) != len(b.Params) {
			continue
		}
		for i, p := range a.Params {
			what := p.Name
			if what == "" {
				what = fmt.Sprintf("parameter %d", i+1)
			}
			g.compareTypes(other, p.Pos, what+" of "+name, p.Type, b.Params[i].Type)
		}
	}
}

// compareHost is compareHosts for a record of another header.
func (g *generator) compareHost(at place, name, header string, here layout.Type) {
	other := g.windows()
	if other == nil {
		return
	}
	if u, _ := other.parseC(header); u != nil {
		if there, _, _ := findRecord(u, name); there != nil {
			g.compareTypes(other, at, name, here, there)
		}
	}
}

// compareTypes reports where the bytes of a type first differ.
func (g *generator) compareTypes(other *generator, at place, what string, here, there layout.Type) {
	a, err := layout.Of(here, g.nvcc())
	if err != nil {
		return
	}
	b, err := layout.Of(there, other.nvcc())
	if err != nil {
		return
	}
	if why := difference(&a, &b); why != "" {
		g.report(at, badType, "%s is another thing where nvcc runs on Windows: %s; -rules=sysv or -rules=msvc, or an output for one system, says where it runs", what, why)
	}
}

// difference says where a layout of Linux and one of Windows first differ; "" if they do
// not. Of very large ones only the beginning is compared field by field.
func difference(linux, windows *layout.Layout) string {
	next, stop := iter.Pull(windows.Fields())
	defer stop()
	n := 0
	for f := range linux.Fields() {
		o, ok := next()
		if n++; n > maxParts {
			break
		}
		name := f.Path
		if name == "" {
			name = "it"
		}
		switch {
		case !ok || o.Path != f.Path:
			return fmt.Sprintf("%s is on Linux alone, or in another place there", name)
		case f.BitWidth > 0 && (o.Start() != f.Start() || o.BitWidth != f.BitWidth):
			return fmt.Sprintf("%s is %s on Linux and %s there", name, bitRange(f.Start(), f.BitWidth), bitRange(o.Start(), o.BitWidth))
		case o.Offset != f.Offset && f.BitWidth == 0:
			return fmt.Sprintf("%s begins at byte %d on Linux and at byte %d there", name, f.Offset, o.Offset)
		case o.Size != f.Size && f.BitWidth == 0:
			return fmt.Sprintf("%s has %s on Linux and %d there", name, byteCount(f.Size), o.Size)
		}
	}
	switch {
	case linux.Size != windows.Size:
		return fmt.Sprintf("it has %s on Linux and %d there", byteCount(linux.Size), windows.Size)
	case linux.Align != windows.Align:
		return fmt.Sprintf("it is aligned to %s on Linux and to %d there", byteCount(linux.Align), windows.Align)
	}
	return ""
}

func byteCount(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// kernelOf returns the kernel of a name; nil if there is none or more than one.
func kernelOf(u *cdecl.Unit, name string) *cdecl.FuncDecl {
	var found *cdecl.FuncDecl
	for _, f := range u.Funcs {
		if f.Kernel && f.Name == name {
			if found != nil {
				return nil
			}
			found = f
		}
	}
	return found
}

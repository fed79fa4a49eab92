package compiled

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Comparison compares a file with a source.
type Comparison struct {
	*File
	Source string                                                 // its name
	On     func(b *Binary, t *abi.Target) (*verify.Source, error) // what it declares, laid out on a target
	Module *verify.Module                                         // PTX, which the source is, and its text
	Text   string

	Struct *verify.Struct // what kernels are compared with; nil: the kernels and functions of the source
	Param  int            // the parameter that the struct is for, or [verify.Whole]
	Kernel string         // the only one that is compared; "": all
	Arch   string         // that of the images; "": all that the source can be compiled for

	Tell func(s diag.Severity, file string, line uint32, format string, args ...any)
	// Progress is called before work of n steps. It returns what is called after each, and before messages and in the end.
	Progress func(what string, n int) (step, end func())
}

// own is the architecture that PTX is for, nil where the source is none or names none.
func (c *Comparison) own() *resolve.Arch {
	if c.Module == nil {
		return nil
	}
	own, err := resolve.ParseArch(c.Module.Target)
	if err != nil {
		return nil
	}
	return &own
}

// empty reports whether the source is PTX that defines no function.
func (c *Comparison) empty() bool {
	return c.Module != nil && !slices.ContainsFunc(c.Module.Items, func(it ptx.Item) bool {
		fn, ok := it.(*ptx.Func)
		return ok && fn.HasBody
	})
}

// compared is an image that was compared.
type compared struct {
	*verify.Report
	name    string
	ptx     bool
	module  uint64   // where its container is, which images of one module share
	madeFor string   // the architecture that the PTX is for which it is or was made of, without its suffix; "": not recorded
	kernels []string // where one is named
}

// Reports compares the images that are chosen. Of several those that share nothing with the source are
// left out, but for PTX whose module shares something: that has drifted.
func (c *Comparison) Reports() ([]*verify.Report, error) {
	ch, err := c.choose()
	if err != nil {
		return nil, err
	}
	c.tellChoice(ch)
	all, err := c.compare(ch.images)
	if err != nil {
		return nil, err
	}
	cubins := 0
	shared := make(map[uint64]bool)
	for _, r := range all {
		if !r.ptx {
			cubins++
		}
		shared[r.module] = shared[r.module] || r.Shared()
	}
	all = c.madeForOthers(all)
	var reports []*verify.Report
	var ofSource []string // kernels of the source
	for _, r := range all {
		other := cubins > 1
		if r.ptx {
			other = len(all) > 1 && !shared[r.module]
		}
		if other && !r.Shared() && !c.empty() {
			if c.Struct != nil && c.Kernel != "" {
				c.Tell(diag.Note, r.name, 0, "left out: it has no kernel %s", c.Kernel)
			} else {
				c.Tell(diag.Note, r.name, 0, "left out: it has nothing that %s defines", c.Source)
			}
			continue
		}
		names := r.kernels
		if c.Struct == nil {
			for _, k := range r.Kernels {
				names = append(names, k.Name)
				if k.Line > 0 {
					ofSource = append(ofSource, k.Name)
				}
			}
		}
		switch {
		case c.Struct == nil && c.Kernel != "" && !r.Only(c.Kernel):
			return nil, fmt.Errorf("%s and %s: neither has a kernel %s%s", r.name, c.Source, c.Kernel, verify.Like(c.Kernel, names))
		case c.Struct != nil && !r.Shared():
			c.Tell(diag.Note, r.name, 0, "it has no kernel %s%s", c.Kernel, verify.Like(c.Kernel, names))
		}
		if n := len(ch.modules); n > 1 {
			r.Module, r.Modules = ch.number(c.File, r.module), n
		}
		reports = append(reports, r.Report)
	}
	switch {
	case len(reports) == 0 || c.empty() && !slices.ContainsFunc(reports, (*verify.Report).OK):
		return nil, c.nothing(ch.images)
	case c.Struct == nil && c.Kernel != "" && !slices.ContainsFunc(reports, (*verify.Report).Declares):
		return nil, fmt.Errorf("%s has no kernel %s%s", c.Source, c.Kernel, verify.Like(c.Kernel, ofSource))
	}
	return reports, nil
}

// madeForOthers leaves out what differs and was made of PTX for an architecture that the source is not for: a compiler makes
// PTX for each that it is told, which may be meant to differ.
func (c *Comparison) madeForOthers(all []compared) []compared {
	own := c.own()
	if own == nil || c.Arch != "" {
		return all
	}
	name := fmt.Sprintf("sm_%d", own.SM)
	of := func(r compared) bool { return r.madeFor == name || r.madeFor == "" }
	if !slices.ContainsFunc(all, of) {
		return all
	}
	var others []string
	n := len(all)
	all = slices.DeleteFunc(all, func(r compared) bool {
		out := !of(r) && !r.OK()
		if out && !slices.Contains(others, r.madeFor) {
			others = append(others, r.madeFor)
		}
		return out
	})
	if n -= len(all); n > 0 {
		c.Tell(diag.Note, c.Name, 0, "left out: %s made of PTX for %s, which differ from %s for %s: -target compares them", prose.Count(n, "image"), Span(others), c.Source, own.Name)
	}
	return all
}

// nothing is the error for images of which none has what is compared.
func (c *Comparison) nothing(images []int) error {
	if c.empty() {
		return fmt.Errorf("%s defines no kernel or function", c.Source)
	}
	if c.Kernel == "" {
		return fmt.Errorf("%s: none of %s has anything that %s defines", c.Name, c.kinds(images), c.Source)
	}
	names := c.kernels(images)
	if slices.ContainsFunc(names, func(n string) bool { return verify.Named(n, c.Kernel) }) {
		return fmt.Errorf("%s has no kernel %s", c.Source, c.Kernel)
	}
	return fmt.Errorf("%s: none of %s has a kernel %s%s", c.Name, c.kinds(images), c.Kernel, verify.Like(c.Kernel, names))
}

// wanted reports of the names in a cubin whether the module is to have them that is looked for; nil: any kernel.
func (c *Comparison) wanted() (func(name string) bool, error) {
	switch {
	case c.Kernel != "":
		return func(name string) bool { return verify.Named(name, c.Kernel) }, nil
	case c.Struct != nil:
		return nil, nil
	}
	all, err := c.On(&Binary{File: &cubin.File{}}, abi.Targets()[0])
	if err != nil {
		return nil, err
	}
	return all.Defines(), nil
}

// tellChoice notes which module the source is, and what is left out, each in a line.
func (c *Comparison) tellChoice(ch *choice) {
	if n := len(ch.modules) - len(ch.chosen); n > 0 && (c.Struct == nil || c.Kernel != "") { // without a kernel a struct is for none of several
		c.Tell(diag.Note, c.Name, 0, "%s is %s; left out: %s", c.Source, ch.where(c.File, c.Kernel), prose.Count(n, "other module"))
	}
	if ch.skipped > 0 {
		c.Tell(diag.Note, c.Name, 0, "left out: %s, code for %s, which %s is not compiled for: its .target is %s", prose.Count(ch.skipped, "image"), Span(ch.archs), c.Source, c.own().Name)
	}
}

// compare compares images. What cannot be read of the PTX it names in notes.
func (c *Comparison) compare(images []int) (all []compared, err error) {
	step, end := c.Progress("images compared", len(images))
	defer end()
	opened := 0
	for _, i := range images {
		m := &c.Images[i]
		if m.Kind != cubin.Cubin && m.Kind != cubin.PTX {
			end()
			c.Tell(diag.Note, fmt.Sprintf("%s(0x%x)", c.Name, m.Offset), 0, "left out: it is %v, neither a cubin nor PTX", m.Kind)
			continue
		}
		b, err := c.Open(i)
		if unread := (*PTXError)(nil); errors.As(err, &unread) {
			end()
			c.Tell(diag.Note, unread.Name, 0, "left out, it is compared with nothing: %v", unread.Err)
			continue
		}
		if err != nil {
			return nil, err
		}
		opened++
		if b.PTX != nil && c.Struct != nil && len(images) > 1 && len(b.Kernels()) == 0 {
			c.Tell(diag.Note, b.Name, 0, "left out: it has no kernel")
		} else {
			r, err := c.report(&b)
			if err != nil {
				return nil, err
			}
			one := compared{Report: r, name: b.Name, ptx: b.PTX != nil, module: m.Container, madeFor: b.Virtual}
			if one.ptx {
				one.madeFor = strings.TrimRight(b.Arch, "af")
			}
			if c.Kernel != "" {
				one.kernels = b.Kernels()
			}
			all = append(all, one)
		}
		step()
	}
	if opened == 0 {
		return nil, fmt.Errorf("%s: no cubin in it and no PTX that can be compared", c.Name)
	}
	return all, nil
}

// report compares one cubin or PTX image with the source, or with a struct of it.
func (c *Comparison) report(b *Binary) (*verify.Report, error) {
	t, err := c.lookup(b.Arch)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	if c.Struct == nil {
		all, err := c.On(b, t)
		if err != nil {
			return nil, err
		}
		return b.Compare(all), nil
	}
	kernel, err := kernelOf(b, c.Kernel)
	if err != nil {
		return nil, err
	}
	param := c.Param
	if fn := b.Func(kernel); fn != nil && len(fn.Params) == 1 && param == verify.Whole {
		param = 0
	}
	return b.CompareStruct(*c.Struct, t, kernel, param), nil
}

// A ChoiceError says that another kernel or another target has to be asked for.
type ChoiceError struct{ error }

// kernelOf is the kernel of a file that a name means, or the only one it has.
func kernelOf(b *Binary, name string) (string, error) {
	names := verify.Linked(b.File, []verify.Declared{{Name: name}})[0]
	have := b.Kernels()
	switch {
	case name == "":
		names = have
	case len(names) == 0:
		names = slices.DeleteFunc(slices.Clone(have), func(symbol string) bool { return !verify.Named(symbol, name) })
	}
	switch {
	case len(names) == 1:
		return names[0], nil
	case name == "" && len(names) == 0:
		return "", fmt.Errorf("%s: no kernel in it", b.Name)
	case len(names) == 0:
		return name, nil // which the report says
	case name == "":
		return "", ChoiceError{fmt.Errorf("%s has %d kernels; -kernel chooses the one that the struct is for: %s", b.Name, len(names), someNames(names))}
	}
	return "", ChoiceError{fmt.Errorf("-kernel %s may mean any of %s", name, someNames(names))}
}

// someNames are kernels in one line, as C++ has them.
func someNames(symbols []string) string {
	var names []string
	for _, s := range symbols[:min(len(symbols), 2*Few)] {
		names = append(names, cxxname.Full(s))
	}
	if more := len(symbols) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

package compiled

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Module is the images of a file that were made of one module: the entries of one fatbin, or a
// cubin by itself.
type Module struct {
	Images []int // numbers of images in the file
	overlap
}

// An overlap is what a compiled module has of what is wanted.
type overlap struct {
	shared int  // kernels and functions that are wanted
	extra  int  // kernels that are not
	equal  bool // it has the very text of the source as PTX
}

// better reports whether a module is more like what is wanted than another: it shares more, or has the text
// itself, or has less beside.
func (o overlap) better(p overlap) bool {
	switch {
	case o.shared != p.shared:
		return o.shared > p.shared
	case o.equal != p.equal:
		return o.equal
	}
	return o.extra < p.extra
}

// modulesOf puts images of a file together that are of one module, in the order of the file.
func (f *File) modulesOf(images []int) []*Module {
	var all []*Module
	at := make(map[uint64]*Module)
	for _, i := range images {
		m := at[f.Images[i].Container]
		if m == nil {
			m = &Module{}
			at[f.Images[i].Container] = m
			all = append(all, m)
		}
		m.Images = append(m.Images, i)
	}
	return all
}

// A choice is what of a file is compared, and what is left out.
type choice struct {
	asked   []int     // images for the target
	images  []int     // those that are compared, none where no module has anything
	modules []*Module // all that have an image for the target
	chosen  []int     // numbers of modules, from 0
	archs   []string  // that the source cannot be compiled for
	skipped int       // images for those
}

// choose finds the images that a source is compared with: those of the module that has most of what it
// defines, for the target or for the architectures that it can be compiled for. A struct is compared with every module that
// has the kernel.
func (c *Comparison) choose() (*choice, error) {
	if len(c.Images) == 0 {
		return nil, fmt.Errorf("%s has neither a cubin nor PTX in it", c.Name)
	}
	ch := &choice{}
	switch own := c.own(); {
	case c.Arch != "":
		var err error
		if ch.asked, err = c.forTarget(c.Arch); err != nil {
			return nil, err
		}
	case own != nil:
		for i := range c.Images {
			if arch, err := resolve.ParseArch(c.Images[i].Arch); err == nil && own.RunsOn(arch) != nil {
				ch.skipped++
				if !slices.Contains(ch.archs, c.Images[i].Arch) {
					ch.archs = append(ch.archs, c.Images[i].Arch)
				}
				continue
			}
			ch.asked = append(ch.asked, i)
		}
		if len(ch.asked) == 0 { // which is what there is to report
			ch.archs, ch.skipped = nil, 0
		}
	}
	if ch.asked == nil {
		for i := range c.Images {
			ch.asked = append(ch.asked, i)
		}
	}
	ch.modules = c.modulesOf(ch.asked)
	if len(ch.modules) == 1 {
		ch.chosen, ch.images = []int{0}, ch.asked
		return ch, nil
	}
	wanted, err := c.wanted()
	if err != nil {
		return nil, err
	}
	step, end := c.Progress("modules looked at", len(ch.modules))
	err = c.overlaps(step, ch.modules, wanted, c.Text)
	if end(); err != nil {
		return nil, err
	}
	for i, m := range ch.modules {
		switch {
		case m.shared == 0 && !m.equal:
		case c.Struct != nil:
			ch.chosen = append(ch.chosen, i)
		case len(ch.chosen) == 0:
			ch.chosen = []int{i}
		case m.better(ch.modules[ch.chosen[0]].overlap):
			ch.chosen[0] = i
		}
	}
	if len(ch.chosen) == 0 && c.empty() { // a module without kernels is one of those
		if i := slices.IndexFunc(ch.modules, func(m *Module) bool { return m.extra == 0 }); i >= 0 {
			ch.chosen = []int{i}
		}
	}
	for _, i := range ch.chosen {
		ch.images = append(ch.images, ch.modules[i].Images...)
	}
	if len(ch.images) == 0 {
		return nil, c.nothing(ch.asked)
	}
	return ch, nil
}

// number is the number of a module by the place of its container, from 1.
func (c *choice) number(f *File, at uint64) int {
	return 1 + slices.IndexFunc(c.modules, func(m *Module) bool { return f.Images[m.Images[0]].Container == at })
}

// where says where the chosen modules are and why, a kernel being all that is looked for, "" for what a source defines.
func (c *choice) where(f *File, kernel string) string {
	var at []string
	for _, i := range c.chosen[:min(len(c.chosen), Few)] {
		m := c.modules[i]
		first := f.Images[m.Images[0]]
		where := fmt.Sprintf("module %d of %d, at 0x%x", i+1, len(c.modules), first.Container)
		if first.Member != "" {
			where += " in " + first.Member
		}
		switch {
		case m.shared > 0 && kernel != "":
			where += ", which has the kernel " + kernel
		case m.shared > 0:
			where += fmt.Sprintf(", which has %d of what it defines", m.shared)
		case m.equal:
			where += ", which contains its text"
		}
		at = append(at, where)
	}
	if more := len(c.chosen) - len(at); more > 0 {
		at = append(at, fmt.Sprintf("%d more", more))
	}
	return strings.Join(at, "; ")
}

// overlaps counts in each module what is wanted: in one of its images, and where no module has anything, in
// the others too. A module that has the text itself is marked.
func (f *File) overlaps(step func(), modules []*Module, wanted func(name string) bool, text string) error {
	some := false
	for _, m := range modules {
		if err := f.count(f.first(m.Images), wanted, &m.overlap); err != nil {
			return err
		}
		some = some || m.shared > 0
		step()
	}
	for _, m := range modules {
		for _, i := range m.Images {
			if !some && m.shared == 0 {
				m.overlap = overlap{}
				if err := f.count(i, wanted, &m.overlap); err != nil {
					return err
				}
			}
		}
	}
	best := 0
	for _, m := range modules {
		best = max(best, m.shared)
	}
	for _, m := range modules {
		if text == "" || m.shared < best { // where none shares anything, those of empty modules are left
			continue
		}
		for _, i := range m.Images {
			if f.Images[i].Kind == cubin.PTX && !m.equal {
				data, err := f.Images[i].Contents()
				m.equal = err == nil && string(bytes.TrimSpace(data)) == strings.TrimSpace(text)
			}
		}
	}
	return nil
}

// first is the image that is cheapest to look at: a cubin that is not compressed, a cubin, PTX.
func (f *File) first(images []int) int {
	cost := func(i int) int {
		switch m := &f.Images[i]; {
		case m.Kind == cubin.Cubin && m.Compression == cubin.Stored:
			return 0
		case m.Kind == cubin.Cubin:
			return 1
		case m.Kind == cubin.PTX:
			return 2
		}
		return 3
	}
	return slices.MinFunc(images, func(a, b int) int { return cmp.Compare(cost(a), cost(b)) })
}

// count adds the kernels and functions of an image. One that cannot be read as its module's has nothing, and an error is one
// of the file.
func (f *File) count(i int, wanted func(name string) bool, o *overlap) error {
	var list []cubin.Function
	switch m := f.Images[i]; m.Kind {
	case cubin.Cubin:
		data, err := m.Contents()
		if err == nil {
			list, err = cubin.Functions(data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Where(i), err)
		}
	case cubin.PTX:
		if b, err := f.Open(i); err == nil {
			list = b.PTX.Functions
		}
	}
	for i := range list {
		switch fn := &list[i]; {
		case wanted == nil && fn.Kernel, wanted != nil && (fn.Kernel || fn.Binding != elf.STB_LOCAL) && wanted(fn.Name):
			o.shared++
		case fn.Kernel:
			o.extra++
		}
	}
	return nil
}

// kernels are the names of the kernels of images, those that can be read.
func (f *File) kernels(images []int) []string {
	var all []string
	for _, i := range images {
		if b, err := f.Open(i); err == nil {
			all = append(all, b.Kernels()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// kinds are how many cubins and PTX texts are among images, in words.
func (f *File) kinds(images []int) string {
	var words []string
	for _, kind := range []struct {
		cubin.ImageKind
		name string
	}{{cubin.Cubin, "cubin"}, {cubin.PTX, "PTX image"}} {
		n := 0
		for _, i := range images {
			if f.Images[i].Kind == kind.ImageKind {
				n++
			}
		}
		if n > 0 {
			words = append(words, prose.Count(n, kind.name))
		}
	}
	return strings.Join(words, " and ")
}

// forTarget are the images for a target.
func (f *File) forTarget(arch string) ([]int, error) {
	t, err := f.lookup(arch)
	if err != nil {
		return nil, err
	}
	var images []int
	var have []string
	what := "no cubin"
	for i := range f.Images {
		m := &f.Images[i]
		if m.Kind == cubin.PTX {
			what = "neither cubin nor PTX"
		}
		switch {
		case m.Arch == t.Name:
			images = append(images, i)
		case !slices.Contains(have, m.Arch):
			have = append(have, m.Arch)
		}
	}
	if images == nil {
		return nil, ChoiceError{fmt.Errorf("%s has %s for %s, only for %s", f.Name, what, t.Name, strings.Join(have, ", "))}
	}
	return images, nil
}

// Few is how many of several are named in a line.
const Few = 4

// Span are architectures in one line, in ascending order: all of Few, otherwise the first and
// the last.
func Span(names []string) string {
	names = slices.SortedFunc(slices.Values(names), func(a, b string) int {
		x, _ := resolve.ParseArch(a)
		y, _ := resolve.ParseArch(b)
		return cmp.Or(cmp.Compare(x.SM, y.SM), cmp.Compare(a, b))
	})
	if len(names) <= Few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s … %s (%d architectures)", names[0], names[len(names)-1], len(names))
}

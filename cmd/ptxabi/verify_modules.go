package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/resolve"
)

// A fileModule is the images of a file that were made of one module: the entries of one fatbin, or a
// cubin by itself.
type fileModule struct {
	images  []int // numbers of images in the file
	overlap verify.Overlap
}

// modulesOf puts images of a file together that are of one module, in the order of the file.
func (f *compiledFile) modulesOf(images []int) []*fileModule {
	var all []*fileModule
	at := make(map[uint64]*fileModule)
	for _, i := range images {
		m := at[f.images[i].Container]
		if m == nil {
			m = &fileModule{}
			at[f.images[i].Container] = m
			all = append(all, m)
		}
		m.images = append(m.images, i)
	}
	return all
}

// A choice is what of a file is compared, and what is left out.
type choice struct {
	images  []int
	modules []*fileModule // all that have an image for the target
	chosen  []int         // numbers of modules, from 0
	archs   []string      // that the source cannot be compiled for
	skipped int           // images for those
}

// choose finds the images that a source is compared with: those of the module that has most of what it
// defines, for -target or for the architectures that it can be compiled for. With -type it is every
// module that has the kernel.
func (s *structFlags) choose(e env, o *options, src *subject, f *compiledFile) (*choice, error) {
	if len(f.images) == 0 {
		return nil, fmt.Errorf("%s has neither a cubin nor PTX in it", f.name)
	}
	c := &choice{}
	var images []int
	switch own := src.arch(); {
	case o.target != "":
		t, err := measuredTarget(o.target)
		if err != nil {
			return nil, err
		}
		if images, err = f.forTarget(o, t); err != nil {
			return nil, err
		}
	case own != nil:
		for i := range f.images {
			if arch, err := resolve.ParseArch(f.images[i].Arch); err == nil && own.RunsOn(arch) != nil {
				c.skipped++
				if !slices.Contains(c.archs, f.images[i].Arch) {
					c.archs = append(c.archs, f.images[i].Arch)
				}
				continue
			}
			images = append(images, i)
		}
		if len(images) == 0 { // which is what there is to report
			c.archs, c.skipped = nil, 0
		}
	}
	if images == nil {
		for i := range f.images {
			images = append(images, i)
		}
	}
	c.modules = f.modulesOf(images)
	if len(c.modules) == 1 {
		c.chosen, c.images = []int{0}, images
		return c, nil
	}
	wanted, err := s.wanted(e, o, src)
	if err != nil {
		return nil, err
	}
	if err := f.overlaps(e, c.modules, wanted, src.text()); err != nil {
		return nil, err
	}
	for i, m := range c.modules {
		switch {
		case m.overlap.Shared == 0 && !m.overlap.Equal:
		case s.typ != "":
			c.chosen = append(c.chosen, i)
		case len(c.chosen) == 0:
			c.chosen = []int{i}
		case m.overlap.Compare(c.modules[c.chosen[0]].overlap) < 0:
			c.chosen[0] = i
		}
	}
	if len(c.chosen) == 0 && src.empty() { // a module without kernels is one of those
		if i := slices.IndexFunc(c.modules, func(m *fileModule) bool { return m.overlap.Extra == 0 }); i >= 0 {
			c.chosen = []int{i}
		}
	}
	if len(c.chosen) == 0 {
		return nil, s.nothing(src, f, images)
	}
	for _, i := range c.chosen {
		c.images = append(c.images, c.modules[i].images...)
	}
	return c, nil
}

// numberOf is the number of a module by the place of its container, from 1.
func (c *choice) numberOf(f *compiledFile, at uint64) int {
	return 1 + slices.IndexFunc(c.modules, func(m *fileModule) bool { return f.images[m.images[0]].Container == at })
}

// wanted is what the module is to have that is looked for.
func (s *structFlags) wanted(e env, o *options, src *subject) (*verify.Wanted, error) {
	if s.typ != "" || s.kernel != "" {
		return verify.WantedKernel(s.kernel), nil
	}
	all, err := src.on(e, o, &binary{File: &cubin.File{}}, abi.Targets()[0])
	if err != nil {
		return nil, err
	}
	return verify.WantedOf(all), nil
}

// overlaps counts in each module what is wanted: in one of its images, and where no module has anything, in
// the others too. A module that has the text itself is marked.
func (f *compiledFile) overlaps(e env, modules []*fileModule, w *verify.Wanted, text string) error {
	p := newProgress(e, "modules looked at", len(modules))
	defer p.hide()
	some := false
	for _, m := range modules {
		if err := f.count(m.images[f.first(m.images)], w, &m.overlap); err != nil {
			return err
		}
		some = some || m.overlap.Shared > 0
		p.step()
	}
	for _, m := range modules {
		for _, i := range m.images {
			if !some && m.overlap.Shared == 0 {
				m.overlap = verify.Overlap{}
				if err := f.count(i, w, &m.overlap); err != nil {
					return err
				}
			}
		}
	}
	best := verify.Overlap{}
	for _, m := range modules {
		best.Shared = max(best.Shared, m.overlap.Shared)
	}
	for _, m := range modules {
		if text == "" || m.overlap.Shared < best.Shared { // where none shares anything, those of empty modules are left
			continue
		}
		for _, i := range m.images {
			if f.images[i].Kind == cubin.PTX && !m.overlap.Equal {
				data, err := f.images[i].Contents()
				m.overlap.Equal = err == nil && string(bytes.TrimSpace(data)) == strings.TrimSpace(text)
			}
		}
	}
	return nil
}

// first is the index of the image that is cheapest to look at: a cubin that is not compressed, a cubin, PTX.
func (f *compiledFile) first(images []int) int {
	best, cost := 0, 4
	for k, i := range images {
		m := &f.images[i]
		n := 3
		switch {
		case m.Kind == cubin.Cubin && m.Compression == cubin.Stored:
			n = 0
		case m.Kind == cubin.Cubin:
			n = 1
		case m.Kind == cubin.PTX:
			n = 2
		}
		if n < cost {
			best, cost = k, n
		}
	}
	return best
}

// count adds what an image has. One that cannot be read as its module's has nothing, and an error is one
// of the file.
func (f *compiledFile) count(i int, w *verify.Wanted, o *verify.Overlap) error {
	m := f.images[i]
	switch m.Kind {
	case cubin.Cubin:
		data, err := m.Contents()
		if err == nil {
			err = cubin.Names(data, func(n cubin.Named) { w.Count(o, n) })
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.where(i), err)
		}
	case cubin.PTX:
		if b, err := f.open(i); err == nil {
			w.CountPTX(o, b.ptx)
		}
	}
	return nil
}

// kernels are the names of the kernels of images, those that can be read.
func (f *compiledFile) kernels(images []int) []string {
	var all []string
	for _, i := range images {
		if b, err := f.open(i); err == nil {
			all = append(all, b.Kernels()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// kinds are how many cubins and PTX texts are among images, in words.
func (f *compiledFile) kinds(images []int) string {
	var words []string
	for _, kind := range []struct {
		cubin.ImageKind
		name string
	}{{cubin.Cubin, "cubin"}, {cubin.PTX, "PTX image"}} {
		n := 0
		for _, i := range images {
			if f.images[i].Kind == kind.ImageKind {
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
func (f *compiledFile) forTarget(o *options, t *abi.Target) ([]int, error) {
	var images []int
	var have []string
	what := "no cubin"
	for i := range f.images {
		m := &f.images[i]
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
		return nil, o.errorf("%s has %s for %s, only for %s", f.name, what, t.Name, strings.Join(have, ", "))
	}
	return images, nil
}

// say notes which module the source is, and what is left out, each in a line.
func (s *structFlags) say(e env, c *choice, src *subject, f *compiledFile) {
	if n := len(c.modules) - len(c.chosen); n > 0 && (s.typ == "" || s.kernel != "") { // without a kernel a struct is for none of several
		var at []string
		for _, i := range c.chosen[:min(len(c.chosen), few)] {
			m := c.modules[i]
			first := f.images[m.images[0]]
			where := fmt.Sprintf("module %d of %d, at 0x%x", i+1, len(c.modules), first.Container)
			if first.Member != "" {
				where += " in " + first.Member
			}
			switch {
			case m.overlap.Shared > 0 && s.kernel != "":
				where += ", which has the kernel " + s.kernel
			case m.overlap.Shared > 0:
				where += fmt.Sprintf(", which has %d of what it defines", m.overlap.Shared)
			case m.overlap.Equal:
				where += ", which contains its text"
			}
			at = append(at, where)
		}
		if more := len(c.chosen) - len(at); more > 0 {
			at = append(at, fmt.Sprintf("%d more", more))
		}
		e.tell(diag.Note, f.name, 0, "%s is %s; left out: %s", src.name, strings.Join(at, "; "), prose.Count(n, "other module"))
	}
	if c.skipped > 0 {
		e.tell(diag.Note, f.name, 0, "left out: %s, code for %s, which %s is not compiled for: its .target is %s", prose.Count(c.skipped, "image"), spanOf(c.archs), src.name, src.arch().Name)
	}
}

// few is how many of several are named in a line.
const few = 4

// spanOf are architectures in one line, in ascending order: all of few, otherwise the first and
// the last.
func spanOf(names []string) string {
	names = slices.SortedFunc(slices.Values(names), func(a, b string) int {
		x, _ := resolve.ParseArch(a)
		y, _ := resolve.ParseArch(b)
		return cmp.Or(cmp.Compare(x.SM, y.SM), cmp.Compare(a, b))
	})
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s … %s (%d architectures)", names[0], names[len(names)-1], len(names))
}

// openAll opens the chosen images. What cannot be read of the PTX it names in notes.
func (c *choice) openAll(e env, f *compiledFile, each func(binary) error) error {
	p := newProgress(e, "images compared", len(c.images))
	defer p.hide()
	n, left := 0, 0
	for _, i := range c.images {
		m := &f.images[i]
		if m.Kind != cubin.Cubin && m.Kind != cubin.PTX {
			left++
			p.hide()
			e.tell(diag.Note, fmt.Sprintf("%s(0x%x)", f.name, m.Offset), 0, "left out: it is %v, neither a cubin nor PTX", m.Kind)
			continue
		}
		b, err := f.open(i)
		if unread := (*ptxError)(nil); errors.As(err, &unread) {
			left++
			p.hide()
			e.tell(diag.Note, unread.name, 0, "left out, it is compared with nothing: %v", unread.err)
			continue
		}
		if err != nil {
			return err
		}
		n++
		if err := each(b); err != nil {
			return err
		}
		p.step()
	}
	switch {
	case n > 0:
		return nil
	case left > 0:
		return fmt.Errorf("%s: no cubin in it and no PTX that can be compared", f.name)
	}
	return fmt.Errorf("%s: no cubin in it, nor PTX", f.name)
}

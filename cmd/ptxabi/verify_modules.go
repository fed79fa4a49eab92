package main

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
)

// wanted is what the module is to have that is looked for.
func (s *structFlags) wanted(e env, o *options, src *subject) (*verify.Wanted, error) {
	if s.typ != "" || s.kernel != "" {
		return verify.WantedKernel(s.kernel), nil
	}
	all, err := src.on(e, o, &verify.Binary{File: &cubin.File{}}, abi.Targets()[0])
	if err != nil {
		return nil, err
	}
	return verify.WantedOf(all), nil
}

// choose finds the images that a source is compared with. With -type it is every module that has the kernel.
func (s *structFlags) choose(e env, o *options, src *subject, f *compiled.File) (c *compiled.Choice, err error) {
	q := &compiled.Question{
		Own: src.arch(), Every: s.typ != "", Empty: src.empty(), Text: src.text(),
		Wanted: func() (*verify.Wanted, error) { return s.wanted(e, o, src) },
		Looking: func(n int) (step, end func()) {
			p := newProgress(e, "modules looked at", n)
			return p.step, p.hide
		},
	}
	if o.target != "" && len(f.Images) > 0 {
		if q.Target, err = o.row(o.target); err != nil {
			return nil, err
		}
	}
	c, err = f.Choose(q)
	switch none := (compiled.NoTargetError{}); {
	case errors.As(err, &none):
		return nil, o.errorf("%w", err)
	case err != nil:
		return nil, err
	case len(c.Images) == 0:
		return nil, s.nothing(src, f, c.Asked)
	}
	return c, nil
}

// say notes which module the source is, and what is left out, each in a line.
func (s *structFlags) say(e env, c *compiled.Choice, src *subject, f *compiled.File) {
	if n := len(c.Modules) - len(c.Chosen); n > 0 && (s.typ == "" || s.kernel != "") { // without a kernel a struct is for none of several
		e.tell(diag.Note, f.Name, 0, "%s is %s; left out: %s", src.name, c.Where(f, s.kernel), prose.Count(n, "other module"))
	}
	if c.Skipped > 0 {
		e.tell(diag.Note, f.Name, 0, "left out: %s, code for %s, which %s is not compiled for: its .target is %s", prose.Count(c.Skipped, "image"), compiled.Span(c.Archs), src.name, src.arch().Name)
	}
}

// openAll opens the chosen images. What cannot be read of the PTX it names in notes.
func openAll(e env, f *compiled.File, c *compiled.Choice, each func(*compiled.Binary) error) error {
	p := newProgress(e, "images compared", len(c.Images))
	defer p.hide()
	n, left := 0, 0
	for _, i := range c.Images {
		m := &f.Images[i]
		if m.Kind != cubin.Cubin && m.Kind != cubin.PTX {
			left++
			p.hide()
			e.tell(diag.Note, fmt.Sprintf("%s(0x%x)", f.Name, m.Offset), 0, "left out: it is %v, neither a cubin nor PTX", m.Kind)
			continue
		}
		b, err := f.Open(i)
		if unread := (*compiled.PTXError)(nil); errors.As(err, &unread) {
			left++
			p.hide()
			e.tell(diag.Note, unread.Name, 0, "left out, it is compared with nothing: %v", unread.Err)
			continue
		}
		if err != nil {
			return err
		}
		n++
		if err := each(&b); err != nil {
			return err
		}
		p.step()
	}
	switch {
	case n > 0:
		return nil
	case left > 0:
		return fmt.Errorf("%s: no cubin in it and no PTX that can be compared", f.Name)
	}
	return fmt.Errorf("%s: no cubin in it, nor PTX", f.Name)
}

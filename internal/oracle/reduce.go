package oracle

import (
	"errors"
	"slices"
)

// maxSteps bounds the steps that reducing one difference takes.
const maxSteps = 40

// reduce makes the signature of a difference smaller as long as it shows a
// difference of the same kind, and fills in what ptxas says of it.
func (c *comparison) reduce(d *Difference) error {
	best := d.Signature
	for range maxSteps {
		smaller, err := c.firstAlike(d, best.smaller())
		if err != nil {
			return err
		}
		if smaller == nil {
			break
		}
		best = smaller
	}
	p := newProbe(best, d.Index)
	if err := c.batch([]*probe{p}); err != nil {
		return err
	}
	d.Signature, d.Mismatches, d.Err, d.PTX, d.SASS = p.sig, p.mismatches, p.err, p.ptx, p.sass
	return nil
}

// firstAlike returns the first of several signatures that shows a difference of
// the kind of d; nil when none does. Where ptxas refuses it asks one by one,
// since one that is refused hides the others.
func (c *comparison) firstAlike(d *Difference, sigs []*Signature) (*Signature, error) {
	size := batchSize
	var refused *AssembleError
	if errors.As(d.Err, &refused) {
		size = 1
	}
	for chunk := range slices.Chunk(sigs, size) {
		var batch []*probe
		for i, s := range chunk {
			batch = append(batch, newProbe(s, i))
		}
		if err := c.batch(batch); err != nil {
			return nil, err
		}
		for _, p := range batch {
			if (p.err != nil) == (d.Err != nil) && (p.mismatches != nil) == (d.Mismatches != nil) && !p.skipped {
				return p.sig, nil
			}
		}
	}
	return nil, nil
}

// smaller returns signatures that are one step simpler than s, the largest
// steps first.
func (s *Signature) smaller() []*Signature {
	var all []*Signature
	try := func(change func(c *Signature)) {
		c := s.clone()
		change(c)
		all = append(all, c)
	}
	n := len(s.Params)
	if n > 3 {
		try(func(c *Signature) { c.Params = c.Params[n/2:] })
		if !s.Params[n-1].unsized() {
			try(func(c *Signature) { c.Params = c.Params[:n/2] })
		}
	}
	for i := range s.Params {
		try(func(c *Signature) { c.Params = slices.Delete(c.Params, i, i+1) })
	}
	if s.Result != nil {
		try(func(c *Signature) { c.Result = nil })
		for _, f := range s.Result.smaller() {
			try(func(c *Signature) { c.Result = &f })
		}
	}
	for i, f := range s.Params {
		for _, g := range f.smaller() {
			try(func(c *Signature) { c.Params[i] = g })
		}
	}
	return all
}

// smaller returns formals that are one step simpler than f.
func (f Formal) smaller() []Formal {
	var all []Formal
	try := func(g Formal) {
		if g != f {
			all = append(all, g)
		}
	}
	plain := Formal{Type: "b32"}
	if f.unsized() || f == plain {
		return nil
	}
	try(plain)
	if f.Len > 1 {
		for _, n := range []int{f.Len / 2, f.Len &^ 3, f.Len - 1} {
			if n > 0 && n < f.Len {
				g := f
				g.Len = n
				try(g)
			}
		}
	}
	if f.Align > 0 {
		g := f
		g.Align = 0
		try(g)
	}
	if f.Len > 0 && f.Type != "b8" {
		try(Formal{Type: "b8", Len: f.Len * elemSize(f.Type), Align: f.Value().Align})
	}
	return all
}

package oracle

import "slices"

// maxAttempts bounds the runs of ptxas that reducing one difference takes.
const maxAttempts = 120

// reduce makes the signature of a difference smaller as long as it shows a
// difference of the same kind, and fills in what ptxas says of it.
func (c *comparison) reduce(d *Difference) error {
	best := newProbe(d.Signature, d.Index)
	if err := c.batch([]*probe{best}); err != nil {
		return err
	}
	attempts := 0
	for again := true; again; {
		again = false
		for _, smaller := range best.sig.smaller() {
			if attempts++; attempts > maxAttempts {
				break
			}
			p := newProbe(smaller, d.Index)
			if err := c.batch([]*probe{p}); err != nil {
				return err
			}
			if (p.err != nil) == (d.Err != nil) && (p.mismatches != nil) == (d.Mismatches != nil) && !p.skipped {
				best, again = p, true
				break
			}
		}
	}
	d.Signature, d.Mismatches, d.Err, d.PTX, d.SASS = best.sig, best.mismatches, best.err, best.ptx, best.sass
	return nil
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

package abitest

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// Smaller returns functions that are one step simpler than s, the largest steps
// first, for a reducer of failures to try.
func (s *Function) Smaller() []*Function {
	s = zero.Or(s)
	var all []*Function
	try := func(change func(c *Function)) {
		c := s.Clone()
		change(c)
		all = append(all, c)
	}
	n := len(s.Params)
	if n > 3 {
		try(func(c *Function) { c.Params = c.Params[n/2:] })
		if !s.Params[n-1].Unsized() {
			try(func(c *Function) { c.Params = c.Params[:n/2] })
		}
	}
	for i := range s.Params {
		try(func(c *Function) { c.Params = slices.Delete(c.Params, i, i+1) })
	}
	if s.Preserve.Given {
		try(func(c *Function) { c.Preserve = abi.Preserve{} })
		try(func(c *Function) { c.Preserve.N /= 2 })
	}
	if s.Result != nil {
		try(func(c *Function) { c.Result = nil })
		for _, f := range s.Result.smaller() {
			try(func(c *Function) { c.Result = &f })
		}
	}
	for i, f := range s.Params {
		for _, g := range f.smaller() {
			try(func(c *Function) { c.Params[i] = g })
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
	if f.Unsized() || f.Opaque() || f == plain {
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
		try(Formal{Type: "b8", Len: f.Len * f.Elem(), Align: f.Value().Align})
	}
	return all
}

package ptx

import "github.com/ptxabi/ptxabi/internal/core/zero"

// Span returns the positions where the instruction begins and ends, with its guard and its semicolon. Both are zero in a
// tree that was built by hand.
func (in *Instr) Span() (from, to Pos) { return zero.Or(in).Pos, zero.Or(in).End }

// Span returns where the directive begins and ends, with its semicolon if it has one.
func (d *Directive) Span() (from, to Pos) { return zero.Or(d).Pos, zero.Or(d).End }

// Span returns where the name of the label begins and ends.
func (l *Label) Span() (from, to Pos) {
	l = zero.Or(l)
	return l.Pos, l.Pos.After(l.Name)
}

// Span returns where the declaration begins and ends, without its semicolon.
func (d *Decl) Span() (from, to Pos) { return zero.Or(d).Pos, zero.Or(d).Pos.After(zero.Or(d).Text) }

// Span returns where the brace begins and ends.
func (o *Open) Span() (from, to Pos) { return zero.Or(o).Pos, zero.Or(o).Pos.After("{") }

// Span returns where the brace begins and ends.
func (c *Close) Span() (from, to Pos) { return zero.Or(c).Pos, zero.Or(c).Pos.After("}") }

// Span returns where the prototype begins and ends, without its semicolon.
func (p *Prototype) Span() (from, to Pos) {
	p = zero.Or(p)
	return p.Pos, p.Pos.After(p.Text)
}

// Span returns where the list begins and ends, without its semicolon.
func (l *TargetList) Span() (from, to Pos) {
	return zero.Or(l).Pos, zero.Or(l).Pos.After(zero.Or(l).Text)
}

// Span returns where the text begins and ends.
func (r *Raw) Span() (from, to Pos) {
	r = zero.Or(r)
	return r.Pos, r.Pos.After(r.Text)
}

// Span returns where the function begins and ends, with its closing brace or its semicolon.
func (f *Func) Span() (from, to Pos) { return zero.Or(f).Pos, zero.Or(f).EndPos.After("}") }

package ptx

import "strings"

// advance returns the position after some text that begins at pos.
func advance(pos Pos, text string) Pos {
	if !pos.IsValid() {
		return pos
	}
	if n := strings.Count(text, "\n"); n > 0 {
		return Pos{Line: pos.Line + uint32(n), Col: uint32(len(text) - strings.LastIndexByte(text, '\n'))}
	}
	return Pos{Line: pos.Line, Col: pos.Col + uint32(len(text))}
}

// Span returns where the instruction begins and ends: with its guard and its semicolon. Both positions are zero in a tree
// that was built by hand.
func (in *Instr) Span() (from, to Pos) { return in.Pos, in.End }

// Span returns where the directive begins and ends, with its semicolon if it has one.
func (d *Directive) Span() (from, to Pos) { return d.Pos, d.End }

// Span returns where the name of the label begins and ends.
func (l *Label) Span() (from, to Pos) { return l.Pos, advance(l.Pos, l.Name) }

// Span returns where the declaration begins and ends, without its semicolon.
func (d *Decl) Span() (from, to Pos) { return d.Pos, advance(d.Pos, d.Text) }

// Span returns where the brace begins and ends.
func (o *Open) Span() (from, to Pos) { return o.Pos, advance(o.Pos, "{") }

// Span returns where the brace begins and ends.
func (c *Close) Span() (from, to Pos) { return c.Pos, advance(c.Pos, "}") }

// Span returns where the prototype begins and ends, without its semicolon.
func (p *Prototype) Span() (from, to Pos) { return p.Pos, advance(p.Pos, p.Text) }

// Span returns where the list begins and ends, without its semicolon.
func (l *TargetList) Span() (from, to Pos) { return l.Pos, advance(l.Pos, l.Text) }

// Span returns where the text begins and ends.
func (r *Raw) Span() (from, to Pos) { return r.Pos, advance(r.Pos, r.Text) }

// Span returns where the function begins and ends, with its closing brace or its semicolon.
func (f *Func) Span() (from, to Pos) { return f.Pos, advance(f.EndPos, "}") }

package cdecl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

// With [Options.SkipTemplates] a record that has a template among its members or
// bases, or something else of C++ that is not read, is left out with a warning.
// What needs its layout has none either.

// LeftOut says why a type has no layout, if that is because of a record that was
// left out: it is one, or an array of one; "" where it is not.
func (u *Unit) LeftOut(t layout.Type) string { return u.lackOf(t).why }

func (u *Unit) lackOf(t layout.Type) lack { return u.leftOut[recordOf(t)] }

// recordOf returns the record that a type is, or is an array of; nil if it is none.
func recordOf(t layout.Type) *layout.Record {
	for range 5 * maxDepth { // arrays of more dimensions have no layout
		switch x := layout.Unalias(t).(type) {
		case *layout.Array:
			t = x.Elem
		case *layout.Record:
			return x
		default:
			return nil
		}
	}
	return nil
}

// lacks is why the first base or member has been left out, and where that is written, or else the member. Records in it
// are complete, so that each has what is wrong in it.
func (b *body) lacks() lack {
	u := b.p.unit
	if len(u.leftOut) == 0 {
		return lack{}
	}
	for i := range b.rec.Bases {
		if l := u.lackOf(b.rec.Bases[i].Type); l.why != "" {
			return lack{l.why, b.decl.Pos, Unsupported}
		}
	}
	for i := range b.rec.Fields {
		switch l := u.lackOf(b.rec.Fields[i].Type); {
		case l.why == "":
		case !b.p.opts.Partial:
			return lack{l.why, b.decl.Pos, Unsupported}
		case l.at.IsValid():
			return l
		default:
			return lack{l.why, b.decl.FieldPos[i], Unsupported}
		}
	}
	return lack{}
}

// leaveOut leaves the record out if the errors since there were so many are
// all about what is not supported, and reports whether it did.
func (b *body) leaveOut(errs int) bool {
	p := b.p
	bad := p.errs[errs:]
	if p.opts.Partial && len(bad) == 0 { // in a system header, or reported already
		b.without(b.decl.Pos, Unsupported, p.why)
		return true
	}
	others := slices.ContainsFunc(bad, func(e *diag.Diagnostic) bool { return e.Code != Unsupported })
	if !p.tolerant() || len(bad) == 0 || others && !p.opts.Partial {
		return false
	}
	p.errs = p.errs[:errs]
	b.without(posOf(bad[0]), bad[0].Code, bad[0].Msg)
	return true
}

// without warns, once, that the record is left out, and why.
func (b *body) without(pos Pos, code diag.Code, why string) {
	p := b.p
	if p.unit.leftOut[b.rec].why != "" {
		return
	}
	p.unit.leftOut[b.rec] = lack{why, pos, code}
	if name := b.decl.Name; name != "" && p.opts.Partial {
		p.unit.lose(name, pos, why)
	}
	name := b.rec.String()
	p.warn(pos, code, "%s; %s is left out", why, name)
	if b.rec.Unsupported == "" {
		b.rec.Unsupported = why
	}
}

// inherit reads the bases. Those of a record that is left out are not needed.
func (b *body) inherit() {
	p, errs := b.p, len(b.p.errs)
	if p.try(b.bases) {
		return
	}
	if !b.leaveOut(errs) {
		panic(bailout{})
	}
	p.skipTo("{", ";")
}

// forgive makes warnings of the errors that cost nothing but the declarations
// that they are in. What the input itself says is wrong stays an error, and so does
// what keeps the rest of it from being read.
func (p *parser) forgive() {
	var kept findings
	for _, e := range p.errs {
		if e.Code == Directive && (p.dead || strings.HasPrefix(e.Msg, "#error") || e.File == commandLine) || e.Code == Assert {
			kept = append(kept, e)
			continue
		}
		less := *e
		less.Severity = diag.Warning
		p.warnings = append(p.warnings, &less)
		p.unit.Forgiven = append(p.unit.Forgiven, &less)
	}
	p.errs = kept
}

// twice refuses a record that is defined a second time, at pos.
func (p *parser) twice(rec *layout.Record, pos Pos) {
	for _, d := range p.unit.Records {
		if d.Type == rec && p.opts.Partial {
			d.Layout = nil
			rec.Unsupported = "is defined twice"
			why := fmt.Sprintf("%s is defined at %s already", lastName(d.Name), d.Pos)
			p.unit.leftOut[rec] = lack{why, pos, Redefined}
			p.unit.lose(d.Name, pos, why)
		}
	}
}

// opaque is a type of which nothing is known but its name, and why. Pointers to it can
// be laid out.
func (p *parser) opaque(name, why string) layout.Type {
	rec := &layout.Record{Name: name, Incomplete: true, Unsupported: why}
	p.unit.leftOut[rec] = lack{why: why}
	return &layout.Alias{Name: name, Type: rec}
}

// A lack is why a record has no layout. Its place is the zero Pos where it is that of what needs the record.
type lack struct {
	why  string
	at   Pos
	code diag.Code
}

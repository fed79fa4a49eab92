package cdecl

import "github.com/ptxabi/ptxabi/layout"

// With [Options.SkipTemplates] a record that has a template among its members or
// bases, or something else of C++ that is not read, is left out with a warning.
// What needs its layout has none either.

// LeftOut says why a type has no layout, if that is because of a record that was
// left out: it is one, or an array of one; "" where it is not.
func (u *Unit) LeftOut(t layout.Type) string {
	for {
		switch x := layout.Unalias(t).(type) {
		case *layout.Array:
			t = x.Elem
		case *layout.Record:
			return u.leftOut[x]
		default:
			return ""
		}
	}
}

// lacks is LeftOut of the first base or member that has been left out. Records in
// it are complete, so that each knows of what is in it.
func (b *body) lacks() string {
	u := b.p.unit
	if len(u.leftOut) == 0 {
		return ""
	}
	for i := range b.rec.Bases {
		if why := u.LeftOut(b.rec.Bases[i].Type); why != "" {
			return why
		}
	}
	for i := range b.rec.Fields {
		if why := u.LeftOut(b.rec.Fields[i].Type); why != "" {
			return why
		}
	}
	return ""
}

// leaveOut leaves the record out if the errors since there were so many are
// all about what is not supported, and reports whether it did.
func (b *body) leaveOut(errs int) bool {
	p := b.p
	bad := p.errs[errs:]
	if !p.opts.SkipTemplates || len(bad) == 0 {
		return false
	}
	for _, e := range bad {
		if e.Code != Unsupported {
			return false
		}
	}
	p.errs = p.errs[:errs]
	b.without(posOf(bad[0]), bad[0].Msg)
	return true
}

// without warns, once, that the record is left out, and why.
func (b *body) without(pos Pos, why string) {
	p := b.p
	if p.unit.leftOut[b.rec] != "" {
		return
	}
	if p.unit.leftOut == nil {
		p.unit.leftOut = make(map[*layout.Record]string)
	}
	p.unit.leftOut[b.rec] = why
	name := b.rec.String()
	p.warn(pos, Unsupported, "%s; %s is left out", why, name)
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
	for !p.at("{") && !p.at(";") && p.tok.kind != eof {
		p.advance()
	}
}

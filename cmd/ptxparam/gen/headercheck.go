package gen

import (
	"errors"
	"fmt"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cdecl"
	"github.com/ptxabi/ptxabi/internal/gotypes"
	"github.com/ptxabi/ptxabi/internal/near"
	"github.com/ptxabi/ptxabi/layout"
)

// holdAgainst compares a struct with the record of a header that its comment
// names, and complains of the first field that differs.
func (in *goInput) holdAgainst(tn *types.TypeName, l *layout.Layout) {
	d := in.l.reader.Directive(tn)
	at := in.l.place(tn.Pos())
	path := d.Header
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(at.file), filepath.FromSlash(path))
	}
	u, err := in.g.parseC(path)
	var list cdecl.ErrorList
	if err != nil && !errors.As(err, &list) {
		in.g.complain(at, mismatch, "//ptxabi:header: %v", err)
		return
	}
	name := d.Record
	if name == "" {
		name = tn.Name()
	}
	t, pos, names := findRecord(u, name)
	if t == nil {
		in.g.complain(at, unknownName, "//ptxabi:header: %s declares no %s%s", d.Header, name, near.DidYouMean(name, names))
		for _, e := range list {
			in.g.complain(place{e.Pos.File, e.Pos.Line, e.Pos.Col}, string(e.Code), "%s", e.Msg)
		}
		return
	}
	c, why := lay(t, in.g.language(path))
	if why != "" {
		in.g.complain(at, mismatch, "//ptxabi:header: %s of %s %s", name, d.Header, why)
		return
	}
	where := fmt.Sprintf("%s:%d", in.g.shown(pos.File), pos.Line)
	if !in.holdFields(tn, l, c, name, where) {
		return
	}
	if l.Size != c.Size || l.Align != c.Align {
		in.g.complain(at, mismatch, "%s has %d bytes, aligned to %d; %s at %s has %d, aligned to %d", tn.Name(), l.Size, l.Align, name, where, c.Size, c.Align)
	}
}

func findRecord(u *cdecl.Unit, name string) (layout.Type, cdecl.Pos, []string) {
	var names []string
	for _, r := range u.Records {
		if r.Name == name {
			return r.Type, r.Pos, nil
		}
		names = append(names, r.Name)
	}
	for _, t := range u.Typedefs {
		if t.Name == name {
			return t.Type, t.Pos, nil
		}
	}
	return nil, cdecl.Pos{}, names
}

// A part is a scalar of a record, with the index of the field it is of.
type part struct {
	bit, width int64
	float      bool
	path       string
}

// parts takes a record apart.
func parts(l *layout.Layout) []part {
	var out []part
	for f := range l.Fields() {
		if base(f.Path) == "_" {
			continue
		}
		if f.BitWidth > 0 {
			out = append(out, part{bit: f.Start(), width: f.BitWidth, path: f.Path})
			continue
		}
		a := l.Loads(&f, l.Align*16)
		for i := range a.Count {
			if len(out) == maxParts {
				return out
			}
			out = append(out, part{bit: (a.Off + i*a.Size) * 8, width: a.Size * 8, float: strings.HasPrefix(a.Type, ".f"), path: f.Path})
		}
	}
	return out
}

// maxParts bounds a comparison.
const maxParts = 1 << 16

// base is the last name of a path.
func base(path string) string { return path[strings.LastIndex(path, ".")+1:] }

// top is the first name of a path.
func top(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}

// holdFields compares the fields in order, and reports whether they agree.
func (in *goInput) holdFields(tn *types.TypeName, l, c *layout.Layout, name, where string) bool {
	s := tn.Type().Underlying().(*types.Struct)
	at := in.l.place(tn.Pos())
	cname := map[string]string{}
	for i := range s.NumFields() {
		tag, _ := gotypes.ParseTag(s.Tag(i))
		cname[s.Field(i).Name()] = tag.Name
	}
	fieldAt := func(path string) place {
		for f := range s.Fields() {
			if f.Name() == top(path) {
				return in.l.place(f.Pos())
			}
		}
		return at
	}
	got, want := parts(l), parts(c)
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			in.g.complain(at, mismatch, "%s ends before %s, which %s at %s has at byte %d", tn.Name(), want[i].path, name, where, want[i].bit/8)
			return false
		case i >= len(want):
			in.g.complain(fieldAt(got[i].path), mismatch, "field %s: %s at %s ends before it", got[i].path, name, where)
			return false
		}
		g, w := got[i], want[i]
		gotName := top(g.path)
		if n := cname[gotName]; n != "" {
			gotName = n
		}
		switch {
		case g.bit != w.bit || g.width != w.width:
			in.g.complain(fieldAt(g.path), mismatch, "field %s lies in %s; %s at %s has %s in %s",
				g.path, bytesOf(g), name, where, w.path, bytesOf(w))
		case g.float != w.float:
			in.g.complain(fieldAt(g.path), mismatch, "field %s and %s of %s at %s are not both floating-point", g.path, w.path, name, where)
		case !alike(gotName, top(w.path)) && !alike(base(g.path), base(w.path)):
			in.g.complain(fieldAt(g.path), mismatch, "field %s stands where %s at %s has %s; a tag can say so: `ptxabi:\"name=%s\"`",
				g.path, name, where, w.path, top(w.path))
		default:
			continue
		}
		return false
	}
	return true
}

func bytesOf(p part) string {
	if p.bit%8 != 0 || p.width%8 != 0 {
		return bitRange(p.bit, p.width)
	}
	if p.width == 8 {
		return fmt.Sprintf("byte %d", p.bit/8)
	}
	return fmt.Sprintf("bytes %d to %d", p.bit/8, (p.bit+p.width)/8-1)
}

// alike reports whether names of Go and C are meant to be the same: NRows and
// n_rows are.
func alike(a, b string) bool {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	return fold(a) == fold(b)
}

package packers

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// holdAgainst compares a struct with the record of a header that its comment
// names, and reports the first field that differs.
func (in *goInput) holdAgainst(tn *types.TypeName, l *layout.Layout) {
	d := in.l.reader.Directive(tn)
	at := in.l.place(tn.Pos())
	path := d.Header
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(at.File), filepath.FromSlash(path))
	}
	u, err := in.g.parseC(in.g.shown(path))
	if err != nil {
		in.g.report(at, mismatch, "//ptxabi:header: %v", err)
		return
	}
	name := cmp.Or(d.Record, tn.Name())
	t, pos, names := findRecord(u, name)
	if t == nil {
		if !in.g.notRead(u, false, func(n string) bool { return n == name }) {
			in.g.report(at, unknownName, "//ptxabi:header: %s declares no %s%s%s", d.Header, name, near.Suggest(name, names), notFound(u))
		}
		return
	}
	c, why := in.g.lay(t, in.g.language(path))
	if why != "" {
		in.g.report(at, mismatch, "//ptxabi:header: %s of %s %s", name, d.Header, why)
		return
	}
	where := fmt.Sprintf("%s:%d", in.g.shown(pos.File), pos.Line)
	if !in.holdFields(tn, l, c, name, where) {
		return
	}
	if in.g.compareHost(at, name, path, t); len(in.g.errs) > 0 {
		return
	}
	if l.Size != c.Size || l.Align != c.Align {
		in.g.report(at, mismatch, "%s has %d bytes, aligned to %d; %s at %s has %d, aligned to %d", tn.Name(), l.Size, l.Align, name, where, c.Size, c.Align)
	}
}

// findRecord finds a type of a header by its name. Where there is none, it returns names that may be meant.
func findRecord(u *cdecl.Unit, name string) (layout.Type, cdecl.Pos, []string) {
	var names []string
	for _, r := range u.Records {
		switch {
		case r.Name == name && r.Typedef != nil:
			return r.Typedef, r.Pos, nil
		case r.Name == name:
			return r.Type, r.Pos, nil
		case !ofCUDA(r.Type): // whose own records a wrong name does not mean
			names = append(names, r.Name)
		}
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
	kind       string // as kindOf has it
	path       string
}

// parts takes a record apart.
func parts(l *layout.Layout) []part {
	var out []part
	for f := range l.Fields() {
		if name := base(f.Path); name == "_" || strings.HasPrefix(name, "ptxparam_pad") { // padding, of -emit-header too
			continue
		}
		kind := kindOf(f.Type, f.BitWidth > 0)
		if f.BitWidth > 0 {
			out = append(out, part{bit: f.Start(), width: f.BitWidth, kind: kind, path: f.Path})
			continue
		}
		a := l.Loads(&f, l.Align*16)
		for i := range a.Count {
			if len(out) == maxParts {
				return out
			}
			out = append(out, part{bit: (a.Off + i*a.Size) * 8, width: a.Size * 8, kind: kind, path: f.Path})
		}
	}
	return out
}

// maxParts bounds a comparison.
const maxParts = 1 << 16

// base is the last name of a path.
func base(path string) string { return path[strings.LastIndex(path, ".")+1:] }

// holdFields compares the fields in order, and reports whether they agree.
func (in *goInput) holdFields(tn *types.TypeName, l, c *layout.Layout, name, where string) bool {
	at := in.l.place(tn.Pos())
	// A field is reported where it stands, unless it is another package's.
	fieldAt := func(levels []level) place {
		for _, v := range slices.Backward(levels) {
			if v.pos != token.NoPos && in.own(v.pos) {
				return in.l.place(v.pos)
			}
		}
		return at
	}
	known := map[string][]level{} // by a path without indices
	levelsOf := func(path string) []level {
		path = indices().ReplaceAllString(path, "")
		if known[path] == nil {
			known[path] = in.levels(tn.Type(), path)
		}
		return known[path]
	}
	got, want := parts(l), parts(c)
	for i := range max(len(got), len(want)) {
		if i >= len(got) {
			in.g.report(at, mismatch, "%s ends before %s, which %s at %s has at byte %d", tn.Name(), want[i].path, name, where, want[i].bit/8)
			return false
		}
		g := got[i]
		levels := levelsOf(g.path)
		if i >= len(want) {
			in.g.report(fieldAt(levels), mismatch, "field %s: %s at %s ends before it", g.path, name, where)
			return false
		}
		w := want[i]
		if g.bit != w.bit || g.width != w.width {
			in.g.report(fieldAt(levels), mismatch, "field %s lies in %s; %s at %s has %s in %s",
				g.path, bytesOf(g), name, where, w.path, bytesOf(w))
			return false
		}
		if !sameKind(g.kind, w.kind) {
			in.g.report(fieldAt(levels), mismatch, "field %s is %s; %s of %s at %s is %s", g.path, g.kind, w.path, name, where, w.kind)
			return false
		}
		if n := differs(levels, w.path); n >= 0 {
			remedy := ""
			if names := strings.Split(w.path, "."); len(names) == len(levels) && levels[n].tagged {
				cname, _, _ := strings.Cut(names[n], "[")
				remedy = fmt.Sprintf("; a tag can say so: `ptxabi:\"name=%s\"`", cname)
			}
			in.g.report(fieldAt(levels[:n+1]), mismatch, "field %s stands where %s at %s has %s%s", g.path, name, where, w.path, remedy)
			return false
		}
	}
	return true
}

var indices = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\d+\]`) })

// own reports whether a place is in a file of the package.
func (in *goInput) own(pos token.Pos) bool {
	file := in.l.fset.Position(pos).Filename
	return slices.ContainsFunc(in.pkg.files, func(f *ast.File) bool { return in.l.fset.Position(f.Package).Filename == file })
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

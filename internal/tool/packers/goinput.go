package packers

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/gotypes"
	"github.com/ptxabi/ptxabi/layout"
)

// goInput turns the types of a Go package into records.
type goInput struct {
	g   *generator
	l   *loader
	pkg *loaded
	u   *unit
	// site is the innermost declaration of the package in which a type is
	// being converted: a field, or the type that is asked for.
	site  types.Object
	meant map[*types.TypeName]string // the records of C++ that types of parameters stand for, by their qualified names
}

const unknownType = "its type is not known"

// newReader returns the reader of types that reports what stands in the
// files of l.
func (g *generator) newReader(l *loader) *gotypes.Reader {
	return &gotypes.Reader{
		Rules: g.host(), Unknown: unknownType,
		Report: func(at token.Pos, msg string) {
			pos := l.fset.Position(at)
			if strings.HasSuffix(msg, unknownType) {
				why, col := "", 0 // the first problem of the line that follows, or else of the file, of an import, say
				for _, p := range l.problems {
					switch {
					case p.pos.Filename != pos.Filename:
					case p.pos.Line == pos.Line && p.pos.Column >= pos.Column && (col == 0 || p.pos.Column < col):
						why, col = ": "+p.msg, p.pos.Column
					case why == "":
						why = fmt.Sprintf("; line %d: %s", p.pos.Line, p.msg)
					}
				}
				msg += why
			}
			g.report(l.place(at), badType, "%s", msg)
		},
	}
}

func (l *loader) place(at token.Pos) place { return gotypes.Pos(l.fset.Position(at)) }

// shown is how a path is spelled in diagnostics: relative to where relative
// paths start from, where it is below.
func (g *generator) shown(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	dir, err := filepath.Abs(g.Dir)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil && !strings.HasPrefix(path, dir) {
		dir = real
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return filepath.ToSlash(rel)
}

// readGo reads structs of a Go package.
func (g *generator) readGo(dir bool) (*unit, error) {
	pkg, l, err := g.openGo(dir)
	if err != nil {
		return nil, err
	}
	in := &goInput{g: g, l: l, pkg: pkg}
	in.u = &unit{
		pkg: pkg.list.Name, path: pkg.list.PkgPath, imports: map[string]string{}, names: pkg.names,
		test: !dir && isTestFile(g.Input), cname: l.reader.CName,
	}
	if g.output == golang && g.Package != "" && g.Package != in.u.pkg {
		return nil, fmt.Errorf("-pkg %s: methods of a type stand in its own package, %s", g.Package, in.u.pkg)
	}
	folder := g.path(g.Input)
	if !dir {
		folder = filepath.Dir(folder)
	}
	if o := g.out.code; g.output == golang && g.Source == nil && !sameFolder(folder, filepath.Dir(g.path(o))) {
		return nil, fmt.Errorf("-o %s: methods of a type stand in its own package, in the folder of %s", o, g.Input)
	}
	in.u.built = g.tags
	for _, name := range g.Types {
		if rec := in.named(name); rec != nil {
			in.u.records = append(in.u.records, rec)
			in.u.built = and(in.u.built, g.constraintAt(l.fset, pkg.types.Scope().Lookup(name).Pos()))
		}
	}
	return in.u, nil
}

// input is the place of diagnostics that have no other.
func (g *generator) input() place { return place{File: g.Input} }

// named returns the record of a type of the package; nil if it has reported why not.
func (in *goInput) named(name string) *record {
	base, args, generic := strings.Cut(name, "[")
	obj := in.pkg.types.Scope().Lookup(base)
	tn, ok := obj.(*types.TypeName)
	switch {
	case generic && ok:
		in.g.report(in.l.place(obj.Pos()), badType, "%s: Go has no methods of an instance alone; type %s %s, say, can have them",
			name, suggest(base, args), name)
		return nil
	case obj == nil && strings.Contains(base, "."):
		in.g.report(in.g.input(), unknownName, "%s is another package's, and methods are of types of package %s; type %s %s, say, can have them",
			name, in.u.pkg, name[strings.LastIndex(base, ".")+1:], name)
		return nil
	case obj == nil:
		for _, p := range in.l.problems {
			if slices.Contains(in.pkg.bad, p.pos.Filename) {
				in.g.report(gotypes.Pos(p.pos), "", "%s", p.msg)
			}
		}
		if in.u.pkg != "" || len(in.pkg.bad) == 0 { // else that has just been said
			hint := cmp.Or(in.unbuilt(name), near.Suggest(name, in.structs()))
			in.g.report(in.g.input(), unknownName, "package %s declares no type %s%s", in.u.pkg, name, hint)
		}
		return nil
	case !ok:
		in.g.report(in.l.place(obj.Pos()), badType, "%s is not a type", name)
		return nil
	}
	return in.record(tn)
}

// record converts a type that methods are asked for.
func (in *goInput) record(tn *types.TypeName) *record {
	name := tn.Name()
	refuse := func(format string, args ...any) *record {
		in.g.report(in.l.place(tn.Pos()), badType, "%s %s", name, fmt.Sprintf(format, args...))
		return nil
	}
	if tn.IsAlias() {
		return refuse("is an alias, which cannot have methods; type %s %s can", name, types.TypeString(types.Unalias(tn.Type()), in.inFile))
	}
	named, ok := tn.Type().(*types.Named)
	if !ok {
		return refuse("is not a type of this package")
	}
	if tp := named.TypeParams(); tp != nil {
		return refuse("is generic; a type of its own for an instance can be passed: type %sX %s[…]", name, name)
	}
	if named.Underlying() == types.Typ[types.Invalid] {
		for _, p := range in.l.problems {
			if at := in.l.place(tn.Pos()); p.pos.Filename == at.File && p.pos.Line == int(at.Line) {
				return refuse("is not a type: %s", p.msg)
			}
		}
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return refuse("is %s; structs are passed", named.Underlying())
	}
	errs := len(in.g.errs)
	rec, ok := in.l.reader.Record(named)
	if !ok {
		if errs == len(in.g.errs) {
			return refuse("has fields that other errors are about")
		}
		return nil
	}
	l, why := in.g.lay(rec, layout.C)
	if why != "" {
		in.refuseLayout(tn, rec, why)
		return nil
	}
	out := &record{Name: name, cname: name, asked: true, Layout: l, at: in.l.place(tn.Pos())}
	in.site = tn
	in.doubted(tn)
	out.Val = in.structure(named, l)
	out.Val.Typ = name
	out.access = in.accessors(named.Underlying().(*types.Struct), l)
	out.holds = littleEndianOf(out.Val, named)
	out.snapshots = in.snapshots(named)
	if in.l.reader.Directive(tn).Header != "" {
		in.holdAgainst(tn, l)
	}
	return out
}

// snapshots are what the types with a name are that a type is made of, each once.
func (in *goInput) snapshots(t types.Type) []snapshot {
	var out []snapshot
	seen := map[types.Type]bool{}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		t = types.Unalias(t)
		if named, ok := t.(*types.Named); ok {
			if seen[named] {
				return
			}
			seen[named] = true
			if in.spelled(named) && in.spelled(named.Underlying()) {
				_, isStruct := named.Underlying().(*types.Struct)
				out = append(out, snapshot{in.spell(named), in.spell(named.Underlying()), !isStruct})
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Array:
			visit(u.Elem())
		case *types.Struct:
			for f := range u.Fields() {
				visit(f.Type())
			}
		}
	}
	visit(t)
	return out
}

// spelled reports whether a type can be written down in the package: what another one does not
// export cannot.
func (in *goInput) spelled(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if !in.spelled(a) {
				return false
			}
		}
		return t.Obj().Exported() || t.Obj().Pkg() == in.pkg.types
	case *types.Array:
		return in.spelled(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() && f.Pkg() != in.pkg.types || !in.spelled(f.Type()) {
				return false
			}
		}
	}
	return true
}

// maxSize bounds what generated code copies. No .param space is as large.
const maxSize = 1 << 20

// lay lays a type out as kernels see it, or says why that is not possible. What
// is declared in C must not lie otherwise in C++.
func (g *generator) lay(t layout.Type, lang layout.Lang) (*layout.Layout, string) {
	of, err := layout.Of(t, g.nvcc())
	if err != nil {
		return nil, err.Error()
	}
	l := &of
	if why := l.Doubt(layout.NVCC); why != "" {
		return nil, "may be laid out otherwise by nvcc, because of " + why
	}
	c, err := layout.Of(t, g.host())
	switch {
	case lang == layout.C && err == nil && !(cdecl.Places{}).Same(&c, l):
		what := "a struct without fields has no bytes or one"
		if field := hollow(&c, l); field != "" {
			what = "field " + field + ", a struct without fields, has no bytes or one; without it they agree"
		}
		return nil, "is laid out differently by C and C++, which nvcc reads: " + what
	case l.Size == 0:
		return nil, "has no bytes"
	case l.Size > maxSize:
		return nil, fmt.Sprintf("has %d bytes, which no .param space holds", l.Size)
	}
	return l, ""
}

// structure converts a struct that has been laid out.
func (in *goInput) structure(t types.Type, l *layout.Layout) *value {
	s := t.Underlying().(*types.Struct)
	v := &value{kind: structure, size: l.Size, Typ: in.spell(t)}
	in.enclosed(t, s, l)
	for i := range s.NumFields() {
		f, m := s.Field(i), &l.Members[i]
		if m.Layout.Size == 0 {
			continue
		}
		if !f.Exported() && f.Name() != "_" && f.Pkg() != in.pkg.types {
			in.notExported(f, t)
			continue
		}
		outer := in.site
		if f.Pkg() == in.pkg.types {
			in.site = f
		}
		tag, _ := gotypes.ParseTag(s.Tag(i))
		out := field{Name: f.Name(), Off: m.Offset}
		if tag.Union != nil || tag.Bits != nil {
			out.Val = in.plain(f.Type(), &tag)
		} else {
			out.Val = in.value(f.Type(), m.Layout)
		}
		v.Fields = append(v.Fields, out)
		in.site = outer
	}
	return v
}

// enclosed notes the accessors of a struct that lies in another one. A type of
// another package has them there.
func (in *goInput) enclosed(t types.Type, s *types.Struct, l *layout.Layout) {
	named, ok := t.(*types.Named)
	switch {
	case !ok:
		for i := range s.NumFields() {
			if tag, _ := gotypes.ParseTag(s.Tag(i)); tag.Bits != nil || tag.Union != nil {
				in.g.report(in.l.place(s.Field(i).Pos()), badType, "field %s: methods for it need a struct with a name around it", s.Field(i).Name())
			}
		}
		return
	case named.Obj().Pkg() != in.pkg.types, slices.Contains(in.g.Types, named.Obj().Name()), named.TypeArgs() != nil:
		return
	case slices.ContainsFunc(in.u.inner, func(x *inner) bool { return x.name == named.Obj().Name() }):
		return
	}
	if access := in.accessors(s, l); len(access) > 0 {
		x := &inner{name: named.Obj().Name(), at: in.l.place(named.Obj().Pos()), access: access}
		for f := range s.Fields() {
			x.fields = append(x.fields, f.Name())
		}
		in.u.inner = append(in.u.inner, x)
	}
}

// value converts a type that has been laid out.
func (in *goInput) value(t types.Type, l *layout.Layout) *value {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() == in.pkg.types {
		in.doubted(n.Obj())
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return in.structure(t, l)
	case *types.Array:
		elem := in.value(u.Elem(), l.Elem)
		v := arrayOf(elem, u.Len())
		if elem.kind == integer && elem.basic == "uint8" && !elem.named {
			v.kind = raw
		}
		v.Typ = in.spell(t)
		return v
	case *types.Basic:
		v := scalar(types.Typ[u.Kind()].Name()) // byte and rune are names of others
		v.named = t != types.Type(u)
		if v.named && v.kind != boolean && !in.spelled(t) {
			in.g.report(in.l.place(in.site.Pos()), badType, "%s: type %s is not exported; package %s cannot convert to it",
				in.siteName(), types.TypeString(t, (*types.Package).Name), in.u.pkg)
		}
		v.Typ = in.spell(t)
		return v
	}
	panic(fmt.Sprintf("a %T has a layout", t.Underlying()))
}

// plain converts the type of a field with a tag that is laid out as Go's alone.
func (in *goInput) plain(t types.Type, tag *gotypes.Tag) *value {
	if a, ok := t.Underlying().(*types.Array); ok {
		if _, dims := tag.Element(t); dims != nil {
			v := arrayOf(in.plain(a.Elem(), tag), a.Len())
			v.Typ = in.spell(t)
			return v
		}
		v := rawBytes(a.Len())
		v.Typ = in.spell(t)
		return v
	}
	return in.value(t, nil)
}

// spell spells a type in the generated file.
func (in *goInput) spell(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		return in.spell(types.Unalias(t))
	case *types.Named:
		obj := t.Obj()
		s := obj.Name()
		if obj.Pkg() != nil && obj.Pkg() != in.pkg.types {
			in.u.imports[obj.Pkg().Path()] = obj.Pkg().Name()
			s = qualified(obj.Pkg().Path(), obj.Name())
		}
		if args := t.TypeArgs(); args != nil {
			var list []string
			for a := range args.Types() {
				list = append(list, in.spell(a))
			}
			s += "[" + strings.Join(list, ", ") + "]"
		}
		return s
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), in.spell(t.Elem()))
	case *types.Struct:
		if t.NumFields() == 0 {
			return "struct{}"
		}
		s := "struct {\n"
		for f := range t.Fields() {
			if !f.Embedded() {
				s += f.Name() + " "
			}
			s += in.spell(f.Type()) + "\n"
		}
		return s + "}"
	}
	return t.String()
}

package packers

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/gotypes"
	"github.com/ptxabi/ptxabi/layout"
)

// A level is one name of a path in Go, from the struct inwards.
type level struct {
	name string // in C, if a tag says it, else in Go
	// A field that C may have no name for: an embedded one, and one that
	// holds a union or bit-fields.
	unnamed bool
	tagged  bool // a field, which can have a tag that says its name in C
	pos     token.Pos
}

// levels takes the path of a leaf of a Go struct apart, which has no indices.
func (in *goInput) levels(t types.Type, path string) []level {
	var out []level
	for name := range strings.SplitSeq(path, ".") {
		for {
			a, ok := types.Unalias(t).Underlying().(*types.Array)
			if !ok {
				break
			}
			t = a.Elem()
		}
		s, _ := types.Unalias(t).Underlying().(*types.Struct)
		l, next := level{name: name}, types.Type(types.Typ[types.Invalid])
		for i := 0; s != nil && i < s.NumFields(); i++ {
			f := s.Field(i)
			if f.Name() != name {
				continue
			}
			tag, _ := gotypes.ParseTag(s.Tag(i))
			l = level{name: name, tagged: f.Pos() != token.NoPos, pos: f.Pos(), unnamed: f.Embedded() || tag.Bits != nil || tag.Union != nil}
			if tag.Name != "" {
				l.name, l.unnamed = tag.Name, false
			}
			next = in.inside(f, tag)
		}
		if l.pos == token.NoPos && len(out) > 0 {
			l.pos = out[len(out)-1].pos
		}
		out, t = append(out, l), next
	}
	return out
}

// inside is the type that has the names within a field: of a union, a struct of
// its members.
func (in *goInput) inside(f *types.Var, tag gotypes.Tag) types.Type {
	if tag.Union == nil {
		return f.Type()
	}
	var members []*types.Var
	for _, alt := range tag.Union {
		if _, t, why := in.l.reader.Alternative(f.Pkg(), alt); t != nil && why == "" {
			members = append(members, types.NewField(token.NoPos, nil, alt.Name, t, false))
		}
	}
	return types.NewStruct(members, nil)
}

// differs returns the first name of got that is not alike in the path want; -1
// if all are. Where one of the two has fewer names they have to be the first or
// the last of the other's: an array stands for a record of scalars, and the
// fields of a record may stand in the one around it.
func differs(got []level, want string) int {
	var names []string
	for name := range strings.SplitSeq(want, ".") {
		name, _, _ = strings.Cut(name, "[")
		names = append(names, name)
	}
	first := disagree(got, names)
	if first < 0 {
		return -1
	}
	named := slices.DeleteFunc(slices.Clone(got), func(l level) bool { return l.unnamed })
	if len(named) < len(got) && len(named) > 0 && disagree(named, names) < 0 {
		return -1
	}
	return first
}

func disagree(got []level, names []string) int {
	n := min(len(got), len(names))
	unlike := func(got []level, names []string) int {
		for i := range n {
			if !alike(got[i].name, names[i]) {
				return i
			}
		}
		return -1
	}
	if unlike(got[len(got)-n:], names[len(names)-n:]) < 0 {
		return -1
	}
	return unlike(got, names)
}

// sameKind reports whether two kinds may be the same.
func sameKind(a, b string) bool {
	signs := func(a, b string) bool { return a == "an integer" && (b == "signed" || b == "unsigned") }
	return a == b || a == "" || b == "" || signs(a, b) || signs(b, a)
}

// kindOf is what the bits of a leaf of a type, or of a bit-field, mean: "an integer" of plain char and of enumerations, whose sign C leaves open, and
// "" where any will do, as of half floats, which Go has as integers.
func kindOf(t layout.Type, bits bool) string {
	switch u := layout.Unalias(t).(type) {
	case *layout.Array:
		return kindOf(u.Elem, bits)
	case *layout.Vector:
		return kindOf(u.Elem, bits)
	case *layout.Pointer:
		return "unsigned"
	case *layout.Enum:
		if b, ok := layout.Unalias(u.Underlying).(layout.Scalar); u.Underlying != nil && (u.Scoped || ok && b.Kind == layout.Bool) {
			return kindOf(u.Underlying, bits)
		}
		return "an integer"
	case layout.Scalar:
		return scalarKind(u, bits)
	}
	return ""
}

func scalarKind(s layout.Scalar, bits bool) string {
	switch s.Kind {
	case layout.Float, layout.Double, layout.LongDouble:
		return "floating-point"
	case layout.Bool:
		if bits { // an integer holds those of Go
			return "unsigned"
		}
		return "bool"
	case layout.Char:
		return "an integer"
	case layout.Int128, layout.UInt128:
		return ""
	}
	switch {
	case !s.Integer():
		return ""
	case s.Signed():
		return "signed"
	}
	return "unsigned"
}

package layout

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// spell spells t around a declarator: inner is what stands where the name
// would.
func spell(t Type, inner string) string {
	switch t := t.(type) {
	case *Pointer:
		return spellPointer(t, inner)
	case *Array:
		n := ""
		if t.Len != Unbounded {
			n = strconv.FormatInt(t.Len, 10)
		}
		return spell(t.Elem, inner+"["+n+"]")
	case *Func:
		return spell(t.Result, inner+t.params())
	case *Qualified:
		return spellQualified(t, inner)
	case nil:
		return join("void", inner)
	}
	return join(t.String(), inner)
}

// join puts base before a declarator; a declarator that begins with a bracket
// follows directly.
func join(base, inner string) string {
	if inner == "" || inner[0] == '[' {
		return base + inner
	}
	return base + " " + inner
}

func spellPointer(p *Pointer, inner string) string {
	// A pointer's qualifiers stand between the star and the name.
	inner = [...]string{"*", "&", "&&", p.Class + "::*"}[p.Kind%4] + inner
	switch p.Elem.(type) {
	case *Array, *Func:
		inner = "(" + inner + ")"
	}
	return spell(p.Elem, inner)
}

func spellQualified(q *Qualified, inner string) string {
	if q.Atomic {
		rest := *q
		rest.Atomic = false
		rest.Type = &Alias{Name: "_Atomic(" + spell(q.Type, "") + ")"}
		return spell(&rest, inner)
	}
	words := q.words()
	if words == "" {
		return spell(q.Type, inner)
	}
	switch t := q.Type.(type) {
	case *Pointer:
		return spell(t, join(words, inner))
	case *Array:
		// Qualifying an array qualifies its elements.
		n := *t
		n.Elem = &Qualified{Type: t.Elem, Const: q.Const, Volatile: q.Volatile, Restrict: q.Restrict}
		return spell(&n, inner)
	}
	return words + " " + spell(q.Type, inner)
}

func (q *Qualified) words() string {
	var w []string
	if q.Const {
		w = append(w, "const")
	}
	if q.Volatile {
		w = append(w, "volatile")
	}
	if q.Restrict {
		w = append(w, "__restrict")
	}
	return strings.Join(w, " ")
}

func (f *Func) params() string {
	var list []string
	for _, p := range f.Params {
		list = append(list, spell(p, ""))
	}
	switch {
	case f.Variadic:
		list = append(list, "...")
	case len(list) == 0 && !f.NoProto:
		list = append(list, "void")
	}
	s := "(" + strings.Join(list, ", ") + ")"
	if f.Const {
		s += " const"
	}
	return s
}

// String returns the type in C: "int *".
func (p *Pointer) String() string { return spell(zero.Or(p), "") }

// String returns the type in C.
func (v *Vector) String() string {
	v = zero.Or(v)
	elem := spell(v.Elem, "")
	return "__attribute__((__vector_size__(" + strconv.FormatInt(v.Len, 10) + " * sizeof(" + elem + ")))) " + elem
}

// String returns the type in C: "float [3]".
func (a *Array) String() string { return spell(zero.Or(a), "") }

// String returns the type in C.
func (f *Func) String() string { return spell(zero.Or(f), "") }

// String returns the alias's name.
func (a *Alias) String() string { return zero.Or(a).Name }

// String returns the type in C, with its qualifiers.
func (q *Qualified) String() string { return spell(zero.Or(q), "") }

// String returns the keyword and the name: "enum e".
func (e *Enum) String() string {
	e = zero.Or(e)
	if e.Name == "" {
		return "enum (unnamed enum at " + e.At + ")"
	}
	return "enum " + e.Name
}

// String returns the keyword and the name: "struct S".
func (r *Record) String() string {
	r = zero.Or(r)
	switch {
	case r.Name != "":
		return r.Kind.String() + " " + r.Name
	case r.TypedefName != "":
		return r.TypedefName
	}
	return r.Kind.String() + " (unnamed " + r.Kind.String() + " at " + r.At + ")"
}

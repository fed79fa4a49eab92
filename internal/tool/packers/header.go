package packers

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// A headerWriter writes records as C.
type headerWriter struct {
	b     strings.Builder
	done  map[*layout.Record]string // the names of those written
	names nameSet
	cuda  map[string]*layout.Layout // types of CUDA that are used
	order []string                  // of cuda
	guard string
	cname func(rec *layout.Record, field string) string // nil: as it is
	rules layout.Rules
	// refuse is told why what is asked for cannot be written.
	refuse func(format string, args ...any)
}

// cHeader is a header with the records, that C11, C++11 and CUDA take. What
// cannot be written has been reported.
func (g *generator) cHeader(u *unit, path string) ([]byte, error) {
	w := &headerWriter{done: map[*layout.Record]string{}, names: nameSet{}, cuda: map[string]*layout.Layout{}, cname: u.cname, rules: g.nvcc()}
	w.guard = strings.ToUpper(ptxName(filepath.Base(path))) + "_"
	if c := w.guard[0]; c == '_' || '0' <= c && c <= '9' {
		w.guard = "PTXPARAM_" + w.guard
	}
	if len(u.records) == 0 {
		return nil, fmt.Errorf("-emit-header: there is no struct to write; name one with -type")
	}
	for _, r := range u.records {
		w.refuse = func(format string, args ...any) {
			g.report(r.at, badType, "-emit-header: %s", fmt.Sprintf(format, args...))
		}
		if rec := layout.Unalias(r.Layout.Type).(*layout.Record); ofCUDA(rec) { // which would be declared twice
			w.cudaType(r.Layout, nameOf(rec, ""), "")
			continue
		}
		w.record(r.Layout, r.cname)
	}
	out := rendered("header.h.tmpl", nil, map[string]any{
		"First": strings.TrimSuffix(firstLine, "\n"), "Guard": w.guard, "Types": w.cudaTypes(), "Body": w.b.String(),
		"Deprecated": slices.ContainsFunc(w.order, func(name string) bool { return slices.Contains(deprecated, name) }),
	})
	return []byte(universal(out)), nil
}

// universal writes what is not ASCII as \uXXXX, which C and C++ read as the same name. NVRTC reads nothing else.
func universal(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// cudaTypes are the types of CUDA that are used, for the template: declared as CUDA's own where its header is there, else by
// their members.
func (w *headerWriter) cudaTypes() (out []map[string]any) {
	for _, name := range w.order {
		l, t := w.cuda[name], cudaTypes()[name]
		members := cmp.Or(strings.ReplaceAll(t.members, "; ", ";\n\t"), fmt.Sprintf("unsigned char bytes[%d]", l.Size))
		out = append(out, map[string]any{
			"Name": name, "Guard": "PTXPARAM_" + strings.ToUpper(name) + "_", "Header": t.header, "Declared": t.declared, "Own": t.name,
			"Align": l.Align, "Members": members,
		})
	}
	return out
}

// deprecated are the types that CUDA 13 deprecates. Their layout is the same there.
var deprecated = []string{"double4", "long4", "longlong4", "ulong4", "ulonglong4"}

// nameOf is the name of a record: its own, or that of a typedef; else one that it is given.
func nameOf(rec *layout.Record, unnamed string) string {
	return cmp.Or(rec.Name, rec.TypedefName, unnamed)
}

// ofCUDA reports whether a record is one that CUDA's headers declare.
func ofCUDA(rec *layout.Record) bool {
	return cdecl.OfCUDA(nameOf(rec, ""), rec.At) || cdecl.InCUDA(rec.At)
}

// cudaType notes that a type of CUDA is used, and returns its declaration.
func (w *headerWriter) cudaType(l *layout.Layout, typ, name string) string {
	switch typ { // which every CUDA compiler declares without a header
	case "cuComplex", "cuFloatComplex":
		typ = "float2"
	case "cuDoubleComplex":
		typ = "double2"
	}
	if w.cuda[typ] == nil {
		w.cuda[typ] = l
		w.order = append(w.order, typ)
		slices.Sort(w.order)
	}
	return fmt.Sprintf("ptxparam_%s %s", typ, name)
}

// record writes a record, after those that it holds, and returns its name.
func (w *headerWriter) record(l *layout.Layout, name string) string {
	rec := layout.Unalias(l.Type).(*layout.Record)
	if done, ok := w.done[rec]; ok {
		return done
	}
	name = w.names.take(cIdent(underscored(name, func(r rune) bool { return r == '$' || isLetterOrDigit(r) })))
	w.done[rec] = name
	kind := keyword(rec)
	b := &recordBody{w: w, name: kind + " " + name, l: l, names: nameSet{}, packed: isPacked(l)}
	b.members(rec)
	w.b.WriteString(rendered("record.h.tmpl", nil, map[string]any{
		"Guard": "PTXPARAM_HAS_" + strings.ReplaceAll(universal(name), "\\", "_"), // of another generated header that declares it too
		"Kind":  kind, "Name": name, "Attribute": b.attribute(), "Members": b.text(), "Asserts": b.asserts, "Size": l.Size, "Align": l.Align,
		"Quiet": misaligned(l),            // gcc warns of what is meant here
		"Pack":  b.packed && l.Align == 1, // with a larger alignment, the pragma would bound it too
	}))
	return name
}

// keyword is what C calls a kind of record.
func keyword(rec *layout.Record) string {
	if rec.Kind == layout.Union {
		return "union"
	}
	return "struct"
}

// misaligned reports whether a record has another one where it is not aligned.
func misaligned(l *layout.Layout) bool {
	for _, m := range flat(l) {
		t := m.Layout
		for t.Elem != nil {
			t = t.Elem
		}
		if _, ok := layout.Unalias(t.Type).(*layout.Record); ok && (m.Layout.Align > l.Align || m.Offset%m.Layout.Align != 0) {
			return true
		}
	}
	return false
}

// isPacked reports whether a member lies where its own alignment would not let
// it.
func isPacked(l *layout.Layout) bool {
	return slices.ContainsFunc(flat(l), func(m layout.Member) bool {
		return !m.Field.BitField && m.Layout.Size > 0 && (m.Layout.Align > l.Align || m.Offset%m.Layout.Align != 0)
	})
}

// declare writes the declaration of a name with a type. Records without a
// name get the one given. An alignment that a name for the type alone gives it
// is left to the member: see aligned.
func (w *headerWriter) declare(l *layout.Layout, declared layout.Type, name, unnamed string) string {
	if a := aligned(l, declared); a != nil {
		if l.Size%a.Align == 0 {
			return w.cudaType(l, a.Name, name)
		}
		if under, err := layout.Of(a.Type, w.rules); err == nil {
			return w.declare(&under, a.Type, name, unnamed)
		}
	}
	if rec, ok := layout.Unalias(declared).(*layout.Record); ok && ofCUDA(rec) {
		return w.cudaType(l, nameOf(rec, ""), name)
	}
	switch t := layout.Unalias(declared).(type) {
	case *layout.Array:
		return w.declare(l.Elem, t.Elem, fmt.Sprintf("%s[%d]", name, t.Len), unnamed)
	case *layout.Vector:
		return w.declare(l.Elem, t.Elem, fmt.Sprintf("%s[%d]", name, l.Size/max(l.Elem.Size, 1)), unnamed)
	case *layout.Record:
		n := w.record(l, strings.ReplaceAll(nameOf(t, unnamed), "::", "_"))
		return fmt.Sprintf("%s %s %s", keyword(t), n, name)
	case *layout.Pointer:
		if l.Size == 8 {
			return w.pointee(t) + "*" + name
		}
		return fmt.Sprintf("unsigned long long %s[%d]", name, l.Size/8)
	case layout.Scalar:
		if t.Complex {
			half := *l
			half.Type, half.Size = layout.Scalar{Kind: t.Kind}, l.Size/2
			return fmt.Sprintf("%s %s[2]", w.scalar(&half), name)
		}
		if l.Size > 8 {
			return fmt.Sprintf("PTXPARAM_ALIGN(%d) unsigned long long %s[%d]", l.Align, name, l.Size/8)
		}
	}
	return w.scalar(l) + " " + name
}

// pointee is what a pointer in a header points to: numbers as they are; records may be those of another header.
func (w *headerWriter) pointee(t *layout.Pointer) string {
	s, ok := layout.Unalias(t.Elem).(layout.Scalar)
	if l, err := layout.Of(t.Elem, w.rules); err == nil && ok && !s.Complex && l.Size <= 8 {
		if strings.HasPrefix(t.Elem.String(), "const ") {
			return "const " + w.scalar(&l) + " "
		}
		return w.scalar(&l) + " "
	}
	return "void "
}

// aligned returns the name by which a type has its alignment; nil if there is
// none. A type of its own has it too, but not where it is not a multiple of the
// alignment: such a type of C would be longer.
func aligned(l *layout.Layout, declared layout.Type) *layout.Alias {
	a, ok := declared.(*layout.Alias)
	if ok && (a.Align == 0 || a.Align != l.Align) {
		return aligned(l, a.Type)
	}
	return a
}

// scalar is the type of C that has the bits of a scalar.
func (w *headerWriter) scalar(l *layout.Layout) string {
	t := layout.Unalias(l.Type)
	if e, ok := t.(*layout.Enum); ok {
		t = layout.Unalias(e.Underlying)
	}
	s, ok := t.(layout.Scalar)
	switch {
	case !ok:
		w.refuse("%s cannot be written", l.Type)
		return ""
	case s.Kind == layout.Bool:
		return "bool"
	case s.Kind == layout.Float:
		return "float"
	case s.Kind == layout.Double, s.Kind == layout.LongDouble:
		return "double"
	case s.Kind == layout.Char:
		return "char"
	}
	name := integerNames[l.Size]
	switch {
	case !s.Signed():
		return "unsigned " + name
	case l.Size == 1:
		return "signed char"
	}
	return name
}

// integerNames are the integers of C by their size, which have it on every host and in NVRTC, where there is no
// stdint.h.
var integerNames = map[int64]string{1: "char", 2: "short", 4: "int", 8: "long long"}

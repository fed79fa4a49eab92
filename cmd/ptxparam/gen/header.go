package gen

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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
	err   error
}

// header is a header with the records, that C11, C++11 and CUDA take.
func (u *unit) header(path string) ([]byte, error) {
	w := &headerWriter{done: map[*layout.Record]string{}, names: nameSet{}, cuda: map[string]*layout.Layout{}}
	w.guard = strings.ToUpper(ptxName(filepath.Base(path))) + "_"
	if c := w.guard[0]; c == '_' || '0' <= c && c <= '9' {
		w.guard = "PTXPARAM_" + w.guard
	}
	if len(u.records) == 0 {
		return nil, fmt.Errorf("-emit-header: there is no struct to write; name one with -type")
	}
	for _, r := range u.records {
		w.record(r.layout, r.cname)
	}
	if w.err != nil {
		return nil, w.err
	}
	body := w.b.String()
	w.b.Reset()
	w.line("%s", strings.TrimSuffix(firstLine, "\n"))
	w.line("#ifndef %s\n#define %s\n", w.guard, w.guard)
	w.line("#include <stddef.h>\n#include <stdint.h>")
	w.line("#ifndef __cplusplus\n#include <stdbool.h>\n#endif\n")
	w.line("#ifndef PTXPARAM_ALIGN\n#ifdef __cplusplus")
	w.line("#define PTXPARAM_ALIGN(n) alignas(n)\n#define PTXPARAM_ALIGNOF(t) alignof(t)\n#define PTXPARAM_ASSERT(c, m) static_assert(c, m)")
	w.line("#else\n#define PTXPARAM_ALIGN(n) _Alignas(n)\n#define PTXPARAM_ALIGNOF(t) _Alignof(t)\n#define PTXPARAM_ASSERT(c, m) _Static_assert(c, m)")
	w.line("#endif\n#endif\n")
	w.cudaTypes()
	w.b.WriteString(body)
	w.line("#endif")
	return []byte(w.b.String()), nil
}

func (w *headerWriter) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// cudaTypes declares the types of CUDA that are used, for compilers that have
// not got them.
func (w *headerWriter) cudaTypes() {
	for _, name := range w.order {
		l := w.cuda[name]
		_, known := cudaNames[name]
		if known {
			w.line("#ifdef __CUDACC__\ntypedef %s ptxparam_%s;\n#else", name, name)
		}
		guard := "PTXPARAM_" + strings.ToUpper(name) + "_"
		w.line("#ifndef %s\n#define %s", guard, guard)
		w.line("typedef struct {\n\tPTXPARAM_ALIGN(%d) %s;\n} ptxparam_%s;\n#endif", l.Align, cudaMembers(name, l), name)
		if known {
			w.line("#endif")
		}
		w.line("")
	}
}

// cudaMembers are the members of a type of CUDA: scalars where it is a vector,
// else bytes.
func cudaMembers(name string, l *layout.Layout) string {
	elem, ok := cudaNames[name]
	if !ok {
		return fmt.Sprintf("unsigned char bytes[%d]", l.Size)
	}
	var out []string
	for _, m := range []string{"x", "y", "z", "w"}[:elem.n] {
		out = append(out, elem.ctype+" "+m)
	}
	return strings.Join(out, ";\n\t")
}

// ofCUDA reports whether a record is one that CUDA's headers declare.
func ofCUDA(name string) bool {
	_, known := cudaNames[name]
	return known || strings.HasPrefix(name, "__") || strings.HasPrefix(name, "cuda")
}

// cudaType notes that a type of CUDA is used, and returns its declaration.
func (w *headerWriter) cudaType(l *layout.Layout, typ, name string) string {
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
	name = w.names.take(ptxName(name))
	w.done[rec] = name
	var fields []string
	var asserts []string
	end := int64(0)
	packed := isPacked(l)
	pads := 0
	pad := func(to int64) {
		if to > end {
			fields = append(fields, fmt.Sprintf("\tuint8_t ptxparam_pad%d[%d];", pads, to-end))
			pads++
		}
	}
	if rec.Kind == layout.Union {
		for i := range l.Members {
			text, _ := w.member(&l.Members[i], name, i == 0, l.Align)
			fields = append(fields, "\t"+text+";")
		}
	} else {
		for i := 0; i < len(l.Members); i++ {
			m := &l.Members[i]
			if m.Layout.Size == 0 || m.Field.Name == "_" {
				continue
			}
			if m.Field.BitField {
				j := i
				for j < len(l.Members) && l.Members[j].Field.BitField {
					j++
				}
				text, from, to := w.bitRun(l.Members[i:j])
				if to > from {
					pad(from)
					fields = append(fields, text...)
					end = to
				}
				i = j - 1
				continue
			}
			if m.Offset < end {
				w.err = fmt.Errorf("-emit-header: %s of %s lies in the tail of its base class, which no struct of C says", m.Field.Name, name)
			}
			pad(m.Offset)
			text, names := w.member(m, name, len(fields) == 0, l.Align)
			fields = append(fields, "\t"+text+";")
			for _, n := range names {
				asserts = append(asserts, fmt.Sprintf("offsetof(struct %s, %s) == %d", name, n, m.Offset))
			}
			end = m.Offset + m.Layout.Size
		}
		pad(l.Size)
	}
	w.align(fields, l, packed)
	if packed {
		w.line("#pragma pack(push, 1)")
	}
	kind := "struct"
	if rec.Kind == layout.Union {
		kind = "union"
	}
	w.line("%s %s {\n%s\n};", kind, name, strings.Join(fields, "\n"))
	if packed {
		w.line("#pragma pack(pop)")
	}
	all := append([]string{
		fmt.Sprintf("sizeof(%s %s) == %d", kind, name, l.Size),
		fmt.Sprintf("PTXPARAM_ALIGNOF(%s %s) == %d", kind, name, l.Align),
	}, asserts...)
	w.line("PTXPARAM_ASSERT(%s, \"%s is laid out otherwise\");\n", strings.Join(all, " &&\n\t"), name)
	return name
}

// align gives the alignment of the record to its first member that can have it.
func (w *headerWriter) align(fields []string, l *layout.Layout, packed bool) {
	for i, f := range fields {
		decl := strings.TrimPrefix(f, "\t")
		if packed || strings.HasPrefix(decl, "PTXPARAM_ALIGN") {
			return
		}
		if strings.Contains(decl, " : ") || strings.HasPrefix(decl, "/*") {
			continue
		}
		if i == 0 || l.Align <= 8 && i > 0 {
			fields[i] = fmt.Sprintf("\tPTXPARAM_ALIGN(%d) %s", l.Align, decl)
		}
		return
	}
}

// isPacked reports whether a member lies where its own alignment would not let
// it.
func isPacked(l *layout.Layout) bool {
	for i := range l.Members {
		m := &l.Members[i]
		if !m.Field.BitField && m.Layout.Size > 0 && (m.Layout.Align > l.Align || m.Offset%m.Layout.Align != 0) {
			return true
		}
	}
	return false
}

// member writes a member, and returns the names by which its offset is
// asserted.
func (w *headerWriter) member(m *layout.Member, owner string, first bool, align int64) (string, []string) {
	name := m.Field.Name
	var names []string
	if name == "" {
		name = "anonymous"
		if m.Base {
			name = "base"
		}
		name = fmt.Sprintf("ptxparam_%s%d", name, m.Offset)
	}
	if m.Field.BitField {
		return fmt.Sprintf("%s %s : %d", w.scalar(m.Layout), name, m.Field.Bits), nil
	}
	names = append(names, name)
	text := w.declare(m.Layout, m.Field.Type, name, owner+"_"+name)
	if a := m.Field.Align; a > m.Layout.Align && !first {
		text = fmt.Sprintf("PTXPARAM_ALIGN(%d) %s", a, text)
	}
	return text, names
}

// declare writes the declaration of a name with a type. Records without a
// name get the one given.
func (w *headerWriter) declare(l *layout.Layout, declared layout.Type, name, unnamed string) string {
	if a, ok := declared.(*layout.Alias); ok && a.Align != 0 && l.Align == a.Align {
		return w.cudaType(l, a.Name, name)
	}
	if rec, ok := layout.Unalias(declared).(*layout.Record); ok && ofCUDA(rec.Name) {
		return w.cudaType(l, rec.Name, name)
	}
	switch t := layout.Unalias(declared).(type) {
	case *layout.Array:
		return w.declare(l.Elem, t.Elem, fmt.Sprintf("%s[%d]", name, t.Len), unnamed)
	case *layout.Vector:
		return w.declare(l.Elem, t.Elem, fmt.Sprintf("%s[%d]", name, l.Size/max(l.Elem.Size, 1)), unnamed)
	case *layout.Record:
		n := unnamed
		if t.Name != "" {
			n = t.Name
		} else if t.TypedefName != "" {
			n = t.TypedefName
		}
		n = w.record(l, strings.ReplaceAll(n, "::", "_"))
		kind := "struct"
		if t.Kind == layout.Union {
			kind = "union"
		}
		return fmt.Sprintf("%s %s %s", kind, n, name)
	case *layout.Pointer:
		if l.Size == 8 {
			return "void *" + name
		}
		return fmt.Sprintf("uint64_t %s[%d]", name, l.Size/8)
	case layout.Scalar:
		if t.Complex {
			half := *l
			half.Type, half.Size = layout.Scalar{Kind: t.Kind}, l.Size/2
			return fmt.Sprintf("%s %s[2]", w.scalar(&half), name)
		}
		if l.Size > 8 {
			return fmt.Sprintf("PTXPARAM_ALIGN(%d) uint64_t %s[%d]", l.Align, name, l.Size/8)
		}
	}
	return w.scalar(l) + " " + name
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
		w.err = fmt.Errorf("-emit-header: %s cannot be written", l.Type)
		return ""
	case s.Kind == layout.Bool:
		return "bool"
	case s.Kind == layout.Float:
		return "float"
	case s.Kind == layout.Double, s.Kind == layout.LongDouble:
		return "double"
	case s.Signed():
		return fmt.Sprintf("int%d_t", l.Size*8)
	}
	return fmt.Sprintf("uint%d_t", l.Size*8)
}

// bitRun writes bit-fields: as such where they are of int, of which alone all
// languages have them, else as the bytes that hold them, with a comment that
// says which bits are which.
func (w *headerWriter) bitRun(run []layout.Member) (text []string, from, to int64) {
	from = -1
	ints := true
	for i := range run {
		m := &run[i]
		ints = ints && m.Layout.Size == 4 && m.Bit%8+m.Field.Bits <= 32
		if m.Field.Name == "" || m.Field.Bits == 0 {
			continue
		}
		start := m.Offset*8 + m.Bit
		if from < 0 || start/8 < from {
			from = start / 8
		}
		to = max(to, (start+m.Field.Bits+7)/8)
	}
	if ints {
		for i := range run {
			m := &run[i]
			text = append(text, strings.ReplaceAll(fmt.Sprintf("\t%s %s : %d;", w.scalar(m.Layout), m.Field.Name, m.Field.Bits), "  ", " "))
			if m.Field.Name == "" {
				to = max(to, (m.Offset*8+m.Bit+m.Field.Bits+7)/8)
			}
		}
		return text, from, to
	}
	for i := range run {
		m := &run[i]
		if m.Field.Name != "" && m.Field.Bits > 0 {
			text = append(text, fmt.Sprintf("\t/* %s: %s of what follows */", m.Field.Name, bitRange(m.Offset*8+m.Bit-from*8, m.Field.Bits)))
		}
	}
	if to > from {
		text = append(text, fmt.Sprintf("\tuint8_t ptxparam_bits%d[%d];", from, to-from))
	}
	return text, from, to
}

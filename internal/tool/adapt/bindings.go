package adapt

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// Languages are those for which [Bindings] writes declarations, and the conventions of their functions.
var Languages = map[string]string{"numba": "numba", "rust": "rustc-1.95"}

// A Bound is a function that has a shim for another language.
type Bound struct {
	Func *cdecl.FuncDecl
	Shim *Shim

	result string // as the language spells it
	params []string
}

// Bind spells the types of a function in a language. It says why that is not possible.
func Bind(lang string, f *cdecl.FuncDecl, s *Shim, rules layout.Rules) (*Bound, string) {
	out := &Bound{Func: f, Shim: s}
	p := speller{lang: lang, rules: rules}
	for i, param := range f.Params {
		out.params = append(out.params, p.text(param.Type))
		if p.why != "" {
			return nil, fmt.Sprintf("%s of %s: %s", nameOf(f, i), f.Name, p.why)
		}
	}
	if f.Result != nil {
		if s, ok := layout.Unalias(f.Result).(layout.Scalar); !ok || s.Kind != layout.Void {
			out.result = p.text(f.Result)
		}
	}
	if p.why != "" {
		return nil, fmt.Sprintf("the result of %s: %s", f.Name, p.why)
	}
	return out, ""
}

// Bindings returns the declarations of functions of a header in a language. Shims is the name of the file with the
// shims, which lies beside.
func Bindings(lang, header, shims string, list []*Bound, rules layout.Rules) []byte {
	var b bytes.Buffer
	if lang == "numba" {
		fmt.Fprintf(&b, "# Written by ptxabi adapt -bindings numba; do not edit.\n\"\"\"Device functions of %s for Numba.\n\n", header)
		fmt.Fprintf(&b, "Their shims are in %s: cuda.jit(link=[SHIMS, ...]) links them with the functions.\nA struct is a tuple of its fields, and an address of one an integer.\n\"\"\"\n\n", shims)
		fmt.Fprintf(&b, "import pathlib\n\nfrom numba import cuda\n\nSHIMS = str(pathlib.Path(__file__).with_name(%q))\n", shims)
		for _, f := range list {
			result := f.result
			if result == "" {
				result = "void"
			}
			fmt.Fprintf(&b, "\n# %s\n%s = cuda.declare_device(\n    %q,\n    %q,\n)\n", prototypeText(f.Func), f.name(lang), f.Shim.Name, result+"("+strings.Join(f.params, ", ")+")")
		}
		return b.Bytes()
	}
	fmt.Fprintf(&b, "// Written by ptxabi adapt -bindings rust; do not edit.\n//! Device functions of %s for Rust. Their shims are in %s, to be linked with the functions.\n", header, shims)
	p := speller{lang: lang, rules: rules, records: map[string]bool{}, out: &b}
	for _, f := range list {
		for _, param := range f.Func.Params {
			p.text(param.Type)
		}
		if f.result != "" {
			p.text(f.Func.Result)
		}
	}
	b.WriteString("\nunsafe extern \"C\" {\n")
	for i, f := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		var params []string
		for k, text := range f.params {
			params = append(params, fmt.Sprintf("%s: %s", rustName(f.Func.Params[k].Name, k), text))
		}
		result := ""
		if f.result != "" {
			result = " -> " + f.result
		}
		fmt.Fprintf(&b, "    /// `%s`\n    #[link_name = %q]\n    pub fn %s(%s)%s;\n", prototypeText(f.Func), f.Shim.Name, f.name(lang), strings.Join(params, ", "), result)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// name is the name of a function in the other language.
func (f *Bound) name(lang string) string {
	return rustName(strings.Replace(f.Shim.Name, "_for_"+lang, "", 1), 0)
}

// A speller spells types in a language, and says why one has none. With out, it declares the records of Rust there.
type speller struct {
	lang    string
	rules   layout.Rules
	why     string
	records map[string]bool
	out     *bytes.Buffer
}

func (p *speller) text(t layout.Type) string {
	l, err := layout.Of(t, p.rules)
	if err != nil {
		p.why = err.Error()
		return ""
	}
	numba := p.lang == "numba"
	switch u := layout.Unalias(t).(type) {
	case *layout.Enum:
		return p.text(u.Underlying)
	case layout.Scalar:
		return p.scalar(u, l.Size)
	case *layout.Pointer:
		s, ok := layout.Unalias(u.Elem).(layout.Scalar)
		ok = ok && s.Kind != layout.Void && !s.Complex
		switch {
		case numba && ok:
			return "CPointer(" + p.text(u.Elem) + ")"
		case numba:
			return "uint64"
		case ok && strings.HasPrefix(u.Elem.String(), "const "):
			return "*const " + p.text(u.Elem)
		case ok:
			return "*mut " + p.text(u.Elem)
		}
		return "*mut core::ffi::c_void"
	case *layout.Array:
		elem := p.text(u.Elem)
		if numba {
			return fmt.Sprintf("UniTuple(%s, %d)", elem, u.Len)
		}
		return fmt.Sprintf("[%s; %d]", elem, u.Len)
	case *layout.Record:
		if numba {
			return p.tuple(&l)
		}
		return p.record(u, &l)
	}
	p.why = fmt.Sprintf("%s has no counterpart in declarations of %s", t, p.lang)
	return ""
}

// scalar spells a number.
func (p *speller) scalar(s layout.Scalar, size int64) string {
	numba := p.lang == "numba"
	name := map[layout.Kind]string{layout.Bool: "bool", layout.Float: "f32", layout.Double: "f64"}[s.Kind]
	if numba {
		name = map[layout.Kind]string{layout.Bool: "boolean", layout.Float: "float32", layout.Double: "float64", layout.Float16: "float16"}[s.Kind]
	}
	switch {
	case s.Complex && numba && s.Kind == layout.Float:
		return "complex64"
	case s.Complex && numba && s.Kind == layout.Double:
		return "complex128"
	case !s.Complex && name != "":
		return name
	case s.Complex, !s.Integer(), size > 8, s.Kind == layout.BitInt, s.Kind == layout.UBitInt:
		p.why = fmt.Sprintf("%s has no counterpart in declarations of %s", s, p.lang)
		return ""
	}
	prefix := map[bool]string{true: "i", false: "u"}[s.Signed()]
	if numba {
		prefix = map[bool]string{true: "int", false: "uint"}[s.Signed()]
	}
	return fmt.Sprintf("%s%d", prefix, size*8)
}

// tuple spells a record as numba has it.
func (p *speller) tuple(l *layout.Layout) string {
	var parts []string
	same := true
	for i := range l.Members {
		parts = append(parts, p.text(l.Members[i].Field.Type))
		same = same && parts[i] == parts[0]
	}
	switch {
	case len(parts) == 0:
		p.why = "a record without fields"
	case same:
		return fmt.Sprintf("UniTuple(%s, %d)", parts[0], len(parts))
	}
	return "Tuple((" + strings.Join(parts, ", ") + "))"
}

// record spells a record of Rust, and declares it.
func (p *speller) record(r *layout.Record, l *layout.Layout) string {
	name := r.Name
	if name == "" {
		name = r.TypedefName
	}
	if name = rustName(name[strings.LastIndex(name, ":")+1:], 0); name == "_0" {
		p.why = "a record without a name"
		return ""
	}
	own, end, packed := int64(1), int64(0), false
	var fields strings.Builder
	for i := range l.Members {
		m := &l.Members[i]
		if m.Field.Name == "" || m.Field.BitField {
			p.why = r.String() + " has bit-fields, or members without a name"
			return ""
		}
		fmt.Fprintf(&fields, "    pub %s: %s,\n", rustName(m.Field.Name, i), p.text(m.Field.Type))
		own = max(own, m.Layout.Align)
		packed = packed || m.Offset%m.Layout.Align != 0
		end = max(end, m.Offset+m.Layout.Size)
	}
	repr := "C"
	switch {
	case packed && l.Align == 1:
		repr = "C, packed"
	case packed, l.Align < own, r.Kind != layout.Union && len(r.Bases) > 0:
		p.why = r.String() + " is laid out as no struct of Rust is"
		return ""
	case l.Align > own:
		repr = fmt.Sprintf("C, align(%d)", l.Align)
	}
	if p.out != nil && !p.records[name] {
		p.records[name] = true
		kind := "struct"
		if r.Kind == layout.Union {
			kind = "union"
		}
		fmt.Fprintf(p.out, "\n#[repr(%s)]\n#[derive(Clone, Copy)]\npub %s %s {\n%s}\n", repr, kind, name, fields.String())
		fmt.Fprintf(p.out, "const _: () = assert!(core::mem::size_of::<%[1]s>() == %[2]d && core::mem::align_of::<%[1]s>() == %[3]d);\n", name, l.Size, l.Align)
	}
	return name
}

// rustName is a name of C in Rust or Python, where some are words; one that is missing is that of an index.
func rustName(name string, i int) string {
	switch name {
	case "":
		return fmt.Sprintf("_%d", i)
	case "as", "async", "await", "crate", "dyn", "fn", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "self", "Self", "super", "trait",
		"type", "unsafe", "use", "where", "and", "assert", "class", "def", "del", "elif", "except", "finally", "from", "global", "import", "is", "lambda", "nonlocal",
		"not", "or", "pass", "raise", "with", "yield", "None", "True", "False", "box", "priv", "yield_", "abstract", "become", "final", "macro", "override", "unsized", "virtual", "gen":
		return name + "_"
	}
	return name
}

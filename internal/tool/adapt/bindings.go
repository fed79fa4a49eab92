package adapt

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
)

// Languages are those for which [Bindings] writes declarations, with the conventions of their functions, the default first.
var Languages = map[string][]string{
	"numba": {"numba", "numba-c", mlir},
	"rust":  slices.DeleteFunc(layout.ProducerNames(), func(name string) bool { return !strings.HasPrefix(name, "rustc") }),
}

// Bindings are declarations of functions of a header in a language.
type Bindings struct {
	Lang, From string // what Languages has
	Rules      layout.Rules

	types   speller
	names   map[string]bool // of functions
	records bytes.Buffer    // declarations of Rust
	funcs   bytes.Buffer
}

// AddAll adds the functions of a header, or those of one name, and returns their shims. One that has none is left out, with
// a warning.
func (b *Bindings) AddAll(r *layoutcmd.Result, header, only string, o Options, t *abi.Target) (shims []*Shim, warnings diag.List) {
	b.Rules = r.Rules
	for _, f := range r.Unit.Funcs {
		symbol, known := layoutcmd.LinkerName(f, r.Rules.Lang)
		if f.System || f.Kernel || only != "" && f.Name != only && symbol != only {
			continue
		}
		o.Symbol, o.Name = symbol, layoutcmd.Identifier(f.Name)+"_for_"+b.Lang
		for n, name := 2, o.Name; slices.ContainsFunc(shims, func(s *Shim) bool { return s.Name == o.Name }); n++ { // overloads
			o.Name = fmt.Sprintf("%s_%d", name, n)
		}
		why := diag.List{cdecl.New(f.Pos, diag.Error, Code, "the linker's name of %s is not known", f.Name)}
		var shim *Shim
		if known {
			shim, why = FromPrototype(r, f, o)
		}
		if shim != nil {
			why = append(slices.Clone(shim.Notes), Placed(shim.For(t), header, "")...)
			if len(why.Errors()) > 0 {
			} else if odd := b.add(f, shim); odd != "" {
				why.Add(cdecl.New(f.Pos, diag.Error, Code, "%s", odd))
			} else {
				shims = append(shims, shim)
			}
		}
		for _, d := range why {
			less := *d
			if less.Severity == diag.Error {
				less.Severity, less.Msg = diag.Warning, less.Msg+"; it is left out"
			}
			warnings.Add(&less)
		}
	}
	return shims, warnings
}

// add adds a function, whose shim is s. It says why the language cannot declare it.
func (b *Bindings) add(f *cdecl.FuncDecl, s *Shim) (why string) {
	p := speller{lang: b.Lang, rules: b.Rules, records: maps.Clone(b.types.records), names: maps.Clone(b.types.names)}
	if p.records == nil {
		p.records, p.names, b.names = map[*layout.Record]string{}, map[string]bool{}, map[string]bool{}
	}
	var params []string
	names := map[string]bool{}
	for i, param := range f.Params {
		text := p.text(param.Type)
		if p.why != "" {
			return fmt.Sprintf("%s of %s: %s", nameOf(f, i), f.Name, p.why)
		}
		if b.Lang == "rust" {
			text = unique(names, b.name(param.Name, i)) + ": " + text
		}
		params = append(params, text)
	}
	result := ""
	if f.Result != nil {
		if s, ok := layout.Unalias(f.Result).(layout.Scalar); !ok || s.Kind != layout.Void {
			result = p.text(f.Result)
		}
	}
	if p.why != "" {
		return fmt.Sprintf("the result of %s: %s", f.Name, p.why)
	}
	b.types = p
	b.records.Write(p.out.Bytes())
	at := strings.LastIndex(s.Name, "_for_"+b.Lang)
	name, list := unique(b.names, b.name(s.Name[:at]+s.Name[at+len("_for_"+b.Lang):], 0)), strings.Join(params, ", ")
	if b.Lang == "rust" {
		if result != "" {
			result = " -> " + result
		}
		fmt.Fprintf(&b.funcs, "\n    /// `%s`\n    #[link_name = %q]\n    pub fn %s(%s)%s;\n", prototypeText(f), s.Name, name, list, result)
		return ""
	}
	abi := ""
	if b.From != "numba" {
		abi = "    abi=\"c\",\n"
	}
	fmt.Fprintf(&b.funcs, "\n# %s\n%s = cuda.declare_device(\n    %q,\n    %q,\n%s)\n", prototypeText(f), name, s.Name, cmp.Or(result, "void")+"("+list+")", abi)
	return ""
}

// Text returns the declarations. Shims is the name of the file with the shims, which lies beside.
func (b *Bindings) Text(header, shims string) []byte {
	var out bytes.Buffer
	if b.Lang == "rust" {
		fmt.Fprintf(&out, "// Written by ptxabi adapt -bindings rust; do not edit.\n//! Device functions of %s for Rust. Their shims are in %s, to be linked with the functions.\n", header, shims)
		fmt.Fprintf(&out, "%s\nunsafe extern \"C\" {\n%s}\n", b.records.Bytes(), b.funcs.Bytes()[1:])
		return out.Bytes()
	}
	fmt.Fprintf(&out, "# Written by ptxabi adapt -bindings numba; do not edit.\n\"\"\"Device functions of %s for Numba.\n\n", header)
	fmt.Fprintf(&out, "Their shims are in %s: cuda.jit(link=[SHIMS, ...]) links them with the functions.\nA struct is a tuple of its fields, and an address of one an integer.\n\"\"\"\n\n", shims)
	fmt.Fprintf(&out, "import pathlib\n\nfrom %s import cuda\n\nSHIMS = str(pathlib.Path(__file__).with_name(%q))\n%s", map[bool]string{true: "numba_cuda_mlir", false: "numba"}[b.From == mlir], shims, b.funcs.Bytes())
	return out.Bytes()
}

// name is a name of C in the language, where some have a meaning; one that is missing is that of an index.
func (b *Bindings) name(name string, i int) string {
	if b.Lang == "numba" && slices.Contains([]string{"cuda", "pathlib", "str", "SHIMS"}, name) { // which the module uses itself
		return name + "_"
	}
	return wordless(name, i)
}

// unique returns a name that is not in use, which then is.
func unique(used map[string]bool, name string) string {
	for n, first := 2, name; used[name]; n++ {
		name = fmt.Sprintf("%s_%d", first, n)
	}
	used[name] = true
	return name
}

// A speller spells types in a language, and says why one has none. It declares records of Rust that it meets first.
type speller struct {
	lang    string
	rules   layout.Rules
	why     string
	records map[*layout.Record]string // by their names in Rust
	names   map[string]bool
	out     bytes.Buffer
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
	if name := p.records[r]; name != "" {
		return name
	}
	name := cmp.Or(r.Name, r.TypedefName)
	if name == "" {
		p.why = "a record without a name"
		return ""
	}
	own, end, packed, snake := int64(1), int64(0), false, true
	var fields strings.Builder
	for i := range l.Members {
		m := &l.Members[i]
		if m.Field.Name == "" || m.Field.BitField {
			p.why = r.String() + " has bit-fields, or members without a name"
			return ""
		}
		fmt.Fprintf(&fields, "    pub %s: %s,\n", wordless(m.Field.Name, i), p.text(m.Field.Type))
		own, snake = max(own, m.Layout.Align), snake && strings.ToLower(m.Field.Name) == m.Field.Name
		packed = packed || m.Offset%m.Layout.Align != 0
		end = max(end, m.Offset+m.Layout.Size)
	}
	repr := "C"
	switch {
	case packed && l.Align == 1:
		repr = "C, packed"
	case packed, l.Align < own, r.Kind != layout.Union && len(r.Bases) > 0, (end+l.Align-1)/l.Align*l.Align != l.Size:
		p.why = r.String() + " is laid out as no struct of Rust is"
		return ""
	case l.Align > own:
		repr = fmt.Sprintf("C, align(%d)", l.Align)
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, strings.ReplaceAll(name, "::", "_"))
	if name = wordless(name, 0); slices.Contains(primitives, name) {
		name += "_"
	}
	name = unique(p.names, name)
	p.records[r] = name
	kind, lint := "struct", ""
	if r.Kind == layout.Union {
		kind = "union"
	}
	if !snake {
		lint = "#[allow(non_snake_case)]\n"
	}
	fmt.Fprintf(&p.out, "\n#[repr(%s)]\n#[derive(Clone, Copy)]\n%spub %s %s {\n%s}\n", repr, lint, kind, name, fields.String())
	fmt.Fprintf(&p.out, "const _: () = assert!(core::mem::size_of::<%[1]s>() == %[2]d && core::mem::align_of::<%[1]s>() == %[3]d);\n", name, l.Size, l.Align)
	return name
}

// primitives are types of Rust that declarations use by these names.
var primitives = strings.Fields("bool f32 f64 i8 i16 i32 i64 u8 u16 u32 u64")

// words are those of Rust and Python that C does not have.
var words = strings.Fields("as async await crate dyn fn impl in let loop match mod move mut pub ref self Self super trait type unsafe use where" +
	" and assert class def del elif except finally from global import is lambda nonlocal not or pass raise with yield None True False" +
	" box priv yield_ abstract become final macro override unsized virtual gen")

// wordless is a name of C in Rust or Python, where some are words; one that is missing is that of an index.
func wordless(name string, i int) string {
	if slices.Contains(words, name) {
		return name + "_"
	}
	return cmp.Or(name, fmt.Sprintf("_%d", i))
}

package packers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"github.com/ptxabi/ptxabi/internal/cli/display"
)

// rustShapes are how aggregates are declared.
type rustShapes map[*aggregate]*rustShape

// A rustShape is how an aggregate is declared. What has a capital is for the template.
type rustShape struct {
	*aggregate
	Repr    string // of #[repr(…)]
	aligned bool   // it has an align(N), or something in it has: nothing packed can hold it
	Fields  []rustField
	Parts   []rustPart
}

// A rustField is a field of a struct; pads are among them.
type rustField struct {
	Name, Type, Comment string // the comment is of Markdown
	Offset              int64
	Size                int64 // of a parameter
	Pad                 bool
}

// A rustPart has methods that read and write a part of a field's bytes.
type rustPart struct {
	overlay
	Name, Field string
	first       int64 // where the field begins, in bytes from the start
}

// rustWords are keywords of Rust, those of later editions too.
var rustWords = strings.Fields("as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop" +
	" match mod move mut pub ref return self static struct super trait true type unsafe use where while abstract become box do" +
	" final macro override priv try typeof unsized virtual yield")

// rustMethods are names that methods of a generated type have.
var rustMethods = []string{"as_bytes", "from_bytes", "clone", "default"}

// rustName is a name of a field or a method. Underscores before it, which say in Rust that it is not used, stand after it.
func rustName(name string) string {
	name = snakeCase(name)
	bare := strings.TrimLeft(name, "_")
	if bare == "" || unicode.IsDigit(rune(bare[0])) {
		return "x" + name
	}
	inner := strings.TrimRight(bare, "_")
	after := name[:len(name)-len(bare)] + bare[len(inner):]
	for strings.Contains(inner, "__") {
		inner = strings.ReplaceAll(inner, "__", "_")
	}
	return inner + after
}

// rust is the file in Rust, in the form that rustfmt gives it.
func (t *translator) rust() string {
	var kernels []map[string]any
	for _, k := range t.u.kernels {
		kernels = append(kernels, rustKernel(k, t.args(k)))
	}
	shapes := rustShapes{}
	var records []*rustShape
	for _, a := range t.list {
		shapes[a] = shapes.shape(a)
		records = append(records, shapes[a])
	}
	var enumerators []map[string]string
	names := newNameSet()
	for _, e := range t.enums {
		enumerators = append(enumerators, rustEnum(e, names)...)
	}
	out := rendered("rust.tmpl", template.FuncMap{"doc": rustDoc, "constant": rustConstant, "list": rustList, "upper": upperFirst}, map[string]any{
		"First": strings.TrimSuffix(firstLine, "\n"), "Records": records, "Enumerators": enumerators, "Kernels": kernels,
	})
	for _, name := range []string{"load", "store", "bits", "signed_bits", "set_bits"} {
		if regexp.MustCompile(name + `\(&(mut )?(self\.|bytes)`).MatchString(out) { // it is called
			out += text(name + ".rs")
		}
	}
	return strings.TrimSuffix(out, "\n")
}

// rustDoc is a comment of documentation.
func rustDoc(indent, format string, args ...any) string {
	var lines []string
	wrapped(fmt.Sprintf(format, args...), 96-len(indent), func(line string) {
		lines = append(lines, strings.TrimRight(indent+"/// "+line, " "))
	})
	return strings.Join(lines, "\n")
}

// backticked puts names into backticks, which have a capital inside, or parts.
func backticked(text string) string {
	words := strings.Split(text, " ")
	for i, w := range words {
		name := strings.TrimRight(w, ".,:")
		if strings.ContainsAny(name, "_:") || name != "" && strings.ContainsFunc(name[1:], unicode.IsUpper) && strings.ContainsFunc(name, unicode.IsLower) {
			words[i] = "`" + name + "`" + w[len(name):]
		}
	}
	return strings.Join(words, " ")
}

// wrapped calls line for each line of a text, in lines of a width. Ends of paragraphs stay.
func wrapped(text string, width int, line func(string)) {
	for i, para := range strings.Split(text, "\n\n") {
		if i > 0 {
			line("")
		}
		for _, l := range display.Wrap(para, width) {
			line(l)
		}
	}
}

// rustNames are those of Go's basic types in Rust.
var rustNames = strings.NewReplacer("uint", "u", "int", "i", "float", "f")

// rustType spells a type.
func rustType(v *value) string {
	switch v.kind {
	case complexNumber, array, raw:
		return fmt.Sprintf("[%s; %d]", rustType(v.elem), v.n)
	case structure:
		return v.typ
	}
	return rustNames.Replace(v.basic)
}

// rustAlign is the alignment of a type in Rust, on hosts of 64 bits.
func rustAlign(v *value) int64 {
	return v.naturally(func(a *aggregate) int64 { return a.align })
}

// aligned reports whether nothing packed can hold a type.
func (w rustShapes) aligned(d *value) bool {
	b := d.base()
	return b.kind == structure && w[b.record].aligned
}

// shape decides how a record is declared: as C does, with an alignment, or packed. A field that lies
// where neither lets it lie becomes bytes.
func (w rustShapes) shape(a *aggregate) *rustShape {
	s := &rustShape{aggregate: a, Repr: "C"}
	misplaced := func(f *field) bool {
		align := rustAlign(f.val)
		return f.off%align != 0 || align > a.align || a.size%align != 0
	}
	fields, parts := slices.Clone(a.fields), slices.Clone(a.parts)
	bad := slices.ContainsFunc(fields, func(f field) bool { return misplaced(&f) })
	if bad && w.packs(a) {
		s.Repr = "C, packed"
		if a.align > 1 {
			s.Repr = fmt.Sprintf("C, packed(%d)", a.align)
		}
	} else {
		natural := int64(1)
		for i := range fields {
			f := &fields[i]
			if misplaced(f) {
				parts = append(parts, overlay{name: f.name, store: i, off: f.off, typ: f.val, comment: f.comment})
				*f = field{name: f.name + "_bytes", store: true, off: f.off, val: rawBytes(f.val.size), comment: "`" + f.comment + "`, which is not aligned"}
			}
			natural = max(natural, rustAlign(f.val))
			s.aligned = s.aligned || w.aligned(f.val)
		}
		if natural < a.align {
			s.Repr, s.aligned = fmt.Sprintf("C, align(%d)", a.align), true
		}
	}
	s.declare(fields, parts)
	return s
}

// packs reports whether a packed struct has the fields where they are.
func (w rustShapes) packs(a *aggregate) bool {
	most := int64(1)
	for i := range a.fields {
		f := &a.fields[i]
		align := min(rustAlign(f.val), a.align)
		if f.off%align != 0 || w.aligned(f.val) {
			return false
		}
		most = max(most, align)
	}
	return most == a.align && a.size%a.align == 0
}

// declare names the fields and parts, and adds the padding between them.
func (s *rustShape) declare(fields []field, parts []overlay) {
	names := newNameSet(rustWords)
	names.takeFields(fields, false, rustName)
	names.takeFields(fields, true, rustName)
	for _, f := range names.pads(padded(fields, s.size)) {
		if !f.store && !f.pad {
			f.comment = "`" + f.comment + "`"
		}
		s.Fields = append(s.Fields, rustField{Name: f.name, Type: rustType(f.val), Comment: f.comment, Offset: f.off, Pad: f.pad})
	}
	methods := newNameSet(rustWords, rustMethods)
	for i := range parts {
		p := &parts[i]
		s.Parts = append(s.Parts, rustPart{*p, methods.takePair(rustName(p.name), "set_"), fields[p.store].name, fields[p.store].off})
	}
}

// What the template has of a record.

func (s *rustShape) Name() string  { return s.name }
func (s *rustShape) Doc() string   { return backticked(s.source) }
func (s *rustShape) Size() int64   { return s.size }
func (s *rustShape) Align() int64  { return s.align }
func (s *rustShape) Passed() int64 { return s.passed }
func (s *rustShape) Unsafe() bool  { return s.hasBool() }

// What it has of a part.

func (p *rustPart) Source() string  { return p.name }
func (p *rustPart) Comment() string { return p.comment }
func (p *rustPart) Type() string    { return rustType(p.typ) }
func (p *rustPart) Unsafe() bool    { return p.width == 0 && p.typ.kind != boolean && p.typ.hasBool() }
func (p *rustPart) Width() int64    { return p.width }
func (p *rustPart) Bit() int64      { return p.bit - p.first*8 } // of the field
func (p *rustPart) At() int64       { return p.off - p.first }   // of the field
func (p *rustPart) Signed() bool    { return p.typ.signed() }

// rustEnum is the enumerators as constants, with the name of the enumeration before their own.
func rustEnum(e *enumType, names nameSet) (out []map[string]string) {
	prefix := upperSnake(e.name) + "_"
	for _, c := range e.of.Enumerators {
		out = append(out, map[string]string{
			"Name": names.take(prefix + strings.TrimPrefix(upperSnake(c.Name), prefix)), "Type": rustType(e.typ), "Value": enumeratorValue(c),
			"Doc": fmt.Sprintf("`%s` of %s.", c.Name, backticked(e.source)),
		})
	}
	return out
}

// rustKernel is what the template has of a kernel.
func rustKernel(k *kernel, a *aggregate) map[string]any {
	names := newNameSet(rustWords)
	var fields []rustField
	var addresses []string
	for i, f := range a.fields {
		name := names.take(rustName(f.name))
		fields = append(fields, rustField{Name: name, Type: rustType(f.val), Comment: "`" + f.comment + "`", Offset: f.off, Size: k.params[i].size})
		addresses = append(addresses, fmt.Sprintf("core::ptr::addr_of_mut!(self.%s).cast()", name))
	}
	list := "[" + strings.Join(addresses, ", ") + "]"
	if len(list) > 60 {
		list = "[\n            " + strings.Join(addresses, ",\n            ") + ",\n        ]"
	}
	facts := kernelFacts(k)
	facts["Name"], facts["Doc"] = a.name, backticked(a.source)+backticked(k.holdsFor())
	facts["Fields"], facts["Addresses"] = fields, list
	return facts
}

// rustList is a value of an array.
func rustList(list []string) string { return bracketed("[", list, "]", 60, "    ", 100) }

// rustConstant declares a constant of a type, over two lines where it is long.
func rustConstant(name, typ, value string) string {
	head := fmt.Sprintf("    pub const %s: %s =", name, typ)
	if first, _, _ := strings.Cut(value, "\n"); len(head)+len(first)+2 > 100 {
		return head + "\n        " + value + ";"
	}
	return head + " " + value + ";"
}

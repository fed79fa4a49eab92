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
	Repr    string  // of #[repr(…)]
	aligned bool    // it has an align(N), or something in it has: nothing packed can hold it
	Fields  []field // padding is among them; the comments are of Markdown
	Parts   []rustPart
}

// A rustPart has methods that read and write a part of a field's bytes.
type rustPart struct {
	field        // places count from the start of the store
	Store string // the field
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
	out := rendered("rust.tmpl", template.FuncMap{
		"doc": rustDoc, "backticked": backticked, "rust": rustType, "constant": rustConstant, "list": rustList, "addresses": rustAddresses, "upper": upperFirst, "noSymbol": noSymbol,
	}, map[string]any{
		"First": strings.TrimSuffix(firstLine, "\n"), "Records": records, "Enumerators": enumerators,
		"Kernels": each(t.args, rustArguments),
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
	return wrapped(fmt.Sprintf(format, args...), 96-len(indent), indent+"/// ")
}

// backticked puts names into backticks, which have a capital inside, or parts.
func backticked(text string) string {
	var words []string
	for i, w := range strings.Split(text, " ") {
		if n := len(words) - 1; i > 0 && strings.Count(words[n], "<") > strings.Count(words[n], ">") { // Pair<int, float>
			words[n] += " " + w
			continue
		}
		words = append(words, w)
	}
	for i, w := range words {
		name := strings.TrimRight(w, ".,:")
		if strings.ContainsAny(name, "_:") || name != "" && strings.ContainsFunc(name[1:], unicode.IsUpper) && strings.ContainsFunc(name, unicode.IsLower) {
			words[i] = "`" + name + "`" + w[len(name):]
		}
	}
	return strings.Join(words, " ")
}

// wrapped is a text in lines of a width, each with a prefix before it. Ends of paragraphs stay.
func wrapped(text string, width int, prefix string) string {
	var lines []string
	for para := range strings.SplitSeq(text, "\n\n") {
		lines = append(append(lines, display.Wrap(para, width)...), "")
	}
	for i, l := range lines {
		lines[i] = strings.TrimRight(prefix+l, " ")
	}
	return strings.Join(lines[:len(lines)-1], "\n")
}

// rustNames are those of Go's basic types in Rust.
var rustNames = strings.NewReplacer("uint", "u", "int", "i", "float", "f")

// rustType spells a type.
func rustType(v *value) string {
	switch v.kind {
	case complexNumber, array, raw:
		return fmt.Sprintf("[%s; %d]", rustType(v.elem), v.n)
	case structure:
		return v.Typ
	}
	return rustNames.Replace(v.basic)
}

// rustAlign is the alignment of a type in Rust, on hosts of 64 bits.
func rustAlign(v *value) int64 {
	return v.naturally(func(a *aggregate) int64 { return a.Align })
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
		align := rustAlign(f.Val)
		return f.Off%align != 0 || align > a.Align || a.Size%align != 0
	}
	fields, parts := slices.Clone(a.fields), slices.Clone(a.parts)
	bad := slices.ContainsFunc(fields, func(f field) bool { return misplaced(&f) })
	if bad && w.packs(a) {
		s.Repr = "C, packed"
		if a.Align > 1 {
			s.Repr = fmt.Sprintf("C, packed(%d)", a.Align)
		}
	} else {
		natural := int64(1)
		for i := range fields {
			f := &fields[i]
			if misplaced(f) {
				part := *f
				part.in = i
				parts = append(parts, part)
				*f = field{Name: f.Name + "_bytes", Store: true, Off: f.Off, Val: rawBytes(f.Val.size), Comment: "`" + f.Comment + "`, which is not aligned"}
			}
			natural = max(natural, rustAlign(f.Val))
			s.aligned = s.aligned || w.aligned(f.Val)
		}
		if natural < a.Align {
			s.Repr, s.aligned = fmt.Sprintf("C, align(%d)", a.Align), true
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
		align := min(rustAlign(f.Val), a.Align)
		if f.Off%align != 0 || w.aligned(f.Val) {
			return false
		}
		most = max(most, align)
	}
	return most == a.Align && a.Size%a.Align == 0
}

// declare names the fields and parts, and adds the padding between them.
func (s *rustShape) declare(fields, parts []field) {
	names := newNameSet(rustWords)
	names.takeFields(fields, false, rustName)
	names.takeFields(fields, true, rustName)
	s.Fields = names.pads(padded(fields, s.Size))
	for i := range s.Fields {
		if f := &s.Fields[i]; !f.Store && !f.Pad {
			f.Comment = "`" + f.Comment + "`"
		}
	}
	methods := newNameSet(rustWords, rustMethods)
	for _, p := range parts {
		store := &fields[p.in]
		p.CName, p.Name = p.Name, methods.takePair(rustName(p.Name), "set_")
		p.Off, p.Bit = p.Off-store.Off, p.Bit-store.Off*8
		s.Parts = append(s.Parts, rustPart{p, store.Name})
	}
}

// rustEnum is the enumerators as constants, with the name of the enumeration before their own.
func rustEnum(e *enumType, names nameSet) (out []map[string]string) {
	prefix := upperSnake(e.Name) + "_"
	for _, c := range e.of.Enumerators {
		out = append(out, map[string]string{
			"Name": names.take(prefix + strings.TrimPrefix(upperSnake(c.Name), prefix)), "Type": rustType(e.typ), "Value": enumeratorValue(c),
			"Doc": fmt.Sprintf("`%s` of %s.", c.Name, backticked(e.Source)),
		})
	}
	return out
}

// rustArguments is how the arguments of a kernel are declared.
func rustArguments(a *aggregate) *rustShape {
	s := &rustShape{aggregate: a}
	names := newNameSet(rustWords)
	for _, f := range a.fields {
		f.Name, f.Comment = names.take(rustName(f.Name)), "`"+f.Comment+"`"
		s.Fields = append(s.Fields, f)
	}
	return s
}

// rustAddresses is an array of the addresses of fields.
func rustAddresses(fields []field) string {
	addresses := each(fields, func(f field) string { return fmt.Sprintf("core::ptr::addr_of_mut!(self.%s).cast()", f.Name) })
	if list := "[" + strings.Join(addresses, ", ") + "]"; len(list) <= 60 {
		return list
	}
	return "[\n            " + strings.Join(addresses, ",\n            ") + ",\n        ]"
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

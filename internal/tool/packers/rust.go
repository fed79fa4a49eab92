package packers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// A rustWriter writes types of Rust, in the form that rustfmt gives them.
type rustWriter struct {
	b      strings.Builder
	shapes map[*aggregate]*rustShape
	loads, stores, bits, signed,
	sets bool // which functions are needed
}

// A rustShape is how an aggregate is declared.
type rustShape struct {
	repr    string // of #[repr(…)]
	aligned bool   // it has an align(N), or something in it has: nothing packed can hold it
	fields  []rustField
	parts   []rustPart
}

// A rustField is a field of a struct; pads are among them.
type rustField struct {
	name, typ, comment string // the comment is of Markdown
	off, size          int64
	pad                bool
}

// A rustPart has methods that read and write a part of a field's bytes.
type rustPart struct {
	overlay
	name, field string
	first       int64 // where the field begins, in bytes from the start
}

// rustWords are keywords of Rust, those of later editions too.
var rustWords = strings.Fields("as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop" +
	" match mod move mut pub ref return self static struct super trait true type unsafe use where while abstract become box do" +
	" final macro override priv try typeof unsized virtual yield")

// rustMethods are names that methods of a generated type have.
var rustMethods = []string{"as_bytes", "from_bytes", "clone", "default"}

// A wordSet gives every name once.
type wordSet map[string]bool

func newWordSet(reserved ...[]string) wordSet {
	s := wordSet{}
	for _, w := range slices.Concat(reserved...) {
		s[w] = true
	}
	return s
}

// take returns name, with underscores after it if it is taken.
func (s wordSet) take(name string) string {
	for s[name] {
		name += "_"
	}
	s[name] = true
	return name
}

// takePair returns the name of a method that reads, so that the one that writes
// has a name too: that with set_ before it.
func (s wordSet) takePair(name string) string {
	for s[name] || s["set_"+name] {
		name += "_"
	}
	s[name], s["set_"+name] = true, true
	return name
}

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

// rust is the file in Rust.
func (t *translator) rust() string {
	w := &rustWriter{shapes: map[*aggregate]*rustShape{}}
	var args []*aggregate
	for _, k := range t.u.kernels {
		args = append(args, t.args(k))
	}
	if len(t.g.errs) > 0 {
		return ""
	}
	for _, a := range t.list {
		w.record(a)
	}
	names := newWordSet()
	for _, e := range t.enums {
		w.enum(e, names)
	}
	for i, k := range t.u.kernels {
		w.kernel(k, args[i])
	}
	w.devices(t.list)
	w.functions()
	return strings.TrimSuffix(firstLine, "\n") + "\n\n" + strings.TrimSuffix(rustHead+w.b.String(), "\n")
}

const rustHead = `#[cfg(target_endian = "big")]
compile_error!("CUDA keeps the lowest byte of a number first, and so must the host");

`

func (w *rustWriter) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// doc writes a comment of documentation.
func (w *rustWriter) doc(indent, format string, args ...any) {
	wrapped(fmt.Sprintf(format, args...), 96-len(indent), func(line string) { w.line("%s///%s", indent, spaced(line)) })
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

func spaced(line string) string {
	if line == "" {
		return ""
	}
	return " " + line
}

// wrapped calls line for each line of a text, in lines of a width. Ends of paragraphs stay.
func wrapped(text string, width int, line func(string)) {
	for i, para := range strings.Split(text, "\n\n") {
		if i > 0 {
			line("")
		}
		for _, l := range prose.Wrap(para, width) {
			line(l)
		}
	}
}

// rustType spells a type.
func rustType(d *datum) string {
	switch d.kind {
	case boolDatum:
		return "bool"
	case floatDatum:
		return fmt.Sprintf("f%d", d.size*8)
	case halfDatum, bfloatDatum:
		return "u16"
	case complexDatum, arrayDatum:
		return fmt.Sprintf("[%s; %d]", rustType(d.elem), d.n)
	case recordDatum:
		return d.record.name
	}
	if d.signed {
		return fmt.Sprintf("i%d", d.size*8)
	}
	return fmt.Sprintf("u%d", d.size*8)
}

// rustAlign is the alignment of a type in Rust, on hosts of 64 bits.
func rustAlign(d *datum) int64 {
	switch d.kind {
	case complexDatum, arrayDatum:
		return rustAlign(d.elem)
	case recordDatum:
		return d.record.align
	}
	return d.size
}

// hasBool reports whether there are bytes that are no value of a type.
func (d *datum) hasBool() bool {
	switch d.kind {
	case boolDatum:
		return true
	case arrayDatum:
		return d.elem.hasBool()
	case recordDatum:
		return d.record.hasBool()
	}
	return false
}

func (a *aggregate) hasBool() bool {
	return slices.ContainsFunc(a.fields, func(f aggField) bool { return f.typ.hasBool() })
}

// aligned reports whether nothing packed can hold a type.
func (w *rustWriter) aligned(d *datum) bool {
	switch d.kind {
	case arrayDatum:
		return w.aligned(d.elem)
	case recordDatum:
		return w.shapes[d.record].aligned
	}
	return false
}

// shape decides how a record is declared: as C does, with an alignment, or packed. A field that lies
// where neither lets it lie becomes bytes.
func (w *rustWriter) shape(a *aggregate) *rustShape {
	s := &rustShape{repr: "C"}
	misplaced := func(f *aggField) bool {
		align := rustAlign(f.typ)
		return f.off%align != 0 || align > a.align || a.size%align != 0
	}
	fields, parts := slices.Clone(a.fields), slices.Clone(a.parts)
	bad := slices.ContainsFunc(fields, func(f aggField) bool { return misplaced(&f) })
	if bad && w.packs(a) {
		s.repr = "C, packed"
		if a.align > 1 {
			s.repr = fmt.Sprintf("C, packed(%d)", a.align)
		}
	} else {
		natural := int64(1)
		for i := range fields {
			f := &fields[i]
			if misplaced(f) {
				parts = append(parts, overlay{name: f.name, store: i, off: f.off, typ: f.typ, comment: f.comment})
				*f = aggField{name: f.name + "_bytes", store: true, off: f.off, typ: bytesDatum(f.typ.size), comment: "`" + f.comment + "`, which is not aligned"}
			}
			natural = max(natural, rustAlign(f.typ))
			s.aligned = s.aligned || w.aligned(f.typ)
		}
		if natural < a.align {
			s.repr, s.aligned = fmt.Sprintf("C, align(%d)", a.align), true
		}
	}
	s.name(a, fields, parts)
	return s
}

// packs reports whether a packed struct has the fields where they are.
func (w *rustWriter) packs(a *aggregate) bool {
	most := int64(1)
	for i := range a.fields {
		f := &a.fields[i]
		align := min(rustAlign(f.typ), a.align)
		if f.off%align != 0 || w.aligned(f.typ) {
			return false
		}
		most = max(most, align)
	}
	return most == a.align && a.size%a.align == 0
}

// name names the fields and parts, and adds the padding between them.
func (s *rustShape) name(a *aggregate, fields []aggField, parts []overlay) {
	names := newWordSet(rustWords)
	for i := range fields {
		if f := &fields[i]; !f.store {
			f.comment = "`" + f.comment + "`"
			f.name = names.take(rustName(f.name))
		}
	}
	for i := range fields {
		if f := &fields[i]; f.store {
			f.name = names.take(rustName(f.name))
		}
	}
	end, pads := int64(0), 0
	pad := func(to int64) {
		if to <= end {
			return
		}
		name := fmt.Sprintf("_pad%d", pads)
		s.fields = append(s.fields, rustField{name: names.take(name), typ: fmt.Sprintf("[u8; %d]", to-end), off: end, size: to - end, pad: true})
		pads++
	}
	for i := range fields {
		f := &fields[i]
		pad(f.off)
		s.fields = append(s.fields, rustField{name: f.name, typ: rustType(f.typ), comment: f.comment, off: f.off, size: f.typ.size})
		end = f.off + f.typ.size
	}
	pad(a.size)
	methods := newWordSet(rustWords, rustMethods)
	for i := range parts {
		p := &parts[i]
		s.parts = append(s.parts, rustPart{*p, methods.takePair(rustName(p.name)), fields[p.store].name, fields[p.store].off})
	}
}

// record writes a record with its methods.
func (w *rustWriter) record(a *aggregate) {
	s := w.shape(a)
	w.shapes[a] = s
	w.doc("", "%s", backticked(a.source))
	w.line("#[repr(%s)]", s.repr)
	w.line("#[derive(Clone, Copy, Debug)]")
	w.line("pub struct %s {", a.name)
	for _, f := range s.fields {
		switch {
		case f.pad:
			w.line("    #[doc(hidden)]")
		case f.comment != "":
			w.doc("    ", "%s", f.comment)
		}
		w.line("    pub %s: %s,", f.name, f.typ)
	}
	w.line("}\n")
	w.line("impl %s {", a.name)
	w.line("    /// The size in bytes.")
	w.line("    pub const SIZE: usize = %d;", a.size)
	w.line("    /// The alignment in bytes.")
	w.line("    pub const ALIGN: usize = %d;\n", a.passed)
	w.line("    /// The bytes that a kernel reads.")
	w.line("    pub fn as_bytes(&self) -> &[u8; %d] {", a.size)
	w.line("        // SAFETY: every byte is one of a field, padding too.")
	w.line("        unsafe { &*core::ptr::from_ref(self).cast() }")
	w.line("    }\n")
	w.line("    /// The value that has the bytes.")
	unsafe := ""
	if a.hasBool() {
		unsafe = "unsafe "
		w.line("    ///\n    /// # Safety\n    ///\n    /// The byte of a `bool` has to be 0 or 1.")
	}
	w.line("    pub %sfn from_bytes(bytes: &[u8; %d]) -> %s {", unsafe, a.size, a.name)
	if unsafe == "" {
		w.line("        // SAFETY: any bytes are a value.")
	} else {
		w.line("        // SAFETY: the caller says so of those that might be no value.")
	}
	w.line("        unsafe { core::ptr::read_unaligned(bytes.as_ptr().cast()) }")
	w.line("    }")
	for i := range s.parts {
		w.part(&s.parts[i])
	}
	w.line("}\n")
	w.line("impl core::default::Default for %s {", a.name)
	w.line("    fn default() -> %s {", a.name)
	w.line("        // SAFETY: zeros are a value of every field.")
	w.line("        unsafe { core::mem::zeroed() }\n    }\n}\n")
	w.line("const _: () = {")
	w.line("    assert!(core::mem::size_of::<%s>() == %d);", a.name, a.size)
	w.line("    assert!(core::mem::align_of::<%s>() == %d);", a.name, a.align)
	for _, f := range s.fields {
		w.line("    assert!(core::mem::offset_of!(%s, %s) == %d);", a.name, f.name, f.off)
	}
	w.line("};\n")
}

// part writes the two methods of a part.
func (w *rustWriter) part(p *rustPart) {
	typ := rustType(p.typ)
	if p.width > 0 {
		w.bitField(p, typ)
		return
	}
	at := p.off - p.first
	w.line("")
	w.doc("    ", "Returns `%s`: `%s`.", p.overlay.name, p.comment)
	switch {
	case p.typ.kind == boolDatum:
		w.line("    pub fn %s(&self) -> bool {", p.name)
		w.line("        self.%s[%d] != 0", p.field, at)
	case p.typ.hasBool():
		w.loads = true
		w.line("    ///\n    /// # Safety\n    ///\n    /// The byte of a `bool` has to be 0 or 1.")
		w.line("    pub unsafe fn %s(&self) -> %s {", p.name, typ)
		w.line("        // SAFETY: the caller says so of those that might be no value.")
		w.line("        unsafe { load(&self.%s, %d) }", p.field, at)
	default:
		w.loads = true
		w.line("    pub fn %s(&self) -> %s {", p.name, typ)
		w.line("        // SAFETY: any bytes are a value.")
		w.line("        unsafe { load(&self.%s, %d) }", p.field, at)
	}
	w.line("    }\n")
	w.stores = true
	w.doc("    ", "Sets `%s`. Bytes beyond it stay.", p.overlay.name)
	w.line("    pub fn set_%s(&mut self, x: %s) {", p.name, typ)
	w.line("        store(&mut self.%s, %d, x);", p.field, at)
	w.line("    }")
}

func (w *rustWriter) bitField(p *rustPart, typ string) {
	where := fmt.Sprintf("(&self.%s, %d, %d)", p.field, p.bit-p.first*8, p.width)
	get, value := "bits"+where, "u64::from(x)"
	switch {
	case p.typ.kind == boolDatum:
		get += " != 0"
	case p.typ.signed:
		get, value = "signed_"+get, "x as u64"
		w.signed = true
	}
	switch {
	case p.typ.kind == boolDatum:
	case p.typ.size < 8:
		get += " as " + typ
	case !p.typ.signed:
		value = "x"
	}
	w.bits, w.sets = true, true
	w.line("")
	w.doc("    ", "Returns bit-field `%s`: `%s`.", p.overlay.name, p.comment)
	w.line("    pub fn %s(&self) -> %s {", p.name, typ)
	w.line("        %s", get)
	w.line("    }\n")
	w.doc("    ", "Sets bit-field `%s`; bits of x beyond it are dropped.", p.overlay.name)
	w.line("    pub fn set_%s(&mut self, x: %s) {", p.name, typ)
	w.line("        set_bits(&mut self.%s, %d, %d, %s);", p.field, p.bit-p.first*8, p.width, value)
	w.line("    }")
}

// enum writes enumerators as constants, with the name of the enumeration before their own.
func (w *rustWriter) enum(e *enumType, names wordSet) {
	prefix := upperSnake(e.name) + "_"
	for _, c := range e.of.Enumerators {
		name := prefix + strings.TrimPrefix(upperSnake(c.Name), prefix)
		value := strconv.FormatUint(c.Bits, 10)
		if c.Negative {
			value = strconv.FormatInt(int64(c.Bits), 10)
		}
		w.doc("", "`%s` of %s.", c.Name, backticked(e.source))
		w.line("pub const %s: %s = %s;\n", names.take(name), rustType(e.typ), value)
	}
}

// kernel writes the arguments of a kernel.
func (w *rustWriter) kernel(k *kernel, a *aggregate) {
	names := newWordSet(rustWords)
	w.doc("", "%s%s", backticked(a.source), backticked(k.holdsFor()))
	w.line("#[derive(Clone, Copy, Debug)]")
	if len(a.fields) == 0 {
		w.line("pub struct %s {}\n", a.name)
	} else {
		w.line("pub struct %s {", a.name)
	}
	for i := range a.fields {
		f := &a.fields[i]
		f.name = names.take(rustName(f.name))
		w.doc("    ", "`%s`", f.comment)
		w.line("    pub %s: %s,", f.name, rustType(f.typ))
	}
	if len(a.fields) > 0 {
		w.line("}\n")
	}
	w.line("impl %s {", a.name)
	if k.symbol != "" {
		w.line("    /// The name of the kernel in what it is compiled to, as `cuModuleGetFunction` takes it.")
		w.constant("SYMBOL", "&'static str", strconv.Quote(k.symbol))
	}
	w.doc("    ", "Where the last parameter ends, in bytes: padding after it would make the driver refuse.")
	w.constant("BUFFER_SIZE", "usize", strconv.FormatInt(k.size, 10))
	var offsets, sizes []string
	for _, p := range k.params {
		offsets, sizes = append(offsets, strconv.FormatInt(p.off, 10)), append(sizes, strconv.FormatInt(p.size, 10))
	}
	w.line("    /// Where each parameter begins, in bytes.")
	w.constant("OFFSETS", fmt.Sprintf("[usize; %d]", len(offsets)), rustArray(offsets))
	w.line("    /// The bytes of each parameter.")
	w.constant("SIZES", fmt.Sprintf("[usize; %d]", len(sizes)), rustArray(sizes))
	for _, c := range k.bounds {
		w.doc("    ", "%s.", upperFirst(c.comment))
		w.constant(upperSnake(strings.TrimPrefix(c.name, k.goName)), "u32", strconv.FormatInt(c.number, 10))
	}
	w.line("")
	w.line("    /// The bytes of the parameters, with padding of zeros.")
	w.line("    pub fn pack(&self) -> [u8; %d] {", k.size)
	if len(a.fields) == 0 {
		w.line("        []")
	} else {
		w.stores = true
		w.line("        let mut bytes = [0; %d];", k.size)
		for _, f := range a.fields {
			w.line("        store(&mut bytes, %d, self.%s);", f.off, f.name)
		}
		w.line("        bytes")
	}
	w.line("    }\n")
	w.doc("    ", "The address of each parameter, as `cuLaunchKernel` takes them. They are valid as long as the arguments are where they are.")
	w.line("    pub fn kernel_params(&mut self) -> [*mut core::ffi::c_void; %d] {", len(a.fields))
	var addresses []string
	for _, f := range a.fields {
		addresses = append(addresses, fmt.Sprintf("core::ptr::addr_of_mut!(self.%s).cast()", f.name))
	}
	switch list := strings.Join(addresses, ", "); {
	case len(list)+2 <= 60:
		w.line("        [%s]", list)
	default:
		w.line("        [\n            %s,\n        ]", strings.Join(addresses, ",\n            "))
	}
	w.line("    }\n}\n")
	if len(a.fields) > 0 {
		w.line("const _: () = {")
		for i, f := range a.fields {
			w.line("    assert!(core::mem::size_of::<%s>() == %d);", rustType(f.typ), k.params[i].size)
		}
		w.line("};\n")
	}
}

func (w *rustWriter) constant(name, typ, value string) {
	head := fmt.Sprintf("    pub const %s: %s =", name, typ)
	if first, _, _ := strings.Cut(value, "\n"); len(head)+len(first)+2 > 100 {
		w.line("%s\n        %s;", head, value)
		return
	}
	w.line("%s %s;", head, value)
}

// rustArray writes an array of short numbers.
func rustArray(list []string) string {
	if s := "[" + strings.Join(list, ", ") + "]"; len(s) <= 60 {
		return s
	}
	var b strings.Builder
	b.WriteString("[")
	width := 200
	for _, s := range list {
		if width+len(s)+2 > 100 {
			b.WriteString("\n       ")
			width = 7
		}
		b.WriteString(" " + s + ",")
		width += len(s) + 2
	}
	return b.String() + "\n    ]"
}

// devices says that cudarc may copy the types.
func (w *rustWriter) devices(list []*aggregate) {
	if len(list) == 0 {
		return
	}
	w.line("// With the feature cudarc, the types are arguments that the crate cudarc passes, and lie in its")
	w.line("// buffers.")
	w.line("#[allow(unexpected_cfgs)]\nconst _: () = {")
	for i, a := range list {
		if i > 0 {
			w.line("")
		}
		w.line("    // SAFETY: a kernel reads the bytes as they are, and zeros are a value.")
		w.line("    #[cfg(feature = \"cudarc\")]")
		w.line("    unsafe impl cudarc::driver::DeviceRepr for %s {}", a.name)
		w.line("    #[cfg(feature = \"cudarc\")]")
		w.line("    unsafe impl cudarc::driver::ValidAsZeroBits for %s {}", a.name)
	}
	w.line("};\n")
}

// functions writes those that are needed.
func (w *rustWriter) functions() {
	for _, f := range []struct {
		needed bool
		name   string
	}{
		{w.loads, "load.rs"},
		{w.stores, "store.rs"},
		{w.bits, "bits.rs"},
		{w.signed, "signed_bits.rs"},
		{w.sets, "set_bits.rs"},
	} {
		if f.needed {
			w.b.WriteString(text(f.name))
		}
	}
}

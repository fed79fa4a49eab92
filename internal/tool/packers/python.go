package packers

import (
	"fmt"
	"strconv"
	"strings"
)

// A pythonWriter makes classes of ctypes and dtypes of NumPy.
type pythonWriter struct {
	bits, parts bool                 // which classes are needed
	aligned     map[*aggregate]int64 // the alignment of a dtype that has one
}

// pythonWords are keywords of Python.
var pythonWords = strings.Fields("False None True and as assert async await break class continue def del elif else except finally for" +
	" from global if import in is lambda nonlocal not or pass raise return try while with yield")

// pythonNames are attributes that a generated class has, and those by which ctypes is told of it.
var pythonNames = strings.Fields("SIZE ALIGN dtype from_buffer from_buffer_copy from_address from_param in_dll" +
	" SYMBOL BUFFER_SIZE OFFSETS SIZES MAX_THREADS MIN_BLOCKS BLOCK_X BLOCK_Y BLOCK_Z pack kernel_params mro _start _addresses" +
	" _fields_ _anonymous_ _pack_ _layout_ _align_ _objects _b_base_ _b_needsfree_")

// pythonName is a name of an attribute. One that begins with two underscores would be another one
// in a class.
func pythonName(name string) string {
	name = strings.Map(func(r rune) rune {
		if isLetterOrDigit(r) {
			return r
		}
		return '_'
	}, normalized(name))
	if strings.HasPrefix(name, "__") {
		return "x" + name
	}
	return name
}

// python is the file in Python.
func (t *translator) python() string {
	w := &pythonWriter{aligned: map[*aggregate]int64{}}
	var args []*aggregate
	for _, k := range t.u.kernels {
		args = append(args, t.args(k))
	}
	if len(t.g.errs) > 0 {
		return ""
	}
	var enums, classes []map[string]any
	for _, e := range t.enums {
		enums = append(enums, pythonEnum(e))
	}
	for _, a := range t.list {
		classes = append(classes, w.class(a, nil))
	}
	for i, k := range t.u.kernels {
		classes = append(classes, w.class(args[i], k))
	}
	head := text("head.py")
	if len(enums) == 0 {
		head = strings.Replace(head, "import enum\n", "", 1)
	}
	if w.bits {
		head += text("bits.py")
	}
	if w.parts {
		head += text("part.py")
	}
	out := rendered("python.tmpl", nil, map[string]any{
		"First": "#" + strings.TrimPrefix(strings.TrimSuffix(firstLine, "\n"), "//"), "Input": inDocstring(baseOf(t.g.Input)), "Head": head,
		"Enums": enums, "Classes": classes,
	})
	return strings.TrimRight(out, "\n") + "\n"
}

// pythonEnum is an enumeration for the template.
func pythonEnum(e *enumType) map[string]any {
	names := newNameSet(pythonWords, []string{"mro", "name", "value"})
	var list [][2]string
	for _, c := range e.of.Enumerators {
		name := pythonName(c.Name)
		if strings.HasPrefix(name, "_") {
			name = "x" + name
		}
		list = append(list, [2]string{names.take(name), enumeratorValue(c)})
	}
	return map[string]any{"Name": e.name, "Source": inDocstring(e.source), "List": list}
}

// A pythonField is an attribute of a class.
type pythonField struct {
	name, comment string
	off           int64
	typ           *datum
	width, bit    int64
	pad           bool
	covered       bool // the bytes of a union, whose members have them
}

// fields names what a class has, padding included. Attributes that overlap stand after the others.
func (w *pythonWriter) fields(a *aggregate, names nameSet) (own, overlays []pythonField) {
	end, pads := int64(0), 0
	for _, f := range a.fields {
		if a.union {
			break
		}
		field := pythonField{comment: f.comment, off: f.off, typ: f.typ, covered: f.store && strings.HasPrefix(f.name, "union")}
		if !f.store {
			field.name = names.take(pythonName(f.name))
		}
		own = append(own, field)
	}
	for _, p := range a.parts {
		f := pythonField{name: names.take(pythonName(p.name)), comment: p.comment, off: p.off, typ: p.typ, width: p.width, bit: p.bit}
		if a.union && p.off == 0 && p.width == 0 {
			own = append(own, f)
		} else {
			overlays = append(overlays, f)
		}
	}
	for i, f := range a.fields {
		if f.store && !a.union {
			own[i].name = names.take(f.name)
		}
	}
	pad := func(n int64) pythonField {
		pads++
		return pythonField{name: names.take(fmt.Sprintf("_pad%d", pads-1)), off: end, typ: bytesDatum(n), pad: true}
	}
	if a.union {
		return append(own, pad(a.size)), overlays
	}
	var padded []pythonField
	for _, f := range own {
		if f.off > end {
			padded = append(padded, pad(f.off-end))
		}
		padded = append(padded, f)
		end = f.off + f.typ.size
	}
	if a.size > end {
		padded = append(padded, pad(a.size-end))
	}
	return padded, overlays
}

// class is a record, or the arguments of a kernel, for the template.
func (w *pythonWriter) class(a *aggregate, k *kernel) map[string]any {
	base, source := "ctypes.Structure", a.source
	if a.union {
		base = "ctypes.Union"
	}
	var constants []string
	if k == nil {
		constants = []string{fmt.Sprintf("SIZE = %d  # bytes", a.size), fmt.Sprintf("ALIGN = %d", a.passed)}
	} else {
		source += k.holdsFor()
		constants = pythonConstants(k)
	}
	own, overlays := w.fields(a, newNameSet(pythonWords, pythonNames))
	var fields, members []string
	for _, f := range own {
		comment := ""
		if f.comment != "" {
			comment = "  # " + f.comment
		}
		fields = append(fields, fmt.Sprintf("(%q, %s),%s", f.name, ctypesType(f.typ), comment))
	}
	for _, f := range overlays {
		if f.width > 0 {
			w.bits = true
			members = append(members, fmt.Sprintf("%s = _Bits(%d, %d, %q)  # %s", f.name, f.bit, f.width, bitKind(f.typ), f.comment))
		} else {
			w.parts = true
			members = append(members, fmt.Sprintf("%s = _Part(%s, %d)  # %s", f.name, ctypesType(f.typ), f.off, f.comment))
		}
	}
	out := map[string]any{
		"Name": a.name, "Base": base, "Doc": docstring(source), "Constants": constants, "Fields": fields, "Members": members, "Kernel": k != nil,
		"Size": a.size,
	}
	w.dtype(out, a, append(own, overlays...))
	return out
}

// inDocstring escapes what would end a docstring or be an escape in it: a file may have such a name.
func inDocstring(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"""`, `\"\"\"`).Replace(s)
}

// docstring is a text between quotes.
func docstring(text string) string {
	var lines []string
	wrapped(inDocstring(text), 92, func(s string) { lines = append(lines, s) })
	out := "    \"\"\"" + lines[0]
	for _, s := range lines[1:] {
		if out += "\n"; s != "" {
			out += "    " + s
		}
	}
	if len(lines) > 1 {
		out += "\n    "
	}
	return out + "\"\"\""
}

// pythonConstants are what is known of a kernel.
func pythonConstants(k *kernel) (out []string) {
	if k.symbol != "" {
		out = append(out, fmt.Sprintf("SYMBOL = %q  # what cuModuleGetFunction takes", k.symbol))
	} else {
		out = append(out, "# "+noSymbol("SYMBOL"))
	}
	offsets, sizes := k.places()
	out = append(out, fmt.Sprintf("BUFFER_SIZE = %d  # bytes, to where the last parameter ends", k.size),
		"OFFSETS = "+pythonTuple(offsets)+"  # where each parameter begins", "SIZES = "+pythonTuple(sizes))
	for _, c := range k.bounds {
		out = append(out, fmt.Sprintf("%s = %d  # %s", upperSnake(strings.TrimPrefix(c.name, k.goName)), c.number, c.comment))
	}
	return out
}

// pythonTuple writes a tuple, over several lines where it is long.
func pythonTuple(list []string) string {
	if len(list) == 1 {
		return "(" + list[0] + ",)"
	}
	return bracketed("(", list, ")", 60, "    ", 96)
}

// dtype adds the dtype of a class, and the check of both.
func (w *pythonWriter) dtype(class map[string]any, a *aggregate, fields []pythonField) {
	var names, formats, offsets, checks []string
	align := int64(1)
	for _, f := range fields {
		if f.pad || f.width > 0 || f.covered {
			continue
		}
		names, formats = append(names, strconv.Quote(f.name)), append(formats, w.format(f.typ))
		offsets = append(offsets, strconv.FormatInt(f.off, 10))
		checks = append(checks, fmt.Sprintf("%q: %d", f.name, f.off))
		if n := w.dtypeAlign(f.typ); align > 0 && f.off%n == 0 {
			align = max(align, n)
		} else {
			align = 0
		}
	}
	class["Aligned"] = align > 0 && a.size%align == 0
	if class["Aligned"].(bool) {
		w.aligned[a] = align
	}
	for key, list := range map[string][]string{"Names": names, "Formats": formats, "Offsets": offsets} {
		class[key] = bracketed("[", list, "]", 75, "        ", 96)
	}
	class["Checks"] = bracketed("{", checks, "}", 80-len(a.name), "", 96)
}

// dtypeAlign is the alignment that NumPy has a type at.
func (w *pythonWriter) dtypeAlign(d *datum) int64 {
	switch d = d.base(); d.kind {
	case complexDatum:
		return d.elem.size
	case recordDatum:
		return max(w.aligned[d.record], 1)
	}
	return d.size
}

func bitKind(d *datum) string {
	switch {
	case d.kind == boolDatum:
		return "bool"
	case d.signed:
		return "signed"
	}
	return "unsigned"
}

// ctypesType spells a type of ctypes.
func ctypesType(d *datum) string {
	switch d.kind {
	case boolDatum:
		return "ctypes.c_bool"
	case floatDatum:
		if d.size == 4 {
			return "ctypes.c_float"
		}
		return "ctypes.c_double"
	case halfDatum, bfloatDatum:
		return "ctypes.c_uint16"
	case complexDatum, arrayDatum:
		elem := ctypesType(d.elem)
		if strings.Contains(elem, "*") {
			elem = "(" + elem + ")"
		}
		return fmt.Sprintf("%s * %d", elem, d.n)
	case recordDatum:
		return d.record.name
	}
	if d.signed {
		return fmt.Sprintf("ctypes.c_int%d", d.size*8)
	}
	return fmt.Sprintf("ctypes.c_uint%d", d.size*8)
}

// format spells a type of NumPy.
func (w *pythonWriter) format(d *datum) string {
	switch d.kind {
	case boolDatum:
		return `"?"`
	case floatDatum, halfDatum:
		return fmt.Sprintf(`"<f%d"`, d.size)
	case complexDatum:
		return fmt.Sprintf(`"<c%d"`, d.size)
	case arrayDatum:
		var dims []string
		for d.kind == arrayDatum {
			dims = append(dims, strconv.FormatInt(d.n, 10))
			d = d.elem
		}
		return fmt.Sprintf("(%s, %s)", w.format(d), pythonTuple(dims))
	case recordDatum:
		return d.record.name + ".dtype"
	}
	if d.signed {
		return fmt.Sprintf(`"<i%d"`, d.size)
	}
	return fmt.Sprintf(`"<u%d"`, d.size)
}

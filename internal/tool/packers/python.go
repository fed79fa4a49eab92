package packers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"
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
	name = underscored(normalized(name), isLetterOrDigit)
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
	out := rendered("python.tmpl", template.FuncMap{"docstring": docstring, "tuple": pythonTuple}, map[string]any{
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

// A pythonField is an attribute of a class. What has a capital is for the template.
type pythonField struct {
	Name, Comment string
	Off           int64
	Width, Bit    int64
	val           *value
	pad           bool
	covered       bool // the bytes of a union, whose members have them
}

// Type spells the type of ctypes, and Kind that of a bit-field.
func (f pythonField) Type() string { return ctypesType(f.val) }

func (f pythonField) Kind() string {
	switch {
	case f.val.kind == boolean:
		return "bool"
	case f.val.signed():
		return "signed"
	}
	return "unsigned"
}

// fields names what a class has, padding included. Attributes that overlap stand after the others.
func (w *pythonWriter) fields(a *aggregate, names nameSet) (own, overlays []pythonField) {
	var fields []field
	if !a.union {
		fields = slices.Clone(a.fields)
	}
	names.takeFields(fields, false, pythonName)
	for _, p := range a.parts {
		f := pythonField{Name: names.take(pythonName(p.name)), Comment: p.comment, Off: p.off, val: p.typ, Width: p.width, Bit: p.bit}
		if a.union && p.off == 0 && p.width == 0 {
			own = append(own, f)
		} else {
			overlays = append(overlays, f)
		}
	}
	names.takeFields(fields, true, pythonName)
	for _, f := range names.pads(padded(fields, a.size)) {
		covered := f.store && strings.HasPrefix(f.name, "union")
		own = append(own, pythonField{Name: f.name, Comment: f.comment, Off: f.off, val: f.val, pad: f.pad, covered: covered})
	}
	return own, overlays
}

// class is a record, or the arguments of a kernel, for the template.
func (w *pythonWriter) class(a *aggregate, k *kernel) map[string]any {
	own, overlays := w.fields(a, newNameSet(pythonWords, pythonNames))
	for _, f := range overlays {
		w.bits, w.parts = w.bits || f.Width > 0, w.parts || f.Width == 0
	}
	out := map[string]any{
		"Name": a.name, "Union": a.union, "Source": a.source, "Fields": own, "Overlays": overlays, "Size": a.size, "Align": a.passed,
	}
	if k != nil {
		out["Source"] = a.source + k.holdsFor()
		out["Kernel"] = kernelFacts(k)
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
	align := int64(1) // 0 where a field is not aligned
	for _, f := range fields {
		if f.pad || f.Width > 0 || f.covered {
			continue
		}
		names, formats = append(names, strconv.Quote(f.Name)), append(formats, w.format(f.val))
		offsets = append(offsets, decimal(f.Off))
		checks = append(checks, fmt.Sprintf("%q: %d", f.Name, f.Off))
		if n := f.val.naturally(func(a *aggregate) int64 { return max(w.aligned[a], 1) }); align > 0 && f.Off%n == 0 {
			align = max(align, n)
		} else {
			align = 0
		}
	}
	if align > 0 && a.size%align == 0 {
		w.aligned[a] = align
	}
	class["Aligned"] = w.aligned[a] > 0
	for key, list := range map[string][]string{"Names": names, "Formats": formats, "Offsets": offsets} {
		class[key] = bracketed("[", list, "]", 75, "        ", 96)
	}
	class["Checks"] = bracketed("{", checks, "}", 80-len(a.name), "", 96)
}

// ctypesNames are those of Go's basic types in ctypes.
var ctypesNames = strings.NewReplacer("float32", "float", "float64", "double")

// ctypesType spells a type of ctypes.
func ctypesType(v *value) string {
	switch v.kind {
	case complexNumber, array, raw:
		elem := ctypesType(v.elem)
		if strings.Contains(elem, "*") {
			elem = "(" + elem + ")"
		}
		return fmt.Sprintf("%s * %d", elem, v.n)
	case structure:
		return v.typ
	}
	return "ctypes.c_" + ctypesNames.Replace(v.basic)
}

// format spells a type of NumPy.
func (w *pythonWriter) format(v *value) string {
	switch v.kind {
	case boolean:
		return `"?"`
	case half:
		return `"<f2"`
	case array, raw:
		var dims []string
		for ; v.kind == array || v.kind == raw; v = v.elem {
			dims = append(dims, decimal(v.n))
		}
		return fmt.Sprintf("(%s, %s)", w.format(v), pythonTuple(dims))
	case structure:
		return v.typ + ".dtype"
	}
	return fmt.Sprintf(`"<%c%d"`, v.basic[0], v.size)
}

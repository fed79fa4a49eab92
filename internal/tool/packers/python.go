package packers

import (
	"fmt"
	"path/filepath"
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
	classes := each(slices.Concat(t.list, t.args), w.class)
	head := text("head.py")
	if len(t.enums) == 0 {
		head = strings.Replace(head, "import enum\n", "", 1)
	}
	if w.bits {
		head += text("bits.py")
	}
	if w.parts {
		head += text("part.py")
	}
	out := rendered("python.tmpl", template.FuncMap{
		"docstring": docstring, "escaped": inDocstring, "enumerators": pythonEnumerators, "ctype": ctypesType, "kind": bitKind, "tuple": pythonTuple, "noSymbol": noSymbol,
	}, map[string]any{
		"First": "#" + strings.TrimPrefix(strings.TrimSuffix(firstLine, "\n"), "//"), "Input": filepath.Base(t.g.Input), "Head": head,
		"Enums": t.enums, "Classes": classes,
	})
	return strings.TrimRight(out, "\n") + "\n"
}

// pythonEnumerators are those of an enumeration, by their names in Python.
func pythonEnumerators(e *enumType) (out []constantValue) {
	names := newNameSet(pythonWords, []string{"mro", "name", "value"})
	for _, c := range e.of.Enumerators {
		name := pythonName(c.Name)
		if strings.HasPrefix(name, "_") {
			name = "x" + name
		}
		out = append(out, constantValue{Name: names.take(name), Value: enumeratorValue(c)})
	}
	return out
}

// bitKind is what the template calls the type of a bit-field.
func bitKind(v *value) string {
	switch {
	case v.kind == boolean:
		return "bool"
	case v.Signed():
		return "signed"
	}
	return "unsigned"
}

// A pythonClass is the class of an aggregate. What has a capital is for the template.
type pythonClass struct {
	*aggregate
	Fields, Overlays []field // padding is among the fields; overlays are attributes that share the bytes of others
	// Of the dtype.
	Names, Formats, Offsets, Checks string
	Aligned                         bool
}

// class is the class of a record, or of the arguments of a kernel.
func (w *pythonWriter) class(a *aggregate) *pythonClass {
	c := &pythonClass{aggregate: a}
	names := newNameSet(pythonWords, pythonNames)
	var fields []field
	if !a.Union {
		fields = slices.Clone(a.fields)
	}
	names.takeFields(fields, false, pythonName)
	for _, p := range a.parts {
		p.Name = names.take(pythonName(p.Name))
		if a.Union && p.Off == 0 && p.Width == 0 {
			c.Fields = append(c.Fields, p)
		} else {
			c.Overlays = append(c.Overlays, p)
			w.bits, w.parts = w.bits || p.Width > 0, w.parts || p.Width == 0
		}
	}
	names.takeFields(fields, true, pythonName)
	c.Fields = append(c.Fields, names.pads(padded(fields, a.Size))...)
	w.dtype(c)
	return c
}

// inDocstring escapes what would end a docstring or be an escape in it: a file may have such a name.
func inDocstring(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"""`, `\"\"\"`).Replace(s)
}

// docstring is a text between quotes.
func docstring(text string) string {
	lines := strings.TrimPrefix(wrapped(inDocstring(text), 92, "    "), "    ")
	if strings.Contains(lines, "\n") {
		lines += "\n    "
	}
	return `    """` + lines + `"""`
}

// pythonTuple writes a tuple, over several lines where it is long.
func pythonTuple(list []string) string {
	if len(list) == 1 {
		return "(" + list[0] + ",)"
	}
	return bracketed("(", list, ")", 60, "    ", 96)
}

// dtype adds the dtype of a class, and the check of both.
func (w *pythonWriter) dtype(c *pythonClass) {
	var names, formats, offsets, checks []string
	align := int64(1) // 0 where a field is not aligned
	for _, f := range slices.Concat(c.Fields, c.Overlays) {
		if f.Pad || f.Width > 0 || f.Store && strings.HasPrefix(f.Name, "union") { // whose members have the bytes
			continue
		}
		names, formats = append(names, strconv.Quote(f.Name)), append(formats, w.format(f.Val))
		offsets = append(offsets, decimal(f.Off))
		checks = append(checks, fmt.Sprintf("%q: %d", f.Name, f.Off))
		if n := f.Val.naturally(func(a *aggregate) int64 { return max(w.aligned[a], 1) }); align > 0 && f.Off%n == 0 {
			align = max(align, n)
		} else {
			align = 0
		}
	}
	if align > 0 && c.Size%align == 0 {
		w.aligned[c.aggregate] = align
	}
	c.Aligned = w.aligned[c.aggregate] > 0
	list := func(list []string) string { return bracketed("[", list, "]", 75, "        ", 96) }
	c.Names, c.Formats, c.Offsets = list(names), list(formats), list(offsets)
	c.Checks = bracketed("{", checks, "}", 80-len(c.Name), "", 96)
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
		return v.Typ
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
		return v.Typ + ".dtype"
	}
	return fmt.Sprintf(`"<%c%d"`, v.basic[0], v.size)
}

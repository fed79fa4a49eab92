package export

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
)

// A language is how one writes types and values.
type language struct {
	name string // as Text takes it

	// Of types: what those of Go are called.
	set, text, truth, number, byte string
	record                         func(name string) string
	array                          func(elem string, n int) string

	// Of values.
	yes, no   string
	setOf     func(abi.RegSet) string
	operation func(typ, name string) string // nil where it is a number
	open      func(typ string) string       // what a struct begins with
	field     func(name string) string      // what stands before the value of a field
	pad       string                        // at both ends of a struct on one line
	closing   string                        // of a struct
	indent    string                        // of the fields of a struct whose fields have a line each
	last      string                        // after the last of these
	long      func(fields []field) bool
	list      [3]string // what an array begins with, has between and ends with
}

// languages are those that the convention can be written in.
var languages = []*language{
	{
		name: "c",
		set:  "ptxabi_reg_set", text: "const char *", truth: "bool", number: "int32_t", byte: "uint8_t", record: cName,
		yes: "true", no: "false",
		setOf:   setWords("{{UINT64_C(%#x), UINT64_C(%#x), UINT64_C(%#x), UINT64_C(%#x)}}"),
		open:    func(string) string { return "{" },
		field:   func(string) string { return "" },
		closing: "}", indent: "\t", long: ofStructs,
		list: [3]string{"{", ", ", "}"},
	},
	{
		name: "rust",
		set:  "RegSet", text: "&'static str", truth: "bool", number: "i32", byte: "u8", record: same,
		array: func(elem string, n int) string { return fmt.Sprintf("[%s; %d]", elem, n) },
		yes:   "true", no: "false",
		setOf:     setWords("RegSet([%#x, %#x, %#x, %#x])"),
		operation: func(typ, name string) string { return typ + "::" + strings.ToUpper(name[:1]) + name[1:] },
		open:      func(typ string) string { return typ + " {" },
		field:     func(name string) string { return name + ": " },
		pad:       " ", closing: "}", indent: "    ", last: ",", long: several,
		list: [3]string{"[", ", ", "]"},
	},
	{
		name: "python",
		set:  "FrozenSet[int]", text: "str", truth: "bool", number: "int", byte: "int", record: same,
		array: func(elem string, _ int) string { return "Tuple[" + elem + ", ...]" },
		yes:   "True", no: "False",
		setOf:     setWords("_regs(%#x, %#x, %#x, %#x)"),
		operation: func(typ, name string) string { return typ + "." + strings.ToUpper(name) },
		open:      func(typ string) string { return typ + "(" },
		field:     func(name string) string { return name + "=" },
		closing:   ")", indent: "    ", last: ",", long: several,
		list: [3]string{"(", ", ", ",)"},
	},
}

// inJSON writes values under the names that fields have in Python.
var inJSON = &language{
	yes: "true", no: "false",
	setOf: func(s abi.RegSet) string {
		var list []string
		for r := range s.All() {
			list = append(list, strconv.Itoa(int(r)))
		}
		return "[" + strings.Join(list, ", ") + "]"
	},
	operation: func(_, name string) string { return strconv.Quote(name) },
	open:      func(string) string { return "{" },
	field:     func(name string) string { return strconv.Quote(name) + ": " },
	closing:   "}",
	long:      func([]field) bool { return false },
	list:      [3]string{"[", ", ", "]"},
}

func same(name string) string { return name }

func setWords(format string) func(abi.RegSet) string {
	return func(s abi.RegSet) string { return fmt.Sprintf(format, s[0], s[1], s[2], s[3]) }
}

func several(fields []field) bool { return len(fields) > 2 }

func ofStructs(fields []field) bool {
	for _, f := range fields {
		if f.Type.Kind() == reflect.Struct && f.Type.NumField() > 2 {
			return true
		}
	}
	return false
}

// typeOf returns the name of a type.
func (l *language) typeOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[abi.RegSet]():
		return l.set
	case t.Kind() == reflect.Struct, t == reflect.TypeFor[abi.LocalOp]() && l.operation != nil:
		return l.record(t.Name())
	case t.Kind() == reflect.Array:
		return l.array(l.typeOf(t.Elem()), t.Len())
	case t.Kind() == reflect.String:
		return l.text
	case t.Kind() == reflect.Bool:
		return l.truth
	case t.Kind() == reflect.Int:
		return l.number
	case t.Kind() == reflect.Uint8:
		return l.byte
	}
	panic(fmt.Sprintf("export: no type in %s for %s", l.name, t))
}

// appendValue appends a value, whose further lines begin with the indent.
func (l *language) appendValue(dst []byte, v reflect.Value, indent string) []byte {
	t := v.Type()
	switch {
	case t == reflect.TypeFor[abi.RegSet]():
		return append(dst, l.setOf(v.Interface().(abi.RegSet))...)
	case t == reflect.TypeFor[abi.LocalOp]() && l.operation != nil:
		return append(dst, l.operation(t.Name(), fmt.Sprint(v.Interface()))...)
	}
	switch v.Kind() {
	case reflect.Struct:
		fields := fieldsOf(t)
		first, between, last := l.pad, ", ", l.pad
		if l.long(fields) {
			line := "\n" + indent + l.indent
			first, between, last = line, ","+line, l.last+"\n"+indent
		}
		dst = append(append(dst, l.open(t.Name())...), first...)
		for i, f := range fields {
			if i > 0 {
				dst = append(dst, between...)
			}
			dst = append(dst, l.field(f.Name)...)
			dst = l.appendValue(dst, v.FieldByIndex(f.Index), indent+l.indent)
		}
		return append(append(dst, last...), l.closing...)
	case reflect.Array:
		dst = append(dst, l.list[0]...)
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, l.list[1]...)
			}
			dst = l.appendValue(dst, v.Index(i), indent)
		}
		return append(dst, l.list[2]...)
	case reflect.String:
		return append(append(append(dst, '"'), escapes.Replace(ascii(v.String()))...), '"')
	case reflect.Bool:
		if v.Bool() {
			return append(dst, l.yes...)
		}
		return append(dst, l.no...)
	case reflect.Uint8:
		return strconv.AppendUint(dst, v.Uint(), 10)
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}

// escapes are those of a text between quotes, in each language.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// AppendRow appends a row as a JSON object on one line, under the names that fields have in
// Python: numbers, truth values and texts, and sets of registers as lists of numbers.
func AppendRow(dst []byte, t *abi.Target) []byte {
	return inJSON.appendValue(dst, reflect.ValueOf(t).Elem(), "")
}

// cName returns the name of a struct type in C.
func cName(goName string) string { return "ptxabi_" + snake(goName) }

// cField declares a field in C. alloca is a macro in headers there.
func cField(l *language, f field) string {
	name, t, after := f.Name, f.Type, ""
	if name == "alloca" {
		name = "has_alloca"
	}
	if t.Kind() == reflect.Array && t != reflect.TypeFor[abi.RegSet]() {
		t, after = t.Elem(), fmt.Sprintf("[%d]", t.Len())
	}
	return strings.Replace(l.typeOf(t)+" ", "* ", "*", 1) + name + after
}

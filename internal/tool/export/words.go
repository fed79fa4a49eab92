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

	// Of types: what those of Go are called. An array has $N elements of type $T.
	set    string
	basic  map[reflect.Kind]string
	record func(name string) string
	array  string

	// Of values. $T is a type, and $F a field.
	truth     map[bool]string
	setOf     func(abi.RegSet) string
	operation func(typ, name string) string // nil where it is a number
	open      string                        // what a struct begins with
	field     string                        // what stands before the value of a field
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
		set:  "ptxabi_reg_set", record: cName,
		basic:   map[reflect.Kind]string{reflect.String: "const char *", reflect.Bool: "bool", reflect.Int: "int32_t", reflect.Uint8: "uint8_t"},
		truth:   lower,
		setOf:   setWords("{{UINT64_C(%#x), UINT64_C(%#x), UINT64_C(%#x), UINT64_C(%#x)}}"),
		open:    "{",
		closing: "}", indent: "\t", long: ofStructs,
		list: [3]string{"{", ", ", "}"},
	},
	{
		name: "rust",
		set:  "RegSet", record: same, array: "[$T; $N]",
		basic:     map[reflect.Kind]string{reflect.String: "&'static str", reflect.Bool: "bool", reflect.Int: "i32", reflect.Uint8: "u8"},
		truth:     lower,
		setOf:     setWords("RegSet([%#x, %#x, %#x, %#x])"),
		operation: func(typ, name string) string { return typ + "::" + strings.ToUpper(name[:1]) + name[1:] },
		open:      "$T {", field: "$F: ",
		pad: " ", closing: "}", indent: "    ", last: ",", long: several,
		list: [3]string{"[", ", ", "]"},
	},
	{
		name: "python",
		set:  "FrozenSet[int]", record: same, array: "Tuple[$T, ...]",
		basic:     map[reflect.Kind]string{reflect.String: "str", reflect.Bool: "bool", reflect.Int: "int", reflect.Uint8: "int"},
		truth:     map[bool]string{true: "True", false: "False"},
		setOf:     setWords("_regs(%#x, %#x, %#x, %#x)"),
		operation: func(typ, name string) string { return typ + "." + strings.ToUpper(name) },
		open:      "$T(", field: "$F=",
		closing: ")", indent: "    ", last: ",", long: several,
		list: [3]string{"(", ", ", ",)"},
	},
}

// inJSON writes values under the names that fields have in Python.
var inJSON = &language{
	truth: lower,
	setOf: func(s abi.RegSet) string {
		var list []string
		for r := range s.All() {
			list = append(list, strconv.Itoa(int(r)))
		}
		return "[" + strings.Join(list, ", ") + "]"
	},
	operation: func(_, name string) string { return strconv.Quote(name) },
	open:      "{",
	field:     `"$F": `,
	closing:   "}",
	long:      func([]field) bool { return false },
	list:      [3]string{"[", ", ", "]"},
}

var lower = map[bool]string{true: "true", false: "false"}

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
		return strings.NewReplacer("$T", l.typeOf(t.Elem()), "$N", strconv.Itoa(t.Len())).Replace(l.array)
	case l.basic[t.Kind()] != "":
		return l.basic[t.Kind()]
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
		dst = append(append(dst, strings.Replace(l.open, "$T", t.Name(), 1)...), first...)
		for i, f := range fields {
			if i > 0 {
				dst = append(dst, between...)
			}
			dst = append(dst, strings.Replace(l.field, "$F", f.Name, 1)...)
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
		return append(dst, l.truth[v.Bool()]...)
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
	return inJSON.appendValue(dst, reflect.ValueOf(whole(t)).Elem(), "")
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

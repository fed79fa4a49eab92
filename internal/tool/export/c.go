package export

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// cWords writes C.
type cWords struct{}

// cName returns the name of a struct type.
func cName(goName string) string { return "ptxabi_" + snake(goName) }

// cType returns a type, and what stands after a name of that type.
func cType(t reflect.Type) (name, after string) {
	switch {
	case t == reflect.TypeFor[abi.RegSet]():
		return "ptxabi_reg_set", ""
	case t.Kind() == reflect.Struct:
		return cName(t.Name()), ""
	case t.Kind() == reflect.Array:
		name, _ := cType(t.Elem())
		return name, fmt.Sprintf("[%d]", t.Len())
	case t.Kind() == reflect.String:
		return "const char *", ""
	case t.Kind() == reflect.Bool:
		return "bool", ""
	case t.Kind() == reflect.Int:
		return "int32_t", ""
	case t.Kind() == reflect.Uint8:
		return "uint8_t", ""
	}
	panic("export: no type in C for " + t.String())
}

func (cWords) types(list []record) string {
	var b strings.Builder
	for _, r := range list {
		for i, line := range prose.Wrap(r.Doc, 88) {
			b.WriteString([]string{"/* ", "\n * "}[min(i, 1)] + line)
		}
		fmt.Fprintf(&b, " */\ntypedef struct %s {\n", cName(r.Name))
		for _, f := range r.Fields {
			name, after := cType(f.Type)
			fmt.Fprintf(&b, "\t%s%s%s; /* %s */\n", strings.TrimSuffix(name+" ", "* ")+star(name), cField(f), after, f.Doc)
		}
		fmt.Fprintf(&b, "} %s;\n\n", cName(r.Name))
	}
	return b.String()
}

// cField returns the name of a field. alloca is a macro in headers of C.
func cField(f field) string {
	if f.Go == "Alloca" {
		return "has_alloca"
	}
	return f.Name()
}

// star returns the end of a type's name that is a pointer's.
func star(name string) string {
	if strings.HasSuffix(name, "*") {
		return "*"
	}
	return ""
}

func (cWords) rows(list []*abi.Target) string {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "\t/* %s\n", t.Name)
		for _, line := range factLines(t) {
			fmt.Fprintf(&b, "\t *     %s\n", line)
		}
		b.WriteString("\t */\n\t")
		writeC(&b, reflect.ValueOf(*t), "\t")
		b.WriteString(",\n")
	}
	return b.String()
}

// writeC writes a value as an initialiser. A struct of structs has a line for each.
func writeC(b *strings.Builder, v reflect.Value, indent string) {
	switch v.Kind() {
	case reflect.Struct:
		nested := false
		fields := fieldsOf(v.Type())
		for _, f := range fields {
			nested = nested || f.Type.Kind() == reflect.Struct && f.Type.NumField() > 2
		}
		b.WriteString("{")
		for i, f := range fields {
			if nested {
				b.WriteString("\n" + indent + "\t")
			} else if i > 0 {
				b.WriteString(" ")
			}
			writeC(b, v.FieldByIndex(f.Index), indent+"\t")
			if i < len(fields)-1 {
				b.WriteString(",")
			}
		}
		if nested {
			b.WriteString("\n" + indent)
		}
		b.WriteString("}")
	case reflect.Array:
		if s, ok := v.Interface().(abi.RegSet); ok {
			fmt.Fprintf(b, "{{"+"UINT64_C(%#x), UINT64_C(%#x), UINT64_C(%#x), UINT64_C(%#x)"+"}}", s[0], s[1], s[2], s[3])
			return
		}
		b.WriteString("{")
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(", ")
			}
			writeC(b, v.Index(i), indent)
		}
		b.WriteString("}")
	default:
		b.WriteString(scalar(v, "true", "false"))
	}
}

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// scalar writes a string, a number or a boolean, as the three languages do.
func scalar(v reflect.Value, yes, no string) string {
	switch v.Kind() {
	case reflect.String:
		return `"` + quoted.Replace(ascii(v.String())) + `"`
	case reflect.Bool:
		if v.Bool() {
			return yes
		}
		return no
	case reflect.Int:
		return fmt.Sprint(v.Int())
	case reflect.Uint8:
		return fmt.Sprint(v.Uint())
	}
	panic("export: no form for a " + v.Type().String())
}

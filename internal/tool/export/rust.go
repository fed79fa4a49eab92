package export

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// rustWords writes Rust.
type rustWords struct{}

func rustType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[abi.RegSet](), t.Kind() == reflect.Struct, t == reflect.TypeFor[abi.LocalOp]():
		return t.Name()
	case t.Kind() == reflect.Array:
		return fmt.Sprintf("[%s; %d]", rustType(t.Elem()), t.Len())
	case t.Kind() == reflect.String:
		return "&'static str"
	case t.Kind() == reflect.Bool:
		return "bool"
	case t.Kind() == reflect.Int:
		return "i32"
	case t.Kind() == reflect.Uint8:
		return "u8"
	}
	panic("export: no type in Rust for " + t.String())
}

func (rustWords) types(list []record) string {
	var b strings.Builder
	for _, r := range list {
		for _, line := range prose.Wrap(r.Doc, 90) {
			fmt.Fprintf(&b, "/// %s\n", line)
		}
		fmt.Fprintf(&b, "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub struct %s {\n", r.Name)
		for _, f := range r.Fields {
			for _, line := range prose.Wrap(f.Doc, 90) {
				fmt.Fprintf(&b, "    /// %s\n", line)
			}
			fmt.Fprintf(&b, "    pub %s: %s,\n", f.Name(), rustType(f.Type))
		}
		b.WriteString("}\n\n")
	}
	return b.String()
}

func (rustWords) rows(list []*abi.Target) string {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "    // %s\n", t.Name)
		for _, line := range factLines(t) {
			fmt.Fprintf(&b, "    //     %s\n", line)
		}
		b.WriteString("    ")
		writeRust(&b, reflect.ValueOf(*t), "    ")
		b.WriteString(",\n")
	}
	return b.String()
}

func writeRust(b *strings.Builder, v reflect.Value, indent string) {
	switch x := v.Interface().(type) {
	case abi.RegSet:
		fmt.Fprintf(b, "RegSet([%#x, %#x, %#x, %#x])", x[0], x[1], x[2], x[3])
		return
	case abi.LocalOp:
		name := fmt.Sprint(x)
		fmt.Fprintf(b, "%s::%s", v.Type().Name(), strings.ToUpper(name[:1])+name[1:])
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		fields := fieldsOf(v.Type())
		long := len(fields) > 2
		fmt.Fprintf(b, "%s {", v.Type().Name())
		for i, f := range fields {
			if long {
				b.WriteString("\n" + indent + "    ")
			} else {
				b.WriteString(" ")
			}
			b.WriteString(snake(f.Name) + ": ")
			writeRust(b, v.FieldByIndex(f.Index), indent+"    ")
			if long || i < len(fields)-1 {
				b.WriteString(",")
			}
		}
		if long {
			b.WriteString("\n" + indent + "}")
		} else {
			b.WriteString(" }")
		}
	case reflect.Array:
		b.WriteString("[")
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(", ")
			}
			writeRust(b, v.Index(i), indent)
		}
		b.WriteString("]")
	default:
		b.WriteString(scalar(v, "true", "false"))
	}
}

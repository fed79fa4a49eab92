package export

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// pythonWords writes Python.
type pythonWords struct{}

func pythonType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[abi.RegSet]():
		return "FrozenSet[int]"
	case t.Kind() == reflect.Struct, t == reflect.TypeFor[abi.LocalOp]():
		return t.Name()
	case t.Kind() == reflect.Array:
		return "Tuple[" + pythonType(t.Elem()) + ", ...]"
	case t.Kind() == reflect.String:
		return "str"
	case t.Kind() == reflect.Bool:
		return "bool"
	case t.Kind() == reflect.Int, t.Kind() == reflect.Uint8:
		return "int"
	}
	panic("export: no type in Python for " + t.String())
}

func (pythonWords) types(list []record) string {
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "@dataclass(frozen=True)\nclass %s:\n    \"\"\"%s\"\"\"\n\n", r.Name, strings.Join(prose.Wrap(r.Doc, 90), "\n    "))
		for _, f := range r.Fields {
			for _, line := range prose.Wrap(f.Doc, 90) {
				fmt.Fprintf(&b, "    #: %s\n", line)
			}
			fmt.Fprintf(&b, "    %s: %s\n", f.Name(), pythonType(f.Type))
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

func (pythonWords) rows(list []*abi.Target) string {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "    # %s\n", t.Name)
		for _, line := range factLines(t) {
			fmt.Fprintf(&b, "    #     %s\n", line)
		}
		b.WriteString("    ")
		writePython(&b, reflect.ValueOf(*t), "    ")
		b.WriteString(",\n")
	}
	return b.String()
}

func writePython(b *strings.Builder, v reflect.Value, indent string) {
	switch x := v.Interface().(type) {
	case abi.RegSet:
		fmt.Fprintf(b, "_regs(%#x, %#x, %#x, %#x)", x[0], x[1], x[2], x[3])
		return
	case abi.LocalOp:
		fmt.Fprintf(b, "%s.%s", v.Type().Name(), strings.ToUpper(fmt.Sprint(x)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		fields := fieldsOf(v.Type())
		long := len(fields) > 2
		fmt.Fprintf(b, "%s(", v.Type().Name())
		for i, f := range fields {
			if long {
				b.WriteString("\n" + indent + "    ")
			} else if i > 0 {
				b.WriteString(" ")
			}
			b.WriteString(snake(f.Name) + "=")
			writePython(b, v.FieldByIndex(f.Index), indent+"    ")
			if long || i < len(fields)-1 {
				b.WriteString(",")
			}
		}
		if long {
			b.WriteString("\n" + indent)
		}
		b.WriteString(")")
	case reflect.Array:
		b.WriteString("(")
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(" ")
			}
			writePython(b, v.Index(i), indent)
			b.WriteString(",")
		}
		b.WriteString(")")
	default:
		b.WriteString(scalar(v, "True", "False"))
	}
}

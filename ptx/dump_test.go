package ptx_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// dump writes a tree, a node a line, with every position and every field that
// is not zero. The statements of a function stand below it, indented by a tab.
func dump(m *ptx.Module) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Module Version=%d.%d Target=%q@%v AddressSize=%d\n",
		m.Version.Major, m.Version.Minor, m.Target, m.TargetPos, m.AddressSize)
	for _, it := range m.Items {
		dumpNode(&b, "", it)
	}
	return b.Bytes()
}

func dumpNode(b *bytes.Buffer, indent string, node any) {
	v := reflect.ValueOf(node).Elem()
	b.WriteString(indent)
	dumpValue(b, v)
	b.WriteByte('\n')
	if f, ok := node.(*ptx.Func); ok {
		for _, s := range f.Body {
			dumpNode(b, indent+"\t", s)
		}
	}
}

func dumpValue(b *bytes.Buffer, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		dumpValue(b, v.Elem())
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(", ")
			}
			dumpValue(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.String:
		b.WriteString(strconv.Quote(v.String()))
	case reflect.Uint64:
		fmt.Fprintf(b, "%#x", v.Uint())
	case reflect.Struct:
		if pos, ok := v.Interface().(diag.Pos); ok {
			b.WriteString(pos.String())
			return
		}
		if pos := v.FieldByName("Pos"); pos.IsValid() {
			fmt.Fprintf(b, "%v ", pos.Interface())
		}
		b.WriteString(v.Type().Name())
		dumpFields(b, v)
	default:
		fmt.Fprint(b, v.Interface())
	}
}

// dumpFields writes the fields of a struct; those of embedded ones as its own.
func dumpFields(b *bytes.Buffer, v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		val := v.Field(i)
		switch {
		case f.Anonymous:
			if pos := val.FieldByName("Pos"); pos.IsValid() && v.Type().Field(0).Name == "Pos" {
				fmt.Fprintf(b, " %sPos=%v", f.Name, pos.Interface())
			}
			dumpFields(b, val)
			continue
		case f.Name == "Body", f.Name == "Pos", !f.IsExported():
			continue
		case val.IsZero():
			continue
		case f.Name == "Count":
			val = reflect.ValueOf(max(val.Int(), 0))
		}
		fmt.Fprintf(b, " %s=", f.Name)
		if nested := val.Kind() == reflect.Struct && f.Type != reflect.TypeFor[diag.Pos]() || val.Kind() == reflect.Pointer; nested {
			b.WriteByte('{')
			dumpValue(b, val)
			b.WriteByte('}')
			continue
		}
		dumpValue(b, val)
	}
}

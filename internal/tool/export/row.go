package export

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
)

// AppendRow appends a row as a JSON object on one line, under the names that fields have in
// Python: numbers, truth values and texts, and sets of registers as lists of numbers.
func AppendRow(dst []byte, t *abi.Target) []byte { return appendJSON(dst, reflect.ValueOf(*t)) }

func appendJSON(dst []byte, v reflect.Value) []byte {
	switch x := v.Interface().(type) {
	case abi.RegSet:
		dst = append(dst, '[')
		first := true
		for r := range x.All() {
			if !first {
				dst = append(dst, ", "...)
			}
			first = false
			dst = strconv.AppendUint(dst, uint64(r), 10)
		}
		return append(dst, ']')
	case abi.LocalOp:
		return strconv.AppendQuote(dst, fmt.Sprint(x))
	}
	switch v.Kind() {
	case reflect.Struct:
		dst = append(dst, '{')
		for i, f := range fieldsOf(v.Type()) {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(strconv.AppendQuote(dst, snake(f.Name)), ": "...)
			dst = appendJSON(dst, v.FieldByIndex(f.Index))
		}
		return append(dst, '}')
	case reflect.Array:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendJSON(dst, v.Index(i))
		}
		return append(dst, ']')
	}
	return append(dst, scalar(v, "true", "false")...)
}

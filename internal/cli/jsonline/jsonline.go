// Package jsonline reads and writes JSON as the commands do: a value a line.
package jsonline

import (
	"bytes"
	"encoding/json"
)

// Encode appends v as JSON, in several lines with an indent. Characters that HTML has a meaning for stand as they are. V is
// text, a number or a struct of such.
func Encode(dst []byte, v any, indent string) []byte {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		panic("jsonline: encoding to memory failed: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Append appends v on one line, with a blank after every colon and comma
// that separates.
func Append(dst []byte, v any) []byte {
	quoted, escaped := false, false
	for _, c := range Encode(nil, v, "") {
		dst = append(dst, c)
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			dst = append(dst, ' ')
		}
	}
	return dst
}

// An Object is names and values of JSON in their order. Values that are nil are left out.
type Object []any

// MarshalJSON writes the object.
func (o Object) MarshalJSON() ([]byte, error) {
	dst := []byte{'{'}
	for i := 0; i < len(o); i += 2 {
		if o[i+1] == nil {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(Encode(dst, o[i], ""), ':')
		dst = Encode(dst, o[i+1], "")
	}
	return append(dst, '}'), nil
}

// Some is a list as a value of an [Object]: nil without elements.
func Some[S ~[]T, T any](list S) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// Set is a value as one of an [Object]: nil for none.
func Set[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

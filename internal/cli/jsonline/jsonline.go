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

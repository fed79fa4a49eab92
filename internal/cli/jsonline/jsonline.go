// Package jsonline reads and writes JSON as the commands do: a value a line.
package jsonline

import (
	"bytes"
	"encoding/json"
)

// Append appends v on one line, with a blank after every colon and comma
// that separates. V is text, a number or a struct of such.
func Append(dst []byte, v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("jsonline: encoding to memory failed: " + err.Error())
	}
	quoted, escaped := false, false
	for _, c := range bytes.TrimSuffix(b.Bytes(), []byte("\n")) {
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

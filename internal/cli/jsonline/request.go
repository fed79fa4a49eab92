package jsonline

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Request is a line of batch's input.
type Request struct {
	ID    json.RawMessage `json:"id"`
	Args  []string        `json:"args"`
	Stdin string          `json:"stdin"`
	JSON  bool            `json:"json"`
}

// An Answer is a line of its output: with text, or with JSON.
type Answer struct {
	ID          json.RawMessage    `json:"id"`
	Status      int                `json:"status"`
	Stdout      *string            `json:"stdout,omitempty"`
	Stderr      *string            `json:"stderr,omitempty"`
	Results     *[]json.RawMessage `json:"results,omitempty"`
	Diagnostics *[]json.RawMessage `json:"diagnostics,omitempty"`
}

// ParseRequest reads the request on a line. After an error it has the fields that could be read.
func ParseRequest(text []byte) (r Request, err error) {
	if !utf8.Valid(text) {
		return ReadBefore(text), errors.New("not a request: bytes that are not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	var fields map[string]json.RawMessage // whose names are exact; those of a struct are in any case
	if err := d.Decode(&fields); err != nil {
		return ReadBefore(text), fmt.Errorf("not a request: %w", unread(err, "", "an object"))
	}
	if err := r.set(fields); err != nil {
		return r, fmt.Errorf("not a request: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("more than one value on a line")
	}
	if len(r.Args) == 0 {
		return r, errors.New(`a request without "args", which are a command and its arguments`)
	}
	return r, nil
}

// ReadLine reads up to the end of a line. Of one that is longer than the limit the beginning is kept.
func ReadLine(in *bufio.Reader, text []byte, limit int) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(bytes.TrimRight(part, "\r\n")) > limit; long {
			part = part[:min(len(part), limit-len(text))]
		}
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, long, err
		}
	}
}

// unread says why a line or a part of it is not what is wanted.
func unread(err error, where, want string) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s%s, expected %s", wrong.Value, where, want)
	}
	return err
}

// OrNull is the id of a request, null where it has none.
func OrNull(id json.RawMessage) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}

// set sets the fields of a request. After an error it has those that could be read.
func (r *Request) set(fields map[string]json.RawMessage) error {
	known := []struct {
		name, want string
		to         any
	}{{"id", "any value", &r.ID}, {"args", "an array of strings", &r.Args}, {"stdin", "a string", &r.Stdin}, {"json", "true or false", &r.JSON}}
	var first error
	names := make([]string, 0, len(known))
	for _, f := range known {
		if text, ok := fields[f.name]; ok {
			first = cmp.Or(first, unread(json.Unmarshal(text, f.to), fmt.Sprintf(" in %q", f.name), f.want))
		}
		names = append(names, f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(names, name) {
			first = cmp.Or(first, fmt.Errorf("unknown field %q, expected one of %s", name, strings.Join(names, ", ")))
		}
	}
	return first
}

// ReadBefore returns the fields of a request that stand before the mistake in its line.
func ReadBefore(text []byte) (r Request) {
	fields := make(map[string]json.RawMessage)
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return r
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		if s, ok := name.(string); ok && utf8.Valid(value) {
			fields[s] = value
		}
	}
	_ = r.set(fields) // the mistake that is reported is the one in the line
	return r
}

// Values are the values that a text of JSON has, one after the other.
func Values(text []byte) ([]json.RawMessage, error) {
	all := []json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var v json.RawMessage
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, v)
	}
}

package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestTypesAreOfSchemas holds that the types of the wheel and of the npm package have the kinds of places that the schema of
// assign has, and that the fields of a diagnostic, those that may be missing too, are those of the schema of check.
func TestTypesAreOfSchemas(t *testing.T) {
	read := func(name string) string {
		text := must.Read(t, filepath.Join(root, name))
		return string(text)
	}
	words := func(text string) []string {
		all := regexp.MustCompile(`"([a-z]+)"`).FindAllStringSubmatch(text, -1)
		var found []string
		for _, m := range all {
			found = append(found, m[1])
		}
		slices.Sort(found)
		return found
	}
	var schema struct {
		Required   []string
		Properties map[string]json.RawMessage
		Defs       map[string]struct {
			Properties struct{ Kind json.RawMessage }
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal([]byte(read("docs/schemas/assign.schema.json")), &schema))
	var kinds strings.Builder
	for _, name := range []string{"register", "stack", "constant", "unknown", "none"} {
		kinds.Write(schema.Defs[name].Properties.Kind)
	}
	want := slices.DeleteFunc(words(kinds.String()), func(s string) bool { return s == "const" || s == "enum" })
	require.Contains(t, want, "indirect")
	python, script := read("internal/release/python/ptxabi/__init__.py"), read("internal/release/npm/index.d.ts")
	_, rest, _ := strings.Cut(python, "class Location(TypedDict")
	rest, _, _ = strings.Cut(rest, "class Param(")
	assert.Equal(t, want, words(rest), "of the wheel")
	_, rest, _ = strings.Cut(script, "export type Location =")
	rest, _, _ = strings.Cut(rest, "export interface Param")
	assert.Equal(t, want, words(rest), "of the npm package")

	schema.Required, schema.Properties = nil, nil
	require.NoError(t, json.Unmarshal([]byte(read("docs/schemas/check.schema.json")), &schema))
	fields := map[string]string{}
	for name := range schema.Properties {
		fields[name] = "?"
	}
	for _, name := range schema.Required {
		fields[name] = ""
	}
	_, rest, _ = strings.Cut(script, "export interface Diagnostic {\n")
	rest, _, _ = strings.Cut(rest, "\n}\n")
	got := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-zA-Z]+)(\??):`).FindAllStringSubmatch(rest, -1) {
		got[m[1]] = m[2]
	}
	assert.Equal(t, fields, got, "of the npm package")
}

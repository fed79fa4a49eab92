package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// A schema is a document of docs/schemas, in the part of JSON Schema 2020-12
// that they use. A keyword that is not known here is a failure, and so is a
// property of a value that the schema does not describe, although the schemas let
// readers accept more. That alone goes beyond the standard: which forms of a oneOf
// a value fits is decided as the standard does, where a property that is not
// described is no matter.
type schema struct {
	root map[string]any
	lax  bool // as the standard: properties need no description
}

func readSchema(t *testing.T, name string) *schema {
	t.Helper()
	data := must.Read(t, "../../docs/schemas/"+name+".schema.json")
	s := &schema{}
	require.NoError(t, json.Unmarshal(data, &s.root))
	require.Equal(t, "https://json-schema.org/draft/2020-12/schema", s.root["$schema"])
	return s
}

// check requires that text is JSON that the schema takes.
func (s *schema) check(t *testing.T, text string) {
	t.Helper()
	assert.Empty(t, s.violations(t, text))
}

// refuses requires that the schema does not take a text in which something stands for something else.
func (s *schema) refuses(t *testing.T, text string, changes map[string]string) {
	t.Helper()
	for old, bad := range changes {
		require.Contains(t, text, old)
		assert.NotEmpty(t, s.violations(t, strings.Replace(text, old, bad, 1)), "%s for %s", bad, old)
	}
}

func (s *schema) violations(t *testing.T, text string) []string {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return s.value("$", s.root, v)
}

// value returns what is wrong with v, which stands at the path.
func (s *schema) value(path string, rule map[string]any, v any) (bad []string) {
	say := func(format string, args ...any) { bad = append(bad, path+": "+fmt.Sprintf(format, args...)) }
	for _, keyword := range slices.Sorted(maps.Keys(rule)) {
		switch arg := rule[keyword]; keyword {
		case "$schema", "$id", "$defs", "title", "description":
		case "$ref":
			name, ok := strings.CutPrefix(arg.(string), "#/$defs/")
			if !ok {
				say("reference %q", arg)
				continue
			}
			bad = append(bad, s.value(path, s.root["$defs"].(map[string]any)[name].(map[string]any), v)...)
		case "type":
			if got := typeOf(v); got != arg && !(got == "integer" && arg == "number") {
				say("is %s, not %s", got, arg)
			}
		case "const":
			if !reflect.DeepEqual(v, arg) {
				say("is %v, not %v", v, arg)
			}
		case "enum":
			if !slices.ContainsFunc(arg.([]any), func(one any) bool { return reflect.DeepEqual(v, one) }) {
				say("%v is none of %v", v, arg)
			}
		case "minimum":
			if n, ok := v.(float64); ok && n < arg.(float64) {
				say("%v is below %v", n, arg)
			}
		case "maximum":
			if n, ok := v.(float64); ok && n > arg.(float64) {
				say("%v is above %v", n, arg)
			}
		case "pattern":
			if text, ok := v.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(text) {
				say("%q is not like %s", text, arg)
			}
		case "items":
			list, _ := v.([]any)
			for i, one := range list {
				bad = append(bad, s.value(fmt.Sprintf("%s[%d]", path, i), arg.(map[string]any), one)...)
			}
		case "required":
			if object, ok := v.(map[string]any); ok {
				for _, name := range arg.([]any) {
					if _, ok := object[name.(string)]; !ok {
						say("has no %s", name)
					}
				}
			}
		case "properties":
			object, _ := v.(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(object)) {
				of, ok := arg.(map[string]any)[name].(map[string]any)
				if !ok {
					if refused := arg.(map[string]any)[name] == false; refused || !s.lax {
						say("%s is not described", name)
					}
					continue
				}
				bad = append(bad, s.value(path+"."+name, of, object[name])...)
			}
		case "dependentRequired":
			object, _ := v.(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(arg.(map[string]any))) {
				if _, ok := object[name]; !ok {
					continue
				}
				for _, other := range arg.(map[string]any)[name].([]any) {
					if _, ok := object[other.(string)]; !ok {
						say("has %s and no %s", name, other)
					}
				}
			}
		case "oneOf":
			standard := schema{root: s.root, lax: true}
			var reasons []string
			var fits []map[string]any
			for _, one := range arg.([]any) {
				form := one.(map[string]any)
				wrong := standard.value(path, form, v)
				if len(wrong) == 0 {
					fits = append(fits, form)
				}
				reasons = append(reasons, wrong...)
			}
			if len(fits) != 1 {
				say("fits %d of the forms: %s", len(fits), strings.Join(reasons, "; "))
				continue
			}
			bad = append(bad, s.value(path, fits[0], v)...)
		default:
			say("the schema has the keyword %s, which is not known here", keyword)
		}
	}
	return bad
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
	}
	return "number"
}

// TestTargetsSchema holds what targets prints against the schema.
func TestTargetsSchema(t *testing.T) {
	t.Parallel()
	schema := readSchema(t, "targets")
	r := ptxabi(nil, "targets", "-format", "json")
	require.Equal(t, 0, r.status, r.stderr)
	schema.check(t, r.stdout)
	for _, known := range knownTargets() {
		r := ptxabi(nil, "targets", "-format", "json", known.Name)
		require.Equal(t, 0, r.status, r.stderr)
		schema.check(t, r.stdout)
	}
	schema.refuses(t, r.stdout, map[string]string{
		`"measured": true`:  `"measured": "yes"`,
		`"family": "old"`:   `"family": "older"`,
		`"name": "sm_35"`:   `"name": "35"`,
		`"targets": [`:      `"target": [`,
		`"generation": "`:   `"generation": 1, "x": "`,
		`"source": "ptxas `: `"sources": "ptxas `,
	})
}

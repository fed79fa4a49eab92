package ptx_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// tokens splits PTX text without errors in the simplest way that can be right:
// it shares no code with the scanner under test.
func tokens(src string) []string {
	src = strings.TrimRight(strings.TrimPrefix(src, "\ufeff"), "\x00")
	var out []string
	word := func(c byte) bool {
		return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	for i := 0; i < len(src); {
		rest := src[i:]
		switch {
		case strings.ContainsRune(" \t\r\n\f\v\x1a\\", rune(src[i])): // a backslash stands before opcodes alone
			i++
		case strings.HasPrefix(rest, "//"), src[i] == '#':
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			i += end
		case strings.HasPrefix(rest, "/*"):
			i += strings.Index(rest[2:], "*/") + 4
		case src[i] == '"':
			j := i + 1 + strings.IndexByte(src[i+1:], '"') // it is open in free text
			out = append(out, src[i:j+1])
			i = j + 1
		case word(src[i]):
			j := i
			for j < len(src) && word(src[j]) {
				j++
			}
			out = append(out, src[i:j])
			i = j
		default:
			out = append(out, src[i:i+1])
			i++
		}
	}
	return out
}

// roundTrip holds the promise of AppendText: the tokens that went in come
// out, and the tree read from the print is the tree that was printed.
func roundTrip(t *testing.T, name string, src []byte) *ptx.Module {
	t.Helper()
	m := must.Parse(t, name, src)
	out := m.AppendText(nil)
	require.Equal(t, tokens(string(src)), tokens(string(out)), "%s: tokens differ", name)
	again := must.Parse(t, name, out)
	require.Equal(t, string(out), string(again.AppendText(nil)), "%s: print differs from its own print", name)
	requireSameTree(t, m, again)
	return m
}

// requireSameTree compares two trees in everything but positions and the
// blanks of kept text.
func requireSameTree(t *testing.T, a, b *ptx.Module) {
	t.Helper()
	require.Equal(t, len(a.Items), len(b.Items))
	for i := range a.Items {
		strip(reflect.ValueOf(a.Items[i]))
		strip(reflect.ValueOf(b.Items[i]))
		require.Equal(t, a.Items[i], b.Items[i])
	}
}

// strip clears positions and raggedness and joins blanks, through v.
func strip(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			strip(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			strip(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[diag.Pos]() {
			if v.FieldByName("Line").Uint() != 0 {
				v.Set(reflect.ValueOf(diag.Pos{Line: 1, Col: 1})) // known or not is part of the tree
			}
			return
		}
		for i := range v.NumField() {
			strip(v.Field(i))
		}
	case reflect.String:
		v.SetString(string(ptx.AppendTokens(nil, v.String())))
	}
}

// realFiles returns the names of the real modules.
func realFiles(t testing.TB) []string {
	t.Helper()
	return effort.RealModules(t, "..")
}

func TestRealModulesRoundTrip(t *testing.T) {
	for _, f := range realFiles(t) {
		t.Run(filepath.Base(f), func(t *testing.T) {
			src := must.Read(t, f)
			roundTrip(t, f, src)
		})
	}
}

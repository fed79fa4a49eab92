package ptx_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// FuzzParse checks the contracts of Parse and the printer on any text. Longer runs: go test ./ptx
// -fuzz FuzzParse -fuzztime 10m.
func FuzzParse(f *testing.F) {
	for _, glob := range []string{"testdata/tree/*.txtar", "testdata/errors/*.ptx"} {
		files := must.Glob(f, glob)
		for _, file := range files {
			text := must.Read(f, file)
			if _, in, ok := strings.Cut(string(text), "-- in.ptx --\n"); ok {
				in, _, _ = strings.Cut(in, "\n-- tree --")
				text = []byte(in)
			}
			f.Add(text)
			f.Add([]byte(strings.ReplaceAll(string(text), "\n", "\r\n")))
		}
	}
	f.Fuzz(requireSound)
}

// requireSound checks everything that holds of any text.
func requireSound(t *testing.T, src []byte) {
	start := time.Now()
	m, err := ptx.Parse("in.ptx", src)
	require.Less(t, time.Since(start), time.Duration(len(src))*10*time.Microsecond+10*time.Second)
	require.NotNil(t, m)
	requirePositions(t, src, m)
	requireReaders(t, new(ptx.Reader), "in.ptx", string(src))
	out := m.AppendText(nil)
	if err != nil {
		var list diag.List
		require.ErrorAs(t, err, &list)
		requireErrors(t, src, list)
		_, _ = ptx.Parse("in.ptx", out)
		return
	}
	again, err := ptx.Parse("in.ptx", out)
	if m.Unread.IsValid() {
		return // its tokens are kept, in places that are not known
	}
	require.NoError(t, err, "%s", out)
	require.Equal(t, string(out), string(again.AppendText(nil)))
	if !strings.Contains(string(src), "@@DWARF") { // lines that the tokens below know nothing of
		text := strings.TrimRight(string(src), "\x00 \t\r\n\v\f") // NUL bytes at the end are no part of the tree
		require.Equal(t, tokens(text), tokens(string(out)))
	}
	requireSameTree(t, m, again)
	forget(m)
	forget(again)
	out = m.AppendText(nil)
	third, err := ptx.Parse("in.ptx", out)
	require.NoError(t, err, "%s", out)
	forget(third)
	requireSameTree(t, again, third)
}

// requireErrors checks that a list is in order and that its positions are in
// the text.
func requireErrors(t *testing.T, src []byte, list diag.List) {
	t.Helper()
	require.NotEmpty(t, list)
	require.True(t, slices.IsSortedFunc(list, func(a, b *diag.Diagnostic) int {
		switch {
		case a.Pos.Before(b.Pos):
			return -1
		case b.Pos.Before(a.Pos):
			return 1
		}
		return 0
	}))
	within := positionsOf(src)
	for _, e := range list {
		require.NoError(t, within(e.Pos), "%v", e)
		require.NoError(t, within(e.End), "the end of %v", e)
		require.False(t, e.End.Before(e.Pos), "%v ends at %v", e, e.End)
		require.Equal(t, ptx.BadSyntax, e.Code)
		require.NotEmpty(t, e.Msg)
	}
}

// positionsOf returns a function that says what is wrong with a position in
// the text.
func positionsOf(src []byte) func(diag.Pos) error {
	lines := strings.Split(strings.TrimPrefix(string(src), "\ufeff"), "\n")
	return func(pos diag.Pos) error {
		switch {
		case !pos.IsValid() || pos.Col == 0:
			return errors.New("unknown position")
		case int(pos.Line) > len(lines):
			return errors.New(pos.String() + " is after the last line")
		case int(pos.Col) > len(lines[pos.Line-1])+1:
			return errors.New(pos.String() + " is after the end of the line")
		}
		return nil
	}
}

// requirePositions checks that the known positions of a tree are in the text,
// and that a node stands where its position says.
func requirePositions(t *testing.T, src []byte, m *ptx.Module) {
	t.Helper()
	within := positionsOf(src)
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			if pos, ok := v.Interface().(diag.Pos); ok {
				if pos.IsValid() {
					require.NoError(t, within(pos))
				}
				return
			}
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(m))
}

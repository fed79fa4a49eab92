package ptx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

func TestAll(t *testing.T) {
	m, err := ptx.ParseString("x.ptx", ".version 8.0\n.func g();\n.func f() { .reg .b32 x; .func h(); p: .callprototype _ (); { ret; } }\n.global .b32 v;")
	require.NoError(t, err)
	var got []string
	for f, s := range m.All() {
		name := ""
		if f != nil {
			name = f.Name
		}
		got = append(got, fmt.Sprintf("%s %T", name, s))
	}
	assert.Equal(t, []string{
		" *ptx.Directive", " *ptx.Func", " *ptx.Func", "f *ptx.Decl", "f *ptx.Func", "f *ptx.Prototype", "f *ptx.Open", "f *ptx.Instr", "f *ptx.Close", " *ptx.Decl",
	}, got)
	for stop := range len(got) {
		n := 0
		for range m.All() {
			if n++; n > stop {
				break
			}
		}
		assert.Equal(t, stop+1, n)
	}
	for range (*ptx.Module)(nil).All() {
		t.Error("of nothing")
	}
	for range (&ptx.Module{Items: []ptx.Item{nil}}).All() {
		t.Error("of a nil item")
	}
}

// TestSpan holds that statements begin and end where they are written, one after the other.
func TestSpan(t *testing.T) {
	for _, file := range realFiles(t) {
		src := must.Read(t, file)
		m := must.Parse(t, file, src)
		end := map[*ptx.Func]int{}
		for f, s := range m.All() {
			from, to := s.Span()
			first, last, ok := m.Offsets(from, to)
			require.True(t, ok, "%s: %T from %v to %v", file, s, from, to)
			require.GreaterOrEqual(t, first, end[f], "%s: %T at %v", file, s, from)
			end[f] = last
			text := m.Source()[first:last]
			switch s := s.(type) {
			case *ptx.Instr:
				assert.True(t, strings.HasSuffix(text, ";") && strings.Contains(text, s.Op) && strings.Contains(text, s.Args), "%q", text)
			case *ptx.Call:
				assert.True(t, strings.HasSuffix(text, ";") && strings.Contains(text, s.Args), "%q", text)
			case *ptx.Access:
				assert.True(t, strings.HasSuffix(text, ";") && strings.Contains(text, s.Args), "%q", text)
			case *ptx.Directive:
				assert.True(t, strings.HasPrefix(text, s.Name) && strings.Contains(text, s.Args), "%q", text)
				assert.Equal(t, s.Semi, strings.HasSuffix(text, ";"), "%q", text)
			case *ptx.Label:
				assert.Equal(t, s.Name, text)
			case *ptx.Func:
				assert.True(t, strings.HasSuffix(text, map[bool]string{true: "}", false: ";"}[s.HasBody]), "%.40q", text)
			}
		}
	}
}

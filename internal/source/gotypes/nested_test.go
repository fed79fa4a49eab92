package gotypes_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/source/gotypes"
)

// TestTooMuch has types and constants that take the type checker 2^n, n^2 or n^3 steps, and others of the same size that it
// reads at once.
func TestTooMuch(t *testing.T) {
	chain := func(n int, format string) string {
		var b strings.Builder
		b.WriteString("package x\n\ntype T0 struct{ A int32 }\n")
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i+1, i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, src, want string
	}{
		{"chain", chain(400, "type T%d struct{ A T%d }"), ""},
		{"long chain", chain(2000, "type T%d struct{ A T%d }"), "T463"},
		{"two fields", chain(40, "type T%[1]d struct{ A, B T%[2]d }"), "T19"},
		{"two of two", chain(40, "type T%[1]d struct{ A T%[2]d; B [2]T%[2]d }"), "T19"},
		{"aliases", chain(40, "type T%[1]d = struct{ A, B T%[2]d }"), "T15"},
		{"aliases of pointers", chain(40, "type T%[1]d = struct{ A, B *T%[2]d }"), "T15"},
		{"aliases of functions", chain(40, "type T%[1]d = func(T%[2]d, T%[2]d)"), "T17"},
		{"generic pointers", "package x\n\ntype P[X, Y any] struct{ A *X; B *Y }\n" + chain(20, "type T%[1]d[X any] struct{ A T%[2]d[*P[X, X]] }")[11:], "T10"},
		{"unions", chain(40, "type T%[1]d interface{ T%[2]d | ~[1]T%[2]d }"), "T19"},
		{"pointers", chain(2000, "type T%[1]d struct{ A, B *T%[2]d; C []T%[2]d; D map[T%[2]d]int; E func(T%[2]d) }"), ""},
		{"circle", "package x\n\ntype A struct{ B, C B }\ntype B struct{ A, C A }\n", ""},
		{"generic", "package x\n\ntype G[P any] struct{ A, B P }\ntype T " + strings.Repeat("G[", 40) + "int" + strings.Repeat("]", 40) + "\n", "T"},
		{"list", "package x\n\ntype G[P, Q any] struct{ A P; B Q }\ntype T G[int, G[int, int]]\n", ""},
		{"strings", chain(40, "const c%[1]d = c%[2]d + c%[2]d") + `const c0 = "ab"`, "c20"},
		{"empty strings", chain(40, "const c%[1]d = (c%[2]d) + string(c%[2]d)") + "const c0 = ``", "c20"},
		{"letters", chain(40, "const c%[1]d = c%[2]d + c%[2]d") + "const c0 = string('a')", "c22"},
		{"a string beside others", "package x\n\nvar v [len(s+s)]int\nconst s = \"" + strings.Repeat("a", 3<<20) + "\"\n", "v"},
		{"numbers", chain(400, "const c%[1]d = c%[2]d * c%[2]d + c%[2]d") + "const c0 = 3", ""},
		{"long string", "package x\n\nconst s = \"" + strings.Repeat("a", 5<<20) + "\" + \"b\"\nconst t = s", ""},
		{"selected fields", "package x\n\ntype T struct{" + strings.Repeat("E;", 600) + "}\nvar e T\nvar v = e.X" + strings.Repeat("+e.X", 600), "X"},
		{"selected names of a package", "package x\n\ntype T struct{" + strings.Repeat("E;", 600) + "}\nvar v = e.X" + strings.Repeat("+e.X", 600), ""},
		{"a constant of itself", "package x\n\nconst a = a + b\nconst b = a + a", ""},
		{"repeated", "package x\n\nconst (\na = 0" + strings.Repeat("+1", 4000) + strings.Repeat("\nb", 4000) + "\n)\n", "b"},
		{"repeated shortly", "package x\n\nconst (\na = 1 << iota" + strings.Repeat("\nb", 4000) + "\n)\n", ""},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", tt.src, 0)
		require.NoError(t, err, tt.name)
		got := ""
		if name, _ := gotypes.TooMuch([]*ast.File{file}); name != nil {
			got = name.Name
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

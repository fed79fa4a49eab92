package cdecl

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/layout"
)

// TestEnd holds where what is reported ends: after a token, which a macro may have
// made, and nowhere if the token is not on one line or is the end of the input.
func TestEnd(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"struct S { unknown x; };", "unknown"},
		{"#define M unknown\r\nstruct S { M x; };", "M"},
		{"\ufeffstruct S { int x; } struct T;", "struct"},
		{"struct é { int x; }; struct é { int x; };", "é"},
		{"#include \"none.h\"", "#"},
		{"struct S { unkn\\\nown x; };", ""},
		{"struct S { int i;\\\r\nunknown x; };", "unknown"},
		{"struct S {", "{"},
		{"int x", ""},
	} {
		_, err := Parse("a.h", []byte(tt.src), Options{})
		var list diag.List
		require.ErrorAs(t, err, &list, tt.src)
		d := list[0]
		if tt.want == "" {
			assert.Zero(t, d.End, tt.src)
			continue
		}
		text := diag.NewText(tt.src)
		from, ok := text.Offset(d.Pos)
		require.True(t, ok, tt.src)
		to, ok := text.Offset(d.End)
		require.True(t, ok, tt.src)
		assert.Equal(t, tt.want, tt.src[from:to])
	}
}

// summary writes what a unit declares, one line each.
func summary(u *Unit) string {
	var b strings.Builder
	for _, r := range u.Records {
		if r.Layout == nil {
			b.WriteString(strings.TrimSuffix(r.Name+": no layout: "+u.LeftOut(r.Type), ": ") + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s %d/%d:", r.Name, r.Layout.Size, r.Layout.Align)
		for f := range r.Layout.Fields() {
			fmt.Fprintf(&b, " %s@%d", f.Path, f.Offset)
			if f.BitWidth > 0 {
				fmt.Fprintf(&b, ".%d:%d", f.BitOffset, f.BitWidth)
			}
		}
		b.WriteString("\n")
	}
	for _, f := range u.Funcs {
		kind := "func"
		if f.Kernel {
			kind = "kernel"
		}
		fmt.Fprintf(&b, "%s %s(", kind, f.Name)
		for i, p := range f.Params {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strings.TrimSpace(p.Type.String() + " " + p.Name))
		}
		fmt.Fprintf(&b, ") %s\n", f.Result)
	}
	return b.String()
}

// options are those of the words after a case's name.
func options(t testing.TB, words []string) Options {
	o := Options{Rules: layout.LP64}
	for _, w := range words {
		switch w {
		case "c++":
			o.Rules.Lang = layout.CXX
		case "nvcc":
			o.Rules = o.Rules.NVCC()
		case "ilp32":
			o.Rules = layout.ILP32
		case "llp64":
			o.Rules = layout.LLP64
		case "partial":
			o.Partial = true
		case "skip":
			o.SkipTemplates = true
		default:
			t.Fatalf("no option %s", w)
		}
	}
	return o
}

// cases calls each for the cases of testdata/cases: a section "NAME.h OPTION..." has a text, and the section "NAME" after it what
// is read.
func cases(t testing.TB, each func(name string, o Options, src []byte, want *[]byte)) {
	for _, file := range must.Glob(t, "testdata/cases/*.txtar") {
		a := golden.Archive(t, file)
		for i := 0; i+1 < len(a.Files); i += 2 {
			words := strings.Fields(a.Files[i].Name)
			require.Equal(t, a.Files[i+1].Name+".h", words[0], file)
			each(a.Files[i+1].Name, options(t, words[1:]), a.Files[i].Data, &a.Files[i+1].Data)
		}
		if golden.Update() {
			require.NoError(t, os.WriteFile(file, txtar.Format(a), 0o666))
		}
	}
}

// TestCases reads testdata/cases.
func TestCases(t *testing.T) {
	cases(t, func(name string, o Options, src []byte, want *[]byte) {
		u, err := Parse("a.h", src, o)
		got := summary(u)
		var list diag.List
		if errors.As(err, &list) {
			for _, d := range list {
				got += strings.TrimPrefix(d.Error(), "a.h:") + "\n"
			}
		}
		for _, d := range u.Warnings {
			got += strings.TrimPrefix(d.Error(), "a.h:") + "\n"
		}
		if golden.Update() {
			*want = []byte(got)
		}
		assert.Equal(t, string(*want), got, name)
	})
}

func TestInclude(t *testing.T) {
	fsys := fstest.MapFS{
		"inc/a.h": {Data: []byte("#pragma once\n#include \"b.h\"\nstruct A { struct B b; };")},
		"inc/b.h": {Data: []byte("#pragma once\nstruct B { int i; };")},
	}
	u, err := Parse("main.c", []byte("#include \"inc/a.h\"\n#include \"inc/b.h\"\nstruct C { struct A a; };"), Options{FS: fsys})
	require.NoError(t, err)
	require.Len(t, u.Records, 3)
	assert.Equal(t, "inc/b.h:2:1", u.Records[0].Pos.String())
	assert.EqualValues(t, 4, u.Records[2].Layout.Size)

	// Compilers do not look beside a file for a header in angle brackets.
	u, err = Parse("main.c", []byte("#if __has_include(<inc/a.h>)\nstruct S { char c[64]; };\n#elif __has_include(\"inc/a.h\")\nstruct S { int i; };\n#endif"), Options{FS: fsys})
	require.NoError(t, err)
	assert.EqualValues(t, 4, u.Records[0].Layout.Size)
}

// FuzzParse checks that no input makes the parser panic or hang, and that its errors are in the
// input.
func FuzzParse(f *testing.F) {
	cases(f, func(_ string, o Options, src []byte, _ *[]byte) { f.Add(src, o.Rules.Lang == layout.CXX) })
	f.Fuzz(func(t *testing.T, src []byte, cxx bool) {
		rules := layout.LP64
		if cxx {
			rules.Lang = layout.CXX
		}
		partial, _ := Parse("a.h", src, Options{Rules: rules, Partial: true, Named: []string{"V<int>", "S"}})
		require.NotNil(t, partial)
		for _, r := range partial.Records { // of nothing that is lost there is a layout
			require.False(t, r.Layout != nil && partial.LeftOut(r.Type) != "", r.Name)
		}
		u, err := Parse("a.h", src, Options{Rules: rules})
		require.NotNil(t, u)
		marked := strings.Contains(string(src), "#") // line markers make positions of their own
		lines := strings.Count(string(src), "\n") + 1
		var list diag.List
		if err != nil {
			require.True(t, errors.As(err, &list))
			require.NotEmpty(t, list)
		}
		for _, e := range append(list, u.Warnings...) {
			require.NotEmpty(t, e.Msg)
			require.True(t, e.Pos.IsValid(), "%v", e)
			if !marked {
				require.LessOrEqual(t, int(e.Pos.Line), lines, "%v", e)
			}
		}
		for _, r := range u.Records {
			require.True(t, r.Pos.IsValid())
			require.NotEmpty(t, r.Type.String())
			if r.Layout != nil {
				require.NotEmpty(t, Dump(r.Layout))
				n := 0
				for range r.Layout.Fields() {
					if n++; n > 1000 {
						break
					}
				}
			}
		}
	})
}

func BenchmarkHeader(b *testing.B) {
	var s strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&s, "struct S%d { uint8_t a; float4 v; struct { int x, y; } p[3]; unsigned f : 3, g : 7; double d; };\n", i)
	}
	src := []byte(s.String())
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("a.h", src, Options{Rules: layout.Rules{Lang: layout.CXX}}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestGlobalEnum names an enumeration by the scope that it is in.
func TestGlobalEnum(t *testing.T) {
	u, err := Parse("k.cu", []byte("enum E { A };\nnamespace n { enum E { B = 1LL << 40 }; struct S { enum ::E e; enum E f; enum n::E g; }; }\n"), Options{Rules: rulesFor("c++")})
	require.NoError(t, err)
	require.Len(t, u.Records, 1)
	assert.Equal(t, int64(24), u.Records[0].Layout.Size)
	assert.Equal(t, int64(4), u.Records[0].Layout.Members[0].Layout.Size)
}

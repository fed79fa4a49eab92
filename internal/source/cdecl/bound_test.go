package cdecl

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/layout"
)

// doubling is n macros, each twice the one before.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("#define A0 1+1\n")
	for i := range n {
		fmt.Fprintf(&b, "#define A%d A%d+A%d\n", i+1, i, i)
	}
	return b.String()
}

// TestBlownUp has macros that make more than there is memory for.
func TestBlownUp(t *testing.T) {
	const tooMuch = "input expands to more than 262144 tokens"
	for name, src := range map[string]string{
		"macros":     doubling(39) + "int x[A39];",
		"parameters": "#define F(x) x x\n#define G(x) F(F(F(F(F(x)))))\nint x[" + strings.Repeat("G(", 6) + "1" + strings.Repeat(")", 6) + "];",
		"strings":    "#define S(x) #x\n#define T(x) S(x)\nconst char *a = " + strings.Repeat("T(", 100) + `"x"` + strings.Repeat(")", 100) + ";",
		"condition":  doubling(39) + "#if A39\n#endif\n",
	} {
		t.Run(name, func(t *testing.T) {
			pp := newPrep(Options{})
			pp.most = 1 << 18
			toks := pp.file("a.h", []byte(src))
			assert.LessOrEqual(t, len(toks), pp.most+100)
			require.NotEmpty(t, pp.errs)
			e := pp.errs[0]
			assert.Equal(t, tooMuch, e.Msg)
			assert.Equal(t, 1+strings.Count(src[:strings.LastIndexAny(strings.TrimSuffix(src, "#endif\n"), "[=f")], "\n"), int(e.Pos.Line))
		})
	}
}

// TestBlownUpShort has a short input, of which macros make less than of a long one.
func TestBlownUpShort(t *testing.T) {
	const macro = "#define M(a) "
	src := macro + strings.Repeat("a ", 500) + "\nint x[] = {M(" + strings.Repeat("1+", 499) + "1)};"
	_, err := Parse("a.h", []byte(src), Options{})
	assert.ErrorContains(t, err, "input expands to more than")
	_, err = Parse("a.h", []byte(strings.Repeat("typedef int t;\n", 40_000)+src), Options{})
	assert.NotContains(t, fmt.Sprint(err), "input expands to more than")
}

// TestLongChain has typedefs of typedefs, which mean what the first does.
func TestLongChain(t *testing.T) {
	const n = 30_000
	for _, first := range []string{"int", "const int", "int __attribute__((aligned(16)))"} {
		var b strings.Builder
		fmt.Fprintf(&b, "typedef %s t0;", first)
		for i := range n {
			fmt.Fprintf(&b, "typedef volatile t%d t%d;", i, i+1)
		}
		fmt.Fprintf(&b, "struct s { char c; t%d x; };", n)
		u, err := Parse("a.h", []byte(b.String()), Options{})
		require.NoError(t, err)
		f := u.Records[0].Type.Fields[1]
		assert.Equal(t, fmt.Sprintf("t%d", n), f.Type.String())
		assert.Equal(t, layout.Scalar{Kind: layout.Int}, layout.Unalias(f.Type))
		want := int64(4)
		if strings.Contains(first, "aligned") {
			want = 16
		}
		assert.Equal(t, want, u.Records[0].Layout.Align)
		for _, d := range u.Typedefs {
			if chain(d.Type) > 2*maxChain+2 {
				t.Fatalf("%s is %d names away from its type", d.Name, chain(d.Type))
			}
		}
	}
}

// TestDeep has nesting beyond what is read, and long expressions, which are not
// nested.
func TestDeep(t *testing.T) {
	n := effort.Of(50_000, 300_000)
	open, shut := strings.Repeat("(", n), strings.Repeat(")", n)
	for name, src := range map[string]string{
		"bound":      "int x[" + open + "1" + shut + "];",
		"declarator": "int " + open + "x" + shut + ";",
		"pointers":   "int " + strings.Repeat("(*", n) + "x" + shut + ";",
	} {
		_, err := Parse("a.h", []byte(src), Options{})
		require.ErrorContains(t, err, "nested more than 200 deep", name)
		assert.ErrorContains(t, err, "a.h:1:", name)
	}
	u, err := Parse("a.h", []byte("struct s { char x["+strings.Repeat("1+", n)+"1]; };"), Options{})
	require.NoError(t, err)
	assert.Equal(t, int64(n+1), u.Records[0].Layout.Size)
}

// TestDiamonds has bases and members that are reached by more ways than can be
// gone.
func TestDiamonds(t *testing.T) {
	var b strings.Builder
	b.WriteString("struct a0{int x;};struct b0{int y;};")
	for i := range 24 {
		fmt.Fprintf(&b, "struct a%d:a%d{};struct b%d:b%d{};struct c%d:a%d,b%d{};", i+1, i, i+1, i, i, i+1, i+1)
	}
	fmt.Fprint(&b, "int z[__builtin_offsetof(c23, y)];")
	_, err := Parse("a.cu", []byte(b.String()), Options{Rules: layout.Rules{Lang: layout.CXX}})
	require.NoError(t, err)

	spaces := "namespace n0{}"
	for i := range 12 {
		spaces += fmt.Sprintf("namespace n%d{", i+1)
		for range 12 {
			spaces += fmt.Sprintf("using namespace n%d;", i)
		}
		spaces += "}"
	}
	_, err = Parse("a.cu", []byte(spaces+"using namespace n12; struct s { nowhere x; };"), Options{Rules: layout.Rules{Lang: layout.CXX}})
	require.ErrorContains(t, err, "unknown type nowhere")
}

// TestLongQualifier checks that names which every name within would have a copy
// of are bounded, at the bound and beyond.
func TestLongQualifier(t *testing.T) {
	long := strings.Repeat("n", 4096)
	for src, ok := range map[string]bool{
		"namespace " + long[3:] + " { struct S { int a; }; }":                     true,
		"namespace n" + long + " { struct S { int a; }; }":                        false,
		"namespace a::" + long + " { struct S { int a; }; }":                      false,
		"namespace a" + strings.Repeat("::a", 2000) + " { struct S { int a; }; }": false,
		"struct n" + long + " { struct S { int a; } s; };":                        false,
	} {
		_, err := Parse("t.cu", []byte(src), Options{Rules: layout.Rules{Lang: layout.CXX}})
		if ok {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "more than 4096", src[:20])
	}
}

// TestBelow has more base classes, namespaces and anonymous members than a name is looked up in: the first of them are
// read, and what follows is refused.
func TestBelow(t *testing.T) {
	for name, text := range map[string]func(i int) string{
		"bases":      func(i int) string { return fmt.Sprintf("struct s%d:s%d{};", i+1, i) },
		"namespaces": func(i int) string { return fmt.Sprintf("namespace n%d{} using namespace n%[1]d;", i) },
	} {
		var b strings.Builder
		b.WriteString("struct s0{int x;};")
		for i := range 5000 {
			b.WriteString(text(i))
		}
		_, err := Parse("x.cu", []byte(b.String()), Options{Rules: layout.Rules{Lang: layout.CXX}})
		assert.ErrorContains(t, err, "more than 4096 base classes, namespaces and anonymous members", name)
	}
}

// TestArgumentsInEachOther has a long argument in many calls: each has a part of the tokens around it and no copy.
func TestArgumentsInEachOther(t *testing.T) {
	src := "#define F(x) x\nint x[" + strings.Repeat("F(", 8) + strings.Repeat("1+", 8000) + "1" + strings.Repeat(")", 8) + "];"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pp := newPrep(Options{})
	pp.file("a.h", []byte(src))
	runtime.ReadMemStats(&after)
	require.Empty(t, pp.errs)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(80_000_000))
}

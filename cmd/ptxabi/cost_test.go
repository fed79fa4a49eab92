package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
)

// A shape is a family of texts: of the n-th, one thing has n of something.
type shape struct {
	name string
	file string
	n    int
	text func(n int) string
}

// join is n texts made by a format of their numbers.
func join(n int, sep, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(format, "#+", fmt.Sprint(i+1)), "#", fmt.Sprint(i)))
	}
	return b.String()
}

// beyond is a number from which on what a command writes grows faster than its input, and is refused.
const beyond = 1500

var shapes = []shape{
	{"functions in one line", "x.ptx", 100, func(n int) string { return join(n, " ", ".func f#(.param .align 3 .b8 x[4]);") }},
	{"arguments of a call", "x.ptx", 100, func(n int) string {
		return ".extern .func f(" + join(n, ",", ".param .b32 p#") + ");.visible .func g(){" + join(n, "", ".param .b32 a#;") + "call f,(" + join(n, ",", "a#") + ");ret;}"
	}},
	{"calls", "x.ptx", 100, func(n int) string {
		return ".func f(.param .b32 x){ret;}.visible .func g(){" + join(n, "\n", "{.param .b32 a;call f,(a);}") + "ret;}"
	}},
	{"parameters", "x.ptx", 100, func(n int) string { return ".visible .func f(" + join(n, ",", ".param .b8 p#[9]") + "){ret;}" }},
	{"scopes", "x.ptx", 100, func(n int) string {
		return ".visible .func f(){" + join(n, "", "{.reg .b32 a;mov.b32 a,1;") + strings.Repeat("}", n) + "ret;}"
	}},
	{"registers", "x.ptx", 100, func(n int) string {
		return ".visible .func f(){" + join(n, "\n", ".reg .b32 r#;mov.b32 r#,1;") + "ret;}"
	}},
	{"labels", "x.ptx", 100, func(n int) string { return ".visible .func f(){" + join(n, "\n", "L#: bra L#;") + "ret;}" }},
	{"a long name", "x.ptx", 2000, func(n int) string { return ".visible .func " + strings.Repeat("f", n) + "(.param .b32 x){ret;}" }},
	{"diagnostics", "x.ptx", 100, func(n int) string { return ".visible .func f(){" + join(n, "\n", "mov.b32 %u#,1;") + "}" }},
	{"what is no instruction", "x.ptx", 100, func(n int) string { return ".visible .func f(){" + join(n, "\n", "foo bar;") + "}" }},
	{"a circle of calls", "x.ptx", 100, func(n int) string {
		return join(n+1, "\n", ".func f#();") + join(n, "\n", ".func f#(){call f#+;ret;}") + fmt.Sprintf(".func f%d(){call f0;ret;}.visible .entry k(){call f0;ret;}", n)
	}},
	{"prototypes", "x.ptx", 100, func(n int) string {
		return ".visible .func g(.reg .b64 p){" + join(n, "\n", "{P#: .callprototype _ (.param .b32 _);.param .b32 a;call p,(a),P#;}") + "ret;}"
	}},
	{"values of a variable", "x.ptx", 1000, func(n int) string { return fmt.Sprintf(".global .b32 g[%d]={%s};", n, join(n, ",", "#")) }},
	{"records", "x.h", 100, func(n int) string { return join(n, "\n", "struct s#{int x;};") }},
	{"fields", "x.h", 100, func(n int) string { return "struct s{" + join(n, "", "int x#;") + "};" }},
	{"bit-fields", "x.h", 100, func(n int) string { return "struct s{" + join(n, "", "int x#:3;") + "};" }},
	{"members of a union", "x.h", 100, func(n int) string { return "union u{" + join(n, "", "struct{int a#;}s#;") + "};" }},
	{"enumerators", "x.h", 100, func(n int) string { return "enum e{" + join(n, ",", "E#") + "};struct s{enum e x;};" }},
	{"a chain of typedefs", "x.h", 100, func(n int) string {
		return "typedef int t0;" + join(n, "\n", "typedef t# t#+;") + fmt.Sprintf("struct s{t%d a;};", n)
	}},
	{"a chain of macros", "x.h", 100, func(n int) string { return join(n, "\n", "#define M#+ M#") + fmt.Sprintf("\nstruct s{int M%d;};", n) }},
	{"conditions", "x.h", 100, func(n int) string {
		return strings.Repeat("#if 1\n", n) + "struct s{int x;};\n" + strings.Repeat("#endif\n", n)
	}},
	{"an expression", "x.h", 100, func(n int) string { return "struct s{int x[" + strings.Repeat("1+", n) + "1];};" }},
	{"files that are not there", "x.h", 100, func(n int) string { return join(n, "", "#include \"n#.h\"\n") + "struct s{int x;};" }},
	{"errors", "x.h", 100, func(n int) string { return "struct s{int x;};\n" + join(n, "\n", "foo bar baz;") }},
	{"a chain of structs", "x.h", beyond, func(n int) string { return "struct s0{int x;};" + join(n, "", "struct s#+{struct s# a;};") }},
	{"a chain of longer structs", "x.h", beyond, func(n int) string { return "struct s0{int x;};" + join(n, "", "struct s#+{struct s# a;int y;};") }},
	{"empty in empty", "x.h", 4 * beyond, func(n int) string { return "struct s0{};" + join(n, "", "struct s#+{struct s# a;};") }},
	{"empty bases", "x.cu", beyond, func(n int) string { return "struct s0{};" + join(n, "", "struct s#+:s#{s0 a;};") }},
	{"a chain of unions", "x.h", beyond, func(n int) string { return "union s0{int x;};" + join(n, "", "union s#+{union s# a;int y;};") }},
	{"a chain of arrays of one", "x.h", beyond, func(n int) string { return "struct s0{int x;};" + join(n, "", "struct s#+{struct s# a[1];};") }},
	{"structs in structs", "x.h", 100, func(n int) string {
		return "struct s{" + strings.Repeat("struct{", n) + "int x;" + strings.Repeat("}a;", n) + "};"
	}},
	{"arms of one size", "x.h", beyond, func(n int) string { return "union u{" + join(n, "", fmt.Sprintf("int a#[%d];", n)) + "};" }},
	{"calls of macros in each other", "x.h", 100, func(n int) string {
		return "#define M(x) x\nstruct s{int " + strings.Repeat("M(", n) + "x" + strings.Repeat(")", n) + ";};"
	}},
	{"arguments of a macro", "x.h", 100, func(n int) string {
		return "#define M(" + join(n, ",", "a#") + ") a0\nstruct s{int M(" + join(n, ",", "b#") + ");};"
	}},
	{"a chain of bases", "x.cu", beyond, func(n int) string { return "struct s0{int x;};" + join(n, "", "struct s#+:s#{int y;};") }},
	{"bases", "x.cu", 100, func(n int) string {
		return join(n, "", "struct b#{int x#;};") + "struct s:" + join(n, ",", "b#") + "{};"
	}},
	{"namespaces", "x.cu", 100, func(n int) string {
		return strings.Repeat("namespace a{", n) + "struct s{int x;};" + strings.Repeat("}", n)
	}},
	{"arguments of a template", "x.cu", 100, func(n int) string {
		return "template<int N>struct t{char x;};" + join(n, "", "struct s#{t<#+> x;};")
	}},
	{"kernels", "x.cu", 100, func(n int) string { return join(n, "\n", "__global__ void k#(int a){}") }},
	{"types", "x.go", 100, func(n int) string { return "package x\n" + join(n, "\n", "type T# struct{A int32}") }},
	{"fields", "x.go", 100, func(n int) string { return "package x\ntype T struct{" + join(n, ";", "A# int32") + "}" }},
	{"a chain of structs", "x.go", beyond, func(n int) string {
		return "package x\ntype T0 int32\n" + join(n, "\n", "type T#+ struct{A T#}")
	}},
	{"methods", "x.go", 100, func(n int) string { return "package x\ntype T struct{A int32}\n" + join(n, "\n", "func(T)M#(){}") }},
	{"repeated constants", "x.go", beyond, func(n int) string {
		return "package x\nconst(\nc=0" + strings.Repeat("+1", n) + "\n" + join(n, "\n", "c#") + ")\ntype T struct{A int32}"
	}},
	{"joined constants", "x.go", 5, func(n int) string {
		return "package x\nconst c0=\"a\"\n" + join(n, "\n", "const c#+=c#+c#") + fmt.Sprintf("\ntype T struct{A [len(c%d)]int8}", n)
	}},
	{"structs of two", "x.go", 3, func(n int) string {
		return "package x\ntype T0 int32\n" + join(n, "\n", "type T#+ struct{A,B T#}")
	}},
	{"constants", "x.go", 100, func(n int) string {
		return "package x\nconst c0=1\n" + join(n, "\n", "const c#+=c#") + "\ntype T struct{A int}"
	}},
}

// TestCost runs commands over texts of each shape, and over others with eight times as much: what they take of memory
// grows no faster than n log n, and -v writes the table. Memory is counted and not time, which other programs have a part in; what looks at
// everything for each thing takes memory for that nearly always.
func TestCost(t *testing.T) {
	commands := map[string][][]string{
		".ptx": {{"lower"}, {"assign"}, {"assign", "-format", "json"}, {"assign", "-format", "svg"}, {"check"}, {"check", "-format", "sarif"}, {"check", "-fix", "-o", "fixed"}},
		".h":   {{"layout"}, {"layout", "-format", "json"}, {"layout", "-format", "ptx"}, {"layout", "-format", "clang"}, {"layout", "-format", "svg"}},
	}
	commands[".go"], commands[".cu"] = commands[".h"], commands[".h"]
	t.Chdir(t.TempDir())
	for _, s := range shapes {
		if s.n >= beyond && !effort.Long() {
			continue // it takes long to be refused so often
		}
		write := func(name string, n int) string {
			text := s.text(n)
			if strings.HasSuffix(name, ".ptx") {
				text = ".version 8.7\n.target sm_90\n.address_size 64\n" + text + "\n"
			}
			require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
			return name
		}
		small, large := write("small_"+s.file, s.n), write("large_"+s.file, 8*s.n)
		for _, c := range commands[filepath.Ext(s.file)] {
			one, eight := taken(append(c, small)), taken(append(c, large))
			t.Logf("%-32s %-32s %12d %12d  %.1f", s.name, strings.Join(c, " "), one, eight, float64(eight)/float64(one))
			assert.Less(t, eight, 12*one+1<<20, "%s, %q: %d bytes for %d, %d for eight times as much", s.name, c, one, s.n, eight)
		}
	}
}

// taken is how many bytes of memory a command takes in all.
func taken(args []string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ptxabi(nil, args...)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// A shape is a family of texts: of the n-th, one thing has n of something.
type shape struct {
	name string
	file string
	n    int
	text func(n int) string
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
	{"jumps by one list", "x.ptx", 100, func(n int) string {
		return ".visible .func f(){.reg .b32 r;T: .branchtargets " + join(n, ",", "L#") + ";" + join(n, "\n", "L#: brx.idx r,T;") + "ret;}"
	}},
	{"labels", "x.ptx", 100, func(n int) string { return ".visible .func f(){" + join(n, "\n", "L#: bra L#;") + "ret;}" }},
	{"a mesh of labels", "x.ptx", 100, func(n int) string {
		text := fmt.Sprintf(".visible .func f(){.reg .pred p;.reg .b32 r<%d>;", n)
		for i := range n {
			text += fmt.Sprintf("L%d: add.s32 r%d,r%d,1;@p bra L%d;\n", i, i*7%n, i*11%n, n-1-i)
		}
		return text + "ret;}"
	}},
	{"bytes of a result", "x.ptx", 100, func(n int) string {
		return fmt.Sprintf(".extern .func (.param .align 4 .b8 p[%d]) f();.visible .func g(){.param .align 4 .b8 a[%[1]d];call (a),f;ret;}", 1000*n)
	}},
	{"qualifiers", "x.ptx", 6000, func(n int) string {
		return ".visible .func f(){.reg .b32 r;mov" + strings.Repeat(".b32", n) + " r,r;ret;}"
	}},
	{"a long name", "x.ptx", 2000, func(n int) string { return ".visible .func " + strings.Repeat("f", n) + "(.param .b32 x){ret;}" }},
	{"diagnostics", "x.ptx", 100, func(n int) string { return ".visible .func f(){" + join(n, "\n", "mov.b32 %u#,1;") + "}" }},
	{"what is no instruction", "x.ptx", 100, func(n int) string { return ".visible .func f(){" + join(n, "\n", "foo bar;") + "}" }},
	{"a circle of calls", "x.ptx", 100, func(n int) string {
		return join(n+1, "\n", ".func f#();") + join(n, "\n", ".func f#(){call f#+;ret;}") + fmt.Sprintf(".func f%d(){call f0;ret;}.visible .entry k(){call f0;ret;}", n)
	}},
	{"prototypes", "x.ptx", 100, func(n int) string {
		return ".visible .func g(.reg .b64 p){" + join(n, "\n", "{P#: .callprototype _ (.param .b32 _);.param .b32 a;call p,(a),P#;}") + "ret;}"
	}},
	{"stores to an argument", "x.ptx", 100, func(n int) string {
		return fmt.Sprintf(".extern .func f(.param .align 4 .b8 p[%d]);.visible .func g(){.reg .b32 r;.param .align 4 .b8 a[%[1]d];", 4*n) +
			join(n, "\n", "st.param.b32 [a+4*#],r;") + "call f,(a);ret;}"
	}},
	{"calls with one variable", "x.ptx", 100, func(n int) string {
		return ".extern .func f(.param .b32 p);.visible .func g(){.reg .b32 r;.param .b32 a;" + join(n, "\n", "st.param.b32 [a],r;call f,(a);") + "ret;}"
	}},
	{"words passed on", "x.ptx", 100, func(n int) string {
		return fmt.Sprintf(".extern .func g(.param .align 4 .b8 a[%d]);.visible .func f(.param .align 4 .b8 a[%[1]d]){.reg .b32 r<%[2]d>;.param .align 4 .b8 b[%[1]d];", 4*n, n) +
			join(n, "\n", "ld.param.b32 r#,[a+4*#];") + join(n, "\n", "st.param.b32 [b+4*#],r#;") + "call g,(b);ret;}"
	}},
	{"stores far from their call", "x.ptx", 100, func(n int) string {
		return fmt.Sprintf(".extern .func g(.param .align 4 .b8 a[%d]);.visible .func f(){.reg .b32 r<%d>;.param .align 4 .b8 b[%[1]d];", 4*n, n) +
			join(n, "\n", "add.s32 r#,r#,1;st.param.b32 [b+4*#],r#;add.s32 r0,r0,r#;") + "call g,(b);ret;}"
	}},
	{"results read after other calls", "x.ptx", 100, func(n int) string {
		return ".extern .func (.param .b32 r) g(.param .b32 a);.visible .func f(){.reg .b32 r;" +
			join(n, "\n", ".param .b32 x#;.param .b32 y#;st.param.b32 [x#],0;call (y#),g,(x#);") + join(n, "\n", "ld.param.b32 r,[y#];") + "ret;}"
	}},
	{"ranges of one name in nested blocks", "x.ptx", 100, func(n int) string {
		return fmt.Sprintf(".visible .func f(){.reg .b32 r<%d>;", n+1) + join(n, "\n", "{.reg .b32 r<#+>;mov.b32 r0,1;") + strings.Repeat("}", n) + "ret;}"
	}},
	{"a label of many blocks", "x.ptx", 100, func(n int) string {
		return ".visible .func f(){.reg .pred p;" + strings.Repeat("{L: @p bra L;}\n", n) + "ret;}"
	}},
	{"instructions in one line", "x.ptx", 100, func(n int) string {
		return ".visible .func f(){.reg .b32 r<3>;" + join(n, " ", "add.s32 r1,r2,#;") + "ret;}"
	}},
	{"comments in an instruction", "x.ptx", 100, func(n int) string {
		return ".visible .func f(){.reg .b32 r;mov.b32 r," + strings.Repeat("// one\n/* two */", n) + "1;ret;}"
	}},
	{"calls by a list of targets", "x.ptx", 100, func(n int) string {
		return join(n, "\n", ".func f#(){ret;}") + ".visible .func g(.reg .b64 p){T: .calltargets " + join(n, ",", "f#") + ";" + strings.Repeat("call p,T;\n", n) + "ret;}"
	}},
	{"accesses far from their variables", "x.ptx", 100, func(n int) string {
		return fmt.Sprintf(".extern .func f(.param .b32 p);.visible .func g(.param .b32 x){.reg .b32 r<%d>,s<%[1]d>;.param .b32 a;", n) +
			join(n, "\n", "ld.param.b32 r#,[x+2000];st.param.b32 [a+2000],s#;") + "call f,(a);ret;}"
	}},
	{"values of a variable", "x.ptx", 1000, func(n int) string { return fmt.Sprintf(".global .b32 g[%d]={%s};", n, join(n, ",", "#")) }},
	{"records", "x.h", 100, func(n int) string { return join(n, "\n", "struct s#{int x;};") }},
	{"fields", "x.h", 100, func(n int) string { return "struct s{" + join(n, "", "int x#;") + "};" }},
	{"bit-fields", "x.h", 100, func(n int) string { return "struct s{" + join(n, "", "int x#:3;") + "};" }},
	{"members of a union", "x.h", 100, func(n int) string { return "union u{" + join(n, "", "struct{int a#;}s#;") + "};" }},
	{"a long name", "x.h", 2000, func(n int) string { return "struct s{int " + strings.Repeat("x", n) + ";};" }},
	{"enumerators", "x.h", 100, func(n int) string { return "enum e{" + join(n, ",", "E#") + "};struct s{enum e x;};" }},
	{"a chain of typedefs", "x.h", 100, func(n int) string {
		return "typedef int t0;" + join(n, "\n", "typedef t# t#+;") + fmt.Sprintf("struct s{t%d a;};", n)
	}},
	{"a chain of typedefs of arrays", "x.h", beyond, func(n int) string {
		return "typedef int t0;" + join(n, "\n", "typedef t# t#+[1];") + "struct s{t0 a;};"
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
	{"structs in structs", "x.h", 300, func(n int) string {
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
	{"bases", "x.cu", 500, func(n int) string {
		return join(n, "", "struct b#{int x#;};") + "struct s:" + join(n, ",", "b#") + "{};"
	}},
	{"bases beyond those that are looked up in", "x.cu", 4 * beyond, func(n int) string {
		return join(n, "", "struct b#{int x#;};") + "struct s:" + join(n, ",", "b#") + "{};"
	}},
	{"namespaces", "x.cu", 100, func(n int) string {
		return strings.Repeat("namespace a{", n) + "struct s{int x;};" + strings.Repeat("}", n)
	}},
	{"arguments of a template", "x.cu", 100, func(n int) string {
		return "template<int N>struct t{char x;};" + join(n, "", "struct s#{t<#+> x;};")
	}},
	{"a template with a long body", "x.cu", 100, func(n int) string {
		return "template<int N>struct t{char x;int f(){return 0" + strings.Repeat("+0", n) + ";}};struct s{" + join(n, "", "t<#> x#;") + "};"
	}},
	{"partial specialisations", "x.cu", beyond, func(n int) string {
		return "template<class T,int N>struct t{char x;};" + join(n, "", "template<class T>struct t<T,#>{int x;};") + "struct s{" + join(n, "", "t<int,#> x#;") + "};"
	}},
	{"kernels", "x.cu", 100, func(n int) string { return join(n, "\n", "__global__ void k#(int a){}") }},
	{"types", "x.go", 100, func(n int) string { return "package x\n" + join(n, "\n", "type T# struct{A int32}") }},
	{"fields", "x.go", 100, func(n int) string { return "package x\ntype T struct{" + join(n, ";", "A# int32") + "}" }},
	{"a chain of structs", "x.go", beyond, func(n int) string {
		return "package x\ntype T0 int32\n" + join(n, "\n", "type T#+ struct{A T#}")
	}},
	{"fields of several names in one line", "x.go", 100, func(n int) string { return "package x;type T struct{" + join(n, ",", "A#") + " int32}" }},
	{"structs in structs", "x.go", 4 * beyond, func(n int) string {
		return "package x\ntype T " + strings.Repeat("struct{A ", n) + "int32" + strings.Repeat("}", n)
	}},
	{"a long name", "x.go", 2000, func(n int) string { return "package x\ntype T struct{A" + strings.Repeat("a", n) + " int32}" }},
	{"errors", "x.go", 100, func(n int) string { return "package x\ntype T struct{A int32}\n" + join(n, "\n", "var x# y#") }},
	{"imports", "x.go", 100, func(n int) string {
		return "package x\n" + join(n, "\n", "import \"a/b#\"") + "\ntype T struct{A int32}"
	}},
	{"cases of an enum", "x.go", 100, func(n int) string {
		return "package x\ntype E int32\nconst(E0 E=iota\n" + join(n, "\n", "E#+") + ")\ntype T struct{A E}"
	}},
	{"slices of slices", "x.go", 100, func(n int) string {
		return "package x\ntype T struct{A " + strings.Repeat("[][1]", n) + "int32}"
	}},
	{"selected fields, beyond", "x.go", beyond, func(n int) string {
		return "package x\n" + join(n, "\n", "type E# struct{}") + "\ntype T struct{" + join(n, ";", "E#") + ";X int32}\nvar e T\n" + join(n, "\n", "var v# = e.X")
	}},
	{"equal types", "x.go", 3, func(n int) string {
		return "package x\ntype a0=int\n" + join(n, "\n", "type a#+=func(a#,a#)") + "\ntype b0=int\n" + join(n, "\n", "type b#+=func(b#,b#)") +
			fmt.Sprintf("\nvar x a%d\nvar y b%[1]d=x\ntype T struct{A int32}", n)
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
	{"values of a signature", "x.sig", 100, func(n int) string { return "func(" + join(n, ", ", "4@4") + ") -> 4@4" }},
	{"functions of C", "x.proto", 100, func(n int) string { return join(n, "", "void f#(int a);") }},
	{"fields of a layout", "x.json", 100, func(n int) string {
		return fmt.Sprintf(`{"format":"ptxabi.layout/1","types":[{"name":"P","kind":"struct","size":%d,"align":4,"fields":[`, 4*n) +
			join(n, ",", `{"path":"f#","type":"int","offset":#,"size":4,"align":4}`) + "]}]}"
	}},
	{"functions of nvdisasm -json", "x.sass", 100, func(n int) string {
		return `[{"SM":{"version":{"major":8,"minor":0}}},[` +
			join(n, ",", `{"function-name":"f#","start":0,"length":16,"sass-instructions":[{"opcode":"EXIT","operands":""}]}`) + "]]"
	}},
	{"instructions of a listing", "x.sass", 100, func(n int) string {
		return "\t.target\tsm_80\n.text.f:\n" + join(n, "\n", ".L_x_#:\n\tIADD3 R4, R5, 0x#, RZ ;\n\t@P0 BRA `(.L_x_#) ;") + "\n\tRET.ABS.NODEC R20 0x0 ;\n"
	}},
	{"requests", "x.jsonl", 100, func(n int) string {
		return join(n, "\n", `{"id":#,"args":["assign","-target","sm_90","-sig","func(4@4)"]}`)
	}},
	{"a request", "x.jsonl", 100, func(n int) string {
		return `{"id":[` + join(n, ",", "{}") + `],"args":["` + join(n, `","`, "a") + `"]}`
	}},
}

// readers are the commands that read a file of each kind, X. X.sass is the output of lower for it, and TEXT its contents;
// batch reads it from standard input.
var readers = map[string][]string{
	".ptx": {
		"lower X", "lower -format json X", "lower -dump plan X", "assign X", "assign -why -format json X", "assign -format svg X", "check X", "check -format sarif X",
		"check -fix -o fixed X", "link X step.ptx", "diff -matrix X X", "verify other.cubin X", "adapt -caller X -callee X -func g", "annotate -ptx X X.sass", "compare X X.sass", "compare -alloc X X.sass",
	},
	".h": {
		"layout X", "layout -format json X", "layout -format ptx X", "layout -format clang X", "layout -format svg X", "adapt -bindings numba -to nvcc -o b.py X",
		"verify -type s other.cubin X",
	},
	".cu": {
		"layout X", "layout -format json X", "layout -format ptx X", "layout -format clang X", "layout -format svg X", "layout -rules msvc X", "check X",
		"adapt -bindings numba -to nvcc -o b.py X", "verify other.cubin X",
	},
	".go":    {"layout X", "layout -format json X", "layout -format ptx X", "layout -format clang X", "layout -format svg X", "verify -type T other.cubin X"},
	".sig":   {"assign -target sm_90 -sig TEXT", "assign -why -target sm_90 -sig TEXT"},
	".proto": {"assign -target sm_90 -proto TEXT"},
	".json":  {"verify -layout X -kernel _Z4step1PPfi other.cubin"},
	".sass":  {"annotate X", "annotate -format json -registers X"},
	".jsonl": {"batch"},
	".cubin": {"stack X", "stack -format json X", "stack -format svg X", "link X other.cubin", "verify X step.cu", "diff X X", "images -format json X", "assign -all X"},
}

// A cost is that of a command: memory in all, which is counted, and time of processors, in which other programs have a small part.
type cost struct {
	bytes uint64
	time  time.Duration
}

// taken is the cost of a command of readers for a file.
func taken(t *testing.T, command, file string, text []byte) (c cost, r result) {
	args := strings.Fields(command)
	for i, a := range args {
		switch a {
		case "X":
			args[i] = file
		case "X.sass":
			args[i] = file + ".sass"
		case "TEXT":
			args[i] = string(text)
		}
	}
	processor := func() time.Duration {
		var u syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c.time = -processor()
	r = ptxabi(text, args...)
	c.time += processor()
	runtime.ReadMemStats(&after)
	c.bytes = after.TotalAlloc - before.TotalAlloc
	return c, r
}

// compareCosts runs the commands for texts that write makes in two sizes: neither memory nor time grows faster than n log n.
// Time is looked at in the gate alone, where sizes are such that it shows, and three times where it seems to.
func compareCosts(t *testing.T, name, ext string, n int, write func(file string, n int) []byte) {
	small, large := "small"+ext, "large"+ext
	texts := [2][]byte{write(small, n), write(large, 8*n)}
	for i, c := range readers[ext] {
		if n := min(len(readers[ext]), 5); !effort.Long() && i%n != len(name)%n {
			continue // a fifth of them, another one for each shape
		}
		if strings.Contains(c, "X.sass") {
			for _, file := range []string{small, large} {
				require.NoError(t, os.WriteFile(file+".sass", []byte(ptxabi(nil, "lower", file).stdout), 0o666))
			}
		}
		one, _ := taken(t, c, small, texts[0])
		eight, r := taken(t, c, large, texts[1])
		slow := func() bool { return effort.Long() && eight.time > 12*one.time+500*time.Millisecond }
		for i := 0; i < 2 && slow(); i++ {
			again, _ := taken(t, c, small, texts[0])
			more, _ := taken(t, c, large, texts[1])
			one.time, eight.time = max(one.time, again.time), min(eight.time, more.time)
		}
		said, _, _ := strings.Cut(r.stderr, "\n")
		t.Logf("%-32s %-32s %12d %12d  %5.1f %10v %10v  %d %.100s", name, c, one.bytes, eight.bytes, float64(eight.bytes)/float64(one.bytes), one.time, eight.time, r.status, said)
		assert.Less(t, eight.bytes, 12*one.bytes+1<<20, "%s, %q: %d bytes for %d, %d for eight times as much", name, c, one.bytes, n, eight.bytes)
		assert.False(t, slow(), "%s, %q: %v for %d, %v for eight times as much", name, c, one.time, n, eight.time)
	}
}

// TestCost runs commands over texts of each shape, and over others with eight times as much; -v writes the table.
func TestCost(t *testing.T) {
	inCostDir(t)
	all := shapes
	for _, s := range bench.Listings {
		all = append(all, shape{s.What, "x.sass", 100, func(n int) string { return string(s.Text(n)) }})
	}
	for _, s := range all {
		n := s.n
		switch {
		case n >= beyond && !effort.Long():
			continue // it takes long to be refused so often
		case n == 100:
			n = effort.Of(50, 1000)
		}
		kinds := []string{filepath.Ext(s.file)}
		if kinds[0] == ".h" {
			kinds = append(kinds, ".cu")
		}
		for _, ext := range kinds {
			t.Run(s.name+ext, func(t *testing.T) {
				compareCosts(t, s.name, ext, n, func(file string, n int) []byte {
					text := s.text(n)
					switch ext {
					case ".ptx":
						text = ".version 8.7\n.target sm_90\n.address_size 64\n" + text + "\n"
					case ".cu":
						text += "\n__global__ void k(struct s a);"
					}
					require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
					return []byte(text)
				})
			})
		}
	}
}

// inCostDir changes to a folder with the files that readers name. It returns other.cubin.
func inCostDir(t *testing.T) []byte {
	t.Helper()
	base := must.Read(t, "../../internal/tool/verify/testdata/debug-sm_80-12.4.cubin")
	source := must.Read(t, "../../internal/tool/verify/testdata/debug.cu")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("step.cu", source, 0o666))
	require.NoError(t, os.WriteFile("step.ptx", []byte(".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry step(){ret;}"), 0o666))
	require.NoError(t, os.WriteFile("other.cubin", base, 0o666))
	return base
}

package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
)

// A shape is a kind of module that lowering which is not linear is slow on; n is
// the smaller of two sizes.
type shape struct {
	name string
	n    int
	text func(n int) []byte
}

// shapes are those of lowering alone, beside those of [bench.Shapes].
var shapes = []shape{
	{"formals", 2000, func(n int) []byte {
		return module("", ".visible .func f(%s)\n{\n\t.reg .b32 %%r<2>;\n%s\tret;\n}\n",
			join(n, ",", ".param .b32 p%[1]d"), join(n, "", "\tld.param.b32 %%r1, [p%[1]d];\n\tst.global.b32 [%%r1], %%r1;\n"))
	}},
	{"backward", 2000, func(n int) []byte { // stores from the last word to the first
		return module(fmt.Sprintf(".extern .func g(.param .align 4 .b8 a[%d]);\n", 4*n),
			".visible .func f()\n{\n\t.reg .b32 %%r<2>;\n\t.param .align 4 .b8 b[%d];\n%s\tcall g, (b);\n\tret;\n}\n",
			4*n, join(n, "", "\tst.param.b32 [b+%[2]d], %%r1;\n"))
	}},
	{"forwards", 2000, func(n int) []byte { // words of one variable passed on, each store across two words
		return module(fmt.Sprintf(".extern .func g(.param .align 4 .b8 a[%d]);\n", 4*n+8),
			".visible .func f(.param .align 4 .b8 a[%d])\n{\n\t.reg .b32 %%r<%d>;\n\t.param .align 4 .b8 b[%d];\n%s%s\tst.param.b16 [b], 0;\n\tcall g, (b);\n\tret;\n}\n",
			4*n+8, n, 4*n+8, join(n, "", "\tld.param.b32 %%r%[1]d, [a+%[3]d];\n"), join(n, "", "\tst.param.b32 [b+%[3]d], %%r%[1]d;\n"))
	}},
	{"ranges", 2000, func(n int) []byte { // ranges of one name in nested blocks
		return module("", ".visible .func f(.param .b32 p)\n{\n\t.reg .b32 %%r<%d>;\n%s%s\tret;\n}\n",
			n+1, join(n, "", "\t{\n\t.reg .b32 %%r<%[4]d>;\n\tld.param.b32 %%r"+fmt.Sprint(n)+", [p];\n"), strings.Repeat("\t}\n", n))
	}},
	{"repeated", 2000, func(n int) []byte { // one label in many blocks, used in all
		return module("", ".visible .func f()\n{\n\t.reg .pred %%p<2>;\n%s\tret;\n}\n",
			join(n, "", "\t{\n$L:\n\t@%%p1 bra $L;\n\t}\n"))
	}},
	{"shadowed", 2000, func(n int) []byte { // one label declared twice, used deep down
		return module("", ".visible .func f()\n{\n\t.reg .pred %%p<2>;\n\t{\n$L:\n\t}\n$L:\n%s%s\tret;\n}\n",
			join(n, "", "\t{\n\t@%%p1 bra $L;\n"), strings.Repeat("\t}\n", n))
	}},
	{"spread", 1000, func(n int) []byte { // stores far from the call, with registers mentioned between
		return module(fmt.Sprintf(".extern .func g(.param .align 4 .b8 a[%d]);\n", 4*n),
			".visible .func f()\n{\n\t.reg .b32 %%r<%d>;\n\t.param .align 4 .b8 b[%d];\n%s\tcall g, (b);\n\tret;\n}\n",
			n, 4*n, join(n, "", "\tadd.s32 %%r%[1]d, %%r%[1]d, 1;\n\tst.param.b32 [b+%[3]d], %%r%[1]d;\n\tadd.s32 %%r0, %%r0, %%r%[1]d;\n"))
	}},
	{"kept", 1000, func(n int) []byte { // results of calls read after other calls
		return module(".extern .func (.param .b32 r) g(.param .b32 a);\n",
			".visible .func f()\n{\n\t.reg .b32 %%r<2>;\n%s%s\tret;\n}\n",
			join(n, "", "\t.param .b32 x%[1]d;\n\t.param .b32 y%[1]d;\n\tst.param.b32 [x%[1]d], 0;\n\tcall (y%[1]d), g, (x%[1]d);\n"), join(n, "", "\tld.param.b32 %%r1, [y%[1]d];\n"))
	}},
	{"bodies", 1000, func(n int) []byte {
		return module("", "%s", join(n, "", ".visible .func f%[1]d(.param .b32 p)\n{\n\t.reg .b32 %%r<2>;\n\tld.param.b32 %%r1, [p];\n\tret;\n}\n"))
	}},
}

// module puts the head of a module and declarations before a text.
func module(decls, format string, args ...any) []byte {
	return fmt.Appendf([]byte(bench.Head+decls), format, args...)
}

// join formats n parts: [1] is the number of the part, [2] and [3] the offset of
// a word, from the last and from the first, the latter of a halfword further on
// where the format says so, [4] the number from the last.
func join(n int, sep, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(strings.Split(fmt.Sprintf(format+"\x00%[1]d%[2]d%[3]d%[4]d", i, 4*(n-1-i), 4*i, n-i), "\x00")[0])
	}
	return b.String()
}

// BenchmarkScale lowers modules of each shape at two sizes, one eight times the
// other.
func BenchmarkScale(b *testing.B) {
	target := must.Target(b, "sm_80")
	list := shapes
	for _, s := range bench.Shapes {
		if s.Name != "errors" {
			list = append(list, shape{s.Name, s.Small, s.Text})
		}
	}
	for _, s := range list {
		for _, n := range []int{s.n, 8 * s.n} {
			b.Run(fmt.Sprintf("%s/size=%d", s.name, n), func(b *testing.B) {
				text := s.text(n)
				m := must.Parse(b, s.name, text)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := lower.Module(m, target, lower.Options{Workers: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

package ptx_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// requireParses checks what is cheap to check of a text that may be mangled.
func requireParses(t *testing.T, src []byte) {
	t.Helper()
	m, err := ptx.Parse("in.ptx", src)
	require.NotNil(t, m)
	var list diag.List
	if errors.As(err, &list) {
		requireErrors(t, src, list)
	}
}

// TestCutModules reads every real module cut at 200 places, the large ones at
// fewer.
func TestCutModules(t *testing.T) {
	t.Parallel()
	for _, f := range realFiles(t) {
		src := must.Read(t, f)
		places := effort.Of(20, 200)
		if len(src) > 100_000 {
			places = effort.Of(2, 10)
		}
		for i := range places {
			requireParses(t, src[:len(src)*i/places])
		}
	}
}

// TestMangledModules reads real modules with some bytes, and some tokens,
// changed, doubled, exchanged or taken away.
func TestMangledModules(t *testing.T) {
	t.Parallel()
	rounds := effort.Of(2, 5)
	r := rand.New(rand.NewPCG(1, 2))
	files := realFiles(t)
	other := must.Read(t, files[0])
	for _, f := range files {
		src := must.Read(t, f)
		if len(src) > 1<<20 {
			continue
		}
		for range rounds {
			requireParses(t, mangleBytes(r, src))
			requireParses(t, mangleTokens(r, src, 1+r.IntN(20)))
			at, from := r.IntN(len(src)+1), r.IntN(len(other)+1)
			requireParses(t, append(bytes.Clone(src[:at]), other[from:]...))
		}
	}
}

// TestMangledCases does the same with the cases of the other tests, which are
// small and hold every construct, and checks all there is to check.
func TestMangledCases(t *testing.T) {
	t.Parallel()
	rounds := effort.Of(15, 100)
	var all [][]byte
	for _, glob := range []string{"testdata/tree/*.txtar", "testdata/errors/*.ptx"} {
		files := must.Glob(t, glob)
		for _, f := range files {
			src := must.Read(t, f)
			if _, in, ok := bytes.Cut(src, []byte("-- in.ptx --\n")); ok {
				src, _, _ = bytes.Cut(in, []byte("-- tree --\n"))
			}
			all = append(all, src)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, src := range all {
		for range rounds {
			requireSound(t, mangleBytes(r, src))
			requireSound(t, mangleTokens(r, src, 1+r.IntN(4)))
		}
	}
}

func mangleBytes(r *rand.Rand, src []byte) []byte {
	const bytes = "(){}[];,.:@!%+-*/<>=\"'#\\ \n\r\tx0\x00\xc3"
	out := append([]byte(nil), src...)
	for range 1 + r.IntN(8) {
		out[r.IntN(len(out))] = bytes[r.IntN(len(bytes))]
	}
	return out
}

// mangleTokens changes n words of src. What it takes for words is what blanks
// and punctuation separate.
func mangleTokens(r *rand.Rand, src []byte, n int) []byte {
	words := strings.FieldsFunc(string(src), func(c rune) bool { return c == ' ' })
	if len(words) == 0 {
		return src
	}
	var cut []string
	for _, w := range words {
		for w != "" {
			i := strings.IndexAny(w[1:], "(){}[];,.:@%+-/<>=\"\n\t") + 1
			if i == 0 {
				i = len(w)
			}
			cut = append(cut, w[:i])
			w = w[i:]
		}
		cut = append(cut, " ")
	}
	for range n {
		i, j := r.IntN(len(cut)), r.IntN(len(cut))
		switch r.IntN(4) {
		case 0:
			cut[i] = ""
		case 1:
			cut[i] = cut[j]
		case 2:
			cut[i] += cut[j]
		default:
			cut[i], cut[j] = cut[j], cut[i]
		}
	}
	return []byte(strings.Join(cut, ""))
}

// hard are texts that are hard on parsers, as functions of their size.
var hard = map[string]func(n int) string{
	"blocks":               in(rep("{")),
	"closed blocks":        in(func(n int) string { return strings.Repeat("{", n) + strings.Repeat("}", n) }),
	"empty blocks":         in(rep("{}")),
	"operand parentheses":  in(func(n int) string { return "x " + strings.Repeat("(", n) }),
	"operand brackets":     in(func(n int) string { return "x " + strings.Repeat("[(", n) + ";" }),
	"call parentheses":     in(func(n int) string { return "call f, (" + strings.Repeat("(", n) }),
	"calls cut short":      in(rep("call f, ((((\n")),
	"constant parentheses": in(func(n int) string { return "call f, (" + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + ");" }),
	"signs":                in(func(n int) string { return "call f, (" + strings.Repeat("-", n) + "1);" }),
	"sum":                  in(func(n int) string { return "call f, (1" + strings.Repeat("+1", n) + ");" }),
	"conditionals":         in(func(n int) string { return "call f, (1" + strings.Repeat("?1:1", n) + ");" }),
	"casts":                in(func(n int) string { return "call f, (" + strings.Repeat("(.u64)", n) + "1);" }),
	"vectors":              in(func(n int) string { return "call f, (" + strings.Repeat("{", n) + ");" }),
	"arguments":            in(func(n int) string { return "call f, (a" + strings.Repeat(", a", n) + ");" }),
	"targets":              in(func(n int) string { return "T: .calltargets a" + strings.Repeat(", a", n) + ";" }),
	"elements":             in(func(n int) string { return "ld.param.v4.b32 {a" + strings.Repeat(", a", n) + "}, [x];" }),
	"access dots":          in(func(n int) string { return "ld.param" + strings.Repeat(".b32", n) + " a, [x];" }),
	"spaced dots":          in(func(n int) string { return "ld" + strings.Repeat(" .x", n) + " a, [x];" }),
	"spaced dot lines":     in(func(n int) string { return "ld" + strings.Repeat("\n.x", n) + " a, [x];" }),
	"number":               in(func(n int) string { return "call f, (" + strings.Repeat("1", n) + ");" }),
	"float":                in(func(n int) string { return "call f, (1." + strings.Repeat("1", n) + ");" }),
	"labels":               in(rep("L:")),
	"label lines":          in(rep("L:\n")),
	"guards":               in(rep("@p ")),
	"guard lines":          in(rep("@p\n")),
	"long name":            in(rep("a")),
	"long broken name":     in(func(n int) string { return strings.Repeat("%a.", n) }),
	"unfinished lines":     in(rep("add.s32 a, b, c\n")),
	"unfinished returns":   in(rep("ret\n")),
	"one line":             in(rep("add.s32 a, b, c; ")),
	"one broken line":      in(rep("add.s32 a), b, c; ")),
	"one instruction":      in(rep("a, ")),
	"instruction lines":    in(rep("a,\n")),
	"comment lines":        in(func(n int) string { return "x a," + strings.Repeat("// c\n", n) + "b;" }),
	"stray semicolons":     in(rep("; ")),
	"stray closers":        in(rep(")")),
	"broken declarations":  in(rep(".reg .b32 ")),
	"registers":            in(func(n int) string { return ".reg .b32 a" + strings.Repeat(", a", n) + ";" }),
	"dimensions":           in(func(n int) string { return ".local .b32 a" + strings.Repeat("[1]", n) + ";" }),
	"functions within":     in(rep(".func f();\n")),
	"unclosed functions":   rep(".func f() {\n"),
	"bodiless functions":   rep(".func f()\n"),
	"one line of heads":    rep(".func "),
	"heads after blanks":   func(n int) string { return strings.Repeat(" ", n) + strings.Repeat(".func .visible ", n) },
	"formals":              func(n int) string { return ".func f(" + strings.Repeat(".param .b32 a,", n) + ".reg .b32 a);" },
	"broken formals":       rep(".func f(.param .q a,"),
	"formals cut short":    rep(".func f(.param .b32 a\n"),
	"attributes":           func(n int) string { return ".global .attribute(" + strings.Repeat("(", n) },
	"initialiser":          func(n int) string { return ".global .b32 a = " + strings.Repeat("{", n) },
	"table":                func(n int) string { return ".global .b32 a[] = {" + strings.Repeat("1,", n) + "1};" },
	"tables cut short":     rep(".global .b32 a[] = {\n"),
	"sections":             rep(".section x {\n"),
	"nested section":       func(n int) string { return ".section x " + strings.Repeat("{", n) },
	"directives":           rep(".pragma \"x\";\n"),
	"unknown directives":   rep(".x "),
	"unknown lines":        rep(".x\n"),
	"locations":            rep(".loc 1 2 3, a b, "),
	"files":                func(n int) string { return ".file 1 \"a\"" + strings.Repeat(", 1", n) },
	"garbage":              rep("a b "),
	"garbage lines":        rep("a\n"),
	"closing braces":       rep("}"),
	"opening braces":       rep("{"),
	"open comments":        rep("/* "),
	"comments":             rep("/**/"),
	"slashes":              rep("/ "),
	"open strings":         rep("\""),
	"open string lines":    rep("\"\n"),
	"backslashes":          rep("\\"),
	"hashes":               rep("# "),
	"hash lines":           rep("# 1 \"a\"\n"),
	"bad bytes":            rep("\xc3"),
	"bad bytes apart":      rep("\xc3 "),
	"blanks":               rep(" "),
	"line ends":            rep("\n"),
	"carriage returns":     rep("\r"),
	"zero bytes":           rep("\x00"),
	"DWARF lines":          rep("@@DWARF x\n"),
	"DWARF":                rep("@@DWARF \"/*"),
	"braces and blanks":    in(func(n int) string { return "%x" + strings.Repeat("} ", n) }),
	"brace and blanks":     in(func(n int) string { return "%x {}" + strings.Repeat(" ", n) }),
}

func rep(text string) func(int) string {
	return func(n int) string { return strings.Repeat(text, n) }
}

// in puts a text into the body of a function.
func in(text func(int) string) func(int) string {
	return func(n int) string { return ".func f()\n{\n" + text(n) + "\n}\n" }
}

// TestHardTexts checks that no text makes the parser or the printer overflow
// the stack, or takes time out of proportion to its length.
func TestHardTexts(t *testing.T) {
	for name, text := range hard {
		t.Run(name, func(t *testing.T) {
			n := effort.Of(20_000, 1_000_000)
			if unit := len(text(2)) - len(text(1)); unit > 1 {
				n = min(n, 100_000)
			}
			src := []byte(text(n))
			start := time.Now()
			m, err := ptx.Parse("in.ptx", src)
			parsed := time.Since(start)
			out := m.AppendText(nil)
			printed := time.Since(start) - parsed
			require.LessOrEqual(t, len(out), 40*len(src)+100)
			var list diag.List
			if errors.As(err, &list) {
				requireErrors(t, src, list)
			}
			t.Logf("%d bytes: parsed in %v (%.0f ns/byte), printed in %v", len(src), parsed,
				float64(parsed.Nanoseconds())/float64(len(src)), printed)
			// A quadratic step shows as minutes, not as a fraction of this.
			limit := 30*time.Second + time.Duration(len(src))*500*time.Nanosecond
			require.Less(t, parsed, limit)
			require.Less(t, printed, limit)
		})
	}
}

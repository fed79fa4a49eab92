package lsp

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// scopes is a module whose names mean different things in different places. A name that is marked, in the same way as
// another, means the same; marks are taken out before the text is read.
//
//go:embed testdata/text/scopes.ptx
var scopes string

// marked takes the marks out of a text, and returns the offsets of the names after each.
func marked(src string) (text string, at map[string][]int) {
	at = make(map[string][]int)
	for {
		before, rest, ok := strings.Cut(src, "«")
		text += before
		if !ok {
			return text, at
		}
		mark, after, _ := strings.Cut(rest, "»")
		at[mark] = append(at[mark], len(text))
		src = after
	}
}

// TestReferences asks at each marked name for all places that mean the same, and for the declaration, which is the
// first of its mark.
func TestReferences(t *testing.T) {
	src, at := marked(scopes)
	a := newAnalysis("file:///x", newText(src, true), configuration{})
	require.Len(t, at, 8)
	for mark, offs := range at {
		for _, off := range offs {
			p := &params{Position: a.text.at(off)}
			p.Context.IncludeDeclaration = true
			var got, want []int
			word := src[off : off+1+wordLen(src[off+1:])]
			for _, other := range offs {
				// Of registers of a range others have other numbers.
				if w := src[other : other+1+wordLen(src[other+1:])]; w == word || w == "%r" || word == "%r" {
					want = append(want, other)
				}
			}
			for _, l := range a.references(p).([]location) {
				got = append(got, a.text.offset(l.Range.Start))
			}
			assert.Equal(t, want, got, "%s: %s at %d", mark, word, off)
			decl := offs[0]
			if mark == "l" {
				decl = offs[1]
			}
			to, ok := a.definition(p).(location)
			require.True(t, ok, "%s: %s", mark, word)
			assert.Equal(t, decl, a.text.offset(to.Range.Start), "%s: %s", mark, word)
		}
	}
	for _, word := range []string{"x and", "add.s32", ".pragma", "_)"} { // no names
		p := &params{Position: a.text.at(strings.Index(src, word))}
		assert.Empty(t, a.references(p), word)
		assert.Nil(t, a.definition(p), word)
	}
}

// showTokens are tokens with their types, by lines.
func showTokens(a *analysis, data []int) string {
	var b strings.Builder
	at := position{}
	for ; len(data) > 0; data = data[5:] {
		if data[0] > 0 {
			b.WriteString("\n")
			at.Character = 0
		}
		at = position{at.Line + data[0], at.Character + data[1]}
		from := a.text.offset(at)
		to := a.text.offset(position{at.Line, at.Character + data[2]})
		fmt.Fprintf(&b, "%s:%s", a.text.src[from:to], tokenTypes[data[3]])
		for i, m := range tokenModifiers {
			if data[4]>>i&1 != 0 {
				b.WriteString("," + m)
			}
		}
		b.WriteString(" ")
	}
	return b.String()
}

// TestSemanticTokens has what is asked line by line be the same as what is asked at once, where a text is not too large for that.
func TestSemanticTokens(t *testing.T) {
	a := newAnalysis("file:///x", newText(module, false), configuration{})
	var parts strings.Builder
	for n := range strings.Count(module, "\n") {
		parts.WriteString(showTokens(a, a.semanticTokensOf(&params{Range: span{position{n, 0}, position{n, 99}}}).(semanticTokens).Data) + "\n")
	}
	whole := strings.Fields(showTokens(a, a.semanticTokens(nil).(semanticTokens).Data))
	require.NotEmpty(t, whole)
	assert.Equal(t, whole, strings.Fields(parts.String()))
	large := newAnalysis("file:///x", newText(module+strings.Repeat(" ", maxFull), false), configuration{})
	assert.Nil(t, large.semanticTokens(nil), "for this a client asks what it shows")
	assert.NotEmpty(t, large.semanticTokensOf(&params{Range: span{position{0, 0}, position{9, 0}}}).(semanticTokens).Data)
}

// corpus are the modules of testdata/real, and some that are hard to lay out.
func corpus(t testing.TB) map[string]string {
	all := map[string]string{
		"module": module, "scopes": scopes, "crlf": strings.ReplaceAll(module, "\n", "\r\n"), "bom": "\ufeff" + module,
		"lines":   ".version 7.0\n# 1 \"k.cu\"\n.target sm_80\n.func f()\n{\n# 2   \"k.cu\"   2\nadd.s32 %r1,\n  # 3 \"k.cu\"\n%r1, 1;\n}\n@@DWARF .section  .debug\n@@DWARF   .b8 1\n",
		"garbage": "\x00\xff {{{ ) } \"open\\\nadd  %r1;\n/* open",
		"broken":  ".version 7.0\n.func f\n{ add.s32\n%r1, }\n  } }\n\t.func g(\n",
	}
	for _, f := range effort.RealModules(t, "../../..") {
		data := must.Read(t, f)
		all[filepath.Base(f)] = string(data)
	}
	return all
}

// format applies what formatting answers.
func format(t testing.TB, src string, p *params) string {
	t.Helper()
	a := newAnalysis("file:///x", newText(src, false), configuration{})
	var b strings.Builder
	last := 0
	for _, e := range a.formatting(p).([]textEdit) {
		from, to := a.text.offset(e.Range.Start), a.text.offset(e.Range.End)
		require.GreaterOrEqual(t, from, last)
		b.WriteString(src[last:from] + e.NewText)
		last = to
	}
	return b.String() + src[last:]
}

// parts are the tokens of a text, comments among them, by the lines that they stand on.
func parts(src string) (all []string) {
	text := newText(src, true)
	for tok, ok := text.next(0); ok; tok, ok = text.next(tok.to) {
		part := src[tok.from:tok.to]
		if strings.HasPrefix(part, "//") {
			part = strings.TrimRight(part, " \t")
		}
		all = append(all, fmt.Sprint(text.at(tok.from).Line, " ", part))
	}
	return all
}

// TestFormatting holds that formatting keeps every token and comment on its line, says the same to the parser, and
// changes nothing the second time.
func TestFormatting(t *testing.T) {
	var spaces params
	spaces.Options.TabSize, spaces.Options.InsertSpaces = 4, true
	for name, src := range corpus(t) {
		for i, p := range []*params{{}, &spaces} {
			if i > 0 && len(src) > effort.Of(20_000, len(src)) {
				break // what differs is what a line begins with
			}
			out := format(t, src, p)
			require.Equal(t, parts(src), parts(out), name)
			require.Equal(t, out, format(t, out, p), name)
			before, _ := ptx.ParseString("", src)
			after, _ := ptx.ParseString("", out)
			require.Equal(t, string(before.AppendText(nil)), string(after.AppendText(nil)), name)
			require.Equal(t, strings.Count(src, "\r\n"), strings.Count(out, "\r\n"), name)
		}
	}
}

// TestCompletion has what a place may become: | is where the pointer is.
func TestCompletion(t *testing.T) {
	const head = ".version 7.8\n.target sm_80\n.global .u32 glob;\n.func helper(.param .b32 q) { ret; }\n"
	body := func(text string) string { return head + ".func f(.param .b32 par)\n{\n" + text + "\n}\n" }
	for _, c := range []struct {
		src       string
		has, hasn string // among the labels
	}{
		{body("\tld|"), "ld ldu ldmatrix", "add par helper"},
		{body("\t@%p ad|"), "add addc", "par"},
		{body("L: |"), "add setp bra tcgen05", "par helper .s32"},
		{body("\tadd.|"), ".s32 .rn .f16x2 .sat", ".param add .reg .nc"},
		{body("\tld.param.|b32 x;"), ".b32 .v2 .volatile", ".sat"},
		{body("\tld.shared::c|"), ".shared::cta .shared::cluster", ".s32"},
		{body("\t.|"), ".reg .param .loc", ".version .s32"},
		{body("\t.loc 1 2 3\n\tsu|"), "sub suld", "par"},
		{body("\t.reg .|"), ".b32 .pred", ".loc"},
		{body("\t.reg .b32 %r<3>; mov.b32 %r|, 1;"), "%r0 %r2", "%r3 par"},
		{body("\t{ .reg .b32 in; }\n\tmov.b32 |, 1;"), "par helper glob %tid f", "in q add"},
		{body("\tcall he|"), "helper", "par glob add"},
		{body("lab: bra la|;"), "lab", "par"},
		{body("\tret; // a|"), "", "add par"},
		{head + ".vi|\n", ".visible", ".version .s32"},
		{head + ".func f(.param .|\n", ".b32 .align", "add"},
		{"|", "", "add"},
		{".|", ".version .func", "add"},
	} {
		before, after, ok := strings.Cut(c.src, "|")
		require.True(t, ok)
		a := newAnalysis("file:///x", newText(before+after, false), configuration{})
		list := a.completions(&params{Position: a.text.at(len(before))}).(completionList)
		var labels []string
		for _, one := range list.Items {
			labels = append(labels, one.Label)
			assert.Equal(t, a.text.at(len(before)), one.Edit.Range.End)
			assert.Equal(t, before[a.text.offset(one.Edit.Range.Start):], one.Label[:len(before)-a.text.offset(one.Edit.Range.Start)], "what stands there is its beginning")
		}
		for _, want := range strings.Fields(c.has) {
			assert.Contains(t, labels, want, c.src)
		}
		for _, not := range strings.Fields(c.hasn) {
			assert.NotContains(t, labels, not, c.src)
		}
		assert.LessOrEqual(t, len(labels), maxCompletions)
	}
}

// TestAnywhere asks everything at places of texts that end anywhere, as they do while a user types. Nothing panics.
func TestAnywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	all := corpus(t)
	names := slices.Sorted(maps.Keys(all))
	for range effort.Of(100, 20000) {
		name := names[random.IntN(len(names))]
		src := all[name]
		from := random.IntN(len(src) + 1)
		src = src[:from]
		if random.IntN(2) == 0 { // a piece is missing, and what follows is there
			src += all[name][min(from+random.IntN(40), len(all[name])):]
		}
		if len(src) > 100_000 {
			src = src[len(src)-100_000:]
		}
		a := newAnalysis("file:///x", newText(src, random.IntN(2) == 0), configuration{})
		p := &params{Position: a.text.at(max(0, len(src)-random.IntN(200)-1))}
		if random.IntN(2) == 0 {
			p.Position = a.text.at(random.IntN(len(src) + 1))
		}
		p.Range = span{p.Position, a.text.at(min(len(src), a.text.offset(p.Position)+2000))}
		p.Context.IncludeDeclaration = true
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Fatalf("%s up to %d at %v: %v\n%s", name, from, p.Position, r, debug.Stack())
				}
			}()
			for method, answer := range answers {
				if method != "textDocument/semanticTokens/full" && method != "textDocument/formatting" || len(src) < 20_000 {
					data, err := json.Marshal(answer(a, p))
					require.NoError(t, err)
					require.NotContains(t, string(data), `":null`, "%s: clients take no null in an answer", method)
				}
			}
		}()
	}
}

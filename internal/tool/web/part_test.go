package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// many is a module of n functions, f0 and so on, of 250 lines each.
func many(n int) string {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_90\n")
	for i := range n {
		fmt.Fprintf(&b, ".visible .func f%d(.param .b32 x)\n{\n\t.reg .b32 %%r<3>;\n\tld.param.b32 %%r1, [x];\n%s\tret;\n}\n", i, strings.Repeat("\tadd.s32 %r2, %r1, %r1;\n", 244))
	}
	return b.String()
}

// TestPart asks about the function at a line alone.
func TestPart(t *testing.T) {
	text := many(30)
	for _, tt := range []struct {
		line int
		want string
	}{{0, "f0"}, {1, "f0"}, {3, "f0"}, {252, "f0"}, {253, "f1"}, {1e6, "f29"}, {-1, "f0"}} {
		r := web.Answer(web.Request{Text: text, Near: tt.line, Part: true})
		assert.Equal(t, tt.want, r.Part, tt.line)
		assert.Len(t, r.Names, 30)
		assert.Empty(t, r.Groups)
		if assert.Len(t, r.Values, 1) {
			assert.Equal(t, tt.want, r.Values[0].Of)
		}
		assert.Equal(t, tt.want+":", r.Listing.Lines[1].Text)
		assert.Empty(t, r.Notes)
	}
	// A choice, and texts without functions, leave no part of what is asked.
	assert.Empty(t, web.Answer(web.Request{Text: text, Near: 3, Part: true, Only: "f2"}).Part)
	for _, text := range []string{"", ".version 8.0\n.target sm_90\n", "struct S { int a; };"} {
		assert.Empty(t, web.Answer(web.Request{Text: text, Near: 3, Part: true}).Part, text)
	}
	// Compared, both are about it.
	r := web.Answer(web.Request{Text: text, Near: 300, Part: true, Against: "sm_100"})
	if assert.NotNil(t, r.Other) {
		assert.Equal(t, "f1:", r.Other.Listing.Lines[1].Text)
	}
}

// TestNear shows of too much what begins at a line, and at the end as much as there is room for.
func TestNear(t *testing.T) {
	text := many(30)
	for _, tt := range []struct {
		line          int
		drawn, listed string
		note          string
	}{
		{0, "f0", "f0:", "the first 24 of 30 functions are drawn"},
		{3 + 3*250, "f3", "f3:", "24 of 30 functions are drawn, from f3 on"},
		{3 + 29*250, "f6", "f14:", "24 of 30 functions are drawn, from f6 on"},
	} {
		r := web.Answer(web.Request{Text: text, Near: tt.line})
		assert.Equal(t, tt.drawn, r.Values[0].Of)
		assert.Equal(t, tt.listed, r.Listing.Lines[1].Text)
		assert.Contains(t, strings.Join(r.Notes, "\n"), tt.note)
		assert.Len(t, r.Values, 24)
	}
}

// TestNearC shows of too many functions, types and kernels of C those from the line in sight on.
func TestNearC(t *testing.T) {
	for _, tt := range []struct{ form, what, name string }{
		{"void f%d(int x);\n", "functions", "f"}, {"struct f%d { int a; };\n", "types", "f"}, {"__global__ void f%d(int x);\n", "kernels", "f"},
	} {
		var b strings.Builder
		for i := range 100 {
			fmt.Fprintf(&b, tt.form, i)
		}
		for near, want := range map[int]string{0: "f0", 1: "f0", 51: "f50", 100: "f76", 1 << 30: "f76"} {
			r := web.Answer(web.Request{Text: b.String(), Lang: "c++", Near: near})
			if !assert.NotEmpty(t, r.Values, tt) {
				continue
			}
			assert.Equal(t, want, r.Values[0].Of, "%s from line %d on", tt.what, near)
			assert.Len(t, r.Values, 24)
			note := fmt.Sprintf("24 of 100 %s are drawn, from %s on; any of them can be chosen by its name", tt.what, want)
			if want == "f0" {
				note = fmt.Sprintf("the first 24 of 100 %s are drawn; any of them can be chosen by its name", tt.what)
			}
			assert.Contains(t, r.Notes, note)
			// The value's own name is what is marked in the text.
			if span := r.Spans[0]; assert.NotEmpty(t, span.IDs) {
				line := 1 + strings.Count(b.String()[:span.From], "\n")
				assert.Equal(t, want, fmt.Sprintf("f%d", line-1))
			}
		}
	}
}

// TestDifferences lists no more than 400, and says how many there are.
func TestDifferences(t *testing.T) {
	of := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "__global__ void k%d(int x);\n", i)
		}
		return b.String()
	}
	for _, n := range []int{1, 400, 401} {
		r := web.Answer(web.Request{Text: of(n), Lang: "c++", Target: "sm_80", Against: "sm_90"})
		if !assert.NotNil(t, r.Diff) {
			continue
		}
		assert.Len(t, r.Diff.Rows, min(n, 400), n)
		assert.Equal(t, n, r.Diff.Found)
		said := ""
		for _, note := range r.Notes {
			if strings.Contains(note, "differences") {
				said += note
			}
		}
		want := ""
		if n > 400 {
			want = fmt.Sprintf("the first 400 of %d differences are listed", n)
		}
		assert.Equal(t, want, said, n)
	}
	// Types of two producers count too.
	for _, n := range []int{30, 400, 401} {
		var types strings.Builder
		for i := range n {
			fmt.Fprintf(&types, "struct S%d { float a; };\n", i)
		}
		r := web.Answer(web.Request{Text: types.String(), Lang: "c", Against: "gcc"})
		if assert.NotNil(t, r.Diff) {
			assert.Len(t, r.Diff.Rows, min(n, 400))
			assert.Equal(t, n, r.Diff.Found)
			assert.True(t, r.Diff.Breaks)
			assert.Equal(t, n > 400, strings.Contains(strings.Join(r.Notes, "\n"), fmt.Sprintf("the first 400 of %d differences are listed", n)))
		}
	}
}

// TestBounds is exact where the cuts begin.
func TestBounds(t *testing.T) {
	names := func(n int) string {
		return ".version 8.0\n.target sm_90\n" + strings.Repeat(".extern .func f@(.param .b32 x);\n", n)
	}
	numbered := func(s string) string {
		parts := strings.Split(s, "@")
		var b strings.Builder
		for i, p := range parts {
			b.WriteString(p)
			if i < len(parts)-1 {
				fmt.Fprint(&b, i)
			}
		}
		return b.String()
	}
	for n, want := range map[int]string{2000: "", 2001: "2000 of 2001 names can be chosen, those that are nearest to the line in sight"} {
		r := web.Answer(web.Request{Text: numbered(names(n)), Near: 3})
		assert.Len(t, r.Names, 2000)
		said := ""
		for _, note := range r.Notes {
			if strings.Contains(note, "names") {
				said += note
			}
		}
		assert.Equal(t, want, said, n)
	}
	// Two functions of 120 words are drawn, of 121 only one.
	for n, want := range map[int]int{120: 2, 121: 1} {
		one := ".extern .func f@(.param .b32 p0"
		for i := range n - 1 {
			one += fmt.Sprintf(", .param .b32 p%d", i+1)
		}
		r := web.Answer(web.Request{Text: numbered(".version 8.0\n.target sm_90\n" + strings.Repeat(one+");\n", 2))})
		drawn := map[string]bool{}
		for _, v := range r.Values {
			drawn[v.Of] = true
		}
		assert.Len(t, drawn, want, n)
		assert.Equal(t, want < 2, strings.Contains(strings.Join(r.Notes, "\n"), "the first 1 of 2 functions are drawn"))
	}
}

// TestCut draws few of functions and types that are large, and at least one.
func TestCut(t *testing.T) {
	wide := func(n int) string {
		var b strings.Builder
		b.WriteString(".version 8.0\n.target sm_90\n")
		for i := range n {
			fmt.Fprintf(&b, ".extern .func f%d(.param .b32 p0", i)
			for j := range 89 {
				fmt.Fprintf(&b, ", .param .b32 p%d", j+1)
			}
			b.WriteString(");\n")
		}
		return b.String()
	}
	of := func(r *web.Response) []string {
		var names []string
		for _, v := range r.Values {
			if len(names) == 0 || names[len(names)-1] != v.Of {
				names = append(names, v.Of)
			}
		}
		return names
	}
	r := web.Answer(web.Request{Text: wide(5)})
	assert.Equal(t, []string{"f0", "f1"}, of(r))
	assert.Contains(t, r.Notes, "the first 2 of 5 functions are drawn; any of them can be chosen by its name")
	r = web.Answer(web.Request{Text: wide(5), Near: 5})
	assert.Equal(t, []string{"f2", "f3"}, of(r))
	assert.Contains(t, r.Notes, "2 of 5 functions are drawn, from f2 on; any of them can be chosen by its name")
	r = web.Answer(web.Request{Text: wide(5), Near: 100})
	assert.Equal(t, []string{"f3", "f4"}, of(r))

	var large, kernels strings.Builder
	for i := range 3 {
		fmt.Fprintf(&large, "struct S%d { int a; };\n", i)
		fmt.Fprintf(&kernels, "__global__ void k%d(int a", i)
		for j := range 300 {
			fmt.Fprintf(&kernels, ", int p%d", j)
		}
		kernels.WriteString(");\n")
	}
	r = web.Answer(web.Request{Text: large.String()})
	assert.Equal(t, []string{"S0", "S1", "S2"}, of(r))
	r = web.Answer(web.Request{Text: kernels.String(), Lang: "c++"})
	assert.Equal(t, []string{"k0"}, of(r))
	assert.Contains(t, r.Notes, "the first 1 of 3 kernels are drawn; any of them can be chosen by its name")
	assert.Equal(t, []string{"k0", "k1", "k2"}, r.Names)
}

// TestNames lists so many names to choose from as a list has room for: those near the line in sight, and the chosen one.
func TestNames(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_90\n")
	for i := range 3000 {
		fmt.Fprintf(&b, ".extern .func f%d(.param .b32 x);\n", i)
	}
	for _, tt := range []struct {
		near        int
		only        string
		first, last string
	}{
		{0, "", "f0", "f1999"},
		{1500 + 3, "", "f500", "f2499"},
		{1 << 30, "", "f1000", "f2999"},
		{0, "f2900", "f0", "f2900"},
	} {
		r := web.Answer(web.Request{Text: b.String(), Near: tt.near, Only: tt.only})
		assert.Equal(t, []string{tt.first, tt.last}, []string{r.Names[0], r.Names[len(r.Names)-1]}, tt)
		assert.LessOrEqual(t, len(r.Names), 2001)
		assert.Contains(t, strings.Join(r.Notes, "\n"), "of 3000 names can be chosen, those that are nearest to the line in sight", tt)
	}
	// All on one line.
	r := web.Answer(web.Request{Text: strings.ReplaceAll(b.String(), ";\n", "; ")})
	assert.Len(t, r.Names, 2000)
}

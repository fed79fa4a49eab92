package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/web"
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

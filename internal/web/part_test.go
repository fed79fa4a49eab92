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

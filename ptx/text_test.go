package ptx_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// posOf is the position of the first occurrence of a text in src.
func posOf(t *testing.T, src, text string) diag.Pos {
	t.Helper()
	i := strings.Index(src, text)
	require.GreaterOrEqual(t, i, 0, text)
	return diag.Pos{Line: uint32(strings.Count(src[:i], "\n") + 1), Col: uint32(i - strings.LastIndexByte(src[:i], '\n'))}
}

func TestTokenEnd(t *testing.T) {
	const src = ".version 7.8\n.target sm_80\n\n.func f(.param .b32 q)\n{\n" +
		"\tld.param::func.b32 \t%r1, [q+0x10];\n\t@!%p1 bra L0;\n\tmov.f32 %f1, 1.5e-3; // end\n\t.pragma \"a\\\";\n\tmov.b32 %v.x, .5;\n}"
	m, err := ptx.ParseString("x.ptx", "\ufeff"+src+"\x00\x00")
	require.NoError(t, err)
	assert.Equal(t, "\ufeff"+src, m.Source())
	assert.Equal(t, diag.Pos{Line: 11, Col: 2}, m.NUL)
	for _, tt := range []struct{ at, token string }{
		{".version", ".version"},
		{"7.8", "7.8"},
		{"sm_80", "sm_80"},
		{"f(", "f"},
		{"(", "("},
		{"{", "{"},
		{"ld.param", "ld.param::func.b32"},
		{" \t%r1", ""},
		{"%r1", "%r1"},
		{"q+", "q"},
		{"0x10", "0x10"},
		{"@!%p1", "@!%p1"},
		{"L0", "L0"},
		{"1.5e-3", "1.5e-3"},
		{"// end", "//"},
		{"\"a", "\"a\\\""},
		{"%v.x", "%v.x"},
		{".5;", ".5"},
	} {
		pos := posOf(t, src, tt.at)
		want := diag.Pos{Line: pos.Line, Col: pos.Col + uint32(len(tt.token))}
		assert.Equal(t, want, m.TokenEnd(pos), tt.at)
	}
	assert.Equal(t, m.NUL, m.TokenEnd(m.NUL), "the end of the text")
	for _, pos := range []diag.Pos{{}, {Line: 1}, {Line: 1, Col: 14}, {Line: 12, Col: 1}, {Line: 11, Col: 3}} {
		assert.Zero(t, m.TokenEnd(pos), "%v is outside of the text", pos)
	}
	assert.Equal(t, diag.Pos{Line: 1, Col: 13}, m.TokenEnd(diag.Pos{Line: 1, Col: 13}), "the end of a line")

	byHand := &ptx.Module{}
	assert.Zero(t, byHand.TokenEnd(diag.Pos{Line: 1, Col: 1}))
	assert.Empty(t, byHand.Source())
	assert.Zero(t, (*ptx.Module)(nil).TokenEnd(diag.Pos{Line: 1, Col: 1}))
}

// TestTokenEndAtOnce looks up from several goroutines, the first of which looks for the
// lines.
func TestTokenEndAtOnce(t *testing.T) {
	m, err := ptx.ParseString("x.ptx", strings.Repeat(".global .b32 x;\n", 1000))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for line := range uint32(1000) {
				assert.Equal(t, diag.Pos{Line: line + 1, Col: 8}, m.TokenEnd(diag.Pos{Line: line + 1, Col: 1}))
			}
		})
	}
	wg.Wait()
}

func TestErrorsHaveEnds(t *testing.T) {
	for _, tt := range []struct{ src, text string }{
		{".func f() { call g, (; }", ";"},
		{".func f() { ret }", ""},
		{".func f() { ret; ", ""},
		{".func f() { ld.param.u32 %r1, x; }", ";"},
		{".global .u32 7;", "7"},
		{"\"abc", "\"abc"},
		{".pragma \"abc\n", "\"abc"},
		{"/* x", "/*"},
		{".func f() { mov.b32 a, \xc3\xa4; }", "\xc3\xa4"},
		{".target sm_80\x00 .version 8.0", "\x00"},
		{"\x7fELF", "\x7f"},
	} {
		_, err := ptx.ParseString("x.ptx", tt.src)
		var list diag.List
		require.True(t, errors.As(err, &list), tt.src)
		e := list[0]
		from, to := int(e.Pos.Col)-1, int(e.End.Col)-1
		require.Equal(t, e.Pos.Line, e.End.Line)
		assert.Equal(t, tt.text, tt.src[from:to], "%v", e)
	}
}

func TestNUL(t *testing.T) {
	at := func(line, col uint32) diag.Pos { return diag.Pos{Line: line, Col: col} }
	for src, want := range map[string][2]diag.Pos{
		".version 8.0\n":                  {},
		".version 8.0\n\x00":              {at(2, 1), at(2, 2)},
		".version 8.0\x00\x00":            {at(1, 13), at(1, 15)},
		".version 8.0\r\n\x00 \n\x00\r\n": {at(2, 1), at(4, 1)},
		".func f() { ret; }\n/* c */\x00": {at(2, 8), at(2, 9)},
		"\ufeff\x00":                      {at(1, 1), at(1, 2)},
		".func f()\n{\n\tret;\n}\n\n\x00": {at(6, 1), at(6, 2)},
	} {
		m, err := ptx.ParseString("x.ptx", src)
		require.NoError(t, err, "%q", src)
		assert.Equal(t, want, [2]diag.Pos{m.NUL, m.NULEnd}, "%q", src)
	}
	for src, want := range map[string]diag.Pos{
		".func f() { ret; }\n// c\x00":             at(2, 5),
		".version 8.0 // a\x00b\n":                 at(1, 18),
		".version 8.0 /* a\n \x00b */\n":           at(2, 2),
		".func f() {\n\t// a\x00b\n\tret;\n}\n":    at(2, 6),
		".version 8.0\x00.target sm_80\x00":        at(1, 13),
		".func f() { ret; }\n// c\x00\n\x00\x00\n": at(2, 5),
	} {
		m, err := ptx.ParseString("x.ptx", src)
		require.Error(t, err, "%q", src)
		assert.Equal(t, want, m.Errors[0].Pos, "%q", src)
	}
}

// TestHeadOfHandMade prints what the fields of a module say and no item does.
func TestHeadOfHandMade(t *testing.T) {
	m := &ptx.Module{Version: ptx.Version{Major: 8, Minor: 1}, Target: "sm_90", AddressSize: 64}
	assert.Equal(t, ".version 8.1\n.target sm_90\n.address_size 64\n", string(m.AppendText(nil)))
	m.Items = []ptx.Item{
		&ptx.Directive{Name: ".target", Args: "sm_90, debug"},
		&ptx.Decl{Spec: ptx.Spec{Space: ptx.GlobalSpace, Type: ptx.B32}, Vars: []ptx.Var{{Name: "x"}, {Name: "y", Count: 2}, {Name: "z", Count: ptx.ZeroCount}}},
	}
	assert.Equal(t, ".version 8.1\n.address_size 64\n.target sm_90, debug\n.global .b32 x, y<2>, z<0>;\n", string(m.AppendText(nil)))
}

package annotate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestIndirect has what the indirect calls of a function have in common.
func TestIndirect(t *testing.T) {
	const head = ".version 7.0\n.target sm_80\n.address_size 64\n" +
		".func (.param .b32 res) one (.param .b32 x) { ret; }\n.func (.param .b32 res) two (.param .b32 y) { ret; }\n" +
		".global .u64 table[2] = { one, two };\n"
	const (
		narrow = "{ .param .b32 a; .param .b32 r; p: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %d, (a), p; }\n"
		other  = "{ .param .b32 b; .param .b32 r; q: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %d, (b), q; }\n"
		named  = "{ .param .b32 b; .param .b32 r; n: .callprototype (.param .b32 out) _ (.param .b32 in); call (r), %d, (b), n; }\n"
		wide   = "{ .param .b64 a; .param .b32 r; w: .callprototype (.param .b32 _) _ (.param .b64 _); call (r), %d, (a), w; }\n"
		listed = "{ .param .b32 a; .param .b32 r; l: .calltargets one, two; call (r), %d, (a), l; }\n"
		tabled = "{ .param .b32 a; .param .b32 r; call (r), %d, (a), table; }\n"
		inner  = "{ .global .u64 t[1] = { two }; .param .b32 a; .param .b32 r; call (r), %d, (a), t; }\n"
		direct = "call g, ();\n"
	)
	for _, tt := range []struct{ body, g, want string }{
		{narrow, "", "p: a R4 -> r R4"},
		{narrow + narrow, "", "p: a R4 -> r R4"},
		{narrow + other, "", "indirect: arg0 R4 -> r R4"},
		{named, "", "n: in R4 -> out R4"},
		{listed, "", "l: x R4 -> res R4"},
		{tabled, "", "table: x R4 -> res R4"},
		{inner, "", "t: y R4 -> res R4"},
		{narrow + wide, "", ""},
		{narrow + direct, "", "p: a R4 -> r R4"},
		{narrow + direct, narrow, "p: a R4 -> r R4"},
		{narrow + direct, wide, ""},
		{direct, wide, "w: a R4:R5 -> r R4"},
		{"call (%r), %d, (%r), nothing;\n", "", ""},
		{"", "", ""},
	} {
		src := head + ".func g () { .reg .b64 %d; " + tt.g + " ret; }\n.func f () { .reg .b64 %d; .reg .b32 %r; " + tt.body + " ret; }\n"
		m, err := ptx.Parse("x.ptx", []byte(src))
		require.NoError(t, err, src)
		row := must.Target(t, "sm_80")
		funcs, list := annotate.FromPTX(m, row)
		require.NoError(t, list.Err())
		f := funcs[len(funcs)-1]
		require.Equal(t, "f", f.Name)
		got := ""
		if f.Indirect != nil {
			got = f.Indirect.Signature()
		}
		assert.Equal(t, tt.want, got, strings.TrimSpace(tt.body))
	}
}

package lower_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/lower"
)

// unknownWords are declarations of n with a word or form that is not known: of the result and a parameter of h, and of
// its body.
var unknownWords = [][2]string{
	{"", ".reg .q32 n;"},
	{"", ".reg .b32 n[new];"},
	{"", ".reg .b64 n .new;"},
	{"", ".param .q32 n;"},
	{"", ".param .b32 n[new];"},
	{"", ".param .align new .b32 n;"},
	{"", ".newspace .b32 n;"},
	{"", ".newspace .b32 m, n;"},
	{"", ".shared::new .b32 n;"},
	{"", ".param::new .b32 n;"},
	{"", ".local .q32 n;"},
	{", .param .q32 n", ""},
	{", .newspace .b32 n", ""},
	{", .param .b32 n[new]", ""},
	{", .param .align new .b32 n", ""},
	{", .reg .q32 n", ""},
	{", .param .b32 n = 3", ""},
	{", .param .new .b32 n", ""},
	{", n", ""},
	{", .param .b32 n .new 3", ""},
}

// unknownUses are uses of n.
var unknownUses = []string{
	"", "ld.param.b32 n, [first];", "ld.param.b32 %r, [n];", "ld.param.b32 %r, [n+4];", "st.param.b32 [i], n;", "st.param.b32 [n], %r;", "ld.param.v2.b32 {n, %r}, [first];",
	"call (o), f, (n); ld.param.b32 %r, [o];", "call (n), f, (i);", "call (n), f, (i); ld.param.b32 %r, [n];", "st.param.b32 [n], %r; call (o), f, (n); ld.param.b32 %r, [o];",
	"call n, (), pv;", "call (o), n, (i), pr; ld.param.b32 %r, [o];", "@n call g;", "@n ld.param.b32 %r, [first];", "mov.u64 %p, n;", "mov.u64 n, first;", "cvta.param.u64 %p, n;",
	"ld.global.b32 %r, [n];", "add.s32 %r, n, 1;", "alloca.u64 n, 8;", "alloca.u64 %p, n;", "bra n;", "call %p, (), n;", "st.param.b32 [i], n.x;", "shfl.sync.bfly.b32 %r, n, 1, 31, -1;",
}

// TestUnknownWords lowers uses of what is declared with a word that is not known: of a known version that is one error at
// the word; of a later one a warning, and functions whose code depends on it say so in its place.
func TestUnknownWords(t *testing.T) {
	without := 0
	for _, word := range unknownWords {
		for _, use := range unknownUses {
			src := fmt.Sprintf(unknownAround, "9.0", word[0], word[1], use)
			var out strings.Builder
			var list diag.List
			require.ErrorAs(t, lower.Write(&out, src, lower.Options{}), &list, src)
			assert.Len(t, list, 1, "%v\n%s", list, src)

			src = fmt.Sprintf(unknownAround, "99.0", word[0], word[1], use)
			list, out = nil, strings.Builder{}
			require.NoError(t, lower.Write(&out, src, lower.Options{Diags: &list}), src)
			warnings := 0
			for _, d := range list {
				if d.Code == check.UnknownWord {
					warnings++
					assert.Equal(t, strings.Contains(out.String(), "// h has no code: "), len(d.Related) == 1, "%v\n%s", d, out.String())
				}
			}
			assert.Equal(t, 1, warnings, "%v\n%s", list, src)
			assert.Contains(t, out.String(), ".text.f -", "the others are lowered")
			if strings.Contains(out.String(), "has no code") {
				without++
			} else {
				assert.Contains(t, out.String(), "RET")
			}
		}
	}
	assert.Greater(t, without, 200)
	assert.Less(t, without, 450, "what does not depend on the word has its code")
}

//go:embed testdata/text/unknownAround.ptx
var unknownAround string

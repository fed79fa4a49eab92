package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// newWords are modules with words that no version of PTX up to the newest known has. MODULE, HEAD, FUNC, FORMAL, BODY and
// ARGS are places of the module around them.
func newWords() map[string]map[string]string {
	all := make(map[string]map[string]string)
	for _, args := range []string{"", " 1", " 1, 2", ` "x", 2`, ` "x";`, " 1, 2;", " (1, 2)", " name", " -1,\n 2", " [4]"} {
		all["module"+args] = map[string]string{"MODULE": ".newword" + args}
		all["body"+args] = map[string]string{"BODY": ".newword" + args}
		if !strings.HasSuffix(args, ";") { // a semicolon ends a head
			all["kernel"+args] = map[string]string{"HEAD": ".newword" + args}
			all["func"+args] = map[string]string{"FUNC": ".newword" + args}
		}
	}
	for i, text := range []string{
		".newword { a, \"}\" { 1 } }", ".newword 1 { a: b }", ".newword\n{\n}", ".hidden .func h();", ".hidden .global .b32 v;", ".newspace .b32 v;",
		".newspace .align 8 .b8 v[4] = { 1, 2 };", ".global .q32 v;", ".global .newattr .b32 v;", ".global .newattr(1) .b32 v;",
	} {
		all[fmt.Sprint("module ", i)] = map[string]string{"MODULE": text}
	}
	for i, text := range []string{
		".newword { 1 };", ".newspace .b32 %new; add.s32 %r, %new, 1;", ".reg .q32 %new;", ".param .q32 a;",
		"call.tail (_), f, (0);", "st.param::cluster.b32 [i], %r;", "ld.param.q32 %r, [x];", ".reg .newattr .b32 %new; mov.b32 %new, 1;",
	} {
		all[fmt.Sprint("body ", i)] = map[string]string{"BODY": text}
	}
	all["formal"] = map[string]string{"FORMAL": ", .param .newattr .b32 y"}
	return all
}

const aroundWords = `.version VERSION
.target sm_90
.address_size 64
MODULE
.visible .func (.param .b32 r) f(.param .b32 x) FUNC
{
	.reg .b32 %r;
	ld.param.b32 %r, [x];
	st.param.b32 [r], %r;
	ret;
}
.visible .entry k(.param .b64 x FORMAL) HEAD
{
	.reg .b32 %r;
	mov.b32 %r, 1;
	{
	.param .b32 i;
	.param .b32 o;
	BODY
	st.param.b32 [i], %r;
	call.uni (o), f, (i);
	ld.param.b32 %r, [o];
	}
	ret;
}
.visible .entry last(.param .align 8 .b8 s[12], .param .b8 c) { ret; }
`

// TestNewWords checks that words that are not known are one diagnostic, and that everything else of the module is
// answered.
func TestNewWords(t *testing.T) {
	all := newWords()
	require.Greater(t, len(all), 50)
	for name, words := range all {
		for _, version := range []string{"9.0", "9.9"} {
			text := strings.Replace(aroundWords, "VERSION", version, 1)
			for _, place := range []string{"MODULE", "HEAD", "FUNC", "FORMAL", "BODY"} {
				text = strings.Replace(text, place, words[place], 1)
			}
			m, list := check.Source("x.ptx", []byte(text), check.Options{Compile: true})
			want := diag.Error
			if version == "9.9" {
				want = diag.Warning
			}
			if assert.Len(t, list, 1, "%s at %s: %v\n%s", name, version, list, text) {
				assert.Equal(t, check.UnknownWord, list[0].Code, "%v\n%s", list, text)
				assert.Equal(t, want, list[0].Severity)
			}
			funcs, diags := resolve.AssignAll(resolve.Functions(m), target(t, "sm_90"))
			assert.Empty(t, diags)
			var last abi.Assignment
			names := ""
			for _, f := range funcs {
				names += f.Name + " "
				last = f.Places
			}
			assert.Contains(t, names, "f k last", "%s\n%s", name, text)
			assert.Equal(t, 13, last.Block.Size)
			requirePrinted(t, m)
		}
	}
}

func target(t *testing.T, name string) *abi.Target {
	t.Helper()
	found, err := abi.Lookup(name)
	require.NoError(t, err)
	return found
}

// requirePrinted checks that a tree prints as a module that is read as the same.
func requirePrinted(t *testing.T, m *ptx.Module) {
	t.Helper()
	text := m.AppendText(nil)
	again, err := ptx.Parse("x.ptx", text)
	require.NoError(t, err, "%s", text)
	assert.Equal(t, string(text), string(again.AppendText(nil)))
}

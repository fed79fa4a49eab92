package check_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
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
		".newword { a, \"}\" { 1 } }", ".newword { it's \\ $ ` ] }", ".newword 1 { a: b }", ".newword\n{\n}", ".hidden .func h();", ".hidden .global .b32 v;", ".newspace .b32 v;",
		".newspace .align 8 .b8 v[4] = { 1, 2 };", ".global .q32 v;", ".global .newattr .b32 v;", ".global .newattr(1) .b32 v;",
	} {
		all[fmt.Sprint("module ", i)] = map[string]string{"MODULE": text}
	}
	for i, text := range []string{
		".newword { 1 };", ".newword { it's \\ $ ` ] }", ".newspace .b32 %new; add.s32 %r, %new, 1;", ".reg .q32 %new;", ".param .q32 a;",
		"call.tail (_), f, (0);", "st.param::cluster.b32 [i], %r;", "ld.param.q32 %r, [x];", "ld.newspace.b32 %r, [x];", "st.newspace.b32 [x], %r;", ".reg .newattr .b32 %new; mov.b32 %new, 1;",
		"ld.global.zmod.u32 %r, [x];", "add.zz::a.u32 %r, %r, %r;", "zop.u32 %r, %r;", "@!%p zop.u32 %r, x;", "zop;", "zop [x], {%r, %new}, 0x5;", "zop.zz [o], 1;", "mov.zz.u32 %r, i;", "st.zmod.global.u32 [x], %r;",
		"call.zz (_), f, (0);", "bra.zz L; L:", "zop %new|%p, _, L; L:", "mov.u33 %r, 1;", "mov.u32.zz.yy %r, 1;", "Add.u32 %r, %r, 1;", "mov.u32 %r, %zreg; zop.u32 %r;",
	} {
		all[fmt.Sprint("body ", i)] = map[string]string{"BODY": text}
	}
	all["formal"] = map[string]string{"FORMAL": ", .param .newattr .b32 y"}
	return all
}

// newForms are words and forms that no version up to the newest known has, which need not be UnknownWord in a module
// of one of these.
var newForms = map[string][]string{
	"MODULE": {
		".newword { .func f( }", ".newfunc g(.param .b32 x) { .reg .b32 %r; ret; }", ".newfunc (.param .b32 r) g(.param .b32 x) .maxntid 3 { ret; }",
		".visible .hidden .func g() { ret; }", ".visible .cluster .b32 v[4];", ".hidden(1) .global .b32 v;", ".global::new .b32 v;", ".newword a: b;",
		"newword;", "newword 1, 2;", "newword { }", ".newword [1][2]", ".newword <4>", ".newword\n\t1,\n\t2", ".global .b32 v[4] .newtail 3;",
		".struct S { .b32 a; .b32 b; };", ".global .struct S v;", ".using namespace x;", ".new::sub 3",
	},
	"LINK":  {".hidden", ".hidden .visible", ".visible .hidden", ".weak .new", ".newlink 3"},
	"RES":   {".newword", ".newword 3", ".newword(3)"},
	"KNAME": {".newword", ".newword 3", ".newword(3)"},
	"FUNC":  {".newword", ".newword { 1 }", "newword", "newword 3"},
	"HEAD": {
		".newword { 1 }", ".newword {a} .maxntid 32", ".newword 1 .maxntid 32", "newword", "newword 3", ".newword\n\n1", ".maxntid 32, .new", ".maxntid new(3)",
		".newword <1>", ".newword a=b", ".newword x, y\n.maxntid 4",
	},
	"FORMAL": {
		", .param .b32 .ptr .new .align 4 y", ", .param .b32 y .new", ", .param .b32 y .new 3", ", .param::new .b32 y", ", .param .new(3) .b32 y", ", .param .b32 y = 3",
		", .param .align new .b32 y", ", .newspace .b32 y", ", .param .v4 .q32 y", ", ...",
	},
	"BODY": {
		".reg .b32 %n .new;", ".shared::new .b32 v;", ".loc 1 2 3 newattr", "newop `x`;", "newop \\x;", "newop #5;",
		"@%p.new mov.b32 %r, 1;", "@new(%p) mov.b32 %r, 1;", "@[%p] mov.b32 %r, 1;", "@~%p mov.b32 %r, 1;", "@.new %p mov.b32 %r, 1;", "@%p @%p mov.b32 %r, 1;",
		"call (_), f, (0), .new;", "call (_), f, (0) .new 3;", "call (_), f, (0), new=3;", "call (_), f::new, (0);", "call (_), [f], (0);", "call (_) = f(0);",
		"ld.param.b32 %r, [x:4];", "ld.param.b32 %r, [x] .new;", "ld.param.b32 <%r>, [x];", "ld.param.new.b32 %r, [x];", "ld.param.b32 %r, [x], 3;", "ld.param.v16.b32 %r, [x];",
		"st.param.b32 [i], %r, 3;", "st.param.b32 [i], new(%r);", "st.param.b32 [new(i)], %r;", "st.param.new.b32 [i], %r;",
		"L.new:", "L::", "p: .callprototype .new _ (.param .b32 _);", "p: .callprototype _ (.param .b32 _) .new;", "p: .callprototype _ .new (.param .b32 _);", "[[new]] mov.b32 %r, 1;", "newop ) x\n{\n\tone; two;\n}",
	},
}

//go:embed testdata/text/aroundWords.ptx
var aroundWords string

// future returns a module of a version with text in one of the places of aroundWords.
func future(version string, words map[string]string) string {
	text := strings.Replace(aroundWords, "VERSION", version, 1)
	for _, place := range []string{"MODULE", "LINK", "RES", "KNAME", "HEAD", "FUNC", "FORMAL", "BODY"} {
		word := words[place]
		if word == "" && place == "LINK" {
			word = ".visible"
		}
		text = strings.Replace(text, place, word, 1)
	}
	return text
}

// TestNewWords checks that words that are not known are one diagnostic, and that everything else of the module is
// answered.
func TestNewWords(t *testing.T) {
	all := newWords()
	require.Greater(t, len(all), 50)
	for name, words := range all {
		for _, version := range []string{"9.0", "9.9"} {
			text := future(version, words)
			m, list := check.Source("x.ptx", []byte(text), check.Options{Compile: true})
			if assert.Len(t, list, 1, "%s at %s: %v\n%s", name, version, list, text) {
				assert.Equal(t, check.UnknownWord, list[0].Code, "%v\n%s", list, text)
				assert.Equal(t, severityOf(version), list[0].Severity)
			}
			requireAnswered(t, m, name+"\n"+text)
			requirePrinted(t, m)
		}
	}
}

// TestNewForms checks the same of forms that are not known: at a known version they are an error.
func TestNewForms(t *testing.T) {
	for place, all := range newForms {
		for _, form := range all {
			for _, version := range []string{"9.0", "9.9"} {
				text := future(version, map[string]string{place: form})
				m, list := check.Source("x.ptx", []byte(text), check.Options{Compile: true})
				if assert.Len(t, list, 1, "%s %s at %s: %v\n%s", place, form, version, list, text) {
					assert.Equal(t, severityOf(version), list[0].Severity)
				}
				requireAnswered(t, m, text)
				if version == "9.9" {
					assert.Equal(t, check.UnknownWord, list[0].Code)
					requirePrinted(t, m)
					assert.Contains(t, strings.Join(strings.Fields(string(m.AppendText(nil))), ""), strings.Join(strings.Fields(form), ""), "text is kept")
				}
			}
		}
	}
}

// onceReported are texts of one fault, by their places in aroundWords, which are one error at a version that is known.
var onceReported = map[string][]string{
	"MODULE": {
		"newword { x } { y }", "{ x } { y }", ".newword { x } { y }", ".newword {x} {y};", ".newword { \" }", ".newword { a } (1) 3 { it's }", ".newword (", ".newword \"x", ".newword 'x", ".file 1 \"x", ".pragma \"x;",
	},
	"HEAD": {".newword { \" }", "newword { \" }", ".newword { x } { y }", ".newword (", ".newword \"x", ".maxntid", ".maxntid 1,", ".maxntid {1}", ".maxnreg { x } .maxntid 3", ".maxntid = 3"},
	"FUNC": {".newword { \" }", ".newword { x } { y }", ".newword [", ".maxntid", ".maxntid { 1 }", "}"},
	"BODY": {
		".newword { it\" }", ".newword {\n\"\n}", ".newword { a", "newword { \" }", "newword {\n\ta \" b\n}", "newword { a", "{ \" }", "add.u32 %r, \"a, %r;", "newop ( \" );",
		"add.u32 %r, %r ~ %r @ 3;", "add.u32 %r, %r @ 3;", "add.u32 %r, %r \"x\" 3 @ 4;", "bra", "newop { x } { y };",
	},
}

// TestOnce checks that one fault is one error, and that everything else of the module is answered.
func TestOnce(t *testing.T) {
	for place, all := range onceReported {
		for _, form := range all {
			text := future("9.0", map[string]string{place: form})
			m, list := check.Source("x.ptx", []byte(text), check.Options{Compile: true})
			assert.Len(t, list, 1, "%s %s: %v\n%s", place, form, list, text)
			_, outlined := check.Text("x.ptx", text, check.Options{Compile: true})
			assert.Equal(t, list, outlined, "%s %s", place, form)
			requireAnswered(t, m, text)
		}
	}
}

// TestNewInstruction checks that what may be an instruction in a form that is not known is one in the tree.
func TestNewInstruction(t *testing.T) {
	m, list := check.Source("x.ptx", []byte(future("9.9", map[string]string{"BODY": "@[%p] new.b32 %r => {\n1;\n}\n"})), check.Options{Compile: true})
	require.NoError(t, list.Err())
	assert.Contains(t, string(m.AppendText(nil)), "\t\t@[%p] new.b32 %r => { 1; };\n\t\tst.param.b32 [i], %r;\n")
}

// severityOf is what a word that is not known is in a module of a version.
func severityOf(version string) diag.Severity {
	if version == "9.9" {
		return diag.Warning
	}
	return diag.Error
}

// requireAnswered checks that the functions of aroundWords have their places.
func requireAnswered(t *testing.T, m *ptx.Module, text string) {
	t.Helper()
	funcs, _ := resolve.AssignAll(resolve.Functions(m), target(t, "sm_90"))
	names := " "
	var last abi.Assignment
	for _, f := range funcs {
		names += f.Name + " "
		last = f.Places
	}
	for _, name := range []string{" f ", " k ", " last "} {
		assert.Contains(t, names, name, text)
	}
	assert.Equal(t, 13, last.Block.Size, text)
}

func target(t *testing.T, name string) *abi.Target {
	t.Helper()
	found := must.Target(t, name)
	return found
}

// requirePrinted checks that a tree prints as a module that is read as the same.
func requirePrinted(t *testing.T, m *ptx.Module) {
	t.Helper()
	text := m.AppendText(nil)
	again := must.Parse(t, "x.ptx", text)
	assert.Equal(t, string(text), string(again.AppendText(nil)))
}

// TestArgumentsEnd holds that the arguments of a directive that is not known end after their brackets, so that an
// instruction in the same line is not among them.
func TestArgumentsEnd(t *testing.T) {
	for _, version := range []string{"9.0", "9.9"} {
		m, list := check.Source("x.ptx", []byte(".version "+version+"\n.target sm_90\n.address_size 64\n.func g(){ret;}\n"+
			".visible .func f(){\n.weird { a } call g;\n.weird (1) @%p call g;\n.weird [1], (2) call g;\n.weird 1\ncall g; ret;}\n"), check.Options{})
		assert.NotEmpty(t, list)
		calls := 0
		for _, s := range m.All() {
			if _, ok := s.(*ptx.Call); ok {
				calls++
			}
		}
		assert.Equal(t, 4, calls, version)
	}
}

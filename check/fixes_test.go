package check

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
)

// TestFixes applies each fix of the modules with recorded verdicts and of real ones, alone,
// and holds that what it is for is gone, and that the text has no error that it had not
// before.
func TestFixes(t *testing.T) {
	fixed := make(map[diag.Code]int)
	for _, pattern := range []string{"../testdata/check/modules/*.ptx", "../testdata/real/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			if len(src) > 100_000 {
				continue
			}
			for _, opts := range []Options{{}, {Compile: true}} {
				_, before := Source(file, src, opts)
				for _, d := range before {
					if len(d.Fixes) == 0 {
						continue
					}
					only := *d
					only.Fixes = d.Fixes[:1]
					out, applied, _, err := diag.Apply(string(src), diag.List{&only})
					require.NoError(t, err, d)
					require.Len(t, applied, 1, d)
					_, after := Source(file, []byte(out), opts)
					assert.Less(t, number(after, d.Code), number(before, d.Code), "%v\n%s:\n%v", d, d.Fixes[0].Msg, after)
					assert.LessOrEqual(t, len(after.Errors()), len(before.Errors()), "%v\n%s:\n%v\nbefore:\n%v", d, d.Fixes[0].Msg, after, before)
					fixed[d.Code]++
				}
			}
		}
	}
	t.Log(fixed)
	assert.Greater(t, len(fixed), 10)
}

func number(list diag.List, code diag.Code) int {
	n := 0
	for _, d := range list {
		if d.Code == code {
			n++
		}
	}
	return n
}

// TestFixText shows the text that a fix makes, of some that no recorded case has.
func TestFixText(t *testing.T) {
	const head = ".version 8.3\n.target sm_80\n.address_size 64\n"
	for _, test := range []struct {
		code     diag.Code
		src, out string
	}{
		{
			WrongCount,
			".extern .func f (.param .b8 x[]);\n.visible .func g () { call f; ret; }",
			".extern .func f (.param .b8 x[]);\n.visible .func g () { call f, (); ret; }",
		},
		{
			IllegalCallee,
			".extern .func f (.reg .b32 x);\n.visible .func g (.reg .b32 x) { p: .callprototype _ (.reg .b32 _); call f, (x), p; ret; }",
			".extern .func f (.reg .b32 x);\n.visible .func g (.reg .b32 x) { p: .callprototype _ (.reg .b32 _); call f, (x); ret; }",
		},
		{
			UncollectedResult,
			".extern .func (.param .b32 r) f ();\n.visible .func g () { .param .b32 a; call (a), f; ret; }",
			".extern .func (.param .b32 r) f ();\n.visible .func g () { .param .b32 a; call (_), f; ret; }",
		},
		{
			IllegalModifier,
			".visible .func f (.param .b32 x) { .reg .b32 %a; ld.volatile.cg.param.cta.b32 %a, [x]; ret; }",
			".visible .func f (.param .b32 x) { .reg .b32 %a; ld.cg.param.b32 %a, [x]; ret; }",
		},
		{
			MismatchedSpace,
			".visible .func f (.param .b32 x) { .reg .b32 %a; .reg .pred %p; @%p ld.u32 %a, [x]; ret; }",
			".visible .func f (.param .b32 x) { .reg .b32 %a; .reg .pred %p; @%p ld.param.u32 %a, [x]; ret; }",
		},
		{
			LateAlignment,
			".visible .func f () { .param .b8 .align 8 x[16]; ret; }",
			".visible .func f () { .param .align 8 .b8 x[16]; ret; }",
		},
		{
			ConflictingLinkage,
			".extern .func f ();\n.visible .func f () { ret; }",
			".visible .func f ();\n.visible .func f () { ret; }",
		},
		{
			SubwordFormal,
			".visible .func f (.param .u16 x) { ret; }",
			".visible .func f (.param .b16 x) { ret; }",
		},
		{
			NestedArray,
			".visible .func f (.param .align 4 .b8 x[2] [ 3 ]) { ret; }",
			".visible .func f (.param .align 4 .b8 x[6]) { ret; }",
		},
		{
			RawFloat,
			".extern .func f (.reg .f64 x);\n.visible .func g () { call f, (0f3F800000); ret; }",
			".extern .func f (.reg .f64 x);\n.visible .func g () { call f, (0d3FF0000000000000); ret; }",
		},
		{
			RawFloat,
			".extern .func f (.reg .b32 x);\n.visible .func g () { call f, (0.5); ret; }",
			".extern .func f (.reg .b32 x);\n.visible .func g () { call f, (0f3F000000); ret; }",
		},
		{
			MismatchedConstant,
			".extern .func f (.param .f32 x);\n.visible .func g () { call f, (-2); ret; }",
			".extern .func f (.param .f32 x);\n.visible .func g () { call f, (0fC0000000); ret; }",
		},
		{
			ConflictingLinkage,
			".extern .func f ();\n.weak .func f () { ret; }",
			".weak .func f ();\n.weak .func f () { ret; }",
		},
		{
			WrongQualifier,
			".func f (.param .b32 x) { .reg .b64 %a; .reg .b32 %r; mov.u64 %a, x; ld.param::entry.b32 %r, [%a]; ret; }",
			".func f (.param .b32 x) { .reg .b64 %a; .reg .b32 %r; mov.u64 %a, x; ld.param::func.b32 %r, [%a]; ret; }",
		},
		// Comments, and what is a part of a name, are no place to look for what a fix replaces.
		{
			NestedArray,
			".visible .func f (.param .b8 y /* was [4] */ [2][3]) { ret; }",
			".visible .func f (.param .b8 y /* was [4] */ [6]) { ret; }",
		},
		{
			IllegalAddress,
			".visible .func f (.param .b32 x[4]) { .reg .b32 %a; ld.param.b32 %a, [x /* first-last */ - 4]; ret; }",
			".visible .func f (.param .b32 x[4]) { .reg .b32 %a; ld.param.b32 %a, [x /* first-last */ +- 4]; ret; }",
		},
		{
			MismatchedSpace,
			".visible .func f (.param .b32 x) { .reg .b32 %a; .reg .pred %p; @%p /* was ld.b32 */ ld.b32 %a, [x]; ret; }",
			".visible .func f (.param .b32 x) { .reg .b32 %a; .reg .pred %p; @%p /* was ld.b32 */ ld.param.b32 %a, [x]; ret; }",
		},
		{
			LateAlignment,
			".visible .func f (.param .b8 .align 0x10 x16[16]) { ret; }",
			".visible .func f (.param .align 16 .b8 x16[16]) { ret; }",
		},
		{
			LateAlignment,
			".visible .func f (.param .b8 .align 010 x8[8]) { ret; }",
			".visible .func f (.param .align 8 .b8 x8[8]) { ret; }",
		},
		{
			MisplacedPointer,
			".visible .func f (.param .u64.ptr.global x) { ret; }",
			".visible .func f (.param .u64 x) { ret; }",
		},
	} {
		_, list := Source("x.ptx", []byte(head+test.src), Options{Compile: true})
		list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Code != test.code || len(d.Fixes) == 0 })
		require.Len(t, list, 1, test.code)
		out, _, _, err := diag.Apply(head+test.src, list)
		require.NoError(t, err)
		assert.Equal(t, head+test.out, out, test.code)
	}
}

// TestNoFix holds that there is none where several places would have to agree.
func TestNoFix(t *testing.T) {
	const head = ".version 8.3\n.target sm_80\n.address_size 64\n"
	for _, src := range []string{
		".visible .func f (.param .u16 x);\n.visible .func f (.param .u16 x) { ret; }",
		".visible .func f (.param .bf16 x);\n.visible .func f (.param .bf16 x) { ret; }",
		".visible .func f () { .param .bf16 a, b; ret; }",
		".visible .entry k (.param .b32 x) { st.param::entry.b32 [x], 1; ret; }",
	} {
		_, list := Source("x.ptx", []byte(head+src), Options{Compile: true})
		require.NotEmpty(t, list, src)
		for _, d := range list {
			assert.Empty(t, d.Fixes, d)
		}
	}
}

// TestNoFixForOneOfSeveral has mistakes of which no one edit is the remedy: what its author meant may be
// one of several things, or a comment would go.
func TestNoFixForOneOfSeveral(t *testing.T) {
	const head = ".version 8.3\n.target sm_80\n.address_size 64\n"
	for src, code := range map[string]diag.Code{
		".extern .func f (.reg .f32 x);\n.visible .func g () { call f, (0x3F800000); ret; }":            MismatchedConstant, // the bits of 1.0
		".extern .func f (.reg .f32 x);\n.visible .func g () { call f, (18446744073709551614); ret; }":  MismatchedConstant,
		".extern .func f (.reg .f64 x);\n.visible .func g () { call f, (-18446744073709551615); ret; }": MismatchedConstant,
		".extern .func f (.reg .f64 x);\n.visible .func g () { call f, (010); ret; }":                   MismatchedConstant,
		".extern .func f (.reg .f64 x);\n.visible .func g () { call f, (0f7FA00000); ret; }":            RawFloat, // a NaN
		".visible .func f (.param .u64 .ptr .global .align 4 /* of double */ x) { ret; }":               MisplacedPointer,
		".visible .func f (.param .b8 x[2] /* ] */ [3]) { ret; }":                                       NestedArray,
	} {
		_, list := Source("x.ptx", []byte(head+src), Options{Compile: true})
		found := false
		for _, d := range list {
			if d.Code == code {
				found = true
				assert.Empty(t, d.Fixes, src)
			}
		}
		assert.True(t, found, "%s: %v", src, list)
	}
}

var lineComment = regexp.MustCompile(`//.*`)

// TestFixesKeepComments puts a comment that looks like all that fixes look for into every
// blank of the modules, and holds that each of them is there after all fixes.
func TestFixesKeepComments(t *testing.T) {
	const comment = " /* [8] -4 .align .b32 x ::entry .ptr 1 ( ) ld.b32 { } ; */ "
	files, err := filepath.Glob("../testdata/check/modules/*.ptx")
	require.NoError(t, err)
	applied := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(src), "\"") || strings.Contains(string(src), "/*") {
			continue
		}
		text := strings.ReplaceAll(lineComment.ReplaceAllString(string(src), ""), " ", comment)
		_, list := Text(file, text, Options{Compile: true})
		out, fixes, _, err := diag.Apply(text, list)
		require.NoError(t, err, file)
		require.Equal(t, strings.Count(text, comment[1:len(comment)-1]), strings.Count(out, comment[1:len(comment)-1]), "%s: %v", file, fixes)
		_, after := Text(file, out, Options{Compile: true})
		assert.LessOrEqual(t, len(after.Errors()), len(list.Errors()), "%s: %v\nbefore: %v", file, after, list)
		applied += len(fixes)
	}
	assert.Greater(t, applied, 20)
}

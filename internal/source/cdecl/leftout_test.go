package cdecl_test

import (
	_ "embed"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// TestLeftOut leaves records out that have a template in them, and what needs
// them; all others are read.
func TestLeftOut(t *testing.T) {
	rules := layout.LP64
	rules.Lang = layout.CXX
	u, err := cdecl.Parse("x.cu", []byte(leftOutSource), cdecl.Options{Rules: rules, SkipTemplates: true})
	require.NoError(t, err)
	left := map[string]string{}
	for _, r := range u.Records {
		why := u.LeftOut(r.Type)
		assert.Equal(t, r.Layout == nil, why != "", r.Name)
		assert.Equal(t, why, u.LeftOut(&layout.Array{Elem: r.Type, Len: 2}))
		assert.Empty(t, u.LeftOut(&layout.Pointer{Elem: r.Type}))
		left[r.Name] = why
	}
	const v = "V<…>: parameter packs are not supported"
	assert.Equal(t, map[string]string{
		"S": v, "W": v, "X": v, "Y": "virtual functions are not supported", "Z": "S: " + v,
		"D": v, "P": "", "OK": "",
	}, left)
	var lines []string
	for _, w := range u.Warnings {
		lines = append(lines, strings.Replace(w.Error(), " warning:", "", 1))
	}
	assert.Equal(t, strings.Split(`x.cu:2:12: `+v+`; struct S is left out [UnsupportedC]
x.cu:3:1: `+v+`; struct W is left out [UnsupportedC]
x.cu:4:19: `+v+`; struct X is left out [UnsupportedC]
x.cu:5:12: virtual functions are not supported; struct Y is left out [UnsupportedC]
x.cu:6:24: S: `+v+`; struct Z is left out [UnsupportedC]
x.cu:7:1: `+v+`; struct D is left out [UnsupportedC]
x.cu:10:1: static assertion is not evaluated: W: `+v+` [UnsupportedC]`, "\n"), lines)

	// Mistakes stay mistakes, and without the option all of it is one.
	for text, want := range map[string]string{
		"template <class... T> struct V;\nstruct S { V<int> v; unknown u; };": "x.cu:2:22: error: unknown type unknown [UndeclaredName]",
		"struct S { int a; int a; virtual int f(); };":                        "x.cu:1:23: error: member a is declared at x.cu:1:16 already [RedefinedName]",
	} {
		_, err := cdecl.Parse("x.cu", []byte(text), cdecl.Options{Rules: rules, SkipTemplates: true})
		assert.EqualError(t, err, want)
	}
	var list diag.List
	_, err = cdecl.Parse("x.cu", []byte(leftOutSource), cdecl.Options{Rules: rules})
	require.True(t, errors.As(err, &list))
	assert.Greater(t, len(list), 6)
}

//go:embed testdata/text/leftOutSource.cc
var leftOutSource string

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	diffHead = ".version 8.1\n.target sm_80\n.address_size 64\n"
	diffA    = diffHead + ".visible .func (.param .b32 r) f (.param .b32 x, .param .align 4 .b8 y[64]) { ret; }\n" +
		".visible .entry k (.param .align 64 .b8 s[64], .param .u64 p) { ret; }\n"
	diffB = diffHead + ".visible .func (.param .align 4 .b8 r[52]) f (.param .b32 x, .param .align 4 .b8 y[64]) { ret; }\n" +
		".visible .entry k (.param .align 64 .b8 s[64], .param .u64 p) { ret; }\n"
	diffWide = diffHead + ".visible .entry k (.param .b8 s[8192]) { ret; }\n"
)

// TestDiff runs the command and holds its JSON against the schema.
func TestDiff(t *testing.T) {
	schema := readSchema(t, "diff")
	a, b, wide := writeSource(t, "a.ptx", diffA), writeSource(t, "b.ptx", diffB), writeSource(t, "wide.ptx", diffWide)
	for _, tt := range []struct {
		args   string
		status int
		want   []string
	}{
		{"A A", 0, []string{"func f: same\n", "entry k: same\n", "\nno difference\n"}},
		{"A B", 1, []string{
			" on sm_80 and ", "\nfunc f: differs, breaks callers\n",
			"breaks: return 0: result kind: the result was in R4 and is in memory whose address the caller passes in R4",
			"breaks: param 0: moved: it was in R4 and is in R5", "\n1 of 2 differ, 1 so that callers break\n",
		}},
		{"-target sm_90 A B", 1, []string{" on sm_90 and ", "breaks: param 0: moved: "}},
		{"-target sm_80,sm_86 A", 0, []string{" on sm_80 and ", " on sm_86\n", "\nno difference\n"}},
		{"-target sm_80,sm_90 A", 1, []string{
			"func f: same\n", "breaks: param 0: kernel offset: it was at offset 32 of the parameters and is at 48",
			"works: block: block base: ", "\nthe targets\n", "\n  kernel parameters  ",
		}},
		{"-matrix A", 1, []string{"2: sm_70 … sm_89, ", "\nentry k: a launch packs its parameters otherwise on some of them\n"}},
		{"-matrix A B", 1, []string{" on sm_35 … sm_121f, ", "\n1 of 2 differ, 1 so that callers break\n"}},
		{"-matrix A A", 0, []string{"\nno difference\n"}},
		{"-matrix WIDE", 1, []string{"1: sm_35 … sm_62, 8 targets\n   refused: s of k: ends at byte 8192"}},
	} {
		args := strings.Fields(strings.NewReplacer("A", a, "B", b, "WIDE", wide).Replace(tt.args))
		r := ptxabi(nil, append([]string{"diff"}, args...)...)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.args, r.stderr)
		assert.Empty(t, r.stderr, tt.args)
		for _, want := range tt.want {
			assert.Contains(t, r.stdout, want, tt.args)
		}
		r = ptxabi(nil, append([]string{"diff", "-format=json"}, args...)...)
		assert.Equal(t, tt.status, r.status, "%s: %s", tt.args, r.stderr)
		schema.check(t, r.stdout)
	}
	left := ptxabi(nil, "diff", "-matrix", wide, wide)
	assert.Equal(t, 0, left.status)
	assert.Contains(t, left.stderr, "sm_35: note: left out: ")
	assert.Contains(t, left.stdout, " on sm_70 … sm_121f, ")
}

func TestDiffRefuses(t *testing.T) {
	a := writeSource(t, "a.ptx", diffA)
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, 2, "diff: 0 files, expected one or two: A [B]"},
		{[]string{a}, 2, "one module and one target: there is nothing to compare with"},
		{[]string{"-target", "80", a}, 2, "one module and one target: there is nothing to compare with"},
		{[]string{"-target", "80,90,100", a}, 2, "-target 80,90,100: 3 targets, two at most"},
		{[]string{"-target", "80,", a}, 2, `unknown target ""`},
		{[]string{"-target", "80,30", a}, 2, "-assume takes over the facts of sm_35"},
		{[]string{"-matrix", "-target", "80", a}, 2, "-matrix is about all targets, -target about one or two"},
		{[]string{"-format", "xml", a, a}, 2, `-format "xml" is none of text, json`},
		{[]string{a, "nowhere.ptx"}, 2, "nowhere.ptx: no such file"},
		{[]string{a, writeSource(t, "x.ptx", diffHead+".func (")}, 1, "x.ptx:4:"},
		{[]string{a, writeSource(t, "x.ptx", diffHead+".func f (.param .align 3 .b8 x[4]);")}, 1, "x.ptx:4:"},
	} {
		r := ptxabi(nil, append([]string{"diff"}, tt.args...)...)
		assert.Equal(t, tt.status, r.status, "%v", tt.args)
		assert.Contains(t, r.stderr, tt.want)
		assert.Empty(t, r.stdout, tt.want)
	}
}

package web_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/tool/web"
)

type example struct{ Title, About, Lang, Text string }

func examples(t *testing.T) []example {
	t.Helper()
	files := web.Files(web.Server, "v1")
	var c struct {
		Examples []example
		Targets  []struct{ Name string }
	}
	require.NoError(t, json.Unmarshal(files["catalog.json"], &c))
	require.Len(t, c.Targets, len(abi.Targets()))
	require.NotEmpty(t, c.Examples)
	return c.Examples
}

// said is the text of a span, whose ends are in UTF-16 units.
func said(text string, from, to int) string {
	return string(utf16.Decode(utf16.Encode([]rune(text))[from:to]))
}

// TestExamples checks that the language of each example is guessed, that it has
// a picture, and that every link leads to something.
func TestExamples(t *testing.T) {
	for n, e := range examples(t) {
		t.Run(e.Title, func(t *testing.T) {
			assert.NotEmpty(t, e.About)
			for i, target := range abi.Targets() {
				if !effort.Long() && i%4 != n%4 {
					continue // a fourth of them, others for each example
				}
				r := web.Answer(web.Request{Text: e.Text, Target: target.Name, Size: "column"})
				if r.Own == "sm_90" && target.Name < "sm_90" && len(target.Name) <= len("sm_90") { // half an answer: where it is on its own
					require.Equal(t, "the module is for sm_90, and "+target.Name+" is below that", r.Refused)
					require.True(t, r.Instead)
					require.Equal(t, "sm_90", r.Target)
					require.NotEmpty(t, r.Pictures)
					continue
				}
				require.Empty(t, r.Refused)
				require.False(t, r.Broken)
				require.Equal(t, e.Lang, r.Lang)
				require.Equal(t, target.Name, r.Target)
				require.NotEmpty(t, r.Pictures)
				assert.NotEmpty(t, r.Facts)
				linked(t, e.Text, r)
			}
		})
	}
}

// linked checks that what is linked is there: a name in the text, cells in a
// picture, rows of the table.
func linked(t *testing.T, text string, r *web.Response) {
	t.Helper()
	pictures := strings.Join(r.Pictures, "")
	assert.NotContains(t, pictures, "<style")
	assert.NotContains(t, pictures, " style=")
	assert.NotEmpty(t, r.Spans)
	for _, s := range r.Spans {
		name := said(text, s.From, s.To)
		assert.Regexp(t, `^[\p{L}_$%][\p{L}\d_$%]*$`, name)
		for _, id := range s.IDs {
			assert.Regexp(t, `data-value="`+id+`(\.f\d+)?"`, pictures, name)
		}
	}
	assert.NotEmpty(t, r.Values)
	for _, v := range r.Values {
		assert.Contains(t, pictures, `data-value="`+v.ID+`"`)
	}
	for _, l := range r.Listing.Lines {
		for _, id := range l.IDs {
			assert.Contains(t, pictures, `data-value="`+id+`"`, l.Text)
		}
	}
}

func example0(t *testing.T, title string) string {
	t.Helper()
	for _, e := range examples(t) {
		if e.Title == title {
			return e.Text
		}
	}
	t.Fatalf("no example %q", title)
	return ""
}

// TestLongNames checks that a name of any length leaves messages readable.
func TestLongNames(t *testing.T) {
	name := strings.Repeat("ü", 1000) + strings.Repeat("n", 100000)
	for _, text := range []string{
		".version 6.0\n.target sm_70\n.visible .func f(.param .b32 x) { ld.param.b32 %r1, [" + name[2000:] + "]; ret; }",
		"#error " + name + "\nstruct S { int a; };",
	} {
		question, err := json.Marshal(web.Request{Text: text})
		require.NoError(t, err)
		out, err := web.AnswerJSON(question)
		require.NoError(t, err)
		var r web.Response
		require.NoError(t, json.Unmarshal(out, &r))
		require.NotEmpty(t, r.Diagnostics)
		for _, d := range r.Diagnostics {
			assert.Less(t, len(d.Message), 600)
		}
		assert.Contains(t, r.Diagnostics[0].Message, "…")
	}
	assert.Contains(t, web.Answer(web.Request{Text: strings.Repeat(" ", web.MaxText+1)}).Refused, "1048577 bytes")
}

// TestKernel checks that the declarations that stand for C's kernels where
// targets are compared have the places that are drawn.
func TestKernel(t *testing.T) {
	text := example0(t, "A CUDA kernel")
	var decl string
	drawn := map[string]string{}
	r := web.Answer(web.Request{Text: text})
	for _, l := range r.Listing.Lines {
		if strings.Contains(l.Text, ".entry render") {
			decl = l.Text
		}
	}
	for _, v := range r.Values {
		name, _, _ := strings.Cut(v.Name, ".")
		if v.Of == "render" && drawn[name] == "" {
			drawn[name] = v.Where
		}
	}
	require.NotEmpty(t, decl)
	places := map[string]string{}
	for _, v := range web.Answer(web.Request{Text: decl}).Values {
		places[v.Name] = v.Where
	}
	assert.Equal(t, places, drawn)
}

// TestMarkup checks that names that are markup stay text in pictures.
func TestMarkup(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	for _, text := range []string{
		"struct S { int a; }; struct " + evil + " { int b; };",
		".func f(.param .b32 " + evil + ");",
		"package p\ntype T struct { A int32 `" + evil + "` }",
		"#error " + evil + "\nstruct S { int a; };",
		"__global__ void k(struct { int " + evil + "; } x);",
	} {
		for _, lang := range []string{"", "ptx", "c", "c++", "go"} {
			r := web.Answer(web.Request{Text: text, Lang: lang})
			for _, p := range r.Pictures {
				assert.NotContains(t, p, "<script")
			}
		}
	}
}

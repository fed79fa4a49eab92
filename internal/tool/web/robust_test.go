package web_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// TestRecorded answers about every recorded module, and checks the form of what
// comes out.
func TestRecorded(t *testing.T) {
	files := must.Glob(t, "../../../testdata/real/*.ptx")
	for _, file := range files {
		src := must.Read(t, file)
		if len(src) > effort.Of(60_000, web.MaxText) {
			continue
		}
		r := web.Answer(web.Request{Text: string(src), Target: "", Size: "phone"})
		assert.Empty(t, r.Refused, file)
		assert.False(t, r.Broken, file)
		drawn := map[string]bool{}
		for _, m := range regexp.MustCompile(`data-value="([^"]+)"`).FindAllStringSubmatch(strings.Join(r.Pictures, ""), -1) {
			drawn[m[1]] = true
		}
		for _, v := range r.Values {
			drawn[v.ID] = drawn[v.ID] || v.Where == "none" // which has no cell
		}
		for _, l := range r.Listing.Lines {
			for _, id := range l.IDs {
				if !drawn[id] {
					t.Errorf("%s: %s: no %s is drawn", file, l.Text, id)
				}
			}
		}
		text, err := json.Marshal(r)
		require.NoError(t, err)
		if strings.Contains(strings.ReplaceAll(string(text), `"diff":null`, ""), ":null") {
			t.Errorf("%s: a list is null", file)
		}
	}
}

func TestAnswerJSON(t *testing.T) {
	for _, bad := range []string{``, `null x`, `[]`, `{"text": 1}`, `{"txt": "x"}`, `{"text": "x"} {}`, `{"text": "x"`} {
		_, err := web.AnswerJSON([]byte(bad))
		assert.ErrorContains(t, err, "the request is not one", bad)
	}
	out, err := web.AnswerJSON([]byte(`{"text": "struct S { char c; long l; };"}`))
	require.NoError(t, err)
	var r web.Response
	require.NoError(t, json.Unmarshal(out, &r))
	require.Len(t, r.Values, 2)
	assert.Equal(t, "byte 8", r.Values[1].Where)
}

// FuzzAnswer gives the explorer any request: the answer is not an internal failure, and its positions
// are in the text.
func FuzzAnswer(f *testing.F) {
	f.Add(".version 6.0\n.target sm_35\n.visible .func f(.param .b32 x) { call f, (x); ret; }", "", "sm_90", "f")
	f.Add("struct S { int a : 3; union { float x[2]; } u; };\n__global__ void k(S s, ...);", "c++", "", "")
	f.Add("package p\ntype T struct { A [3]float32; b *T }", "go", "sm_35", "T")
	f.Add("struct S { short a; }; struct S f(struct S, _Complex float, ...);", "c", "gcc-12", "S")
	f.Fuzz(func(t *testing.T, text, lang, against, only string) {
		question, err := json.Marshal(web.Request{
			Text: text, Lang: lang, Against: against, Only: only, Size: "phone", Producer: map[bool]string{true: "gcc"}[len(text)%2 == 0],
			Pack: web.Pack{Lang: []string{"", "go", "rust", "python", "c"}[len(text)%5], Type: only},
		})
		require.NoError(t, err)
		out, err := web.AnswerJSON(question)
		require.NoError(t, err)
		var r web.Response
		require.NoError(t, json.Unmarshal(out, &r))
		if strings.HasPrefix(r.Refused, "ptxabi failed") {
			t.Fatal(r.Refused)
		}
		end := len(utf16.Encode([]rune(text)))
		for _, s := range r.Spans {
			if s.From < 0 || s.From > s.To || s.To > end {
				t.Fatalf("the span %d:%d of %d", s.From, s.To, end)
			}
		}
	})
}

package cli_test

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/report"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

func at(line, col uint32) diag.Pos { return diag.Pos{Line: line, Col: col} }

func edit(pos, end diag.Pos, text string) diag.Edit { return diag.Edit{Pos: pos, End: end, Text: text} }

func TestJSON(t *testing.T) {
	assert.Equal(t, `{"file":"x","line":0,"column":0,"severity":"note","code":"","message":"<m>","related":[]}
{"file":"x","line":1,"column":2,"severity":"error","code":"C","message":"m","related":[{"file":"x","line":3,"column":4,"message":"r"},{"file":"y","line":0,"column":0,"message":"s"}],"fixes":[{"message":"drop it","edits":[{"line":1,"column":2,"endLine":2,"endColumn":1,"text":""}]}]}
`, string(report.AppendJSON(nil, diag.List{
		{File: "x", Severity: diag.Note, Msg: "<m>"},
		{
			File: "x", Pos: at(1, 2), Code: "C", Msg: "m", Related: []diag.Related{{Pos: at(3, 4), Msg: "r"}, {File: "y", Msg: "s"}},
			Fixes: []diag.Fix{{Msg: "drop it", Edits: []diag.Edit{edit(at(1, 2), at(2, 1), "")}}},
		},
	})))
	assert.Empty(t, report.AppendJSON(nil, nil))
}

// TestSARIF checks what the standard requires beside the shape: rules that
// results point to, columns in the unit that is stated, references as URIs.
func TestSARIF(t *testing.T) {
	log := report.SARIF{
		Tool: "tool", Version: "1", URI: "https://example.org",
		Rules: map[diag.Code]report.Rule{"A": {Short: "short", Help: "help", Severity: diag.Warning}, "Other": {}},
		Texts: diag.Texts{"dir name/x": diag.NewText("\ufeffé = é;\r\n")},
	}
	out := log.Append(nil, diag.List{
		{
			File: "dir name/x", Pos: at(1, 6), End: at(1, 8), Code: "A", Msg: "m", Related: []diag.Related{{Pos: at(1, 1), End: at(1, 3), Msg: "r"}},
			Fixes: []diag.Fix{{Msg: "write e", Edits: []diag.Edit{edit(at(1, 1), at(1, 3), "e"), edit(at(1, 6), at(1, 6), ""), edit(at(1, 8), at(2, 1), "")}}},
		},
		{File: "/abs/y", Code: "B", Severity: diag.Note, Msg: "n"},
		{File: "a:b/y", Pos: at(7, 8), Code: "A", Severity: diag.Warning, Msg: "o"},
	})
	assert.JSONEq(t, string(must.Read(t, "testdata/log.sarif")), string(out))
	log.Failed = []string{"why"}
	assert.Contains(t, strings.Join(strings.Fields(string(log.Append(nil, nil))), ""),
		`"executionSuccessful":false,"toolExecutionNotifications":[{"level":"error","message":{"text":"why"}}]}],"columnKind":"unicodeCodePoints","results":[]`)
}

// TestURI holds references against those of net/url.
func TestURI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.OneOf(rapid.Just("*"), rapid.StringMatching(`/?[a-c:/%?# é\\*@+~\x01;=&!'()\[\]]{0,12}`), rapid.String()).Draw(t, "file")
		var log struct {
			Runs []struct {
				Results []struct {
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		s := report.SARIF{}
		require.NoError(t, json.Unmarshal(s.Append(nil, diag.List{{File: file}}), &log))
		file = strings.ReplaceAll(file, `\`, "/")
		u := url.URL{Path: file}
		switch first, _, _ := strings.Cut(file, "/"); {
		case path.IsAbs(file):
			u.Scheme = "file"
		case strings.Contains(first, ":"):
			u.Path = "./" + file
		case file == "*":
			u.RawPath = "%2A" // which a URL means something by
		}
		assert.Equal(t, u.String(), log.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI)
	})
}

func TestGitHub(t *testing.T) {
	hostile := diag.List{{
		File: "x\x1b\u202e.ptx", Code: "C", Msg: "a\rb\u2066",
		Related: []diag.Related{{File: "y\x1b", Msg: "c\nd"}},
	}}
	assert.Equal(t, "::error file=x\\x1b\\u202e.ptx,title=C::a\\rb\\u2066%0Ay\\x1b: c\\nd\n", string(report.AppendGitHub(nil, hostile)))
	assert.Equal(t, `::error::m
::warning file=a%3Ab%2Cc%25.ptx,line=1,col=2,title=C::100%25, of%0Aa: b
::notice file=x,line=1,endLine=3::m
::error file=x,line=1,col=2,endLine=1,endColumn=4::m%0Ax:5:6: r%0Ay: s
`, string(report.AppendGitHub(nil, diag.List{
		{Msg: "m"},
		{File: "a:b,c%.ptx", Pos: at(1, 2), Severity: diag.Warning, Code: "C", Msg: "100%, of\na: b"},
		{File: "x", Pos: at(1, 2), End: at(3, 4), Severity: diag.Note, Msg: "m"},
		{File: "x", Pos: at(1, 2), End: at(1, 4), Msg: "m", Related: []diag.Related{{Pos: at(5, 6), Msg: "r"}, {File: "y", Msg: "s"}}},
	})))
}

func TestGitLab(t *testing.T) {
	type issue struct {
		Description, Fingerprint, Severity string
		CheckName                          string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin, End int }
		}
	}
	read := func(list diag.List) (out []issue) {
		require.NoError(t, json.Unmarshal(report.AppendGitLab(nil, list), &out))
		return out
	}
	assert.Equal(t, "[]\n", string(report.AppendGitLab(nil, nil)))
	list := diag.List{
		{File: "./d/x.ptx", Pos: at(3, 1), End: at(5, 1), Code: "C", Msg: "m"},
		{File: `d\x.ptx`, Pos: at(9, 1), Severity: diag.Warning, Code: "C", Msg: "m"},
		{File: "x.ptx", Severity: diag.Note, Code: "C", Msg: "m"},
		{File: "x.ptx", Code: "C", Msg: "n"},
	}
	got := read(list)
	require.Len(t, got, len(list))
	fingerprints := make(map[string]bool)
	for _, i := range got {
		assert.Len(t, i.Fingerprint, 32)
		fingerprints[i.Fingerprint] = true
	}
	assert.Len(t, fingerprints, len(list), "each has its own")
	assert.Equal(t, "d/x.ptx", got[0].Location.Path)
	assert.Equal(t, "d/x.ptx", got[1].Location.Path)
	assert.Equal(t, struct{ Begin, End int }{3, 5}, got[0].Location.Lines)
	assert.Equal(t, struct{ Begin, End int }{9, 9}, got[1].Location.Lines)
	assert.Equal(t, struct{ Begin, End int }{1, 1}, got[2].Location.Lines)
	assert.Equal(t, []string{"major", "minor", "info", "major"}, []string{got[0].Severity, got[1].Severity, got[2].Severity, got[3].Severity})
	assert.Equal(t, "C", got[0].CheckName)
	for _, d := range list { // lines before them come and go
		d.Pos.Line += 10
	}
	for i, later := range read(list) {
		assert.Equal(t, got[i].Fingerprint, later.Fingerprint)
	}
}

func TestFirst(t *testing.T) {
	var l diag.List
	for i := range uint32(4) {
		l.Add(&diag.Diagnostic{File: "x", Pos: at(2*i+1, 1), Severity: diag.Note, Code: "Many", Msg: "m"})
		l.Add(&diag.Diagnostic{File: "x", Pos: at(2*i+2, 1), Severity: diag.Warning, Code: "Two", Msg: "w"})
	}
	l.Add(&diag.Diagnostic{File: "y", Pos: at(9, 1), Severity: diag.Note, Code: "Many", Msg: "another file"})
	assert.Equal(t, `x:1:1: note: m [Many]
x:2:1: warning: w [Two]
x:3:1: note: m [Many]
x:4:1: warning: w [Two]
x: note: 2 more; -v shows all [Many]
x: warning: 2 more; -v shows all [Two]
y:9:1: note: another file [Many]`, report.First(l, 2, "-v").Error())
	assert.Equal(t, l, report.First(l, 4, "-v"))
	assert.Len(t, l, 9, "the list stays as it was")
}

package diag_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ptxabi/ptxabi/diag"
)

func TestDiagnosticError(t *testing.T) {
	for _, tt := range []struct {
		d    diag.Diagnostic
		want string
	}{
		{diag.Diagnostic{Msg: "m"}, "error: m"},
		{diag.Diagnostic{File: "f", Msg: "m", Severity: diag.Warning}, "f: warning: m"},
		{diag.Diagnostic{File: "f", Pos: at(1, 2), Msg: "m", Code: "C", Severity: diag.Note}, "f:1:2: note: m [C]"},
		{diag.Diagnostic{Pos: at(1, 2), Msg: "m", Severity: 7}, "-:1:2: severity(7): m"},
		{diag.Diagnostic{File: "f", Msg: "m", Related: []diag.Related{{Pos: at(3, 4), Msg: "n"}, {File: "g", Msg: "o"}}}, "f: error: m\n\tf:3:4: n\n\tg: o"},
	} {
		assert.Equal(t, tt.want, tt.d.Error())
	}
	assert.Equal(t, "-", diag.Pos{}.String())
	for s := diag.Error; s <= diag.Note; s++ {
		got, ok := diag.ParseSeverity(s.String())
		assert.True(t, ok)
		assert.Equal(t, s, got)
	}
	_, ok := diag.ParseSeverity("fatal")
	assert.False(t, ok)
}

func TestList(t *testing.T) {
	var l diag.List
	assert.Equal(t, "no errors", l.Error())
	assert.NoError(t, l.Err())
	l.Add(&diag.Diagnostic{File: "b", Severity: diag.Note, Msg: "n"})
	l.Add(&diag.Diagnostic{File: "a", Pos: at(2, 1), Severity: diag.Warning, Msg: "w"})
	assert.NoError(t, l.Err())
	l.Add(&diag.Diagnostic{File: "a", Pos: at(2, 1), Msg: "second"})
	l.Add(&diag.Diagnostic{File: "a", Pos: at(2, 1), Msg: "first"})
	l.Add(&diag.Diagnostic{File: "a", Pos: at(1, 9), Code: "C", Msg: "code"})
	l.Add(&diag.Diagnostic{File: "a", Pos: at(1, 9), Msg: "no code"})
	l.Sort()
	assert.Equal(t, `a:1:9: error: no code
a:1:9: error: code [C]
a:2:1: error: first
a:2:1: error: second
a:2:1: warning: w
b: note: n`, l.Error())
	require.Error(t, l.Err())
	assert.Len(t, l.Errors(), 4)
	assert.Len(t, l.AtLeast(diag.Warning), 5)
	assert.Equal(t, l, l.AtLeast(diag.Note))
	var d *diag.Diagnostic
	require.ErrorAs(t, l.Err(), &d)
	assert.Equal(t, "no code", d.Msg)
	assert.True(t, errors.Is(l, l[3]))
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
y:9:1: note: another file [Many]`, l.First(2, "-v").Error())
	assert.Equal(t, l, l.First(4, "-v"))
	assert.Len(t, l, 9, "the list stays as it was")
}

func TestText(t *testing.T) {
	for _, src := range []string{"ab\r\n\ncd", "\ufeffab\r\n\ncd"} {
		text := diag.NewText(src)
		for n, want := range []string{1: "ab", 2: "", 3: "cd"} {
			line, ok := text.Line(uint32(n))
			assert.Equal(t, n > 0, ok)
			assert.Equal(t, want, line)
		}
		_, ok := text.Line(4)
		assert.False(t, ok)
		off, ok := text.Offset(at(3, 2))
		assert.True(t, ok)
		assert.Equal(t, "d", src[off:])
		for _, p := range []diag.Pos{{}, at(1, 0), at(1, 4), at(2, 2), at(3, 4), at(4, 1), at(1<<32-1, 1), at(1, 1<<32-1)} {
			_, ok := text.Offset(p)
			assert.False(t, ok, p)
		}
	}
}

func TestPrinter(t *testing.T) {
	src := "\ufeff.func\r\n\tcall é, (\x1b%v); \xff\n" + strings.Repeat("x", 100) + "here" + strings.Repeat("y", 100) + "\n"
	texts := diag.Texts{"x": diag.NewText(src)}
	tests := []struct {
		name string
		pos  diag.Pos
		end  diag.Pos
		want string
	}{
		{"caret", at(1, 1), diag.Pos{}, ".func\n^\n"},
		{"underline", at(1, 2), at(1, 6), ".func\n ^~~~\n"},
		{"one byte", at(1, 1), at(1, 2), ".func\n^\n"},
		{"nothing", at(1, 6), at(1, 6), ".func\n     ^\n"},
		{"end on another line", at(1, 2), at(2, 3), ".func\n ^\n"},
		{"end outside of the line", at(1, 2), at(1, 99), ".func\n ^\n"},
		{"characters", at(2, 7), at(2, 10), "\tcall é, (?%v); ?\n\t     ^~\n"},
		{"tab", at(2, 1), at(2, 4), "\tcall é, (?%v); ?\n^~~\n"},
		{"long line", at(3, 101), at(3, 105), "..." + strings.Repeat("x", 60) + "here" + strings.Repeat("y", 56) + "...\n" + strings.Repeat(" ", 63) + "^~~~\n"},
		{"no such line", at(9, 1), diag.Pos{}, ""},
		{"no such column", at(1, 7), diag.Pos{}, ""},
		{"no place", diag.Pos{}, diag.Pos{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &diag.Diagnostic{File: "x", Pos: tt.pos, End: tt.end, Code: "C", Msg: "m\x1b\n", Related: []diag.Related{{Pos: tt.pos, End: tt.end, Msg: "r"}, {File: "y", Pos: at(1, 1), Msg: "elsewhere"}}}
			place, indented := diag.Place("x", tt.pos), ""
			for line := range strings.Lines(tt.want) {
				indented += "\t" + line
			}
			p := diag.Printer{Texts: texts}
			assert.Equal(t, place+"error: m\\x1b\\n [C]\n"+tt.want+"\t"+place+"r\n"+indented+"\ty:1:1: elsewhere\n", string(p.Append(nil, diag.List{d})))
			p = diag.Printer{}
			assert.Equal(t, place+"error: m\\x1b\\n [C]\n\t"+place+"r\n\ty:1:1: elsewhere\n", string(p.Append(nil, diag.List{d})))
		})
	}
	p := diag.Printer{Texts: texts, Color: true}
	assert.Equal(t, "\x1b[1mx:1:2: \x1b[0m\x1b[1;36mnote:\x1b[0m m [C]\n.func\n \x1b[1;32m^~\x1b[0m\n",
		string(p.Append(nil, diag.List{{File: "x", Pos: at(1, 2), End: at(1, 4), Severity: diag.Note, Code: "C", Msg: "m"}})))
}

func TestJSON(t *testing.T) {
	assert.Equal(t, `{"file":"x","line":0,"column":0,"severity":"note","code":"","message":"<m>","related":[]}
{"file":"x","line":1,"column":2,"severity":"error","code":"C","message":"m","related":[{"file":"x","line":3,"column":4,"message":"r"},{"file":"y","line":0,"column":0,"message":"s"}],"fixes":[{"message":"drop it","edits":[{"line":1,"column":2,"endLine":2,"endColumn":1,"text":""}]}]}
`, string(diag.AppendJSON(nil, diag.List{
		{File: "x", Severity: diag.Note, Msg: "<m>"},
		{
			File: "x", Pos: at(1, 2), Code: "C", Msg: "m", Related: []diag.Related{{Pos: at(3, 4), Msg: "r"}, {File: "y", Msg: "s"}},
			Fixes: []diag.Fix{{Msg: "drop it", Edits: []diag.Edit{edit(at(1, 2), at(2, 1), "")}}},
		},
	})))
	assert.Empty(t, diag.AppendJSON(nil, nil))
}

// TestSARIF looks at what the standard asks for beside the shape: rules that
// results point to, columns in the unit that is stated, references as URIs.
func TestSARIF(t *testing.T) {
	log := diag.SARIF{
		Tool: "tool", Version: "1", URI: "https://example.org",
		Rules: map[diag.Code]diag.Rule{"A": {Short: "short", Help: "help", Severity: diag.Warning}, "Other": {}},
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
	const want = `{
  "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
  "version": "2.1.0",
  "runs": [{
    "tool": {"driver": {"name": "tool", "version": "1", "informationUri": "https://example.org", "rules": [
      {"id": "A", "shortDescription": {"text": "short"}, "help": {"text": "help"}, "defaultConfiguration": {"level": "warning"}},
      {"id": "B", "shortDescription": {"text": "B"}, "help": {"text": "B"}, "defaultConfiguration": {"level": "note"}}
    ]}},
    "invocations": [{"executionSuccessful": true}],
    "columnKind": "unicodeCodePoints",
    "results": [
      {"ruleId": "A", "ruleIndex": 0, "level": "error", "message": {"text": "m"},
       "locations": [{"physicalLocation": {"artifactLocation": {"uri": "dir%20name/x"},
         "region": {"startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 6}}}],
       "relatedLocations": [{"id": 0, "physicalLocation": {"artifactLocation": {"uri": "dir%20name/x"},
         "region": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}}, "message": {"text": "r"}}],
       "fixes": [{"description": {"text": "write e"}, "artifactChanges": [{"artifactLocation": {"uri": "dir%20name/x"}, "replacements": [
         {"deletedRegion": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}, "insertedContent": {"text": "e"}},
         {"deletedRegion": {"startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 5}},
         {"deletedRegion": {"startLine": 1, "startColumn": 6, "endLine": 2, "endColumn": 1}}
       ]}]}]},
      {"ruleId": "B", "ruleIndex": 1, "level": "note", "message": {"text": "n"},
       "locations": [{"physicalLocation": {"artifactLocation": {"uri": "file:///abs/y"}}}]},
      {"ruleId": "A", "ruleIndex": 0, "level": "warning", "message": {"text": "o"},
       "locations": [{"physicalLocation": {"artifactLocation": {"uri": "./a:b/y"}, "region": {"startLine": 7, "startColumn": 8}}}]}
    ]
  }]
}`
	assert.JSONEq(t, want, string(out))
	log.Failed = []string{"why"}
	assert.Contains(t, strings.Join(strings.Fields(string(log.Append(nil, nil))), ""),
		`"executionSuccessful":false,"toolExecutionNotifications":[{"level":"error","message":{"text":"why"}}]}],"columnKind":"unicodeCodePoints","results":[]`)
}

// TestURI holds references against those of net/url.
func TestURI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.OneOf(rapid.StringMatching(`/?[a-c:/%?# é\\*@+~\x01;=&!'()\[\]]{0,12}`), rapid.String()).Draw(t, "file")
		var log struct {
			Runs []struct {
				Results []struct {
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		s := diag.SARIF{}
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
	assert.Equal(t, `::error::m
::warning file=a%3Ab%2Cc%25.ptx,line=1,col=2,title=C::100%25, of%0Aa: b
::notice file=x,line=1,endLine=3::m
::error file=x,line=1,col=2,endLine=1,endColumn=4::m%0Ax:5:6: r%0Ay: s
`, string(diag.AppendGitHub(nil, diag.List{
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
		require.NoError(t, json.Unmarshal(diag.AppendGitLab(nil, list), &out))
		return out
	}
	assert.Equal(t, "[]\n", string(diag.AppendGitLab(nil, nil)))
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

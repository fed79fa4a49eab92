package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/report"
	"github.com/ptxabi/ptxabi/ptx"
)

const source = "\ufeff.version 7.8\n.target sm_80\n.func f(.reg .v2 .f32 x) { ret; }\r\n.func g()\n{\n\t/* é */ .reg .v4 .f32 %v; call f, (%v);\n\tret;\n}\n"

func complaints(t *testing.T) ptx.ErrorList {
	t.Helper()
	m, err := ptx.Parse("dir name/x.ptx", []byte(source))
	require.NoError(t, err)
	all := check.Module(m, check.Options{})
	require.NotEmpty(t, all)
	return all
}

func sources(string) []byte { return []byte(source) }

func TestText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.Text(&b, complaints(t), report.Style{Sources: sources}))
	assert.Equal(t, `dir name/x.ptx:6:38: error: %v is .reg .v4 .f32, and the formal is .reg .v2 .f32 [MismatchedVector]
	`+"\t"+`/* é */ .reg .v4 .f32 %v; call f, (%v);
	`+"\t"+strings.Repeat(" ", 35)+`^
	dir name/x.ptx:3:9: formal x of f is declared here
`, b.String())
}

func TestTextPlain(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.Text(&b, complaints(t), report.Style{}))
	assert.NotContains(t, b.String(), "^")
	assert.NotContains(t, b.String(), "\x1b")
	assert.Equal(t, complaints(t).Error()+"\n", b.String())
}

func TestTextColor(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.Text(&b, complaints(t), report.Style{Color: true}))
	assert.Contains(t, b.String(), "\x1b[1;31merror:\x1b[0m")
}

// TestTextLong shows that a line of any length, with anything in it, becomes a
// window of printable characters with the caret in the right place.
func TestTextLong(t *testing.T) {
	line := strings.Repeat("a", 500) + "é\x1b\x07B" + strings.Repeat("c", 500)
	e := &ptx.Error{File: "x", Pos: ptx.Pos{Line: 1, Col: 505}, Code: "C", Msg: "m"}
	var b bytes.Buffer
	require.NoError(t, report.Text(&b, ptx.ErrorList{e}, report.Style{Sources: func(string) []byte { return []byte(line) }}))
	rows := strings.Split(b.String(), "\n")
	require.Len(t, rows, 4)
	at := strings.Index(rows[2], "^") - 1
	assert.Equal(t, 'B', []rune(rows[1])[at+1], b.String())
	assert.NotContains(t, b.String(), "\x1b")
	assert.Less(t, len(rows[1]), 200)
}

func TestTextNoPlace(t *testing.T) {
	for _, pos := range []ptx.Pos{{}, {Line: 900, Col: 1}, {Line: 1, Col: 900}} {
		e := &ptx.Error{File: "x", Pos: pos, Code: "C", Msg: "m"}
		var b bytes.Buffer
		require.NoError(t, report.Text(&b, ptx.ErrorList{e}, report.Style{Sources: sources}))
		assert.Contains(t, b.String(), "error: m [C]\n")
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.JSON(&b, complaints(t)))
	assert.Equal(t, `{"file":"dir name/x.ptx","line":6,"column":38,"severity":"error","code":"MismatchedVector","message":"%v is .reg .v4 .f32, and the formal is .reg .v2 .f32","related":[{"file":"dir name/x.ptx","line":3,"column":9,"message":"formal x of f is declared here"}]}
`, b.String())
	b.Reset()
	require.NoError(t, report.JSON(&b, ptx.ErrorList{{File: "<x>", Msg: "a & b"}}))
	assert.Equal(t, `{"file":"<x>","line":0,"column":0,"severity":"error","code":"","message":"a & b","related":[]}`+"\n", b.String())
}

func TestSARIF(t *testing.T) {
	list := complaints(t)
	list.Add(&ptx.Error{File: "/abs/y.ptx", Code: "MismatchedVector", Severity: ptx.SeverityNote, Msg: "again"})
	var b bytes.Buffer
	require.NoError(t, report.SARIF(&b, list, "1.2.3", sources))
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine, StartColumn int }
					}
				}
				RelatedLocations []struct{ Message struct{ Text string } }
			}
		}
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &log))
	assert.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs, 1)
	run := log.Runs[0]
	require.Len(t, run.Tool.Driver.Rules, 1, "a rule for each code, once")
	require.Len(t, run.Results, 2)
	first := run.Results[0]
	assert.Equal(t, run.Tool.Driver.Rules[first.RuleIndex].ID, first.RuleID)
	assert.Equal(t, "error", first.Level)
	place := first.Locations[0].PhysicalLocation
	assert.Equal(t, "dir%20name/x.ptx", place.ArtifactLocation.URI)
	require.NotNil(t, place.Region)
	assert.Equal(t, 6, place.Region.StartLine)
	assert.Equal(t, 37, place.Region.StartColumn, "columns count characters")
	assert.Equal(t, "formal x of f is declared here", first.RelatedLocations[0].Message.Text)
	assert.Nil(t, run.Results[1].Locations[0].PhysicalLocation.Region)
	assert.Equal(t, "file:///abs/y.ptx", run.Results[1].Locations[0].PhysicalLocation.ArtifactLocation.URI)
}

func TestSARIFEmpty(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.SARIF(&b, nil, "", nil))
	assert.Contains(t, b.String(), `"results": []`)
	assert.Contains(t, b.String(), `"rules": []`)
}

func TestExplain(t *testing.T) {
	for _, code := range append(check.Codes(), ptx.BadSyntax) {
		e, ok := check.Explain(code)
		require.True(t, ok, code)
		var b bytes.Buffer
		require.NoError(t, report.Explain(&b, e))
		for _, want := range []string{code + " (", "\n\nExample", "\nMend: ", "\nSource: "} {
			assert.Contains(t, b.String(), want, code)
		}
	}
}

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
)

const mismatched = "\ufeff.version 7.8\n.target sm_80\n.func f(.reg .v2 .f32 x) { ret; }\r\n.func g()\n{\n\t/* é */ .reg .v4 .f32 %v; call f, (%v);\n\tret;\n}\n"

func TestCheckText(t *testing.T) {
	r := ptxabiOn(true, map[string]string{"NO_COLOR": "1"}, []byte(mismatched), "check", "-")
	assert.Equal(t, 1, r.status)
	assert.Empty(t, r.stdout)
	assert.Equal(t, "<stdin>:6:38: error: %v is .reg .v4 .f32, and the formal is .reg .v2 .f32 [MismatchedVector]\n"+
		"\t/* é */ .reg .v4 .f32 %v; call f, (%v);\n\t"+strings.Repeat(" ", 35)+"^\n"+
		"\t<stdin>:3:9: formal x of f is declared here\n"+
		"\t.func f(.reg .v2 .f32 x) { ret; }\n\t"+strings.Repeat(" ", 8)+"^\n", r.stderr)
}

func TestCheckJSON(t *testing.T) {
	r := ptxabi([]byte(mismatched), "check", "-format", "json", "-")
	assert.Equal(t, 1, r.status)
	assert.Empty(t, r.stderr)
	assert.Equal(t, `{"file":"<stdin>","line":6,"column":38,"severity":"error","code":"MismatchedVector","message":"%v is .reg .v4 .f32, and the formal is .reg .v2 .f32","related":[{"file":"<stdin>","line":3,"column":9,"message":"formal x of f is declared here"}]}
`, r.stdout)
	s := readSchema(t, "check")
	for line := range strings.Lines(r.stdout) {
		s.check(t, line)
	}
	clean := ptxabi([]byte(".version 7.8\n.target sm_80\n"), "check", "-format", "json", "-")
	assert.Equal(t, result{}, clean)
}

// TestCheckSARIF looks at what the standard asks for beside the shape: rules
// that results point to, columns in the unit that is stated, references as URIs.
func TestCheckSARIF(t *testing.T) {
	src := &source{name: "dir name/x.ptx", text: mismatched}
	_, list := check.Source(src.name, []byte(src.text), check.Options{})
	list.Add(&diag.Diagnostic{File: "/abs/y.ptx", Code: check.MismatchedVector, Severity: diag.Note, Msg: "again"})
	out, err := appendSARIF(nil, list, map[string]*source{src.name: src}, nil)
	require.NoError(t, err)
	var log sarifLog
	require.NoError(t, json.Unmarshal(out, &log))
	assert.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs, 1)
	run := log.Runs[0]
	require.Len(t, run.Tool.Driver.Rules, 1, "a rule for each code, once")
	assert.NotEmpty(t, run.Tool.Driver.Rules[0].Help.Text)
	require.Len(t, run.Results, 2)
	first := run.Results[0]
	assert.Equal(t, run.Tool.Driver.Rules[first.RuleIndex].ID, first.RuleID)
	assert.Equal(t, "error", first.Level)
	place := first.Locations[0].PhysicalLocation
	assert.Equal(t, "dir%20name/x.ptx", place.ArtifactLocation.URI)
	assert.Equal(t, &sarifRegion{StartLine: 6, StartColumn: 37}, place.Region, "columns count characters")
	assert.Equal(t, "formal x of f is declared here", first.RelatedLocations[0].Message.Text)
	assert.Nil(t, run.Results[1].Locations[0].PhysicalLocation.Region)
	assert.Equal(t, "file:///abs/y.ptx", run.Results[1].Locations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Equal(t, "note", run.Results[1].Level)
}

func TestCheckSARIFEmpty(t *testing.T) {
	r := ptxabi([]byte(".version 7.8\n.target sm_80\n"), "check", "-format=sarif", "-")
	assert.Equal(t, 0, r.status)
	assert.Contains(t, r.stdout, `"results": []`)
	assert.Contains(t, r.stdout, `"rules": []`)
	assert.Contains(t, r.stdout, `"executionSuccessful": true`)
}

// TestCheckSARIFFailed holds runs that could not read everything to saying so: a
// scanner takes what a successful run does not report for mended.
func TestCheckSARIFFailed(t *testing.T) {
	r := ptxabi([]byte(mismatched), "check", "-format=sarif", "missing.ptx")
	assert.Equal(t, 2, r.status)
	assert.Empty(t, r.stdout)
	assert.Equal(t, "ptxabi: missing.ptx: no such file or directory\n", r.stderr)

	r = ptxabi([]byte(mismatched), "check", "-format=sarif", "missing.ptx", "-")
	assert.Equal(t, 2, r.status)
	var log sarifLog
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &log))
	assert.NotEmpty(t, log.Runs[0].Results)
	assert.Equal(t, []sarifInvocation{{Notifications: []sarifNotification{
		{"error", sarifText{"missing.ptx: no such file or directory"}},
	}}}, log.Runs[0].Invocations)
}

// TestCheckNothing holds check to saying that there was nothing to check.
func TestCheckNothing(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ input, arg, want string }{
		{"", dir, dir + ": no .ptx file in it"},
		{"", "-", "<stdin>: no PTX in it"},
		{"\n// nothing\n", "-", "<stdin>: no PTX in it"},
	} {
		r := ptxabi([]byte(tt.input), "check", tt.arg)
		assert.Equal(t, result{status: 2, stderr: "ptxabi: " + tt.want + "\n"}, r)
	}
	assert.Equal(t, result{}, ptxabi([]byte(".version 7.8\n"), "check", "-"), "which assemblers refuse for other reasons")
}

func TestExplainAll(t *testing.T) {
	for _, code := range explained() {
		r := ptxabi(nil, "explain", code)
		require.Equal(t, 0, r.status, code)
		for _, want := range []string{code + " (", "\n\nExample", "\nFix: ", "\nSource: "} {
			assert.Contains(t, r.stdout, want, code)
		}
	}
}

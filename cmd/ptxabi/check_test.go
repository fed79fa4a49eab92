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
		"\t/* é */ .reg .v4 .f32 %v; call f, (%v);\n\t"+strings.Repeat(" ", 35)+"^~\n"+
		"\t<stdin>:3:9: formal x of f is declared here\n"+
		"\t.func f(.reg .v2 .f32 x) { ret; }\n\t"+strings.Repeat(" ", 8)+"^~~~\n", r.stderr)
}

func TestCheckJSON(t *testing.T) {
	r := ptxabi([]byte(mismatched), "check", "-format", "json", "-")
	assert.Equal(t, 1, r.status)
	assert.Empty(t, r.stderr)
	assert.Equal(t, `{"file":"<stdin>","line":6,"column":38,"endLine":6,"endColumn":40,"severity":"error","code":"MismatchedVector","message":"%v is .reg .v4 .f32, and the formal is .reg .v2 .f32","related":[{"file":"<stdin>","line":3,"column":9,"endLine":3,"endColumn":13,"message":"formal x of f is declared here"}]}
`, r.stdout)
	s := readSchema(t, "check")
	for line := range strings.Lines(r.stdout) {
		s.check(t, line)
	}
	clean := ptxabi([]byte(".version 7.8\n.target sm_80\n"), "check", "-format", "json", "-")
	assert.Equal(t, result{}, clean)
}

// TestCheckSchema holds the schema against diagnostics with ends and fixes.
func TestCheckSchema(t *testing.T) {
	at := func(line, col uint32) diag.Pos { return diag.Pos{Line: line, Col: col} }
	list := diag.List{{
		File: "x.ptx", Pos: at(1, 2), End: at(1, 4), Code: "Code", Msg: "m",
		Related: []diag.Related{{Pos: at(1, 1), End: at(2, 1), Msg: "r"}},
		Fixes:   []diag.Fix{{Msg: "drop it", Edits: []diag.Edit{{Pos: at(1, 2), End: at(1, 4)}}}},
	}, {File: "x.ptx", Code: "Code", Severity: diag.Note, Msg: "m"}}
	s := readSchema(t, "check")
	for line := range strings.Lines(string(diag.AppendJSON(nil, list))) {
		s.check(t, line)
	}
	list[0].Fixes[0].Edits[0].End = diag.Pos{}
	assert.NotEmpty(t, s.violations(t, string(diag.AppendJSON(nil, list[:1]))))
}

// TestCheckSARIF looks at what package diag is told: the rules and the texts.
func TestCheckSARIF(t *testing.T) {
	r := ptxabi([]byte(mismatched), "check", "-format=sarif", "-")
	assert.Equal(t, 1, r.status)
	x, ok := check.Explain(check.MismatchedVector)
	require.True(t, ok)
	text, err := json.Marshal(x.When)
	require.NoError(t, err)
	assert.Contains(t, r.stdout, string(text))
	assert.Contains(t, r.stdout, `"text": "Fix: `)
	assert.Contains(t, r.stdout, `"startColumn": 37`, "columns count characters")
	assert.Contains(t, r.stdout, `"name": "ptxabi"`)
}

// TestCheckAnnotations holds that both forms are written to standard output.
func TestCheckAnnotations(t *testing.T) {
	r := ptxabi([]byte(mismatched), "check", "-format=github", "-")
	assert.Equal(t, 1, r.status)
	assert.Empty(t, r.stderr)
	assert.Equal(t, "::error file=<stdin>,line=6,col=38,endLine=6,endColumn=40,title=MismatchedVector::%25v is .reg .v4 .f32, and the formal is .reg .v2 .f32"+
		"%0A<stdin>:3:9: formal x of f is declared here\n", r.stdout)
	r = ptxabi([]byte(mismatched), "check", "-format=gitlab", "-")
	assert.Equal(t, 1, r.status)
	assert.Empty(t, r.stderr)
	assert.Contains(t, r.stdout, `"check_name": "MismatchedVector"`)
	clean := ptxabi([]byte(".version 7.8\n.target sm_80\n"), "check", "-format", "gitlab", "-")
	assert.Equal(t, result{stdout: "[]\n"}, clean)
}

func TestCheckSARIFEmpty(t *testing.T) {
	r := ptxabi([]byte(".version 7.8\n.target sm_80\n"), "check", "-format=sarif", "-")
	assert.Equal(t, 0, r.status)
	assert.Contains(t, r.stdout, `"results": []`)
	assert.Contains(t, r.stdout, `"rules": []`)
	assert.Contains(t, r.stdout, `"executionSuccessful": true`)
}

// TestCheckSARIFFailed holds runs that could not read everything to saying so: a
// scanner takes what a successful run does not report for fixed.
func TestCheckSARIFFailed(t *testing.T) {
	r := ptxabi([]byte(mismatched), "check", "-format=sarif", "missing.ptx")
	assert.Equal(t, 2, r.status)
	assert.Empty(t, r.stdout)
	assert.Equal(t, "ptxabi: missing.ptx: no such file or directory\n", r.stderr)

	r = ptxabi([]byte(mismatched), "check", "-format=sarif", "missing.ptx", "-")
	assert.Equal(t, 2, r.status)
	var log struct {
		Runs []struct{ Results, Invocations []any }
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &log))
	assert.NotEmpty(t, log.Runs[0].Results)
	assert.Equal(t, []any{map[string]any{"executionSuccessful": false, "toolExecutionNotifications": []any{
		map[string]any{"level": "error", "message": map[string]any{"text": "missing.ptx: no such file or directory"}},
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

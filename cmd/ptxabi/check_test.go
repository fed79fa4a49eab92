package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/report"
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

// TestCheckSchema holds the schema against diagnostics with ends and fixes, and those of real modules.
func TestCheckSchema(t *testing.T) {
	t.Parallel()
	at := func(line, col uint32) diag.Pos { return diag.Pos{Line: line, Col: col} }
	list := diag.List{{
		File: "x.ptx", Pos: at(1, 2), End: at(1, 4), Code: "Code", Msg: "m",
		Related: []diag.Related{{Pos: at(1, 1), End: at(2, 1), Msg: "r"}},
		Fixes:   []diag.Fix{{Msg: "drop it", Edits: []diag.Edit{{Pos: at(1, 2), End: at(1, 4)}}}},
	}, {File: "x.ptx", Code: "Code", Severity: diag.Note, Msg: "m"}}
	s := readSchema(t, "check")
	for line := range strings.Lines(string(report.AppendJSON(nil, list))) {
		s.check(t, line)
	}
	found := ptxabi(nil, "check", "-c", "-pedantic", "-format", "json", "../../testdata/real").stdout
	assert.NotEmpty(t, found)
	for line := range strings.Lines(found) {
		s.check(t, line)
	}
	list[0].Fixes[0].Edits[0].End = diag.Pos{}
	assert.NotEmpty(t, s.violations(t, string(report.AppendJSON(nil, list[:1]))))
}

// TestCheckSARIF checks what the report gets: the rules and the texts.
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

func TestExplainAll(t *testing.T) {
	for _, code := range explained() {
		r := ptxabi(nil, "explain", code)
		require.Equal(t, 0, r.status, code)
		for _, want := range []string{code + " (", "\n\nExample", "\nFix: ", "\nSource: "} {
			assert.Contains(t, r.stdout, want, code)
		}
	}
}

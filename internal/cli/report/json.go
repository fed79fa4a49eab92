package report

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
)

// The objects of the JSON form. Fields are added to it and never taken away.
type (
	jsonDiagnostic struct {
		File      string        `json:"file"`
		Line      uint32        `json:"line"`
		Column    uint32        `json:"column"`
		EndLine   uint32        `json:"endLine,omitempty"`
		EndColumn uint32        `json:"endColumn,omitempty"`
		Severity  string        `json:"severity"`
		Code      string        `json:"code"`
		Message   string        `json:"message"`
		Related   []jsonRelated `json:"related"`
		Fixes     []jsonFix     `json:"fixes,omitempty"`
	}
	jsonRelated struct {
		File      string `json:"file"`
		Line      uint32 `json:"line"`
		Column    uint32 `json:"column"`
		EndLine   uint32 `json:"endLine,omitempty"`
		EndColumn uint32 `json:"endColumn,omitempty"`
		Message   string `json:"message"`
	}
	jsonFix struct {
		Message string     `json:"message"`
		Edits   []jsonEdit `json:"edits"`
	}
	jsonEdit struct {
		Line      uint32 `json:"line"`
		Column    uint32 `json:"column"`
		EndLine   uint32 `json:"endLine"`
		EndColumn uint32 `json:"endColumn"`
		Text      string `json:"text"`
	}
)

// AppendJSON appends an object for each diagnostic, each on a line:
//
//	{"file", "line", "column", "endLine", "endColumn", "severity", "code", "message",
//	 "related": [{"file", "line", "column", "endLine", "endColumn", "message"}],
//	 "fixes": [{"message", "edits": [{"line", "column", "endLine", "endColumn", "text"}]}]}
//
// Line and column are 0 if a diagnostic has no place. The end is left out if it is
// unknown, and fixes if there are none.
func AppendJSON(dst []byte, list diag.List) []byte {
	for _, d := range list {
		out := jsonDiagnostic{
			File: d.File, Line: d.Pos.Line, Column: d.Pos.Col, EndLine: d.End.Line, EndColumn: d.End.Col,
			Severity: d.Severity.String(), Code: string(d.Code), Message: d.Msg,
			Related: make([]jsonRelated, 0, len(d.Related)),
		}
		for i := range d.Related {
			r := &d.Related[i]
			out.Related = append(out.Related, jsonRelated{d.FileOf(r), r.Pos.Line, r.Pos.Col, r.End.Line, r.End.Col, r.Msg})
		}
		for _, f := range d.Fixes {
			fix := jsonFix{Message: f.Msg, Edits: make([]jsonEdit, 0, len(f.Edits))}
			for _, e := range f.Edits {
				fix.Edits = append(fix.Edits, jsonEdit{e.Pos.Line, e.Pos.Col, e.End.Line, e.End.Col, e.Text})
			}
			out.Fixes = append(out.Fixes, fix)
		}
		dst = appendObject(dst, out, "")
	}
	return dst
}

// appendObject appends a value as JSON and a line end.
func appendObject(dst []byte, v any, indent string) []byte {
	return append(jsonline.Encode(dst, v, indent), '\n')
}

// Package report writes diagnostics in the forms that other programs read: JSON, SARIF, and what GitHub and
// GitLab show.
package report

import (
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
)

type object = jsonline.Object

// AppendJSON appends an object for each diagnostic, each on a line. Fields are added to it and never taken away:
//
//	{"file", "line", "column", "endLine", "endColumn", "severity", "code", "message",
//	 "related": [{"file", "line", "column", "endLine", "endColumn", "message"}],
//	 "fixes": [{"message", "edits": [{"line", "column", "endLine", "endColumn", "text"}]}]}
//
// Line and column are 0 if a diagnostic has no place. The end is left out if it is
// unknown, and fixes if there are none.
func AppendJSON(dst []byte, list diag.List) []byte {
	for _, d := range list {
		related := []object{}
		for i := range d.Related {
			r := &d.Related[i]
			related = append(related, slices.Concat(object{"file", d.FileOf(r)}, extent(r.Pos, r.End), object{"message", r.Msg}))
		}
		var fixes []object
		for _, f := range d.Fixes {
			edits := []object{}
			for _, e := range f.Edits {
				edits = append(edits, append(extent(e.Pos, e.End), "text", e.Text))
			}
			fixes = append(fixes, object{"message", f.Msg, "edits", edits})
		}
		dst = appendObject(dst, slices.Concat(object{"file", d.File}, extent(d.Pos, d.End), object{
			"severity", d.Severity.String(), "code", d.Code, "message", d.Msg, "related", related, "fixes", jsonline.Some(fixes),
		}), "")
	}
	return dst
}

// extent is the fields of a place, without an end that is not known.
func extent(pos, end diag.Pos) object {
	out := object{"line", pos.Line, "column", pos.Col}
	if end.IsValid() {
		out = append(out, "endLine", end.Line, "endColumn", end.Col)
	}
	return out
}

// appendObject appends a value as JSON and a line end.
func appendObject(dst []byte, v any, indent string) []byte {
	return append(jsonline.Encode(dst, v, indent), '\n')
}

// First returns the first most diagnostics of each code in each file, in its order. Where
// there are more, a diagnostic without a place stands after the last of them: it has their
// severity and says how many are left out, and what shows them.
func First(l diag.List, most int, shows string) diag.List {
	type kind struct {
		file string
		code diag.Code
		is   diag.Severity
	}
	count := make(map[kind]int)
	for _, d := range l {
		count[kind{d.File, d.Code, d.Severity}]++
	}
	var out diag.List
	seen := make(map[kind]int)
	for _, d := range l {
		k := kind{d.File, d.Code, d.Severity}
		seen[k]++
		switch more := count[k] - most; {
		case seen[k] <= most || more == 0:
			out = append(out, d)
		case seen[k] == most+1:
			out = append(out, &diag.Diagnostic{
				File: d.File, Severity: d.Severity, Code: d.Code,
				Msg: strconv.Itoa(more) + " more; " + shows + " shows all",
			})
		}
	}
	return out
}

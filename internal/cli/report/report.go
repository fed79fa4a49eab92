// Package report writes diagnostics in the forms that other programs read: JSON, SARIF, and what GitHub and
// GitLab show.
package report

import (
	"encoding/hex"
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"strings"

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

// AppendGitHub appends a workflow command of GitHub Actions for each diagnostic,
// each on a line, which the host shows as an annotation of the file:
//
//	::error file=x.ptx,line=3,col=5,endLine=3,endColumn=9,title=BadSyntax::message
//
// A note is a notice. The end column is the one after the last. There are columns only if
// the end is on the same line or unknown, as the host documents. Related places are below
// the message.
func AppendGitHub(dst []byte, list diag.List) []byte {
	for _, d := range list {
		command := d.Severity.String()
		if d.Severity == diag.Note {
			command = "notice"
		}
		dst = append(dst, "::"+command...)
		sep := byte(' ')
		property := func(name, value string) {
			dst = append(dst, sep)
			dst = append(dst, name+"="+gitHubProperty.Replace(value)...)
			sep = ','
		}
		number := func(name string, n uint32) { property(name, strconv.FormatUint(uint64(n), 10)) }
		if d.File != "" {
			property("file", diag.Printable(d.File))
		}
		if d.Pos.IsValid() {
			number("line", d.Pos.Line)
			if !d.End.IsValid() || d.End.Line == d.Pos.Line {
				number("col", d.Pos.Col)
			}
		}
		if d.End.IsValid() {
			number("endLine", d.End.Line)
			if d.End.Line == d.Pos.Line {
				number("endColumn", d.End.Col)
			}
		}
		if d.Code != "" {
			property("title", diag.Printable(string(d.Code)))
		}
		msg := diag.PrintableLines(d.Msg)
		for i := range d.Related {
			r := &d.Related[i]
			msg += "\n" + diag.Printable(diag.Place(d.FileOf(r), r.Pos)+r.Msg)
		}
		dst = append(dst, "::"+gitHubData.Replace(msg)+"\n"...)
	}
	return dst
}

// What the toolkit of GitHub Actions escapes in messages and in properties.
var (
	gitHubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	gitHubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// AppendGitLab appends a Code Quality report of GitLab: an array with an object for each
// diagnostic. An error is major, a warning minor and a note info. A diagnostic without a
// place is at line 1.
//
// The host compares fingerprints to find which issues are new. They are different within a
// report, and do not change with the lines before a diagnostic.
func AppendGitLab(dst []byte, list diag.List) []byte {
	issues := []object{}
	times := make(map[string]int)
	for _, d := range list {
		file := path.Clean(strings.ReplaceAll(d.File, `\`, "/"))
		begin := max(d.Pos.Line, 1)
		same := file + "\x00" + string(d.Code) + "\x00" + d.Msg
		hash := fnv.New128a()
		hash.Write([]byte(same + "\x00" + strconv.Itoa(times[same])))
		times[same]++
		issues = append(issues, object{
			"description", d.Msg, "check_name", d.Code, "fingerprint", hex.EncodeToString(hash.Sum(nil)), "severity", gitLabSeverity[d.Severity],
			"location",
			object{"path", file, "lines", object{"begin", begin, "end", max(d.End.Line, begin)}},
		})
	}
	return appendObject(dst, issues, "  ")
}

var gitLabSeverity = map[diag.Severity]string{diag.Error: "major", diag.Warning: "minor", diag.Note: "info"}

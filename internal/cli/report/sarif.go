package report

import (
	"net/url"
	"path"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// A Rule is the meaning of a code.
type Rule struct {
	Short    string        // one sentence
	Help     string        // how to fix it, and where the rule is from
	Severity diag.Severity // that of its diagnostics by default
}

// A SARIF is a log of one run in the format SARIF 2.1.0 of code scanners, before
// its results.
type SARIF struct {
	Tool, Version, URI string // of the program

	// Rules are the rules of the codes that may occur. A code without one is its own
	// description.
	Rules map[diag.Code]Rule
	// Texts are the texts of the diagnostics. Columns count characters if the text is
	// known, and bytes otherwise.
	Texts diag.Texts
	// Failed are the reasons why some input was not checked. If there are any, the log
	// marks the run as unsuccessful, so that diagnostics which are missing from it do not
	// count as fixed.
	Failed []string
}

// Append appends the log with the diagnostics of a list as its results. It has a
// rule for each code that occurs. The names in it are those of the Static Analysis Results
// Interchange Format 2.1.0, an OASIS standard.
func (s *SARIF) Append(dst []byte, list diag.List) []byte {
	var failed []object
	for _, why := range s.Failed {
		failed = append(failed, object{"level", "error", "message", text(why)})
	}
	rules, results := []object{}, []object{}
	index := make(map[diag.Code]int)
	for _, d := range list {
		at, ok := index[d.Code]
		if !ok {
			at = len(rules)
			index[d.Code] = at
			rules = append(rules, s.rule(d))
		}
		results = append(results, s.result(d, at))
	}
	return appendObject(dst, object{"$schema", sarifSchema, "version", "2.1.0", "runs", []object{{
		"tool",
		object{"driver", object{"name", s.Tool, "version", s.Version, "informationUri", s.URI, "rules", rules}},
		"invocations",
		[]object{{"executionSuccessful", len(s.Failed) == 0, "toolExecutionNotifications", jsonline.Some(failed)}},
		"columnKind", "unicodeCodePoints",
		"results", results,
	}}}, "  ")
}

func text(s string) object { return object{"text", s} }

// rule describes the code of d.
func (s *SARIF) rule(d *diag.Diagnostic) object {
	r, ok := s.Rules[d.Code]
	if !ok {
		r = Rule{string(d.Code), string(d.Code), d.Severity}
	}
	return object{"id", d.Code, "shortDescription", text(r.Short), "help", text(r.Help), "defaultConfiguration", object{"level", r.Severity.String()}}
}

func (s *SARIF) result(d *diag.Diagnostic, rule int) object {
	var related, fixes []object
	for i := range d.Related {
		r := &d.Related[i]
		related = append(related, object{"id", i, "physicalLocation", s.physical(d.FileOf(r), r.Pos, r.End), "message", text(r.Msg)})
	}
	for _, f := range d.Fixes {
		edits := []object{}
		for _, e := range f.Edits {
			edit := object{"deletedRegion", s.region(d.File, e.Pos, e.End)}
			if e.Text != "" {
				edit = append(edit, "insertedContent", text(e.Text))
			}
			edits = append(edits, edit)
		}
		fixes = append(fixes, object{"description", text(f.Msg), "artifactChanges", []object{{"artifactLocation", object{"uri", uriOf(d.File)}, "replacements", edits}}})
	}
	return object{
		"ruleId", d.Code, "ruleIndex", rule, "level", d.Severity.String(), "message", text(d.Msg),
		"locations",
		[]object{{"physicalLocation", s.physical(d.File, d.Pos, d.End)}},
		"relatedLocations", jsonline.Some(related), "fixes", jsonline.Some(fixes),
	}
}

func (s *SARIF) physical(file string, pos, end diag.Pos) object {
	p := object{"artifactLocation", object{"uri", uriOf(file)}}
	if pos.IsValid() {
		p = append(p, "region", s.region(file, pos, end))
	}
	return p
}

func (s *SARIF) region(file string, pos, end diag.Pos) object {
	t := s.Texts[file]
	r := object{"startLine", pos.Line, "startColumn", column(t, pos)}
	if end.IsValid() {
		r = append(r, "endLine", end.Line, "endColumn", column(t, end))
	}
	return r
}

// column returns the column of a position in characters, or in bytes where the
// text is not known.
func column(t *diag.Text, pos diag.Pos) uint32 {
	if n, ok := t.Column(pos); ok {
		return n
	}
	return max(pos.Col, 1)
}

// uriOf returns a file's name as a URI reference.
func uriOf(file string) string {
	u := url.URL{Path: strings.ReplaceAll(file, `\`, "/")}
	switch {
	case path.IsAbs(u.Path):
		u.Scheme = "file"
	case u.Path == "*":
		u.RawPath = "%2A" // which means something in a URL
	}
	return u.String()
}

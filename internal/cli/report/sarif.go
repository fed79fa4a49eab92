package report

import (
	"path"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
)

// The objects of the Static Analysis Results Interchange Format (SARIF) 2.1.0,
// an OASIS standard, as far as they are used here. Names are the standard's.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string      `json:"id"`
		ShortDescription     sarifText   `json:"shortDescription"`
		Help                 sarifText   `json:"help"`
		DefaultConfiguration sarifConfig `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID           string          `json:"ruleId"`
		RuleIndex        int             `json:"ruleIndex"`
		Level            string          `json:"level"`
		Message          sarifText       `json:"message"`
		Locations        []sarifLocation `json:"locations"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
		Fixes            []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		ID               *int          `json:"id,omitempty"`
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
		Message          *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   uint32 `json:"startLine"`
		StartColumn uint32 `json:"startColumn"`
		EndLine     uint32 `json:"endLine,omitempty"`
		EndColumn   uint32 `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description     sarifText     `json:"description"`
		ArtifactChanges []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		ArtifactLocation sarifArtifact      `json:"artifactLocation"`
		Replacements     []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		DeletedRegion   sarifRegion `json:"deletedRegion"`
		InsertedContent *sarifText  `json:"insertedContent,omitempty"`
	}
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
// rule for each code that occurs.
func (s *SARIF) Append(dst []byte, list diag.List) []byte {
	done := sarifInvocation{ExecutionSuccessful: len(s.Failed) == 0}
	for _, text := range s.Failed {
		done.Notifications = append(done.Notifications, sarifNotification{"error", sarifText{text}})
	}
	driver := sarifDriver{Name: s.Tool, Version: s.Version, InformationURI: s.URI, Rules: []sarifRule{}}
	results := make([]sarifResult, 0, len(list))
	index := make(map[diag.Code]int)
	for _, d := range list {
		at, ok := index[d.Code]
		if !ok {
			at = len(driver.Rules)
			index[d.Code] = at
			driver.Rules = append(driver.Rules, s.rule(d))
		}
		results = append(results, s.result(d, at))
	}
	return appendObject(dst, sarifLog{sarifSchema, "2.1.0", []sarifRun{{
		Tool: sarifTool{driver}, Invocations: []sarifInvocation{done}, ColumnKind: "unicodeCodePoints", Results: results,
	}}}, "  ")
}

// rule describes the code of d.
func (s *SARIF) rule(d *diag.Diagnostic) sarifRule {
	name := string(d.Code)
	r, ok := s.Rules[d.Code]
	if !ok {
		r = Rule{name, name, d.Severity}
	}
	return sarifRule{name, sarifText{r.Short}, sarifText{r.Help}, sarifConfig{r.Severity.String()}}
}

func (s *SARIF) result(d *diag.Diagnostic, rule int) sarifResult {
	out := sarifResult{
		RuleID: string(d.Code), RuleIndex: rule, Level: d.Severity.String(), Message: sarifText{d.Msg},
		Locations: []sarifLocation{{PhysicalLocation: s.physical(d.File, d.Pos, d.End)}},
	}
	for i := range d.Related {
		r := &d.Related[i]
		out.RelatedLocations = append(out.RelatedLocations, sarifLocation{
			ID: &i, PhysicalLocation: s.physical(d.FileOf(r), r.Pos, r.End), Message: &sarifText{r.Msg},
		})
	}
	for _, f := range d.Fixes {
		change := sarifChange{ArtifactLocation: sarifArtifact{uriOf(d.File)}, Replacements: []sarifReplacement{}}
		for _, e := range f.Edits {
			r := sarifReplacement{DeletedRegion: s.region(d.File, e.Pos, e.End)}
			if e.Text != "" {
				r.InsertedContent = &sarifText{e.Text}
			}
			change.Replacements = append(change.Replacements, r)
		}
		out.Fixes = append(out.Fixes, sarifFix{sarifText{f.Msg}, []sarifChange{change}})
	}
	return out
}

func (s *SARIF) physical(file string, pos, end diag.Pos) sarifPhysical {
	p := sarifPhysical{ArtifactLocation: sarifArtifact{uriOf(file)}}
	if pos.IsValid() {
		r := s.region(file, pos, end)
		p.Region = &r
	}
	return p
}

func (s *SARIF) region(file string, pos, end diag.Pos) sarifRegion {
	t := s.Texts[file]
	r := sarifRegion{StartLine: pos.Line, StartColumn: column(t, pos)}
	if end.IsValid() {
		r.EndLine, r.EndColumn = end.Line, column(t, end)
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
	file = strings.ReplaceAll(file, `\`, "/")
	switch first, _, _ := strings.Cut(file, "/"); {
	case path.IsAbs(file):
		return "file://" + escapePath(file)
	case strings.Contains(first, ":"):
		return "./" + escapePath(file)
	}
	return escapePath(file)
}

// escapePath escapes the bytes that stand for something else in the path of a URI,
// by RFC 3986.
func escapePath(file string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(file) {
		c := file[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.~$&+,/:;=@", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
		}
	}
	return b.String()
}

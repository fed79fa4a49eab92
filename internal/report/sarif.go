package report

import (
	"encoding/json"
	"io"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/ptx"
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
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name            string      `json:"name"`
		SemanticVersion string      `json:"semanticVersion,omitempty"`
		InformationURI  string      `json:"informationUri"`
		Rules           []sarifRule `json:"rules"`
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
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes the complaints as one log of one run, with a rule for each code
// that occurs. Version is that of the tool, "" if it has none. Columns count
// characters where the source is known, and bytes otherwise.
func SARIF(w io.Writer, list ptx.ErrorList, version string, sources Sources) error {
	src := lines{sources: sources}
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "ptxabi", SemanticVersion: version, InformationURI: "https://github.com/ptxabi/ptxabi", Rules: []sarifRule{},
		}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	index := make(map[string]int)
	for _, e := range list {
		at, ok := index[e.Code]
		if !ok {
			at = len(run.Tool.Driver.Rules)
			index[e.Code] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, ruleOf(e))
		}
		r := sarifResult{
			RuleID: e.Code, RuleIndex: at, Level: levelOf(e.Severity), Message: sarifText{e.Msg},
			Locations: []sarifLocation{{PhysicalLocation: physical(&src, e.File, e.Pos)}},
		}
		for i, rel := range e.Related {
			r.RelatedLocations = append(r.RelatedLocations, sarifLocation{
				ID: &i, PhysicalLocation: physical(&src, fileOf(e, rel), rel.Pos), Message: &sarifText{rel.Msg},
			})
		}
		run.Results = append(run.Results, r)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

func ruleOf(e *ptx.Error) sarifRule {
	x, ok := check.Explain(e.Code)
	if !ok {
		return sarifRule{e.Code, sarifText{e.Code}, sarifText{e.Code}, sarifConfig{levelOf(e.Severity)}}
	}
	return sarifRule{e.Code, sarifText{x.Rule}, sarifText{"Mend: " + x.Mend + "\nSource: " + x.Source}, sarifConfig{levelOf(x.Severity)}}
}

func levelOf(s ptx.Severity) string {
	switch s {
	case ptx.SeverityError:
		return "error"
	case ptx.SeverityWarning:
		return "warning"
	}
	return "note"
}

func physical(src *lines, file string, pos ptx.Pos) sarifPhysical {
	p := sarifPhysical{ArtifactLocation: sarifArtifact{uriOf(file)}}
	if pos.IsValid() {
		p.Region = &sarifRegion{pos.Line, column(src, file, pos)}
	}
	return p
}

// column returns the column of a position in characters.
func column(src *lines, file string, pos ptx.Pos) uint32 {
	line, ok := src.line(file, pos.Line)
	if !ok || pos.Col == 0 || int(pos.Col)-1 > len(line) {
		return max(pos.Col, 1)
	}
	return uint32(utf8.RuneCountInString(line[:pos.Col-1])) + 1
}

// uriOf returns a file's name as a URI reference.
func uriOf(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	if file == "" || file == "-" {
		return "stdin"
	}
	u := url.URL{Path: file}
	if path.IsAbs(file) {
		u.Scheme = "file"
	} else if !strings.Contains(file, "://") && strings.Contains(strings.SplitN(file, "/", 2)[0], ":") {
		u.Path = "./" + file
	}
	return u.String()
}

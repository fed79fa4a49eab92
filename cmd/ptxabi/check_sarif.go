package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/check"
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

// appendSARIF appends the complaints as one log of one run, with a rule for each
// code that occurs. Columns count characters where the source is known, and
// bytes otherwise. A run in which something failed was not successful: what is
// not among its results need not be mended.
func appendSARIF(dst []byte, list diag.List, sources map[string]*source, failed []error) ([]byte, error) {
	done := sarifInvocation{ExecutionSuccessful: len(failed) == 0}
	for _, err := range failed {
		done.Notifications = append(done.Notifications, sarifNotification{"error", sarifText{err.Error()}})
	}
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "ptxabi", Version: version(), InformationURI: "https://github.com/ptxabi/ptxabi", Rules: []sarifRule{},
		}},
		Invocations: []sarifInvocation{done},
		ColumnKind:  "unicodeCodePoints",
		Results:     []sarifResult{},
	}
	lines := make(sourceLines)
	index := make(map[string]int)
	for _, e := range list {
		at, ok := index[string(e.Code)]
		if !ok {
			at = len(run.Tool.Driver.Rules)
			index[string(e.Code)] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, ruleOf(e))
		}
		r := sarifResult{
			RuleID: string(e.Code), RuleIndex: at, Level: e.Severity.String(), Message: sarifText{e.Msg},
			Locations: []sarifLocation{{PhysicalLocation: lines.physical(sources[e.File], e.File, e.Pos)}},
		}
		for i, rel := range e.Related {
			file := relatedFile(e, rel)
			r.RelatedLocations = append(r.RelatedLocations, sarifLocation{
				ID: &i, PhysicalLocation: lines.physical(sources[file], file, rel.Pos), Message: &sarifText{rel.Msg},
			})
		}
		run.Results = append(run.Results, r)
	}
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
	return b.Bytes(), err
}

func ruleOf(e *diag.Diagnostic) sarifRule {
	x, ok := check.Explain(e.Code)
	if !ok {
		return sarifRule{string(e.Code), sarifText{string(e.Code)}, sarifText{string(e.Code)}, sarifConfig{e.Severity.String()}}
	}
	return sarifRule{string(e.Code), sarifText{x.When}, sarifText{"Fix: " + x.Fix + "\nSource: " + x.Source}, sarifConfig{x.Severity.String()}}
}

// sourceLines are the lines of sources, each split once.
type sourceLines map[*source][]string

func (l sourceLines) physical(src *source, file string, pos diag.Pos) sarifPhysical {
	p := sarifPhysical{ArtifactLocation: sarifArtifact{uriOf(file)}}
	if pos.IsValid() {
		p.Region = &sarifRegion{pos.Line, l.column(src, pos)}
	}
	return p
}

// column returns the column of a position in characters.
func (l sourceLines) column(src *source, pos diag.Pos) uint32 {
	if src == nil {
		return max(pos.Col, 1)
	}
	lines, ok := l[src]
	if !ok {
		lines = strings.Split(strings.TrimPrefix(src.text, "\ufeff"), "\n")
		l[src] = lines
	}
	if int(pos.Line) > len(lines) || pos.Col == 0 || int(pos.Col)-1 > len(lines[pos.Line-1]) {
		return max(pos.Col, 1)
	}
	return uint32(utf8.RuneCountInString(lines[pos.Line-1][:pos.Col-1])) + 1
}

// uriOf returns a file's name as a URI reference.
func uriOf(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	u := url.URL{Path: file}
	switch first, _, _ := strings.Cut(file, "/"); {
	case path.IsAbs(file):
		u.Scheme = "file"
	case strings.Contains(first, ":"):
		u.Path = "./" + file
	}
	return u.String()
}

// Package report writes complaints about PTX for people and for programs: as
// text with the source line and a caret, as JSON lines, and as SARIF.
package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// Sources returns the text of a file that complaints name; nil if there is
// none. A nil Sources has no file.
type Sources func(file string) []byte

// lines returns the lines of files, splitting each file once.
type lines struct {
	sources Sources
	files   map[string][][]byte
}

// line returns line n of a file, counted from 1, without its line end; false
// if it is not known.
func (l *lines) line(file string, n uint32) (string, bool) {
	if l.sources == nil || n == 0 {
		return "", false
	}
	text, ok := l.files[file]
	if !ok {
		if l.files == nil {
			l.files = make(map[string][][]byte)
		}
		text = bytes.Split(bytes.TrimPrefix(l.sources(file), []byte("\ufeff")), []byte("\n"))
		l.files[file] = text
	}
	if int(n) > len(text) {
		return "", false
	}
	return strings.TrimSuffix(string(text[n-1]), "\r"), true
}

// A jsonPlace is a position in the JSON form.
type jsonPlace struct {
	File    string `json:"file"`
	Line    uint32 `json:"line"`
	Column  uint32 `json:"column"`
	Message string `json:"message"`
}

// A jsonError is one line of the JSON form.
type jsonError struct {
	File     string      `json:"file"`
	Line     uint32      `json:"line"`
	Column   uint32      `json:"column"`
	Severity string      `json:"severity"`
	Code     string      `json:"code"`
	Message  string      `json:"message"`
	Related  []jsonPlace `json:"related"`
}

// JSON writes one object a line for each complaint. Lines and columns count
// from 1, columns in bytes; both are 0 where the complaint is about no place.
func JSON(w io.Writer, list ptx.ErrorList) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range list {
		out := jsonError{
			File: e.File, Line: e.Pos.Line, Column: e.Pos.Col,
			Severity: e.Severity.String(), Code: e.Code, Message: e.Msg,
			Related: make([]jsonPlace, 0, len(e.Related)),
		}
		for _, r := range e.Related {
			out.Related = append(out.Related, jsonPlace{fileOf(e, r), r.Pos.Line, r.Pos.Col, r.Msg})
		}
		if err := enc.Encode(out); err != nil {
			return err
		}
	}
	return nil
}

// fileOf returns the file that a related position is in.
func fileOf(e *ptx.Error, r ptx.Related) string {
	if r.File != "" {
		return r.File
	}
	return e.File
}

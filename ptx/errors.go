package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Pos is a position in PTX text. Line and Col count from 1, Col in bytes; a
// byte-order mark at the start of the text is not counted. The zero value
// means unknown.
type Pos struct {
	Line, Col uint32
}

// IsValid reports whether p is known.
func (p Pos) IsValid() bool { return p.Line != 0 }

// Before reports whether p stands before q in the text.
func (p Pos) Before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// String returns "line:col", or "-" for the unknown position.
func (p Pos) String() string {
	if !p.IsValid() {
		return "-"
	}
	return strconv.FormatUint(uint64(p.Line), 10) + ":" + strconv.FormatUint(uint64(p.Col), 10)
}

// Severity ranks a complaint.
type Severity uint8

const (
	SeverityError   Severity = iota // the module is wrong, or cannot be handled
	SeverityWarning                 // the module is handled, and not as its author may think
	SeverityNote                    // worth knowing
)

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	switch s {
	case SeverityError:
		return "error"
	case SeverityWarning:
		return "warning"
	case SeverityNote:
		return "note"
	}
	return "severity(" + strconv.Itoa(int(s)) + ")"
}

// A Related is a second place that an Error speaks of.
type Related struct {
	File string // "" means the file of the Error
	Pos  Pos
	Msg  string
}

// An Error is one complaint about a module.
type Error struct {
	File     string // as given to Parse
	Pos      Pos    // zero if the complaint is about no place
	Severity Severity
	Code     string // the rule, such as "BadSyntax"; codes are stable
	Msg      string // what is wrong and how to mend it; no trailing period
	Related  []Related
}

// Error returns "file:line:col: severity: message [code]", with a line for
// each related position, indented by a tab.
func (e *Error) Error() string {
	var b strings.Builder
	writePlace(&b, e.File, e.Pos)
	fmt.Fprintf(&b, "%s: %s", e.Severity, e.Msg)
	if e.Code != "" {
		fmt.Fprintf(&b, " [%s]", e.Code)
	}
	for _, r := range e.Related {
		b.WriteString("\n\t")
		file := r.File
		if file == "" {
			file = e.File
		}
		writePlace(&b, file, r.Pos)
		b.WriteString(r.Msg)
	}
	return b.String()
}

func writePlace(b *strings.Builder, file string, pos Pos) {
	switch {
	case pos.IsValid():
		if file == "" {
			file = "-"
		}
		fmt.Fprintf(b, "%s:%d:%d: ", file, pos.Line, pos.Col)
	case file != "":
		b.WriteString(file + ": ")
	}
}

// An ErrorList is a list of complaints. Its zero value is empty and ready to
// use.
type ErrorList []*Error

// Add appends e.
func (l *ErrorList) Add(e *Error) { *l = append(*l, e) }

// Sort orders the list by file, position, severity, code and message.
func (l ErrorList) Sort() {
	slices.SortStableFunc(l, func(a, b *Error) int {
		switch {
		case a.File != b.File:
			return strings.Compare(a.File, b.File)
		case a.Pos != b.Pos && a.Pos.Before(b.Pos):
			return -1
		case a.Pos != b.Pos:
			return 1
		case a.Severity != b.Severity:
			return int(a.Severity) - int(b.Severity)
		case a.Code != b.Code:
			return strings.Compare(a.Code, b.Code)
		}
		return strings.Compare(a.Msg, b.Msg)
	})
}

// Errors returns the complaints of severity error, in the list's order.
func (l ErrorList) Errors() ErrorList {
	var out ErrorList
	for _, e := range l {
		if e.Severity == SeverityError {
			out = append(out, e)
		}
	}
	return out
}

// Err returns l as an error if it holds anything of severity error, and nil
// otherwise.
func (l ErrorList) Err() error {
	for _, e := range l {
		if e.Severity == SeverityError {
			return l
		}
	}
	return nil
}

// Error returns all complaints, a line each.
func (l ErrorList) Error() string {
	if len(l) == 0 {
		return "no errors"
	}
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap returns the members of the list, for errors.As and errors.Is.
func (l ErrorList) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// BadSyntax is the code of every complaint of this package: text that is not
// PTX.
const BadSyntax = "BadSyntax"

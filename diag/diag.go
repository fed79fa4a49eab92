// Package diag has the diagnostics of all parts of ptxabi: a code, a severity, a range of the
// text, related places, and fixes.
//
// A [List] of diagnostics is an error, and errors.As finds it and each of its members.
// [Printer] writes a list as text, and [Apply] applies its fixes.
package diag

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Pos is a position in text. Line and Col count from 1, Col in bytes; a
// byte-order mark at the start of the text is not counted. The zero value means
// unknown.
type Pos struct {
	Line, Col uint32
}

// IsValid reports whether p is known.
func (p Pos) IsValid() bool { return p.Line != 0 }

// Before reports whether p is before q in the text.
func (p Pos) Before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// After returns the position after a text that begins at p.
func (p Pos) After(text string) Pos {
	if n := strings.Count(text, "\n"); n > 0 && p.IsValid() {
		return Pos{Line: p.Line + uint32(n), Col: uint32(len(text) - strings.LastIndexByte(text, '\n'))}
	} else if p.IsValid() {
		p.Col += uint32(len(text))
	}
	return p
}

// String returns "line:col", or "-" for the unknown position.
func (p Pos) String() string {
	if !p.IsValid() {
		return "-"
	}
	return strconv.FormatUint(uint64(p.Line), 10) + ":" + strconv.FormatUint(uint64(p.Col), 10)
}

// A Severity is the severity of a diagnostic.
type Severity uint8

const (
	Error   Severity = iota // the input is wrong, or cannot be handled
	Warning                 // the input is handled, but perhaps not as intended
	Note                    // worth knowing
)

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Note:
		return "note"
	}
	return "severity(" + strconv.Itoa(int(s)) + ")"
}

// ParseSeverity returns the severity that [Severity.String] writes as name.
func ParseSeverity(name string) (s Severity, ok bool) {
	for s := Error; s <= Note; s++ {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

// A Code names the rule that a diagnostic is about, such as "BadSyntax". Codes do not
// change. A diagnostic without a rule has "".
type Code string

// A Diagnostic is one message about a text.
type Diagnostic struct {
	File     string // the name of the text that its reader was given; "" if there is none
	Pos      Pos    // the beginning of the range; zero if the diagnostic is about no place
	End      Pos    // the position after the range; zero if only the beginning is known
	Severity Severity
	Code     Code
	Msg      string    // the error and how to fix it, in one line; no trailing period
	Related  []Related // further places, in the order for readers
	Fixes    []Fix     // ways to fix it, each sufficient by itself, the best one first
}

// A Related is a further place of a diagnostic.
type Related struct {
	File string // "" means the file of the diagnostic
	Pos  Pos
	End  Pos // see Diagnostic.End
	Msg  string
}

// A Fix is a change of the diagnostic's file that removes its cause.
type Fix struct {
	Msg   string // the change in words, such as "write .param::func"
	Edits []Edit // in the order of the text; they do not overlap
}

// An Edit replaces the text from Pos up to, but not including, End by
// Text. If Pos equals End, it inserts Text.
type Edit struct {
	Pos, End Pos
	Text     string
}

// Error returns "file:line:col: severity: message [code]", with a line for each
// related place, indented by a tab.
func (d *Diagnostic) Error() string {
	if d == nil {
		d = new(Diagnostic)
	}
	var p Printer
	text := p.one(nil, d, func(s string) string { return s })
	return string(text[:len(text)-1])
}

// FileOf returns the file of one of the related places.
func (d *Diagnostic) FileOf(r *Related) string {
	switch {
	case r != nil && r.File != "":
		return r.File
	case d != nil:
		return d.File
	}
	return ""
}

// Place returns the beginning of a message about a place: "file:line:col: ", "file: " or
// "". A text without a name is "-".
func Place(file string, pos Pos) string {
	switch {
	case pos.IsValid() && file == "":
		return "-:" + pos.String() + ": "
	case pos.IsValid():
		return file + ":" + pos.String() + ": "
	case file != "":
		return file + ": "
	}
	return ""
}

// A List is a list of diagnostics. Its zero value is empty and ready to use.
type List []*Diagnostic

// Add appends d, if neither is nil.
func (l *List) Add(d *Diagnostic) {
	if l != nil && d != nil {
		*l = append(*l, d)
	}
}

// Sort sorts the list by file, position, severity, code and message. It is stable.
func (l List) Sort() { slices.SortStableFunc(l, compare) }

func compare(a, b *Diagnostic) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col),
		cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Code, b.Code), strings.Compare(a.Msg, b.Msg),
	)
}

// Errors returns the diagnostics of severity [Error], in the list's order.
func (l List) Errors() List { return l.AtLeast(Error) }

// AtLeast returns the diagnostics that are at least as severe as s, in the list's
// order. For [Note] these are all.
func (l List) AtLeast(s Severity) List {
	var out List
	for _, d := range l {
		if d.Severity <= s {
			out = append(out, d)
		}
	}
	return out
}

// Err returns l as an error if it has a diagnostic of severity [Error], and nil
// otherwise.
func (l List) Err() error {
	for _, d := range l {
		if d.Severity == Error {
			return l
		}
	}
	return nil
}

// Error returns the text of all diagnostics, as [Diagnostic.Error] returns it.
func (l List) Error() string {
	if len(l) == 0 {
		return "no errors"
	}
	texts := make([]string, len(l))
	for i, d := range l {
		texts[i] = d.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns the members of the list, for errors.As and errors.Is.
func (l List) Unwrap() []error {
	out := make([]error, len(l))
	for i, d := range l {
		out[i] = d
	}
	return out
}

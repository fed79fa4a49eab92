package diag

import (
	"cmp"
	"slices"
	"strings"
)

// A List is a list of diagnostics. Its zero value is empty and ready to use.
type List []*Diagnostic

// Add appends d.
func (l *List) Add(d *Diagnostic) { *l = append(*l, d) }

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
// order. Of [Note] that is all of them.
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

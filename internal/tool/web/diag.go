package web

import (
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/diag"
)

// report adds diagnostics, each once.
func (a *answer) report(list diag.List) {
	for i, e := range list {
		if len(a.res.Diagnostics) == maxDiags {
			a.note("the first %d of %d diagnostics are shown", maxDiags, maxDiags+len(list)-i)
			return
		}
		d := a.diagnostic(e)
		if !a.said(d) {
			a.res.Diagnostics = append(a.res.Diagnostics, d)
		}
	}
}

func (a *answer) said(d Diagnostic) bool {
	for _, old := range a.res.Diagnostics {
		if old.From == d.From && old.Code == d.Code && old.Message == d.Message {
			return true
		}
	}
	return false
}

func (a *answer) diagnostic(e *diag.Diagnostic) Diagnostic {
	d := Diagnostic{
		Severity: e.Severity.String(), Code: string(e.Code), Message: brief(e.Msg),
		Line: int(e.Pos.Line), Column: int(e.Pos.Col), From: -1, To: -1, Related: []Related{}, Fixes: []Fix{},
	}
	if from := a.text.at(d.Line, d.Column); from >= 0 {
		d.From, d.To = a.text.units(from), a.text.units(a.text.token(from))
	}
	for _, r := range e.Related {
		d.Related = append(d.Related, Related{Message: brief(r.Msg), Line: int(r.Pos.Line), Column: int(r.Pos.Col)})
	}
	for _, f := range e.Fixes {
		if fix, ok := a.fix(f); ok {
			d.Fixes = append(d.Fixes, fix)
		}
	}
	return d
}

// fix is one whose edits are all of the text.
func (a *answer) fix(f diag.Fix) (Fix, bool) {
	fix := Fix{Text: brief(f.Msg), Edits: []Edit{}}
	last := 0
	for _, e := range f.Edits {
		from, to := a.text.at(int(e.Pos.Line), int(e.Pos.Col)), a.text.at(int(e.End.Line), int(e.End.Col))
		if from < last || to < from {
			return Fix{}, false
		}
		last = to
		fix.Edits = append(fix.Edits, Edit{a.text.units(from), a.text.units(to), e.Text})
	}
	return fix, len(fix.Edits) > 0
}

// longestWord is how many bytes of a word a message shows: names of the source
// are in messages, and may be of any length.
const longestWord = 200

// reason is an error as a message.
func reason(err error) string { return brief(err.Error()) }

// brief cuts the middle out of words that are too long to be read.
func brief(message string) string {
	if len(message) <= longestWord {
		return message
	}
	words := strings.Split(message, " ")
	for i, w := range words {
		if len(w) > longestWord {
			head, tail := longestWord/2, len(w)-longestWord/4
			for !utf8.RuneStart(w[head]) {
				head--
			}
			for !utf8.RuneStart(w[tail]) {
				tail++
			}
			words[i] = w[:head] + "…" + w[tail:]
		}
	}
	return strings.Join(words, " ")
}

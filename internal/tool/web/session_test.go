package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// shown are the commands of sessions: parts of an answer, as text.
var shown = map[string]func(w *strings.Builder, text string, r *web.Response){
	"answer":      showAnswer,
	"listing":     showListing,
	"steps":       showSteps,
	"holds":       showHolds,
	"differences": showDifferences,
	"fields": func(w *strings.Builder, _ string, r *web.Response) {
		for _, rec := range r.Records {
			fmt.Fprintf(w, "%s, %d bytes\n", rec.Name, rec.Size)
			for _, f := range rec.Fields {
				fmt.Fprintf(w, "  %s %s %s: %d × %d bits from %d on, each %d, %s\n", f.ID, f.Type, f.Name, f.Count, f.Bits, f.Start, f.Step, f.Kind)
			}
		}
	},
	"groups": func(w *strings.Builder, _ string, r *web.Response) {
		for _, g := range r.Groups {
			fmt.Fprintf(w, "%s to %s: %s\n", g.Targets[0], g.Targets[len(g.Targets)-1], g.Refused)
		}
	},
}

// TestSessions runs testdata/session: "PART FILE [lang=L] [target=T] [against=T] [producer=P] [only=NAME]" asks about a file
// and prints a part of the answer.
func TestSessions(t *testing.T) {
	golden.Sessions(t, "testdata/session", "../../..", func(t *testing.T, args []string, _ []byte) (string, string, int) {
		q := web.Request{Text: string(must.Read(t, args[1]))}
		fields := map[string]*string{"lang": &q.Lang, "target": &q.Target, "against": &q.Against, "producer": &q.Producer, "only": &q.Only}
		for _, arg := range args[2:] {
			name, value, _ := strings.Cut(arg, "=")
			require.Contains(t, fields, name)
			*fields[name] = value
		}
		require.Contains(t, shown, args[0])
		var w strings.Builder
		shown[args[0]](&w, q.Text, web.Answer(q))
		return w.String(), "", 0
	}, nil)
}

func showAnswer(w *strings.Builder, text string, r *web.Response) {
	fmt.Fprintf(w, "%s for %s, %d pictures\n", r.Lang, r.Target, len(r.Pictures))
	if r.Refused != "" {
		fmt.Fprintf(w, "refused: %s; its own: %q; instead: %v\n", r.Refused, r.Own, r.Instead)
	}
	if r.Broken {
		fmt.Fprintf(w, "broken\n")
	}
	if h := r.Half; h != nil {
		fmt.Fprintf(w, "%d of %d %ss, by diagnostic %d\n", h.Shown, h.All, h.What, h.At)
	}
	if len(r.Names) > 0 {
		fmt.Fprintf(w, "names: %s\n", strings.Join(r.Names, " "))
	}
	if r.Listing.Missing != "" {
		fmt.Fprintf(w, "no listing: %s\n", r.Listing.Missing)
	}
	for _, v := range r.Values {
		fmt.Fprintf(w, "%s %s of %s: %s\n", v.ID, v.Name, v.Of, v.Where)
	}
	for _, s := range r.Spans {
		fmt.Fprintf(w, "%d %q is %s\n", s.From, said(text, s.From, s.To), strings.Join(s.IDs, " "))
	}
	for _, d := range r.Diagnostics {
		word := ""
		if d.From >= 0 {
			word = said(text, d.From, d.To)
		}
		fmt.Fprintf(w, "%d:%d %s %s at %q: %s\n", d.Line, d.Column, d.Severity, d.Code, word, d.Message)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
}

func showListing(w *strings.Builder, _ string, r *web.Response) {
	for _, l := range r.Listing.Lines {
		fmt.Fprintf(w, "%s | %d %s\n", l.Text, l.Line, strings.Join(l.IDs, " "))
	}
}

func showSteps(w *strings.Builder, _ string, r *web.Response) {
	for _, c := range r.Calls {
		fmt.Fprintf(w, "%s calls %s, line %d: %d bytes of stack, frames of %d and %d, aligned: %v\n", c.Caller, c.Callee, c.Line, c.Stack, c.Frame, c.CalleeFrame, c.CalleeAligned)
		for _, m := range c.Memory {
			fmt.Fprintf(w, "%s %s %q %d:%d\n", m.Who, m.Kind, m.Name, m.From, m.To)
		}
		for _, s := range c.Steps {
			fmt.Fprintf(w, "%d %s %s %s %s: %s\n", s.SP, s.Who, s.Kind, s.ID, strings.Join(s.Cells, ","), s.Text)
			if line := r.Listing.Lines[s.Line]; s.ID != "" && s.Kind != "address" && (!strings.Contains(line.Text, fmt.Sprintf("[%d:%d]", s.First, s.End)) || !slices.Contains(line.IDs, s.ID)) {
				fmt.Fprintf(w, "of another line: %s %v\n", line.Text, line.IDs)
			}
		}
	}
}

func showHolds(w *strings.Builder, _ string, r *web.Response) {
	names := map[string]string{}
	for _, v := range r.Values {
		names[v.ID] = v.Of + "." + v.Name
		for _, rule := range v.Rules {
			fmt.Fprintf(w, "%s %s at %s by %s\n", v.ID, names[v.ID], v.Where, rule.Name)
		}
	}
	for _, h := range r.Holds {
		fmt.Fprintf(w, "%s %s[%d:%d] is %s\n", h.ID, names[h.ID], h.First, h.End, names[h.Of])
	}
}

func showDifferences(w *strings.Builder, _ string, r *web.Response) {
	fmt.Fprintf(w, "refused: %q, producer: %q\n", r.Refused, r.Producer)
	if o := r.Other; o != nil {
		fmt.Fprintf(w, "beside %s %s: %d pictures, moved %s, there %s\n", o.Target, o.Producer, len(o.Pictures), strings.Join(o.Moved, " "), strings.Join(o.There, " "))
	}
	d := r.Diff
	if d == nil {
		return
	}
	fmt.Fprintf(w, "%s and %s: refused: %q, %d same, %d differ, types: %v\n", d.A, d.B, d.Refused, d.Same, d.Differ, d.Types)
	for _, row := range d.Rows {
		fmt.Fprintf(w, "%s, %s: %s | %s | %s, breaks: %v\n", row.Function, row.What, row.A, row.B, row.Why, row.Breaks)
	}
	fmt.Fprintf(w, "%d facts differ\n", len(d.Facts))
}

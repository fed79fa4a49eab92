package web

import (
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/sass"
)

// listing lists a program line by line, each with the values that it is about: of one that
// is too long, the functions from a.req.Near on.
func (a *answer) listing(p *sass.Program, n *names) {
	for _, f := range p.Funcs[a.firstListed(p):] {
		lines := strings.Split(strings.TrimSuffix(f.String(), "\n"), "\n")
		for i, text := range lines {
			if len(a.res.Listing.Lines) == maxLines {
				a.note("the listing is cut off after %d lines; a function can be chosen by its name", maxLines)
				return
			}
			l := Line{Text: text, Kind: "head", Line: int(f.Pos.Line), IDs: []string{}}
			if at := i - headLines; at >= 0 && at < len(f.Items) {
				l.item(&f.Items[at], f.Name, n)
			}
			a.res.Listing.Lines = append(a.res.Listing.Lines, l)
		}
	}
}

// firstListed returns the index of the first function that is listed.
func (a *answer) firstListed(p *sass.Program) int {
	near, fits, rest := 0, len(p.Funcs), 0
	for i := range p.Funcs {
		if int(p.Funcs[i].Pos.Line) <= a.req.Near {
			near = i
		}
	}
	for fits > 0 && rest+headLines+len(p.Funcs[fits-1].Items) <= maxLines {
		fits--
		rest += headLines + len(p.Funcs[fits].Items)
	}
	first := min(near, fits)
	if first > 0 {
		a.note("the listing begins at %s; a function can be chosen by its name", p.Funcs[first].Name)
	}
	return first
}

// headLines is how many lines stand before a function's first item.
const headLines = 2

func (l *Line) item(it *sass.Item, function string, n *names) {
	l.Line = int(it.Instr.Pos.Line)
	id := ""
	switch it.Kind {
	case sass.Label:
		l.Kind = "label"
		return
	case sass.Comment:
		l.Kind, l.Line = "note", 0
		id = n.formal(function, it.Step.Name)
	case sass.Code:
		l.Kind = "code"
		if it.Instr.Text != "" {
			l.Kind = "ptx"
		}
		name := it.Step.Name
		at := diag.Pos{Line: it.Instr.Pos.Line, Col: it.Instr.Pos.Col}
		if notes, ok := n.calls[at]; ok {
			id = notes[name]
		} else {
			id = n.formal(function, name)
		}
	}
	if id != "" {
		l.IDs = []string{id}
	}
}

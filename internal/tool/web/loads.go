package web

import (
	"fmt"

	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
)

// loads lists what PTX makes of the declarations.
func (a *answer) loads(r *layoutcmd.Result, funcs []*function) {
	a.res.Listing.Title = "The same in PTX"
	add := func(text, kind string, line int, ids []string) {
		if len(a.res.Listing.Lines) < maxLines {
			a.res.Listing.Lines = append(a.res.Listing.Lines, Line{Text: text, Kind: kind, Line: line, IDs: append([]string{}, ids...)})
		}
	}
	formals := a.formalIDs()
	for _, f := range funcs {
		if f.shown || f.Kernel && (a.req.Only == "" || a.req.Only == f.Name) {
			add(f.text(), "decl", int(f.Pos.Line), formals[owner(f)])
		}
	}
	lines, err := r.Lines()
	if err != nil {
		a.note("%v", err)
		return
	}
	record, ids := -1, map[string]string{}
	for _, l := range lines {
		if l.Record != record && l.Record >= 0 {
			record, ids = l.Record, fieldIDs(r.Records[l.Record], l.Record)
		}
		switch l.Kind {
		case layoutcmd.FormalLine:
			add(l.String(), "decl", int(r.Records[record].Pos.Line), nil)
		case layoutcmd.LoadLine:
			line, list := a.loaded(l.Fields, ids)
			add(l.String(), "code", line, list)
		default:
			add(l.String(), "note", 0, nil)
		}
	}
	if len(a.res.Listing.Lines) == 0 {
		a.res.Listing.Missing = "no type and no function is declared here"
		if a.res.Half != nil {
			a.res.Listing.Missing = "no declaration is without errors"
		}
	}
}

// formalIDs has the values of functions and kernels that are drawn, by what they
// belong to.
func (a *answer) formalIDs() map[of][]string {
	out := map[of][]string{}
	for _, v := range a.res.Values {
		if v.ID != "" && v.Where != "none" {
			key := of{v.Of, v.ID[0]}
			out[key] = append(out[key], v.ID)
		}
	}
	return out
}

// of is a name with what it is of: 't' of a type, 'k' of a kernel, 'f' of another
// function.
type of struct {
	name string
	what byte
}

func owner(f *function) of {
	if f.Kernel {
		return of{f.Name, 'k'}
	}
	return of{f.name, 'f'}
}

// fieldIDs has the values that the fields of a record are, by their paths.
func fieldIDs(rec *layoutcmd.Record, i int) map[string]string {
	ids := map[string]string{}
	for n, f := range numbered(rec.Layout) {
		ids[f.Path] = fmt.Sprintf("t%d.f%d", i, n)
	}
	return ids
}

// loaded is what a load of some fields reads, and the line of the source that
// declares the first of it; 0 is none.
func (a *answer) loaded(fields []string, ids map[string]string) (line int, list []string) {
	for _, path := range fields {
		if id := ids[path]; id != "" {
			list = append(list, id)
			if line == 0 {
				line = a.lines[id]
			}
		}
	}
	return line, list
}

//go:build !explorer

package web

import (
	"cmp"
	"errors"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
)

// sass answers about a disassembler's listing: what each instruction has to do with
// the convention, for the target that the listing names or the one that is chosen.
func (a *answer) sass() {
	a.res.Listing.Title = "The listing, annotated"
	r := annotate.NewReader("input.sass", strings.NewReader(a.req.Text))
	var by *annotate.Annotator
	code := false
	for {
		s, err := r.Next()
		var list diag.List
		if errors.As(err, &list) {
			a.report(list)
			a.res.Broken = true
		}
		if s == nil {
			break
		}
		if by == nil && s.Func != nil && a.res.Refused == "" && a.chooseListed(s.Target) {
			by = annotate.New(annotate.Options{Target: a.target})
		}
		text := strings.Join(s.Lines, "")
		if code = code || s.Func != nil; s.Func != nil && by != nil {
			var b strings.Builder
			tangled, err := by.WriteText(&b, s)
			if err != nil {
				panic(err) // a Builder takes all
			}
			if text = b.String(); tangled {
				a.note("%s: %s", s.Func.Name, annotate.TangledNote)
			}
		}
		line := s.Line
		for l := range strings.Lines(text) {
			if len(a.res.Listing.Lines) == maxLines {
				a.note("the listing is cut off after %d lines", maxLines)
				return
			}
			a.res.Listing.Lines = append(a.res.Listing.Lines, Line{Text: strings.TrimRight(l, "\r\n"), Kind: "code", Line: line, IDs: []string{}})
			line++
		}
	}
	if a.target == nil && a.res.Refused == "" && !a.chooseListed("") {
		return
	}
	if a.res.Refused != "" {
		a.res.Listing.Title, a.res.Instead = "The listing, as it is", !a.beside
	}
	if a.res.Broken && code {
		a.res.Broken = false
		a.half("", 0, 0)
	}
	if !code {
		a.res.Listing.Lines = []Line{}
		a.res.Listing.Missing = "there is no function in it: nvdisasm -c begins one with .text.NAME:, and cuobjdump -sass with Function : NAME"
	}
}

// chooseListed settles the target of a listing that names one, or none.
func (a *answer) chooseListed(own string) bool {
	a.res.Own = own
	t, err := abi.Lookup(cmp.Or(a.req.Target, own, defaultTarget))
	if err != nil {
		a.res.Refused = reason(err)
		return false
	}
	a.facts(t)
	return true
}

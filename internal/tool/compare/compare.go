// Package compare compares the code of a backend with the module that it was compiled from.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Report is what a comparison gave, in the form of -format json.
type Report struct {
	Format      string   `json:"format"`
	Target      string   `json:"target"`
	Assumed     bool     `json:"assumed,omitempty"`
	Functions   int      `json:"functions"`
	Coverage    string   `json:"coverage"`
	Differences []Place  `json:"differences"`
	NotCompared []Place  `json:"notCompared"`
	NotFollowed []string `json:"notFollowed"`
	LeftOut     string   `json:"leftOut,omitempty"` // of -alloc: why a comparison says little
	Nothing     string   `json:"nothing,omitempty"` // why "no difference" would say nothing
}

// A Place is a place that does not hold, or may not hold, what it should.
type Place struct {
	Function string `json:"function"`
	Line     int    `json:"line,omitempty"`   // of the listing
	Source   int    `json:"source,omitempty"` // line of the module
	Place    string `json:"place"`            // "call 1 of g, R5"
	Code     string `json:"code,omitempty"`   // of -alloc: the instruction of the source
	Want     string `json:"want"`
	Got      string `json:"got"`
	Last     string `json:"last,omitempty"`
	Rule     string `json:"rule,omitempty"` // of docs/abi.md
	Text     string `json:"-"`              // all of it in a line
}

// Sound compares a module, of which a list says what is wrong, or what its errors leave of it. It is false where that is
// nothing; the list may then have more errors.
func (r *Report) Sound(m *ptx.Module, text []byte, list *diag.List, compare func(text []byte) error) (ok bool, err error) {
	read := half.Of(m, *list)
	if list.Err() != nil {
		text = read.Text()
	}
	for {
		err := compare(text)
		var more diag.List // consequences
		switch {
		case !errors.As(err, &more):
			for _, name := range slices.Concat(read.Lost, read.Open) {
				r.NotFollowed = append(r.NotFollowed, name+": the module has errors in it, or in what it calls")
			}
			return true, err
		case !read.Drop(more):
			if list.Err() == nil {
				*list = more
			}
			return false, nil
		}
		text = read.Text()
	}
}

// Code compares a listing with a module.
func (r *Report) Code(text []byte, listing string, t *abi.Target, helpers []string) error {
	got, err := lowertest.Options{Helpers: helpers}.Compare(text, listing, t)
	if err != nil {
		return err
	}
	place := func(d lowertest.Difference) Place {
		return Place{d.Func, d.Line, 0, d.What, "", d.Want, d.Got, d.Last, d.Rule, d.String()}
	}
	r.Functions, r.Coverage = got.Functions, got.Coverage.String()
	if got.Words+got.Bytes == 0 {
		r.Nothing = "no value could be compared: none that is passed, returned or stored was followed"
	}
	r.Differences, r.NotCompared, r.NotFollowed = places(got.Differences, place), places(got.NotCompared, place), append(r.NotFollowed, got.NotFollowed...)
	return nil
}

// Allocation compares the registers of a listing with those of a module.
func (r *Report) Allocation(text []byte, listing string, t *abi.Target) error {
	got, err := lowertest.CheckAllocation(text, listing, t)
	if err != nil {
		return err
	}
	place := func(d lowertest.Misplaced) Place {
		return Place{d.Func, d.Line, d.Source, d.Place, d.Code, d.Want, d.Got, d.Last, "", d.String()}
	}
	r.Functions, r.Coverage, r.LeftOut = got.Functions, got.String(), got.LeftOut()
	r.Differences, r.NotCompared, r.NotFollowed = places(got.Misplaced, place), places(got.NotCompared, place), append(r.NotFollowed, got.NotFollowed...)
	return nil
}

// places returns the places of what a comparison found.
func places[D any](list []D, place func(D) Place) []Place {
	out := []Place{}
	for _, d := range list {
		out = append(out, place(d))
	}
	return out
}

// Text is the report for people, with a line after the target and, if most is not 0, so many lines of a kind at most.
func (r *Report) Text(after string, most int) string {
	var b strings.Builder
	shown := func(title string, list []string) {
		if len(list) > most && most > 0 {
			list = append(list[:most:most], fmt.Sprintf("%d more; -v shows all", len(list)-most))
		}
		for _, line := range list {
			fmt.Fprintf(&b, "%s%s\n", title, diag.Printable(line))
		}
	}
	lines := func(list []Place) (texts []string) {
		for _, d := range list {
			texts = append(texts, d.Text)
		}
		return texts
	}
	fmt.Fprintf(&b, "target %s: %s\n%s", r.Target, r.Coverage, after)
	shown("differs: ", lines(r.Differences))
	shown("not compared: ", lines(r.NotCompared))
	shown("not followed: ", r.NotFollowed)
	switch {
	case r.Functions == 0:
		fmt.Fprintln(&b, r.Nothing)
	case len(r.Differences) == 0:
		fmt.Fprintln(&b, cmp.Or(r.LeftOut, r.Nothing, "no difference"))
	}
	return b.String()
}

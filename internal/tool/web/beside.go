package web

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/layout"
)

// An Other is the second target or producer of a comparison, as far as it is shown
// beside the first.
type Other struct {
	Target   string   `json:"target"`
	Producer string   `json:"producer"` // "" where targets are compared
	Pictures []string `json:"pictures"`
	Listing  Listing  `json:"listing"`
	// Moved are the values of the first that lie elsewhere in the second, or are
	// another thing there; There are those of the second.
	Moved []string `json:"moved"`
	There []string `json:"there"`
}

// againstProducer reports whether two producers are compared.
func (a *answer) againstProducer() bool {
	_, err := layout.ParseProducer(a.req.Against)
	return err == nil && (a.res.Lang == "c" || a.res.Lang == "c++")
}

// other answers for the second target or producer; nil where there is none, or nothing
// to show on both.
func (a *answer) other() *Other {
	if a.req.Against == "" || a.res.Broken || a.res.Refused != "" || len(a.res.Pictures) == 0 {
		return nil
	}
	req := a.req
	req.Against = ""
	o := &Other{Moved: []string{}, There: []string{}}
	if a.againstProducer() {
		req.Producer, req.Target = a.req.Against, a.res.Target
		o.Producer = req.Producer
	} else if t, err := abi.Lookup(a.req.Against); err == nil {
		req.Target = t.Name
	} else {
		return nil
	}
	b := newAnswer(req, true)
	if b.res.Refused != "" || b.res.Broken {
		return nil
	}
	o.Target, o.Pictures, o.Listing = b.res.Target, b.res.Pictures, b.res.Listing
	o.Moved, o.There = moved(a.res.Values, b.res.Values), moved(b.res.Values, a.res.Values)
	return o
}

// moved are the values of one answer that another one has elsewhere, or does not have.
func moved(here, there []Value) []string {
	// What producers declare differs in the number of formals: names are what is the same.
	key := func(v Value) [3]string { return [3]string{v.Of, v.Role, v.Name} }
	same := map[[3]string][]Value{}
	for _, v := range there {
		same[key(v)] = append(same[key(v)], v)
	}
	out := []string{}
	for _, v := range here {
		k := key(v)
		if len(same[k]) == 0 {
			out = append(out, v.ID)
			continue
		}
		w := same[k][0]
		same[k] = same[k][1:]
		if w.Where != v.Where || w.Size != v.Size {
			out = append(out, v.ID)
		}
	}
	return slices.Clip(out)
}

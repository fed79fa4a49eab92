package web

import "github.com/ptxabi/ptxabi/abi"

// An Other is the second target of a comparison, as far as it is shown beside the
// first.
type Other struct {
	Target   string   `json:"target"`
	Pictures []string `json:"pictures"`
	Listing  Listing  `json:"listing"`
	Moved    []string `json:"moved"` // values that lie elsewhere than on the first
}

// other answers for the second target; nil where there is none, or nothing to show
// on both.
func (a *answer) other() *Other {
	if a.req.Against == "" || a.res.Broken || a.res.Refused != "" || len(a.res.Pictures) == 0 {
		return nil
	}
	t, err := abi.Lookup(a.req.Against)
	if err != nil {
		return nil
	}
	req := a.req
	req.Target, req.Against = t.Name, ""
	b := newBeside(req)
	if b.res.Refused != "" || b.res.Broken {
		return nil
	}
	o := &Other{Target: t.Name, Pictures: b.res.Pictures, Listing: b.res.Listing, Moved: []string{}}
	where := map[string]string{}
	for _, v := range b.res.Values {
		where[v.ID] = v.Where
	}
	for _, v := range a.res.Values {
		if w, ok := where[v.ID]; ok && w != v.Where {
			o.Moved = append(o.Moved, v.ID)
		}
	}
	return o
}

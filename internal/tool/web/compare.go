package web

import (
	"cmp"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/tool/diff"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Diff is two targets compared.
type Diff struct {
	A string `json:"a"`
	B string `json:"b"`
	// Refused says why the text is not compared, "" if it is. Facts are there
	// even so where the second target is known.
	Refused   string      `json:"refused"`
	Rows      []DiffRow   `json:"rows"`
	Found     int         `json:"found"`  // rows, with those that are left out
	Breaks    bool        `json:"breaks"` // whether any of them has callers break
	Same      int         `json:"same"`   // functions that lie alike
	Differ    int         `json:"differ"`
	Functions int         `json:"functions"`
	Facts     []diff.Fact `json:"facts"`
	// Types says that two producers were compared, of whose types Rows speaks too.
	Types bool `json:"types"`
}

// A DiffRow is a formal or a parameter block that lies elsewhere, or another
// difference, in which case A and B are empty.
type DiffRow struct {
	Function string `json:"function"`
	What     string `json:"what"`
	A        string `json:"a"`
	B        string `json:"b"`
	Why      string `json:"why"`
	Breaks   bool   `json:"breaks"`
}

// compare compares the target with the second one.
func (a *answer) compare(m *ptx.Module) {
	a.compareFacts()
	d := a.res.Diff
	if d == nil || d.Refused != "" {
		return
	}
	t, _, err := resolve.Target(m, a.req.Against, false)
	if err != nil {
		d.Refused = reason(err)
		return
	}
	left, _ := diff.NewSide(m, a.target) // whose diagnostics have been made
	right, list := diff.NewSide(m, t)
	if list.Err() != nil {
		d.Refused = brief(fmt.Sprintf("%s: %s", t.Name, list[0].Msg))
		return
	}
	d.functions(left, right)
}

// functions compares those of two sides.
func (d *Diff) functions(left, right *diff.Side) {
	r := diff.Compare(left, right)
	d.Functions = len(r.Functions)
	for i := range r.Functions {
		f := &r.Functions[i]
		if f.Status == diff.Same {
			d.Same++
			continue
		}
		d.Differ++
		d.rows(f)
	}
}

func (d *Diff) rows(f *diff.Function) {
	for _, c := range f.Changes {
		row := DiffRow{Function: f.Name, What: c.What, Why: c.Reason, Breaks: c.Breaks}
		if i := c.Index; i >= 0 {
			name := ""
			a, b := f.Formals(c.Role)
			if i < len(a) {
				name, row.A = a[i].Name, a[i].Place
			}
			if i < len(b) {
				name, row.B = cmp.Or(name, b[i].Name), b[i].Place
			}
			row.What = fmt.Sprintf("%s: %s", cmp.Or(name, fmt.Sprintf("%s %d", c.Role, i)), c.What)
		}
		if c.Role == "block" {
			row.A, row.B = blockOf(f.A, c.What), blockOf(f.B, c.What)
		}
		d.Rows = append(d.Rows, row)
	}
}

// blockOf is what a comparison says of a kernel's parameter block.
func blockOf(f *diff.Func, what string) string {
	switch {
	case f == nil || f.Block == nil:
		return ""
	case what == "block size":
		return fmt.Sprintf("%d bytes", f.Block.Size)
	}
	return abi.ConstAddr{Bank: uint8(f.Block.Bank), Off: f.Block.Base}.String()
}

// compareFacts compares the targets alone, whatever the text makes of them.
func (a *answer) compareFacts() {
	if a.req.Against == "" {
		return
	}
	d := &Diff{A: a.target.Name, B: a.req.Against, Rows: []DiffRow{}, Facts: []diff.Fact{}}
	a.res.Diff = d
	t, err := abi.Lookup(a.req.Against)
	if _, producer := layout.ParseProducer(a.req.Against); producer == nil {
		d.Refused = "producers are compared for declarations of C and CUDA"
		return
	}
	if err != nil {
		d.Refused = reason(err)
		return
	}
	d.B = t.Name
	d.Facts = diff.Facts(a.target, t)
}

// compareProducers compares what two producers make of the declarations: the types, as
// each declares a parameter of them, and the functions.
func (a *answer) compareProducers(types []*layoutcmd.Record, funcs []*function) {
	d := &Diff{A: a.res.Producer, B: a.req.Against, Rows: []DiffRow{}, Facts: []diff.Fact{}, Types: true}
	a.res.Diff = d
	there, err := a.read(a.target, a.req.Against)
	if err != nil {
		d.Refused = reason(err)
		return
	}
	if len(there.Errors) > 0 {
		d.Refused = brief(d.B + ": " + there.Errors[0].Msg)
		return
	}
	records := map[string]*layoutcmd.Record{}
	for _, rec := range there.Records {
		records[rec.Name] = rec
	}
	for _, rec := range types {
		other := records[rec.Name]
		if other == nil {
			continue
		}
		if one, two := asParameter(rec), asParameter(other); one != two {
			d.Rows = append(d.Rows, DiffRow{Function: rec.Name, What: "type", A: one, B: two, Why: "as each declares a parameter of it", Breaks: rec.Param.Indirect != other.Param.Indirect || rec.Param.Bytes != other.Param.Bytes})
		}
	}
	left, list := diff.NewSide(moduleOf(funcs), a.target)
	others := functionsOf(there)
	right, list2 := diff.NewSide(moduleOf(others), a.target)
	if list.Err() != nil || list2.Err() != nil {
		for _, e := range append(list, list2...) {
			d.Refused = brief(e.Msg)
		}
		return
	}
	d.functions(left, right)
	d.undeclared(d.A, funcs)
	d.undeclared(d.B, others)
}

// undeclared corrects the rows of functions that a producer was not seen to declare: they are not added or missing, but
// unknown.
func (d *Diff) undeclared(producer string, funcs []*function) {
	for _, f := range funcs {
		if f.ptx != nil {
			continue
		}
		for i := range d.Rows {
			if row := &d.Rows[i]; row.Function == f.name && row.What != "type" {
				row.What, row.Why, row.Breaks = "not compared", producer+": "+f.why.Msg, false
			}
		}
	}
}

// asParameter is how a record is declared as a parameter.
func asParameter(rec *layoutcmd.Record) string {
	text := rec.Param.String()
	if rec.Param.Indirect {
		text += " // its address"
	}
	return text
}

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
		left := same[key(v)]
		if len(left) == 0 || left[0].Where != v.Where || left[0].Size != v.Size {
			out = append(out, v.ID)
		}
		same[key(v)] = left[min(1, len(left)):]
	}
	return out
}

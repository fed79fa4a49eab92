package web

import (
	"github.com/ptxabi/ptxabi/internal/tool/diff"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
)

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

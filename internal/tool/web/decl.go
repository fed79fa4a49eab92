package web

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

var fileNames = map[string]string{"c": "input.h", "c++": "input.cu", "go": "input.go"}

// declarations answers about declarations in C, CUDA or Go: how records lie in
// memory, and where functions that take them find them.
func (a *answer) declarations() {
	t, err := abi.Lookup(cmp.Or(a.req.Target, defaultTarget))
	if err != nil {
		a.res.Refused = reason(err)
		return
	}
	a.facts(t)
	by := layout.NVCC.String()
	if a.res.Lang != "go" {
		by = cmp.Or(a.req.Producer, by)
		if _, err = layout.ParseProducer(by); err != nil {
			a.res.Refused = reason(err)
			return
		}
		a.res.Producer = by
	}
	r, err := a.read(t, by)
	if err != nil {
		a.res.Refused = reason(err)
		return
	}
	a.report(r.Errors)
	a.report(r.Warnings)
	unit := r.Unit
	if unit == nil {
		unit = &cdecl.Unit{}
	}
	funcs := functionsOf(r)
	lost := lostOf(r)
	read := len(r.Records)
	what := "declaration"
	if a.res.Lang == "go" && len(r.Errors) > 0 {
		what = ""
	}
	for _, f := range funcs {
		if f.why == nil {
			read++
			continue
		}
		lost[f.Name] = true
		// What is wrong with a type is said once.
		if why := a.diagnostic(f.why); !slices.ContainsFunc(a.res.Diagnostics, func(d Diagnostic) bool { return d.From == why.From && d.Code == why.Code }) {
			a.report(diag.List{f.why})
		}
	}
	if a.res.Broken = len(r.Errors) > 0 && read == 0; a.res.Broken {
		return
	}
	if n := len(lost) + r.Lost; len(r.Errors)+n > 0 {
		a.half(what, read, n)
	}
	types := a.declared(r, funcs)
	a.layouts(r, unit)
	a.packable(r)
	a.packs(r)
	a.passing(r, funcs)
	a.loads(r, funcs)
	if a.againstProducer() && !a.beside {
		a.compareProducers(types, funcs)
	} else if a.res.Diff == nil {
		a.compareFacts()
	}
	a.finish()
}

// read reads the declarations. A signature of C may do without the semicolon that
// makes it a declaration.
func (a *answer) read(t *abi.Target, producer string) (*layoutcmd.Result, error) {
	name, opts := fileNames[a.res.Lang], layoutcmd.Options{Target: t, Partial: true, SkipTemplates: true}
	if err := opts.SetProducer(producer); err != nil {
		return nil, err
	}
	r, err := layoutcmd.Load(name, []byte(a.req.Text), opts)
	if err == nil && a.res.Lang != "go" && len(r.Errors)+len(r.Unit.Forgiven) > 0 && strings.HasSuffix(strings.TrimSpace(a.req.Text), ")") {
		if r2, err := layoutcmd.Load(name, []byte(a.req.Text+";"), opts); err == nil && len(r2.Errors)+len(r2.Unit.Forgiven) == 0 {
			return r2, nil
		}
	}
	return r, err
}

// lostOf are the declarations that were not read: their names, or where they stand.
func lostOf(r *layoutcmd.Result) map[string]bool {
	lost := map[string]bool{}
	if r.Unit == nil {
		return lost
	}
	at := map[diag.Pos]bool{}
	for _, list := range [][]cdecl.Unread{r.Unit.Lost, r.Unit.Unread, r.Unit.Templates} {
		for _, u := range list {
			lost[u.Name], at[u.Pos.Pos] = true, true
		}
	}
	for _, d := range r.Unit.Forgiven {
		if !at[d.Pos] {
			lost[d.Pos.String()] = true
		}
	}
	return lost
}

// declared lists what can be shown, and keeps what is to be. It returns the chosen types, with those that are not drawn.
func (a *answer) declared(r *layoutcmd.Result, funcs []*function) (records []*layoutcmd.Record) {
	var all []choice
	show := func(name string, line uint32) bool {
		all = append(all, choice{name, int(line)})
		return a.req.Only == "" || a.req.Only == name
	}
	for _, rec := range r.Records {
		if show(rec.Name, rec.Pos.Line) {
			records = append(records, rec)
		}
	}
	var kernels []*layoutcmd.Kernel
	for _, k := range r.Kernels {
		if show(k.Name, k.Pos.Line) {
			kernels = append(kernels, k)
		}
	}
	for _, f := range funcs {
		if !f.Kernel && f.ptx != nil {
			f.shown = show(f.Name, f.Pos.Line)
		}
	}
	a.choices(all)
	near := a.at(len(records), func(i int) uint32 { return records[i].Pos.Line })
	first, end := a.cut(len(records), near, "types", func(i int) int { return fields(records[i].Layout) }, func(i int) string { return records[i].Name })
	r.Records = records[first:end]
	near = a.at(len(kernels), func(i int) uint32 { return kernels[i].Pos.Line })
	first, end = a.cut(len(kernels), near, "kernels", func(i int) int { return kernelFields(kernels[i]) }, func(i int) string { return kernels[i].Name })
	r.Kernels = kernels[first:end]
	return records
}

// layouts draws records and kernels, and links their fields.
func (a *answer) layouts(r *layoutcmd.Result, unit *cdecl.Unit) {
	if len(r.Records)+len(r.Kernels) == 0 {
		return
	}
	a.picture(r.SVG(a.size()))
	for i, rec := range r.Records {
		a.fields(rec.Layout, rec.Name, "", fmt.Sprintf("t%d", i), func(off int64) string { return "byte " + strconv.FormatInt(off, 10) })
		var declared *cdecl.RecordDecl
		if j := slices.IndexFunc(unit.Records, func(d *cdecl.RecordDecl) bool { return d.Name == rec.Name }); j >= 0 {
			declared = unit.Records[j]
		}
		a.linkRecord(rec, declared, fmt.Sprintf("t%d", i))
	}
	for i, k := range r.Kernels {
		for j, p := range k.Params {
			where := func(off int64) string {
				return abi.ConstAddr{Bank: p.Loc.Bank, Off: p.Loc.Off + int(off)}.String()
			}
			a.fields(p.Layout, k.Name, p.Name, fmt.Sprintf("k%d.p%d", i, j), where)
		}
		a.linkKernel(i, k, unit)
	}
}

// fields lists the fields of a record, or of a kernel's parameter of that name.
func (a *answer) fields(l *layout.Layout, of, param, prefix string, where func(off int64) string) {
	n := 0
	for f := range l.Fields() {
		if len(a.res.Values) > maxValues {
			return
		}
		v := Value{
			ID: fmt.Sprintf("%s.f%d", prefix, n), Of: of, Role: "field", Name: f.Path, Type: cdecl.TypeText(f.Type, l.Rules.Lang),
			Size: strconv.FormatInt(f.Size, 10), Align: strconv.FormatInt(f.Align, 10), Where: where(f.Offset),
		}
		switch {
		case f.Path == "":
			v.Role, v.Name = "parameter", param
		case param != "":
			v.Name = param + "." + f.Path
		}
		if f.BitWidth > 0 {
			v.Size = prose.Count(f.BitWidth, "bit")
			v.Where = fmt.Sprintf("%s, bit %d", v.Where, f.BitOffset)
		}
		a.value(v)
		n++
	}
}

// numbered yields the fields of a type with their numbers, as far as they are linked.
func numbered(l *layout.Layout) iter.Seq2[int, layout.Leaf] {
	return func(yield func(int, layout.Leaf) bool) {
		n := 0
		for f := range l.Fields() {
			if n == maxValues || !yield(n, f) {
				return
			}
			n++
		}
	}
}

// linkRecord links the members of a record to their fields.
func (a *answer) linkRecord(rec *layoutcmd.Record, d *cdecl.RecordDecl, prefix string) {
	at := a.text.at(int(rec.Pos.Line), int(rec.Pos.Col))
	if at < 0 {
		return
	}
	if brace := strings.IndexByte(a.text.src[at:], '{'); brace >= 0 {
		at += brace + 1
	}
	var order []string
	ids := map[string][]string{}
	for n, f := range numbered(rec.Layout) {
		top := f.Path
		if i := strings.IndexAny(top, ".["); i >= 0 {
			top = top[:i]
		}
		if ids[top] == nil {
			order = append(order, top)
		}
		ids[top] = append(ids[top], fmt.Sprintf("%s.f%d", prefix, n))
	}
	for _, name := range order {
		a.spanOf(a.memberAt(d, name, at), name, ids[name]...)
	}
}

// memberAt is a byte from which the first mention of a member is its own.
func (a *answer) memberAt(d *cdecl.RecordDecl, name string, otherwise int) int {
	if d == nil || d.Type == nil {
		return otherwise
	}
	for i := range d.Type.Fields {
		if d.Type.Fields[i].Name == name && i < len(d.FieldPos) {
			if at := a.text.at(int(d.FieldPos[i].Line), int(d.FieldPos[i].Col)); at >= 0 {
				return at
			}
		}
	}
	return otherwise
}

// spanOf links the first mention of a name from a byte on.
func (a *answer) spanOf(at int, name string, ids ...string) {
	if from := a.text.find(at, "", name); from >= 0 {
		a.span(from, from+len(name), ids...)
		for _, id := range ids {
			if a.lines[id] == 0 {
				a.lines[id] = a.text.line(from)
			}
		}
	}
}

func (a *answer) linkKernel(i int, k *layoutcmd.Kernel, unit *cdecl.Unit) {
	for _, f := range unit.Funcs {
		if f.Name != k.Name || !f.Kernel {
			continue
		}
		for j, p := range f.Params {
			if j >= len(k.Params) || p.Name == "" {
				continue
			}
			ids := []string{fmt.Sprintf("k%d.p%d", i, j)}
			for n := range numbered(k.Params[j].Layout) {
				ids = append(ids, fmt.Sprintf("k%d.p%d.f%d", i, j, n))
			}
			a.spanOf(a.text.at(int(p.Pos.Line), int(p.Pos.Col)), p.Name, ids...)
		}
		return
	}
}

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

// A Hold says that bytes of a value that is passed are a field of its type.
type Hold struct {
	ID    string `json:"id"`    // of what is passed
	First int64  `json:"first"` // its bytes
	End   int64  `json:"end"`
	Of    string `json:"of"` // the field
}

// maxHolds is how many fields of parameters are looked at.
const maxHolds = 4000

// holds links the bytes of the i-th function's parameters and result to the fields of
// the records that they are.
func (a *answer) holds(r *layoutcmd.Result, i int, f *function) {
	for j := range f.as.Formals {
		if p := &f.as.Formals[j]; p.Layout != nil && !p.Indirect && p.C >= 0 {
			a.hold(r, fmt.Sprintf("f%d.p%d", i, j), p.Layout)
		}
	}
	if p := &f.as.Result; p.Layout != nil && !p.Indirect {
		a.hold(r, fmt.Sprintf("f%d.r0", i), p.Layout)
	}
}

// hold links the bytes of a value to the fields of the record that it is, where that
// is drawn and lies as it is drawn.
func (a *answer) hold(r *layoutcmd.Result, id string, l *layout.Layout) {
	rec := layout.Unalias(l.Type)
	for i, drawn := range r.Records {
		if layout.Unalias(drawn.Layout.Type) != rec || drawn.Layout.Size != l.Size {
			continue
		}
		for n, f := range numbered(drawn.Layout) {
			if len(a.res.Holds) == maxHolds {
				return
			}
			first, end := f.Offset, f.Offset+f.Size
			if f.BitWidth > 0 {
				first, end = f.Start()/8, (f.Start()+f.BitWidth+7)/8
			}
			if end > first {
				a.res.Holds = append(a.res.Holds, Hold{id, first, end, fmt.Sprintf("t%d.f%d", i, n)})
			}
		}
		return
	}
}

// kernelRules adds to the parameters of kernels, which are drawn field by field, the
// rules that put them where they are, and links their fields to those of their types.
func (a *answer) kernelRules(r *layoutcmd.Result, list []*resolve.Function, byName map[string]*function) {
	shown, _ := resolve.AssignAll(list, a.target)
	for i := range shown {
		f := byName[shown[i].Name]
		for k, kernel := range r.Kernels {
			if kernel.Name != f.Name || kernel.Pos != f.Pos || len(kernel.Params) != len(f.as.Formals) || shown[i].Places.Kind != abi.Entry {
				continue
			}
			why := shown[i].Explain(a.target)
			for j, p := range kernel.Params {
				own := fmt.Sprintf("k%d.p%d", k, j)
				for v := range a.res.Values {
					if strings.HasPrefix(a.res.Values[v].ID, own+".") {
						a.res.Values[v].Rules = rulesAt(why.Params, j)
					}
				}
				before := len(a.res.Holds)
				a.hold(r, own, p.Layout)
				for h := range a.res.Holds[before:] { // each field is a value of its own here
					one := &a.res.Holds[before+h]
					one.ID += one.Of[strings.IndexByte(one.Of, '.'):]
					one.First, one.End = 0, one.End-one.First
				}
			}
		}
	}
}

// A function is one of C, with the PTX declaration that nvcc makes of it.
type function struct {
	*cdecl.FuncDecl
	name  string           // in PTX
	ptx   *ptx.Func        // nil if there is none
	why   *diag.Diagnostic // why there is none
	as    *layoutcmd.Declaration
	shown bool
}

// text is the declaration as PTX; "" if there is none.
func (f *function) text() string {
	if f.ptx == nil {
		return ""
	}
	return string(ptx.AppendStmt(nil, f.ptx))
}

// functionsOf declares the functions of a unit in PTX: those that run on the
// device, or all where nothing is said of that.
func functionsOf(r *layoutcmd.Result) []*function {
	unit := r.Unit
	if unit == nil { // of Go
		return nil
	}
	var all []*function
	marked := slices.ContainsFunc(unit.Funcs, func(d *cdecl.FuncDecl) bool { return d.Kernel || d.Device })
	taken := map[string]int{}
	for _, d := range unit.Funcs {
		if d.System || marked && !d.Kernel && !d.Device {
			continue
		}
		f := &function{FuncDecl: d, name: layoutcmd.Identifier(d.Name)}
		if taken[f.name]++; taken[f.name] > 1 {
			f.name = fmt.Sprintf("%s$%d", f.name, taken[f.name]) // an overload; C++ would mangle them all
		}
		if declared, why := r.Declare(d, f.name); why != nil {
			f.why = why
		} else {
			f.ptx, f.as = declared.Func, declared
		}
		all = append(all, f)
	}
	return all
}

// moduleOf is a module of the functions that have a declaration.
func moduleOf(funcs []*function) *ptx.Module {
	m := &ptx.Module{Name: "input.ptx", Version: ptx.Version{Major: 8, Minor: 5}} // large kernel parameters came with 8.1
	for _, f := range funcs {
		if f.ptx != nil {
			m.Items = append(m.Items, f.ptx)
		}
	}
	return m
}

// passing draws where the functions that are no kernels find their parameters,
// and compares the targets for all of them.
func (a *answer) passing(r *layoutcmd.Result, funcs []*function) {
	m := moduleOf(funcs)
	byName := map[string]*function{}
	for _, f := range funcs {
		if f.ptx != nil {
			byName[f.name] = f
		}
	}
	if len(m.Items) == 0 {
		return
	}
	var chosen, kernels []*resolve.Function
	all := resolve.Functions(m)
	for _, f := range all {
		switch c := byName[f.Name]; {
		case c == nil:
		case c.shown:
			chosen = append(chosen, f)
		case c.Kernel:
			kernels = append(kernels, f)
		}
	}
	a.kernelRules(r, kernels, byName)
	near := a.at(len(chosen), func(i int) uint32 { return byName[chosen[i].Name].Pos.Line })
	shown, list := resolve.AssignAll(a.drawnOf(chosen, near), a.target)
	for _, e := range list {
		a.note("%s", e.Msg)
	}
	if len(shown) > 0 {
		a.picture(a.size().Assigned(a.target, shown))
		a.formals(shown)
		for i, f := range shown {
			a.linkC(i, byName[f.Name])
			a.holds(r, i, byName[f.Name])
		}
	}
	if !a.beside {
		a.groups(m, all)
		if !a.againstProducer() {
			a.compare(m)
		}
	}
}

func (a *answer) linkC(i int, f *function) {
	for j := range f.as.Formals {
		c := f.as.Formals[j].C
		if c >= 0 && c < len(f.Params) && f.Params[c].Name != "" {
			p := f.Params[c]
			a.spanOf(a.text.at(int(p.Pos.Line), int(p.Pos.Col)), p.Name, fmt.Sprintf("f%d.p%d", i, j))
		}
	}
	a.spanOf(a.text.at(int(f.Pos.Line), int(f.Pos.Col)), f.Name[strings.LastIndexByte(f.Name, ':')+1:], fmt.Sprintf("f%d.r0", i))
}

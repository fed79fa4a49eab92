package lsp

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// An analysis is what is known of one version of a document.
type analysis struct {
	uri     string
	text    *text
	conf    configuration
	outline *ptx.Outline
	module  *ptx.Module // without bodies
	list    diag.List
	target  *abi.Target // nil where there is none
	why     string      // why there is none
	lost    []string    // functions with a syntax error in their heads, of which no places are known

	// Made when a request asks, which is one goroutine.
	table  *resolve.Table
	funcs  []*resolve.Function
	starts []int    // of the items of the module
	spans  []extent // of its functions
}

// newAnalysis reads a text without checking it.
func newAnalysis(uri string, t *text, conf configuration) *analysis {
	a := &analysis{uri: uri, text: t, conf: conf}
	a.outline, _ = ptx.ParseOutline("", t.src)
	a.module = a.outline.Module()
	target, _, err := resolve.Target(a.module, conf.Target, conf.Assume)
	if a.target = target; err != nil {
		a.target, a.why = nil, err.Error()
	}
	a.lost = half.Of(a.module, a.module.Errors).Lost
	return a
}

// Check returns the diagnostics of a text as JSON.
func Check(text []byte) ([]byte, error) {
	_, list := check.Text("", string(text), check.Options{Compile: true, Workers: runtime.GOMAXPROCS(0)})
	return json.Marshal(list)
}

// diagnostics are those of the protocol, and one of the target that is configured and cannot be had.
func (a *analysis) diagnostics() []diagnostic {
	all := []diagnostic{}
	if a.conf.Target != "" && a.target == nil {
		all = append(all, diagnostic{Range: a.text.of(a.module.TargetPos, a.module.TokenEnd(a.module.TargetPos)), Severity: severities[diag.Warning], Code: "BadTarget", Source: "ptxabi", Message: a.why})
	}
	for _, d := range a.list {
		all = append(all, a.diagnostic(d))
	}
	return all
}

func (a *analysis) diagnostic(d *diag.Diagnostic) diagnostic {
	out := diagnostic{Range: a.text.of(d.Pos, d.End), Severity: severities[d.Severity], Code: string(d.Code), Source: "ptxabi", Message: d.Msg}
	if d.Code != "" {
		out.About = &codeLink{explained(out.Code)}
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, related{location{a.uri, a.text.of(r.Pos, r.End)}, r.Msg})
	}
	return out
}

// places returns where a function's values are; ok is false where that is not known.
func (a *analysis) places(f *resolve.Function) (p abi.Assignment, ok bool) {
	if a.target == nil || slices.Contains(a.lost, f.Name) {
		return p, false
	}
	p, list := f.Assign(a.target)
	return p, list.Err() == nil
}

// functions are those of the module.
func (a *analysis) functions() []*resolve.Function {
	if a.funcs == nil {
		a.funcs = slices.Collect(a.symbolTable().Functions())
	}
	return a.funcs
}

// function returns what a name means, nil if no function.
func (a *analysis) function(name string) *resolve.Function {
	for _, f := range a.functions() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// valueLine is a line about a value: "`.param .b32 x` in R4".
func valueLine(f *ptx.Formal, p abi.Placement) string {
	where := p.String()
	if where == "" || p.Loc.Kind == abi.Nowhere {
		where = "no place"
	}
	return fmt.Sprintf("`%s %s`: %s, %s", f.Spec.TypeText(), f.Name, where, sizeOf(p))
}

func sizeOf(p abi.Placement) string { return fmt.Sprintf("%d bytes aligned to %d", p.Size, p.Align) }

// describe is Markdown about a function.
func (a *analysis) describe(f *resolve.Function) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%v %s**", f.Kind(), f.Name)
	p, ok := a.places(f)
	switch {
	case a.target == nil:
		fmt.Fprintf(&b, ": %s", a.why)
	case !ok:
		fmt.Fprintf(&b, ": no places on %s; the diagnostics say why", a.target.Name)
	default:
		fmt.Fprintf(&b, " on %s, %s\n", a.target.Name, gradeWord(a.target))
		for i := range f.Params {
			fmt.Fprintf(&b, "\n- %s", valueLine(&f.Params[i], p.Params[i]))
		}
		for i := range f.Results {
			fmt.Fprintf(&b, "\n- result %s", valueLine(&f.Results[i], p.Results[i]))
		}
		if p.StackBytes > 0 {
			fmt.Fprintf(&b, "\n- %d bytes of parameters on the stack", p.StackBytes)
		}
		if f.Kind() == resolve.Entry {
			fmt.Fprintf(&b, "\n- a parameter block of %d bytes at c[0x%x][0x%x]", p.Block.Size, p.Block.Bank, p.Block.Base)
		}
	}
	return b.String()
}

// gradeWord says how a target's facts are known.
func gradeWord(t *abi.Target) string {
	if t.AssumedFrom != "" {
		return "assumed as on " + t.AssumedFrom
	}
	return "measured"
}

// placeOf is a place with the bytes that are there: "R6:R7, bytes 0 to 8".
func placeOf(p abi.Placement) string {
	where := p.String()
	if where == "" || p.Loc.Kind == abi.Nowhere {
		return "no place"
	}
	return fmt.Sprintf("%s, bytes 0 to %d", where, p.Size)
}

// A meaning is what a name stands for at one place.
type meaning struct {
	kind meaningKind
	decl int    // offset of the name where it is declared; -1 if that is not in the text
	name string // as it stands there
	// stem says that the name is that of a range, %r of %r<8>, which stands for all of its registers.
	stem bool
	spec *ptx.Spec // of a formal or variable; nil for all else
}

type meaningKind uint8

const (
	unknown meaningKind = iota
	function
	global // a variable of the module
	formal
	local // a variable or register of a body
	label // a label, a prototype or a list of targets
	special
)

// same reports whether two names mean the same. %r1 and %r2 of one range do not.
func (m meaning) same(n meaning) bool {
	switch {
	case m.kind != n.kind:
		return false
	case m.kind == function, m.kind == global:
		return m.name == n.name
	}
	return m.decl >= 0 && m.decl == n.decl && (m.name == n.name || m.stem || n.stem)
}

// A namedBody is a function with its statements and what their names mean.
type namedBody struct {
	of     *analysis
	fn     *ptx.Func // with its statements
	names  *body.Body
	offs   []int              // of each statement
	labels map[string][]place // and lists
}

// A place is where a label is declared.
type place struct{ block, off int }

// label returns where the label or list of a name is that a block sees.
func (b *namedBody) label(block int, name string) (off int, ok bool) {
	if b.labels == nil {
		b.labels = make(map[string][]place)
		add := func(block int, name string, pos diag.Pos) {
			b.labels[name] = append(b.labels[name], place{block, b.of.text.where(pos)})
		}
		for _, l := range b.names.Labels {
			add(l.Block, l.Name, l.Pos)
		}
		for _, l := range b.names.Lists {
			name, pos := l.Name()
			add(l.Block, name, pos)
		}
	}
	for all := b.labels[name]; len(all) > 0 && block >= 0; block = b.names.Around(block) {
		if i := slices.IndexFunc(all, func(p place) bool { return p.block == block }); i >= 0 {
			return all[i].off, true
		}
	}
	return 0, false
}

// body reads the body of a function.
func (a *analysis) body(f *ptx.Func) *namedBody {
	b := &namedBody{of: a}
	b.fn, _ = new(ptx.Reader).Func(a.outline, f) // as far as it could be read
	b.names = body.New(b.fn, b.fn.Body, resolve.ParamsInBody(a.module, b.fn))
	for _, s := range b.fn.Body {
		from, _ := s.Span()
		b.offs = append(b.offs, a.text.where(from))
	}
	return b
}

// span returns where a function begins and ends.
func (a *analysis) span(f *ptx.Func) (from, to int) {
	from = a.text.where(f.Pos)
	to = max(a.text.where(f.EndPos), a.text.where(f.NamePos)+len(f.Name))
	return from, min(to+1, len(a.text.src))
}

// at returns the index of the statement that an offset is in, -1 in the head.
func (b *namedBody) at(off int) int {
	return sort.SearchInts(b.offs, off+1) - 1
}

// meaning returns what the name that stands at an offset of the function means.
func (b *namedBody) meaning(off int, name string) meaning {
	i := b.at(off)
	if i < 0 || off < b.of.text.where(b.fn.BodyPos) || !b.fn.HasBody {
		return b.inHead(b.fn, off, name)
	}
	switch s := b.fn.Body[i].(type) {
	case *ptx.Decl:
		for j := range s.Vars {
			if v := &s.Vars[j]; b.of.text.where(v.Pos) == off {
				k := slices.IndexFunc(b.names.Syms, func(sym *body.Symbol) bool { return sym.Var == v })
				if k < 0 {
					return meaning{kind: unknown, decl: -1, name: name}
				}
				return b.symbol(b.names.Syms[k], name, v.Ranged())
			}
		}
	case *ptx.Prototype:
		if off != b.offs[i] {
			return inFormals(b.of, off, name, s.Params, s.Results)
		}
	case *ptx.Func:
		return b.inHead(s, off, name)
	case *ptx.Directive:
		return meaning{kind: unknown, decl: -1, name: name}
	}
	if sym := b.names.Lookup(i, name); sym != nil && sym.Label == nil { // one that follows may be meant
		return b.symbol(sym, name, false)
	}
	if decl, ok := b.label(b.names.Block(i), name); ok {
		return meaning{kind: label, decl: decl, name: name}
	}
	if m := b.of.global(name); m.kind != unknown {
		return m
	}
	for _, s := range b.fn.Body { // a function that only this body declares
		if f, ok := s.(*ptx.Func); ok && f.Name == name {
			return meaning{kind: function, decl: b.of.text.where(f.NamePos), name: name}
		}
	}
	if strings.HasPrefix(name, "%") || name == "WARP_SZ" {
		return meaning{kind: special, decl: -1, name: name}
	}
	return meaning{kind: unknown, decl: -1, name: name}
}

// symbol is the meaning of a symbol of the function.
func (b *namedBody) symbol(sym *body.Symbol, name string, stem bool) meaning {
	switch {
	case sym.Proto != nil:
		return meaning{kind: label, decl: b.of.text.where(sym.Proto.Pos), name: name}
	case sym.Targets != nil:
		return meaning{kind: label, decl: b.of.text.where(sym.Targets.Pos), name: name}
	}
	kind := local
	if sym.Role != body.Local {
		kind = formal
	}
	return meaning{kind, b.of.text.where(sym.Var.Pos), name, stem, sym.Spec}
}

// inHead is the meaning of a name in the head of a function.
func (b *namedBody) inHead(f *ptx.Func, off int, name string) meaning {
	if off == b.of.text.where(f.NamePos) {
		if m := b.of.global(name); m.kind == function {
			return m
		}
		return meaning{kind: function, decl: off, name: name}
	}
	return inFormals(b.of, off, name, f.Params, f.Results)
}

// inFormals is the meaning of a name among formals, where those of one declaration are seen.
func inFormals(a *analysis, off int, name string, lists ...[]ptx.Formal) meaning {
	for _, list := range lists {
		for i := range list {
			if a.text.where(list[i].Var.Pos) == off {
				return meaning{kind: formal, decl: off, name: name, spec: &list[i].Spec}
			}
		}
	}
	return meaning{kind: unknown, decl: -1, name: name}
}

// global is the meaning of a name at module level.
func (a *analysis) global(name string) meaning {
	if c := a.symbolTable().Lookup(name); c != nil {
		return meaning{kind: function, decl: a.text.where(c.Func.NamePos), name: name}
	}
	if d := a.symbolTable().Var(name); d != nil {
		i := slices.IndexFunc(d.Vars, func(v ptx.Var) bool { return v.Name == name })
		return meaning{kind: global, decl: a.text.where(d.Vars[i].Pos), name: name, spec: &d.Spec}
	}
	return meaning{kind: unknown, decl: -1, name: name}
}

// symbolTable is that of the module.
func (a *analysis) symbolTable() *resolve.Table {
	if a.table == nil {
		a.table = resolve.NewTable(a.module)
	}
	return a.table
}

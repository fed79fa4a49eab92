package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// names says which values names in the text and in the listing mean.
type names struct {
	index map[string]int // of drawn functions, by name
	drawn []resolve.Assigned
	// calls has for each call the values that notes of its instructions name.
	calls map[diag.Pos]map[string]string
	// callee has the index of each call's callee among those drawn.
	callee map[diag.Pos]int
}

// formal returns the value that a name is to a function that is drawn; "" if it
// is none.
func (n *names) formal(function, name string) string {
	i, ok := n.index[function]
	if !ok || name == "" || name == "_" {
		return ""
	}
	f := n.drawn[i]
	called := func(f ptx.Formal) bool { return f.Name == name }
	if j := slices.IndexFunc(f.Params, called); j >= 0 {
		return fmt.Sprintf("f%d.p%d", i, j)
	}
	if j := slices.IndexFunc(f.Results, called); j >= 0 {
		return fmt.Sprintf("f%d.r%d", i, j)
	}
	return ""
}

// link finds the places of the text that name values.
func (a *answer) link(m *ptx.Module, shown []resolve.Assigned) *names {
	n := &names{index: map[string]int{}, drawn: shown, calls: map[diag.Pos]map[string]string{}, callee: map[diag.Pos]int{}}
	for i, f := range shown {
		if f.Kind() != resolve.Prototype {
			n.index[f.Name] = i
		}
		a.heads(i, f)
	}
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody {
			b := &linkedBody{answer: a, names: n, f: f, in: body.New(f, f.Body, false), args: map[int32]string{}}
			b.arguments()
			b.walk()
		}
	}
	return n
}

// heads links the formals where they are declared.
func (a *answer) heads(i int, f resolve.Assigned) {
	add := func(letter string, formals []ptx.Formal) {
		for j := range formals {
			v := &formals[j].Var
			if from := a.text.at(int(v.Pos.Line), int(v.Pos.Col)); from >= 0 && v.Name != "" {
				ids := []string{fmt.Sprintf("f%d.%s%d", i, letter, j)}
				if letter == "r" && f.Places.Sret.Kind == abi.InReg {
					ids = append(ids, fmt.Sprintf("f%d.h", i))
				}
				a.span(from, from+len(v.Name), ids...)
			}
		}
	}
	add("p", f.Params)
	add("r", f.Results)
}

// A linkedBody is a function's while its names are linked.
type linkedBody struct {
	*answer
	names *names
	f     *ptx.Func
	in    *body.Body
	// args has the values that the variables of calls are to their callees, by
	// the number of their symbol.
	args map[int32]string
}

// arguments finds out which variables are passed to which formals.
func (b *linkedBody) arguments() {
	for i, st := range b.f.Body {
		if c, ok := st.(*ptx.Call); ok {
			b.call(i, c)
		}
	}
}

func (b *linkedBody) call(at int, c *ptx.Call) {
	i, ok := b.names.index[c.Callee.Name()]
	if !ok {
		return
	}
	notes := map[string]string{}
	add := func(letter string, args []ptx.Operand, formals []ptx.Formal) {
		for j := range min(len(args), len(formals)) {
			id := fmt.Sprintf("f%d.%s%d", i, letter, j)
			if formals[j].Name != "" {
				notes[formals[j].Name] = id
			}
			if name := args[j].Name(); name != "" {
				notes[name] = id
				if sym := b.in.Lookup(at, name); sym != nil && sym.Role == body.Local && sym.Spec != nil && sym.Spec.Space == ptx.ParamSpace {
					b.args[sym.ID] = id
				}
			}
		}
	}
	callee := b.names.drawn[i]
	add("p", c.Params, callee.Params)
	add("r", c.Results, callee.Results)
	b.names.calls[c.Pos] = notes
	b.names.callee[c.Pos] = i
}

// walk links the names in the statements.
func (b *linkedBody) walk() {
	for i, st := range b.f.Body {
		at := i
		if _, ok := st.(*ptx.Decl); ok {
			at++ // which names what it declares
		}
		if pos, _ := st.Span(); pos.IsValid() {
			b.text.words(b.text.at(int(pos.Line), int(pos.Col)), ";{}", func(from, to int) bool {
				name := b.text.src[from:to]
				if id := b.value(at, name); id != "" {
					n := len(b.res.Spans)
					b.span(from, to, id)
					if access, ok := st.(*ptx.Access); ok && len(b.res.Spans) > n && access.Addr.Base == name && access.Addr.Off >= 0 && !access.Addr.Indexed {
						b.res.Spans[n].Bytes = fmt.Sprintf("%d:%d", access.Addr.Off, access.Addr.Off+int64(access.Bytes()))
					}
				}
				return false
			})
		}
	}
}

// value is what a name means to a statement; "" if it is no value that is drawn.
func (b *linkedBody) value(at int, name string) string {
	sym := b.in.Lookup(at, name)
	if sym == nil {
		return ""
	}
	i, drawn := b.names.index[b.f.Name]
	switch {
	case sym.Role == body.Local:
		return b.args[sym.ID]
	case !drawn:
		return ""
	case sym.Role == body.Param:
		return fmt.Sprintf("f%d.p%d", i, sym.Index)
	}
	return fmt.Sprintf("f%d.r%d", i, sym.Index)
}

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
	near := a.at(len(p.Funcs), func(i int) uint32 { return p.Funcs[i].Pos.Line })
	fits, rest := len(p.Funcs), 0
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

package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/opcodes"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// answers are those to requests about a document.
var answers = map[string]func(*analysis, *params) any{
	"textDocument/hover":                (*analysis).hover,
	"textDocument/definition":           (*analysis).definition,
	"textDocument/references":           (*analysis).references,
	"textDocument/documentHighlight":    (*analysis).highlights,
	"textDocument/prepareRename":        (*analysis).prepareRename,
	"textDocument/rename":               (*analysis).rename,
	"textDocument/signatureHelp":        (*analysis).signatures,
	"textDocument/foldingRange":         (*analysis).folds,
	"textDocument/documentSymbol":       (*analysis).symbols,
	"textDocument/inlayHint":            (*analysis).hints,
	"textDocument/completion":           (*analysis).completions,
	"textDocument/codeAction":           (*analysis).actions,
	"textDocument/semanticTokens/full":  (*analysis).semanticTokens,
	"textDocument/semanticTokens/range": (*analysis).semanticTokensOf,
	"textDocument/formatting":           (*analysis).formatting,
}

// useOf says what a word with a dot is for, and since when there is it; "" if it is not known.
func useOf(name string) string {
	info, ok := ptx.LookupDirective(name)
	if !ok {
		return ""
	}
	use := info.Use
	if info.Since.AtLeast(6, 0) { // older ones are no news
		use += fmt.Sprintf("; from PTX %v on", info.Since)
	}
	if info.Arch > 0 {
		use += fmt.Sprintf(", sm_%d and later", info.Arch)
	}
	return use
}

// at returns the name that a request is about, with a dot before a directive's.
func (a *analysis) at(p *params) (name string, from, to int) {
	from, to = a.text.word(a.text.offset(p.Position))
	if from > 0 && from < to && a.text.src[from-1] == '.' {
		if name := a.text.src[from-1 : to]; useOf(name) != "" {
			return name, from - 1, to
		}
	}
	return a.text.src[from:to], from, to
}

// bodyAt returns the function that an offset is in, nil if it is in none.
func (a *analysis) bodyAt(off int) *namedBody {
	if f := a.around(off); f != nil {
		return a.body(f)
	}
	return nil
}

// meaning returns what the name at an offset means to a function, nil for none.
func (a *analysis) meaning(b *namedBody, off int, word string) (m meaning) {
	m.decl = -1
	a.classify(off, off+1, func(tok token, c class) {
		switch {
		case c != name:
		case b != nil:
			m = b.meaning(tok.from, word)
		default:
			m = a.global(word)
		}
	})
	return m
}

// formal is a line about a formal of a function.
func (a *analysis) formal(b *namedBody, m meaning) string {
	r := resolve.NewFunction(a.module, b.fn)
	p, ok := a.places(r)
	var why abi.Explanation
	if ok {
		why = r.Explain(a.target)
	}
	for _, list := range []struct {
		what    string
		formals []ptx.Formal
		places  []abi.Placement
		why     [][]abi.Rule
	}{{"parameter", r.Params, p.Params, why.Params}, {"result", r.Results, p.Results, why.Results}} {
		for i := range list.formals {
			switch f := &list.formals[i]; {
			case a.text.where(f.Var.Pos) != m.decl:
			case !ok:
				return list.what + " `" + f.Name + "`"
			default:
				text := fmt.Sprintf("**%s of %s: %s**, %s\n\n%s `%s %s`, %s, on %s\n", f.Name, r.Name, placeOf(list.places[i]), gradeWord(a.target), list.what, f.Spec.TypeText(), f.Name, sizeOf(list.places[i]), a.target.Name)
				if i < len(list.why) {
					for _, rule := range list.why[i] {
						text += "\n- " + rule.Name + ": " + rule.Text
					}
				}
				return text
			}
		}
	}
	return "formal `" + m.spec.TypeText() + " " + m.name + "`" // of a declaration in the body, or a prototype
}

func (a *analysis) hover(p *params) any {
	word, from, to := a.at(p)
	about := useOf(word)
	if about == "" && from < to {
		about = a.argument(from, to)
	}
	if about == "" && from < to {
		b := a.bodyAt(from)
		switch m := a.meaning(b, from, word); m.kind {
		case formal:
			about = a.formal(b, m)
		case function:
			if f := a.function(word); f != nil {
				about = a.describe(f)
			}
		case label:
			for _, l := range b.names.Lists {
				if l.Sym.Proto != nil && a.text.where(l.Sym.Proto.Pos) == m.decl {
					about = a.describe(resolve.NewPrototype(a.module, l.Sym.Proto))
				}
			}
		case local, global:
			about = fmt.Sprintf("`%v %s %s`", m.spec.Space, m.spec.TypeText(), a.declared(m, word))
			if s := a.becomes(b, m); s != "" {
				about += "\n\n" + s
			}
		case special, unknown:
			if o, ok := opcodes.All()[word]; ok && a.isOpcode(from) {
				about = "`" + word + "`: " + o.About
			}
		}
	} else if useOf(word) != "" {
		about = "`" + word + "`: " + about + "."
	}
	if about == "" {
		return nil
	}
	return hover{markup{"markdown", about}, span{a.text.at(from), a.text.at(to)}}
}

// isOpcode reports whether an opcode begins at an offset.
func (a *analysis) isOpcode(off int) (is bool) {
	a.classify(off, off+1, func(_ token, c class) { is = c == opcode })
	return is
}

func (a *analysis) definition(p *params) any {
	word, from, to := a.at(p)
	if from == to {
		return nil
	}
	m := a.meaning(a.bodyAt(from), from, word)
	if m.decl < 0 {
		return nil
	}
	_, end := a.text.word(m.decl)
	return location{a.uri, span{a.text.at(m.decl), a.text.at(end)}}
}

// references are the places of a name that mean the same: in its function, or of a function or variable of the
// module in all of it.
func (a *analysis) references(p *params) any {
	word, from, to := a.at(p)
	list := []location{}
	if from == to {
		return list
	}
	a.each(from, word, func(tok token, n meaning) {
		if tok.from != n.decl || p.Context.IncludeDeclaration {
			list = append(list, location{a.uri, span{a.text.at(tok.from), a.text.at(tok.to)}})
		}
	})
	return list
}

// each calls visit for each place of what the name at an offset means.
func (a *analysis) each(from int, word string, visit func(token, meaning)) meaning {
	b := a.bodyAt(from)
	m := a.meaning(b, from, word)
	same := func(tok token, n meaning) {
		if m.same(n) {
			visit(tok, n)
		}
	}
	switch m.kind {
	case unknown, special:
	case function, global:
		for _, s := range a.mentions(word) {
			a.names(s.from, s.to, func(s string) bool { return s == word }, same)
		}
	default:
		first, last := a.span(b.fn)
		a.names(first, last, func(s string) bool {
			return s == word || m.stem && strings.HasPrefix(s, word) || strings.HasPrefix(word, s)
		}, same)
	}
	return m
}

// mentions are the parts of the text that a word may stand in: at most one of each function, and of what is between two.
func (a *analysis) mentions(word string) (all []stretch) {
	end := 0 // of the part that the last one is in
	for off := 0; ; {
		n := strings.Index(a.text.src[off:], word)
		if n < 0 {
			return all
		}
		off += n + len(word)
		if off > end {
			all = append(all, stretch{off - len(word), off})
			_, end = a.stretch(off - len(word))
		}
		all[len(all)-1].to = off
	}
}

func (a *analysis) symbols(*params) any {
	list := []symbol{}
	for _, it := range a.module.Items {
		f, ok := it.(*ptx.Func)
		if !ok || f.Name == "" {
			continue
		}
		s := symbol{Name: f.Name, Kind: symbolFunction, Detail: "function"}
		switch {
		case f.Entry:
			s.Detail = "kernel"
		case !f.HasBody:
			s.Kind, s.Detail = symbolInterface, "declaration"
		}
		begin, name := a.text.where(f.Pos), a.text.where(f.NamePos)
		end := min(max(a.text.where(f.EndPos)+1, name+len(f.Name)), len(a.text.src))
		s.Range = span{a.text.at(begin), a.text.at(end)}
		s.SelectionRange = span{a.text.at(name), a.text.at(min(name+len(f.Name), end))}
		list = append(list, s)
	}
	return list
}

// hints are the places of formals, after their names, and of what calls pass.
func (a *analysis) hints(p *params) any {
	list := []inlayHint{}
	if a.target == nil {
		return list
	}
	from, to := a.text.offset(p.Range.Start), a.text.offset(p.Range.End)
	add := func(pos diag.Pos, label string) {
		_, end := a.text.word(a.text.where(pos))
		if end >= from && end <= to {
			list = append(list, inlayHint{a.text.at(end), label, hintType, true})
		}
	}
	for _, it := range a.module.Items {
		f, ok := it.(*ptx.Func)
		if !ok || a.text.where(f.EndPos) < from || a.text.where(f.Pos) > to {
			continue
		}
		f = a.body(f).fn
		r := resolve.NewFunction(a.module, f)
		if places, ok := a.places(r); ok {
			for i := range r.Params {
				add(r.Params[i].Var.Pos, places.Params[i].String())
			}
			for i := range r.Results {
				add(r.Results[i].Var.Pos, places.Results[i].String())
			}
		}
		for _, site := range a.tableOf(f).Calls(f) {
			if site.Err != nil || site.Callee == nil {
				continue
			}
			places, list := site.Callee.Assign(a.target)
			if list.Err() != nil || len(places.Params) < len(site.Call.Params) || len(places.Results) < len(site.Call.Results) {
				continue
			}
			for i := range site.Call.Params {
				add(site.Call.Params[i].Pos, places.Params[i].String())
			}
			for i := range site.Call.Results {
				add(site.Call.Results[i].Pos, places.Results[i].String())
			}
		}
	}
	slices.SortStableFunc(list, func(x, y inlayHint) int {
		if x.Position.Line != y.Position.Line {
			return x.Position.Line - y.Position.Line
		}
		return x.Position.Character - y.Position.Character
	})
	return list
}

// tableOf is the symbol table that a function sees: with what its body alone declares.
func (a *analysis) tableOf(f *ptx.Func) *resolve.Table {
	if !slices.ContainsFunc(f.Body, func(s ptx.Stmt) bool { _, ok := s.(*ptx.Func); return ok }) {
		return a.symbolTable()
	}
	m := *a.module
	m.Items = append(slices.Clone(m.Items), f)
	return resolve.NewTable(&m)
}

// actions are the fixes of what is said of a range.
func (a *analysis) actions(p *params) any {
	list := []codeAction{}
	from, to := a.text.offset(p.Range.Start), a.text.offset(p.Range.End)
	for _, d := range a.list {
		own := a.diagnostic(d)
		if a.text.offset(own.Range.End) < from || a.text.offset(own.Range.Start) > to {
			continue
		}
		for i, fix := range d.Fixes {
			var edits []textEdit
			for _, e := range fix.Edits {
				edits = append(edits, textEdit{span{a.text.at(a.text.where(e.Pos)), a.text.at(a.text.where(e.End))}, e.Text})
			}
			list = append(list, codeAction{fix.Msg, "quickfix", []diagnostic{own}, i == 0, workspaceEdit{map[string][]textEdit{a.uri: edits}}})
		}
	}
	return list
}

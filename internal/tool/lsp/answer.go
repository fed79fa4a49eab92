package lsp

import (
	"cmp"
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
		return cmp.Or(x.Position.Line-y.Position.Line, x.Position.Character-y.Position.Character)
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

// explained is where a code is explained: the constant of it in the package's documentation.
func explained(code string) string {
	room := "check"
	if code == string(ptx.BadSyntax) {
		room = "ptx"
	}
	return "https://pkg.go.dev/github.com/ptxabi/ptxabi/" + room + "#" + code
}

// highlights are the places of a name in the text that mean the same.
func (a *analysis) highlights(p *params) any {
	word, from, to := a.at(p)
	list := []highlight{}
	if from < to {
		a.each(from, word, func(tok token, _ meaning) {
			list = append(list, highlight{span{a.text.at(tok.from), a.text.at(tok.to)}, highlightText})
		})
	}
	return list
}

const highlightText = 1

// prepareRename returns the range of a name that can be another, null for all else.
func (a *analysis) prepareRename(p *params) any {
	word, from, to := a.at(p)
	if from == to {
		return nil
	}
	if m := a.meaning(a.bodyAt(from), from, word); !renamed(m, word) {
		return nil
	}
	return span{a.text.at(from), a.text.at(to)}
}

// renamed reports whether a name can be another: what the text declares, and no register of a range, whose number is not
// of its name.
func renamed(m meaning, word string) bool {
	return m.kind != unknown && m.kind != special && m.decl >= 0 && m.name == word && !m.stem
}

// rename gives what a name means another one, wherever the text names it. A name that something has already is refused:
// the text would mean something else.
func (a *analysis) rename(p *params) any {
	word, from, to := a.at(p)
	edits := []textEdit{}
	b := a.bodyAt(from)
	switch m := a.meaning(b, from, word); {
	case from == to || !renamed(m, word):
		return fmt.Errorf("%q is no name that this text declares", word)
	case strings.HasPrefix(word, "%") && a.ranged(b, m):
		return fmt.Errorf("%s is one of a range of registers, whose number is not of its name", word)
	case b != nil && a.rangedTarget(b, word):
		return fmt.Errorf("%s is one of a range of targets, whose number is not of its name", word)
	case !isName(p.NewName):
		return fmt.Errorf("%q is not a name of PTX: letters, digits, _, $ and %%, and no digit first", p.NewName)
	case a.taken(b, p.NewName):
		return fmt.Errorf("%s has a meaning here already", p.NewName)
	}
	a.each(from, word, func(tok token, _ meaning) {
		edits = append(edits, textEdit{span{a.text.at(tok.from), a.text.at(tok.to)}, p.NewName})
	})
	return workspaceEdit{map[string][]textEdit{a.uri: edits}}
}

// ranged reports whether a register is one of a range: %r1 of %r<8>.
func (a *analysis) ranged(b *namedBody, m meaning) bool {
	_, end := a.text.word(m.decl)
	return b != nil && strings.HasPrefix(strings.TrimLeft(a.text.src[end:], " \t"), "<")
}

// rangedTarget reports whether a list of targets names a label or a function by a range: L1 by L<2>.
func (a *analysis) rangedTarget(b *namedBody, word string) bool {
	for _, s := range b.fn.Body {
		list, _ := s.(*ptx.TargetList)
		for i := 0; list != nil && i < len(list.Names); i++ {
			from, to := a.text.word(a.text.where(list.Names[i].Pos))
			if list.Names[i].Text == word && a.text.src[from:to] != word {
				return true
			}
		}
	}
	return false
}

// taken reports whether a name stands in the text already as something.
func (a *analysis) taken(b *namedBody, name string) bool {
	if a.global(name).kind != unknown {
		return true
	}
	from, to := 0, len(a.text.src)
	if b != nil {
		from, to = a.span(b.fn)
	}
	found := false
	a.names(from, to, func(s string) bool { return s == name }, func(token, meaning) { found = true })
	return found
}

// isName reports whether a text can be an identifier of PTX.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !inName(c) || c == '.' || i == 0 && '0' <= c && c <= '9' {
			return false
		}
	}
	return strings.Trim(s, "_$%") != ""
}

// folds are what stands between braces in several lines; of a function, what follows the first line of its head.
func (a *analysis) folds(*params) any {
	list, open := []foldingRange{}, []int{}
	for off := 0; ; {
		n := strings.IndexAny(a.text.src[off:], "{}\"/#") // braces, and what may hold some: strings, comments, line markers
		if n < 0 {
			return list
		}
		tok, _ := a.text.next(off + n)
		off = tok.to
		switch line := a.text.at(tok.from).Line; a.text.src[tok.from] {
		case '{':
			if f := a.around(tok.from); f != nil && a.text.where(f.BodyPos) == tok.from {
				line, open = int(f.Pos.Line)-1, nil
			}
			open = append(open, line)
		case '}':
			if n := len(open) - 1; n >= 0 {
				if first := open[n]; line > first+1 {
					list = append(list, foldingRange{first, line - 1})
				}
				open = open[:n]
			}
		}
	}
}

// callAt returns the call that a statement's offset is in; nil if it is in none that is known.
func (a *analysis) callAt(off int) *resolve.CallSite {
	f := a.around(off)
	if f == nil {
		return nil
	}
	fn := a.body(f).fn
	sites := a.tableOf(fn).Calls(fn)
	for i := range sites {
		s := &sites[i]
		begin := a.text.where(s.Call.Pos)
		end := strings.IndexByte(a.text.src[begin:], ';')
		if s.Err == nil && s.Callee != nil && off >= begin && (end < 0 || off <= begin+end) {
			return s
		}
	}
	return nil
}

// argument says which formal an argument of a call becomes, and where that is; "" for what is none.
func (a *analysis) argument(from, to int) string {
	s := a.callAt(from)
	if s == nil {
		return ""
	}
	places, ok := a.places(s.Callee)
	if !ok {
		return ""
	}
	for _, list := range []struct {
		what    string
		args    []ptx.Operand
		formals []ptx.Formal
		places  []abi.Placement
	}{{"is passed as", s.Call.Params, s.Callee.Params, places.Params}, {"gets", s.Call.Results, s.Callee.Results, places.Results}} {
		for i := range list.args {
			if at := a.text.where(list.args[i].Pos); at == from && i < len(list.formals) && i < len(list.places) {
				name := list.formals[i].Name
				if name == "" || name == "_" {
					name = fmt.Sprintf("value %d", i)
				}
				return fmt.Sprintf("`%s` %s **%s of %s: %s**, %s", a.text.src[from:to], list.what, name, s.Callee.Name, placeOf(list.places[i]), gradeWord(a.target))
			}
		}
	}
	return ""
}

// becomes says of a variable of a body what the first call that has it as an argument makes of it; "" where none has.
func (a *analysis) becomes(b *namedBody, m meaning) string {
	if m.kind != local || m.spec.Space != ptx.ParamSpace {
		return ""
	}
	for _, s := range a.tableOf(b.fn).Calls(b.fn) {
		for _, arg := range slices.Concat(s.Call.Params, s.Call.Results) {
			from, to := a.text.word(a.text.where(arg.Pos))
			if from < to && a.meaning(b, from, a.text.src[from:to]).same(m) {
				return a.argument(from, to)
			}
		}
	}
	return ""
}

// declared is a variable's name with the extents that its declaration has.
func (a *analysis) declared(m meaning, word string) string {
	if m.decl < 0 {
		return word
	}
	_, to := a.text.word(m.decl)
	rest := a.text.src[to:]
	end := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune(" []0123456789xXabcdefABCDEF", r) })
	return word + strings.TrimSpace(rest[:max(0, end)])
}

// signatures are the formals of the function that is called around a position, each with its place.
func (a *analysis) signatures(p *params) any {
	off := a.text.offset(p.Position)
	s := a.callAt(off)
	if s == nil {
		return nil
	}
	places, ok := a.places(s.Callee)
	sig := signature{Label: s.Callee.Name + "(", Documentation: markup{"markdown", a.describe(s.Callee)}, Parameters: []signatureElement{}}
	for i := range s.Callee.Params {
		f := &s.Callee.Params[i]
		label := f.Spec.TypeText() + " " + f.Name
		if ok {
			label += " in " + places.Params[i].String()
		}
		if i > 0 {
			sig.Label += ", "
		}
		sig.Label += label
		sig.Parameters = append(sig.Parameters, signatureElement{label})
	}
	sig.Label += ")"
	if n := len(s.Call.Results); n > 0 {
		if _, end := a.text.word(a.text.where(s.Call.Results[n-1].Pos)); off <= end {
			return nil // what takes the results has no place in the signature
		}
	}
	active := 0
	for i := range s.Call.Params {
		if a.text.where(s.Call.Params[i].Pos) <= off {
			active = i
		}
	}
	return signatureHelp{Signatures: []signature{sig}, Parameter: active}
}

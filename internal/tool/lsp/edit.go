package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

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

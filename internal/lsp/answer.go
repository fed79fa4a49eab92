package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// answers are those to requests about a document.
var answers = map[string]func(*analysis, *params) any{
	"textDocument/hover":          (*analysis).hover,
	"textDocument/definition":     (*analysis).definition,
	"textDocument/references":     (*analysis).references,
	"textDocument/documentSymbol": (*analysis).symbols,
	"textDocument/inlayHint":      (*analysis).hints,
	"textDocument/completion":     (*analysis).completions,
	"textDocument/codeAction":     (*analysis).actions,
}

// directives are what is said of those that have to do with calls.
var directives = map[string]string{
	".func":                 "a function. Its formals are passed by the calling convention of the target",
	".entry":                "a kernel. Its parameters are a block in a constant bank",
	".param":                "the state space of formals, and of what a call passes. Where one lives is the convention's business",
	".callprototype":        "the formals that functions have which are called through a register",
	".calltargets":          "a list of the functions that may be called through a register",
	".abi_preserve":         "how many registers from R16 on a call leaves alone; from PTX 9.0 on",
	".abi_preserve_control": "the first barrier that a call leaves alone; from PTX 9.0 on",
	".noreturn":             "the function does not return: nothing is kept for what would follow a call",
	".alias":                "another name of a function",
	".extern":               "defined in another module",
	".visible":              "seen by other modules",
	".weak":                 "seen by other modules; another definition of the name goes before",
	".common":               "seen by other modules, and joined with others of the name",
	".target":               "the architecture that the module is for, which decides the convention",
	".version":              "the version of the PTX ISA",
	".address_size":         "how many bits an address has",
	".maxntid":              "the most threads of a block, which bounds the registers of a thread",
	".reqntid":              "the threads that a block has, which bounds the registers of a thread",
	".minnctapersm":         "how many blocks have to be on a multiprocessor, which bounds the registers of a thread",
	".maxnreg":              "the most registers of a thread",
}

// at returns the name that a request is about, with a dot before a directive's.
func (a *analysis) at(p *params) (name string, from, to int) {
	from, to = a.text.word(a.text.offset(p.Position))
	if from > 0 && from < to && a.text.src[from-1] == '.' {
		if name := a.text.src[from-1 : to]; directives[name] != "" {
			return name, from - 1, to
		}
	}
	return a.text.src[from:to], from, to
}

// formal returns the formal of a name in the function around an offset, with what is known of it.
func (a *analysis) formal(name string, off int) (line string, f *ptx.Formal) {
	fn := a.around(off)
	if fn == nil {
		return "", nil
	}
	r := resolve.NewFunction(a.module, fn)
	p, ok := a.places(r)
	for i := range r.Params {
		if f := &r.Params[i]; f.Name == name {
			if !ok {
				return "parameter `" + name + "`", f
			}
			return "parameter " + valueLine(f, p.Params[i]), f
		}
	}
	for i := range r.Results {
		if f := &r.Results[i]; f.Name == name {
			if !ok {
				return "result `" + name + "`", f
			}
			return "result " + valueLine(f, p.Results[i]), f
		}
	}
	return "", nil
}

func (a *analysis) hover(p *params) any {
	name, from, to := a.at(p)
	text := ""
	if line, f := a.formal(name, from); f != nil {
		if text = line; a.target != nil {
			text += "\n\n" + a.target.Name + grade(a.target)
		}
	} else if fn := a.function(name); fn != nil {
		text = a.describe(fn)
	} else if about := directives[name]; about != "" {
		text = "`" + name + "`: " + about + "."
	}
	if text == "" {
		return nil
	}
	return hover{markup{"markdown", text}, span{a.text.at(from), a.text.at(to)}}
}

// declared returns where a name is declared, seen from an offset; ok is false where that is not found.
func (a *analysis) declared(name string, off int) (at int, ok bool) {
	if _, f := a.formal(name, off); f != nil {
		return a.text.where(f.Var.Pos), true
	}
	if fn := a.around(off); fn != nil {
		best := -1
		find := func(vars []ptx.Var) {
			for i := range vars {
				v := &vars[i]
				if v.Name == name || v.Ranged() && strings.HasPrefix(name, v.Name) && digits(name[len(v.Name):]) {
					if at := a.text.where(v.Pos); best < 0 || at <= off { // the nearest before; blocks nest
						best = at
					}
				}
			}
		}
		for _, s := range fn.Body {
			switch s := s.(type) {
			case *ptx.Decl:
				find(s.Vars)
			case *ptx.Label:
				if s.Name == name {
					return a.text.where(s.Pos), true
				}
			}
		}
		if best >= 0 {
			return best, true
		}
	}
	if fn := a.function(name); fn != nil {
		return a.text.where(fn.NamePos), true
	}
	for _, it := range a.module.Items {
		if d, isDecl := it.(*ptx.Decl); isDecl {
			for i := range d.Vars {
				if d.Vars[i].Name == name {
					return a.text.where(d.Vars[i].Pos), true
				}
			}
		}
	}
	return 0, false
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func (a *analysis) definition(p *params) any {
	name, from, to := a.at(p)
	if from == to {
		return nil
	}
	at, ok := a.declared(name, from)
	if !ok {
		return nil
	}
	_, end := a.text.word(at)
	return location{a.uri, span{a.text.at(at), a.text.at(end)}}
}

// references are the places of a name: in its function, or of a function or variable of the module in all of it.
func (a *analysis) references(p *params) any {
	name, from, to := a.at(p)
	list := []location{}
	if from == to || directives[name] != "" {
		return list
	}
	at, ok := a.declared(name, from)
	first, last := 0, len(a.text.src)
	if fn := a.around(at); ok && fn != nil && fn.Name != name {
		first, last = a.text.where(fn.Pos), a.text.where(fn.EndPos)
	}
	a.text.names(first, last, name, func(off int) {
		if off != at || p.Context.IncludeDeclaration {
			list = append(list, location{a.uri, span{a.text.at(off), a.text.at(off + len(name))}})
		}
	})
	return list
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

// hints are the places of formals, behind their names, and of what calls pass.
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
		r := resolve.NewFunction(a.module, f)
		if places, ok := a.places(r); ok {
			for i := range r.Params {
				add(r.Params[i].Var.Pos, places.Params[i].String())
			}
			for i := range r.Results {
				add(r.Results[i].Var.Pos, places.Results[i].String())
			}
		}
		for _, site := range resolve.Calls(a.module, f) {
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

// completions are the names of functions and of the formals and variables of the function around.
func (a *analysis) completions(p *params) any {
	list := []completion{}
	off := a.text.offset(p.Position)
	for _, f := range a.funcs {
		list = append(list, completion{f.Name, completeFunction, f.Kind().String()})
	}
	fn := a.around(off)
	if fn == nil {
		return list
	}
	for _, formals := range [][]ptx.Formal{fn.Params, fn.Results} {
		for i := range formals {
			list = append(list, completion{formals[i].Name, completeVar, resolve.TypeText(&formals[i].Spec)})
		}
	}
	for _, s := range fn.Body {
		if d, ok := s.(*ptx.Decl); ok {
			for i := range d.Vars {
				list = append(list, completion{d.Vars[i].Name, completeVar, fmt.Sprint(d.Space, " ", resolve.TypeText(&d.Spec))})
			}
		}
	}
	return list
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

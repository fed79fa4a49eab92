package llvmir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

var linkages = map[string]Linkage{
	"private": Internal, "internal": Internal, "weak": Weak, "weak_odr": Weak, "linkonce": Weak, "linkonce_odr": Weak, "common": Common,
	"external": Extern, "extern_weak": Extern, "available_externally": Extern,
}

// attributes reads attributes up to what stop takes for the next. Of those with a value it keeps what changes a declaration.
func (p *parser) attributes(stop func(string) bool) (a attrs, words []string) {
	for !p.starts() && !stop(p.text()) {
		word := p.next()
		words = append(words, word)
		n := int64(0)
		switch {
		case word == "byval" && p.take("("):
			a.byval, a.of = true, p.typ(0)
			p.expect(")")
			continue
		case word == "align" || word == "cc" || word == "alignstack" && p.text() == "=":
			p.take("=")
			n, _ = strconv.ParseInt(p.next(), 10, 32)
		case p.text() == "(":
			if list := p.group(); len(list) > 0 {
				n, _ = strconv.ParseInt(list[0].text, 10, 32)
			}
		case p.text() == "=": // of a string
			p.i += 2
			words = append(words, p.toks[min(p.i, len(p.toks))-1].text)
		}
		switch word {
		case "byval":
			a.byval = true
		case "align":
			a.align = n
		case "alignstack":
			a.stack = n
		case "cc":
			words = append(words, fmt.Sprint(n))
		}
	}
	return a, words
}

// metadata skips "!dbg !7" and the like.
func (p *parser) metadata() {
	for strings.HasPrefix(p.text(), "!") {
		p.i++
		if p.text() == "{" || p.text() == "(" {
			p.group()
		}
	}
}

// function reads a declaration or a definition.
func (p *parser) function() {
	f := &Func{Defined: p.next() == "define", align: make(map[int64]int64)}
	p.metadata()
	var head []string
	f.result, head = p.attributes(begins)
	f.ret = p.typ(0)
	if !strings.HasPrefix(p.text(), "@") || len(p.text()) < 2 {
		p.fail("the name of a function expected")
	}
	f.Name, f.Pos = p.toks[p.i].name(), p.pos()
	p.i++
	p.expect("(")
	for !p.take(")") {
		if p.take("...") {
			f.Unknown = "the releases of LLVM pass variable arguments differently"
			continue
		}
		t := p.typ(0)
		a, words := p.attributes(func(w string) bool { return w == "," || w == ")" || w == "" })
		name := ""
		if n := len(words); n > 0 && words[n-1][0] == '%' {
			name = unquote(words[n-1][1:])
		}
		f.types, f.attrs, f.Params = append(f.types, t), append(f.attrs, a), append(f.Params, Formal{Name: name})
		if !p.take(",") && p.text() != ")" {
			p.fail(", or ) expected")
		}
	}
	for p.i < len(p.toks) && p.text() != "{" && !p.starts() { // attributes, section, personality, metadata
		f.groups = append(f.groups, p.next())
	}
	if !f.Defined {
		f.Linkage = Extern
	} else if p.text() == "{" {
		f.Uses = uses(p.group())
	} else {
		p.fail("{ expected")
	}
	for i, w := range head {
		if l, ok := linkages[w]; ok {
			f.Linkage = l
			f.Defined = f.Defined && l != Extern
		}
		f.Kernel = f.Kernel || w == "ptx_kernel" || w == "cc" && i+1 < len(head) && head[i+1] == "71"
	}
	if !strings.HasPrefix(f.Name, "llvm.") {
		p.m.Funcs = append(p.m.Funcs, f)
	}
}

// uses are the symbols that a body or a value mentions.
func uses(toks []token) (all []Use) {
	call := false
	for i, t := range toks {
		switch {
		case t.text == "call" || t.text == "invoke":
			call = true
		case len(t.text) > 1 && (t.text[0] == '@' || call && t.text[0] == '%') && (i == 0 || toks[i-1].text != "comdat"):
			called := call && i+1 < len(toks) && toks[i+1].text == "("
			if name := t.name(); t.text[0] == '%' && called && (i == 0 || toks[i-1].text != ",") {
				all, call = append(all, Use{Pos: t.pos, Call: true}), false
			} else if t.text[0] == '@' && !strings.HasPrefix(name, "llvm.") {
				all = append(all, Use{name, t.pos, called})
				call = call && !called
			} else if t.text[0] == '@' {
				call = false
			}
		}
	}
	return all
}

// variable reads a variable or an alias.
func (p *parser) variable() {
	first := p.toks[p.i]
	p.i++
	if !p.take("=") || len(first.text) < 2 {
		p.fail("= expected")
	}
	v := &Var{Name: first.name(), Pos: first.pos, Size: -1}
	for {
		word := p.next()
		switch l, ok := linkages[word]; {
		case word == "appending" || word == "extern_weak" || word == "available_externally": // tables for LLVM alone, and what need not be there
			p.rest()
			return
		case ok:
			v.Linkage = l
			continue
		case word == "global" || word == "constant":
		case word == "alias":
			list := p.rest()
			for i := len(list) - 1; i >= 0; i-- {
				if list[i].text[0] == '@' {
					p.m.Aliases = append(p.m.Aliases, Alias{v.Name, list[i].name(), v.Pos})
					return
				}
			}
			p.fail("an alias of no symbol")
		case word == "addrspace":
			p.i--
			v.Space = int(p.space())
			continue
		case word == "" || p.starts():
			p.fail("global, constant or alias expected")
		default:
			if p.text() == "(" {
				p.group()
			}
			continue
		}
		break
	}
	t := p.typ(0)
	value := p.rest()
	if len(value) > 0 && v.Linkage != Extern {
		v.Value = !slices.Contains([]string{"zeroinitializer", "undef", "poison", "null"}, value[0].text)
		v.Uses = uses(value)
	}
	for i, w := range value {
		if w.text == "align" && i > 0 && i+1 < len(value) && value[i-1].text == "," {
			v.Align, _ = strconv.ParseInt(value[i+1].text, 10, 32)
		}
	}
	p.m.Vars = append(p.m.Vars, v)
	p.vars = append(p.vars, t)
}

// finish lays out what the whole module declares.
func (p *parser) finish() {
	byName := make(map[string]*Func)
	for _, f := range p.m.Funcs {
		byName[f.Name] = f
	}
	p.annotations(byName)
	for _, t := range p.pointers {
		p.address(t)
	}
	for i, v := range p.m.Vars {
		l, ok := p.layout(p.vars[i])
		switch t, _ := layout.Unalias(p.vars[i]).(*layout.Vector); {
		case !ok || t != nil && (t.Elem == basic("i1") || p.pointers[t.Elem] != nil && l.Size != l.DataSize):
		case t != nil: // without what an array of them has between two
			v.Size = l.DataSize
		default:
			v.Size, v.Unsized = l.Size, l.Size == 0
		}
	}
	for _, f := range p.m.Funcs {
		for _, w := range f.groups {
			list := p.groups[w]
			f.NoReturn = f.NoReturn || w == "noreturn" || slices.ContainsFunc(list, func(t token) bool { return t.text == "noreturn" })
			for i, t := range list {
				if t.text == `"target-cpu"` && i+2 < len(list) && p.m.CPU == "" {
					p.m.CPU = unquote(list[i+2].text)
				}
			}
		}
		declare := func(t layout.Type, a attrs, index int64) Formal {
			if n := f.align[index]; n > 0 && a.stack == 0 {
				a.stack = n
			}
			one, why := p.formal(t, a)
			switch {
			case why != "" || one.Bytes:
			case f.Kernel:
				if s := layout.Unalias(t).(layout.Scalar); s.Bits > 8 && s.Bits != 8*one.Size {
					why = "kernels take no such integer"
				}
			default:
				one.Size = max(one.Size, 4)
				one.Align = one.Size
			}
			if why != "" && f.Unknown == "" {
				what := "the result"
				if index > 0 {
					what = fmt.Sprintf("parameter %d", index-1)
				}
				f.Unknown = what + ": " + why
			}
			return one
		}
		if layout.Unalias(f.ret) != words["void"] {
			one := declare(f.ret, f.result, 0)
			f.Result = &one
		}
		for i := range f.Params {
			name := f.Params[i].Name
			f.Params[i] = declare(f.types[i], f.attrs[i], int64(i+1))
			f.Params[i].Name = name
		}
		if f.Unknown != "" {
			p.list.Add(&diag.Diagnostic{File: p.file, Pos: f.Pos, Severity: diag.Note, Code: Unread, Msg: fmt.Sprintf("how PTX declares %s is not known: %s", f.Name, f.Unknown)})
		}
	}
	p.aliases(byName)
}

// aliases declares those of functions as these.
func (p *parser) aliases(byName map[string]*Func) {
	for _, a := range p.m.Aliases {
		if f := byName[a.Of]; f != nil {
			one := *f
			one.Name, one.Pos, one.Defined, one.Uses = a.Name, a.Pos, false, nil
			p.m.Funcs = append(p.m.Funcs, &one)
		}
	}
}

// annotations reads what !nvvm.annotations say of variables, of kernels and of alignments: the number of a formal, 0 for the
// result, is in the upper 16 bits.
func (p *parser) annotations(byName map[string]*Func) {
	var f *Func
	v := &Var{}
	for i, t := range p.notes {
		switch {
		case t.text[0] == '@':
			f, v = byName[t.name()], &Var{}
			if at := slices.IndexFunc(p.m.Vars, func(v *Var) bool { return v.Name == t.name() }); at >= 0 {
				v = p.m.Vars[at]
			}
		case f == nil:
			v.Handle = v.Handle || slices.Contains(handles, t.text)
			v.Managed = v.Managed || t.text == `!"managed"`
		case t.text == `!"kernel"`:
			f.Kernel = f.Kernel || p.value(i) == 1
		case slices.Contains(handles, t.text):
			f.Unknown = "it takes a handle of a texture, surface or sampler"
		case t.text == `!"align"`:
			n := p.value(i)
			f.align[n>>16] = n & 0xffff
		}
	}
}

// handles are the annotations of variables and, in older modules, of parameters that PTX has as handles.
var handles = []string{`!"texture"`, `!"surface"`, `!"sampler"`, `!"rdoimage"`, `!"wroimage"`, `!"rdwrimage"`}

// value is the number after the key at i: !"kernel", i32 1.
func (p *parser) value(i int) int64 {
	if i+3 >= len(p.notes) {
		return 0
	}
	n, _ := strconv.ParseInt(p.notes[i+3].text, 10, 64)
	return n
}

// Unread is the code of a note about a function whose declaration in PTX is not known.
const Unread diag.Code = "LeftOut"

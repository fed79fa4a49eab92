package cdecl

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// specs are declaration specifiers: everything in front of the declarators.
type specs struct {
	typ   layout.Type // nil where a constructor or the like follows
	attrs attrs
	pos   Pos

	storage []string    // the keywords that say nothing of the type: "static", "friend", "__global__"
	record  *RecordDecl // defined here
	tagged  bool        // a record or enumeration was named or defined
	words   words
	quals   layout.Qualified
	any     bool // at least one specifier was read
}

// has reports whether one of some storage keywords was read.
func (s *specs) has(keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool { return slices.Contains(s.storage, k) })
}

// builtinWords are the keywords that are a type by themselves.
var builtinWords = map[string]layout.Kind{
	"void": layout.Void, "_Bool": layout.Bool, "bool": layout.Bool, "wchar_t": layout.WChar,
	"__wchar_t": layout.WChar, "char8_t": layout.Char8, "char16_t": layout.Char16, "char32_t": layout.Char32,
	"_Float16": layout.Float16, "__fp16": layout.Float16, "__bf16": layout.BFloat16,
	"_Float32": layout.Float, "_Float64": layout.Double, "_Float32x": layout.Double,
	"__int128": layout.Int128, "__int128_t": layout.Int128, "__uint128_t": layout.UInt128,
	"__int64": layout.LongLong, "__int32": layout.Int, "__int16": layout.Short, "__int8": layout.Char,
	"__builtin_va_list": layout.VaList,
}

// floatNames are words of builtinWords that glibc's headers define as the same types, for compilers
// without them: typedef float _Float32.
var floatNames = map[string]bool{"_Float32": true, "_Float64": true, "_Float32x": true}

// keyword returns the role of a word among the specifiers: "storage", "qualifier", "word" as a part of a built-in type,
// or "other" as a type of a form of its own; "" if it is no keyword.
func (p *parser) keyword(word string) string {
	if !p.cxx && preludeCXX.has(word) || p.cxx && word == "restrict" {
		return ""
	}
	role, _ := preludeKeywords.of(word)
	return role
}

// specifiers reads declaration specifiers.
func (p *parser) specifiers() *specs {
	s := &specs{pos: p.tok.pos}
	p.attributes(&s.attrs)
	for ; ; p.typeAttributes(&s.attrs) {
		t := p.tok
		if t.kind != ident && !(t.is("::") && p.cxx) {
			break
		}
		if floatNames[t.text] && (slices.Contains(s.words.list, "float") || slices.Contains(s.words.list, "double")) {
			break // it is the name that a typedef declares
		}
		if role := p.keyword(t.text); role != "" {
			s.any = true
			p.specifier(s, t, role)
			continue
		}
		if s.typ != nil || s.words.any() || !p.namedType(s, t) {
			break
		}
	}
	if s.words.any() {
		if s.typ != nil {
			p.fail(s.pos, Syntax, "two types in one declaration")
		}
		s.typ = p.builtin(&s.words, s.pos)
	}
	if s.typ != nil {
		s.typ = p.apply(s.typ, &s.attrs, s.pos)
		s.typ = qualify(s.typ, s.quals)
	}
	return s
}

// qualify returns t with the qualifiers of q.
func qualify(t layout.Type, q layout.Qualified) layout.Type {
	q.Type = nil
	if q == (layout.Qualified{}) {
		return t
	}
	if old, ok := t.(*layout.Qualified); ok && !(q.Atomic && old.Atomic) && !q.Atomic {
		q.Const = q.Const || old.Const
		q.Volatile = q.Volatile || old.Volatile
		q.Restrict = q.Restrict || old.Restrict
		q.Atomic = old.Atomic
		t = old.Type
	}
	q.Type = t
	return &q
}

// specifier reads a specifier that begins with a keyword.
func (p *parser) specifier(s *specs, t token, role string) {
	switch {
	case role == "storage":
		p.advance()
		s.storage = append(s.storage, t.text)
		if t.is("explicit") && p.at("(") {
			p.skipBalanced()
		}
		if t.is("constexpr") && !p.cxx && !p.unit.CXX.IsValid() { // or C23
			p.unit.CXX = t.pos
		}
	case role == "qualifier", t.is("_Atomic") && !p.peek(1).is("("):
		p.advance()
		addQualifier(&s.quals, t.text)
	case s.typ != nil, role == "other" && s.words.any():
		p.fail(t.pos, Syntax, "two types in one declaration")
	case role == "word":
		p.word(s, t)
	default:
		p.otherType(s, t)
	}
}

func addQualifier(q *layout.Qualified, word string) {
	switch strings.Trim(word, "_") {
	case "const":
		q.Const = true
	case "volatile":
		q.Volatile = true
	case "restrict":
		q.Restrict = true
	case "Atomic":
		q.Atomic = true
	}
}

// otherType reads a type of a form of its own.
func (p *parser) otherType(s *specs, t token) {
	switch t.text {
	case "struct", "union", "class":
		p.record(s)
		s.tagged = true
	case "enum":
		p.enum(s)
		s.tagged = true
	case "typename":
		p.advance()
		if !p.namedType(s, p.tok) {
			p.fail(p.tok.pos, Undeclared, "%s is not a type", p.tok.describe())
		}
	case "_Atomic":
		p.advance()
		p.expect("(", "after _Atomic")
		inner := p.typeName()
		p.expect(")", "after the type")
		s.typ = &layout.Qualified{Type: inner, Atomic: true}
	case "typeof", "__typeof__", "__typeof", "typeof_unqual", "decltype", "__underlying_type":
		p.typeOf(s, t)
	case "auto", "__auto_type":
		// As a placeholder it stands for a type that only a compiler finds;
		// with a trailing return type it stands for that.
		p.advance()
		s.typ = &layout.Alias{Name: "auto", Type: layout.Scalar{Kind: layout.Void}}
	default:
		p.fail(t.pos, Unsupported, "type %s is not supported on nvptx", t.text)
	}
}

func (p *parser) typeOf(s *specs, t token) {
	p.advance()
	p.expect("(", "after "+t.text)
	if p.isType() {
		s.typ = p.typeName()
		if t.text != "__underlying_type" {
			s.typ = &layout.Alias{Name: "typeof(" + s.typ.String() + ")", Type: s.typ}
		}
	} else {
		operand, alone := p.tok, p.tok.kind == ident && p.peek(1).is(")")
		v := p.expression()
		if v.typ == nil {
			p.fail(t.pos, Unsupported, "%s of this expression is not supported", t.text)
		}
		s.typ = v.typ
		switch {
		case alone && t.text == "decltype":
			s.typ = &layout.Alias{Name: "decltype(" + operand.text + ")", Type: s.typ}
		case alone:
			s.typ = &layout.Alias{Name: "typeof (" + operand.text + ")", Type: s.typ}
		}
	}
	p.expect(")", "after "+t.text+"(…")
	if e, ok := layout.Unalias(s.typ).(*layout.Enum); ok && t.text == "__underlying_type" {
		s.typ = e.Underlying
	}
}

// namedType reads a type that is named by an identifier. It reports false,
// having read nothing, where the identifier is what is being declared.
func (p *parser) namedType(s *specs, t token) bool {
	if rec := p.scope.record; t.is("operator") || rec != nil && t.is(lastName(rec.Name)) && p.peek(1).is("(") { // a constructor
		return false
	}
	save := p.i
	name, o, spelled := p.qualified()
	switch {
	case o == nil && p.at("(") && !s.any && !p.peek(1).is("*") && !p.peek(1).is("&") || o != nil && (o.kind == funcObj || o.kind == varObj || o.kind == constObj || o.kind == spaceObj):
		p.seek(save)
		return false
	case o == nil && p.at("<"):
		p.fail(name.pos, Unsupported, "%s<…>: no template of that name is known", spelled)
	case o == nil && p.opts.Partial && !onlyCXX.has(name.text) && p.at("*") && (p.peek(1).kind == ident || p.peek(1).is("*")):
		s.any, s.typ = true, p.opaque(spelled, spelled+" is not declared")
		return true
	case o == nil && !p.cxx && onlyCXX.has(name.text):
		if !p.unit.CXX.IsValid() {
			p.unit.CXX = name.pos
		}
		p.fail(name.pos, Undeclared, "unknown type %s: that is C++, and this is read as C", spelled)
	case o == nil && preludeMachines[0].has(name.text):
		p.fail(name.pos, Undeclared, "unknown type %s: it depends on the machine; define the macro __x86_64__ or __aarch64__", spelled)
	case o == nil && !p.cxx && p.findTag(name.text, true) != nil:
		p.fail(name.pos, Undeclared, "unknown type %s: this is read as C, which names it %s", spelled, p.findTag(name.text, true).typ)
	case o == nil && p.cxx && (strings.HasPrefix(spelled, "std::") || strings.HasPrefix(spelled, "cuda::std::")):
		p.fail(name.pos, Unsupported, "%s: no type of that name is known", spelled) // as of its templates: their headers are not read
	case o == nil:
		p.fail(name.pos, Undeclared, "unknown type %s", spelled)
	case o.kind == badObj:
		p.refuse(name, o)
	case o.kind == templObj:
		p.fail(name.pos, Unsupported, "%s is a template, and has no arguments here", spelled)
	}
	s.any = true
	s.typ = p.spelledAs(o, spelled)
	return true
}

// spelledAs returns the type of o as it is printed when spelled like this.
func (p *parser) spelledAs(o *object, spelled string) layout.Type {
	if o.subst {
		return o.typ
	}
	if a, ok := o.typ.(*layout.Alias); ok {
		if a.Name == spelled {
			return a
		}
		return &layout.Alias{Name: spelled, Type: a.Type, Align: a.Align}
	}
	return &layout.Alias{Name: spelled, Type: o.typ}
}

// lastName returns what follows the last "::", without template arguments.
func lastName(qualified string) string {
	end, depth := len(qualified), 0
	for i := len(qualified) - 1; i >= 0; i-- {
		switch qualified[i] {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 {
				end = i
			}
		case ':':
			if depth == 0 {
				return qualified[i+1 : end]
			}
		}
	}
	return qualified[:end]
}

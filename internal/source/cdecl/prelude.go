package cdecl

import (
	_ "embed"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

// preludeText is the names that are known without a header.
//
//go:embed prelude.txt
var preludeText string

// A nameList is a list of [preludeText], by its name: names with what they stand for.
type nameList string

const (
	preludeKeywords   nameList = "keywords"
	preludeAttributes nameList = "attributes"
	preludeCXX        nameList = "keywords of C++"
	onlyCXX           nameList = "only in C++"
	preludeTypes      nameList = "types"
	preludeLinux      nameList = "linux"
	preludeClasses    nameList = "classes"
	preludeCopied     nameList = "copied"
	preludeTemplates  nameList = "templates"
	preludeHeaders    nameList = "headers"
	runtimeEnums      nameList = "enums"
	builtinModes      nameList = "modes"
	preludeLimits     nameList = "limits"
	hasOperators      nameList = "operators of #if" // clang's questions for what it has
	knownAttributes   nameList = "what __has_attribute has"
)

// preludeMachines are the lists of types that differ by the machine, by the macro of the machine.
var preludeMachines = [...]nameList{"__x86_64__", "__aarch64__"}

// preludeLists are the lists by their names.
var preludeLists = sync.OnceValue(func() map[nameList]map[string]string {
	lists := make(map[nameList]map[string]string)
	var list map[string]string
	for line := range strings.Lines(preludeText) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			list = make(map[string]string)
			lists[nameList(strings.Trim(line, "[]"))] = list
		default:
			name, typ, _ := strings.Cut(line, " = ")
			list[name] = typ
		}
	}
	return lists
})

// of returns what a name stands for, which may be "", and whether the list has it.
func (l nameList) of(name string) (string, bool) {
	text, ok := preludeLists()[l][name]
	return text, ok
}

// has reports whether a list has a name.
func (l nameList) has(name string) bool {
	_, ok := l.of(name)
	return ok
}

// CopiedAsBytes reports whether copies of a type are its bytes, though its copy constructor is its own: CUDA's half2 and
// nv_bfloat162, and records and arrays of which these are the only such parts.
func CopiedAsBytes(l *layout.Layout) bool {
	if l.Elem != nil {
		return CopiedAsBytes(l.Elem)
	}
	if rec, ok := layout.Unalias(l.Type).(*layout.Record); ok && (rec.NonTrivial && !preludeCopied.has(rec.Name) || rec.Dynamic) {
		return false
	}
	for i := range l.Members {
		if !CopiedAsBytes(l.Members[i].Layout) {
			return false
		}
	}
	return true
}

// knownHeader reports whether the prelude stands for a header.
func knownHeader(name string) bool { return preludeHeaders.has(name) }

// InCUDA reports whether a place is in a header of CUDA that the prelude stands for.
func InCUDA(at string) bool {
	for range 2 { // the line and the column
		at = at[:max(strings.LastIndexByte(at, ':'), 0)]
	}
	return knownHeader(strings.TrimSuffix(path.Base(at), "pp")) // cuda_fp8.hpp is a part of cuda_fp8.h
}

// OfCUDA reports whether a record or an enumeration, by its name and the place of its declaration, is one of CUDA's that
// need no header: it is the same with the header as without.
func OfCUDA(name, at string) bool {
	known := preludeTypes.has(name) || preludeLinux.has(name) || name == "CUtensorMap_st" || runtimeEnums.has(name)
	return strings.HasPrefix(at, "<prelude>") || known && (at == "" || InCUDA(at))
}

// limit is a constant of limits.h, stdint.h or stddef.h; ok is false if it is none.
func (p *parser) limit(name string) (v value, ok bool) {
	text, ok := preludeLimits.of(name)
	if ok {
		sub := p.within(text)
		ok = sub.try(func() { v = sub.constant(name) })
	}
	return v, ok
}

// prelude declares a name of the prelude in the outermost scope, or returns
// nil if there is none.
func (p *parser) prelude(name string) *object {
	if p.preludes[name] {
		return nil
	}
	g := p.global()
	if o := g.names[name]; o != nil {
		return o
	}
	typ := p.preludeType(name)
	if typ == nil && p.cxx {
		typ = p.preludeTag("struct " + name)
	}
	if typ == nil {
		if preludeTemplates.has(name) && p.cxx {
			return &object{kind: badObj, why: "a template"}
		}
		return nil
	}
	o := &object{kind: typeObj, typ: typ}
	g.names[name] = o
	return o
}

func (p *parser) preludeType(name string) layout.Type {
	// Unsigned kinds come after the signed ones.
	wide, char, size := layout.LongLong, layout.Int, p.sizeType().Kind
	if p.sizeOf(layout.Scalar{Kind: layout.Long}) == 8 {
		wide = layout.Long
	}
	if p.opts.Rules.WChar == 2 {
		char = layout.UShort
	}
	switch kind := map[string]layout.Kind{
		"wchar_t": char, "int64_t": wide, "uint64_t": wide + 1, "size_t": size, "uintptr_t": size, "intptr_t": size - 1,
	}[name]; {
	case kind != 0:
		return &layout.Alias{Name: name, Type: layout.Scalar{Kind: kind}}
	case name == "bool":
		return &layout.Alias{Name: "_Bool", Type: layout.Scalar{Kind: layout.Bool}}
	case name == "CUtensorMap":
		return p.tensorMap()
	}
	if e := p.runtimeEnum(name); e != nil {
		return e
	}
	text, ok := preludeTypes.of(name)
	if !ok {
		text, ok = preludeLinux.of(name)
		for _, machine := range preludeMachines {
			if t, of := machine.of(name); of && p.macros[string(machine)] != nil {
				text, ok = t, true
			}
		}
		if !ok || !p.linux() {
			return nil
		}
	}
	return p.fromText(name, text)
}

// runtimeEnum returns the enumeration of that name; nil if the runtime has none.
func (p *parser) runtimeEnum(name string) layout.Type {
	if !runtimeEnums.has(name) {
		return nil
	}
	return &layout.Alias{Name: name, Type: &layout.Enum{Name: name, Underlying: layout.Scalar{Kind: layout.UInt}}}
}

// tensorMap is CUtensorMap, whose alignment cuda.h of CUDA 13 raised. Without the header the macro CUDA_VERSION says
// which it is.
func (p *parser) tensorMap() layout.Type {
	align, version := int64(64), int64(0)
	if m := p.macros["CUDA_VERSION"]; m != nil && len(m.body) == 1 {
		version, _ = strconv.ParseInt(m.body[0].text, 10, 32)
	}
	switch {
	case version >= 13000:
		align = 128
	case version == 0:
		p.warn(p.tok.pos, Ignored, "CUtensorMap is aligned to 64 bytes, as in CUDA 12; CUDA 13 aligns it to 128: define CUDA_VERSION as 13000, or include its cuda.h")
	}
	return &layout.Alias{Name: "CUtensorMap", Type: &layout.Record{Name: "CUtensorMap_st", Align: align, Fields: []layout.Field{
		{Name: "opaque", Type: &layout.Array{Elem: &layout.Alias{Name: "cuuint64_t", Type: layout.Scalar{Kind: layout.ULongLong}}, Len: 16}},
	}}}
}

// GuessedTensorMap is the warning that nothing says which alignment CUtensorMap has; nil where something does.
func GuessedTensorMap(u *Unit) *diag.Diagnostic {
	if u != nil {
		for _, d := range u.Warnings {
			if d.Code == Ignored && strings.HasPrefix(d.Msg, "CUtensorMap is ") {
				return d
			}
		}
	}
	return nil
}

// linux reports whether the types of [preludeLinux] are those of the rules.
func (p *parser) linux() bool {
	return p.opts.Rules.ABI != layout.Microsoft && p.pointerSize() == 8 && p.sizeOf(layout.Scalar{Kind: layout.Long}) == 8
}

// preludeTag makes the record of libc with a tag, "struct tm"; nil if there is none.
func (p *parser) preludeTag(tag string) layout.Type {
	text, ok := preludeLinux.of(tag)
	if !ok || !p.linux() || p.preludes[tag] {
		return nil
	}
	g := p.global()
	if o := g.names[tag]; o != nil { // which no name is
		return o.typ
	}
	typ := p.fromText(tag, text)
	if rec, ok := typ.(*layout.Record); ok {
		rec.Name = lastName("::" + tag[len("struct "):])
		g.names[tag] = &object{kind: typeObj, typ: typ}
	}
	return typ
}

// within is a parser of a text of the prelude.
func (p *parser) within(text string) *parser {
	var errs findings
	sc := newScanner("<prelude>", []byte(text), &errs)
	sub := newParser(append(restOfLine(sc), token{kind: eof}), p.opts)
	sub.scope, sub.preludes, sub.recordScopes, sub.inPrelude = p.global(), p.preludes, p.recordScopes, true
	return sub
}

// fromText reads a type of the prelude that is written as C.
func (p *parser) fromText(name, text string) layout.Type {
	p.preludes[name] = true
	defer delete(p.preludes, name)
	sub := p.within(text)
	var typ layout.Type
	if !sub.try(func() { typ = sub.typeName() }) {
		return nil
	}
	if rec, ok := typ.(*layout.Record); ok {
		rec.Name = name
		rec.Scope = ""
		rec.NonPOD = p.cxx && preludeClasses.has(name)
		rec.NonTrivial = p.cxx && preludeCopied.has(name)
		return rec
	}
	if e, ok := typ.(*layout.Enum); ok {
		e.Name = name
		return e
	}
	return &layout.Alias{Name: name, Type: typ}
}

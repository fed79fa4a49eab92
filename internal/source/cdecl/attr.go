package cdecl

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// attrs are the attributes of a declaration that have to do with layout.
type attrs struct {
	packed     bool
	align      int64 // the largest asked for; 0 means none
	declspec   int64 // the largest that a __declspec(align) asks for, and that of the others
	others     int64
	vectorSize int64 // bytes
	vectorLen  int64 // elements
	mode       string
	noUnique   bool
	emptyBases bool
	alignPos   Pos
	alignas    Pos  // of an alignas that asks for bytes, which cannot lower the alignment
	msStruct   Pos  // of an ms_struct attribute
	kernel     bool // global, which CUDA calls __global__
	device     bool // device
	bounds     []int64
	label      string // asm("…")
}

// merge adds what b says, which goes before what a does.
func (a *attrs) merge(b attrs) {
	a.packed, a.noUnique, a.emptyBases = a.packed || b.packed, a.noUnique || b.noUnique, a.emptyBases || b.emptyBases
	a.kernel, a.device = a.kernel || b.kernel, a.device || b.device
	a.raise(b.align, b.alignPos)
	a.declspec, a.others = max(a.declspec, b.declspec), max(a.others, b.others)
	a.alignas, a.msStruct = cmp.Or(b.alignas, a.alignas), cmp.Or(b.msStruct, a.msStruct)
	a.vectorSize, a.vectorLen = cmp.Or(b.vectorSize, a.vectorSize), cmp.Or(b.vectorLen, a.vectorLen)
	a.mode, a.label = cmp.Or(b.mode, a.mode), cmp.Or(b.label, a.label)
	if b.bounds != nil {
		a.bounds = b.bounds
	}
}

func (a *attrs) raise(n int64, pos Pos) {
	if n > a.align {
		a.align, a.alignPos = n, pos
	}
}

// takeDeclspec returns the alignment that a __declspec asks for, and takes it out of a. One before a
// record that is defined is the record's, one after its members is not.
func (a *attrs) takeDeclspec() int64 {
	n := a.declspec
	a.align, a.declspec = a.others, 0
	return n
}

// attributesAfter adds to those of a record or an enumeration the attributes after its members. It returns the alignment
// that they ask for, 0 if the ones before them ask for as much.
func (p *parser) attributesAfter(s *specs, a *attrs) int64 {
	a.raise(s.attrs.takeDeclspec(), s.pos)
	before := a.align
	var after attrs
	p.typeAttributes(&after)
	s.attrs.raise(after.takeDeclspec(), p.tok.pos)
	if a.merge(after); after.align <= before {
		return 0
	}
	return after.align
}

// isAttribute reports whether word begins an attribute or is one by itself.
func isAttribute(word string) bool { return preludeAttributes.has(word) }

// attributes reads any number of attributes, in any of their forms.
func (p *parser) attributes(a *attrs) {
	for {
		switch t := p.tok; {
		case t.is("[") && p.peek(1).is("[") && (p.peek(1).pos.Col == t.pos.Col+1 || p.peek(1).pos == t.pos):
			p.bracketed(a)
		case t.kind != ident || !isAttribute(t.text):
			return
		default:
			p.attribute(a, t)
		}
	}
}

// standard reports whether t begins an attribute of standard C++, whose place decides what it is for.
func (p *parser) standard(t token) bool { return t.is("[") || p.cxx && t.is("alignas") }

// typeAttributes reads attributes that follow a type or a part of one.
func (p *parser) typeAttributes(a *attrs) {
	t := p.tok
	var own attrs
	if p.attributes(&own); p.standard(t) {
		p.disputed(&own, t.pos)
	}
	a.merge(own)
}

// disputed refuses attributes that change layouts, in a place where some compilers ignore them and others do not.
func (p *parser) disputed(a *attrs, pos Pos) {
	if a.packed || a.align > 0 {
		p.fail(pos, Unsupported, "compilers disagree about an attribute in this place")
	}
}

// launchBounds reads the numbers of a launch bound. It is nil where they are not known, which is no
// mistake: nothing is laid out by them.
func (p *parser) launchBounds() (list []int64) {
	ok := p.attempt(func() {
		p.expect("(", "after the attribute")
		for {
			n, known := p.constant("launch bound").int64()
			if !known {
				p.fail(p.tok.pos, Constant, "launch bound is too large")
			}
			if list = append(list, n); !p.accept(",") {
				break
			}
		}
		p.expect(")", "after the launch bounds")
	})
	if ok {
		return list
	}
	if p.at("(") {
		p.skipBalanced()
	}
	return nil
}

func (p *parser) attribute(a *attrs, t token) {
	p.advance()
	switch t.text {
	case "__attribute__", "__attribute":
		p.expect("(", "after "+t.text)
		p.expect("(", "after "+t.text)
		p.attributeList(a, asGNU, ")", 2)
	case "__declspec":
		p.expect("(", "after "+t.text)
		p.attributeList(a, asDeclspec, ")", 1)
	case "alignas", "_Alignas", "__align__", "__builtin_align__":
		p.expect("(", "after "+t.text)
		n := p.alignment()
		a.others = max(a.others, n)
		if a.raise(n, t.pos); n > 0 && (t.is("alignas") || t.is("_Alignas")) {
			a.alignas = t.pos
		}
		p.expect(")", "after the alignment")
	case "__packed__", "__packed":
		a.packed = true
	case "__launch_bounds__":
		a.bounds = p.launchBounds()
	default:
		for p.at("volatile") || p.at("goto") || p.at("inline") {
			p.advance()
		}
		if label, ok := p.label(); ok {
			a.label = label
		} else if p.at("(") {
			p.skipBalanced()
		}
	}
}

// label reads the parenthesised strings of an asm label; ok is false, and nothing is read, where they are
// something else.
func (p *parser) label() (name string, ok bool) {
	if !p.at("(") || p.peek(1).kind != str {
		return "", false
	}
	ok = p.attempt(func() {
		for p.advance(); !p.at(")"); p.advance() {
			text, err := strconv.Unquote(p.tok.text)
			if p.tok.kind != str || err != nil {
				p.fail(p.tok.pos, Syntax, "expected a string, found %s", p.tok.describe())
			}
			name += text
		}
		p.advance()
	})
	return name, ok
}

// bracketed reads [[…]].
func (p *parser) bracketed(a *attrs) {
	p.advance()
	p.advance()
	how := asStandard
	if p.at("using") {
		p.advance()
		how = scopes[unadorned(p.tok.text)]
		p.advance()
		p.accept(":")
	}
	p.attributeList(a, how, "]", 2)
}

// An attrForm is how an attribute is written. It is 0 in the scope of a vendor whose compilers
// are none of those that are known.
type attrForm uint8

const (
	asGNU      attrForm = 1 << iota // __attribute__((packed))
	asDeclspec                      // __declspec(align(8))
	asStandard                      // [[no_unique_address]]
	inGNU                           // [[gnu::packed]]
	inClang                         // [[clang::matrix_type(2, 2)]]
	inMSVC                          // [[msvc::no_unique_address]]
)

var scopes = map[string]attrForm{"gnu": inGNU, "clang": inClang, "_Clang": inClang, "msvc": inMSVC}

// knownAs are the forms in which GCC 12 and clang 19 know an attribute, of the attributes that they do not
// know in all. They ignore it in the others, with a warning.
var knownAs = map[string]attrForm{
	"packed": asGNU | inGNU, "aligned": asGNU | inGNU, "vector_size": asGNU | inGNU,
	"mode": asGNU | inGNU, "ms_struct": asGNU | inGNU, "scalar_storage_order": asGNU | inGNU,
	"ext_vector_type": asGNU, "align": asDeclspec, "empty_bases": asDeclspec, "layout_version": asDeclspec,
	"no_unique_address": asStandard | inMSVC,
}

// unadorned returns the name of an attribute without the underscores that it may have.
func unadorned(name string) string {
	if len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return name[2 : len(name)-2]
	}
	return name
}

// attributeList reads attributes up to so many closing brackets, and these.
func (p *parser) attributeList(a *attrs, how attrForm, end string, brackets int) {
	for !p.at(end) {
		switch {
		case p.tok.kind == eof:
			p.fail(p.tok.pos, Syntax, "attributes are not closed")
		case p.accept(","):
		case p.tok.kind == ident:
			p.oneAttribute(a, how)
		case p.accept("..."):
		default:
			p.fail(p.tok.pos, Syntax, "expected an attribute, found %s", p.tok.describe())
		}
	}
	for range brackets {
		p.expect(end, "after the attributes")
	}
}

// operand reads a constant in the parentheses after a word.
func (p *parser) operand(word, what string) value {
	p.expect("(", "after "+word)
	v := p.constant(what)
	p.expect(")", "after the "+what)
	return v
}

func (p *parser) oneAttribute(a *attrs, how attrForm) {
	t := p.tok
	p.advance()
	for p.at("::") || p.at(":") { // gnu::packed
		how = scopes[unadorned(t.text)]
		p.advance()
		t = p.tok
		p.advance()
	}
	args := p.at("(")
	name := unadorned(t.text)
	if known, ok := knownAs[name]; how == 0 || ok && known&how == 0 {
		if ok {
			p.warn(t.pos, Ignored, "compilers ignore attribute %s in this form", t.text)
		}
		if args {
			p.skipBalanced()
		}
		return
	}
	switch name {
	case "packed":
		a.packed = true
	case "aligned", "align":
		n := int64(defaultAligned)
		if args {
			p.advance()
			pos := p.tok.pos
			if n = p.alignment(); n == 0 {
				p.fail(pos, BadType, "alignment 0 is not a power of two; only alignas(0) asks for none")
			}
			p.expect(")", "after the alignment")
			args = false
		}
		if a.raise(n, t.pos); how == asDeclspec {
			a.declspec = max(a.declspec, n)
		} else {
			a.others = max(a.others, n)
		}
	case "vector_size", "ext_vector_type":
		v := p.operand(t.text, "vector size")
		args = false
		n, ok := v.int64()
		if !ok || n <= 0 {
			p.fail(t.pos, BadType, "vector of size %s", v)
		}
		if name == "vector_size" {
			a.vectorSize = n
		} else {
			a.vectorLen = n
		}
	case "mode":
		if args {
			a.mode = strings.Trim(p.peek(1).text, "_")
		}
	case "launch_bounds":
		a.bounds = p.launchBounds()
		args = false
	case "global":
		a.kernel = true
	case "device":
		a.device = true
	case "no_unique_address":
		switch microsoft := p.opts.Rules.ABI == layout.Microsoft; {
		case how == inMSVC && microsoft:
			p.fail(t.pos, Unsupported, "attribute msvc::%s is not supported", t.text)
		case how == asStandard && !microsoft:
			a.noUnique = true
		}
	case "empty_bases":
		a.emptyBases = true
	case "ms_struct":
		a.msStruct = t.pos
	case "scalar_storage_order", "randomize_layout", "matrix_type", "neon_vector_type", "neon_polyvector_type",
		"arm_sve_vector_bits", "riscv_rvv_vector_bits", "altivec", "layout_version":
		p.fail(t.pos, Unsupported, "attribute %s is not supported", t.text)
	}
	if args && p.at("(") {
		p.skipBalanced()
	}
}

// defaultAligned is what __attribute__((aligned)) without a number means on
// nvptx and on its hosts.
const defaultAligned = 16

// alignment reads what stands in alignas(…): a type or a constant.
func (p *parser) alignment() int64 {
	pos := p.tok.pos
	if p.isType() {
		return p.layoutOf(p.typeName(), pos).Align
	}
	v := p.constant("alignment")
	n, ok := v.int64()
	switch {
	case !ok || n < 0 || n&(n-1) != 0:
		p.fail(pos, BadType, "alignment %s is not a power of two", v)
	case n > 1<<32:
		p.fail(pos, BadType, "alignment %s is too large", v)
	}
	return n
}

// strict refuses an alignas below the alignment of the type that it is for; the
// other attributes lower the alignment, or say nothing.
func (p *parser) strict(a *attrs, t layout.Type) {
	if rec := recordOf(t); !a.alignas.IsValid() || rec != nil && rec.Incomplete {
		return
	}
	if l, err := p.memo.Of(t); err == nil && a.align < l.Align {
		p.fail(a.alignas, BadType, "alignas(%d) is less than the alignment of %s, which is %d", a.align, t, l.Align)
	}
}

// apply changes t as the attributes of its declaration ask for.
func (p *parser) apply(t layout.Type, a *attrs, pos Pos) layout.Type {
	if a.mode != "" {
		t = p.mode(t, a.mode, pos)
	}
	if a.vectorSize == 0 && a.vectorLen == 0 {
		return t
	}
	elem, ok := layout.Unalias(t).(layout.Scalar)
	if !ok || elem.Complex || elem.Kind == layout.Void {
		p.fail(pos, BadType, "vector of %s", t)
	}
	n := a.vectorLen
	if n == 0 {
		size := p.layoutOf(elem, pos).Size
		if a.vectorSize%size != 0 {
			p.fail(pos, BadType, "vector of %d bytes is not a multiple of %s", a.vectorSize, t)
		}
		n = a.vectorSize / size
	}
	a.vectorSize, a.vectorLen = 0, 0
	return &layout.Vector{Elem: t, Len: n}
}

// mode implements GCC's mode attribute.
func (p *parser) mode(t layout.Type, mode string, pos Pos) layout.Type {
	s, ok := layout.Unalias(t).(layout.Scalar)
	if !ok {
		p.fail(pos, BadType, "mode attribute on %s", t)
	}
	of := "float "
	switch {
	case s.Integer() && s.Signed():
		of = "signed "
	case s.Integer():
		of = "unsigned "
	}
	if text, ok := builtinModes.of(of + mode); ok {
		kind, _ := layout.Unalias(p.fromText("mode", text)).(layout.Scalar)
		return layout.Scalar{Kind: kind.Kind, Complex: s.Complex}
	}
	p.fail(pos, Unsupported, "mode %s of %s is not supported", mode, t)
	return nil
}

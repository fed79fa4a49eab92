package gotypes

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Tag is what the tag of a field says. The zero Tag says nothing.
type Tag struct {
	Align int64  // 0 means none
	Type  string // a type of CUDA that the field stands for
	Ptr   bool   // a device pointer
	Space string // that it leads to: global, shared, local, const, param, or "" for generic
	Bits  []Bit
	Union []Alternative
	Name  string // the field's name in C; "" means Go's
}

// A Bit is a bit-field of an integer, the lowest first.
type Bit struct {
	Name   string // "" for padding
	Width  int64
	Signed bool
}

// An Alternative is a member of a union.
type Alternative struct {
	Name string
	Type string // Go's, or one of CUDA's vectors
}

// Element is the type that a tag is about, of a field of a type: of an array, that of its elements, and its dimensions,
// the outer one first. A union is an array of bytes itself.
func (t *Tag) Element(of types.Type) (elem types.Type, dims []int64) {
	for elem = of; ; {
		a, ok := elem.Underlying().(*types.Array)
		if !ok {
			return elem, dims
		}
		if _, more := a.Elem().Underlying().(*types.Array); t.Union != nil && !more {
			return elem, dims
		}
		elem, dims = a.Elem(), append(dims, a.Len())
	}
}

// ParseTag reads the "ptxabi" key of a tag.
func ParseTag(tag string) (Tag, error) {
	var t Tag
	text, ok := reflect.StructTag(tag).Lookup("ptxabi")
	if !ok {
		if strings.Contains(tag, "ptxabi:") {
			return t, fmt.Errorf("tag %q is not of the form `ptxabi:\"…\"`", tag)
		}
		return t, nil
	}
	seen := map[string]bool{}
	for opt := range strings.SplitSeq(text, ",") {
		key, _, _ := strings.Cut(opt, "=")
		if seen[key] {
			return t, fmt.Errorf("tag %q says %s twice", text, key)
		}
		seen[key] = true
		if err := t.option(opt); err != nil {
			return t, err
		}
	}
	if len(t.Bits) > 0 && (len(t.Union) > 0 || t.Ptr || t.Type != "") ||
		len(t.Union) > 0 && (t.Ptr || t.Type != "") || t.Ptr && t.Type != "" {
		return t, fmt.Errorf("tag %q: bits, union, ptr and type exclude each other", text)
	}
	return t, nil
}

func (t *Tag) option(opt string) (err error) {
	key, value, given := strings.Cut(opt, "=")
	switch key {
	case "align":
		if t.Align = alignment(value); t.Align == 0 {
			return fmt.Errorf("tag %q is not align=N with a power of two", opt)
		}
	case "type":
		if value == "" {
			return fmt.Errorf("tag %q names no type", opt)
		}
		t.Type = value
	case "ptr":
		t.Ptr, t.Space = true, value
		if given && !slices.Contains(spaces, value) {
			return fmt.Errorf("tag %q: %q is none of %s", opt, value, strings.Join(spaces, ", "))
		}
	case "name":
		if !isIdent(value) {
			return fmt.Errorf("tag %q: %q is not a name of C", opt, value)
		}
		t.Name = value
	case "bits":
		t.Bits, err = bits(value)
	case "union":
		t.Union, err = union(value)
	default:
		return fmt.Errorf("tag %q is none of align=N, type=NAME, ptr, ptr=SPACE, bits=…, union=…, name=NAME", opt)
	}
	return err
}

// spaces are the state spaces that a pointer may lead to.
var spaces = []string{"global", "shared", "local", "const", "param"}

func isIdent(s string) bool {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

// alignment reads a power of two, and returns 0 for anything else.
func alignment(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n <= 0 || n&(n-1) != 0 {
		return 0
	}
	return n
}

func bits(list string) ([]Bit, error) {
	var out []Bit
	seen := map[string]bool{}
	for f := range strings.SplitSeq(list, "|") {
		name, width, _ := strings.Cut(f, ":")
		n, err := strconv.ParseInt(width, 10, 8)
		b := Bit{Name: name, Width: max(n, -n), Signed: n < 0}
		switch {
		case err != nil || n == 0 || b.Width > 64 || name != "" && !isIdent(name):
			return nil, fmt.Errorf("bit-field %q is not name:width, or name:-width of a signed one", f)
		case name != "" && seen[name]:
			return nil, fmt.Errorf("there are two bit-fields %s", name)
		}
		seen[name] = true
		out = append(out, b)
	}
	if len(seen) == 1 && seen[""] { // C aligns nothing to one without a name
		return nil, fmt.Errorf("no bit-field of %q has a name; a field _ without a tag is padding", list)
	}
	return out, nil
}

func union(list string) ([]Alternative, error) {
	var out []Alternative
	seen := map[string]bool{}
	for f := range strings.SplitSeq(list, "|") {
		name, typ, _ := strings.Cut(f, ":")
		if !isIdent(name) || typ == "" {
			return nil, fmt.Errorf("member %q of the union is not name:type", f)
		}
		if seen[name] {
			return nil, fmt.Errorf("there are two members %s in the union", name)
		}
		seen[name] = true
		out = append(out, Alternative{Name: name, Type: typ})
	}
	return out, nil
}

// A Directive is what the comment of a type says. The zero Directive says
// nothing.
type Directive struct {
	Align  int64
	Packed bool
	Type   string // a type of CUDA that this one stands for
	Ptr    bool
	Space  string
	Header string // a file, relative to the one that has the comment
	Record string // of Header; "" means the type's own name
}

// directive returns what stands after "//ptxabi:" in a comment, and whether it
// is such a one. One with a space before it, as prose has, is where it would be
// one without.
func directive(comment *ast.Comment) (text string, spaced, ok bool) {
	if text, ok = strings.CutPrefix(comment.Text, "//ptxabi:"); ok {
		return text, false, true
	}
	text, ok = strings.CutPrefix(comment.Text, "// ptxabi:")
	return text, ok, ok && new(Directive).parseText(text) == nil
}

// parse reads one comment, "//ptxabi:…". Others are not directives.
func (d *Directive) parse(comment *ast.Comment) error {
	text, spaced, ok := directive(comment)
	switch {
	case !ok:
		return nil
	case spaced:
		return fmt.Errorf("a space makes this a comment like others; //ptxabi:%s is meant", text)
	}
	return d.parseText(text)
}

// parseText reads what stands after "//ptxabi:".
func (d *Directive) parseText(text string) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return fmt.Errorf("a directive without a name")
	}
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	most := 2
	switch words[0] {
	case "align":
		if d.Align = alignment(arg(1)); d.Align == 0 {
			return fmt.Errorf("alignment %s is not a power of two", arg(1))
		}
	case "packed":
		d.Packed, most = true, 1
	case "type":
		if d.Type = arg(1); d.Type == "" {
			return fmt.Errorf("//ptxabi:type names no type")
		}
	case "ptr":
		d.Ptr, d.Space = true, arg(1)
		if d.Space != "" && !slices.Contains(spaces, d.Space) {
			return fmt.Errorf("//ptxabi:ptr %s: not one of %s", d.Space, strings.Join(spaces, ", "))
		}
	case "header":
		if d.Header, d.Record = arg(1), arg(2); d.Header == "" {
			return fmt.Errorf("//ptxabi:header names no file")
		}
		most = 3
	default:
		return fmt.Errorf("//ptxabi:%s is none of align, packed, type, ptr, header", words[0])
	}
	if len(words) > most {
		return fmt.Errorf("//ptxabi:%s: %q is too much", words[0], strings.Join(words[most:], " "))
	}
	return nil
}

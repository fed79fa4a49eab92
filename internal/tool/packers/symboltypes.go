package packers

import (
	"cmp"
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/layout"
)

// A namedType is what the symbol of a kernel says of a parameter. The zero namedType is nothing.
type namedType struct {
	text string         // in C++
	by   string         // what says so
	l    *layout.Layout // nil where the name is all that is known
}

// namedTypes are the types that a kernel's symbol names, if they have the sizes of its parameters: a symbol may be
// that of another function. Without a mangled symbol, they are those that are known otherwise.
func (g *generator) namedTypes(c *callable, sizes []int64, known knownParams) []namedType {
	out := make([]namedType, len(sizes))
	texts, by := cxxname.Params(c.symbol), "the symbol"
	if texts == nil {
		by = cmp.Or(g.Names, "debug information")
		texts = each(known, func(p verify.Known) string { return p.Type })
	}
	if len(texts) != len(sizes) {
		return out
	}
	for i, text := range texts {
		l := g.namedType(text, sizes[i])
		if l != nil && l.Size != sizes[i] {
			return make([]namedType, len(sizes))
		}
		out[i] = namedType{text, by, l}
	}
	return out
}

// namedType lays out a type of C++ by its name; nil if it is not one of those that need no header. A long has the
// size of the parameter, which is that of the host where nvcc ran.
func (g *generator) namedType(text string, size int64) *layout.Layout {
	var t layout.Type = &layout.Pointer{Elem: layout.Scalar{Kind: layout.Void}}
	var first *layout.Layout
	for _, rules := range []layout.Rules{layout.LP64.NVCC(), layout.LLP64.NVCC()} {
		if !strings.HasSuffix(text, "*") {
			u, _ := cdecl.Parse("", nil, cdecl.Options{Rules: rules, Partial: true, Named: []string{text}})
			if t = u.Named[text]; t == nil {
				return nil
			}
		}
		l, err := layout.Of(t, rules)
		switch {
		case err != nil:
			return nil
		case first == nil:
			first = &l
		}
		s, ok := layout.Unalias(t).(layout.Scalar)
		if l.Size == size {
			if kinds, sized := sizedKinds[size]; ok && sized && s.Integer() { // a long has another size elsewhere
				l.Type = layout.Scalar{Kind: kinds[0]}
				if s.Signed() {
					l.Type = layout.Scalar{Kind: kinds[1]}
				}
			}
			return &l
		}
		if !ok {
			break
		}
	}
	return first
}

// sizedKinds are the integers that have a size everywhere: without a sign, and with one.
var sizedKinds = map[int64][2]layout.Kind{4: {layout.UInt, layout.Int}, 8: {layout.ULongLong, layout.LongLong}}

// value is the value of a parameter of the type; nil where it is not known, or PTX declares another kind of number.
func (n *namedType) value(g *generator, u *unit, s *slot) *value {
	if n.l == nil {
		return nil
	}
	f := &fieldMaker{in: &cInput{g: g, u: u}, pos: s.at}
	var v *value
	switch t := layout.Unalias(n.l.Type).(type) {
	case layout.Scalar, *layout.Pointer:
		v = f.value(n.l, "")
	case *layout.Record:
		if t.Name != "" {
			v = vector(n.l)
		}
	}
	if v == nil || s.float && v.kind != float || s.integer && v.kind == float {
		return nil
	}
	v.made = n.l.Type
	return v
}

// contradicts says how a type of Go is not the one that the symbol names; "" where it may be.
func (n *namedType) contradicts(in *goInput, gt types.Type, l *layout.Layout) string {
	cuda, other := in.cudaName(gt, l), n.by+" says that it is "+n.text
	if half, ok := halves[n.text]; ok && cuda != "" {
		if half != cuda {
			return other
		}
		return ""
	}
	if n.l != nil {
		same := slices.EqualFunc(parts(n.l), parts(l), func(a, b part) bool { return a.bit == b.bit && a.width == b.width && sameKind(a.kind, b.kind) })
		_, number := layout.Unalias(n.l.Type).(layout.Scalar)
		_, record := layout.Unalias(l.Type).(*layout.Record)
		switch {
		case !same || cuda != "" && cuda != recordName(n.l.Type):
			return other
		case number && record:
			return "it is a struct, and " + n.by + " says that the parameter is " + n.text
		}
		return ""
	}
	if cuda != "" && className().MatchString(n.text) {
		return other
	}
	named, ok := types.Unalias(gt).(*types.Named)
	if _, record := gt.Underlying().(*types.Struct); n.text == "" || !ok || !record {
		return ""
	}
	name := named.Obj().Name()
	full, args, _ := strings.Cut(n.text, "<")
	plain := full[strings.LastIndex(full, ":")+1:]
	if d := in.l.reader.Directive(named.Obj()); d.Record != "" {
		if strings.Contains(d.Record, "::") && strings.Contains(full, "::") && !strings.HasSuffix("::"+full, "::"+d.Record) {
			return fmt.Sprintf("%s says that it is %s, and its comment //ptxabi:header that it is %s", n.by, n.text, d.Record)
		}
		name = d.Record[strings.LastIndex(d.Record, ":")+1:]
	} else if other, ok := in.meant[named.Obj()]; ok && !strings.HasSuffix("::"+full, "::"+other) && !strings.HasSuffix("::"+other, "::"+full) && alike(plain, name) {
		return fmt.Sprintf("%s says that it is %s, and the same type is given for %s; a comment //ptxabi:header names the record that a type is", n.by, n.text, other)
	}
	if alike(plain, name) || alike(goName(plain+inWords(args)), name) {
		if in.meant == nil {
			in.meant = map[*types.TypeName]string{}
		}
		in.meant[named.Obj()] = full
		return ""
	}
	return fmt.Sprintf("%s says that it is %s; a struct of that name is meant, or one with a comment //ptxabi:header that names it", n.by, n.text)
}

// halves are the numbers of C++ that have the format of a record of CUDA.
var halves = map[string]string{"_Float16": "__half", "std::bfloat16_t": "__nv_bfloat16"}

// className matches the name of a class or an enumeration.
var className = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w:$]+(<.*>)?$`) })

// cudaName is the name of the record of CUDA that a type of Go is, or stands for by its comment; "" of others.
func (in *goInput) cudaName(gt types.Type, l *layout.Layout) string {
	named, ok := types.Unalias(gt).(*types.Named)
	if !ok {
		return recordName(l.Type)
	}
	if d := in.l.reader.Directive(named.Obj()); d.Type != "" {
		if l := in.g.namedType(d.Type, l.Size); l != nil {
			return recordName(l.Type)
		}
	}
	return ""
}

// recordName is the name of a record; "" of other types.
func recordName(t layout.Type) string {
	if r, ok := layout.Unalias(t).(*layout.Record); ok {
		return r.Name
	}
	return ""
}

// comment is what the comment of a field says: what the file declares, and the type that the symbol names.
func (n *namedType) comment(text string) string {
	if n.text == "" {
		return text
	}
	return n.text + ", " + text
}

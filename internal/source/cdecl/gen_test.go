package cdecl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A genRecord is a random record, kept as a tree so that it can be reduced.
type genRecord struct {
	kind    string
	name    string // empty for one that is a member
	attrs   []string
	pack    int
	bases   []*genRecord
	members []*genMember

	flexible bool // ends with a flexible array, or contains one that does
	class    bool // C++: not an aggregate
}

// A genMember is one member declaration; its type is either inner or text.
type genMember struct {
	before, after string // around the type and the name, or the whole text
	inner         *genRecord
	uses          []*genRecord
}

func (r *genRecord) write(b *strings.Builder) {
	if r.pack > 0 {
		fmt.Fprintf(b, "#pragma pack(push, %d)\n", r.pack)
	}
	b.WriteString(r.kind + " ")
	for _, a := range r.attrs {
		b.WriteString(a + " ")
	}
	b.WriteString(r.name)
	for i, base := range r.bases {
		sep := ", "
		if i == 0 {
			sep = " : "
		}
		b.WriteString(sep + "public " + base.name)
	}
	b.WriteString(" { ")
	for _, m := range r.members {
		b.WriteString(m.before)
		if m.inner != nil {
			m.inner.write(b)
		}
		b.WriteString(m.after + " ")
	}
	b.WriteString("}")
	if r.name != "" {
		b.WriteString(";\n")
	}
	if r.pack > 0 {
		b.WriteString("#pragma pack(pop)\n")
	}
}

// source writes r after everything it uses, each once.
func (r *genRecord) source(b *strings.Builder, done map[*genRecord]bool) {
	if done[r] {
		return
	}
	done[r] = true
	var uses func(r *genRecord)
	uses = func(r *genRecord) {
		for _, base := range r.bases {
			base.source(b, done)
		}
		for _, m := range r.members {
			for _, u := range m.uses {
				u.source(b, done)
			}
			if m.inner != nil {
				uses(m.inner)
			}
		}
	}
	uses(r)
	r.write(b)
}

// reductions calls try for every record that is r with something left out,
// undoing each change that try does not accept.
func (r *genRecord) reductions(try func() bool) (any bool) {
	any = without(&r.members, try)
	any = without(&r.bases, try) || any
	any = without(&r.attrs, try) || any
	if pack := r.pack; pack != 0 {
		if r.pack = 0; try() {
			any = true
		} else {
			r.pack = pack
		}
	}
	for _, b := range r.bases {
		any = b.reductions(try) || any
	}
	for _, m := range r.members {
		if m.inner != nil {
			any = m.inner.reductions(try) || any
		}
		for _, u := range m.uses {
			any = u.reductions(try) || any
		}
	}
	return any
}

// without leaves out each element that try accepts the lack of.
func without[T any](list *[]T, try func() bool) (left bool) {
	for i := 0; i < len(*list); {
		old := *list
		if *list = slices.Concat(old[:i], old[i+1:]); try() {
			left = true
			continue
		}
		*list = old
		i++
	}
	return left
}

// A generator makes random records that clang accepts.
type generator struct {
	*rand.Rand
	cxx  bool
	ms   bool
	ilp  bool
	nv   bool // what NVIDIA's front end accepts
	recs []*genRecord
	n    int
	name int
}

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// preamble declares what generated records use.
func (g *generator) preamble() string {
	s := `enum e_u { e_u0, e_u1 }; enum e_s { e_sn = -1 }; enum e_l { e_l0 = 0x100000000LL };
enum __attribute__((packed)) e_p { e_p0 };
enum __attribute__((aligned(8))) e_a8 { e_a80 }; enum __attribute__((aligned(2))) e_a2 { e_a20 };
`
	if !g.nv {
		s += `typedef float v2f __attribute__((vector_size(8))); typedef int v4i __attribute__((ext_vector_type(4)));
typedef double v3d __attribute__((ext_vector_type(3))); typedef char v4c __attribute__((vector_size(4)));
typedef short v3s __attribute__((ext_vector_type(3)));
`
	}
	s += `typedef int int_a16 __attribute__((aligned(16))); typedef int int_a1 __attribute__((aligned(1)));
typedef char char_a4 __attribute__((aligned(4))); typedef double dbl_a2 __attribute__((aligned(2)));
typedef unsigned long ulong_t; typedef ulong_t nested_t; typedef int arr_t[3];
`
	if !g.cxx {
		s += "struct At { char a[3]; };\n"
	}
	if g.cxx {
		s += "enum class e_c : short { a }; enum e_f : unsigned char { e_f0 };\n"
	}
	return s
}

func (g *generator) scalar() string {
	list := []string{
		"char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long",
		"long long", "unsigned long long", "float", "double", "long double", "char", "int", "_Float16", "enum e_u", "enum e_s",
		"enum e_l", "enum e_p", "enum e_a8", "enum e_a2", "v2f", "v4i", "v3d", "v4c", "v3s", "nested_t", "ulong_t", "arr_t",
		"int_a16", "int_a1", "char_a4", "dbl_a2", "void *", "const char *",
	}
	if g.ms {
		list = list[:15]
		list = append(list, "enum e_u", "enum e_a8", "enum e_a2", "v2f", "v4i", "int_a16", "int_a1", "char_a4", "dbl_a2", "void *", "const char *")
	}
	if g.nv {
		list = list[:15]
		list = append(list, "bool", "wchar_t", "char16_t", "char32_t", "e_c", "e_f", "enum e_u", "enum e_s", "enum e_l", "enum e_p",
			"enum e_a8", "enum e_a2", "__int128", "int_a16", "int_a1", "char_a4", "dbl_a2", "void *", "const char *", "arr_t", "nested_t")
		return pick(g, list)
	}
	if !g.ms {
		list = append(list, "__bf16")
		if !g.ilp {
			list = append(list, "__int128", "unsigned __int128")
		}
	}
	if g.cxx {
		list = append(list, "bool", "wchar_t", "char16_t", "char32_t")
		if !g.ms {
			list = append(list, "e_c", "e_f")
		}
	} else {
		list = append(list, "_Bool", "_Complex float", "_Complex double", "_Atomic int", "_Atomic(char)",
			"_Atomic(struct At)", "_Atomic(_Complex float)", "const int")
		if !g.ms {
			list = append(list, "_BitInt(7)", "unsigned _BitInt(17)", "_BitInt(37)", "_BitInt(100)", "_Complex char")
		}
	}
	return pick(g, list)
}

// bitField returns a type and its greatest width.
func (g *generator) bitField() (string, int) {
	long := 64
	if g.ms || g.ilp {
		long = 32
	}
	type bf struct {
		t string
		n int
	}
	list := []bf{
		{"char", 8},
		{"signed char", 8},
		{"unsigned char", 8},
		{"short", 16},
		{"unsigned short", 16},
		{"int", 32},
		{"unsigned int", 32},
		{"int", 32},
		{"unsigned int", 32},
		{"long", long},
		{"unsigned long", long},
		{"long long", 64},
		{"unsigned long long", 64},
		{"enum e_u", 32},
	}
	if !g.ms {
		list = append(list, bf{"enum e_p", 8}, bf{"enum e_a8", 32}, bf{"enum e_a2", 32}, bf{"int_a16", 32}, bf{"int_a1", 32}, bf{"ulong_t", long}, bf{"enum e_l", 64})
		if !g.ilp {
			list = append(list, bf{"__int128", 128})
		}
	}
	if g.cxx {
		list = append(list, bf{"bool", 8})
	} else {
		list = append(list, bf{"_Bool", 1})
		if !g.ms {
			list = append(list, bf{"_BitInt(17)", 17}, bf{"unsigned _BitInt(5)", 5})
		}
	}
	b := pick(g, list)
	if g.cxx {
		b.t = strings.TrimPrefix(b.t, "enum ")
	}
	return b.t, b.n
}

func (g *generator) fresh() string {
	g.name++
	return fmt.Sprintf("f%d", g.name)
}

func (g *generator) memberAttr() string {
	switch g.IntN(12) {
	case 0:
		return fmt.Sprintf("__attribute__((aligned(%d))) ", 1<<g.IntN(7))
	case 1:
		if !g.ms {
			return "__attribute__((packed)) "
		}
	case 2:
		if !g.ms {
			return fmt.Sprintf("__attribute__((packed, aligned(%d))) ", 1<<g.IntN(4))
		}
	}
	return ""
}

func (g *generator) dims() string {
	switch g.IntN(10) {
	case 0:
		return fmt.Sprintf("[%d]", g.IntN(5))
	case 1:
		return fmt.Sprintf("[%d]", 1+g.IntN(9))
	case 2:
		return fmt.Sprintf("[%d][%d]", 1+g.IntN(3), 1+g.IntN(3))
	}
	return ""
}

func (g *generator) member(r *genRecord, depth int, last bool) *genMember {
	name := g.fresh()
	attr := g.memberAttr()
	nua := ""
	if g.cxx && !g.ms && !g.nv && r.kind != "union" && g.chance(8) {
		nua = "[[no_unique_address]] "
	}
	switch k := g.IntN(20); {
	case k < 6 && g.chance(70):
		t, n := g.bitField()
		width := 1 + g.IntN(n)
		switch {
		case g.chance(12):
			return &genMember{before: fmt.Sprintf("%s :0;", t)}
		case g.chance(12):
			return &genMember{before: fmt.Sprintf("%s :%d;", t, width)}
		case g.cxx && !g.ms && !g.nv && g.chance(4):
			width = n + g.IntN(70)
		}
		return &genMember{before: fmt.Sprintf("%s%s %s : %d;", attr, t, name, width)}
	case k < 9 && len(g.recs) > 0:
		u := pick(g, g.recs)
		if u.flexible || r.kind == "union" && u.class {
			break
		}
		if k == 6 {
			return &genMember{before: fmt.Sprintf("%s *%s;", u.name0(g), name), uses: []*genRecord{u}}
		}
		d := g.dims()
		if g.ms {
			d = "" // #pragma pack makes sizes that are not multiples of the alignment
		}
		if d != "" {
			nua = ""
		}
		return &genMember{before: nua + attr + u.name0(g) + " " + name + d + ";", uses: []*genRecord{u}}
	case k < 11 && depth < 3:
		inner := g.record(depth + 1)
		switch {
		case inner.class:
		case g.chance(50):
			return &genMember{before: attr, inner: inner, after: ";"}
		default:
			d := g.dims()
			if g.ms {
				d = ""
			}
			return &genMember{before: attr, inner: inner, after: " " + name + d + ";"}
		}
	case k == 11 && g.chance(30):
		return &genMember{before: fmt.Sprintf("int (*%s)(int, char *);", name)}
	case k == 12 && g.cxx && g.chance(30) && r.kind != "union":
		r.class = true
		return &genMember{before: fmt.Sprintf("int &%s;", name)}
	case k == 13 && last && depth == 0 && len(r.members) > 0 && r.kind != "union" && !g.ms && !g.cxx:
		r.flexible = true
		return &genMember{before: fmt.Sprintf("%s %s[];", pick(g, []string{"int", "char", "double"}), name)}
	}
	t := g.scalar()
	d := g.dims()
	if strings.Contains(t, "_a") || t == "arr_t" {
		d = ""
	}
	return &genMember{before: fmt.Sprintf("%s%s %s%s;", attr, t, name, d)}
}

// name0 names a record as the language does.
func (r *genRecord) name0(g *generator) string {
	if g.cxx {
		return r.name
	}
	return r.kind + " " + r.name
}

func (g *generator) record(depth int) *genRecord {
	r := &genRecord{kind: "struct"}
	if g.chance(15) {
		r.kind = "union"
	} else if g.cxx && depth == 0 && g.chance(15) {
		r.kind = "class"
		r.class = true
	}
	switch g.IntN(10) {
	case 0:
		r.attrs = append(r.attrs, "__attribute__((packed))")
	case 1:
		r.attrs = append(r.attrs, fmt.Sprintf("__attribute__((aligned(%d)))", 1<<g.IntN(7)))
	case 2:
		r.attrs = append(r.attrs, fmt.Sprintf("__attribute__((packed, aligned(%d)))", 1<<g.IntN(5)))
	}
	if depth == 0 && g.chance(12) {
		r.pack = 1 << g.IntN(5)
	}
	if depth == 0 {
		g.n++
		r.name = fmt.Sprintf("S%d", g.n)
	}
	if g.cxx && depth == 0 && r.kind != "union" && len(g.recs) > 0 && g.chance(35) {
		for range 1 + g.IntN(3) {
			base := pick(g, g.recs)
			if base.kind != "union" && !base.flexible && !r.has(base) {
				r.bases = append(r.bases, base)
				r.class = true
			}
		}
	}
	n := g.IntN(7)
	if g.cxx && g.chance(15) {
		n = 0
	}
	if n == 0 && depth > 0 && (g.cxx || g.ms) {
		n = 1
	}
	for i := range n {
		r.members = append(r.members, g.member(r, depth, i == n-1))
	}
	if g.cxx && depth == 0 && r.kind == "struct" && len(r.members) > 0 && g.chance(10) {
		r.class = true
		extra := pick(g, []string{
			r.name + "(const char *);", "private: int p1; public:", r.name + " &operator=(const " + r.name + " &);", "protected: char p2;",
			r.name + "() = default;", r.name + "(const " + r.name + " &) = default;", r.name + " &operator=(" + r.name + " &&);", "~" + r.name + "();", "int p3 = 1;", "void f() const { int x; }", "static int s;",
		})
		r.members = append(r.members, &genMember{before: extra})
	}
	return r
}

// has reports whether b is a direct base already.
func (r *genRecord) has(b *genRecord) bool { return slices.Contains(r.bases, b) }

// batch makes n records, some of which use earlier ones.
func (g *generator) batch(n int) []*genRecord {
	g.recs = nil
	for range n {
		r := g.record(0)
		g.recs = append(g.recs, r)
	}
	return g.recs
}

package producers

import (
	"fmt"
	"slices"
	"strings"
)

// A Case is a type that is passed.
type Case struct {
	Name string // a C identifier
	Decl string // what declares it; "" for what the language has
	Type string // as it is written in a parameter list
	CXX  bool   // C does not have it
	Only string // the one language that is asked for it; "" for all
}

// Cases are all types that are asked for.
func Cases() []Case {
	var all []Case
	add := func(name, decl, typ string) {
		all = append(all, Case{Name: name, Decl: decl, Type: typ})
	}
	// Scalars
	for _, s := range []string{
		"char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "long long",
		"float", "double", "int *",
	} {
		add(strings.NewReplacer(" *", "_ptr", " ", "_").Replace(s), "", s)
	}
	add("boolean", "", "BOOL")
	add("enum_int", "enum enum_int_e { enum_int_a, enum_int_b };", "enum enum_int_e")
	// Small floats
	add("float16", "", "_Float16")
	add("bfloat16", "", "__bf16")
	add("half_record", "struct __attribute__((aligned(2))) half_record { unsigned short x; };", "struct half_record")
	add("half2_record", "struct __attribute__((aligned(4))) half2_record { struct half_record x, y; };", "struct half2_record")
	// Wide and complex
	add("int128", "", "__int128")
	add("uint128", "", "unsigned __int128")
	add("complex_float", "", "_Complex float")
	add("complex_double", "", "_Complex double")
	add("long_double", "", "long double")
	// Vectors
	for _, v := range []struct {
		elem string
		size int
	}{{"char", 2}, {"char", 4}, {"short", 4}, {"int", 8}, {"float", 8}, {"float", 16}, {"double", 16}, {"int", 32}} {
		name := fmt.Sprintf("ext_%s_%d", v.elem, v.size)
		add(name, fmt.Sprintf("typedef %s %s __attribute__((vector_size(%d)));", v.elem, name, v.size), name)
	}
	record := func(name, body string) {
		add(name, "struct "+name+" { "+body+" };", "struct "+name)
	}
	aligned := func(name, body string, n int) {
		add(name, fmt.Sprintf("struct __attribute__((aligned(%d))) %s { %s };", n, name, body), "struct "+name)
	}
	aligned("rec_float2", "float x, y;", 8)
	record("rec_float3", "float x, y, z;")
	aligned("rec_float4", "float x, y, z, w;", 16)
	// Records by size
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 32, 64, 128, 129, 160} {
		record(fmt.Sprintf("bytes_%d", n), fmt.Sprintf("char c[%d];", n))
	}
	for _, n := range []int{1, 3, 4, 65} {
		record(fmt.Sprintf("shorts_%d", n), fmt.Sprintf("short c[%d];", n))
	}
	for _, n := range []int{1, 2, 3, 4, 8, 33} {
		record(fmt.Sprintf("ints_%d", n), fmt.Sprintf("int c[%d];", n))
	}
	for _, n := range []int{1, 2, 3, 16} {
		record(fmt.Sprintf("longs_%d", n), fmt.Sprintf("long long c[%d];", n))
	}
	record("empty", "")
	// Records by alignment
	for _, n := range []int{8, 16, 32, 64, 128} {
		aligned(fmt.Sprintf("int_at_%d", n), "int x;", n)
	}
	aligned("char_at_2", "char x;", 2)
	aligned("ints_at_16", "int x[5];", 16)
	packed := func(name, body string) {
		add(name, "struct __attribute__((packed)) "+name+" { "+body+" };", "struct "+name)
	}
	packed("packed_char_int", "char c; int i;")
	packed("packed_int_double", "int i; double d;")
	packed("packed_three", "char a; short b;")
	for _, p := range [][3]string{ // which packing does not change
		{"packed_longs", "packed", "long long a[2];"},
		{"packed_pointer_long", "packed", "int *p; long long n;"},
		{"packed_at_8", "packed, aligned(8)", "long long a[2];"},
		{"packed_in_record", "", "struct packed_longs a;"},
	} {
		attribute := ""
		if p[1] != "" {
			attribute = "__attribute__((" + p[1] + ")) "
		}
		all = append(all, Case{Name: p[0], Decl: "struct " + attribute + p[0] + " { " + p[2] + " };", Type: "struct " + p[0], Only: "cuda"})
	}
	// Records of fields
	record("one_float", "float f;")
	record("one_double", "double d;")
	record("one_pointer", "int *p;")
	record("double_char", "double d; char c;")
	record("char_short_int", "char c; short s; int i;")
	record("pointer_int", "int *p; int n;")
	record("nested", "struct double_char a; char b;")
	record("array_in_record", "char c[3]; int i[2];")
	record("records_in_record", "struct char_short_int a[2];")
	record("int128_in_record", "__int128 x; int y;")
	record("booleans", "BOOL a, b, c;")
	// Unions and bit-fields
	union := func(name, body string) {
		add(name, "union "+name+" { "+body+" };", "union "+name)
	}
	union("union_int_double", "int i; double d;")
	union("union_float_int", "float f; int i;")
	union("union_bytes_short", "char c[5]; short s;")
	record("bits_int", "int a : 3; int b : 7;")
	record("bits_long", "long long a : 33; char c;")
	record("bits_char", "unsigned char a : 3;")
	record("bits_wide", "int a : 20; int b : 20; int c : 20;")
	// Classes of C++
	class := func(name, decl string) {
		all = append(all, Case{Name: name, Decl: decl, Type: name, CXX: true})
	}
	class("plain_class", "class plain_class { int x; char y; public: D int get() { return x; } };")
	class("derived", "struct derived_base { int x; char y; protected: short z; }; struct derived : derived_base { char w; };")
	class("empty_class", "class empty_class {};")
	class("copied", "struct copied { int x[3]; D copied(); D copied(const copied &); D copied &operator=(const copied &); };")
	class("destroyed", "struct destroyed { int x[3]; D ~destroyed(); };")
	class("moved", "struct moved { int x[3]; D moved(); D moved(moved &&); moved(const moved &) = default; moved &operator=(const moved &) = default; };")
	class("constructed", "struct constructed { int x[3]; D constructed(); D constructed(int); };")
	class("member_function", "typedef void (empty_class::*member_function)();")
	class("member_data", "typedef int empty_class::*member_data;")
	add("variadic", "", "int")
	// CUDA's own, and Warp's own
	for _, typ := range []string{
		"__half", "__half2", "__nv_bfloat16", "__nv_bfloat162", "__nv_fp8_e4m3", "char2", "uchar4", "short2", "short4", "int2", "int3", "int4", "longlong2",
		"float1", "float2", "float3", "float4", "double2", "double3", "cuComplex", "cuDoubleComplex", "dim3",
	} {
		all = append(all, Case{Name: "cuda_" + strings.TrimLeft(typ, "_"), Type: typ, CXX: true, Only: "headers"})
	}
	for _, o := range warpOwn {
		name := "warp_" + o[0]
		all = append(all, Case{Name: name, Decl: "struct " + name + " { " + o[1] + " };", Type: "struct " + name, Only: "warp"})
	}
	return all
}

// warpOwn are the types that Warp has beside those of C, as the records that they are. The last are the bounds of launches
// over 1 to 4 dimensions, which are each kernel's first parameter, and an array: addresses of data and gradients, the
// extents and strides of four dimensions, how many there are, and flags.
var warpOwn = [][2]string{
	{"float16", "unsigned short u;"},
	{"bfloat16", "unsigned short u;"},
	{"vec2", "float c[2];"},
	{"vec3", "float c[3];"},
	{"vec4", "float c[4];"},
	{"vec3h", "unsigned short c[3];"},
	{"vec4ub", "unsigned char c[4];"},
	{"vec2d", "double c[2];"},
	{"vec7", "float c[7];"},
	{"mat22", "float c[2][2];"},
	{"mat33", "float c[3][3];"},
	{"mat44", "float c[4][4];"},
	{"mat33d", "double c[3][3];"},
	{"quat", "float x, y, z, w;"},
	{"quatd", "double x, y, z, w;"},
	{"transform", "float p[3]; float q[4];"},
	{"spatial_vector", "float c[6];"},
	{"spatial_matrix", "float c[6][6];"},
	{"tid_1", "unsigned shape[1]; unsigned long size, coord_mult;"},
	{"tid_2", "unsigned shape[2]; unsigned long size, coord_mult;"},
	{"tid_3", "unsigned shape[3]; unsigned long size, coord_mult;"},
	{"tid_4", "unsigned shape[4]; unsigned long size, coord_mult;"},
	{"array", "void *data, *grad; int shape[4], strides[4]; unsigned short ndim, flags;"},
}

// source is C, or C++ with kernels.
func source(cases []Case, kernels bool) string {
	var b strings.Builder
	b.WriteString(Declared(cases...))
	for _, c := range cases {
		r := strings.NewReplacer("$T", c.Type, "$", c.Name)
		if c.Name == "variadic" {
			r.WriteString(&b, `X D void ae_$_Z(int *, ...);
X D void ad_$_Z(int *p, ...) { *p = 1; }
X D void ac_$_Z(int *p) { ae_$_Z(p, *p, 1.0, p); }
`)
			continue
		}
		r.WriteString(&b, `X D void ad_$_Z($T *p, $T x) { *p = x; }
E D void ae_$_Z($T *, $T);
X D void ac_$_Z($T *p) { ae_$_Z(p, *p); }
static D N void ai_$_Z($T *p, $T x) { *p = x; }
X D void aj_$_Z($T *p, $T *q) { ai_$_Z(p, *q); }
X D $T rd_$_Z($T *p) { return *p; }
E D $T re_$_Z($T *);
X D void rc_$_Z($T *p) { *p = re_$_Z(p); }
static D N $T ri_$_Z($T *p) { return *p; }
X D void rj_$_Z($T *p, $T *q) { *p = ri_$_Z(q); }
`)
		if kernels {
			r.WriteString(&b, "X G void k_$_Z($T *p, $T x) { *p = x; }\n")
		}
	}
	return b.String()
}

// needed reports whether the type of a name is in others.
func needed(name string, cases []Case) bool {
	for _, c := range cases {
		if strings.Contains(c.Decl, "struct "+name+" ") || strings.Contains(c.Decl, "("+name+"::") || strings.Contains(c.Decl, " "+name+"::") {
			return true
		}
	}
	return false
}

// spell replaces the words of source by what a language has for them.
func spell(src string, words map[string]string) string {
	return wordPattern.ReplaceAllStringFunc(src, func(w string) string {
		if s, ok := words[w]; ok {
			return s
		}
		return w
	})
}

// Declared is the source that declares the types of cases, and those that they are made of.
func Declared(cases ...Case) string {
	var b strings.Builder
	b.WriteString("# 1 \"k.cu\"\n")
	for _, inner := range Cases() {
		among := slices.ContainsFunc(cases, func(c Case) bool { return c.Name == inner.Name })
		if !among && needed(inner.Name, cases) {
			b.WriteString(inner.Decl + "\n")
		}
	}
	for _, c := range cases {
		if c.Decl != "" {
			b.WriteString(c.Decl + "\n")
		}
	}
	return b.String()
}

package producers

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed warp.py
var warpProgram string

// warpOwn are the types that Warp has beside those of C, and the records that they are.
var warpOwn = []struct{ name, typ, body string }{
	{"float16", "wp.float16", "unsigned short u;"},
	{"bfloat16", "wp.bfloat16", "unsigned short u;"},
	{"vec2", "wp.vec2", "float c[2];"},
	{"vec3", "wp.vec3", "float c[3];"},
	{"vec4", "wp.vec4", "float c[4];"},
	{"vec3h", "wp.vec3h", "unsigned short c[3];"},
	{"vec4ub", "wp.vec4ub", "unsigned char c[4];"},
	{"vec2d", "wp.vec2d", "double c[2];"},
	{"vec7", "wp.types.vector(length=7, dtype=wp.float32)", "float c[7];"},
	{"mat22", "wp.mat22", "float c[2][2];"},
	{"mat33", "wp.mat33", "float c[3][3];"},
	{"mat44", "wp.mat44", "float c[4][4];"},
	{"mat33d", "wp.mat33d", "double c[3][3];"},
	{"quat", "wp.quat", "float x, y, z, w;"},
	{"quatd", "wp.quatd", "double x, y, z, w;"},
	{"transform", "wp.transform", "float p[3]; float q[4];"},
	{"spatial_vector", "wp.spatial_vector", "float c[6];"},
	{"spatial_matrix", "wp.spatial_matrix", "float c[6][6];"},
}

// warpArray is what an array of Warp's is to a function: addresses of data and gradients, the extents and strides of
// four dimensions, how many there are, and flags.
const warpArray = "struct warp_array { void *data, *grad; int shape[4], strides[4]; unsigned short ndim, flags; };"

// warpBounds are the bounds of a launch over n dimensions, which are each kernel's first parameter.
func warpBounds(n int) string {
	return fmt.Sprintf("struct warp_tid_%d { unsigned shape[%d]; unsigned long size, coord_mult; };", n, n)
}

// warpCases are what Warp alone is asked for. Of a launch over n dimensions the case is its bounds.
func warpCases() []Case {
	var all []Case
	for _, o := range warpOwn {
		name := "warp_" + o.name
		all = append(all, Case{Name: name, Class: "Warp's own", Decl: "struct " + name + " { " + o.body + " };", Type: "struct " + name, Only: "warp", Warp: o.typ})
	}
	for n := 1; n <= 4; n++ {
		name := fmt.Sprintf("warp_tid_%d", n)
		all = append(all, Case{Name: name, Class: "Warp's own", Decl: warpBounds(n), Type: "struct " + name, Only: "warp", Warp: fmt.Sprintf("tid %d", n)})
	}
	return append(all, Case{Name: "warp_array", Class: "Warp's own", Decl: warpArray, Type: "struct warp_array", Only: "warp", Warp: "wp.array(dtype=wp.float32)"})
}

// warpTypes are those that C's are for Warp.
var warpTypes = map[string]string{
	"char": "int8", "signed char": "int8", "unsigned char": "uint8", "short": "int16", "unsigned short": "uint16", "int": "int32", "unsigned": "uint32",
	"long": "int64", "long long": "int64", "float": "float32", "double": "float64", "BOOL": "bool",
}

// warpCase is the type of a case for Warp, and the classes that declare it; ok is false where Warp has none: it has neither
// pointers nor unions, and no alignments but those of fields. An array in a record is a vector.
func warpCase(c Case) (typ string, classes []string, ok bool) {
	if c.Warp != "" {
		return c.Warp, nil, true
	}
	if c.Only != "" {
		return "", nil, false
	}
	if c.Decl == "" {
		typ, ok = warpTypes[c.Type]
		return "wp." + typ, nil, ok && c.Name != "variadic"
	}
	head, list, ok := fields(c)
	if !ok || head.kind == "union" || head.attribute != "" {
		return "", nil, false
	}
	lines := "@wp.struct\nclass " + c.Name + ":\n"
	for _, f := range list {
		t, known := warpTypes[f.typ]
		t = "wp." + t
		if name, record := strings.CutPrefix(f.typ, "struct "); record && f.count == 0 {
			k := slices.IndexFunc(Cases(), func(c Case) bool { return c.Name == name })
			var inner []string
			t, inner, known = warpCase(Cases()[k])
			classes = append(classes, inner...)
		}
		if !known {
			return "", nil, false
		}
		if f.count > 0 {
			t = fmt.Sprintf("wp.types.vector(length=%d, dtype=%s)", f.count, t)
		}
		lines += "    " + f.name + ": " + t + "\n"
	}
	if len(list) == 0 {
		lines += "    pass\n"
	}
	return c.Name, append(classes, lines), true
}

// warpSource are the questions of warp.py.
func warpSource(cases []Case) string {
	var b strings.Builder
	declared := map[string]bool{}
	for _, c := range cases {
		typ, classes, _ := warpCase(c)
		needs := ""
		for _, one := range classes {
			if !declared[one] {
				needs += one
			}
			declared[one] = true
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", c.Name, typ, strings.ReplaceAll(needs, "\n", "\f"))
	}
	return b.String()
}

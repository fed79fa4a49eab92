package producers

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed numba.py
var numbaProgram string

//go:embed triton.py
var tritonProgram string

//go:embed tilelang.py
var tilelangProgram string

// numbaTypes are those that C's are for numba.
var numbaTypes = map[string]string{
	"char": "int8", "signed char": "int8", "unsigned char": "uint8", "short": "int16", "unsigned short": "uint16", "int": "int32", "unsigned": "uint32",
	"long": "int64", "long long": "int64", "float": "float32", "double": "float64", "int *": "P", "BOOL": "boolean",
	"_Float16": "float16", "__bf16": "bfloat16", "_Complex float": "complex64", "_Complex double": "complex128",
}

// numbaCase is the type of a case for numba, a value of it made of the pointer p, and a statement that uses
// one called v; ok is false where numba has no such type. A record is a tuple of its fields, an array in it one
// of its elements: alignments and packing are lost.
func numbaCase(c Case) (typ, value, use string, ok bool) {
	if c.Decl == "" {
		typ, ok = numbaTypes[c.Type]
		if c.Name == "variadic" {
			return "", "", "", false
		}
		value, use = numbaScalar(typ, 0)
		return typ, value, use, ok
	}
	if m := vectorPattern.FindStringSubmatch(c.Decl); m != nil {
		elem, bits := numbaTypes[m[1]], map[string]int{"char": 8, "short": 16, "int": 32, "float": 32, "double": 64}[m[1]]
		bytes, _ := strconv.Atoi(m[2])
		n := bytes * 8 / bits
		var parts []string
		for i := range n {
			part, _ := numbaScalar(elem, i)
			parts = append(parts, part)
		}
		typ = fmt.Sprintf("%sx%d", elem, n)
		return "vector_types['" + typ + "']", "cuda." + typ + "(" + strings.Join(parts, ", ") + ")", "p[0] = types.int64(v.x)", n <= 4 // it has none of more
	}
	head, list, ok := fields(c)
	if !ok || head.kind == "union" {
		return "", "", "", false
	}
	var types, values []string
	leaf := "v"
	for i, f := range list {
		t, known := numbaTypes[f.typ]
		v, _ := numbaScalar(t, i)
		if name, record := strings.CutPrefix(f.typ, "struct "); record {
			k := slices.IndexFunc(Cases(), func(c Case) bool { return c.Name == name })
			t, v, _, known = numbaCase(Cases()[k])
		}
		if !known {
			return "", "", "", false
		}
		if f.count > 0 {
			t = fmt.Sprintf("types.Tuple([%s] * %d)", t, f.count)
			v = "(" + strings.Repeat(v+", ", f.count) + ")"
		}
		types, values = append(types, t), append(values, v)
	}
	if len(types) == 0 {
		return "types.Tuple([])", "()", "p[0] = len(v)", true
	}
	return "types.Tuple([" + strings.Join(types, ", ") + "])", "(" + strings.Join(values, ", ") + ",)", "p[0] = len(" + leaf + ")", true
}

// numbaScalar is a value of a type of numba's that is no tuple, and a statement that uses v.
func numbaScalar(typ string, i int) (value, use string) {
	at := fmt.Sprintf("p[%d]", i)
	switch typ {
	case "P":
		return "p", "p[0] = v[1]"
	case "bfloat16":
		return "cuda.bfloat16(types.float64(" + at + "))", "p[0] = types.int64(types.float32(v))"
	case "boolean":
		return at + " > 1", "p[0] = 2 if v else 1"
	case "complex64", "complex128":
		return fmt.Sprintf("types.%s(types.float64(%s))", typ, at), "p[0] = types.int64(v.real)"
	}
	return fmt.Sprintf("types.%s(%s)", typ, at), "p[0] = types.int64(v)"
}

// numbaSource are the questions of numba.py.
func numbaSource(cases []Case) string {
	var b strings.Builder
	for _, c := range cases {
		typ, value, use, _ := numbaCase(c)
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", c.Name, typ, value, use)
	}
	return b.String()
}

// tritonTypes are those that C's are for Triton, and for tilelang by other names.
var tritonTypes = map[string]string{
	"char": "i8", "signed char": "i8", "unsigned char": "u8", "short": "i16", "unsigned short": "u16", "int": "i32", "unsigned": "u32",
	"long": "i64", "long long": "i64", "float": "fp32", "double": "fp64", "int *": "*i32", "BOOL": "i1", "_Float16": "fp16", "__bf16": "bf16",
}

// tritonSource are the questions of triton.py and tilelang.py.
func tritonSource(cases []Case) string {
	var b strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&b, "%s\t%s\n", c.Name, tritonTypes[c.Type])
	}
	return b.String()
}

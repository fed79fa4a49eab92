package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVerifyDebug compares a cubin with debug information, and the PTX that it was made of, with their source and with others whose
// parameters have as many bytes. NVIDIA's compiler 11.8 made the PTX, with -g, and ptxas 12.4 the cubin.
func TestVerifyDebug(t *testing.T) {
	const data = "../../internal/tool/verify/testdata/"
	text, err := os.ReadFile(data + "debug.cu")
	require.NoError(t, err)
	schema := readSchema(t, "verify")
	for _, compiled := range []string{data + "debug-sm_80-12.4.cubin", data + "debug.ptx"} {
		r := ptxabi(nil, "verify", "-strict", compiled, data+"debug.cu")
		assert.Equal(t, 0, r.status, r.stdout+r.stderr)
		assert.NotContains(t, r.stdout, "unknown")
		for _, tt := range []struct{ what, old, with, want string }{
			{"another name alone", "double d;", "double other;", ""},
			{"members that are swapped", "float a; int n;", "int n; float a;", "  parameter 0 (p): debug information has float a at 0, where FILE has int n\n"},
			{"members of one type", "float x, y, z", "float y, x, z", "  parameter 0 (v): debug information has float x at 0, where FILE has float y\n"},
			{"an integer that was a float", "double d;", "long d;", "  parameter 0 (p): debug information has double d at 8, where FILE has long d\n"},
			{"a float that was a pointer", "const float *p;", "double p;", "  parameter 0 (p): debug information has pointer p at 16, where FILE has double p\n"},
			{"members within", "short s; char c[3];", "char c[3]; short s;", "  parameter 0 (p): debug information has short in.s at 24, where FILE has char[3] in.c\n"},
			{"a member that is padding", "bool b; };", "};", "  parameter 0 (p): debug information has bool b at 52, where FILE has padding\n"},
			{"elements", "unsigned long u[2]", "unsigned u[4]", "  parameter 0 (p): debug information has unsigned long u at 32, where FILE has unsigned int[4] u\n"},
			{"bit-fields", "f : 3; unsigned g : 5", "f : 5; unsigned g : 3", "  parameter 0 (p): bit-field 1 is f of 3 in debug information, f of 5 in FILE\n"},
			{"a base", "B<int>", "B<float>", "  parameter 1 (d): debug information has int begin at 0, where FILE has float begin\n"},
			{"a union", "int i; float f;", "unsigned char i[4];", "  parameter 1 (d): debug information has int un.i, float un.f at 12, where FILE has unsigned char[4] un.i\n"},
			{"a scalar", "three(double l)", "three(long l)", "  parameter 0 (l): debug information has double at 0, where FILE has long\n"},
		} {
			changed := strings.Replace(string(text), tt.old, tt.with, 1)
			require.NotEqual(t, string(text), changed)
			file := writeSource(t, "k.cu", changed)
			r := ptxabi(nil, "verify", compiled, file)
			if tt.want == "" {
				assert.Equal(t, 0, r.status, tt.what)
				continue
			}
			assert.Equal(t, 1, r.status, tt.what)
			assert.Contains(t, strings.ReplaceAll(r.stdout, file, "FILE"), tt.want, tt.what)
			schema.check(t, ptxabi(nil, "verify", "-format=json", compiled, file).stdout)
		}
		// A struct that a host fills may have numbers in the place of pointers, and bytes in that of a union.
		const fill = "package k\n\ntype In struct {\n\tS int16\n\tC [3]int8\n}\n\ntype P struct {\n\tA float32\n\tN int32\n\tD float64\n\tP uint64\n\tIn In\n\t" +
			"F, _ uint8\n\tU [2]uint64\n\tE int32\n\tB bool\n\t_ [3]byte\n}\n\ntype D struct {\n\tBegin, End int32\n\tM float32\n\tUn [4]byte\n}\n"
		file := writeSource(t, "k.go", fill)
		for _, args := range [][]string{{"-type", "P", "-kernel", "step", "-param", "0"}, {"-type", "D", "-kernel", "q::two", "-param", "1"}} {
			r := ptxabi(nil, append(append([]string{"verify"}, args...), compiled, file)...)
			assert.Equal(t, 0, r.status, r.stdout+r.stderr)
		}
		file = writeSource(t, "k.go", strings.Replace(fill, "Begin, End int32", "End, Begin int32", 1))
		r = ptxabi(nil, "verify", "-type", "D", "-kernel", "q::two", "-param", "1", compiled, file)
		assert.Equal(t, 1, r.status)
		assert.Contains(t, r.stdout, "debug information has int begin at 0, where "+file+" has int32_t End")
	}
	// The cubin of an object for a host has none. The object has, of the host's functions for its kernels.
	host := data + "host-clang19.o"
	r := ptxabi(nil, "verify", "-strict", host, data+"debug.cu")
	assert.Equal(t, 0, r.status, r.stdout+r.stderr)
	file := writeSource(t, "k.cu", strings.Replace(string(text), "float a; int n;", "int n; float a;", 1))
	r = ptxabi(nil, "verify", host, file)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stdout, "  parameter 0 (p): debug information has float a at 0, where "+file+" has int n\n")

	// A difference stands at the line of the parameter on both sides.
	file = writeSource(t, "k.cu", strings.NewReplacer("double l)", "\n\n\tlong l)").Replace(string(text)))
	r = ptxabi(nil, "verify", "-format=github", data+"debug.ptx", file)
	assert.Contains(t, r.stdout, "::error file="+file+",line=10,")
	r = ptxabi(nil, "verify", "-format=sarif", data+"debug.ptx", file)
	ptx, err := os.ReadFile(data + "debug.ptx")
	require.NoError(t, err)
	before, _, ok := strings.Cut(string(ptx), ".param .f64 three_param_0")
	require.True(t, ok)
	assert.Contains(t, r.stdout, `"startLine": 10`)
	assert.Contains(t, r.stdout, `"startLine": `+strconv.Itoa(strings.Count(before, "\n")+1))
}

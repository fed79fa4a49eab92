package packers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

// TestPatterns asks for kernels by patterns, in which a * between a type and what ends it is a pointer's, as it is
// for the listings that ptxabi annotate reads.
func TestPatterns(t *testing.T) {
	all := []callable{
		ofSymbol("_Z1aPf", place{}), ofSymbol("_Z1afi", place{}), ofSymbol("_Z5saxpyIfEvPT_i", place{}),
		{full: "op(char *)", name: "op", plain: "op"}, // of a header, whose symbol is not known
	}
	for _, tt := range []struct {
		pattern string
		want    []int
	}{
		{"*(float*)", []int{0}}, {"a(float*)", []int{0}}, {"a*", []int{0, 1}}, {"*", []int{0, 1, 2, 3}}, {"saxpy<*>", []int{2}}, {"op(char*)", []int{3}}, {"*xp*", []int{2}},
	} {
		var got []int
		p := cxxname.NewPattern(tt.pattern)
		for i := range all {
			if all[i].is(p) || all[i].matches(p) {
				got = append(got, i)
			}
		}
		assert.Equal(t, tt.want, got, tt.pattern)
	}
	p := cxxname.NewPattern("*(float*)")
	assert.True(t, p.Any())
	assert.False(t, cxxname.NewPattern("a(float*)").Any())
	assert.True(t, p.Is("* (float *)"))
	assert.False(t, p.Is("a(float*)"))
}

// TestOverloads asks for kernels of a header as PTX spells them and as the header does. Neither has the
// tags of C.
func TestOverloads(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "k.cu", `struct Q { int a; };
enum M { A };
template <typename T> struct Vec { T x, y; };
namespace ns {
struct R { double d; };
__global__ void step(Vec<float> v, float *x) {}
__global__ void step(Q q, const M *x);
__global__ void step(R r, unsigned n);
template <typename T> __global__ void axpy(T a);
template __global__ void axpy<float>(float);
}
`)
	generate := func(kernel string) (string, error) {
		files, err := Generate(Config{Dir: dir, Input: "k.cu", Kernels: []string{kernel}, Package: "p", Output: "k.go"})
		if err != nil {
			return "", err
		}
		return string(files[0].Data), nil
	}
	for name, want := range map[string]string{
		"ns::step(Vec<float>, float*)":  "type StepVecFloatFloatPtrArgs struct",
		"ns::step(Q, M const*)":         `StepQMConstPtrSymbol = "_ZN2ns4stepE1QPK1M"`,
		"ns::step(Q, const M*)":         `StepQMConstPtrSymbol = "_ZN2ns4stepE1QPK1M"`,
		"ns::step(ns::R, unsigned int)": `StepNsRUnsignedIntSymbol = "_ZN2ns4stepENS_1REj"`,
		"_ZN2ns4stepENS_1REj":           `StepNsRUnsignedIntSymbol = "_ZN2ns4stepENS_1REj"`,
	} {
		code, err := generate(name)
		require.NoError(t, err, name)
		assert.Contains(t, code, want, name)
	}
	const there = "; there is ns::step(Vec<float>, float *), ns::step(Q, M const*), ns::step(ns::R, unsigned int)"
	for name, want := range map[string]string{
		"ns::step(int)":   "k.cu: error: no kernel ns::step(int)" + there,
		"step(Q)":         "k.cu: error: no kernel step(Q)" + there,
		"ns::axpy<float>": "k.cu:9:39: error: axpy is a template of kernels, which is not read; the PTX or the cubin that it is compiled to has its instances",
	} {
		_, err := generate(name)
		assert.ErrorContains(t, err, want, name)
	}
}

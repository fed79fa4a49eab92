package packers

import (
	"testing"

	"github.com/stretchr/testify/assert"

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

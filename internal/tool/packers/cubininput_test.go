package packers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// TestCubinsOfTargets chooses among what a fatbin has for several architectures.
func TestCubinsOfTargets(t *testing.T) {
	at := func(size int, offsets ...int) *cubin.Function {
		f := &cubin.Function{Name: "k", Kernel: true, ParamSize: size}
		for _, off := range offsets {
			f.Params = append(f.Params, cubin.Param{Offset: off, Size: 4})
		}
		return f
	}
	one := &inCubin{}
	one.add(at(36, 0, 32), "sm_80", nil)
	one.add(at(36, 0, 32), "sm_86", nil)
	one.add(at(36, 0, 32), "sm_80", nil)
	for _, target := range []string{"", "sm_80", "sm_86"} {
		g, why := one.of(target)
		require.Empty(t, why)
		assert.Equal(t, []string{"sm_80", "sm_86"}, g.archs)
	}
	_, why := one.of("sm_90") // which may have the second parameter at another offset
	assert.Equal(t, "is there for sm_80, sm_86, and not for sm_90", why)

	two := &inCubin{}
	two.add(at(36, 0, 32), "sm_80", nil)
	two.add(at(20, 0, 16), "sm_90", nil)
	two.add(at(36, 0, 32), "sm_86", nil)
	_, why = two.of("sm_75")
	assert.Equal(t, "is there for sm_80, sm_86, sm_90, and not for sm_75", why)
	_, why = two.of("")
	assert.Equal(t, "has other parameters, or bounds, for sm_90 than for sm_80; -target says for which one this is", why)
	g, why := two.of("sm_90")
	require.Empty(t, why)
	assert.Equal(t, []string{"sm_90"}, g.archs)
	g, why = two.of("sm_86")
	require.Empty(t, why)
	assert.Equal(t, []string{"sm_80", "sm_86"}, g.archs)

	bound := at(36, 0, 32)
	bound.MaxThreads = []int{256, 1, 1}
	one.add(bound, "sm_75", nil)
	_, why = one.of("")
	assert.Contains(t, why, "for sm_75 than for sm_80")
}

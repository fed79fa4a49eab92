package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestLaunched has names of functions that clang and others give to the host's side of kernels.
func TestLaunched(t *testing.T) {
	for symbol, want := range map[string]string{
		"_ZN2ns19__device_stub__stepE1PPfi": "_ZN2ns4stepE1PPfi",
		"_Z19__device_stub__tmplIiEvT_1P":   "_Z4tmplIiEvT_1P",
		"_ZL20__device_stub__quiet1P":       "_ZL5quiet1P",
		"__device_stub__plain":              "plain",
		"_Z4stepPf1P":                       "_Z4stepPf1P",
		"step":                              "",
		"_Z15__device_stub__1P":             "",
		"_Z__device_stub__x":                "",
	} {
		assert.Equal(t, want, launched(symbol), symbol)
	}
}

// hostObject is an object for a host with debug information of its own code, and its cubin, which has none:
// debug.cu by clang 19 with -g for the host, and by clang 19 and ptxas 12.4 for sm_80.
func hostObject(t *testing.T) (image cubin.Image, f *cubin.File) {
	t.Helper()
	data := must.Read(t, "testdata/host-clang19.o")
	images, err := cubin.Images(data)
	require.NoError(t, err)
	require.Len(t, images, 1)
	contents, err := images[0].Contents()
	require.NoError(t, err)
	f, err = cubin.Open(contents)
	require.NoError(t, err)
	return images[0], f
}

// TestHostTwice has two functions for one kernel, as kernels of one name that files keep to themselves
// have: if their parameters differ nothing is known.
func TestHostTwice(t *testing.T) {
	image, f := hostObject(t)
	h := NewHost(func() *cubin.HostData { return cubin.HostDebug(image.Host) })
	fn := f.Func("_Z4step1PPfi")
	source := make([]Param, len(fn.Params))
	known := h().of(fn, source)
	require.Len(t, known, 3)
	assert.Equal(t, leaf{path: "n", typ: "int", off: 4, size: 4}, known[0].leaves[1])

	step := h().formals[fn.Name]
	h().formals[fn.Name] = append(step, step[0])
	assert.Equal(t, known, h().of(fn, source), "the same twice")
	other := slices.Clone(step[0])
	other[2] = h().formals["_ZN1q3twoE1V1Df"][0][2] // a float in the place of an int
	h().formals[fn.Name] = append(step, other)
	assert.Nil(t, h().of(fn, source))
	assert.Nil(t, NewDebug(f, nil).of(fn, source))
}

// TestHostileHost damages what an object has for debuggers of its host's code.
func TestHostileHost(t *testing.T) {
	image, f := hostObject(t)
	fn := f.Func("_Z4step1PPfi")
	source := make([]Param, len(fn.Params))
	rng := rand.New(rand.NewPCG(24, 6))
	known, n := 0, effort.Of(500, 2000)
	for i := range n {
		data := slices.Clone(image.Host)
		for range 1 + rng.IntN(4) {
			data[rng.IntN(len(data))] = byte(rng.Uint32())
		}
		if i%10 == 0 {
			data = data[:rng.IntN(len(data))]
		}
		if NewHost(func() *cubin.HostData { return cubin.HostDebug(data) })().of(fn, source) != nil {
			known++
		}
	}
	assert.Greater(t, known, n/20)
	assert.Less(t, known, n)
}

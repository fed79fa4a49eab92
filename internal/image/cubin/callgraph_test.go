package cubin_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

const recursion = "../../../examples/recursion/"

// names are the ends of edges.
func names(f *cubin.File, list []cubin.Edge) []string {
	var all []string
	for _, e := range list {
		all = append(all, f.Symbols[e.From].Name+" "+f.Symbols[e.To].Name)
	}
	return all
}

func typed(f *cubin.File, list []cubin.Typed) []string {
	var all []string
	for _, e := range list {
		all = append(all, f.Symbols[e.Func].Name+" "+e.Prototype)
	}
	return all
}

// TestCallGraph reads the call graphs of two objects and of the program that they are linked to.
func TestCallGraph(t *testing.T) {
	for _, tt := range []struct {
		file                     string
		calls, pointed, indirect []string
		unbounded                bool
	}{
		{"main", []string{"tree walk"}, []string{"visit #vl"}, nil, false},
		{"walk", []string{"walk walk"}, nil, []string{"walk #vl"}, false},
		{"tree", []string{"tree walk", "walk walk"}, []string{"visit #vl"}, []string{"walk #vl"}, true},
	} {
		f := open(t, recursion+tt.file+".cubin")
		g, err := f.CallGraph()
		require.NoError(t, err)
		assert.Equal(t, tt.calls, names(f, g.Calls), tt.file)
		assert.Equal(t, tt.pointed, typed(f, g.Pointed), tt.file)
		assert.Equal(t, tt.indirect, typed(f, g.Indirect), tt.file)
		if fn := f.Func("tree"); fn != nil {
			assert.Equal(t, tt.unbounded, fn.Unbounded, tt.file)
			assert.Equal(t, 255, fn.MaxRegs, tt.file)
		}
	}
}

// TestVariables: those that one object defines and the other one takes.
func TestVariables(t *testing.T) {
	find := func(file, name string) cubin.Variable {
		all := open(t, recursion+file+".cubin").Variables()
		i := slices.IndexFunc(all, func(v cubin.Variable) bool { return v.Name == name })
		require.GreaterOrEqual(t, i, 0, "%s: %s", file, name)
		return all[i]
	}
	assert.Equal(t, cubin.Variable{Name: "each", Space: "global", Size: 8, Defined: true}, find("main", "each"))
	assert.Equal(t, cubin.Variable{Name: "each", Space: "global", Size: 8}, find("walk", "each"))
}

// TestDamagedGraph: bytes that are anything make nothing panic.
func TestDamagedGraph(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	data := read(t, recursion+"tree.cubin")
	opened := 0
	for range 4000 {
		bad := slices.Clone(data)
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] = byte(r.UintN(256))
		}
		f, err := cubin.Open(bad)
		if err != nil {
			continue
		}
		opened++
		_, _ = f.CallGraph()
		f.Variables()
	}
	assert.Greater(t, opened, 500)
}

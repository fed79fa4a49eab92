package stack_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/internal/tool/stack"
)

func set(t *testing.T, files ...string) *link.Set {
	t.Helper()
	s := new(link.Set)
	for _, file := range files {
		data := must.Read(t, file)
		f, err := cubin.Open(data)
		require.NoError(t, err)
		require.NoError(t, s.AddCubin(link.Place{Name: filepath.Base(file), File: file}, f))
	}
	return s
}

const tree = "../../../examples/recursion/"

// TestRecursion: objects and what they are linked to give the same: the frames of one
// level, those of every level more, and what is called through the pointer.
func TestRecursion(t *testing.T) {
	for _, files := range [][]string{{tree + "tree.cubin"}, {tree + "main.cubin", tree + "walk.cubin"}} {
		r := stack.Of(set(t, files...).Programs(""), stack.Options{Block: 256})
		require.Len(t, r.Programs, 1)
		require.Len(t, r.Programs[0].Kernels, 1)
		k := r.Programs[0].Kernels[0]
		assert.Equal(t, stack.Recursive, k.Bound)
		assert.Equal(t, 144, k.Bytes)
		assert.Nil(t, k.Recorded)
		require.Len(t, k.Path, 3)
		assert.Equal(t, []stack.Cycle{{Functions: []string{"walk"}, Bytes: 16, Exact: true}}, k.Cycles)
		assert.Equal(t, []stack.Pointer{{Caller: "walk", Prototype: "(.b64)", MayCall: []string{"visit"}}}, k.Pointers)
		assert.True(t, k.Path[2].Pointer)
		assert.Equal(t, 24, k.Registers.Most)
		assert.True(t, k.Registers.Launches)
		assert.True(t, r.OK())
	}
}

// graph is a program made by hand.
func graph(funcs map[string]*link.Func, calls map[string][]string) *link.Linked {
	p := &link.Linked{Arch: "sm_80"}
	for name, f := range funcs {
		f.Name = name
		f.MinStack = -1
		p.Funcs = append(p.Funcs, f)
		for _, to := range calls[name] {
			f.Calls = append(f.Calls, funcs[to])
		}
	}
	return p
}

// TestRegisters: the most over all that a kernel reaches decides what launches.
func TestRegisters(t *testing.T) {
	for _, tt := range []struct {
		limit, block int
		threads      []int
		launches     bool
		most, blocks int
		why          string
	}{
		{0, 256, nil, true, 512, 2, "the registers limit it"},
		{0, 1024, nil, false, 512, 0, "f needs 128 registers, and blocks of 1024 threads leave each thread 64"},
		{0, 128, []int{64, 1, 1}, false, 64, 0, "it was compiled for blocks of 64 threads"},
		{96, 64, nil, false, 512, 0, "f needs 128 registers, and the kernel leaves each thread 96: the linker refuses it"},
		{0, 32, nil, true, 512, 16, "the registers limit it"},
	} {
		k := &link.Func{Kernel: true, Regs: 20, Frame: 8, Limit: tt.limit, Threads: tt.threads}
		p := graph(map[string]*link.Func{"k": k, "f": {Regs: 128, Frame: 40}}, map[string][]string{"k": {"f"}})
		r := stack.Of([]*link.Linked{p}, stack.Options{Block: tt.block})
		got := r.Programs[0].Kernels[0].Registers
		assert.Equal(t, 128, got.Most)
		assert.Equal(t, "f", got.Where)
		assert.Equal(t, tt.launches, got.Launches)
		assert.Equal(t, tt.launches, r.OK())
		assert.Equal(t, tt.most, got.MaxThreads)
		assert.Equal(t, tt.blocks, got.Resident)
		assert.Equal(t, tt.why, got.Why)
	}
}

// TestAssumed: a target that was not measured says nothing of a block unless it has the facts of another.
func TestAssumed(t *testing.T) {
	p := graph(map[string]*link.Func{"k": {Kernel: true, Regs: 20, Frame: 8}}, nil)
	p.Arch = "sm_130"
	r := stack.Of([]*link.Linked{p}, stack.Options{Block: 128})
	assert.False(t, r.Programs[0].Assumed)
	assert.Contains(t, r.String(), "whether blocks of 128 threads launch is not known: the target has not been measured; -assume")
	r = stack.Of([]*link.Linked{p}, stack.Options{Block: 128, Assume: true})
	assert.True(t, r.Programs[0].Assumed)
	assert.Contains(t, r.String(), "for sm_130 (assumed, as sm_121)\n")
	assert.Contains(t, r.String(), "blocks of 128 threads launch, 12 of them on a multiprocessor")
	p.Arch = "sm_121"
	assert.False(t, stack.Of([]*link.Linked{p}, stack.Options{Assume: true}).Programs[0].Assumed)
}

// TestDepths has shapes of graphs with the bytes on their deepest ways.
func TestDepths(t *testing.T) {
	f := func(frame int) *link.Func { return &link.Func{Frame: frame, Regs: 8} }
	for _, tt := range []struct {
		name  string
		calls map[string][]string
		bytes int
		bound stack.Bound
	}{
		{"diamond", map[string][]string{"k": {"a", "b"}, "a": {"c"}, "b": {"c"}}, 1 + 4 + 8, stack.Bounded},
		{"chain", map[string][]string{"k": {"a"}, "a": {"b"}, "b": {"c"}}, 1 + 2 + 4 + 8, stack.Bounded},
		{"self", map[string][]string{"k": {"a"}, "a": {"a", "c"}}, 1 + 2 + 8, stack.Recursive},
		{"two", map[string][]string{"k": {"a"}, "a": {"b"}, "b": {"a", "c"}}, 1 + 2 + 4 + 8, stack.Recursive},
		{"unknown", map[string][]string{"k": {"a"}, "a": {"x"}}, 1 + 2, stack.AtLeast},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := f(1)
			k.Kernel = true
			funcs := map[string]*link.Func{"k": k, "a": f(2), "b": f(4), "c": f(8), "x": f(-1)}
			r := stack.Of([]*link.Linked{graph(funcs, tt.calls)}, stack.Options{})
			got := r.Programs[0].Kernels[0]
			assert.Equal(t, tt.bytes, got.Bytes)
			assert.Equal(t, tt.bound, got.Bound)
			for _, step := range got.Path {
				assert.False(t, step.Pointer, "%s is called by name", step.Function)
			}
			assert.NotEmpty(t, r.SVG())
			assert.NotEmpty(t, r.String())
		})
	}
}

// TestManyNames: the text has the first of many names, and how many more there are.
func TestManyNames(t *testing.T) {
	funcs := map[string]*link.Func{"k": {Kernel: true, Regs: 8}}
	calls := map[string][]string{}
	for i := range 12 {
		name := fmt.Sprintf("elsewhere%02d", i)
		funcs[name] = &link.Func{Frame: -1, Regs: -1, Missing: true}
		calls["k"] = append(calls["k"], name)
	}
	r := stack.Of([]*link.Linked{graph(funcs, calls)}, stack.Options{})
	assert.Contains(t, r.String(), " and 5 more\n")
	assert.Len(t, r.Programs[0].Kernels[0].Unknown, 12)
}

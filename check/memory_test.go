package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestMemory holds that a checker that is done leaves nothing of its module to the next,
// and that of a module the same is reported with what others have left.
func TestMemory(t *testing.T) {
	files, err := filepath.Glob("../testdata/check/modules/*.ptx")
	require.NoError(t, err)
	more, err := filepath.Glob("../testdata/real/cicc124-*.ptx")
	require.NoError(t, err)
	reported := 0
	used := new(checker)
	for _, file := range append(files, more...) {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := ptx.Parse(file, src)
		if err != nil {
			continue
		}
		for _, opts := range []policy{{}, {lowering: true}} {
			fresh := new(checker)
			fresh.begin(m, opts)
			fresh.module()
			want := fresh.sorted(m)
			used.begin(m, opts)
			used.module()
			require.Equal(t, want, used.sorted(m), file)
			used.release()
			holdsNothing(t, used)
			reported += len(want)
		}
	}
	assert.Greater(t, reported, 100)
}

func holdsNothing(t *testing.T, c *checker) {
	t.Helper()
	for _, list := range [][]*global{c.order, c.marked} {
		for _, g := range list[:cap(list)] {
			require.Nil(t, g)
		}
	}
	for range 1 << 10 { // more than the largest module has
		require.Equal(t, global{}, *c.heads.One())
		require.Nil(t, *c.mentions.One())
	}
	c.heads.Reset()
	c.mentions.Reset()
	left := *c
	left.memory, left.globals, left.order = memory{}, nil, nil
	require.Equal(t, checker{}, left)
	require.Empty(t, c.globals)
	require.Empty(t, c.order)
}

// TestMemoryOfMany holds that what a large module has left is not kept.
func TestMemoryOfMany(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 7.8\n.target sm_80\n.address_size 64\n")
	for i := range manyGlobals + 1 {
		fmt.Fprintf(&b, ".func f%d () { ret; }\n", i)
	}
	m, err := ptx.ParseString("many", b.String())
	require.NoError(t, err)
	c := new(checker)
	c.begin(m, policy{Options: Options{Compile: true}})
	c.module()
	assert.Empty(t, c.sorted(m))
	c.release()
	assert.Equal(t, &checker{}, c)
}

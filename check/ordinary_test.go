package check

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestOrdinary holds that the same is reported of modules, and of damaged copies of them, where
// ordinary accesses are held against the rules too.
func TestOrdinary(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	reported := 0
	for _, pattern := range []string{"../testdata/check/modules/*.ptx", "../testdata/real/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			if len(src) > 60_000 {
				continue
			}
			for range 10 {
				m, _ := ptx.Parse(file, src)
				for _, p := range []policy{{}, {Options: Options{Compile: true, Pedantic: true}}, {lowering: true}} {
					got := module(m, p)
					p.thorough = true
					require.Equal(t, module(m, p), got, "%s\n%s", file, src)
					reported += len(got)
				}
				src = varied(rnd, src)
			}
		}
	}
	assert.Greater(t, reported, 5000)
	for _, src := range []string{
		".func f (.param .b32 x[4]) { .reg .b32 %a; ld.param.b32 %a, [x+18446744073709551620]; ret; }",
		".func f (.param .align 8 .b32 x[4]) { .reg .pred %p; ld.param.v2.b32 {%p, %p}, [x]; ret; }",
		".func f (.param .align 8 .b32 x[4]) { .reg .b32 %a; .reg .v2 .b32 %v; ld.param.v2.b32 {%a, %v}, [x]; ret; }",
		".func f (.param .align 8 .b32 x[4]) { .reg .v2 .b32 %v; ld.param.v2.b32 %v, [x]; ld.param.v2.b32 {%v.x, %v.y}, [x+8]; ret; }",
	} {
		m, err := ptx.Parse("x.ptx", []byte(".version 7.8\n.target sm_80\n.address_size 64\n"+src))
		require.NoError(t, err)
		require.Equal(t, module(m, policy{thorough: true}), module(m, policy{}), src)
	}
}

// varied returns a text in which one word of an access or a declaration is another.
func varied(rnd *rand.Rand, src []byte) []byte {
	words := [][]byte{
		[]byte(".param"), []byte(".b32"), []byte(".b64"), []byte(".b8"), []byte(".u16"), []byte(".f32"), []byte(".f64"), []byte(".v2"), []byte(".v4"), []byte(".reg"),
		[]byte(".pred"), []byte("%r1"), []byte("%rd1"), []byte("+4]"), []byte("+2]"), []byte("+8]"), []byte("[8]"), []byte("[4]"), []byte(".align 4"), []byte(".align 8"), []byte("ld."), []byte("st."), []byte("1"), []byte("+18446744073709551620]"), []byte(".align 3"), []byte("[4][2]"), []byte(".reg .v2"),
	}
	old, by := words[rnd.IntN(len(words))], words[rnd.IntN(len(words))]
	n := bytes.Count(src, old)
	if n == 0 {
		return src
	}
	at := 0
	for range 1 + rnd.IntN(n) {
		at += bytes.Index(src[at:], old) + len(old)
	}
	return append(append(bytes.Clone(src[:at-len(old)]), by...), src[at:]...)
}

package verify_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cubin"
	"github.com/ptxabi/ptxabi/internal/verify"
	"github.com/ptxabi/ptxabi/layout"
)

// TestHostileDebug damages debug information: a comparison then says something, or nothing, and ends.
func TestHostileDebug(t *testing.T) {
	whole, err := os.ReadFile("testdata/debug-sm_80-12.4.cubin")
	require.NoError(t, err)
	file, err := cubin.Open(whole)
	require.NoError(t, err)
	record := &layout.Record{Name: "D", Fields: []layout.Field{
		{Name: "begin", Type: layout.Scalar{Kind: layout.Int}},
		{Name: "end", Type: layout.Scalar{Kind: layout.Int}},
		{Name: "m", Type: layout.Scalar{Kind: layout.Float}},
		{Name: "un", Type: layout.Scalar{Kind: layout.Int}},
	}}
	l, err := layout.Of(record, layout.LP64)
	require.NoError(t, err)
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	s := verify.Struct{File: "x.go", Name: "D", Line: 1, Layout: &l, Size: int(l.Size)}
	const kernel = "_ZN1q3twoE1V1Df"
	require.True(t, verify.CompareStruct("x", file, s, target, kernel, 1).OK())
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		data := append([]byte(nil), whole...)
		for _, name := range []string{".debug_info", ".debug_abbrev", ".rela.debug_info"} {
			section := file.Section(name)
			for range rng.IntN(4) {
				data[section.Offset+rng.Uint64N(section.Size)] = byte(rng.Uint32())
			}
		}
		damaged, err := cubin.Open(data)
		if err != nil {
			continue // a relocation has no place
		}
		verify.CompareStruct("x", damaged, s, target, kernel, 1)
	}
}

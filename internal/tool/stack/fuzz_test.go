package stack_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/internal/tool/stack"
)

// FuzzStack links any bytes that read as a file with device code, with calls from anywhere to anywhere: the report is
// made, and a second one is the same.
func FuzzStack(f *testing.F) {
	for _, pattern := range []string{tree + "*.cubin", "../../image/cubin/testdata/cubins/sm_80-*.cubin", "../../image/cubin/testdata/fatbins/*.fatbin"} {
		names := must.Glob(f, pattern)
		for _, name := range names[:min(6, len(names))] {
			data := must.Read(f, name)
			f.Add(data, uint16(0))
			f.Add(data, uint16(12345))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint16) {
		var last string
		for range 2 {
			var set link.Set
			if _, err := set.AddFile("x", rewired(data, seed)); err != nil {
				return
			}
			_ = set.Report("").String()
			r := stack.Of(set.Programs(""), stack.Options{Block: 256})
			doc, err := json.Marshal(r)
			require.NoError(t, err)
			require.True(t, json.Valid(doc))
			text := r.String() + string(r.SVG()) + string(doc)
			if last != "" {
				require.Equal(t, last, text)
			}
			last = text
		}
	})
}

// rewired is a cubin whose functions call each other by chance, in circles too.
func rewired(data []byte, seed uint16) []byte {
	file, err := cubin.Open(data)
	if err != nil || seed == 0 {
		return data
	}
	out := bytes.Clone(data)
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	for _, s := range file.Sections {
		if s.Name != ".nv.callgraph" {
			continue
		}
		var callers []uint32
		for at := s.Offset; at+8 <= s.Offset+s.Size; at += 8 {
			if caller := binary.LittleEndian.Uint32(out[at:]); caller != 0 {
				callers = append(callers, caller)
				binary.LittleEndian.PutUint32(out[at+4:], callers[r.IntN(len(callers))])
			}
		}
	}
	return out
}

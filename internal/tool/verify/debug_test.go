package verify_test

import (
	"bytes"
	"debug/dwarf"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/layout"
)

// TestHostileDebug damages debug information: a comparison then says something, or nothing, and ends.
func TestHostileDebug(t *testing.T) {
	whole := must.Read(t, "testdata/debug-sm_80-12.4.cubin")
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
	target := must.Target(t, "sm_80")
	s := verify.Struct{File: "x.go", Name: "D", Line: 1, Layout: &l, Size: int(l.Size)}
	const kernel = "_ZN1q3twoE1V1Df"
	require.True(t, (&verify.Binary{File: file, Name: "x"}).CompareStruct(s, target, kernel, 1).OK())
	rng := rand.New(rand.NewPCG(1, 2))
	for range effort.Of(600, 3000) {
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
		(&verify.Binary{File: damaged, Name: "x"}).CompareStruct(s, target, kernel, 1)
	}

	// Types that are parts of themselves, on purpose: each reference leads to its own entry, or to that of a record.
	debug, err := file.Debug()
	require.NoError(t, err)
	info := file.Section(".debug_info")
	var all []*dwarf.Entry
	for r := debug.Reader(); ; {
		e, err := r.Next()
		require.NoError(t, err)
		if e == nil {
			break
		}
		if e.Tag != 0 {
			all = append(all, e)
		}
	}
	made := 0
	for i, e := range all[:len(all)-1] {
		of, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		at := bytes.Index(info.Data[e.Offset:all[i+1].Offset], binary.LittleEndian.AppendUint32(nil, uint32(of)))
		if !ok || at < 0 {
			continue
		}
		for _, to := range all[:i+1] {
			if to != e && to.Tag != dwarf.TagStructType && to.Tag != dwarf.TagUnionType && to.Tag != dwarf.TagArrayType {
				continue
			}
			data := bytes.Clone(whole)
			binary.LittleEndian.PutUint32(data[info.Offset+uint64(e.Offset)+uint64(at):], uint32(to.Offset))
			cyclic, err := cubin.Open(data)
			require.NoError(t, err)
			(&verify.Binary{File: cyclic, Name: "x"}).CompareStruct(s, target, kernel, 1)
			for i := range cyclic.Functions {
				verify.NewDebug(cyclic, nil).Params(&cyclic.Functions[i])
			}
			made++
		}
	}
	assert.Greater(t, made, 20)
}

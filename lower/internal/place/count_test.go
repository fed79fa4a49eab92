package place

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// TestCountArgs holds what is counted of the names of registers alone against what is counted of
// all names: in all bodies of the real modules, and in operands that are made up.
func TestCountArgs(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/real/*.ptx")
	require.NoError(t, err)
	texts := []string{madeUp()}
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(src))
	}
	target, err := abi.Lookup("sm_90a")
	require.NoError(t, err)
	counted := 0
	for _, text := range texts {
		m, err := ptx.ParseString("x.ptx", text)
		require.NoError(t, err)
		var pl Placer
		pl.Use(&Unit{M: m, T: target, Table: resolve.NewTable(m), AllVirtual: true}, &Reporter{File: m.Name})
		names := resolved.Resolver{Numbers: true}
		for _, it := range m.Items {
			f, ok := it.(*ptx.Func)
			if !ok || !f.HasBody {
				continue
			}
			uses := &pl.Place(names.Body(f, f.Body, resolve.ParamsInBody(m, f))).Uses
			before := slices.Clone(uses.list)
			uses.noteNames()
			for i, s := range f.Body {
				if in, ok := s.(*ptx.Instr); ok && !in.Ragged {
					uses.countArgs(in, i)
				}
			}
			got := slices.Clone(uses.list)
			copy(uses.list, before)
			for i, s := range f.Body {
				if in, ok := s.(*ptx.Instr); ok && !in.Ragged {
					uses.countNames(in, i)
				}
			}
			for n, u := range uses.list[:min(len(uses.list), uses.in.Numbers())] {
				if name := uses.in.Name(int32(n)); strings.HasPrefix(name, "%") { // a formal may be a register
					require.Equal(t, u, got[n], "%s in %s", name, f.Name)
					counted += int(u.Count - before[n].Count)
				}
			}
		}
	}
	require.Greater(t, counted, 10_000)
}

// madeUp returns a module whose function stores registers of names of all lengths, and
// mentions them among operands of all kinds.
func madeUp() string {
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"%r", "%rd1", "%a_b", "%x$", "%r12", "%seven77", "%eight888", "%nine99999", "%a_long_name_of_a_register1", "%Q"}
	others := []string{"%none", "%r1", "sink", "sink+8", "1", "-4", "0x7fff", "0f3F800000", "1.5", "0", "%tid.x", "%nine9999", "%eight88", "$L_1"}
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.global .b32 sink[4];\n.extern .func g(.param .align 4 .b8 p[64]);\n")
	for f := range 40 {
		b.WriteString(".func f" + string(rune('a'+f%26)) + string(rune('a'+f/26)) + "()\n{\n\t.reg .b32 " + strings.Join(names, ", ") + ";\n\t.param .align 4 .b8 q[64];\n")
		for i, name := range names {
			if r.IntN(3) > 0 {
				b.WriteString("\tst.param.b32 [q+" + strconv.Itoa(4*i) + "], " + name + ";\n")
			}
		}
		for range 30 {
			op := []string{"add.s32", "st.global.u8", "cvt.u8.u32", "and.b32", "selp.b32", "mov.b64"}[r.IntN(6)]
			b.WriteString("\t" + op + " ")
			for k := range 1 + r.IntN(5) {
				if k > 0 {
					b.WriteString([]string{",", ", ", " , ", "+", "|"}[r.IntN(5)])
				}
				list := names
				if r.IntN(2) == 0 {
					list = others
				}
				name := list[r.IntN(len(list))]
				switch r.IntN(4) {
				case 0:
					name = "[" + name + "]"
				case 1:
					name = "{" + name + "," + name + "}"
				}
				b.WriteString(name)
			}
			b.WriteString(";\n")
		}
		b.WriteString("\tcall g, (q);\n\tret;\n}\n")
	}
	return b.String()
}

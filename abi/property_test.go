package abi_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// drawSignature draws a valid signature: mostly small values, among them such
// as fill the registers or the parameter block.
func drawSignature(t *rapid.T) abi.Signature {
	value := rapid.Custom(func(t *rapid.T) abi.Value {
		size := rapid.OneOf(
			rapid.IntRange(0, 8), rapid.IntRange(0, 64), rapid.IntRange(0, 4500),
		).Draw(t, "size")
		return abi.Value{Size: size, Align: 1 << rapid.IntRange(0, 9).Draw(t, "log2(align)")}
	})
	sig := abi.Signature{
		Kind:   abi.FuncKind(rapid.IntRange(0, 1).Draw(t, "kind")),
		Params: rapid.SliceOfN(value, 0, 14).Draw(t, "params"),
	}
	if sig.Kind == abi.Entry {
		for i := range sig.Params {
			if rapid.IntRange(0, 7).Draw(t, "opaque") == 0 {
				sig.Params[i] = abi.Value{Kind: abi.Opaque}
			}
		}
		return sig
	}
	sig.Results = rapid.SliceOfN(value, 0, 1).Draw(t, "results")
	if n := len(sig.Params); n > 0 && rapid.Bool().Draw(t, "variadic") {
		sig.Params[n-1].Kind = abi.Unsized
	}
	return sig
}

func TestAssignProperties(t *testing.T) {
	rows := abi.Targets()
	rapid.Check(t, func(t *rapid.T) {
		sig := drawSignature(t)
		row := rapid.SampledFrom(rows).Draw(t, "target")
		a, err := abi.Assign(sig, row)
		if err != nil {
			require.Equal(t, abi.Entry, sig.Kind, "only kernels have limits that were drawn: %v", err)
			return
		}
		require.Len(t, a.Params, len(sig.Params))
		require.Len(t, a.Results, len(sig.Results))
		piecesCover(t, sig.Params, a.Params)
		piecesCover(t, sig.Results, a.Results)
		if sig.Kind == abi.Entry {
			kernelProperties(t, sig, row, a)
		} else {
			functionProperties(t, sig, row, a)
		}
		checkAssign(t, sig, row)
	})
}

// piecesCover requires that the pieces of each value are all its bytes, in
// order, once.
func piecesCover(t *rapid.T, values []abi.Value, places []abi.Placement) {
	for i, p := range places {
		off := 0
		for _, piece := range p.Pieces() {
			require.Equal(t, off, piece.Off)
			off += piece.Size
		}
		if p.Loc.Kind == abi.Nowhere {
			require.True(t, values[i].Size == 0 || values[i].Kind == abi.Opaque, "%v has no place", values[i])
			continue
		}
		require.Equal(t, values[i].Size, off)
	}
}

func functionProperties(t *rapid.T, sig abi.Signature, row *abi.Target, a abi.Assignment) {
	require.Equal(t, abi.Block{}, a.Block)
	var taken abi.RegSet
	if a.Sret.Kind == abi.InReg {
		require.Equal(t, abi.Indirect, a.Results[0].Loc.Kind)
		require.Equal(t, a.Sret.Reg, a.Results[0].Loc.Reg)
		taken = abi.Regs(a.Sret.Reg)
	}
	window := abi.RegRange(row.Passing.First, row.Passing.First+sass.Reg(row.Passing.Count-1))
	end := 0
	for i, p := range a.Params {
		align := max(p.Align, 4)
		n := (p.Size + 3) / 4
		fits := func(first sass.Reg) bool {
			run := abi.RegRange(first, first+sass.Reg(n-1))
			return int(first)*4%min(align, 16) == 0 && run.Minus(window) == abi.RegSet{} && run.Intersect(taken) == abi.RegSet{}
		}
		switch p.Loc.Kind {
		case abi.InReg:
			require.True(t, fits(p.Loc.Reg), "parameter %d of %v overlaps, is misaligned or out of range: %v", i, sig, a)
			for r := row.Passing.First; r < p.Loc.Reg; r++ {
				require.False(t, fits(r), "parameter %d of %v fits R%d: %v", i, sig, r, a)
			}
			taken = taken.Union(abi.RegRange(p.Loc.Reg, p.Loc.Reg+sass.Reg(n-1)))
		case abi.OnStack:
			if sig.Params[i].Kind == abi.Data && n <= row.Passing.Count {
				for r := range window.All() {
					require.False(t, fits(r), "parameter %d of %v fits R%d: %v", i, sig, r, a)
				}
			}
			require.Zero(t, p.Loc.Off%align)
			require.GreaterOrEqual(t, p.Loc.Off, end, "stack parameters stand in order and do not overlap")
			require.Less(t, p.Loc.Off-end, align, "no more padding than alignment asks for")
			end = p.Loc.Off + 4*n
		}
	}
	require.Equal(t, end, a.StackBytes)
}

func kernelProperties(t *rapid.T, sig abi.Signature, row *abi.Target, a abi.Assignment) {
	require.Equal(t, abi.Loc{}, a.Sret)
	require.Zero(t, a.StackBytes)
	require.Contains(t, []int{row.Kernel.ParamBase, row.Kernel.LargeBase}, a.Block.Base)
	end := a.Block.Base
	for i, p := range a.Params {
		if p.Loc.Kind != abi.InConst {
			continue
		}
		require.Equal(t, a.Block.Bank, p.Loc.Bank)
		require.GreaterOrEqual(t, p.Loc.Off, end, "parameter %d of %v overlaps: %v", i, sig, a)
		if row.Kernel.AbsoluteAlign {
			require.Zero(t, p.Loc.Off%min(p.Align, 128), "0x1a80 and the bank's start agree up to 128")
		} else {
			require.Zero(t, (p.Loc.Off-a.Block.Base)%p.Align)
		}
		end = p.Loc.Off + p.Size
	}
	require.GreaterOrEqual(t, a.Block.Base+a.Block.Size, end)
	require.Less(t, a.Block.Base+a.Block.Size-end, row.Kernel.HandleAlign)
}

// FuzzAssign checks that nothing panics, that an assignment with an error is empty, and that one
// without is within the limits.
func FuzzAssign(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 0, 0, 16, 0, 0, 0, 128, 0, 0, 0})
	f.Add([]byte{2, 1, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0x40})
	rows := abi.Targets()
	f.Fuzz(func(t *testing.T, data []byte) {
		next := func() byte {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return b
		}
		number := func() int {
			n := int32(binary.LittleEndian.Uint32([]byte{next(), next(), next(), next()}))
			if n == math.MaxInt32 {
				return math.MaxInt
			}
			return int(n)
		}
		flags := next()
		sig := abi.Signature{Kind: abi.FuncKind(flags & 3)}
		results := int(flags >> 2 & 3)
		row := rows[int(next())%len(rows)]
		for len(data) > 0 && len(sig.Params) < 64 {
			v := abi.Value{Kind: abi.Kind(next() & 3), Size: number(), Align: number()}
			if len(sig.Results) < results {
				sig.Results = append(sig.Results, v)
			} else {
				sig.Params = append(sig.Params, v)
			}
		}
		a, err := abi.Assign(sig, row)
		if err != nil {
			require.NotEmpty(t, err.Error())
			require.Equal(t, abi.Assignment{}, a)
			return
		}
		require.LessOrEqual(t, a.StackBytes, row.Passing.MaxLocal)
		require.NotEmpty(t, a.String())
	})
}

package abi_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

func TestRegSetText(t *testing.T) {
	for _, test := range []struct {
		set  abi.RegSet
		want string
	}{
		{abi.RegSet{}, "none"},
		{abi.Regs(1), "R1"},
		{abi.Regs(1, 2), "R1, R2"},
		{abi.RegRange(1, 3), "R1-R3"},
		{abi.Regs(1, 2).Union(abi.RegRange(16, 31)), "R1, R2, R16-R31"},
		{abi.RegRange(62, 65).Union(abi.Regs(127, 128)), "R62-R65, R127, R128"},
		{abi.RegRange(0, 255), "R0-R255"},
		{abi.Regs(0, 254, 255), "R0, R254, R255"},
		{abi.RegRange(5, 4), "none"},
	} {
		assert.Equal(t, test.want, test.set.String())
	}
	data, err := json.Marshal(abi.RegRange(4, 15))
	require.NoError(t, err)
	assert.Equal(t, `"R4-R15"`, string(data))
}

func TestRegSetOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []sass.Reg {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sass.Reg { return sass.Reg(rapid.Byte().Draw(t, "r")) }), 0, 40).Draw(t, name)
		}
		a, b := draw("a"), draw("b")
		sa, sb := abi.Regs(a...), abi.Regs(b...)
		var union, intersect, minus []sass.Reg
		for i := range 256 {
			r := sass.Reg(i)
			inA, inB := slices.Contains(a, r), slices.Contains(b, r)
			require.Equal(t, inA, sa.Has(r))
			if inA || inB {
				union = append(union, r)
			}
			if inA && inB {
				intersect = append(intersect, r)
			}
			if inA && !inB {
				minus = append(minus, r)
			}
		}
		require.Equal(t, union, slices.Collect(sa.Union(sb).All()))
		require.Equal(t, intersect, slices.Collect(sa.Intersect(sb).All()))
		require.Equal(t, minus, slices.Collect(sa.Minus(sb).All()))
		require.Equal(t, len(union), sa.Union(sb).Len())
	})
	for r := range abi.RegRange(4, 15).All() {
		require.Equal(t, sass.Reg(4), r, "All stops when told to")
		break
	}
}

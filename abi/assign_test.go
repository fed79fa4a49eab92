package abi_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
)

// TestAssign holds what the assembler was seen to do, one signature a line. The
// worked examples of docs/abi.md are tested from there.
func TestAssign(t *testing.T) {
	for _, test := range []struct {
		name, target, sig, want string
	}{
		{"nothing", "sm_80", "func()", "()"},
		{"all registers", "sm_80", "func(48@1)", "R4:R15"},
		{"one byte too many", "sm_80", "func(49@1)", "[R1+0x0]; stack 52"},
		{
			"twelve words", "sm_35", "func(4@4, 4@4, 4@4, 4@4, 4@4, 4@4, 4@4, 4@4, 4@4, 4@4, 4@4, 4@4, 4@4)",
			"R4 | R5 | R6 | R7 | R8 | R9 | R10 | R11 | R12 | R13 | R14 | R15 | [R1+0x0]; stack 4",
		},
		{"holes are filled", "sm_80", "func(4@4, 8@8, 4@4)", "R4 | R6:R7 | R5"},
		{"the lowest hole is filled first", "sm_80", "func(4@4, 16@16, 8@8, 4@4, 4@4)", "R4 | R8:R11 | R6:R7 | R5 | R12"},
		{"a value is never split", "sm_80", "func(4@4, 48@1, 4@4)", "R4 | [R1+0x0] | R5; stack 48"},
		{"a whole value in the rest", "sm_80", "func(4@4, 44@4, 4@4)", "R4 | R5:R15 | [R1+0x0]; stack 4"},
		{"an aligned value finds no run", "sm_80", "func(20@4, 16@16, 16@16, 4@4)", "R4:R8 | R12:R15 | [R1+0x0] | R9; stack 16"},
		{"sub-word scalars take a word each", "sm_80", "func(1@1, 2@2, 1@1)", "R4 | R5 | R6"},
		{"bytes lie as in memory", "sm_80", "func(12@8)", "R4:R6"},
		{"an array is aligned as its element", "sm_80", "func(1@1, 12@4)", "R4 | R5:R7"},
		{"an array is aligned as it says", "sm_80", "func(4@4, 12@8)", "R4 | R6:R8"},
		{"alignment 32 counts as 16 in registers", "sm_80", "func(4@4, 16@32)", "R4 | R8:R11"},
		{"alignment 128 counts as 16 in registers", "sm_80", "func(4@4, 4@128)", "R4 | R8"},
		{"alignment 128 is honoured on the stack", "sm_80", "func(48@4, 4@4, 4@128, 4@4)", "R4:R15 | [R1+0x0] | [R1+0x80] | [R1+0x84]; stack 136"},
		{"stack holes stay", "sm_80", "func(48@4, 1@1, 8@8, 1@1)", "R4:R15 | [R1+0x0] | [R1+0x8] | [R1+0x10]; stack 20"},
		{"without an alignment it is 1", "sm_80", "func(2, 2)", "R4 | R5"},

		{"a result in a register", "sm_80", "func(4@4, 12@8) -> 4@4", "R4 | R6:R8 -> R4"},
		{"a result in all registers", "sm_80", "func(4@4) -> 48@16", "R4 -> R4:R15"},
		{"a result in memory", "sm_80", "func(4@4, 8@8) -> 49@1", "R5 | R6:R7 -> [R4+0x0]"},
		{"a result in memory leaves eleven words", "sm_80", "func(44@4) -> 52@4", "R5:R15 -> [R4+0x0]"},
		{"a result in memory and twelve words", "sm_80", "func(48@4) -> 52@4", "[R1+0x0] -> [R4+0x0]; stack 48"},
		{"a result in memory and alignment 16", "sm_80", "func(16@16, 4@4, 8@8) -> 52@4", "R8:R11 | R5 | R6:R7 -> [R4+0x0]"},

		{"an unsized tail is on the stack", "sm_80", "func(4@4, []@1)", "R4 | [R1+0x0]"},
		{"an unsized tail comes after the stack parameters", "sm_80", "func(44@1, 4@1, 4@1, []@8)", "R4:R14 | R15 | [R1+0x0] | [R1+0x8]; stack 8"},
		{"a caller counts the tail", "sm_80", "func(4@4, [24]@8)", "R4 | [R1+0x0]; stack 24"},
		{"a tail alone", "sm_80", "func([]@128)", "[R1+0x0]"},

		{"preserve: what fits stays", "sm_90", "func(4@4, 44@4) -> 48@4; preserve 4", "R4 | R5:R15 -> R4:R15"},
		{"preserve: a word more", "sm_120", "func(8@8, 44@4); preserve 4", "R24:R25 | R26:R36"},
		{"preserve: all go where one does not fit", "sm_100", "func(8@8, 64@8) -> 64@4; preserve 4", "R28:R29 | R30:R45 -> R28:R43"},
		{"preserve: the result decides too", "sm_100", "func(4@4) -> 64@4; preserve 7", "R28 -> R28:R43"},
		{"preserve: holes are filled", "sm_80", "func(4@4, 8@8, 4@4, 40@4); preserve 40", "R60 | R62:R63 | R61 | R64:R73"},
		{"preserve: alignments count in full", "sm_120", "func(2@8, 3@64, 4@8, 3@2); preserve 10", "R32 | R36 | R34 | R33"},
		{"preserve: a tail is on the stack", "sm_100", "func(52@4, [8]@16); preserve 4", "R20:R32 | [R1+0x0]; stack 8"},
		{"preserve: the largest budget", "sm_80", "func(800@4); preserve 4", "R52:R251"},
		{"preserve 0 and ten words", "sm_80", "func(40@4); preserve 0", "R4:R13"},

		{"an empty value has no place", "sm_80", "func(0@8, 4@4) -> 0@1", "none | R4 -> none"},
		{"two results are outside the ABI", "sm_80", "func(4@4) -> 4@4, 4@4", "none -> none | none"},
		{"a handle is outside the ABI", "sm_80", "func(4@4, opaque) -> 4@4", "none | none -> none"},
		{"a handle as a result too", "sm_80", "func(4@4) -> opaque", "none -> none"},

		{"kernel of sm_35", "sm_35", "entry(1@1, 2@2, 4@4, 8@8)", "c[0x0][0x140] | c[0x0][0x142] | c[0x0][0x144] | c[0x0][0x148]; block c[0x0][0x140] size 16"},
		{"kernel of sm_80", "sm_80", "entry(8@8, 4@4)", "c[0x0][0x160] | c[0x0][0x168]; block c[0x0][0x160] size 12"},
		{"kernel of sm_90", "sm_90", "entry(4@4, 8@8)", "c[0x0][0x210] | c[0x0][0x218]; block c[0x0][0x210] size 16"},
		{"kernel without parameters", "sm_90a", "entry()", "(); block c[0x0][0x210] size 0"},
		{"the total is not rounded", "sm_80", "entry(8@8, 1@1)", "c[0x0][0x160] | c[0x0][0x168]; block c[0x0][0x160] size 9"},
		{"an empty kernel parameter has no place", "sm_80", "entry(1@1, 0@8, 1@1)", "c[0x0][0x160] | none | c[0x0][0x161]; block c[0x0][0x160] size 2"},

		{"alignment 64 counts from the block on sm_62", "sm_62", "entry(4@64, 4@4)", "c[0x0][0x140] | c[0x0][0x144]; block c[0x0][0x140] size 8"},
		{"alignment 64 counts from the bank on sm_80", "sm_80", "entry(4@64, 4@4)", "c[0x0][0x180] | c[0x0][0x184]; block c[0x0][0x160] size 40"},
		{"alignment 64 counts from the bank on sm_90", "sm_90", "entry(4@64, 4@4)", "c[0x0][0x240] | c[0x0][0x244]; block c[0x0][0x210] size 56"},
		{"alignment 256 on sm_35", "sm_35", "entry(4@4, 4@256)", "c[0x0][0x140] | c[0x0][0x240]; block c[0x0][0x140] size 260"},
		{"alignment 256 on sm_80", "sm_80", "entry(4@4, 4@256)", "c[0x0][0x160] | c[0x0][0x200]; block c[0x0][0x160] size 164"},
		{"alignment 4096 on sm_80", "sm_80", "entry(4@4, 4@4096)", "c[0x0][0x160] | c[0x0][0x1000]; block c[0x0][0x160] size 3748"},
		{"alignment 8192 makes a large block", "sm_80", "entry(4@4, 4@8192)", "c[0x0][0x1a80] | c[0x0][0x3a80]; block c[0x0][0x1a80] size 8196"},

		{"4352 bytes", "sm_80", "entry(4352@1)", "c[0x0][0x160]; block c[0x0][0x160] size 4352"},
		{"4353 bytes", "sm_80", "entry(4353@1)", "c[0x0][0x1a80]; block c[0x0][0x1a80] size 4353"},
		{"4353 bytes on sm_90", "sm_90", "entry(4353@1)", "c[0x0][0x210]; block c[0x0][0x210] size 4353"},
		{"32764 bytes", "sm_80", "entry(32764@1)", "c[0x0][0x1a80]; block c[0x0][0x1a80] size 32764"},
		{"a large block is relative on sm_80", "sm_80", "entry(4320@128, 300@128)", "c[0x0][0x1a80] | c[0x0][0x2b80]; block c[0x0][0x1a80] size 4652"},
		{"a large block is absolute on sm_90", "sm_90", "entry(4320@128, 300@128)", "c[0x0][0x280] | c[0x0][0x1380]; block c[0x0][0x210] size 4764"},
		{"large only when relative", "sm_80", "entry(32@1, 4288@64, 16@1)", "c[0x0][0x1a80] | c[0x0][0x1ac0] | c[0x0][0x2b80]; block c[0x0][0x1a80] size 4368"},
		{"over the limit only when absolute", "sm_90", "entry(32760@128, 4@4)", "c[0x0][0x280] | c[0x0][0x8278]; block c[0x0][0x210] size 32876"},
		{"no dispute on sm_90", "sm_90", "entry(4320@128, 8@8)", "c[0x0][0x280] | c[0x0][0x1360]; block c[0x0][0x210] size 4440"},

		{"a handle between", "sm_80", "entry(1@1, opaque, 4@4)", "c[0x0][0x160] | none | c[0x0][0x164]; block c[0x0][0x160] size 8"},
		{"a handle at the end", "sm_80", "entry(1@1, opaque)", "c[0x0][0x160] | none; block c[0x0][0x160] size 4"},
		{"a handle at the end on sm_90", "sm_90", "entry(1@1, opaque)", "c[0x0][0x210] | none; block c[0x0][0x210] size 1"},
		{"handles alone", "sm_80", "entry(opaque, opaque)", "none | none; block c[0x0][0x160] size 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sig := signature(t, test.sig)
			a, err := abi.Assign(sig, target(t, test.target))
			require.NoError(t, err)
			assert.Equal(t, test.want, a.String(), "%s on %s", test.sig, test.target)
			for i, p := range a.Params {
				assert.Equal(t, max(sig.Params[i].Align, 1), p.Align)
			}
		})
	}
}

func TestAssignHidden(t *testing.T) {
	row := target(t, "sm_80")
	a, err := abi.Assign(signature(t, "func(4@4) -> 52@4"), row)
	require.NoError(t, err)
	assert.Equal(t, abi.Loc{Kind: abi.InReg, Reg: 4}, a.Sret)

	a, err = abi.Assign(signature(t, "func(4@4) -> 48@4"), row)
	require.NoError(t, err)
	assert.Equal(t, abi.Loc{}, a.Sret)
}

func TestAssignFamiliesAgree(t *testing.T) {
	sig := signature(t, "func(4@4, 8@8, 16@32, 48@4, 2@2, []@16) -> 64@8")
	want, err := abi.Assign(sig, target(t, "sm_35"))
	require.NoError(t, err)
	for _, row := range abi.Targets() {
		a, err := abi.Assign(sig, row)
		require.NoError(t, err)
		assert.Equal(t, want, a, row.Name)
	}
}

func TestAssignErrors(t *testing.T) {
	for _, test := range []struct {
		name, target, sig, want string
		code                    abi.Code
	}{
		{"negative size", "sm_80", "func(4@4, -1@1)", "parameter 1: a size of -1 bytes is not in 0 … 536870912", abi.BadSize},
		{"absurd size", "sm_80", "func() -> 536870913@1", "result 0: a size of 536870913 bytes is not in 0 … 536870912", abi.BadSize},
		{"alignment 3", "sm_80", "func(4@3)", "parameter 0: an alignment of 3 bytes is not a power of two in 1 … 536870912", abi.BadAlign},
		{"negative alignment", "sm_80", "entry(4@-8)", "parameter 0: an alignment of -8 bytes is not a power of two in 1 … 536870912", abi.BadAlign},
		{"absurd alignment", "sm_80", "entry(4@1073741824)", "parameter 0: an alignment of 1073741824 bytes is not a power of two in 1 … 536870912", abi.BadAlign},
		{"unsized in the middle", "sm_80", "func([]@1, 4@4)", "parameter 0: an unsized array must be the last parameter", abi.UnsizedPlace},
		{"unsized result", "sm_80", "func() -> []@1", "result 0: a result cannot be an unsized array", abi.UnsizedPlace},
		{"unsized in a kernel", "sm_80", "entry(4@4, []@1)", "parameter 1: a kernel has no unsized parameters", abi.UnsizedPlace},
		{"result of a kernel", "sm_80", "entry() -> 4@4", "result 0: a kernel has no results", abi.KernelResult},
		{"kernel of sm_62", "sm_62", "entry(4352@1, 1@1)", "parameter 1: ends at byte 4353 of the parameter block, sm_62 passes at most 4352", abi.TooLarge},
		{"kernel of sm_80", "sm_80", "entry(32764@1, 1@1, 1@1)", "parameter 1: ends at byte 32765 of the parameter block, sm_80 passes at most 32764", abi.TooLarge},
		{"kernel with gaps", "sm_90", "entry(4@4, 4@65536)", "parameter 1: ends at byte 65540 of the parameter block, sm_90 passes at most 32764", abi.TooLarge},
		{"stack", "sm_80", "func(8388608@1, 4@4, 48@4)", "parameter 2: the stack area grows to 8388656 bytes, beyond the 8388608 that local memory offsets reach", abi.TooLarge},
		{"result", "sm_80", "func() -> 8388609@1", "result 0: 8388609 bytes exceed the 8388608 that local memory offsets reach", abi.TooLarge},
		{"dispute", "sm_80", "entry(4320@128, 8@8)", "the parameter block takes 4328 bytes when alignments count from its start and 4360 when they count from the constant bank's, on either side of 4352: " +
			"ptxas 11.8 keeps the block at 0x160, ptxas 12.4 and later read it at 0x1a80 with offsets computed for 0x160", abi.Disputed},
		{"dispute at the last byte", "sm_70", "entry(4321@32)", "", 0},
		{
			"dispute after a handle", "sm_80", "entry(1@1, opaque, 1@1, 2@2, 8@8)",
			"parameter 2: stands after a handle: the record says that a handle aligns what follows it, the code reads as if there were no handle: " +
				"0x164 and 0x161 here; an alignment of 4 makes them one; " +
				"parameter 3: stands after a handle: the record says that a handle aligns what follows it, the code reads as if there were no handle: " +
				"0x166 and 0x162 here; an alignment of 4 makes them one", abi.Disputed,
		},
		{"dispute one alignment up", "sm_70", "entry(4321@64)", "the parameter block takes 4321 bytes when alignments count from its start and 4353 when they count from the constant bank's, on either side of 4352: " +
			"ptxas 11.8 keeps the block at 0x160, ptxas 12.4 and later read it at 0x1a80 with offsets computed for 0x160", abi.Disputed},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := abi.Assign(signature(t, test.sig), target(t, test.target))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
			assert.Equal(t, abi.Assignment{}, a)
			var e *abi.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.code, e.Code)
		})
	}
}

func TestAssignReportsAll(t *testing.T) {
	sig := abi.Signature{
		Kind:    abi.Entry,
		Params:  []abi.Value{{Size: -1, Align: 5}, {Kind: 9}, {Kind: abi.Unsized}},
		Results: []abi.Value{{Size: 4}},
	}
	_, err := abi.Assign(sig, nil)
	var list abi.ErrorList
	require.ErrorAs(t, err, &list)
	type brief struct {
		Param  int
		Result bool
		Code   abi.Code
	}
	var got []brief
	for _, e := range list {
		got = append(got, brief{e.Param, e.Result, e.Code})
	}
	assert.Equal(t, []brief{
		{0, true, abi.KernelResult},
		{0, false, abi.BadSize},
		{0, false, abi.BadAlign},
		{1, false, abi.BadKind},
		{2, false, abi.UnsizedPlace},
		{-1, false, abi.BadTarget},
	}, got)
	assert.Equal(t, "no errors", abi.ErrorList(nil).Error())
}

func TestAssignBadTarget(t *testing.T) {
	sig := abi.Signature{Params: []abi.Value{{Size: 4, Align: 4}}}
	check := func(row *abi.Target, want string) {
		t.Helper()
		for _, kind := range []abi.FuncKind{abi.Func, abi.Entry} {
			sig.Kind = kind
			_, err := abi.Assign(sig, row)
			assert.EqualError(t, err, want)
		}
	}
	check(nil, "no target")
	check(&abi.Target{}, "no target")

	for _, test := range []struct {
		change func(*abi.Target)
		want   string
	}{
		{func(r *abi.Target) { r.Passing.Count = 0 }, "the target's parameter registers are out of range"},
		{func(r *abi.Target) { r.Passing.Count = 33 }, "the target's parameter registers are out of range"},
		{func(r *abi.Target) { r.Passing.First = 244 }, "the target's parameter registers are out of range"},
		{func(r *abi.Target) { r.Passing.MaxAlign = 0 }, "the target's largest register alignment is out of range"},
		{func(r *abi.Target) { r.Passing.MaxAlign = 24 }, "the target's largest register alignment is out of range"},
		{func(r *abi.Target) { r.Passing.MaxResult = 52 }, "the target's largest register result exceeds its parameter registers"},
		{func(r *abi.Target) { r.Passing.MaxLocal = math.MaxInt32 }, "the target's reach in local memory is out of range"},
		{func(r *abi.Target) { r.Kernel.ParamBase = -1 }, "the target's parameter block is out of range"},
		{func(r *abi.Target) { r.Kernel.LargeParams = math.MaxInt32 }, "the target's parameter block is out of range"},
		{func(r *abi.Target) { r.Kernel.HandleAlign = 0 }, "the target's handle alignment is not a power of two"},
	} {
		row := target(t, "sm_80")
		test.change(row)
		check(row, test.want)
	}

	sig.Kind = 2
	_, err := abi.Assign(sig, target(t, "sm_80"))
	assert.EqualError(t, err, "no such kind of function: 2")
}

// TestAssignOtherRegisters moves the parameter registers, so that no register
// number can be hidden in the algorithm.
func TestAssignOtherRegisters(t *testing.T) {
	row := target(t, "sm_80")
	row.Passing.First, row.Passing.Count, row.Passing.MaxAlign = 7, 32, 128
	sig := signature(t, "func(4@4, 8@8, 16@16, 64@64, 4@128, 4@4)")
	a, err := abi.Assign(sig, row)
	require.NoError(t, err)
	assert.Equal(t, "R7 | R8:R9 | R12:R15 | R16:R31 | R32 | R10", a.String())

	a, err = abi.Assign(signature(t, "func(128@1, 4@4)"), row)
	require.NoError(t, err)
	assert.Equal(t, "R7:R38 | [R1+0x0]; stack 4", a.String())
}

func TestAssignReuse(t *testing.T) {
	row := target(t, "sm_80")
	fn := signature(t, "func(4@4, 8@8, 64@16, []@8) -> 64@4")
	kernel := signature(t, "entry(4@4, 8@64, opaque)")
	var a abi.Assignment
	require.NoError(t, a.Assign(fn, row))
	require.NoError(t, a.Assign(kernel, row))
	fresh, err := abi.Assign(kernel, row)
	require.NoError(t, err)
	assert.Equal(t, fresh.String(), a.String(), "nothing of the function is left")
	assert.Equal(t, abi.Loc{}, a.Sret)

	require.Error(t, a.Assign(signature(t, "func(4@3)"), row))
	assert.Equal(t, "()", a.String(), "nothing is left after an error")
	require.NoError(t, a.Assign(fn, row))
	assert.Equal(t, "R5 | R6:R7 | [R1+0x0] | [R1+0x40] -> [R4+0x0]; stack 64", a.String())

	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if a.Assign(fn, row) != nil || a.Assign(kernel, row) != nil {
			t.Error("no assignment")
		}
	}))
	pieces := make([]abi.Piece, 0, 16)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		pieces = pieces[:0]
		for _, p := range a.Params {
			pieces = p.AppendPieces(pieces)
		}
	}))
}

func BenchmarkAssign(b *testing.B) {
	row := target(b, "sm_80")
	for _, bench := range []struct{ name, sig string }{
		{"Words", "func(8@8, 8@8, 4@4, 4@4) -> 4@4"},
		{"Holes", "func(4@4, 8@8, 1@1, 12@8, 2@2, 16@16, 4@4, 64@8) -> 64@8"},
		{"Kernel", "entry(8@8, 8@8, 8@8, 4@4, 4@4, 128@64)"},
	} {
		sig := signature(b, bench.sig)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			var a abi.Assignment
			for b.Loop() {
				if err := a.Assign(sig, row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendPieces(b *testing.B) {
	a, err := abi.Assign(signature(b, "func(4@4, 8@8, 24@8, 64@8) -> 4@4"), target(b, "sm_80"))
	require.NoError(b, err)
	var pieces []abi.Piece
	b.ReportAllocs()
	for b.Loop() {
		pieces = pieces[:0]
		for _, p := range a.Params {
			pieces = p.AppendPieces(pieces)
		}
	}
}

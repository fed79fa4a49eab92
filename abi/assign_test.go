package abi_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestAssign holds what the assembler was seen to do: each line of testdata/assign.txt
// and of the document's blocks of "abi" is "TARGET: SIGNATURE = ASSIGNMENT" or
// "… = error CODE: MESSAGE", in the document without the code.
func TestAssign(t *testing.T) {
	lines := strings.Split(string(must.Read(t, "testdata/assign.txt")), "\n")
	for _, block := range regexp.MustCompile("(?s)```abi\n(.*?)```").FindAllStringSubmatch(readDocument(t), -1) {
		lines = append(lines, strings.Split(block[1], "\n")...)
	}
	n := 0
	for _, line := range lines {
		if line == "" || line[0] == '#' {
			continue
		}
		n++
		name, rest, ok := strings.Cut(line, ": ")
		require.True(t, ok, "%q: no target", line)
		text, want, ok := strings.Cut(rest, " = ")
		require.True(t, ok, "%q: no assignment", line)
		sig := signature(t, text)
		assert.Equal(t, text, sig.String())
		a, err := abi.Assign(sig, target(t, name))
		if err != nil {
			var e *abi.Error
			require.ErrorAs(t, err, &e, line)
			assert.Contains(t, []string{"error: " + err.Error(), fmt.Sprintf("error %s: %s", e.Code, err)}, want, line)
			assert.Equal(t, abi.Assignment{}, a, line)
			continue
		}
		assert.Equal(t, want, a.String(), line)
		var sret abi.Loc
		if strings.Contains(want, "-> [R4") {
			sret = abi.Loc{Kind: abi.InReg, Reg: 4}
		}
		assert.Equal(t, sret, a.Sret, line)
		for i, p := range a.Params {
			assert.Equal(t, max(sig.Params[i].Align, 1), p.Align, line)
		}
	}
	assert.GreaterOrEqual(t, n, 85+30)
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
			for b.Loop() {
				if _, err := abi.Assign(sig, row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestOutside holds that the signatures without a convention are those of functions whose values have no place.
func TestOutside(t *testing.T) {
	word, handle := abi.Value{Size: 4, Align: 4}, abi.Value{Kind: abi.Opaque}
	for _, tt := range []struct {
		sig  abi.Signature
		want string
	}{
		{abi.Signature{}, ""},
		{abi.Signature{Params: []abi.Value{word}, Results: []abi.Value{word}}, ""},
		{abi.Signature{Results: []abi.Value{word, word}}, "several results"},
		{abi.Signature{Params: []abi.Value{word, handle}}, "a handle"},
		{abi.Signature{Results: []abi.Value{handle}}, "a handle"},
		{abi.Signature{Kind: abi.Entry, Params: []abi.Value{word, handle}}, ""},
	} {
		assert.Equal(t, tt.want, tt.sig.Outside(), "%v", tt.sig)
		a, err := abi.Assign(tt.sig, must.Target(t, "sm_80"))
		require.NoError(t, err)
		for _, p := range append(a.Params, a.Results...) {
			if p.Size > 0 {
				assert.Equal(t, tt.want != "", p.Loc.Kind == abi.Nowhere, "%v", tt.sig)
			}
		}
	}
}

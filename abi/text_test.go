package abi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// signature reads the text form of a signature, "func(4@4, 12@8) -> 4@4".
func signature(t testing.TB, text string) abi.Signature {
	t.Helper()
	sig, err := abi.ParseSignature(text)
	require.NoError(t, err)
	return sig
}

// target returns the measured target of that name.
func target(t testing.TB, name string) *abi.Target {
	t.Helper()
	row := must.Target(t, name)
	return row
}

func TestSignatureString(t *testing.T) {
	for _, text := range []string{
		"func()",
		"func() -> 4@4",
		"func(4@4, 12@8) -> 4@4",
		"func(1@1, []@8)",
		"func(1@1, [24]@8) -> 0@1, 8@8",
		"func(4@4) -> 8@8; preserve 0",
		"entry(opaque, 64@64)",
	} {
		assert.Equal(t, text, signature(t, text).String())
	}
}

func TestLocString(t *testing.T) {
	for _, test := range []struct {
		loc  abi.Loc
		want string
	}{
		{abi.Loc{}, "none"},
		{abi.Loc{Kind: abi.InReg, Reg: 4}, "R4"},
		{abi.Loc{Kind: abi.OnStack}, "[R1+0x0]"},
		{abi.Loc{Kind: abi.OnStack, Off: 52}, "[R1+0x34]"},
		{abi.Loc{Kind: abi.InConst, Off: 352}, "c[0x0][0x160]"},
		{abi.Loc{Kind: abi.InConst, Bank: 3}, "c[0x3][0x0]"},
		{abi.Loc{Kind: abi.Indirect, Reg: 4, Off: 8}, "[R4+0x8]"},
		{abi.Loc{Kind: 9}, "Loc(9)"},
	} {
		assert.Equal(t, test.want, test.loc.String())
	}
}

func TestKindStrings(t *testing.T) {
	for _, test := range []struct {
		got  fmt.Stringer
		want string
	}{
		{abi.Data, "data"},
		{abi.Opaque, "opaque"},
		{abi.Unsized, "unsized"},
		{abi.Kind(7), "Kind(7)"},
		{abi.Func, "func"},
		{abi.Entry, "entry"},
		{abi.FuncKind(7), "FuncKind(7)"},
		{abi.Nowhere, "none"},
		{abi.InReg, "register"},
		{abi.OnStack, "stack"},
		{abi.InConst, "constant"},
		{abi.Indirect, "indirect"},
		{abi.LocKind(7), "LocKind(7)"},
		{abi.LocalOr, "or"},
		{abi.LocalAdd, "add"},
		{abi.LocalOp(0), "none"},
		{abi.Assumed, "assumed"},
		{abi.Documented, "documented"},
		{abi.Measured, "measured"},
		{abi.Grade(7), "Grade(7)"},
		{abi.BadTarget, "bad-target"},
		{abi.Disputed, "disputed"},
		{abi.Code(0), "Code(0)"},
		{abi.Code(99), "Code(99)"},
		{ptx.Version{Major: 8, Minor: 1}, "8.1"},
	} {
		assert.Equal(t, test.want, test.got.String())
	}
}

func TestPieces(t *testing.T) {
	for _, test := range []struct {
		name  string
		place abi.Placement
		want  string
	}{
		{"nowhere", abi.Placement{Align: 1}, "[]"},
		{"one byte in a register", abi.Placement{Loc: abi.Loc{Kind: abi.InReg, Reg: 4}, Size: 1, Align: 1}, "[[0:1] R4]"},
		{"the last word of three is short", abi.Placement{Loc: abi.Loc{Kind: abi.InReg, Reg: 6}, Size: 10, Align: 8}, "[[0:4] R6 [4:8] R7 [8:10] R8]"},
		{"stack", abi.Placement{Loc: abi.Loc{Kind: abi.OnStack, Off: 8}, Size: 10, Align: 8}, "[[0:10] [R1+0x8]]"},
		{"unsized", abi.Placement{Loc: abi.Loc{Kind: abi.OnStack, Off: 8}, Align: 8}, "[[0:0] [R1+0x8]]"},
		{"constant", abi.Placement{Loc: abi.Loc{Kind: abi.InConst, Off: 352}, Size: 64, Align: 8}, "[[0:64] c[0x0][0x160]]"},
		{"indirect", abi.Placement{Loc: abi.Loc{Kind: abi.Indirect, Reg: 4}, Size: 64, Align: 8}, "[[0:64] [R4+0x0]]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, fmt.Sprint(test.place.Pieces()))
		})
	}
}

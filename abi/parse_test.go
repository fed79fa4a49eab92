package abi_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ptxabi/ptxabi/abi"
)

// Blanks do not matter, and a value without alignment is aligned to 1.
func TestParseSignature(t *testing.T) {
	for text, want := range map[string]string{
		"func()":                                 "func()",
		" func ( 4 @ 4 ,12@8 )->4@4 ":            "func(4@4, 12@8) -> 4@4",
		"func([]@8)->8@8,4@4;preserve 12":        "func([]@8) -> 8@8, 4@4; preserve 12",
		"entry(opaque,\t[ 24 ]@16)":              "entry(opaque, [24]@16)",
		"func(4) -> [7]":                         "func(4) -> [7]",
		"func(4, [], []@8)\r\n":                  "func(4, [], []@8)",
		"func(4@4) -> 4@4 \n":                    "func(4@4) -> 4@4",
		"func(-4@-4, 2147483647@1); preserve -1": "func(-4@-4, 2147483647@1); preserve -1",
	} {
		s, err := abi.ParseSignature(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, s.String(), text)
	}
}

func TestParseSignatureErrors(t *testing.T) {
	const value = "a size, an array such as []@8, or opaque expected, found "
	for text, want := range map[string]string{
		"":                      `column 1: "func" or "entry" expected, found the end`,
		"fun(4@4)":              `column 1: "func" or "entry" expected, found "fun"`,
		"4@4":                   `column 1: "func" or "entry" expected, found "4"; column 4: "(" expected, found the end`,
		"func 4@4)":             `column 6: "(" expected, found "4"`,
		"func(4@4":              `column 9: "," or ")" expected, found the end`,
		"func(4@4 8@8)":         `column 10: "," or ")" expected, found "8"`,
		"func(4@4,)":            `column 10: ` + value + `")"`,
		"func(x, 4@, 8@y, 4@4)": `column 6: ` + value + `"x"; column 11: an alignment expected, found ","; column 15: an alignment expected, found "y"`,
		"func([@8)":             `column 7: the bytes of an array or "]" expected, found "@"`,
		"func([4@8)":            `column 8: "]" expected, found "@"`,
		"func() -> ":            `column 11: ` + value + `the end`,
		"func() - 4":            `column 8: "->", ";" or the end expected, found "-"`,
		"func() -> 4@4 4":       `column 15: ",", ";" or the end expected, found "4"`,
		"func(); keep 4":        `column 9: "preserve" expected, found "keep"`,
		"func(); preserve":      `column 17: the number of .abi_preserve expected, found the end`,
		"func(); preserve 4 4":  `column 20: the end expected, found "4"`,
		"func(4294967296@4)":    `column 6: a size, an array such as []@8, or opaque expected, found a number that does not fit 32 bits`,
		"func(4@0, [8]@00)":     `column 8: an alignment expected, found 0, which is not a power of two; without @ it is 1; column 15: an alignment expected, found 0, which is not a power of two; without @ it is 1`,
		"func(\n4@4)":           `column 6: ` + value + `"\n"`,
		"func(→)":               `column 6: ` + value + `"→"`,
	} {
		s, err := abi.ParseSignature(text)
		if assert.EqualError(t, err, want, text) {
			assert.Zero(t, s, text)
			var one *abi.SyntaxError
			assert.True(t, errors.As(err, &one), text)
		}
	}
}

// What String writes is read as it was.
func TestParseSignatureReadsString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSignature(t)
		if s.Kind == abi.Func && rapid.Bool().Draw(t, "preserving") {
			s.Preserve = abi.Preserve{Given: true, N: rapid.IntRange(0, 300).Draw(t, "preserve")}
		}
		got, err := abi.ParseSignature(s.String())
		require.NoError(t, err)
		if len(s.Params) == 0 {
			s.Params = nil
		}
		if len(s.Results) == 0 {
			s.Results = nil
		}
		require.Equal(t, s, got)
	})
}

// FuzzParseSignature checks that String writes what was read, and that errors are in the text or
// at its end.
func FuzzParseSignature(f *testing.F) {
	for _, text := range []string{"func(4@4, 12@8) -> 4@4", "entry(opaque, []@8)", "func([24]@8); preserve 4", "func(4@, x", "(", "func)->;"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := abi.ParseSignature(text)
		if err != nil {
			list := err.(abi.SyntaxErrorList)
			require.NotEmpty(t, list)
			last := 1
			for _, e := range list {
				require.GreaterOrEqual(t, e.Col, last, "%v", err)
				require.LessOrEqual(t, e.Col, len(text)+1)
				require.NotContains(t, strings.TrimSpace(e.Msg), "\n")
				last = e.Col
			}
			return
		}
		again, err := abi.ParseSignature(s.String())
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}

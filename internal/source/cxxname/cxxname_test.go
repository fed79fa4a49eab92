//go:build !explorer

package cxxname_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

func TestNames(t *testing.T) {
	for _, c := range []struct{ symbol, full, name, plain string }{
		{"saxpy", "saxpy", "saxpy", "saxpy"},
		{"_Z5saxpyifPf", "saxpy(int, float, float*)", "saxpy", "saxpy"},
		{"_ZN2ns5saxpyIfEEviPT_", "ns::saxpy<float>(int, float*)", "ns::saxpy<float>", "ns::saxpy"},
		{"_Z1kIL_Z1gEEvv", "k<g>()", "k<g>", "k"},
		{"_ZN3foo3bar17h0123456789abcdefE", "foo::bar", "foo::bar", "foo::bar"},
		{"_Z", "_Z", "_Z", "_Z"},
		{"_Z5saxpy_but_not_mangled", "_Z5saxpy_but_not_mangled", "_Z5saxpy_but_not_mangled", "_Z5saxpy_but_not_mangled"},
		{"", "", "", ""},
		// What S4_ refers to is float, which readers of names disagree on.
		{"_ZN1n1kILj64EfEENSt9enable_ifIXgesr8cusparse11sizeof_bitsIT0_EE5valueLi8EEvE4typeEPKS3_l", "n::k<64u, float>", "n::k<64u, float>", "n::k"},
	} {
		assert.Equal(t, c.full, cxxname.Full(c.symbol), c.symbol)
		assert.Equal(t, c.name, cxxname.Name(c.symbol), c.symbol)
		assert.Equal(t, c.plain, cxxname.Plain(c.symbol), c.symbol)
	}
}

// TestBounded reads a name that stands for one of many times its length.
func TestBounded(t *testing.T) {
	symbol := "_Z1fI1A" + strings.Repeat("1BIS_S_E", 20) + "Evv"
	assert.Less(t, len(cxxname.Full(symbol)), 1<<17)
	doubled := "_Z1f" + "1AI" + strings.Repeat("1AI", 40) + "i" + strings.Repeat("E", 41)
	assert.Less(t, len(cxxname.Full(doubled)), 1<<17)
}

// FuzzFull checks that every symbol has a name, whatever its bytes.
func FuzzFull(f *testing.F) {
	for _, s := range []string{"_Z5saxpyifPf", "_ZN2ns5saxpyIfEEviPT_", "_RNvC1a1b", "_ZN1a17h0123456789abcdefE"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, symbol string) {
		for _, name := range []string{cxxname.Full(symbol), cxxname.Name(symbol), cxxname.Plain(symbol)} {
			if symbol != "" && name == "" {
				t.Errorf("%q has no name", symbol)
			}
		}
	})
}

func TestParams(t *testing.T) {
	for symbol, want := range map[string]string{
		"saxpy": "", "_Z1kv": "", "_Z2flfidPfba": "float;int;double;float*;bool;signed char",
		"_Z6attendILb1ELi64EEv8AttnArgs": "AttnArgs", "_ZN2ns1fIfEEvNS_1SIT_iEEPFivE": "ns::S<float, int>;int (*)()",
		"_Z1kIJfiEEvDpT_": "float;int", "_Z1kIJEEvDpT_": "", "_Z2kqIJfiEEviDp3VecIT_Li3EEf": "int;Vec<float, 3>;Vec<int, 3>;float",
		"_Z2ktIJfiEEv3TupIJDpT_EES0_IJDpPS1_EEi": "Tup<float, int>;Tup<float*, int*>;int", "_Z3kfnIJfiEEvPFvDpT_ES1_": "void (*)(float, int);float;int",
		"_ZN12_GLOBAL__N_11kEPKNS_1SE": "(anonymous namespace)::S const*", "_Z1": "",
		"_ZN1n1kILj64EfEENSt9enable_ifIXgesr8cusparse11sizeof_bitsIT0_EE5valueLi8EEvE4typeEPKS3_l": "",
	} {
		assert.Equal(t, want, strings.Join(cxxname.Params(symbol), ";"), symbol)
	}
}

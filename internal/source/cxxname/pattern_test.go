//go:build !explorer

package cxxname

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPattern(t *testing.T) {
	const (
		step  = "_ZN2ns4stepEPfi"       // ns::step(float*, int)
		inst  = "_Z5saxpyIfEvPT_i"      // saxpy<float>(float*, int)
		plain = "k"                     // extern "C"
		pp    = "_Z4stepPPfS0_"         // step(float**, float**)
		anon  = "_ZN12_GLOBAL__N_11fEv" // (anonymous namespace)::f()
		array = "_Z1gRA4_Kf"            // g(float const (&) [4])
	)
	all := []string{step, inst, plain, pp, anon, array, "_notmangled"}
	for _, tt := range []struct {
		pattern string
		want    []string
	}{
		{"k", []string{plain}},
		{step, []string{step}},
		{"ns::step", []string{step}},
		{"step", []string{pp}},
		{"*step", []string{step, pp}},
		{"*step*", []string{step, pp}},
		{"ns::*", []string{step}},
		{"saxpy", []string{inst}},
		{"saxpy<float>", []string{inst}},
		{"saxpy<int>", nil},
		{"saxpy<*>", []string{inst}},
		{"saxpy<float>(float*,int)", []string{inst}},
		{"saxpy<float>(float *, int)", []string{inst}},
		{"ns::step(float*, int)", []string{step}},
		{"ns::step(float*)", nil},
		{"ns::step(*)", []string{step}},
		{"step(float**, float**)", []string{pp}},
		{"step(float*, float*)", nil},
		{"(anonymous namespace)::f", []string{anon}},
		{"_Z*", []string{step, inst, pp, anon, array}},
		{"_notmangled", []string{"_notmangled"}},
		{"*", all},
		{"", nil},
		{"K", nil},
	} {
		var got []string
		p := NewPattern(tt.pattern)
		for _, symbol := range all {
			if p.Matches(symbol) {
				got = append(got, symbol)
			}
		}
		assert.Equal(t, tt.want, got, tt.pattern)
	}
}

package resolved

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestNearRange looks names up again where what they mean has changed.
func TestNearRange(t *testing.T) {
	ranged := func(count int64) *Symbol {
		return &Symbol{Spec: &ptx.Spec{}, Var: &ptx.Var{Name: "%r", Count: count}}
	}
	var s scope
	outer, inner := ranged(100), ranged(10)
	one := &Symbol{Spec: &ptx.Spec{}, Var: &ptx.Var{Name: "%r5"}}
	add(&s, "%r", outer)
	for range 2 {
		assert.Same(t, outer, s.Lookup("%r5"))
		assert.Same(t, outer, s.Lookup("%r05"))
		assert.Nil(t, s.Lookup("%r100"))
		assert.Nil(t, s.Lookup("%r18446744073709551621")) // 5, modulo 2^64
	}
	s.Open()
	add(&s, "%r", inner)
	for range 2 {
		assert.Same(t, inner, s.Lookup("%r5"))
		assert.Same(t, outer, s.Lookup("%r50"))
	}
	s.Open()
	add(&s, "%r5", one)
	assert.Same(t, one, s.Lookup("%r5"))
	assert.Same(t, inner, s.Lookup("%r6"))
	s.Close()
	assert.Same(t, inner, s.Lookup("%r5"))
	s.Close()
	assert.Same(t, outer, s.Lookup("%r5"))
	s.Reset()
	assert.Nil(t, s.Lookup("%r5"))
}

// TestNewVar makes the symbol of a variable where one of everything else was.
func TestNewVar(t *testing.T) {
	var s scope
	*s.NewSymbol() = Symbol{Role: Result, Index: 3, Proto: &ptx.Prototype{}}
	*s.NewSymbol() = Symbol{Targets: &ptx.TargetList{}}
	s.Reset()
	spec, v := &ptx.Spec{}, &ptx.Var{Name: "a"}
	for range 2 {
		assert.Equal(t, &Symbol{Spec: spec, Var: v, Role: Param, Index: 1}, s.NewVar(spec, v, Param, 1))
	}
}

package resolved_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestNearRange looks names up again where what they mean has changed.
func TestNearRange(t *testing.T) {
	ranged := func(count int64) *resolved.Symbol {
		return &resolved.Symbol{Spec: &ptx.Spec{}, Var: &ptx.Var{Name: "%r", Count: count}}
	}
	var s resolved.Scope
	outer, inner := ranged(100), ranged(10)
	one := &resolved.Symbol{Spec: &ptx.Spec{}, Var: &ptx.Var{Name: "%r5"}}
	s.Add("%r", outer)
	for range 2 {
		assert.Same(t, outer, s.Lookup("%r5"))
		assert.Same(t, outer, s.Lookup("%r05"))
		assert.Nil(t, s.Lookup("%r100"))
		assert.Nil(t, s.Lookup("%r18446744073709551621")) // 5, modulo 2^64
	}
	s.Open()
	s.Add("%r", inner)
	for range 2 {
		assert.Same(t, inner, s.Lookup("%r5"))
		assert.Same(t, outer, s.Lookup("%r50"))
	}
	s.Open()
	s.Add("%r5", one)
	assert.Same(t, one, s.Lookup("%r5"))
	assert.Same(t, inner, s.Lookup("%r6"))
	s.Close()
	assert.Same(t, inner, s.Lookup("%r5"))
	s.Close()
	assert.Same(t, outer, s.Lookup("%r5"))
	s.Rewind()
	assert.Nil(t, s.Lookup("%r5"))
}

// TestNewVar makes the symbol of a variable where one of everything else was.
func TestNewVar(t *testing.T) {
	var s resolved.Scope
	*s.NewSymbol() = resolved.Symbol{Role: resolved.Result, Index: 3, Proto: &ptx.Prototype{}}
	*s.NewSymbol() = resolved.Symbol{Targets: &ptx.TargetList{}}
	s.Reset()
	spec, v := &ptx.Spec{}, &ptx.Var{Name: "a"}
	for range 2 {
		assert.Equal(t, &resolved.Symbol{Spec: spec, Var: v, Role: resolved.Param, Index: 1}, s.NewVar(spec, v, resolved.Param, 1))
	}
}

package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// TestNil holds that what is nil is an error that says so where it comes in.
func TestNil(t *testing.T) {
	target, err := abi.Lookup("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	places := func(*abitest.Function) (abi.Assignment, error) { return abi.Assignment{}, nil }
	compiler := func([]byte) (string, error) { return "", nil }
	of := func(typ layout.Type) error {
		_, err := layout.Of(typ, layout.LP64)
		return err
	}
	_, assign := abi.Assign(abi.Signature{}, nil)
	_, noTarget := lower.Module(&ptx.Module{}, nil, lower.Options{})
	_, zeroTarget := lower.Module(&ptx.Module{}, &abi.Target{}, lower.Options{})
	zeroWrite := lower.Write(nil, "", lower.Options{Target: &abi.Target{}})
	_, zeroAssign := abi.Assign(abi.Signature{}, &abi.Target{})
	_, noModule := lower.Module(nil, target, lower.Options{})
	noWrite := lower.Write(nil, "", lower.Options{})
	_, noListingsTarget := lowertest.CheckListings(nil, 1, 1, compiler)
	_, noCompiler := lowertest.CheckListings(target, 1, 1, nil)
	_, compare := lowertest.Compare(nil, "", nil)
	_, _, noSource := resolve.Target(nil, "", false)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{assign, "no target"},
		{abitest.CheckPlaces(nil, 1, 1, places), "no target"},
		{abitest.CheckPlaces(target, 1, 1, nil), "no backend"},
		{noListingsTarget, "no target"},
		{noCompiler, "no backend"},
		{compare, "no target"},
		{noTarget, "no target"},
		{zeroTarget, "no target"},
		{zeroWrite, "no target"},
		{zeroAssign, "no target"},
		{noModule, "no module"},
		{noSource, "the module has no .target"},
		{noWrite, "the module has no .target"},
		{lower.WriteOutline(nil, nil, lower.Options{}), "no module"},
		{check.Module(nil, check.Options{}).Err(), "no module"},
		{check.Link([]*ptx.Module{{}, nil}).Err(), "no module at index 1"},
		{of(nil), "no type"},
		{of((*layout.Record)(nil)), "no type"},
		{of((*layout.Alias)(nil)), "no type"},
		{of(&layout.Array{Elem: (*layout.Vector)(nil), Len: 2}), "no type"},
		{of(&layout.Record{Name: "R", Fields: []layout.Field{{Name: "x"}}}), "R.x: no type"},
		{of(&layout.Record{Name: "R", Fields: []layout.Field{{Name: "x", Type: (*layout.Qualified)(nil)}}}), "R.x: no type"},
	} {
		assert.ErrorContains(t, tt.err, tt.want)
	}
	assert.Empty(t, resolve.Functions(nil))
	assert.Equal(t, "no target", (*abi.Target)(nil).String())
	assert.Equal(t, "no target", new(abi.Target).String())
}

// TestOlderTarget holds what the documentation of lower.Module says: whether code
// runs on a target is not its business.
func TestOlderTarget(t *testing.T) {
	m := must.Parse(t, "x.ptx", []byte(".version 7.8\n.target sm_80\n.visible .func f() { ret; }\n"))
	older := must.Target(t, "sm_70")
	prog, err := lower.Module(m, older, lower.Options{})
	require.NoError(t, err)
	assert.Equal(t, "sm_70", prog.Target)
}

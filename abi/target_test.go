package abi_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/sass"
)

func TestLookup(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"sm_80", "sm_80"},
		{"80", "sm_80"},
		{"compute_80", "sm_80"},
		{"sm_90", "sm_90"},
		{"sm_90a", "sm_90a"},
		{"90a", "sm_90a"},
		{"compute_90a", "sm_90a"},
		{"35", "sm_35"},

		{"sm_30", "target sm_30 has not been measured; abi.Assume takes over the facts of another"},
		{"compute_20", "target sm_20 has not been measured; abi.Assume takes over the facts of another"},
		{"88", "sm_88"},
		{"sm_100", "sm_100"},
		{"sm_100a", "sm_100a"},
		{"120f", "sm_120f"},
		{"sm_13", "target sm_13 has no calling convention: its functions have no stack"},

		{"", `unknown target ""`},
		{"sm_", `unknown target "sm_"`},
		{"sm_8", `unknown target "sm_8"`},
		{"sm_99", `unknown target "sm_99"`},
		{"sm_080", `unknown target "sm_080"`},
		{"sm_80a", `unknown target "sm_80a"`},
		{"sm_90f", `unknown target "sm_90f"`},
		{"sm_100b", `unknown target "sm_100b"`},
		{"sm_100af", `unknown target "sm_100af"`},
		{"sm_30a", `unknown target "sm_30a"`},
		{"sm_80 ", `unknown target "sm_80 "`},
		{"SM_80", `unknown target "SM_80"`},
		{"sm_sm_80", `unknown target "sm_sm_80"`},
		{"compute_sm_80", `unknown target "compute_sm_80"`},
		{"sm_compute_80", `unknown target "sm_compute_80"`},
		{"gfx90a", `unknown target "gfx90a"`},
	} {
		row, err := abi.Lookup(test.name)
		if err == nil {
			assert.Equal(t, test.want, row.Name, "%q", test.name)
			assert.Equal(t, test.want, row.String())
			continue
		}
		assert.Nil(t, row)
		assert.EqualError(t, err, test.want, "%q", test.name)
		var unmeasured *abi.UnmeasuredError
		var unknown *abi.UnknownTargetError
		if errors.As(err, &unmeasured) {
			assert.NotContains(t, test.want, "unknown")
			assert.Equal(t, "sm_"+strings.TrimPrefix(strings.TrimPrefix(test.name, "sm_"), "compute_"), unmeasured.Name)
		} else if assert.ErrorAs(t, err, &unknown) {
			assert.Equal(t, test.name, unknown.Name)
		}
	}
}

func TestAssume(t *testing.T) {
	for _, test := range []struct {
		name, want, from, generation, param string
	}{
		{"sm_80", "sm_80", "", "Ampere", "c[0x0][0x160]"},
		{"sm_20", "sm_20", "sm_35", "Fermi", "c[0x0][0x140]"},
		{"sm_32", "sm_32", "sm_35", "Kepler", "c[0x0][0x140]"},
		{"compute_88", "sm_88", "", "", "c[0x0][0x160]"},
		{"100a", "sm_100a", "", "Blackwell", "c[0x0][0x380]"},
		{"sm_121f", "sm_121f", "", "Blackwell", "c[0x0][0x380]"},
		{"sm_122", "sm_122", "sm_121", "", "c[0x0][0x380]"},
		{"compute_130", "sm_130", "sm_121", "", "c[0x0][0x380]"},
		{"130a", "sm_130a", "sm_121a", "", "c[0x0][0x380]"},
	} {
		row, err := abi.Assume(test.name)
		require.NoError(t, err)
		assert.Equal(t, test.want, row.Name)
		assert.Equal(t, test.want, "sm_"+numeral(row.SM)+row.Suffix)
		assert.Equal(t, test.from, row.AssumedFrom)
		assert.Equal(t, test.generation, row.Generation)
		if test.from != "" {
			assert.Same(t, machine.Of(target(t, test.from).SM), machine.Of(row.SM), row.Name)
		}
		assert.Equal(t, test.from == "", row.Toolkits != "", "toolkits of %s", row.Name)
		a, err := abi.Assign(signature(t, "entry(4@4)"), row)
		require.NoError(t, err)
		assert.Equal(t, test.param, a.Params[0].String(), row.Name)

		for _, f := range row.Facts() {
			if test.from != "" {
				assert.Equal(t, abi.Assumed, f.Grade, f)
			} else {
				assert.NotEqual(t, abi.Assumed, f.Grade, f)
			}
		}
	}

	var unknown *abi.UnknownTargetError
	for _, name := range []string{"sm_99", "sm_104", "sm_1000", "sm_0130", "sm_130af", "sm_130b", "sm_", "130 "} {
		_, err := abi.Assume(name)
		assert.ErrorAs(t, err, &unknown, name)
	}
	var none *abi.UnmeasuredError
	_, err := abi.Assume("sm_13")
	require.ErrorAs(t, err, &none)
	assert.True(t, none.NoABI)
}

func numeral(n int) string {
	data, _ := json.Marshal(n)
	return string(data)
}

func TestTargets(t *testing.T) {
	rows := abi.Targets()
	var names []string
	for _, row := range rows {
		names = append(names, row.Name)
		again := must.Target(t, row.Name)
		assert.Equal(t, row, again)
		assert.Equal(t, row.Name, "sm_"+numeral(row.SM)+row.Suffix)
	}
	assert.Equal(t, "sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a"+
		" sm_100 sm_100a sm_100f sm_101 sm_101a sm_101f sm_103 sm_103a sm_103f sm_107 sm_107a sm_107f"+
		" sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f", strings.Join(names, " "))
	assert.True(t, slices.IsSortedFunc(rows, func(a, b *abi.Target) int {
		return cmp.Or(cmp.Compare(a.SM, b.SM), cmp.Compare(a.Suffix, b.Suffix))
	}))

	rows[0].Passing.First = 99
	rows[1] = nil
	fresh := abi.Targets()
	assert.Equal(t, sass.Reg(4), fresh[0].Passing.First, "a caller's change stays the caller's")
	assert.NotNil(t, fresh[1])
}

func TestMaxKernelParams(t *testing.T) {
	for _, test := range []struct {
		target       string
		major, minor int
		want         int
	}{
		{"sm_62", 8, 5, 4352},
		{"sm_80", 0, 0, 4352},
		{"sm_80", 7, 9, 4352},
		{"sm_80", 8, 0, 4352},
		{"sm_80", 8, 1, 32764},
		{"sm_90a", 9, 0, 32764},
	} {
		got := target(t, test.target).MaxKernelParams(abi.Version{Major: test.major, Minor: test.minor})
		assert.Equal(t, test.want, got, "%s, PTX ISA %d.%d", test.target, test.major, test.minor)
	}
	assert.Zero(t, new(abi.Target).MaxKernelParams(abi.Version{Major: 8, Minor: 1}))
}

// TestRegistersAreComplete requires that every usable register is either
// callee-saved or caller-saved or holds the return address, and that the parameter
// registers are caller-saved.
func TestRegistersAreComplete(t *testing.T) {
	for _, row := range abi.Targets() {
		f := &row.Regs
		assert.Equal(t, abi.RegSet{}, f.CalleeSaved.Intersect(f.CallerSaved), row.Name)
		all := f.CalleeSaved.Union(f.CallerSaved)
		if f.HasRetAddr() {
			ret := abi.Regs(f.RetAddr, f.RetAddr+1)
			assert.Equal(t, abi.RegSet{}, all.Intersect(ret), row.Name)
			all = all.Union(ret)
		}
		assert.Equal(t, abi.RegRange(0, f.Last), all, row.Name)
		assert.Equal(t, row.Family() == "new", f.HasRetAddr(), row.Name)
		assert.True(t, f.CalleeSaved.Has(f.SP), row.Name)
		p := &row.Passing
		assert.Equal(t, abi.RegSet{}, abi.RegRange(p.First, p.First+sass.Reg(p.Count-1)).Minus(f.CallerSaved), row.Name)

		for r := 32; r <= int(f.Last); r++ {
			assert.Equal(t, r%8 >= 4, f.CalleeSaved.Has(sass.Reg(r)), "R%d on %s", r, row.Name)
		}
	}
}

// TestFacts requires facts that do not depend on the target in number, order
// and names, and that nothing measured stands without a toolkit.
func TestFacts(t *testing.T) {
	var names []string
	for _, f := range target(t, "sm_35").Facts() {
		names = append(names, f.Name)
	}
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	assert.Len(t, slices.Compact(sorted), len(names), "names are distinct")

	for _, row := range append(abi.Targets(), new(abi.Target)) {
		facts := row.Facts()
		require.Len(t, facts, len(names))
		for i, f := range facts {
			assert.Equal(t, names[i], f.Name)
			assert.NotEmpty(t, f.Value, f.Name)
			assert.NotEmpty(t, f.Source, f.Name)
			switch f.Grade {
			case abi.Measured:
				assert.Contains(t, f.Source, "ptxas 1", f)
			case abi.Documented:
				assert.NotContains(t, f.Source, "ptxas", f)
			case abi.Assumed:
				if f.Name != "register of the frame where alloca is used" || row.Frame.Alloca {
					assert.Empty(t, row.Name, "%s: %s", row.Name, f)
				}
			}
		}
	}
}

func TestFactText(t *testing.T) {
	facts := target(t, "sm_88").Facts()
	i := slices.IndexFunc(facts, func(f abi.Fact) bool { return f.Name == "return address" })
	require.GreaterOrEqual(t, i, 0)
	assert.Equal(t, "return address: R20:R21 (measured: ptxas 13.0.88, 13.4.59, 13.5.37)", facts[i].String())
	data, err := json.Marshal(facts[i])
	require.NoError(t, err)
	assert.JSONEq(t, `{"name":"return address","value":"R20:R21","grade":"measured","source":"ptxas 13.0.88, 13.4.59, 13.5.37"}`, string(data))

	row, err := abi.Assume("sm_30")
	require.NoError(t, err)
	assert.Equal(t, "return address: hardware call stack (assumed: as on sm_35)", row.Facts()[i].String())
}

// TestFactSources requires that a fact on which releases disagree names those
// that it is from.
func TestFactSources(t *testing.T) {
	for _, test := range []struct{ target, fact, want string }{
		{"sm_80", "return column of debug frames", "R20 (measured: ptxas 11.8.89, 12.4.131, 12.8.93, 12.9.86, 13.0.88, 13.4.59, 13.5.37)"},
		{"sm_61", "DWARF numbers of registers", "Rn 0x05000000+n, Pn 0x02000000+n, carry 0x01000000 (measured: ptxas 11.8.89, 12.4.131, 12.8.93, 12.9.86)"},
		{"sm_90", "table of function addresses", "__UFT_OFFSET (measured: ptxas 12.4.131, 12.8.93, 12.9.86, 13.0.88, 13.4.59, 13.5.37; 11.8.89 uses none)"},
		{"sm_90a", "table of function addresses", "__UFT_OFFSET (measured: ptxas 12.4.131, 12.8.93, 12.9.86, 13.0.88, 13.4.59, 13.5.37)"},
		{"sm_70", "large kernel parameters", "c[0x0][0x1a80] (measured: ptxas 12.4.131, 12.8.93, 12.9.86)"},
		{"sm_35", "large kernel parameters", "none (measured: ptxas 11.8.89)"},
		{"sm_35", "large kernel parameters from", "none (measured: ptxas 11.8.89)"},
		{"sm_70", "large kernel parameters from", "PTX ISA 8.1 (measured: ptxas 12.4.131, 12.8.93, 12.9.86)"},
		{"sm_88", "large kernel parameters from", "PTX ISA 8.1 (measured: ptxas 13.0.88)"},
		{"sm_100", "large kernel parameters from", "PTX ISA 8.1 (documented: PTX ISA, Kernel and Function Directives: .entry)"},
		{"sm_120", "stack adjustment", "IADD R1, R1, n (measured: ptxas 13.4.59, 13.5.37)"},
		{"sm_120", "other spellings of the stack adjustment", "ptxas 12.8 to 13.0 write IADD3 R1, PT, PT, R1, n, RZ (measured: ptxas 12.8.93, 12.9.86, 13.0.88)"},
		{"sm_100", "stack adjustment", "IADD3 R1, PT, PT, R1, n, RZ (measured: ptxas 12.8.93, 12.9.86, 13.0.88, 13.4.59, 13.5.37)"},
		{"sm_80", "uniform registers that are callee-saved in some releases", "UR62-UR254 (measured: ptxas 12.4.131, 12.8.93, 12.9.86; the first also 11.8.89)"},
		{"sm_101f", "uniform registers that are callee-saved in some releases", "UR78-UR254 (measured: ptxas 12.9.86)"},
		{"sm_50", "register of the frame where alloca is used", "R2 (assumed: as on sm_52; the assembler refuses alloca here)"},
		{"sm_107", "uniform registers that are callee-saved in some releases", "none (measured: ptxas 13.4.59, 13.5.37)"},
		{"sm_107", "generation", "none (documented: not named in the CUDA C++ Programming Guide, Compute Capabilities)"},
	} {
		facts := target(t, test.target).Facts()
		i := slices.IndexFunc(facts, func(f abi.Fact) bool { return f.Name == test.fact })
		require.GreaterOrEqual(t, i, 0, test.fact)
		assert.Equal(t, test.fact+": "+test.want, facts[i].String(), test.target)
	}
}

// TestFactsAreComplete changes each field of a row in turn and requires that
// some fact shows it, and so for the machine of its number, which all share.
func TestFactsAreComplete(t *testing.T) {
	notFacts := []string{"Name", "SM", "Suffix", "Toolkits", "AssumedFrom"}
	for _, name := range []string{"sm_35", "sm_90"} {
		row := target(t, name)
		want := row.Facts()
		var visit func(path string, v reflect.Value)
		visit = func(path string, v reflect.Value) {
			if v.Kind() == reflect.Struct {
				for _, f := range reflect.VisibleFields(v.Type()) {
					if !f.Anonymous {
						visit(strings.TrimPrefix(path+"."+f.Name, "."), v.FieldByIndex(f.Index))
					}
				}
				return
			}
			if slices.Contains(notFacts, path) {
				return
			}
			old := reflect.ValueOf(v.Interface())
			defer v.Set(old)
			switch v.Kind() {
			case reflect.Bool:
				v.SetBool(!v.Bool())
			case reflect.Int:
				v.SetInt(v.Int() + 4)
			case reflect.Uint8:
				v.SetUint(v.Uint() ^ 3)
			case reflect.String:
				v.SetString(v.String() + "?")
			case reflect.Array:
				if e := v.Index(0); e.Kind() == reflect.Int {
					e.SetInt(e.Int() + 8)
				} else {
					e.SetUint(e.Uint() ^ 1<<50)
				}
			default:
				t.Fatalf("%s: no change known for %s", path, v.Kind())
			}
			got := row.Facts()
			if reflect.DeepEqual(want, got) && !hiddenByAnother(row, path) {
				t.Errorf("%s on %s: no fact shows it", path, name)
			}
		}
		visit("", reflect.ValueOf(row).Elem())
		visit("", reflect.ValueOf(machine.Of(row.SM)).Elem())
		require.Equal(t, want, row.Facts(), "the row is as it was")
	}
}

// hiddenByAnother reports whether a field says nothing on the row because of
// what another one says.
func hiddenByAnother(row *abi.Target, path string) bool {
	switch path {
	case "Kernel.LargeSince.Major", "Kernel.LargeSince.Minor", "Kernel.LargeBase", "Kernel.LargeAbsoluteAlign":
		return row.Kernel.LargeParams == 0
	}
	return false
}

func TestTargetsAreComparable(t *testing.T) {
	assert.True(t, *target(t, "sm_80") == *target(t, "80"))
	assert.False(t, *target(t, "sm_80") == *target(t, "sm_86"))
}

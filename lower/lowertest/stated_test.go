package lowertest_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// kit returns functions that the kit has for a target: the corpus and n random ones.
func kit(target *abi.Target, n int) []*abitest.Function {
	var list []*abitest.Function
	add := func(f *abitest.Function) {
		if _, err := abi.Assign(f.ABI(), target); err == nil && !f.Opaque() {
			list = append(list, f)
		}
	}
	for _, c := range abitest.Corpus() {
		add(c.Function)
	}
	for i := range n {
		add(abitest.Random(1, i, abitest.DialectOf(target, ptx.Version{})))
	}
	return list
}

// TestStatedInput holds what the modules of the kit consist of against what the package
// documentation says a backend has to read.
func TestStatedInput(t *testing.T) {
	doc := must.Read(t, "lowertest.go")
	_, section, ok := strings.Cut(string(doc), "// # What a backend has to read\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "// # What a listing may contain\n")
	var stated []string
	for _, line := range regexp.MustCompile(`(?m)^//\t(.*)$`).FindAllStringSubmatch(section, -1) {
		stated = append(stated, strings.Fields(line[1])...)
	}
	slices.Sort(stated)

	ops, preserved := make(map[string]bool), false
	for _, target := range abi.Targets() {
		m := must.Parse(t, "module.ptx", lowertest.Module(target, kit(target, effort.Of(20, 40))))
		for _, it := range m.Items {
			f, ok := it.(*ptx.Func)
			if !ok {
				assert.IsType(t, &ptx.Directive{}, it)
				continue
			}
			preserved = preserved || strings.Contains(fmt.Sprint(f.Directives), "abi_preserve")
			for _, s := range f.Body {
				switch s := s.(type) {
				case *ptx.Decl:
					assert.Len(t, s.Vars, 1)
					assert.Contains(t, []ptx.Space{ptx.RegSpace, ptx.ParamSpace}, s.Space)
				case *ptx.Instr:
					ops[s.Op] = true
					assert.Nil(t, s.Guard)
				case *ptx.Access:
					ops[s.Op] = true
					assert.Nil(t, s.Guard)
				case *ptx.Call:
					ops[s.Op] = true
					assert.Nil(t, s.Guard)
				default:
					t.Errorf("%s: the documentation names no %T", f.Name, s)
				}
			}
		}
	}
	for _, src := range lowertest.Programs(mustTarget(t, "sm_80"), 1, 150) {
		for _, op := range regexp.MustCompile(`(?m)^\t+(?:@%\w+ )?([a-z][\w.]*)[ ;]`).FindAllStringSubmatch(string(src), -1) {
			ops[op[1]] = true
		}
	}
	assert.Equal(t, stated, slices.Sorted(maps.Keys(ops)))
	assert.True(t, preserved)
}

// TestStatedListings holds that what the package documentation says is not compared is not.
// Listings of NVIDIA's disassemblers are compared by the tests of internal/lab/places.
func TestStatedListings(t *testing.T) {
	for _, name := range effort.Of([]string{"sm_35", "sm_90"}, []string{"sm_35", "sm_80", "sm_90", "sm_120"}) {
		target := mustTarget(t, name)
		src := lowertest.Module(target, kit(target, effort.Of(20, 40)))
		plain, err := ours(target, func(*sass.Instr) {})(src)
		require.NoError(t, err)
		want := compared(t, src, plain, target)
		require.Empty(t, want.Differences)
		require.Empty(t, want.NotCompared)
		for _, tt := range []struct {
			what   string
			change func(line string) string
		}{
			{"another predicate", func(line string) string { return "\tISETP.NE.AND P3, PT, R4, RZ, PT ;\n" + line }},
			{"a barrier", func(line string) string { return "\tBSSY B3, 0x40 ;\n" + line }},
		} {
			if tt.what == "a barrier" && !target.Regs.HasRetAddr() {
				continue
			}
			n := 0
			changed := regexp.MustCompile(`(?m)^\t[^/.\n].* ;( *//.*)?$`).ReplaceAllStringFunc(plain, func(line string) string {
				n++
				return tt.change(line)
			})
			require.Greater(t, n, effort.Of(250, 500))
			got := compared(t, src, changed, target)
			assert.Empty(t, got.Differences, "%s: %s", name, tt.what)
			assert.Empty(t, got.NotFollowed, "%s: %s", name, tt.what)
			assert.Equal(t, want.Coverage.String(), got.Coverage.String(), "%s: %s", name, tt.what)
		}
	}
}

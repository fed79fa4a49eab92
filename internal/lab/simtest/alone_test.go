package simtest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

var (
	madeLabel  = regexp.MustCompile(`\.L_x_\d+`)
	beforeNote = regexp.MustCompile(` +//`)
)

// alone returns the text of a function without the numbers of labels, which count
// through the module.
func alone(f *sass.Func) string {
	p := sass.Program{Funcs: []*sass.Func{f}}
	return beforeNote.ReplaceAllString(madeLabel.ReplaceAllString(p.String(), ".L_x_"), " //")
}

// TestAlone holds that what becomes of a function does not depend on the functions
// before it: memory that is used again holds nothing of them.
func TestAlone(t *testing.T) {
	compared := 0
	for i := range effort.Of[uint64](20, 120) {
		target := abi.Targets()[i%uint64(len(abi.Targets()))]
		s := randomSpec(1+i, target)
		m := must.Parse(t, "random.ptx", []byte(s.source(target)))
		for _, homes := range []lower.Homes{nil, &randomHomes{t: target, seed: s.Seed, mod: m}} {
			all, err := lower.Module(m, target, allocated(homes))
			if err != nil { // an allocation that leaves no room
				continue
			}
			for _, f := range all.Funcs {
				opts := allocated(homes)
				opts.Func = f.Name
				one, err := lower.Module(m, target, opts)
				require.NoError(t, err)
				require.Len(t, one.Funcs, 1)
				require.Equal(t, strings.Split(alone(one.Funcs[0]), "\n"), strings.Split(alone(f), "\n"), "%s, seed %d on %s, homes: %t", f.Name, s.Seed, target.Name, homes != nil)
				compared++
			}
		}
	}
	assert.Greater(t, compared, 65)
}

// slotsOf has slots in one function, and homes in all.
type slotsOf struct {
	fixedSlots
	name string
}

func (s slotsOf) Slot(f *ptx.Func, r lower.Virtual) (int, bool) {
	if f.Name != s.name {
		return 0, false
	}
	return s.fixedSlots.Slot(f, r)
}

// TestFreeRegistersAlone has two functions of one text, the second with slots: the
// registers that those go through are free in the first, and not in the second.
func TestFreeRegistersAlone(t *testing.T) {
	src := ".version 7.8\n.target sm_52\n.address_size 64\n.extern .func e (.param .align 16 .b8 z[128]);\n"
	for _, name := range []string{"first", "second"} {
		src += ".func " + name + " (.param .b32 a, .param .b32 b)\n{\n\t.reg .b32 %r<6>;\n\tmov.b32 %r3, 1;\n\tmov.b32 %r4, 1;\n\tmov.b32 %r5, 1;\n\tld.param.b32 %r1, [a];\n\tld.param.b32 %r2, [b];\n" +
			"\t.param .align 16 .b8 z[128];\n\tst.param.v2.b32 [z], {%r1, %r2};\n\tst.param.v2.b32 [z+8], {7, %r2};\n\tcall e, (z);\n\tret;\n}\n"
	}
	m := must.Parse(t, "two.ptx", []byte(src))
	target := must.Target(t, "sm_52")
	homes := slotsOf{fixedSlots{fixedHomes{"%r1": 17, "%r3": 4, "%r4": 8, "%r5": 12}, map[string]int{"%r2": 0}}, "second"}
	opts := lower.Options{Homes: homes, Slots: homes}
	all, err := lower.Module(m, target, opts)
	require.NoError(t, err)
	opts.Func = "second"
	one, err := lower.Module(m, target, opts)
	require.NoError(t, err)
	assert.Equal(t, alone(one.Funcs[0]), alone(all.Funcs[1]))
}

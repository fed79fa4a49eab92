package places

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// TestListingsAgreeThroughPointers compares calls of random signatures through
// pointers. PTXABI_ORACLE_N sets how many for each target.
func TestListingsAgreeThroughPointers(t *testing.T) {
	n := setting(t, "PTXABI_ORACLE_N", 8)
	eachTarget(t, func(t *testing.T, tk *oracle.Toolkit, target *abi.Target, _ int) {
		var batch []*trial
		for i := range n {
			p := newTrial(abitest.Random(11, i, abitest.DialectOf(target, tk.PTX)), i)
			if _, err := abi.Assign(p.Function.ABI(), target); err != nil || p.Function.Kernel {
				continue
			}
			p.Thin()
			p.Through = true
			batch = append(batch, p)
		}
		r := agree(t, tk, target, batch)
		assert.Equal(t, len(batch), r.Calls)
		if target.SM == 90 && tk.Version.String() < "12" {
			// This release has no table of function addresses: docs/abi.md, "Function
			// addresses".
			assert.Contains(t, fmt.Sprint(r.NotCompared), "as ptxas 11.8 has it")
		}
	})
}

// TestListingsAgreeOnPreserve compares functions with .abi_preserve and calls of
// such, half of them through pointers, with each toolkit that takes the directive.
func TestListingsAgreeOnPreserve(t *testing.T) {
	few := 8
	if testing.Short() {
		few = 2
	}
	seed, n := setting(t, "PTXABI_ORACLE_SEED", 1), setting(t, "PTXABI_ORACLE_N", few)
	eachTarget(t, func(t *testing.T, tk *oracle.Toolkit, target *abi.Target, i int) {
		if !tk.PTX.AtLeast(9, 0) || target.Passing.Preserving.Most == 0 {
			return
		}
		var batch []*trial
		for k, s := range preserving(uint64(seed+i), n, target, abitest.DialectOf(target, tk.PTX)) {
			p := newTrial(s, k)
			p.Thin()
			p.Through = k%2 == 1
			batch = append(batch, p)
		}
		assert.Equal(t, n, agree(t, tk, target, batch).Calls)
	})
}

// TestListingsNoticeConventions breaks what only conventions of .abi_preserve and
// calls through pointers have.
func TestListingsNoticeConventions(t *testing.T) {
	target := must.Target(t, "sm_80")
	for _, tt := range []struct {
		name   string
		want   string
		change func(*sass.Instr) bool
	}{
		{"another return address", "should hold the low word of the address of the label after the call", func(in *sass.Instr) bool {
			found := in.Note == "return address" && in.Op == "MOV"
			if found {
				in.Args[0].Reg -= 2
			}
			return found
		}},
		{"another pointer", "call 1 of a pointer: word 0 of what it goes through should", func(in *sass.Instr) bool {
			found := in.Op == "CALL.ABS.NOINC" && in.Args[0].Kind == sass.KindVirtual
			if found {
				in.Args[0] = sass.Register(0)
			}
			return found
		}},
		{"another return", "where the caller puts the return address", func(in *sass.Instr) bool {
			found := in.Op == "RET.ABS.NODEC"
			if found {
				in.Args[0] = sass.Register(20)
			}
			return found
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := preserving(5, 1, target, abitest.DialectOf(target, ptx.Version{}))[0]
			s.Preserve.N = 8
			p := newTrial(s, 0)
			p.Thin()
			p.Through = true
			src := moduleOf([]*trial{p}, target.Name, ptx.Version{Major: 9}, false)
			prog := lowered(t, src, target)
			found := false
			for _, f := range prog.Funcs {
				for i := range f.Items {
					in := &f.Items[i].Instr
					in.Args = slices.Clone(in.Args)
					found = found || tt.change(in)
				}
			}
			require.True(t, found, "there is nothing to break")
			assert.Contains(t, fmt.Sprint(compared(t, prog.String(), src, target).Differences), tt.want)
		})
	}
}

// preservingToolkit returns one that takes .abi_preserve.
func preservingToolkit(t *testing.T) *oracle.Toolkit {
	t.Helper()
	for _, tk := range toolkits(t) {
		if tk.PTX.AtLeast(9, 0) {
			return tk
		}
	}
	t.Skip("no toolkit here knows .abi_preserve")
	return nil
}

// TestPreserveSaves holds what callers save against ptxas, for callers and callees
// with every pair of some numbers: ptxas saves the same, and what its own code
// has a use for. A few it copies to registers that the caller need not preserve
// and the callee does, in place of saving them.
func TestPreserveSaves(t *testing.T) {
	tk := preservingToolkit(t)
	numbers := []int{-1, 0, 1, 2, 3, 4, 7, 17, 40, 101, 237}
	directive := func(n int) string {
		if n < 0 {
			return ""
		}
		return fmt.Sprintf(" .abi_preserve %d", n)
	}
	for _, name := range []string{"sm_80", "sm_90", "sm_120"} {
		target := must.Target(t, name)
		var src strings.Builder
		fmt.Fprintf(&src, ".version %s\n.target %s\n.address_size 64\n", tk.PTX, name)
		for i, n := range numbers {
			fmt.Fprintf(&src, ".extern .func (.param .b32 r) ext_%d (.param .b32 x)%s;\n", i, directive(n))
		}
		for i, own := range numbers {
			for k := range numbers {
				fmt.Fprintf(&src, `.visible .func (.param .b32 r) f_%d_%d (.param .b32 x)%s
{
	.reg .b32 %%a<4>;
	.param .b32 p;
	.param .b32 q;
	ld.param.b32 %%a1, [x];
	st.param.b32 [p], %%a1;
	call (q), ext_%d, (p);
	ld.param.b32 %%a2, [q];
	add.u32 %%a2, %%a2, %%a1;
	st.param.b32 [r], %%a2;
	ret;
}
`, i, k, directive(own), k)
			}
		}
		listings, err := symexec.Parse(ptxasOf(t, tk, src.String(), target))
		require.NoError(t, err)
		pairs := 0
		for _, f := range lowered(t, src.String(), target).Funcs {
			require.Contains(t, listings, f.Name)
			theirs, copied := savedBefore(listings[f.Name])
			ours := abi.RegSet{}
			for i := range f.Items {
				if in := &f.Items[i].Instr; in.Note == "saved" {
					ours = ours.Union(abi.Regs(in.Args[1].Reg))
				}
			}
			pairs++
			assert.Equal(t, "none", ours.Minus(theirs).Minus(copied).String(), "%s, %s: we save more", name, f.Name)
			assert.LessOrEqual(t, theirs.Minus(ours).Len(), 2, "%s, %s: ptxas saves more: %s", name, f.Name, theirs.Minus(ours))
		}
		assert.Equal(t, len(numbers)*len(numbers), pairs)
	}
}

// savedBefore returns the registers that a listing stores before its call, and
// those that it copies to others there.
func savedBefore(l *symexec.Listing) (stored, copied abi.RegSet) {
	for i := range l.Instrs {
		in := &l.Instrs[i]
		n := len(in.Args) - 1
		switch {
		case symexec.IsEnd(in.Name):
			return stored, copied
		case n < 1 || in.Args[n].Kind != sass.KindRegister || in.Args[n].Reg == sass.RZ:
		case in.Name == "STL":
			stored = stored.Union(abi.Regs(in.Args[n].Reg))
		case in.Name == "MOV" || in.Name == "IMAD" && in.Has("MOV"):
			copied = copied.Union(abi.Regs(in.Args[n].Reg))
		}
	}
	return stored, copied
}

package abitest_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/textdiff"
)

const corpusHead = `# The corpus of package abitest: functions and kernels, and where their values
# live. A test of that package writes this file.
#
# Each case is a line that says what it shows, the declaration in PTX, and the
# signature: size@alignment of each value in bytes, []@8 for an array without
# extent, [24]@8 for one of which a caller passes 24 bytes. Then comes, for each
# group of targets that agree, a line with the places of the parameters, those of
# the results behind ->, and the size in bytes of the stack area or of the
# parameter block. R4 is a register, R6:R8 are three, [R1+0x8] is an offset from
# the stack pointer at the callee's entry, [R4+0x0] memory whose address is in R4,
# c[0x0][0x160] a byte of constant bank 0.
`

// TestCorpusText holds corpus.txt against the corpus; PTXABI_UPDATE=1 rewrites it.
func TestCorpusText(t *testing.T) {
	var b strings.Builder
	b.WriteString(corpusHead)
	for _, c := range abitest.Corpus() {
		fmt.Fprintf(&b, "\n%s\n\t%s\n\t%s\n", c.Why, c.Function, c.Function.ABI())
		targets := make(map[string][]string)
		var order []string
		for _, row := range abi.Targets() {
			a, err := abi.Assign(c.Function.ABI(), row)
			require.NoError(t, err, "%s on %s: the corpus has answers alone", c.Why, row.Name)
			text := a.String()
			if targets[text] == nil {
				order = append(order, text)
			}
			targets[text] = append(targets[text], row.Name)
		}
		for _, text := range order {
			names := strings.Join(targets[text], " ")
			if len(order) == 1 {
				names = "all"
			}
			fmt.Fprintf(&b, "\t%s = %s\n", names, text)
		}
	}
	if b.String() == abitest.CorpusText {
		return
	}
	if golden.Update() {
		require.NoError(t, os.WriteFile("corpus.txt", []byte(b.String()), 0o666))
		return
	}
	t.Errorf("corpus.txt is stale; PTXABI_UPDATE=1 rewrites it:\n%s", textdiff.Unified(abitest.CorpusText, b.String(), "corpus.txt", "the corpus"))
}

// TestCorpus holds that no two cases show the same or are the same, and that
// what a caller of Corpus does to its answer stays there.
func TestCorpus(t *testing.T) {
	why, decl := make(map[string]bool), make(map[string]string)
	for _, c := range abitest.Corpus() {
		assert.False(t, why[c.Why], c.Why)
		why[c.Why] = true
		text := fmt.Sprint(c.Function, c.Function.ABI())
		assert.Empty(t, decl[text], "%q declares the same as %q", c.Why, decl[text])
		decl[text] = c.Why
	}
	list := abitest.Corpus()
	list[1].Function.Params[0].Type = "b64"
	assert.Equal(t, "b32", abitest.Corpus()[1].Function.Params[0].Type)
}

// right is a backend that asks abi.Assign.
func right(target *abi.Target) abitest.Backend {
	return func(f *abitest.Function) (abi.Assignment, error) { return abi.Assign(f.ABI(), target) }
}

func TestCheckAgrees(t *testing.T) {
	for _, target := range abi.Targets() {
		compared := 0
		err := abitest.Check(target, 1, 200, func(f *abitest.Function) (abi.Assignment, error) {
			compared++
			return abi.Assign(f.ABI(), target)
		})
		assert.NoError(t, err)
		assert.GreaterOrEqual(t, compared, len(abitest.Corpus())+190, "%s: nearly all have an answer", target.Name)
	}
}

// TestCheckNotices breaks a right answer in every way that is compared, one at a
// time: the corpus alone has to notice it.
func TestCheckNotices(t *testing.T) {
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		change func(f *abitest.Function, a *abi.Assignment)
		what   string
	}{
		{"one register up", func(_ *abitest.Function, a *abi.Assignment) {
			for i := range a.Params {
				if a.Params[i].Loc.Kind == abi.InReg {
					a.Params[i].Loc.Reg++
				}
			}
		}, "parameter 0"},
		{"holes are not filled", func(f *abitest.Function, a *abi.Assignment) {
			last := abi.Loc{}
			for i := range a.Params {
				if a.Params[i].Loc.Kind == abi.InReg {
					if a.Params[i].Loc.Reg < last.Reg {
						a.Params[i].Loc.Reg = last.Reg + 1
					}
					last = a.Params[i].Loc
				}
			}
		}, "parameter 2"},
		{"results of 48 bytes are in memory", func(f *abitest.Function, a *abi.Assignment) {
			if f.Result != nil && f.Result.Value().Size == 48 {
				a.Results[0].Loc = abi.Loc{Kind: abi.Indirect, Reg: 4}
			}
		}, "the result"},
		{"the hidden address is forgotten", func(_ *abitest.Function, a *abi.Assignment) { a.Hidden = abi.Loc{} }, "the address of the result"},
		{"the stack area has a word more", func(_ *abitest.Function, a *abi.Assignment) {
			if a.StackBytes > 0 {
				a.StackBytes += 4
			}
		}, "the stack area"},
		{"blocks are rounded up", func(_ *abitest.Function, a *abi.Assignment) { a.Block.Size = (a.Block.Size + 7) &^ 7 }, "the parameter block"},
		{"a parameter is lost", func(_ *abitest.Function, a *abi.Assignment) { a.Params = a.Params[:max(0, len(a.Params)-1)] }, "the number of parameters"},
		{"a result is lost", func(_ *abitest.Function, a *abi.Assignment) { a.Results = nil }, "the number of results"},
	} {
		err := abitest.Check(target, 1, 0, func(f *abitest.Function) (abi.Assignment, error) {
			a, err := abi.Assign(f.ABI(), target)
			tt.change(f, &a)
			return a, err
		})
		var d *abitest.Difference
		if assert.ErrorAs(t, err, &d, tt.name) {
			assert.Equal(t, tt.what, d.What, tt.name)
			assert.NotEqual(t, d.Want, d.Got)
			assert.LessOrEqual(t, len(d.Function.Params), 3, "%s: made small", tt.name)
		}
	}
}

// TestCheckReportsErrors holds that a backend that refuses a function differs.
func TestCheckReportsErrors(t *testing.T) {
	target, err := abi.Lookup("sm_90")
	require.NoError(t, err)
	err = abitest.Check(target, 1, 100, func(f *abitest.Function) (abi.Assignment, error) {
		if len(f.Params) > 0 && slices.ContainsFunc(f.Params, abitest.Formal.Unsized) {
			return abi.Assignment{}, fmt.Errorf("no variadic functions")
		}
		return right(target)(f)
	})
	var d *abitest.Difference
	require.ErrorAs(t, err, &d)
	assert.Equal(t, "sm_90: the backend gives an error: no variadic functions\n"+
		"\t.func f (.param .align 8 .b8 p0[])\n\tfunc([]@8)", err.Error())
}

// TestUnsupported holds that what a backend does not compile is left out, and
// that leaving out all is no success.
func TestUnsupported(t *testing.T) {
	target, err := abi.Lookup("sm_90")
	require.NoError(t, err)
	none := func(*abitest.Function) (abi.Assignment, error) {
		return abi.Assignment{}, fmt.Errorf("not yet: %w", abitest.ErrUnsupported)
	}
	assert.NoError(t, abitest.Check(target, 1, 100, func(f *abitest.Function) (abi.Assignment, error) {
		if f.Kernel {
			return none(f)
		}
		return right(target)(f)
	}))
	assert.ErrorIs(t, abitest.Check(target, 1, 100, none), abitest.ErrUnsupported)
}

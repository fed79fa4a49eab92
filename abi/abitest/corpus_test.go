package abitest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

const corpusHead = `# The corpus of package abitest: functions and kernels, and where their values
# live. A test of that package writes this file; corpus.jsonl is the same for programs.
#
# Each case is a line that says what it shows, the declaration in PTX, and the
# signature: size@alignment of each value in bytes, []@8 for an array without
# extent, [24]@8 for one of which a caller passes 24 bytes, opaque for a handle.
# Then comes, for each group of targets that agree, a line with the places of the
# parameters, those of the results after ->, and the size in bytes of the stack
# area or of the parameter block. R4 is a register, R6:R8 are three, [R1+0x8] is an
# offset from the stack pointer at the callee's entry, [R4+0x0] memory whose address
# is in R4, c[0x0][0x160] a byte of constant bank 0. "refused" and a code say that
# there is no assignment.
`

// TestCorpusText holds corpus.txt against the corpus; PTXABI_UPDATE=1 rewrites it.
func TestCorpusText(t *testing.T) {
	var b strings.Builder
	b.WriteString(corpusHead)
	for _, c := range abitest.Corpus() {
		fmt.Fprintf(&b, "\n%s\n\t%s\n\t%s\n", c.Why, c.Function, c.Function.ABI())
		for _, g := range groups(c) {
			names := strings.Join(g.targets, " ")
			if len(g.targets) == len(abi.Targets()) {
				names = "all"
			}
			fmt.Fprintf(&b, "\t%s = %s\n", names, answer(g.assignment, g.err))
		}
	}
	golden.Hold(t, "corpus.txt", b.String())
}

// TestCorpusJSON holds corpus.jsonl against the corpus; PTXABI_UPDATE=1 rewrites it.
func TestCorpusJSON(t *testing.T) {
	var b bytes.Buffer
	for _, c := range abitest.Corpus() {
		line, err := json.Marshal(caseJSON(c))
		require.NoError(t, err)
		b.Write(append(line, '\n'))
	}
	golden.Hold(t, "corpus.jsonl", b.String())
}

// A group is targets with one answer.
type group struct {
	targets    []string
	assignment abi.Assignment
	err        error
}

// answer is the assignment of a function, or the error, as a text.
func answer(a abi.Assignment, err error) string {
	if err == nil {
		return a.String()
	}
	codes := []string{"refused:"}
	for _, e := range err.(abi.ErrorList) {
		codes = append(codes, e.Code.String())
	}
	return strings.Join(codes, " ")
}

// groups returns the answers to a case.
func groups(c abitest.Case) []*group {
	var list []*group
	for _, row := range abi.Targets() {
		a, err := abi.Assign(c.Function.ABI(), row)
		i := slices.IndexFunc(list, func(g *group) bool { return answer(g.assignment, g.err) == answer(a, err) })
		if i < 0 {
			i = len(list)
			list = append(list, &group{assignment: a, err: err})
		}
		list[i].targets = append(list[i].targets, row.Name)
	}
	return list
}

// The types of corpus.jsonl, which the package documentation describes.
type (
	jsonCase struct {
		Why       string       `json:"why"`
		PTX       string       `json:"ptx"`
		Signature string       `json:"signature"`
		Kind      string       `json:"kind"`
		Preserve  *int         `json:"preserve,omitempty"`
		Params    []jsonValue  `json:"params"`
		Results   []jsonValue  `json:"results"`
		Answers   []jsonAnswer `json:"answers"`
	}
	jsonValue struct {
		Kind  string `json:"kind"`
		Size  int    `json:"size"`
		Align int    `json:"align"`
	}
	jsonAnswer struct {
		Targets []string    `json:"targets"`
		Refused []string    `json:"refused,omitempty"`
		Params  []jsonPlace `json:"params,omitempty"`
		Results []jsonPlace `json:"results,omitempty"`
		Hidden  *int        `json:"hidden,omitempty"`
		Stack   int         `json:"stack"`
		Block   *jsonBlock  `json:"block,omitempty"`
	}
	jsonPlace struct {
		Where string `json:"where"`
		Reg   *int   `json:"reg,omitempty"`
		Words *int   `json:"words,omitempty"`
		Bank  *int   `json:"bank,omitempty"`
		Off   *int   `json:"off,omitempty"`
	}
	jsonBlock struct {
		Bank int `json:"bank"`
		Base int `json:"base"`
		Size int `json:"size"`
	}
)

func caseJSON(c abitest.Case) jsonCase {
	sig := c.Function.ABI()
	values := func(list []abi.Value) []jsonValue {
		all := []jsonValue{}
		for _, v := range list {
			all = append(all, jsonValue{v.Kind.String(), v.Size, v.Align})
		}
		return all
	}
	j := jsonCase{Why: c.Why, PTX: c.Function.String(), Signature: sig.String(), Kind: sig.Kind.String(), Params: values(sig.Params), Results: values(sig.Results)}
	if sig.Preserve.Given {
		j.Preserve = &sig.Preserve.N
	}
	for _, g := range groups(c) {
		a := jsonAnswer{Targets: g.targets}
		if g.err != nil {
			for _, e := range g.err.(abi.ErrorList) {
				a.Refused = append(a.Refused, e.Code.String())
			}
		} else {
			a.Params, a.Results, a.Stack = places(g.assignment.Params), places(g.assignment.Results), g.assignment.StackBytes
			if h := g.assignment.Sret; h.Kind == abi.InReg {
				a.Hidden = new(int(h.Reg))
			}
			if b := g.assignment.Block; sig.Kind == abi.Entry {
				a.Block = &jsonBlock{int(b.Bank), b.Base, b.Size}
			}
		}
		j.Answers = append(j.Answers, a)
	}
	return j
}

func places(list []abi.Placement) []jsonPlace {
	var all []jsonPlace
	for _, p := range list {
		j := jsonPlace{Where: p.Loc.Kind.String()}
		switch p.Loc.Kind {
		case abi.InReg:
			j.Reg, j.Words = new(int(p.Loc.Reg)), new(p.Words())
		case abi.OnStack:
			j.Off = new(p.Loc.Off)
		case abi.InConst:
			j.Bank, j.Off = new(int(p.Loc.Bank)), new(p.Loc.Off)
		case abi.Indirect:
			j.Reg, j.Off = new(int(p.Loc.Reg)), new(p.Loc.Off)
		}
		all = append(all, j)
	}
	return all
}

// TestCorpusBreaksRules breaks each rule of docs/abi.md, one at a time: a case of the corpus
// has another answer then, on one target at least.
func TestCorpusBreaksRules(t *testing.T) {
	row := func(change func(t *abi.Target)) assigner {
		return func(sig abi.Signature, t *abi.Target) (abi.Assignment, error) {
			other := *t
			change(&other)
			return abi.Assign(sig, &other)
		}
	}
	values := func(change func(v *abi.Value)) assigner {
		return func(sig abi.Signature, t *abi.Target) (abi.Assignment, error) {
			for _, list := range []*[]abi.Value{&sig.Params, &sig.Results} {
				*list = slices.Clone(*list)
				for i := range *list {
					change(&(*list)[i])
				}
			}
			return abi.Assign(sig, t)
		}
	}
	after := func(change func(sig abi.Signature, a *abi.Assignment)) assigner {
		return func(sig abi.Signature, t *abi.Target) (abi.Assignment, error) {
			a, err := abi.Assign(sig, t)
			if err == nil {
				change(sig, &a)
			}
			return a, err
		}
	}
	preserved := func(f assigner) assigner {
		return func(sig abi.Signature, t *abi.Target) (abi.Assignment, error) {
			if sig.Preserve.Given {
				return f(sig, t)
			}
			return abi.Assign(sig, t)
		}
	}
	for _, tt := range []struct {
		rule, how string
		broken    assigner
	}{
		{"F1", "a handle is eight bytes", values(func(v *abi.Value) {
			if v.Kind == abi.Opaque {
				*v = abi.Value{Size: 8, Align: 8}
			}
		})},
		{"F2", "eleven registers", row(func(t *abi.Target) { t.Passing.Count, t.Passing.MaxResult = 11, 44 })},
		{"F2", "registers from R5 on", row(func(t *abi.Target) { t.Passing.First++ })},
		{"F3", "results above 44 bytes are in memory", row(func(t *abi.Target) { t.Passing.MaxResult = 44 })},
		{"F3", "the address takes no register from the parameters", func(sig abi.Signature, t *abi.Target) (abi.Assignment, error) {
			a, err := abi.Assign(sig, t)
			if err == nil && a.Sret.Kind == abi.InReg {
				sig.Results = nil
				b, _ := abi.Assign(sig, t)
				a.Params = b.Params
			}
			return a, err
		}},
		{"F4", "parameters from the last one on", func(sig abi.Signature, t *abi.Target) (abi.Assignment, error) {
			if sig.Kind == abi.Entry || len(sig.Params) == 0 || sig.Params[len(sig.Params)-1].Kind == abi.Unsized {
				return abi.Assign(sig, t)
			}
			sig.Params = slices.Clone(sig.Params)
			slices.Reverse(sig.Params)
			a, err := abi.Assign(sig, t)
			slices.Reverse(a.Params)
			return a, err
		}},
		{"F5", "alignments do not count", values(func(v *abi.Value) { v.Align = min(v.Align, 4) })},
		{"F5", "an alignment of 16 counts as 8", row(func(t *abi.Target) { t.Passing.MaxAlign = 8 })},
		{"F5", "an alignment of 32 counts as itself", row(func(t *abi.Target) { t.Passing.MaxAlign = 32 })},
		{"F5", "a word that is partly used is left out", values(func(v *abi.Value) {
			if v.Kind == abi.Data && v.Size > 4 {
				v.Size &^= 3
			}
		})},
		{"F6", "stack offsets are aligned to 16 at most", values(func(v *abi.Value) { v.Align = min(v.Align, 16) })},
		{"F6", "an array without extent has no place", values(func(v *abi.Value) {
			if v.Kind == abi.Unsized {
				*v = abi.Value{}
			}
		})},
		{"F7", "the stack area is not rounded to words", after(func(sig abi.Signature, a *abi.Assignment) {
			if n := len(sig.Params); n > 0 && a.Params[n-1].Loc.Kind == abi.OnStack {
				a.StackBytes = a.Params[n-1].Loc.Off + sig.Params[n-1].Size
			}
		})},
		{"F7", "what a caller passes for an array without extent does not count", values(func(v *abi.Value) {
			if v.Kind == abi.Unsized {
				v.Size = 0
			}
		})},
		{"K1", "32,760 bytes are the most", row(func(t *abi.Target) { t.Kernel.LargeParams = min(t.Kernel.LargeParams, 32760) })},
		{"K2", "blocks above 4,096 bytes are large", row(func(t *abi.Target) { t.Kernel.MaxParams = 4096 })},
		{"K2", "large blocks are where small ones are", row(func(t *abi.Target) { t.Kernel.LargeBase = t.Kernel.ParamBase })},
		{"K3", "alignments count from the block's start", row(func(t *abi.Target) { t.Kernel.AbsoluteAlign = false })},
		{"K3", "alignments count from the bank's start", row(func(t *abi.Target) { t.Kernel.AbsoluteAlign = true })},
		{"K3", "alignments in large blocks count from the other start", row(func(t *abi.Target) { t.Kernel.LargeAbsoluteAlign = !t.Kernel.LargeAbsoluteAlign })},
		{"K3", "a handle aligns nothing", row(func(t *abi.Target) { t.Kernel.HandleAlign = 1 })},
		{"K3", "nothing is said of what a handle moves", row(func(t *abi.Target) { t.Kernel.HandleDispute = "" })},
		{"K4", "the size of a block is rounded", after(func(_ abi.Signature, a *abi.Assignment) { a.Block.Size = (a.Block.Size + 7) &^ 7 })},
		{"K4", "a handle at the end counts where it does not, or not where it does", row(func(t *abi.Target) { t.Kernel.HandleExtends = !t.Kernel.HandleExtends })},
		{"K5", "nothing is said of a block of which releases disagree", row(func(t *abi.Target) { t.Kernel.Dispute = "" })},
		{"P1", "holes between parameters do not count", preserved(func(sig abi.Signature, t *abi.Target) (abi.Assignment, error) {
			other := sig
			other.Params = slices.Clone(sig.Params)
			for i := range other.Params {
				other.Params[i].Align = 4
			}
			return abi.Assign(other, t)
		})},
		{"P1", "the result's words do not count", preserved(func(sig abi.Signature, t *abi.Target) (abi.Assignment, error) {
			other := sig
			other.Results = nil
			a, err := abi.Assign(other, t)
			b, _ := abi.Assign(sig, t)
			a.Results = b.Results
			return a, err
		})},
		{"P2", "eleven words fit", preserved(row(func(t *abi.Target) { t.Passing.Count, t.Passing.MaxResult = 11, 44 }))},
		{"P2", "the return address is in nobody's way", preserved(func(sig abi.Signature, t *abi.Target) (abi.Assignment, error) {
			if t.Passing.Preserving.Most > 0 && sig.Preserve.N < 2 {
				sig.Preserve.N = 2
			}
			return abi.Assign(sig, t)
		})},
		{"P3", "no register is spare", preserved(row(func(t *abi.Target) { t.Passing.Preserving.Spare = 0 }))},
		{"P3", "one register more is spare", preserved(row(func(t *abi.Target) { t.Passing.Preserving.Spare++ }))},
		{"P3", "values end where the budget does", preserved(row(func(t *abi.Target) { t.Passing.Preserving.Top = 0 }))},
		{"P3", "the callee-saved registers begin at R15", preserved(row(func(t *abi.Target) { t.Passing.Preserving.First-- }))},
		{"P3", "there is no budget of 40", preserved(row(func(t *abi.Target) { t.Passing.Preserving.Budgets[0] = 0 }))},
		{"P3", "there is no budget of 256", preserved(row(func(t *abi.Target) { t.Passing.Preserving.Budgets[9] = 0 }))},
		{"P3", "any number may be preserved", preserved(row(func(t *abi.Target) { t.Passing.Preserving.Most = 236 }))},
		{"P4", "a large result is in memory", preserved(after(func(sig abi.Signature, a *abi.Assignment) {
			if len(sig.Results) > 0 && sig.Results[0].Size > 48 {
				a.Results[0].Loc.Kind, a.Sret = abi.Indirect, a.Results[0].Loc
			}
		}))},
		{"P4", "holes are not filled", preserved(after(func(_ abi.Signature, a *abi.Assignment) {
			last := abi.Loc{}
			for i := range a.Params {
				if loc := &a.Params[i].Loc; loc.Kind == abi.InReg {
					if loc.Reg < last.Reg {
						loc.Reg = last.Reg + 1
					}
					last = *loc
				}
			}
		}))},
		{"P4", "an alignment of 16 counts as 8", preserved(row(func(t *abi.Target) { t.Passing.MaxAlign = 8 }))},
		{"P4", "an alignment of 32 counts as itself", preserved(row(func(t *abi.Target) { t.Passing.MaxAlign = 32 }))},
	} {
		var seen []string
		for _, c := range abitest.Corpus() {
			for _, target := range abi.Targets() {
				want, err := abi.Assign(c.Function.ABI(), target)
				got, gotErr := tt.broken(c.Function.ABI(), target)
				w, g := answer(want, err), answer(got, gotErr)
				if w != g && (len(seen) == 0 || seen[len(seen)-1] != c.Why) {
					seen = append(seen, c.Why)
				}
			}
		}
		assert.NotEmpty(t, seen, "%s: %s, and no case of the corpus shows it", tt.rule, tt.how)
	}
}

// An assigner is abi.Assign, or something like it.
type assigner func(sig abi.Signature, t *abi.Target) (abi.Assignment, error)

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

// right is a backend that calls abi.Assign.
func right(target *abi.Target) abitest.Placer {
	return func(f *abitest.Function) (abi.Assignment, error) { return abi.Assign(f.ABI(), target) }
}

func TestCheckAgrees(t *testing.T) {
	for _, target := range abi.Targets() {
		compared := 0
		err := abitest.CheckPlaces(target, 1, 200, func(f *abitest.Function) (abi.Assignment, error) {
			compared++
			return abi.Assign(f.ABI(), target)
		})
		assert.NoError(t, err)
		answered := 0
		for _, c := range abitest.Corpus() {
			if _, err := abi.Assign(c.Function.ABI(), target); err == nil {
				answered++
			}
		}
		assert.GreaterOrEqual(t, compared, answered+190, "%s: nearly all have an answer", target.Name)
	}
}

// TestCheckNotices breaks a right answer in every way that is compared, one at a
// time: the corpus alone has to notice it.
func TestCheckNotices(t *testing.T) {
	target := must.Target(t, "sm_80")
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
		{"the sret pointer is missing", func(_ *abitest.Function, a *abi.Assignment) { a.Sret = abi.Loc{} }, "the address of the result"},
		{"the stack area has a word more", func(_ *abitest.Function, a *abi.Assignment) {
			if a.StackBytes > 0 {
				a.StackBytes += 4
			}
		}, "the stack area"},
		{"blocks are rounded up", func(_ *abitest.Function, a *abi.Assignment) { a.Block.Size = (a.Block.Size + 7) &^ 7 }, "the parameter block"},
		{"a parameter is lost", func(_ *abitest.Function, a *abi.Assignment) { a.Params = a.Params[:max(0, len(a.Params)-1)] }, "the number of parameters"},
		{"a result is lost", func(_ *abitest.Function, a *abi.Assignment) { a.Results = nil }, "the number of results"},
	} {
		err := abitest.CheckPlaces(target, 1, 0, func(f *abitest.Function) (abi.Assignment, error) {
			a, err := abi.Assign(f.ABI(), target)
			tt.change(f, &a)
			return a, err
		})
		var d *abitest.Disagreement
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
	err = abitest.CheckPlaces(target, 1, 100, func(f *abitest.Function) (abi.Assignment, error) {
		if len(f.Params) > 0 && slices.ContainsFunc(f.Params, abitest.Formal.Unsized) {
			return abi.Assignment{}, fmt.Errorf("no variadic functions")
		}
		return right(target)(f)
	})
	var d *abitest.Disagreement
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
	assert.NoError(t, abitest.CheckPlaces(target, 1, 100, func(f *abitest.Function) (abi.Assignment, error) {
		if f.Kernel {
			return none(f)
		}
		return right(target)(f)
	}))
	err = abitest.CheckPlaces(target, 1, 100, none)
	assert.ErrorIs(t, err, abitest.ErrUnsupported)
	assert.EqualError(t, err, "sm_90: nothing was compared: not yet: the backend does not compile this function")
	assert.EqualError(t, abitest.CheckPlaces(&abi.Target{}, 1, 0, none), "no target")
}

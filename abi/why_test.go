package abi_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

var (
	inRegisters = regexp.MustCompile(`^(\d+) bytes?, aligned to (\d+), takes? (\d+) registers?(?:, the first a multiple of (\d+))?; free are (.+), and (?:the lowest such run is (R\d+)(?::R\d+)?|there is no such run)`)
	onStack     = regexp.MustCompile(`The stack area has (\d+) bytes?; the next multiple of (\d+) is (\d+)$`)
	inBlock     = regexp.MustCompile(`^the cursor is (\d+); the next offset aligned to (\d+), which counts from the (block|bank)'s start, is (\d+)$`)
)

// TestRules holds the rules of each value against the place that it has: what is
// free is free, the lowest run is the lowest, and offsets are what they are rounded to.
func TestRules(t *testing.T) {
	seen := map[string]int{}
	for _, target := range abi.Targets() {
		facts := map[string]bool{}
		for _, f := range target.Facts() {
			facts[f.Name] = true
		}
		dialect := abitest.DialectOf(target, ptx.Version{})
		var all []*abitest.Function
		for _, c := range abitest.Corpus() {
			all = append(all, c.Function)
		}
		for i := range 200 {
			all = append(all, abitest.Random(1, i, dialect))
		}
		for _, f := range all {
			sig := f.ABI()
			places, why, err := abi.Explain(sig, target)
			want, err2 := abi.Assign(sig, target)
			assert.Equal(t, err2, err)
			assert.Equal(t, want, places)
			if err != nil {
				continue
			}
			params, results := why.Params, why.Results
			require.Len(t, params, len(places.Params))
			require.True(t, places.Kind == abi.Entry || len(results) == len(places.Results), f)
			assert.Equal(t, places.Sret.Kind == abi.InReg, why.Sret != nil)
			for _, r := range slices.Concat(params, results) {
				require.NotEmpty(t, r, f)
				for _, rule := range r {
					seen[rule.Name]++
					for _, fact := range rule.Facts {
						assert.True(t, facts[fact], "%s is no fact", fact)
					}
				}
			}
			if places.Kind == abi.Entry {
				blockRules(t, f, params, &places, target)
			}
			if sig.Preserve.Given {
				preserveNumbers(t, f, slices.Concat(params, results), sig.Preserve.N)
			}
			taken := abi.RegSet{}
			if places.Sret.Kind == abi.InReg {
				taken = abi.Regs(places.Sret.Reg)
			}
			stack := 0
			for i, p := range places.Params {
				text := params[i][0].Text
				switch {
				case strings.HasPrefix(params[i][0].Name, "P"), params[i][0].Name == "F1":
				case p.Loc.Kind == abi.InReg || p.Loc.Kind == abi.OnStack && sig.Params[i].Kind == abi.Data:
					n := inRegisters.FindStringSubmatch(text)
					require.NotNil(t, n, "%s: %s", f, text)
					free := abi.RegRange(target.Passing.First, target.Passing.First+11).Minus(taken)
					assert.Equal(t, []string{strconv.Itoa(p.Size), strconv.Itoa(p.Align), free.String()}, []string{n[1], n[2], n[5]}, f)
					lowest := run(t, free, n[3], n[4])
					assert.Equal(t, n[6], lowest, "%s: %s", f, text)
					if p.Loc.Kind == abi.InReg {
						assert.Equal(t, lowest, p.Loc.String())
						taken = taken.Union(abi.RegRange(p.Loc.Reg, p.Loc.Reg+sass.Reg(p.Words()-1)))
					}
				}
				if n := onStack.FindStringSubmatch(text); n != nil {
					assert.Equal(t, strconv.Itoa(stack), n[1], f)
					multiple, _ := strconv.Atoi(n[2])
					assert.Equal(t, strconv.Itoa((stack+multiple-1)/multiple*multiple), n[3], f)
					assert.Equal(t, strconv.Itoa(p.Loc.Off), n[3], f)
					stack = p.Loc.Off + (p.Size+3)/4*4
				} else if !strings.HasPrefix(params[i][0].Name, "P") {
					assert.NotEqual(t, abi.OnStack, p.Loc.Kind, "%s: %s", f, text)
				}
				if n := inBlock.FindStringSubmatch(text); n != nil {
					cursor, _ := strconv.Atoi(n[1])
					multiple, _ := strconv.Atoi(n[2])
					origin := map[string]int{"bank": places.Block.Base}[n[3]]
					assert.Equal(t, strconv.Itoa((origin+cursor+multiple-1)/multiple*multiple-origin), n[4], "%s on %s", f, target.Name)
					assert.Equal(t, strconv.Itoa(p.Loc.Off-places.Block.Base), n[4], "%s on %s", f, target.Name)
				} else {
					assert.NotEqual(t, abi.InConst, p.Loc.Kind, "%s: %s", f, text)
				}
			}
			if !sig.Preserve.Given {
				assert.Equal(t, places.StackBytes, stack, f)
			}
		}
	}
	for _, name := range []string{"F1", "F2", "F3", "F4", "F5", "F6", "F7", "K1", "K2", "K3", "K4", "K5", "P1", "P2", "P3", "P4"} {
		assert.Positive(t, seen[name], name)
	}
}

// blockRules holds K1, K4 and K5 of a kernel against its block.
func blockRules(t *testing.T, f *abitest.Function, params [][]abi.Rule, places *abi.Assignment, target *abi.Target) {
	for i, rules := range params {
		for _, r := range rules {
			switch r.Name {
			case "K1":
				n := regexp.MustCompile(`take (\d+) bytes?$`).FindStringSubmatch(r.Text)
				require.NotNil(t, n, r.Text)
				// K2 goes by it.
				relative, err := strconv.Atoi(n[1])
				require.NoError(t, err)
				large := target.Kernel.LargeBase != 0 && relative > target.Kernel.MaxParams
				assert.Equal(t, map[bool]int{false: target.Kernel.ParamBase, true: target.Kernel.LargeBase}[large], places.Block.Base, "%s on %s", f, target.Name)
			case "K4":
				assert.Equal(t, fmt.Sprintf("it is the last one: the block has %s", prose.Count(places.Block.Size, "byte")), r.Text)
				for _, later := range places.Params[i+1:] {
					assert.NotEqual(t, abi.InConst, later.Loc.Kind, f)
				}
			case "K5":
				assert.NotEqual(t, target.Kernel.LargeBase, target.Kernel.ParamBase)
			}
		}
	}
}

// preserveNumbers holds P2 and P3 against the budgets of docs/abi.md.
func preserveNumbers(t *testing.T, f *abitest.Function, rules [][]abi.Rule, keep int) {
	budgets := []int{40, 48, 56, 64, 72, 80, 96, 128, 168, 256}
	for _, r := range slices.Concat(rules...) {
		switch r.Name {
		case "P2":
			n := regexp.MustCompile(`^(\d+) is no more than 12: parameters and result begin at R4$`).FindStringSubmatch(r.Text)
			require.NotNil(t, n, "%s: %s", f, r.Text)
			words, err := strconv.Atoi(n[1])
			require.NoError(t, err)
			assert.LessOrEqual(t, words, 12)
		case "P3":
			var n, budget, again, slots, first int
			_, err := fmt.Sscanf(r.Text, "%d is more than 12: T is %d, and parameters and result begin at register %d − %d = %d", &n, &budget, &again, &slots, &first)
			require.NoError(t, err, r.Text)
			assert.Greater(t, n, 12)
			assert.Equal(t, first, budget-4*((n+2+3)/4))
			i := slices.IndexFunc(budgets, func(T int) bool { return 16+keep+4*((n+3)/4)+4 <= T })
			require.NotEqual(t, -1, i, f)
			assert.Equal(t, budgets[i], budget, "%s: %s", f, r.Text)
		}
	}
}

// run is the first of the lowest run of n registers of a set, the first a multiple;
// "" where there is none.
func run(t *testing.T, set abi.RegSet, n, multiple string) string {
	count, err := strconv.Atoi(n)
	require.NoError(t, err)
	step := 1
	if multiple != "" {
		step, err = strconv.Atoi(multiple)
		require.NoError(t, err)
	}
	for first := range set.All() {
		fits := int(first)%step == 0
		for i := range count {
			fits = fits && int(first)+i < 256 && set.Has(first+sass.Reg(i))
		}
		if fits {
			return sass.Register(first).String()
		}
	}
	return ""
}

// TestRuleTexts holds the texts of the rules that the commands print against those of
// docs/abi.md. PTXABI_UPDATE=1 takes them over.
func TestRuleTexts(t *testing.T) {
	data := must.Read(t, document)
	var want []string
	paragraphs := strings.Split(string(data), "\n\n")
	for i, p := range paragraphs {
		m := regexp.MustCompile(`(?s)^\*\*([FKP]\d)\.\*\* (.*)`).FindStringSubmatch(p)
		if m == nil {
			continue
		}
		text := m[2]
		if i+1 < len(paragraphs) && strings.HasPrefix(paragraphs[i+1], "- ") {
			text += "\n" + paragraphs[i+1]
		}
		want = append(want, m[1]+". "+plain(text)+"\n")
	}
	assert.Len(t, want, 16)
	golden.Hold(t, "rules.txt", strings.Join(want, "\n"))
	assert.Len(t, abi.Rules(), len(want))
}

// plain is a paragraph of Markdown without its signs; points of a list are lines.
func plain(text string) string {
	text = regexp.MustCompile(` \(\[[a-z]+\]\)`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`).ReplaceAllString(text, "$1")
	text = strings.NewReplacer("\n- ", "\x00– ", "\n  ", " ", "\n", " ", "*", "", "`", "").Replace(text)
	return strings.ReplaceAll(text, "\x00", "\n")
}

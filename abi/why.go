package abi

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// A Rule is a numbered step of docs/abi.md as [Assign] took it for one value.
type Rule struct {
	Name  string   // "F5"
	Text  string   // the effect of the rule on the value
	Facts []string // names of the facts that it uses, as in [Target.Facts]
}

// An Explanation has the rules that lead to the place of each value: first the rule that
// places it, then the rules on which this one depends.
type Explanation struct {
	Params, Results [][]Rule // parallel to the signature's
	Sret            []Rule   // of the sret pointer; nil if there is none
}

// Explain returns the results of [Assign], and the rules that lead to each place. The texts are
// made from the numbers that Assign uses. With an error, the Explanation is zero.
func Explain(sig Signature, t *Target) (Assignment, Explanation, error) {
	var why Explanation
	a, err := assign(sig, t, &why)
	if err != nil {
		return a, Explanation{}, err
	}
	return a, why, nil
}

// ruleTexts has the rules of docs/abi.md as plain text.
//
//go:embed rules.txt
var ruleTexts string

// Rules returns the numbered rules of docs/abi.md, in its order. Text is the rule itself;
// Facts are nil.
func Rules() []Rule {
	var all []Rule
	for part := range strings.SplitSeq(strings.TrimSpace(ruleTexts), "\n\n") {
		name, text, _ := strings.Cut(part, ". ")
		all = append(all, Rule{Name: name, Text: text})
	}
	return all
}

// The facts that rules use.
const (
	registersFact = "parameter registers"
	alignFact     = "largest alignment in registers"
	resultFact    = "largest result in registers"
	preserveFact  = "values of functions with .abi_preserve"
	stackFact     = "stack pointer"
	kernelFact    = "kernel parameters"
	mostFact      = "most kernel parameters"
	largeFact     = "large kernel parameters"
	mostLargeFact = "most large kernel parameters"
	originFact    = "kernel parameter alignments count from"
	largeOrigin   = "large kernel parameter alignments count from"
	handleFact    = "alignment of handles among kernel parameters"
)

// rule makes a Rule. Facts is never nil.
func rule(name string, facts []string, format string, args ...any) Rule {
	return Rule{name, fmt.Sprintf(format, args...), append([]string{}, facts...)}
}

// The methods below record steps of the algorithm. They do nothing if e is nil, as for Assign; their arguments are
// numbers alone, so that nothing is allocated then.

// outside is F1.
func (e *Explanation) outside(sig Signature, reason string) {
	if e == nil {
		return
	}
	one := []Rule{rule("F1", nil, "no value has a place: %s", reason)}
	for range sig.Params {
		e.Params = append(e.Params, one)
	}
	for range sig.Results {
		e.Results = append(e.Results, one)
	}
}

// result is F3.
func (e *Explanation) result(pl Placement, p *Passing) {
	if e == nil {
		return
	}
	facts := []string{resultFact, registersFact}
	one := rule("F3", nil, "a result without bytes has no place")
	switch pl.Loc.Kind {
	case InReg:
		one = rule("F3", facts, "a result of %s, no more than %d, is in the registers from %s up", prose.Count(pl.Size, "byte"), p.MaxResult, regName(pl.Loc.Reg))
	case Indirect:
		one = rule("F3", facts, "a result of %s, more than %d, is in the caller's memory; its address is in %s, which is no longer free", prose.Count(pl.Size, "byte"), p.MaxResult, regName(pl.Loc.Reg))
		e.Sret = []Rule{one}
	}
	e.Results = append(e.Results, []Rule{one})
}

// A request has the number and the alignment of the registers for F5, and the registers that are free.
type request struct {
	kind     Kind
	n, align int
	free     regMask
}

// param is F5, or F6 and F7, for parameter i of n. The stack area grows
// from stack to end bytes.
func (e *Explanation) param(pl Placement, r request, stack, end int, p *Passing, i, n int) {
	if e == nil {
		return
	}
	all := RegRange(p.First, p.First+Reg(p.Count-1))
	var free RegSet
	for reg := range all.All() {
		if r.free>>(reg-p.First)&1 != 0 {
			free = free.Union(Regs(reg))
		}
	}
	take := "take"
	if pl.Size == 1 {
		take = "takes"
	}
	wish := fmt.Sprintf("%s, aligned to %d, %s %s", prose.Count(pl.Size, "byte"), pl.Align, take, prose.Count(r.n, "register"))
	if r.align > 1 {
		wish += fmt.Sprintf(", the first a multiple of %d", r.align)
	}
	var rules []Rule
	switch pl.Loc.Kind {
	case InReg:
		rules = append(rules, rule("F5", []string{registersFact, alignFact}, "%s; free are %s, and the lowest such run is %s", wish, free, pl))
	case OnStack:
		if wish = fmt.Sprintf("%s; free are %s, and there is no such run", wish, free); r.kind == Unsized {
			wish = "an array without extent is on the stack"
		}
		rules = append(rules,
			rule("F6", []string{registersFact, stackFact}, "%s. The stack area has %s; the next multiple of %d is %d", wish, prose.Count(stack, "byte"), max(pl.Align, wordSize), pl.Loc.Off),
			rule("F7", []string{stackFact}, "the stack area then has %s", prose.Count(end, "byte")))
	default:
		rules = append(rules, rule("F5", nil, "a value without bytes has no place"))
	}
	if i == 0 {
		rules = append(rules, rule("F2", []string{registersFact}, "before the first parameter all of %s are free, and the stack area is empty", all))
	}
	if n > 1 {
		rules = append(rules, rule("F4", nil, "it is parameter %d of %d: they are placed in this order", i+1, n))
	}
	e.Params = append(e.Params, rules)
}

// preserving is P1 to P4, for a function that preserves keep registers. The budget is 0 by P2.
func (e *Explanation) preserving(a *Assignment, keep, record, result int, first Reg, budget int) {
	if e == nil {
		return
	}
	n := max(record, result)
	laid := rule("P1", []string{preserveFact}, "with .abi_preserve %d, P1 to P4 take the place of F2 to F7. As a record the parameters have %s and the result %d: n is %d", keep, prose.Count(record, "word"), result, n)
	begin := rule("P2", []string{registersFact}, "%d is no more than 12: parameters and result begin at %s", n, regName(first))
	if budget > 0 {
		begin = rule("P3", []string{preserveFact}, "%d is more than 12: T is %d, and parameters and result begin at register %d − %d = %d", n, budget, budget, budget-int(first), first)
	}
	rules := func(pl Placement, text string) []Rule {
		switch pl.Loc.Kind {
		case InReg:
			return []Rule{rule("P4", nil, "%s", text), begin, laid}
		case OnStack:
			return []Rule{rule("P4", []string{stackFact}, "an array without extent is at %s", pl), laid}
		}
		return []Rule{rule("P4", nil, "a value without bytes has no place")}
	}
	for _, pl := range a.Params {
		e.Params = append(e.Params, rules(pl, fmt.Sprintf("%s is the lowest run from %s on that is free and fits", pl, regName(first))))
	}
	for _, pl := range a.Results {
		e.Results = append(e.Results, rules(pl, fmt.Sprintf("the result begins at %s, whatever its size", regName(first))))
	}
}

// inBlock is K3. The cursor was at before.
func (e *Explanation) inBlock(pl Placement, kind Kind, before int, cur blockCursor, k *Kernel, large bool) {
	if e == nil {
		return
	}
	origin, fact := "the block's start", originFact
	if cur.origin > 0 {
		origin = "the bank's start"
	}
	if large {
		fact = largeOrigin
	}
	one := rule("K3", nil, "a value without bytes has no place")
	switch {
	case kind == Opaque:
		one = rule("K3", []string{handleFact}, "a handle has no place; the cursor is %d", cur.pos)
	case pl.Loc.Kind == InConst:
		one = rule("K3", []string{fact}, "the cursor is %d; the next offset aligned to %d, which counts from %s, is %d", before, pl.Align, origin, cur.pos-pl.Size)
	}
	e.Params = append(e.Params, []Rule{one})
}

// block is K1, K2, K4 and K5. By K1 the parameters end at fit.
func (e *Explanation) block(a *Assignment, fit int, k *Kernel, large bool) {
	if e == nil {
		return
	}
	size, most := "small", []string{mostFact}
	base := []string{kernelFact, mostFact}
	if k.LargeParams > 0 {
		most = append(most, mostLargeFact)
	}
	if large {
		size, base[0] = "large", largeFact
	}
	laid := rule("K1", most, "laid out from the block's start the parameters take %s", prose.Count(fit, "byte"))
	begin := rule("K2", base, "the block is a %s one, which begins at %s", size, ConstAddr{a.Block.Bank, a.Block.Base})
	last := -1
	for i := range a.Params {
		if a.Params[i].Loc.Kind == InConst {
			e.Params[i] = append(e.Params[i], laid, begin)
			last = i
		}
	}
	if last < 0 {
		return
	}
	e.Params[last] = append(e.Params[last], rule("K4", nil, "it is the last one: the block has %s", prose.Count(a.Block.Size, "byte")))
	if k.Dispute != "" {
		e.Params[last] = append(e.Params[last], rule("K5", []string{mostFact}, "%d and %d are on the same side of the most for small blocks: all releases agree", fit, a.Block.Size))
	}
}

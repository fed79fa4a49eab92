package web

import (
	"fmt"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/prose"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A Rule is a step of docs/abi.md that put a value where it is.
type Rule struct {
	Name string `json:"name"` // "F5"
	Text string `json:"text"` // what it says of this value
	// Facts are the names of those of the target that it goes by.
	Facts []string `json:"facts"`
}

// The facts that rules go by.
const (
	registersFact = "parameter registers"
	alignFact     = "largest alignment in registers"
	resultFact    = "largest result in registers"
	preserveFact  = "values of functions with .abi_preserve"
	stackFact     = "stack pointer"
	kernelFact    = "kernel parameters"
	mostFact      = "most kernel parameters"
	largeFact     = "large kernel parameters"
	originFact    = "kernel parameter alignments count from"
	largeOrigin   = "large kernel parameter alignments count from"
)

// rulesOf are the rules of a function's parameters and results, and of the address of
// the result. They say of an assignment how it came about; they make none.
func rulesOf(f *resolve.Assigned, t *abi.Target) (params, results [][]Rule, sret []Rule) {
	one := func(name, text string, facts ...string) []Rule {
		return []Rule{{name, text, append([]string{}, facts...)}}
	}
	sig, places := f.Signature(), &f.Places
	if places.Kind == abi.Entry {
		return kernelRules(sig, places, t), nil, nil
	}
	each := func(n int, r []Rule) [][]Rule {
		out := make([][]Rule, n)
		for i := range out {
			out[i] = r
		}
		return out
	}
	if why := f.Outside(); why != "" {
		r := one("F1", "no value has a place: "+why)
		return each(len(places.Params), r), each(len(places.Results), r), nil
	}
	if sig.Preserve.Given {
		params, results = preserveRules(sig, places)
		return params, results, nil
	}

	p := &t.Passing
	all := abi.RegRange(p.First, p.First+sass.Reg(p.Count-1))
	free := all
	for i := range places.Results {
		pl := &places.Results[i]
		switch pl.Loc.Kind {
		case abi.InReg:
			results = append(results, one("F3", fmt.Sprintf("a result of %s, no more than %d, is in the registers from %s up", size(pl.Size), p.MaxResult, register(p.First)), resultFact, registersFact))
		case abi.Indirect:
			text := fmt.Sprintf("a result of %s, more than %d, is in the caller’s memory; its address is in %s, which is no longer free", size(pl.Size), p.MaxResult, register(p.First))
			sret = one("F3", text, resultFact, registersFact)
			results = append(results, sret)
			free = free.Minus(abi.RegRange(p.First, p.First))
		default:
			results = append(results, one("F3", "a result without bytes has no place"))
		}
	}
	stack := 0
	for i := range places.Params {
		pl := &places.Params[i]
		words := (pl.Size + 3) / 4
		multiple := min(max(pl.Align, 4), p.MaxAlign) / 4
		ask := fmt.Sprintf("%s, aligned to %d, take %s", size(pl.Size), pl.Align, prose.Count(int64(words), "register"))
		if multiple > 1 {
			ask += fmt.Sprintf(", the first a multiple of %d", multiple)
		}
		switch pl.Loc.Kind {
		case abi.InReg:
			params = append(params, one("F5", fmt.Sprintf("%s; free are %s, and the lowest such run is %s", ask, free, pl), registersFact, alignFact))
			free = free.Minus(abi.RegRange(pl.Loc.Reg, pl.Loc.Reg+sass.Reg(words-1)))
		case abi.OnStack:
			why := fmt.Sprintf("%s; free are %s, and there is no such run", ask, free)
			if pl.Size == 0 {
				why = "an array without extent is on the stack"
			}
			at := pl.Loc.Off
			next := at + 4*words
			params = append(params, []Rule{
				{"F6", fmt.Sprintf("%s. The stack area has %s; the next multiple of %d is %d", why, size(stack), max(pl.Align, 4), at), []string{registersFact, stackFact}},
				{"F7", fmt.Sprintf("the stack area then has %s", size(next)), []string{stackFact}},
			})
			stack = next
		default:
			params = append(params, one("F5", "a value without bytes has no place"))
		}
		last := &params[i]
		if i == 0 {
			*last = append(*last, Rule{"F2", fmt.Sprintf("before the first parameter all of %s are free, and the stack area is empty", all), []string{registersFact}})
		}
		if len(places.Params) > 1 {
			*last = append(*last, Rule{"F4", fmt.Sprintf("it is parameter %d of %d: they are placed in this order", i+1, len(places.Params)), []string{}})
		}
	}
	return params, results, sret
}

// preserveRules are those of a function with .abi_preserve.
func preserveRules(sig abi.Signature, places *abi.Assignment) (params, results [][]Rule) {
	end, first := 0, 256
	for i := range places.Params {
		pl := &places.Params[i]
		align := max(pl.Align, 4)
		end = (end+align-1)/align*align + (pl.Size+3)/4*4
		if pl.Loc.Kind == abi.InReg {
			first = min(first, int(pl.Loc.Reg))
		}
	}
	n, result := end/4, 0
	for i := range places.Results {
		pl := &places.Results[i]
		if result = (pl.Size + 3) / 4; pl.Loc.Kind == abi.InReg {
			first = min(first, int(pl.Loc.Reg))
		}
	}
	n = max(n, result)
	laid := Rule{"P1", fmt.Sprintf("with .abi_preserve %d, P1 to P4 take the place of F2 to F7. As a record the parameters have %s and the result %d: n is %d", sig.Preserve.N, prose.Count(int64(end/4), "word"), result, n), []string{preserveFact}}
	from := register(sass.Reg(first))
	begin := Rule{"P2", fmt.Sprintf("%d is no more than 12: parameters and result begin at %s", n, from), []string{registersFact}}
	if n > 12 {
		slots := 4 * ((n + 2 + 3) / 4)
		begin = Rule{"P3", fmt.Sprintf("%d is more than 12: T is %d, and parameters and result begin at register %d − %d = %d", n, first+slots, first+slots, slots, first), []string{preserveFact}}
	}
	rule := func(pl *abi.Placement, text string) []Rule {
		switch pl.Loc.Kind {
		case abi.InReg:
			return []Rule{{"P4", text, []string{}}, begin, laid}
		case abi.OnStack:
			return []Rule{{"P4", "an array without extent is at [R1+0x0]", []string{stackFact}}, laid}
		}
		return []Rule{{"P4", "a value without bytes has no place", []string{}}}
	}
	for i := range places.Params {
		pl := &places.Params[i]
		params = append(params, rule(pl, fmt.Sprintf("%s is the lowest run from %s on that is free and fits", pl, from)))
	}
	for i := range places.Results {
		pl := &places.Results[i]
		results = append(results, rule(pl, fmt.Sprintf("the result begins at %s, whatever its size", from)))
	}
	return params, results
}

// kernelRules are those of a kernel's parameters.
func kernelRules(sig abi.Signature, places *abi.Assignment, t *abi.Target) [][]Rule {
	k, block := &t.Kernel, places.Block
	kind, facts := "small", []string{kernelFact, mostFact, originFact}
	absolute := k.AbsoluteAlign
	if block.Base != k.ParamBase {
		kind, facts, absolute = "large", []string{largeFact, mostFact, largeOrigin}, k.LargeAbsoluteAlign
	}
	origin, from := 0, "the block’s start"
	if absolute {
		origin, from = block.Base, "the bank’s start"
	}
	relative, last := 0, -1 // the cursor of a layout from the block's start, and the last parameter with a place
	for i := range places.Params {
		align, size := places.Params[i].Align, places.Params[i].Size
		if sig.Params[i].Kind == abi.Opaque {
			align, size = k.HandleAlign, 0
		} else if places.Params[i].Loc.Kind == abi.InConst {
			last = i
		} else {
			continue
		}
		relative = (relative+align-1)/align*align + size
	}
	start := Rule{"K1", fmt.Sprintf("laid out from the block’s start the parameters take %s", size(relative)), facts[1:2]}
	base := Rule{"K2", fmt.Sprintf("the block is a %s one, which begins at %s", kind, abi.ConstAddr{Bank: block.Bank, Off: block.Base}), facts[:2]}
	var out [][]Rule
	cursor := 0
	for i := range places.Params {
		pl := &places.Params[i]
		switch {
		case sig.Params[i].Kind == abi.Opaque:
			cursor = (origin+cursor+k.HandleAlign-1)/k.HandleAlign*k.HandleAlign - origin
			out = append(out, []Rule{{"K3", fmt.Sprintf("a handle has no place; the cursor is %d", cursor), []string{}}})
		case pl.Loc.Kind != abi.InConst:
			out = append(out, []Rule{{"K3", "a value without bytes has no place", []string{}}})
		default:
			off := pl.Loc.Off - block.Base
			text := fmt.Sprintf("the cursor is %d; the next offset aligned to %d, which counts from %s, is %d", cursor, pl.Align, from, off)
			rules := []Rule{{"K3", text, facts[2:]}, start, base}
			if i == last {
				rules = append(rules, Rule{"K4", fmt.Sprintf("it is the last one: the block has %s", size(block.Size)), []string{}})
				if k.LargeBase != 0 && k.LargeBase != k.ParamBase {
					rules = append(rules, Rule{"K5", fmt.Sprintf("%d and %d are on the same side of the most for small blocks: all releases agree", relative, block.Size), facts[1:2]})
				}
			}
			out = append(out, rules)
			cursor = off + pl.Size
		}
	}
	return out
}

func size(n int) string { return prose.Count(int64(n), "byte") }

func register(r sass.Reg) string { return "R" + strconv.Itoa(int(r)) }

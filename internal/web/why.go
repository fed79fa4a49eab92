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
		r := one("P1", fmt.Sprintf("with .abi_preserve %d, steps P1 to P4 take the place of F2 to F7", sig.Preserve.N), preserveFact)
		return each(len(places.Params), r), each(len(places.Results), r), nil
	}

	p := &t.Passing
	free := abi.RegRange(p.First, p.First+sass.Reg(p.Count-1))
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
	}
	return params, results, sret
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
			out = append(out, []Rule{{"K3", text, facts[2:]}, base})
			cursor = off + pl.Size
		}
	}
	return out
}

func size(n int) string { return prose.Count(int64(n), "byte") }

func register(r sass.Reg) string { return "R" + strconv.Itoa(int(r)) }

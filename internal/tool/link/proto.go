package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
)

// A prototype is what a function takes and returns, and what it preserves.
type prototype struct {
	results, params []cubin.ProtoValue
	keeps           bool   // it has .abi_preserve or .abi_preserve_control
	kept            string // what is recorded of these; "": nothing
}

// prototypesOf are those of two functions, false where one is not known.
func prototypesOf(a, b *site) (x, y prototype, ok bool) {
	parse := func(s *site, p *prototype) bool {
		var ok bool
		p.results, p.params, ok = Values(s.proto)
		_, p.kept, p.keeps = strings.Cut(s.proto, "|")
		return ok
	}
	return x, y, parse(a, &x) && parse(b, &y)
}

// Values are those of [Func.Proto], which has behind them what .abi_preserve adds.
func Values(proto string) (results, params []cubin.ProtoValue, ok bool) {
	text, _, _ := strings.Cut(proto, "|")
	return cubin.Prototype{Text: text}.Values()
}

// values are the results and the parameters.
func (p prototype) values() []cubin.ProtoValue { return slices.Concat(p.results, p.params) }

// difference says in what another prototype differs, its numbers first; "" if in nothing. It is that of a declaration that may
// have names.
func (p prototype) difference(other prototype, named *ptx.Func) string {
	switch {
	case len(p.results) != len(other.results):
		return fmt.Sprintf("%s here, %d there", prose.Count(len(other.results), "result"), len(p.results))
	case len(p.params) != len(other.params):
		return fmt.Sprintf("%s here, %d there", prose.Count(len(other.params), "parameter"), len(p.params))
	}
	for i, v := range p.results {
		if is := other.results[i]; v != is {
			return fmt.Sprintf("the result is %s here, %s there", is.Words(), v.Words())
		}
	}
	for i, v := range p.params {
		if is := other.params[i]; v != is {
			own := ""
			if named != nil && i < len(named.Params) && named.Params[i].Name != "" {
				own = " (" + named.Params[i].Name + ")"
			}
			return fmt.Sprintf("parameter %d%s is %s here, %s there", i, own, is.Words(), v.Words())
		}
	}
	switch {
	case p.keeps && !other.keeps:
		return ".abi_preserve or .abi_preserve_control there alone"
	case other.keeps && !p.keeps:
		return ".abi_preserve or .abi_preserve_control here alone"
	case p.kept != "" && other.kept != "" && p.kept != other.kept:
		return "other registers or barriers are preserved"
	}
	return ""
}

// friend explains a difference that comes of two languages' ways to pass the same; "" if
// none does.
func (p prototype) friend(other prototype) string {
	text := func(list []cubin.ProtoValue) (out []string) {
		for _, v := range list {
			out = append(out, v.String())
		}
		return out
	}
	return prose.Convention(text(p.results), text(p.params), text(other.results), text(other.params))
}

// triton explains kernels that differ in addresses at the end.
func triton(a, b *site) string {
	x, y := a, b
	if x.block > y.block {
		x, y = y, x
	}
	more := len(y.params) - len(x.params)
	if more < 1 || more > 2 {
		return ""
	}
	for _, p := range y.params[len(x.params):] {
		if p.Size != 8 {
			return ""
		}
	}
	return " (Triton adds one or two addresses of scratch memory after the parameters of a kernel)"
}

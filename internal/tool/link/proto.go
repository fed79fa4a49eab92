package link

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
)

// difference says in what two prototypes differ, the second one's numbers first; "" if
// in nothing.
func difference(a, b string, named *ptx.Func) string {
	_, keptA, hasA := strings.Cut(a, "|")
	_, keptB, hasB := strings.Cut(b, "|")
	ra, pa, okA := Values(a)
	rb, pb, okB := Values(b)
	if !okA || !okB {
		return ""
	}
	switch {
	case len(ra) != len(rb):
		return fmt.Sprintf("%s here, %d there", prose.Count(len(rb), "result"), len(ra))
	case len(pa) != len(pb):
		return fmt.Sprintf("%s here, %d there", prose.Count(len(pb), "parameter"), len(pa))
	}
	for i := range ra {
		if ra[i] != rb[i] {
			return fmt.Sprintf("the result is %s here, %s there", rb[i].Words(), ra[i].Words())
		}
	}
	for i := range pa {
		if pa[i] != pb[i] {
			own := ""
			if named != nil && i < len(named.Params) && named.Params[i].Name != "" {
				own = " (" + named.Params[i].Name + ")"
			}
			return fmt.Sprintf("parameter %d%s is %s here, %s there", i, own, pb[i].Words(), pa[i].Words())
		}
	}
	switch {
	case hasA && !hasB:
		return ".abi_preserve or .abi_preserve_control there alone"
	case hasB && !hasA:
		return ".abi_preserve or .abi_preserve_control here alone"
	case keptA != "" && keptB != "" && keptA != keptB:
		return "other registers or barriers are preserved"
	}
	return ""
}

// friend explains a difference that comes of two languages' ways to pass the same; "" if
// none does.
func friend(a, b string) string {
	ra, pa, okA := Values(a)
	rb, pb, okB := Values(b)
	if !okA || !okB {
		return ""
	}
	text := func(list []cubin.ProtoValue) (out []string) {
		for _, v := range list {
			out = append(out, v.String())
		}
		return out
	}
	return prose.Convention(text(ra), text(pa), text(rb), text(pb))
}

// Values are those of [Func.Proto], which has behind them what .abi_preserve adds.
func Values(proto string) (results, params []cubin.ProtoValue, ok bool) {
	text, _, _ := strings.Cut(proto, "|")
	return cubin.Prototype{Text: text}.Values()
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

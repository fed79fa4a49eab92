package stack

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// depths are how much stack each function needs, with all that it calls: the frames on
// the deepest way, through each cycle once.
type depths struct {
	frame func(i int) int
	bytes []int // by function
	next  []int // the callee on the deepest way; -1: there is none
}

// depths computes them, callees first. Within a component every function is counted
// once, in the order of their numbers: no way that goes round once needs more.
func (g *graph) depths(frame func(i int) int) *depths {
	d := &depths{frame: frame, bytes: make([]int, len(g.funcs)), next: make([]int, len(g.funcs))}
	for c, list := range g.comps {
		own, best, from := 0, 0, -1
		exit := -1
		for _, i := range list {
			own += max(frame(i), 0)
			for _, to := range g.calls[i] {
				if g.comp[to] != c && (from < 0 || d.bytes[to] > best) {
					best, from, exit = d.bytes[to], to, i
				}
			}
		}
		for _, i := range list {
			d.bytes[i], d.next[i] = own+best, -1
			if i == exit || len(list) > 1 {
				d.next[i] = from
			}
		}
	}
	return d
}

// kernel is what is said of the i-th function, a kernel, by the depths of frames that are at most, and at
// least, so large.
func (g *graph) kernel(most, least *depths, i int, t *abi.Target, block int) Kernel {
	f := g.funcs[i]
	k := Kernel{
		Name: f.Name, File: f.File, Bound: Bounded, Path: []Step{}, Cycles: []Cycle{}, Pointers: []Pointer{}, Unknown: []string{},
	}
	if f.MinStack >= 0 {
		k.Recorded = new(f.MinStack)
	}
	reached := slices.Sorted(slices.Values(g.reached(i)))
	g.cycles(&k, reached)
	g.pointers(&k, reached)
	for _, j := range reached {
		one := g.funcs[j]
		if one.Frame < 0 {
			k.Unknown = append(k.Unknown, one.Name)
		}
		if one.Dynamic {
			k.Dynamic = append(k.Dynamic, one.Name)
		}
		if g.frames[j].least < g.frames[j].most {
			k.Aligned = append(k.Aligned, one.Name)
		}
	}
	if g.program.Done && !g.program.Code && !g.hasCalls() && f.MinStack >= 0 {
		k.Unknown = append(k.Unknown, g.inner(f)...)
	}
	k.Silent = f.Unbounded && len(k.Cycles) == 0
	d := most
	switch {
	case len(k.Cycles) > 0:
		k.Bound = Recursive
	case k.Silent || len(k.Dynamic) > 0 || len(k.Unknown) > 0 || g.lost(&k):
		k.Bound, d = AtLeast, least
	case most.bytes[i] != least.bytes[i]:
		k.Bound = AtMost
	}
	k.Bytes = d.bytes[i]
	pointer := false
	for at := i; at >= 0; {
		c := g.comp[at]
		list := []int{at}
		for _, j := range g.comps[c] {
			if j != at {
				list = append(list, j)
			}
		}
		next, through := -1, false
		for n, j := range list {
			one := g.funcs[j]
			k.Path = append(k.Path, Step{Function: one.Name, File: one.File, Frame: d.frame(j), Args: arguments(one, t), Cycle: g.recurses(c), Pointer: pointer && n == 0})
			if d.next[j] >= 0 {
				next = d.next[j]
				through = through || g.pointer(j, next)
			}
		}
		at, pointer = next, through
	}
	if g.program.Done && len(g.program.Funcs) > 0 && !g.hasCalls() && f.MinStack >= 0 && f.MinStack != k.Bytes { // a whole program, of which no calls are recorded
		k.Bytes, k.Bound, k.Whole = f.MinStack, Bounded, true
		k.Path = []Step{}
	}
	k.Registers = g.registers(i, reached, t, block)
	return k
}

// arguments is how many bytes of a function's parameters are on the stack; -1 where it is
// not known.
func arguments(f *link.Func, t *abi.Target) int {
	if f.Kernel {
		return 0
	}
	results, params, ok := link.Values(f.Proto)
	if t == nil || !ok {
		return -1
	}
	bytes := -1
	for _, align := range []int{0, 16} { // of arrays: that of their elements, and more
		value := func(v cubin.ProtoValue) abi.Value {
			out := abi.Value{Size: v.Size(), Align: cubin.ProtoValue{Element: v.Element, Count: -1}.Size()}
			if v.Count >= 0 {
				out.Align = max(out.Align, align)
			}
			if v.Count == 0 {
				out.Kind = abi.Unsized
			}
			return out
		}
		var s abi.Signature
		for _, v := range results {
			s.Results = append(s.Results, value(v))
		}
		for _, v := range params {
			s.Params = append(s.Params, value(v))
		}
		a, err := abi.Assign(s, t)
		if err != nil || bytes >= 0 && a.StackBytes != bytes {
			return -1
		}
		bytes = a.StackBytes
	}
	return bytes
}

// hasCalls reports whether anything is recorded of calls.
func (g *graph) hasCalls() bool {
	return slices.ContainsFunc(g.funcs, func(f *link.Func) bool { return len(f.Calls) > 0 || len(f.Indirect) > 0 })
}

// inner are the functions inside of a kernel of a program that was assembled as a whole for
// whose frames there is no room in what was recorded: 12.8 to 13.4 record recursion so, and
// 12.4 for sm_90 what is called through a pointer, of which the unwind table alone has the frame. From 12.8 on the frame that is
// recorded of a kernel includes that of a function that it calls through a pointer, and the function has no record of its own
// along calls. Before sm_70, where there is no unwind table, what is recorded for return addresses says whether the assembler
// knew how deep calls are: it is 16 bytes a call, 512 where pointers lead to further pointers, and 1,536 of recursion.
func (g *graph) inner(k *link.Func) []string {
	var all []string
	own := max(k.Frame, 0)
	if k.Own >= 0 {
		own = min(own, k.Own)
	}
	for _, f := range g.funcs {
		included := k.Own < 0 && k.Returns > 0 && k.Returns < 512 && f.MinStack < 0
		bytes := max(f.Frame, f.Own)
		if strings.HasPrefix(f.Name, "$"+k.Name+"$") && !included && (bytes < 0 || own+bytes > k.MinStack) {
			all = append(all, f.Name)
		}
	}
	return all
}

// lost reports whether a call through a pointer has no callee here.
func (g *graph) lost(k *Kernel) bool {
	return slices.ContainsFunc(k.Pointers, func(p Pointer) bool { return len(p.MayCall) == 0 })
}

// cycles lists the components that recurse.
func (g *graph) cycles(k *Kernel, reached []int) {
	done := make(map[int]bool)
	for _, i := range reached {
		c := g.comp[i]
		if done[c] || !g.recurses(c) {
			continue
		}
		done[c] = true
		out := Cycle{Functions: []string{}, Exact: true}
		edges := 0
		for _, j := range g.comps[c] {
			out.Functions = append(out.Functions, g.funcs[j].Name)
			out.Bytes += max(g.frames[j].most, 0)
			out.Exact = out.Exact && g.frames[j].least == g.frames[j].most
			for _, to := range g.calls[j] {
				if g.comp[to] == c {
					edges++
					out.Pointer = out.Pointer || g.pointer(j, to)
				}
			}
		}
		out.Exact = out.Exact && edges == len(g.comps[c])
		k.Cycles = append(k.Cycles, out)
	}
}

// pointers lists the calls through pointers, with what they may call.
func (g *graph) pointers(k *Kernel, reached []int) {
	for _, i := range reached {
		for _, proto := range g.funcs[i].Indirect {
			p := Pointer{Caller: g.funcs[i].Name, Prototype: words(proto), MayCall: []string{}}
			for _, f := range g.program.Candidates(proto) {
				p.MayCall = append(p.MayCall, f.Name)
			}
			k.Pointers = append(k.Pointers, p)
		}
	}
}

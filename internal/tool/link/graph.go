package link

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// A graph is what one cubin says of its calls: its functions, with the calls as
// indices of others or, of functions elsewhere, names.
type graph struct {
	funcs []node
}

// A node is a function of one cubin.
type node struct {
	name          string
	kernel, local bool
	weak          bool
	elsewhere     bool // another file defines it; this one takes its address
	regs, frame   int
	slack         int // bytes of the frame that aligning the stack pointer may not take
	own           int // bytes of the frame without those of functions inside; -1: not known
	minStack      int // as the linker recorded it; -1: not recorded
	returns       int // of a kernel: as it is recorded for return addresses; -1: not recorded
	unbounded     bool
	dynamic       bool   // its code moves the stack pointer by what it computes
	proto         string // as it is recorded; "": nothing is
	maxRegs       int    // 0: no limit is recorded
	threads       []int
	calls         []int    // indices in the same graph
	outside       []string // functions of others
	aliases       []alias  // its other names
	viaAlias      []string // aliases of this file that it calls
	indirect      []string // prototypes of calls through pointers
	pointed       []string // prototypes under which its address is taken
	named         bool     // its address is taken by its own name
}

// An alias is another name of a function.
type alias struct {
	name    string
	local   bool
	pointed bool // the file takes the address of it by that name
}

// noLimit is what a cubin records where nothing limits a kernel's registers.
const noLimit = 255

// graphOf is the call graph of a cubin, of which nothing else is kept.
func graphOf(f *cubin.File, calls *cubin.CallGraph) *graph {
	limits, unbounded := f.MaxRegs(), f.Unbounded()
	protos := make(map[string]string, len(f.Prototypes))
	for _, p := range f.Prototypes {
		protos[p.Name] = p.Text
	}
	g := &graph{}
	index := make(map[string]int, len(f.Functions))
	aliases, own := aliasesOf(f), f.OwnFrames()
	for i := range f.Functions {
		fn := &f.Functions[i]
		if aliases[fn.Name] != nil {
			continue
		}
		n := node{
			name: strings.Clone(fn.Name), kernel: fn.Kernel, local: fn.Binding == bindLocal, weak: fn.Binding == bindWeak,
			regs: fn.Regs, frame: fn.FrameSize, minStack: fn.MinStack, returns: fn.Returns, maxRegs: limits[fn.Name], threads: fn.MaxThreads,
			own: -1, unbounded: unbounded[fn.Name], proto: strings.Clone(protos[fn.Name]),
		}
		if depth, ok := own[fn.Name]; ok {
			n.own = depth
		}
		if n.maxRegs >= noLimit {
			n.maxRegs = 0
		}
		if fn.ReqThreads != nil {
			n.threads = fn.ReqThreads
		}
		index[fn.Name] = len(g.funcs)
		g.funcs = append(g.funcs, n)
	}
	for name, fn := range aliases {
		i, ok := index[fn.Name]
		if !ok {
			continue
		}
		index[name] = i
		g.funcs[i].aliases = append(g.funcs[i].aliases, alias{name: strings.Clone(name), local: g.funcs[i].local})
	}
	for i := range g.funcs {
		slices.SortFunc(g.funcs[i].aliases, func(a, b alias) int { return cmp.Compare(a.name, b.name) })
	}
	if calls == nil {
		return g
	}
	at := func(symbol int) (int, string) {
		name := f.Symbols[symbol].Name
		if i, ok := index[name]; ok {
			return i, name
		}
		return -1, name
	}
	for _, e := range calls.Calls {
		from, caller := at(e.From)
		to, name := at(e.To)
		switch {
		case from < 0 || aliases[caller] != nil: // an alias is recorded to call what it names
		case to >= 0:
			g.funcs[from].calls = append(g.funcs[from].calls, to)
			if aliases[name] != nil {
				g.funcs[from].viaAlias = append(g.funcs[from].viaAlias, strings.Clone(name))
			}
		case name != "":
			g.funcs[from].outside = append(g.funcs[from].outside, strings.Clone(name))
		}
	}
	for _, t := range calls.Indirect {
		if i, _ := at(t.Func); i >= 0 {
			g.funcs[i].indirect = append(g.funcs[i].indirect, strings.Clone(t.Prototype))
		}
	}
	for _, t := range calls.Pointed {
		i, name := at(t.Func)
		if i < 0 { // a function elsewhere, of which this file takes the address
			if name != "" {
				index[name] = len(g.funcs)
				g.funcs = append(g.funcs, node{name: strings.Clone(name), elsewhere: true, named: true, pointed: []string{strings.Clone(t.Prototype)}})
			}
			continue
		}
		g.funcs[i].pointed = append(g.funcs[i].pointed, strings.Clone(t.Prototype))
		if aliases[name] != nil {
			g.funcs[i].takeAlias(name)
		} else {
			g.funcs[i].named = true
		}
	}
	return g
}

// takeAlias notes that the address of a function is taken by another name.
func (n *node) takeAlias(name string) {
	for i := range n.aliases {
		if n.aliases[i].name == name {
			n.aliases[i].pointed = true
		}
	}
}

// aliasesOf are the functions without code of their own, by name, that begin where
// another one does: what .alias makes.
func aliasesOf(f *cubin.File) map[string]*cubin.Function {
	type place struct {
		section int
		offset  uint64
	}
	var all map[string]*cubin.Function
	var at map[place]*cubin.Function
	for i := range f.Functions {
		fn := &f.Functions[i]
		if fn.Size != 0 || fn.Kernel {
			continue
		}
		if at == nil {
			all, at = make(map[string]*cubin.Function), make(map[place]*cubin.Function)
			for j := range f.Functions {
				if one := &f.Functions[j]; one.Size != 0 {
					at[place{one.Section, one.Offset}] = one
				}
			}
		}
		if one := at[place{fn.Section, fn.Offset}]; one != nil {
			all[fn.Name] = one
		}
	}
	return all
}

// A Func is a function or kernel of a program, linked or to be linked.
type Func struct {
	Name   string
	File   string // the unit that defines it; "" if none does
	Kernel bool
	// Regs, Frame and MinStack are as [cubin.Function] has them: -1 where they are not
	// recorded. MinStack is what the linker or the assembler computed; Unbounded says
	// that it found no bound.
	Regs, Frame, MinStack int
	// Own is how much of Frame is not of functions inside of a kernel; -1: not known.
	Own int
	// Returns is as [cubin.Function] has it.
	Returns int
	// Slack is how many bytes of Frame aligning the stack pointer may not take: a listing does not
	// show the alignment at a function's entry. 0 of what is recorded.
	Slack     int
	Unbounded bool
	Dynamic   bool   // its code moves the stack pointer by what it computes: Frame is without that
	Proto     string // what it takes and returns, as [cubin.Prototype] has it; "": not recorded
	Limit     int    // registers that launches leave it; 0: no limit
	Threads   []int  // extents of its blocks; nil: not said
	Calls     []*Func
	Indirect  []string // prototypes of calls through pointers, sorted
	Pointed   []string // prototypes under which its address is taken, sorted
	Missing   bool     // nothing defines it
	Aliases   []*Alias // its other names
	Named     bool     // its address is taken by its own name
}

// An Alias is another name of a function, with what uses the function by it.
type Alias struct {
	Name    string
	Callers []*Func
	Pointed bool // its address is taken
}

// A Linked is a program: its functions, joined by name.
type Linked struct {
	Arch  string
	File  string // of a program that is linked already; "" for one to be linked
	Done  bool   // it is linked already
	Code  bool   // frames and calls are those of the code in a listing, not what is recorded
	Funcs []*Func
	// byProto are the functions whose address is taken, by prototype.
	byProto map[string][]*Func
}

// Candidates are the functions that a call through a pointer with that prototype may
// call: those whose address is taken with it.
func (l *Linked) Candidates(proto string) []*Func { return l.byProto[proto] }

// join makes a program of the graphs of units.
func join(arch string, graphs []*graph, units []*unit) *Linked {
	l := &Linked{Arch: arch, byProto: make(map[string][]*Func)}
	global := make(map[string]*Func)
	weak := make(map[string]bool)
	own := make([][]*Func, len(graphs))
	missing := func(name string) *Func {
		f := global[name]
		if f == nil {
			f = &Func{Name: name, Regs: -1, Frame: -1, Own: -1, MinStack: -1, Missing: true}
			global[name] = f
			l.Funcs = append(l.Funcs, f)
		}
		return f
	}
	aliases := make(map[string]*Alias) // that every file can see
	type chosen struct{ graph, node int }
	from := make(map[*Func]chosen)
	for gi, g := range graphs {
		own[gi] = make([]*Func, len(g.funcs))
		for ni := range g.funcs {
			n := &g.funcs[ni]
			if n.elsewhere {
				continue
			}
			if old := global[n.name]; !n.local && old != nil && (!weak[n.name] || n.weak) {
				own[gi][ni] = old // another one was taken
				continue
			}
			f := &Func{
				Name: n.name, File: units[gi].name, Kernel: n.kernel, Regs: n.regs, Frame: n.frame, Own: n.own, Returns: n.returns, Slack: n.slack, MinStack: n.minStack, Unbounded: n.unbounded, Dynamic: n.dynamic, Proto: n.proto, Limit: n.maxRegs, Threads: n.threads,
			}
			if old := global[n.name]; !n.local && old != nil { // a strong one takes a weak one's place
				*old = *f
				f = old
			} else {
				l.Funcs = append(l.Funcs, f)
			}
			own[gi][ni] = f
			from[f] = chosen{gi, ni}
			if !n.local {
				global[n.name], weak[n.name] = f, n.weak
			}
			for _, a := range n.aliases {
				one := &Alias{Name: a.name, Pointed: a.pointed}
				f.Aliases = append(f.Aliases, one)
				if !a.local && global[a.name] == nil {
					global[a.name], aliases[a.name] = f, one
				}
			}
		}
	}
	for gi, g := range graphs {
		for ni := range g.funcs {
			n := &g.funcs[ni]
			if n.elsewhere {
				own[gi][ni] = missing(n.name)
			}
			switch a := aliases[n.name]; {
			case !n.named:
			case a != nil && n.elsewhere:
				a.Pointed = true
			default:
				own[gi][ni].Named = true
			}
			own[gi][ni].Pointed = append(own[gi][ni].Pointed, n.pointed...)
		}
	}
	for f, c := range from {
		n := &graphs[c.graph].funcs[c.node]
		for _, to := range n.calls {
			f.Calls = append(f.Calls, own[c.graph][to])
		}
		for _, name := range n.outside {
			f.Calls = append(f.Calls, missing(name))
			if a := aliases[name]; a != nil {
				a.Callers = append(a.Callers, f)
			}
		}
		for _, to := range n.calls {
			for _, a := range own[c.graph][to].Aliases {
				if slices.Contains(n.viaAlias, a.Name) {
					a.Callers = append(a.Callers, f)
				}
			}
		}
		f.Indirect = append(f.Indirect, n.indirect...)
	}
	for _, f := range l.Funcs {
		slices.SortStableFunc(f.Calls, func(a, b *Func) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File)) })
		f.Calls = slices.Compact(f.Calls)
		slices.Sort(f.Indirect)
		slices.Sort(f.Pointed)
		f.Indirect, f.Pointed = slices.Compact(f.Indirect), slices.Compact(f.Pointed)
		for _, p := range f.Pointed {
			l.byProto[p] = append(l.byProto[p], f)
		}
	}
	slices.SortStableFunc(l.Funcs, func(a, b *Func) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File)) })
	for _, list := range l.byProto {
		slices.SortStableFunc(list, func(a, b *Func) int { return cmp.Compare(a.Name, b.Name) })
	}
	return l
}

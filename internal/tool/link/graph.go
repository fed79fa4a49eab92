package link

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// A graph is what one file says of its functions and calls.
type graph struct {
	file  string
	code  bool // of a listing
	funcs []node
}

// A node is a function as one file has it.
type node struct {
	Func        // without its calls; Pointed, Named and Aliases are what the file has
	local, weak bool
	elsewhere   bool     // another file defines it; this one takes its address
	calls       []string // what it calls, by any of its names
	inside      []int    // the local functions of the file that it calls, several of which may have one name
}

// unknown is a function of which nothing is recorded.
func unknown(name string) Func {
	return Func{Name: strings.Clone(name), Regs: -1, Frame: -1, Own: -1, MinStack: -1}
}

// noLimit is what a cubin records where nothing limits a kernel's registers.
const noLimit = 255

// graphOf is the call graph of a cubin, of which nothing else is kept.
func graphOf(f *cubin.File, calls *cubin.CallGraph, own map[string]int) *graph {
	g := &graph{}
	type symbol struct {
		name    string
		section int
	}
	index := make(map[symbol]int, len(f.Functions))
	aliases := make(map[string]*cubin.Function)
	for i := range f.Functions {
		fn := &f.Functions[i]
		if of := f.Aliasee(fn); of != nil {
			aliases[fn.Name] = of
			continue
		}
		n := node{local: fn.Binding == elf.STB_LOCAL, weak: fn.Binding == elf.STB_WEAK, Func: Func{
			Name: strings.Clone(fn.Name), Kernel: fn.Kernel, Regs: fn.Regs, Frame: fn.FrameSize, Own: -1, MinStack: fn.MinStack, Returns: fn.Returns,
			Unbounded: fn.Unbounded, Limit: fn.MaxRegs, Threads: fn.MaxThreads,
		}}
		if p := f.Prototype(fn.Name); p != nil {
			n.Proto = strings.Clone(p.Text)
		}
		if depth, ok := own[fn.Name]; ok {
			n.Own = depth
		}
		if f.Linked && !fn.Kernel && strings.HasPrefix(fn.Name, "$") && archOf(f.Arch).SM >= 90 {
			n.Frame = -1 // that of the kernel around it is recorded (11.8 to 13.5)
		}
		if n.Limit >= noLimit {
			n.Limit = 0
		}
		if fn.ReqThreads != nil {
			n.Threads = fn.ReqThreads
		}
		index[symbol{fn.Name, fn.Section}] = len(g.funcs)
		g.funcs = append(g.funcs, n)
	}
	for name, fn := range aliases {
		i, ok := index[symbol{fn.Name, fn.Section}]
		if !ok {
			continue
		}
		index[symbol{name, fn.Section}] = i
		g.funcs[i].Aliases = append(g.funcs[i].Aliases, &Alias{Name: strings.Clone(name), local: g.funcs[i].local})
	}
	for i := range g.funcs {
		slices.SortFunc(g.funcs[i].Aliases, func(a, b *Alias) int { return cmp.Compare(a.Name, b.Name) })
	}
	if calls == nil {
		return g
	}
	at := func(n int) (int, string) {
		s := &f.Symbols[n]
		if i, ok := index[symbol{s.Name, s.Section}]; ok {
			return i, s.Name
		}
		return -1, s.Name
	}
	for _, e := range calls.Calls {
		from, caller := at(e.From)
		to, name := at(e.To)
		switch {
		case from < 0 || aliases[caller] != nil || to < 0 && name == "": // an alias is recorded to call what it names
		case to >= 0 && g.funcs[to].local && aliases[name] == nil:
			g.funcs[from].inside = append(g.funcs[from].inside, to)
		default:
			g.funcs[from].calls = append(g.funcs[from].calls, strings.Clone(name))
		}
	}
	for _, t := range calls.Indirect {
		if i, _ := at(t.Func); i >= 0 {
			g.funcs[i].Indirect = append(g.funcs[i].Indirect, strings.Clone(t.Prototype))
		}
	}
	for _, t := range calls.Pointed {
		i, name := at(t.Func)
		if i < 0 { // a function elsewhere, of which this file takes the address
			if name != "" {
				index[symbol{name: name}] = len(g.funcs)
				n := node{elsewhere: true, Func: unknown(name)}
				n.Named, n.Pointed = true, []string{strings.Clone(t.Prototype)}
				g.funcs = append(g.funcs, n)
			}
			continue
		}
		g.funcs[i].Pointed = append(g.funcs[i].Pointed, strings.Clone(t.Prototype))
		if aliases[name] == nil {
			g.funcs[i].Named = true
		}
		for _, a := range g.funcs[i].Aliases {
			a.Pointed = a.Pointed || a.Name == name
		}
	}
	return g
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
	local   bool // no other file has it
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

// join makes a program of the graphs of files.
func join(arch string, graphs []*graph) *Linked {
	l := &Linked{Arch: arch, Code: len(graphs) > 0 && graphs[0].code, byProto: make(map[string][]*Func)}
	global := make(map[string]*Func)
	weak := make(map[string]bool)
	missing := func(name string) *Func {
		f := global[name]
		if f == nil {
			one := unknown(name)
			f, one.Missing = &one, true
			global[name] = f
			l.Funcs = append(l.Funcs, f)
		}
		return f
	}
	aliases := make(map[string]*Alias) // that every file can see
	own := make(map[*node]*Func)       // the function that is taken
	from := make(map[*Func]*node)      // where it is taken from
	for _, g := range graphs {
		for i := range g.funcs {
			n := &g.funcs[i]
			if n.elsewhere {
				continue
			}
			f := global[n.Name]
			switch {
			case n.local || f == nil:
				f = &Func{}
				l.Funcs = append(l.Funcs, f)
			case !weak[n.Name] || n.weak: // which a strong one takes the place of
				own[n] = f
				continue
			}
			*f = n.Func
			f.File, f.Indirect, f.Pointed, f.Named, f.Aliases = g.file, slices.Clone(n.Indirect), nil, false, nil
			own[n], from[f] = f, n
			if !n.local {
				global[n.Name], weak[n.Name] = f, n.weak
			}
			for _, a := range n.Aliases {
				one := *a
				f.Aliases = append(f.Aliases, &one)
				if !a.local && global[a.Name] == nil {
					global[a.Name], aliases[a.Name] = f, &one
				}
			}
		}
	}
	for _, g := range graphs {
		names := make(map[string]*Func)
		for i := range g.funcs {
			if n := &g.funcs[i]; !n.elsewhere {
				names[n.Name] = own[n]
			}
		}
		for i := range g.funcs {
			for _, a := range g.funcs[i].Aliases {
				names[a.Name] = own[&g.funcs[i]]
			}
		}
		for i := range g.funcs {
			n := &g.funcs[i]
			f := own[n]
			if n.elsewhere {
				f = missing(n.Name)
			}
			switch a := aliases[n.Name]; {
			case !n.Named:
			case a != nil && n.elsewhere:
				a.Pointed = true
			default:
				f.Named = true
			}
			f.Pointed = append(f.Pointed, n.Pointed...)
			if from[f] != n {
				continue // another file's is taken
			}
			for _, i := range n.inside {
				f.Calls = append(f.Calls, own[&g.funcs[i]])
			}
			for _, name := range n.calls {
				to := names[name]
				if to == nil {
					to = missing(name)
				}
				f.Calls = append(f.Calls, to)
				for _, a := range to.Aliases {
					if a.Name == name {
						a.Callers = append(a.Callers, f)
					}
				}
			}
		}
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

package link

import "slices"

// Callees are the functions that f calls, by name or, as far as the files say,
// through pointers.
func (l *Linked) Callees(f *Func) []*Func {
	if len(f.Indirect) == 0 {
		return f.Calls
	}
	all := append([]*Func(nil), f.Calls...)
	for _, p := range f.Indirect {
		all = append(all, l.byProto[p]...)
	}
	return all
}

// MostRegs returns the function with the most registers among k and all that it comes
// to, and a way there from k, both included; nil if no registers are recorded.
func (l *Linked) MostRegs(k *Func) (most *Func, path []*Func) {
	all, by := Reach(l.Callees, k)
	for _, f := range all {
		if f.Regs >= 0 && (most == nil || f.Regs > most.Regs) {
			most = f
		}
	}
	for f := most; f != nil; f = by[f] {
		path = append([]*Func{f}, path...)
	}
	return most, path
}

// reached are the functions that kernels reach, by calls and through pointers. The
// prototypes of texts are not known: each stands for all. Where objects call through
// pointers, functions of texts whose address is taken are among them.
func (l *Linked) reached() map[*Func]bool {
	objects := slices.ContainsFunc(l.Funcs, func(f *Func) bool {
		return slices.ContainsFunc(f.Indirect, func(proto string) bool { return proto != "" })
	})
	return l.from(func(f *Func) bool { return f.Kernel || objects && slices.Contains(f.Pointed, "") }, l.Callees)
}

// from are those functions from which a walk begins, and all that it reaches.
func (l *Linked) from(begins func(*Func) bool, callees func(*Func) []*Func) map[*Func]bool {
	all, _ := Reach(callees, slices.DeleteFunc(slices.Clone(l.Funcs), func(f *Func) bool { return !begins(f) })...)
	set := make(map[*Func]bool, len(all))
	for _, f := range all {
		set[f] = true
	}
	return set
}

// Reach returns the starts and all that next leads to, the near ones first, each with what led to it first.
func Reach[T comparable](next func(T) []T, starts ...T) (all []T, by map[T]T) {
	by = make(map[T]T)
	var none T
	visit := func(list []T, from T) {
		for _, one := range list {
			if _, seen := by[one]; !seen {
				by[one] = from
				all = append(all, one)
			}
		}
	}
	visit(starts, none)
	for i := 0; i < len(all); i++ {
		visit(next(all[i]), all[i])
	}
	return all, by
}

// dead are the functions that nothing defines, by name, and that the linkers do not
// look for: what calls them is left out of the program.
func (l *Linked) dead() map[string]bool {
	// The program keeps kernels, those whose address is taken, and what they call.
	alive := l.from(func(f *Func) bool { return f.Kernel || len(f.Pointed) > 0 }, func(f *Func) []*Func { return f.Calls })
	all := make(map[string]bool)
	for _, f := range l.Funcs {
		if alive[f] {
			continue
		}
		for _, to := range f.Calls {
			if to.Missing && !alive[to] {
				all[to.Name] = true
			}
		}
	}
	return all
}

// Programs returns the programs of a set, each by itself: those that are linked
// already, and what the rest is linked to for each architecture that all of it has
// something for. Of listings these are what those of objects of one architecture are linked to.
func (s *Set) Programs(target string) []*Linked {
	var all []*Linked
	done := func(f *form) {
		if f.kind == Program && f.graph != nil && (target == "" || f.arch == target) {
			p := join(f.arch, []*graph{f.graph})
			p.File, p.Done = f.graph.file, true
			all = append(all, p)
		}
	}
	for _, u := range s.units {
		for _, f := range u.forms {
			done(f)
		}
	}
	objects := make(map[string][]*graph)
	var order []string
	for _, f := range s.listings {
		done(f)
		if f.kind == Object && (target == "" || f.arch == target) {
			if objects[f.arch] == nil {
				order = append(order, f.arch)
			}
			objects[f.arch] = append(objects[f.arch], f.graph)
		}
	}
	for _, arch := range order {
		all = append(all, join(arch, objects[arch]))
	}
	for _, arch := range s.takers(s.Archs(target)) {
		var graphs []*graph
		for _, u := range s.units {
			if f, _ := u.choose(arch); f != nil && f.kind == Object {
				graphs = append(graphs, f.graph)
			}
		}
		if len(graphs) > 0 {
			all = append(all, join(arch, graphs))
		}
	}
	return all
}

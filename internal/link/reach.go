package link

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
	from := map[*Func]*Func{k: nil}
	for queue := []*Func{k}; len(queue) > 0; queue = queue[1:] {
		f := queue[0]
		if f.Regs >= 0 && (most == nil || f.Regs > most.Regs) {
			most = f
		}
		for _, g := range l.Callees(f) {
			if _, seen := from[g]; !seen {
				from[g] = f
				queue = append(queue, g)
			}
		}
	}
	for f := most; f != nil; f = from[f] {
		path = append([]*Func{f}, path...)
	}
	return most, path
}

// dead are the functions that nothing defines, by name, and that the linkers do not
// look for: what calls them is left out of the program, since no kernel comes to it and
// nothing takes its address.
func (l *Linked) dead() map[string]bool {
	alive := make(map[*Func]bool)
	var queue []*Func
	visit := func(f *Func) {
		if !alive[f] {
			alive[f] = true
			queue = append(queue, f)
		}
	}
	for _, f := range l.Funcs {
		if f.Kernel || len(f.Pointed) > 0 {
			visit(f)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, to := range queue[0].Calls {
			visit(to)
		}
	}
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
// something for.
func (s *Set) Programs(target string) []*Linked {
	var all []*Linked
	for _, u := range s.units {
		for _, f := range u.forms {
			if f.kind == Program && f.graph != nil && (target == "" || f.arch == target) {
				p := join(f.arch, []*graph{f.graph}, []*unit{u})
				p.File, p.Done = u.name, true
				all = append(all, p)
			}
		}
	}
	archs := s.linked()
	if target != "" {
		archs = []string{target}
	}
	for _, arch := range s.takers(archs) {
		var graphs []*graph
		var units []*unit
		for _, u := range s.units {
			if f, _ := u.choose(arch); f != nil && f.kind == Object {
				graphs, units = append(graphs, f.graph), append(units, u)
			}
		}
		if len(graphs) > 0 {
			all = append(all, join(arch, graphs, units))
		}
	}
	return all
}

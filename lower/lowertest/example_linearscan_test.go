package lowertest_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A linearScan is an allocation of the registers of a module, by linear scan (Poletto and
// Sarkar, ACM TOPLAS 21, 1999) over lifetimes with holes.
type linearScan struct {
	of    map[*ptx.Func]*frame
	temps int // registers that spilling has made, in all functions
}

// A frame is what became of the registers of one function. Spilled ones are in slots, each
// in one of its own, and spilled predicates in another register.
type frame struct {
	flow    *dataflow.Function
	homes   map[int]sass.Reg // by index of the register
	slots   map[*ptx.Var]map[string]int
	size    int // of the slots, in bytes
	temp    map[*ptx.Var]bool
	decl    []ptx.Stmt
	kept    []abi.RegSet // what each call leaves alone
	allowed abi.RegSet
}

// allocate gives every register of a module a place: in one of some registers, or on the
// stack. Functions that need more get instructions that move what is spilled.
func allocate(m *ptx.Module, t *abi.Target, regs abi.RegSet) (*linearScan, error) {
	s := &linearScan{of: make(map[*ptx.Func]*frame)}
	// Lowering needs registers for slots, for addresses of callees and for cycles of moves.
	own, _ := lower.Temporaries(t, abi.RegSet{})
	more, _ := lower.Temporaries(t, own)
	table := resolve.NewTable(m)
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || !f.HasBody {
			continue
		}
		fr := &frame{slots: make(map[*ptx.Var]map[string]int), temp: make(map[*ptx.Var]bool)}
		fr.allowed = regs.Minus(lower.Reserved(t)).Minus(own).Minus(more)
		for _, c := range resolve.NewTable(m).Calls(f) {
			callee := t.RegsWith(c.Signature.Preserve)
			fr.kept = append(fr.kept, callee.CalleeSaved)
			if callee.HasRetAddr() {
				fr.allowed = fr.allowed.Minus(abi.Regs(callee.RetAddr, callee.RetAddr+1))
			}
		}
		s.of[f] = fr
		for {
			fr.flow = dataflow.New(f, table)
			spilled, err := fr.scan()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			if len(spilled) == 0 {
				break
			}
			s.spill(f, fr, spilled)
		}
	}
	return s, nil
}

// Home implements [lower.Homes].
func (s *linearScan) Home(f *ptx.Func, v lower.Virtual) (sass.Reg, bool) {
	home, ok := s.of[f].homes[s.of[f].flow.Register(v.Var, v.Name)]
	return home, ok
}

// Slot implements [lower.Slots].
func (s *linearScan) Slot(f *ptx.Func, v lower.Virtual) (int, bool) {
	off, ok := s.of[f].slots[v.Var][v.Name]
	return off, ok
}

// scan gives the registers of a function homes, and returns those that have to be spilled.
func (fr *frame) scan() (spilled []int, err error) {
	fr.homes = make(map[int]sass.Reg)
	list := fr.flow.Lifetimes()
	slices.SortStableFunc(list, func(a, b dataflow.Lifetime) int { return cmp.Compare(a.From(), b.From()) })
	var active []*dataflow.Lifetime
	for i := range list {
		l := &list[i]
		r := &fr.flow.Registers[l.Reg]
		if _, ok := fr.slots[r.Var][r.Name]; ok {
			continue
		}
		active = slices.DeleteFunc(active, func(a *dataflow.Lifetime) bool { return a.To() < l.From() })
		rivals := slices.DeleteFunc(slices.Clone(active), func(a *dataflow.Lifetime) bool {
			return fr.flow.Registers[a.Reg].IsPredicate() != r.IsPredicate() || !a.Overlaps(l)
		})
		for {
			home, ok := fr.home(l, rivals)
			if ok {
				fr.homes[l.Reg], active = home, append(active, l)
				break
			}
			// The one that is live longest goes, which may be the new one.
			victim := l
			if !fr.spillable(l) {
				victim = nil
			}
			for _, a := range rivals {
				if fr.spillable(a) && (victim == nil || a.To() > victim.To()) && fr.fits(l).Has(fr.homes[a.Reg]) {
					victim = a
				}
			}
			if victim == nil {
				return nil, fmt.Errorf("no register is left for %s", r.Name)
			}
			spilled = append(spilled, victim.Reg)
			if victim == l {
				break
			}
			gone := func(a *dataflow.Lifetime) bool { return a == victim }
			active, rivals = slices.DeleteFunc(active, gone), slices.DeleteFunc(rivals, gone)
			delete(fr.homes, victim.Reg)
		}
	}
	return spilled, nil
}

// fits returns where a register may live as far as calls are concerned.
func (fr *frame) fits(l *dataflow.Lifetime) abi.RegSet {
	allowed := fr.allowed
	if fr.flow.Registers[l.Reg].IsPredicate() {
		allowed = abi.RegRange(0, 6)
	}
	for i, at := range fr.flow.Calls {
		if l.Across(at) {
			if fr.flow.Registers[l.Reg].IsPredicate() {
				return abi.RegSet{} // no call keeps one
			}
			allowed = allowed.Intersect(fr.kept[i])
		}
	}
	return allowed
}

// home returns a home for a register beside its rivals.
func (fr *frame) home(l *dataflow.Lifetime, rivals []*dataflow.Lifetime) (sass.Reg, bool) {
	r := &fr.flow.Registers[l.Reg]
	allowed, n := fr.fits(l), sass.Reg(max(r.Words(), 1))
	for _, a := range rivals {
		home := fr.homes[a.Reg]
		allowed = allowed.Minus(abi.RegRange(home, home+sass.Reg(max(fr.flow.Registers[a.Reg].Words(), 1))-1))
	}
	for reg := range allowed.All() {
		if int(reg)%r.Align() == 0 && abi.RegRange(reg, reg+n-1).Minus(allowed) == (abi.RegSet{}) {
			return reg, true
		}
	}
	return 0, false
}

// spillable reports whether a register can be moved to and from a slot or another register.
func (fr *frame) spillable(l *dataflow.Lifetime) bool {
	r := &fr.flow.Registers[l.Reg]
	return !fr.temp[r.Var] && r.Elements() == 1 && (r.IsPredicate() || r.Spec.Type.Size() > 1)
}

// spill gives registers slots, predicates a register, and puts moves around what needs
// them.
func (s *linearScan) spill(f *ptx.Func, fr *frame, spilled []int) {
	declare := func(typ ptx.Type) *ptx.Var {
		s.temps++
		v := ptx.Var{Name: fmt.Sprintf("%%temp%d_", s.temps)}
		d := &ptx.Decl{Spec: ptx.Spec{Space: ptx.RegSpace, Type: typ}, Vars: []ptx.Var{v}}
		fr.decl = append(fr.decl, d)
		return &d.Vars[0]
	}
	bits := make(map[int]string) // the register that keeps a predicate
	for _, r := range spilled {
		reg := &fr.flow.Registers[r]
		if reg.IsPredicate() {
			bits[r] = declare(ptx.B32).Name
			continue
		}
		if fr.slots[reg.Var] == nil {
			fr.slots[reg.Var] = make(map[string]int)
		}
		size := 4 * reg.Words()
		fr.size = (fr.size + size - 1) / size * size
		fr.slots[reg.Var][reg.Name] = fr.size
		fr.size += size
	}
	var body []ptx.Stmt
	for i, st := range f.Body {
		names := make(map[string]string)
		var before, after []ptx.Stmt
		for _, r := range append(slices.Clone(fr.flow.Uses(i)), defined(fr.flow, i)...) {
			reg := &fr.flow.Registers[r]
			if !slices.Contains(spilled, r) || names[reg.Name] != "" || !reg.IsPredicate() && carried(st, reg.Name) {
				continue
			}
			v := declare(reg.Spec.Type)
			fr.temp[v], names[reg.Name] = true, v.Name
			load, store := move(reg, v.Name, reg.Name), move(reg, reg.Name, v.Name)
			if p := bits[r]; p != "" {
				load, store = instr("setp.ne.b32", v.Name+", "+p+", 0"), instr("selp.b32", p+", 1, 0, "+v.Name)
			}
			k := slices.IndexFunc(fr.flow.Defs(i), func(d dataflow.Def) bool { return d.Reg == r })
			if slices.Contains(fr.flow.Uses(i), r) || !fr.flow.Defs(i)[k].Kills {
				before = append(before, load)
			}
			if k >= 0 {
				after = append(after, store)
			}
		}
		if len(names) > 0 {
			st = dataflow.Rename(st, func(name string) string { return cmp.Or(names[name], name) })
		}
		body = append(append(append(body, before...), st), after...)
	}
	f.Body, fr.decl = append(fr.decl, body...), nil
}

// defined returns the registers that a statement writes.
func defined(fn *dataflow.Function, i int) (regs []int) {
	for _, d := range fn.Defs(i) {
		regs = append(regs, d.Reg)
	}
	return regs
}

// carried reports whether a statement takes a register from its slot: it is passed,
// returned, or taken from a parameter.
func carried(s ptx.Stmt, name string) bool {
	is := func(o ptx.Operand) bool { return o.Name() == name }
	switch s := s.(type) {
	case *ptx.Access:
		return slices.ContainsFunc(s.Regs, is)
	case *ptx.Call:
		return slices.ContainsFunc(s.Params, is) || slices.ContainsFunc(s.Results, is)
	case *ptx.Instr:
		return s.Op == "ret" // a register of the function's head
	}
	return false
}

func move(r *dataflow.Register, to, from string) ptx.Stmt {
	return instr(fmt.Sprintf("mov.b%d", 8*r.Spec.Type.Size()), to+", "+from)
}

func instr(op, args string) ptx.Stmt { return &ptx.Instr{Op: op, Args: args} }

// A register allocation by linear scan, with package dataflow. %r2 lives across the call, so
// that its home is a register that calls preserve.
func Example_linearScan() {
	m, err := ptx.Parse("sum.ptx", []byte(`.version 7.8
.target sm_80
.address_size 64
.extern .func (.param .b32 r) g (.param .b32 a);
.visible .func (.param .b32 out) twice (.param .b32 x, .param .b32 y) {
	.reg .b32 %r<9>;
	.param .b32 a, r;
	ld.param.b32 %r1, [x];
	ld.param.b32 %r2, [y];
	add.s32 %r3, %r1, 1;
	st.param.b32 [a], %r3;
	call (r), g, (a);
	ld.param.b32 %r4, [r];
	add.s32 %r5, %r4, %r2;
	st.param.b32 [out], %r5;
	ret;
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	t, _, err := resolve.Target(m, "", false)
	if err != nil {
		fmt.Println(err)
		return
	}
	homes, err := allocate(m, t, abi.RegRange(0, t.Regs.Last))
	if err != nil {
		fmt.Println(err)
		return
	}
	prog, err := lower.Module(m, t, lower.Options{Homes: homes, Slots: homes})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, it := range prog.Funcs[0].Items {
		if it.Kind == sass.Code && it.Instr.Text != "" {
			fmt.Println(it.Instr.Text)
		}
	}
	// Output:
	// add.s32 R4, R4, 1
	// add.s32 R4, R4, R17
}

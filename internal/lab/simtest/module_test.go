package simtest

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// call emits a call of name and shows its result, after another call if the
// program shows it late.
func (b *body) call(s *simSpec, name, depth string, how int, guarded bool, between func()) {
	r := rand.New(rand.NewPCG(s.Seed, 3))
	b.lines = append(b.lines, "\t{")
	var args []string
	var stores []func()
	formals := s.formals()
	for i := range formals {
		if formals[i].Depth {
			args = append(args, depth)
			continue
		}
		args = append(args, b.argument(&formals[i], &stores))
	}
	if s.Tail != nil && s.Tail.Elems > 0 {
		args = append(args, b.argument(s.Tail, &stores))
	}
	result, inReg := "", false
	if p := s.Result; p != nil {
		inReg = p.Elems == 0 && (p.Reg || p.inRegister() && r.IntN(6) == 0)
		switch {
		case r.IntN(12) == 0:
			result = "_"
		case inReg:
			result = b.reg(p.class())
		default:
			result = b.name("ret")
			b.emit("%s", p.decl(result))
		}
	}
	r.Shuffle(len(stores), func(i, j int) { stores[i], stores[j] = stores[j], stores[i] })
	text, proto := b.named(s, name, how)
	guard := ""
	if guarded {
		p := b.filled("p")
		guard = "@" + p + " "
	}
	for _, st := range stores {
		st()
	}
	if result != "" {
		text = "(" + result + "), " + text
	}
	uni := []string{"", ".uni"}[r.IntN(2)]
	b.emit("%scall%s %s, (%s)%s", guard, uni, text, strings.Join(args, ", "), proto)
	if between != nil {
		between()
	}
	switch {
	case result == "" || result == "_":
	case inReg:
		b.show(result)
	default:
		for _, c := range b.cut(r, s.Result.size(), s.Result.align()) {
			b.load(r, result, c, false)
		}
		if s.PassThrough {
			b.passThrough(r, result, s.Result.size(), s.Result.align())
		}
	}
	b.lines = append(b.lines, "\t}")
}

// named returns how a call names its callee, and what stands after its arguments.
func (b *body) named(s *simSpec, name string, how int) (callee, after string) {
	if how != callPrototype && how != callTargets {
		return name, ""
	}
	callee = b.addressOf(name)
	proto := b.name("proto")
	if how == callPrototype || s.directives() != "" { // no list has functions with .abi_preserve
		b.emit("%s: .callprototype %s", proto, s.head("_"))
	} else {
		b.emit("%s: .calltargets %s", proto, name)
	}
	return callee, ", " + proto
}

// callee emits the body of f: what it loads is spread over its beginning, what
// follows a label, and what follows a call.
func (b *body) callee(s *simSpec) {
	r := rand.New(rand.NewPCG(s.Seed, 4))
	var phases [3][]func()
	late := func(r *rand.Rand, first int, f func()) {
		at := first
		if r.IntN(2) == 0 {
			at += r.IntN(len(phases) - first)
		}
		phases[at] = append(phases[at], f)
	}
	formals := s.formals()
	if s.Tail != nil && s.Tail.Elems > 0 {
		formals = append(formals[:len(formals):len(formals)], *s.Tail)
	}
	for i := range formals {
		p := &formals[i]
		pr := rand.New(rand.NewPCG(p.Seed, 2))
		name := p.name(fmt.Sprintf("f%d", i))
		if s.Tail != nil && i == len(s.formals()) {
			name = "tail"
		}
		if p.Reg {
			late(pr, 0, func() { b.showFormal(name) })
			continue
		}
		pieces := b.cut(pr, p.size(), p.align())
		if s.PassThrough && pr.IntN(2) == 0 {
			late(pr, 0, func() { b.passThrough(pr, name, p.size(), p.align()) })
			pieces = pieces[:pr.IntN(len(pieces)+1)]
		}
		ptr := ""
		if p.Addr {
			ptr = b.addressOf(name)
		}
		early := pr.IntN(3) != 0
		for _, c := range pieces {
			load := func() { b.load(pr, name, c, true) }
			if ptr != "" && c.width*max(c.vec, 1) <= p.align() && pr.IntN(2) == 0 {
				load = func() { b.load(pr, ptr, c, true) }
			}
			if early {
				phases[0] = append(phases[0], load)
			} else {
				late(pr, 0, load)
			}
		}
	}
	if s.Result != nil && !s.Result.Reg {
		rr := rand.New(rand.NewPCG(s.Result.Seed, 5))
		base := "res"
		if s.Result.Addr {
			base = b.addressOf("res")
		}
		for _, c := range b.cut(rr, s.Result.size(), s.Result.align()) {
			to := base
			if rr.IntN(2) == 0 || c.width*max(c.vec, 1) > s.Result.align() {
				to = "res"
			}
			guarded := rr.IntN(12) == 0
			put := func() {
				guard := ""
				if guarded {
					guard = "@" + b.filled("p") + " "
				}
				b.store(rr, to, c, guard)()
			}
			late(rr, 1+rr.IntN(2), put)
			if s.Branch && rr.IntN(3) == 0 {
				phases[2] = append(phases[2], func() { b.diamond(put) })
			}
		}
	}
	if s.Alloca {
		ptr, bits := b.pointer()
		n := 16 * (1 + r.IntN(4))
		line := fmt.Sprintf("alloca.u%d %s, %d", bits, ptr, n)
		if r.IntN(2) == 0 {
			line += fmt.Sprintf(", %d", 8<<r.IntN(4))
		}
		phases[r.IntN(2)] = append(phases[r.IntN(2)], func() { b.emit("%s", line); b.scratchpad(ptr, n, &phases[2]) })
	}
	if s.Local {
		ptr, bits := b.pointer()
		b.decls = append(b.decls, fmt.Sprintf(".local .align %d .b8 pad[40]", 8<<r.IntN(3)))
		phases[0] = append(phases[0], func() { b.emit("mov.b%d %s, pad", bits, ptr); b.scratchpad(ptr, 40, &phases[2]) })
	}
	for i := range phases {
		list := phases[i]
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, f := range list {
			f()
		}
		switch {
		case i == 0 && s.Branch:
			b.diamond(func() { b.show(b.filled("r")) })
		case i == 0 && s.Recurse:
			b.recurse(s)
		case i == 1 && s.Inner != nil:
			b.call(s.Inner, "g", "", callDirect, false, nil)
		}
		if i > 0 && i == s.Early {
			b.emit("@%s ret", b.filled("p"))
		}
	}
	if s.Result != nil && s.Result.Reg {
		for _, e := range append(vecElems(s.Result.name("res")), s.Result.name("res"))[:max(1, s.Result.Vec)] {
			b.fill(e)
		}
	}
	if r.IntN(2) == 0 {
		b.emit("ret")
	}
}

// scratchpad stores to local memory now and loads it later.
func (b *body) scratchpad(ptr string, n int, later *[]func()) {
	for off := 0; off < n; off += 8 {
		b.emit("st.local.b64 [%s+%d], %s", ptr, off, b.filled("rd"))
		*later = append(*later, func() {
			reg := b.reg("rd")
			b.emit("ld.local.b64 %s, [%s+%d]", reg, ptr, off)
			b.show(reg)
		})
	}
}

// diamond does something, or perhaps something else, under a condition.
func (b *body) diamond(do func()) {
	p := b.filled("p")
	l, end := b.name("L"), b.name("L")
	b.emit("@%s bra %s", p, l)
	do()
	b.emit("bra.uni %s", end)
	b.label(l)
	do()
	b.label(end)
}

// recurse calls the function itself as long as its depth allows.
func (b *body) recurse(s *simSpec) {
	p, l, d := b.reg("p"), b.name("L"), b.reg("r")
	b.emit("setp.eq.u32 %s, %%r_depth, 0", p)
	b.emit("@%s bra %s", p, l)
	b.emit("add.s32 %s, %%r_depth, -1", d)
	b.call(s, "f", d, callDirect, false, nil)
	b.label(l)
}

// source returns the module of a program.
func (s *simSpec) source(t *abi.Target) string {
	g := &program{widest: 16, narrow: s.Narrow, spills: s.Spills, known: s.Seed%3 == 0, low: s.Seed%2 == 0, runs: s.Seed%5 < 3}
	if t.SM < 70 {
		g.widest = 8
	}
	version := "8.3"
	if t.SM >= 100 || t.SM == 88 || s.anyPreserve() {
		version = "9.4"
	}
	size := 64
	if s.Narrow {
		size = 32
	}
	head := fmt.Sprintf(".version %s\n.target %s\n.address_size %d\n", version, t.Name, size) +
		".extern .global .b8 in[];\n.extern .global .b8 out[];\n.extern .global .b8 cond[];\n"
	var m strings.Builder
	if s.How == callForward || s.Recurse {
		m.WriteString(".visible .func " + s.head("f") + ";\n")
	}
	if s.Inner != nil {
		b := g.body()
		b.callee(s.Inner)
		m.WriteString(b.text(".func " + s.Inner.head("g")))
	}
	b := g.body()
	b.callee(s)
	m.WriteString(b.text(".visible .func " + s.head("f")))
	if s.FromFunc {
		b := g.body()
		b.outer(s)
		b.emit("ret")
		m.WriteString(b.text(".func mid ()" + preserveText(s.Mid)))
	}
	b = g.body()
	for i := range s.Kernel {
		p := &s.Kernel[i]
		r := rand.New(rand.NewPCG(p.Seed, 6))
		name := fmt.Sprintf("k%d", i)
		ptr := name
		if p.Addr {
			ptr = b.addressOf(name)
		}
		for _, c := range b.cut(r, p.size(), p.align()) {
			base := []string{name, ptr}[r.IntN(2)]
			if c.width > p.align() {
				base = name // nothing can see at compile time that it is misaligned
			}
			b.load(r, base, c, true)
		}
	}
	for i := range s.Kernel {
		if p := &s.Kernel[i]; s.PassThrough && !p.Addr {
			b.passThrough(rand.New(rand.NewPCG(p.Seed, 7)), fmt.Sprintf("k%d", i), p.size(), p.align())
		}
	}
	if s.FromFunc {
		b.emit("call mid, ()")
	} else {
		b.outer(s)
	}
	b.emit("ret")
	var formals []string
	for i := range s.Kernel {
		formals = append(formals, s.Kernel[i].decl(fmt.Sprintf("k%d", i)))
	}
	m.WriteString(b.text(".visible .entry k (" + strings.Join(formals, ", ") + ")"))
	return head + g.passThroughText() + m.String()
}

// outer emits the call of f, in a loop or under a guard if the program has one.
func (b *body) outer(s *simSpec) {
	loop, n := "", ""
	if s.Loop {
		loop, n = b.name("L"), b.reg("r")
		b.emit("mov.b32 %s, 2", n)
		b.label(loop)
	}
	var between func()
	if s.Late && s.Inner != nil {
		between = func() { b.call(s.Inner, "g", "", callDirect, false, nil) }
	}
	b.call(s, "f", "2", s.How, s.Guarded, between)
	if s.Loop {
		p := b.reg("p")
		b.emit("add.s32 %s, %s, -1", n, n)
		b.emit("setp.ne.u32 %s, %s, 0", p, n)
		b.emit("@%s bra %s", p, loop)
	}
}

// check runs a program on a target.
func (s *simSpec) check(t *abi.Target) error {
	_, err := s.run(t, nil)
	return err
}

// run is runModule of a program, with and without homes; a panic is an error
// too.
func (s *simSpec) run(t *abi.Target, change func(*sass.Program) bool) (n tally, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	mod, err := ptx.Parse("random.ptx", []byte(s.source(t)))
	if err != nil {
		return n, fmt.Errorf("the PTX does not parse: %w", err)
	}
	if n, err = runModule(mod, t, uint32(s.Seed), nil, change); err != nil {
		return n, err
	}
	more, err := runModule(mod, t, uint32(s.Seed), &randomHomes{t: t, seed: s.Seed, mod: mod}, change)
	if err != nil && strings.Contains(err.Error(), noTemporaries) {
		more, err = runModule(mod, t, uint32(s.Seed), &randomHomes{t: t, seed: s.Seed, mod: mod, none: true}, change)
	}
	if crowded(err) {
		n.crowded = 1
		return n, nil
	}
	if err != nil {
		return n, fmt.Errorf("with homes: %w", err)
	}
	if more != n {
		return n, fmt.Errorf("with homes it compares %+v, without %+v", more, n)
	}
	return n, nil
}

// What is reported of a random allocation that leaves too few registers.
const (
	noTarget      = "and no caller-saved register is free"     // for the address of a callee
	noTemporaries = "carry no parameters and are not reserved" // for what goes through slots
	noSpare       = "no scratch register is left for a cycle of moves"
)

// crowded reports whether an allocation leaves too few registers.
func crowded(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.Contains(text, noTarget) || strings.Contains(text, noTemporaries) || strings.Contains(text, noSpare)
}

package simtest

import (
	"slices"
	"strings"
)

// statement emits one statement of a function, which may have others in it.
func (f *flow) statement(depth int) {
	switch kind := f.IntN(21); {
	case kind == 0:
		f.fill(f.any(nil))
	case kind == 1:
		f.show(f.any(nil))
	case kind <= 3:
		f.move()
	case kind <= 6 && len(f.sources) > 0:
		v := f.source()
		for range 1 + f.IntN(3) {
			f.loadFrom(v)
		}
	case kind <= 9 && len(f.sinks) > 0:
		f.storeTo(f.sink())
	case kind == 10 && len(f.sources) > 0:
		f.vector(f.source(), "ld")
	case kind == 11 && len(f.sinks) > 0:
		f.vector(f.sink(), "st")
	case kind <= 13 && len(f.sources) > 0 && len(f.sinks) > 0:
		f.forward(f.source(), f.sink(), depth)
	case kind <= 15 && depth < 3 && f.calling < 4:
		f.call(depth)
	case kind == 16 && depth < 3:
		f.branch(func() { f.block(depth + 1) })
	case kind <= 18 && depth < 2 && f.loops < 2:
		f.loop(depth)
	case kind == 19 && f.chance(4):
		f.emit("%sret", f.guard(1))
	case kind == 19 && depth == 0 && len(f.sources) > 0 && f.chance(3):
		if v := f.source(); !v.Addr {
			f.had["parts passed through functions"]++
			f.passThrough(f.Rand, v.id, v.size(), v.align())
		}
	case kind == 20 && len(f.sources) > 0 && len(f.sinks) > 0:
		f.parts(f.source(), f.sink())
	}
}

func (f *flow) source() variable { return f.sources[f.IntN(len(f.sources))] }
func (f *flow) sink() variable   { return f.sinks[f.IntN(len(f.sinks))] }

// move moves between registers of the pool, or makes one of a constant, of two
// halves, or halves of one.
func (f *flow) move() {
	same := func(n int) func(string) bool { return func(reg string) bool { return regSize(reg) == n } }
	computed := func(n int) string { // not one that may live in a slot
		return f.any(func(reg string) bool { return regSize(reg) == n && !f.moves(reg) })
	}
	to := f.any(func(reg string) bool { return regSize(reg) > 1 })
	n := regSize(to)
	switch wide, lo, hi := computed(8), computed(4), computed(4); {
	case f.chance(2):
		f.emit("mov.b%d %s, %s", 8*n, to, f.any(same(n)))
	case f.chance(2) && n <= 8:
		f.emit("mov.b%d %s, %d", 8*n, to, f.IntN(1000))
	case wide == "" || lo == "" || hi == "":
	case f.chance(2):
		f.emit("mov.b64 %s, {%s, %s}", wide, lo, hi)
	case lo != hi:
		f.emit("mov.b64 {%s, %s}, %s", lo, hi, wide)
	}
}

func (p *piece) volume() int { return p.width * max(p.vec, 1) }

// piece returns an access to a variable, at times one that is not aligned.
func (f *flow) piece(v *variable) (p piece, ok bool) {
	list := f.cut(f.Rand, v.size(), v.align())
	if len(list) == 0 {
		return p, false
	}
	p = list[0]
	if f.chance(10) {
		p.off = f.IntN(v.size() - p.volume() + 1)
	}
	return p, true
}

// base returns what names the memory of an access: the variable, or a register with
// its address, to which the offset may be added beforehand.
func (f *flow) base(v *variable, p *piece) string {
	if n := p.volume(); !v.Addr || n > v.align() || p.off%n != 0 || f.chance(2) {
		return v.id
	}
	f.had["accesses through addresses"]++
	ptr := f.pointers[v.id]
	if ptr == "" || f.chance(3) {
		ptr = f.addressOf(v.id)
	}
	if !f.narrow || f.chance(2) {
		return ptr
	}
	sum := f.reg("r")
	f.emit("add.s32 %s, %s, %d", sum, ptr, p.off)
	p.off = 0
	return sum
}

func (f *flow) loadFrom(v variable) {
	if p, ok := f.piece(&v); ok {
		f.load(f.Rand, f.base(&v, &p), p, true)
	}
}

func (f *flow) storeTo(v variable) {
	if p, ok := f.piece(&v); ok {
		base := f.base(&v, &p)
		f.store(f.Rand, base, p, f.guard(6))()
	}
}

// vector loads or stores a vector register that is named whole, where one fits.
func (f *flow) vector(v variable, op string) {
	for _, i := range f.Perm(len(f.vectors)) {
		reg := f.vectors[i]
		p := piece{0, regSize(reg), len(vecElems(reg))}
		n := p.volume()
		if n > v.size() || n > max(v.align(), 4) {
			continue
		}
		f.had["whole vectors"]++
		p.off = n * f.IntN(v.size()/n)
		guard, base := f.guard(6), f.base(&v, &p)
		to, from := reg, at(f.Rand, base, p.off)
		if op == "st" {
			to, from = from, to
		}
		f.emit("%s%s.param.v%d.b%d %s, %s", guard, op, p.vec, 8*p.width, to, from)
		return
	}
}

// forward passes a part of a variable, or all of it, on to another one.
func (f *flow) forward(from, to variable, depth int) {
	if f.chance(4) {
		f.had["parts passed through"]++
		f.passOn(f.Rand, from.id, to.id, min(from.size(), to.size()), min(from.align(), to.align()))
		return
	}
	p, ok := f.piece(&from)
	if !ok || p.volume() > to.size() {
		return
	}
	f.had["parts passed through"]++
	var regs []string
	for range max(p.vec, 1) {
		regs = append(regs, f.reg(classOf(p.width)))
	}
	mod, text := vecText(p.vec, regs)
	f.emit("ld.param%s.b%d %s, %s", mod, 8*p.width, text, at(f.Rand, from.id, p.off))
	if f.chance(4) {
		f.step(func() { f.statement(max(depth+1, 2)) })
	}
	off := p.volume() * f.IntN(to.size()/p.volume())
	f.emit("st.param%s.b%d %s, %s", mod, 8*p.width, at(f.Rand, to.id, off), text)
}

// parts passes a word on in two or four registers, which may have other values by then.
func (f *flow) parts(from, to variable) {
	n := 1 + f.IntN(2)
	if min(from.size(), to.size()) < 4 || min(from.align(), to.align()) < n {
		return
	}
	f.had["words passed on in parts"]++
	var regs []string
	for range 4 / n {
		regs = append(regs, f.reg(classOf(n)))
		f.fill(regs[len(regs)-1])
	}
	at := 4 * f.IntN(from.size()/4)
	f.maybe(3, func() {
		for k, reg := range regs {
			f.emit("ld.param.b%d %s, [%s+%d]", 8*n, reg, from.id, at+k*n)
		}
	})
	if f.chance(3) {
		f.fill(regs[f.IntN(len(regs))])
	}
	at = 4 * f.IntN(to.size()/4)
	for k, reg := range regs {
		f.emit("st.param.b%d [%s+%d], %s", 8*n, to.id, at+k*n, reg)
	}
}

// call calls a function after this one. Its arguments' stores and its result's
// loads stand in arms at times, and among other statements, which use the
// variables, too.
func (f *flow) call(depth int) {
	after := len(f.funcs) - f.at - 1
	if after == 0 {
		return
	}
	f.calling++
	to := f.at + 1 + f.IntN(after)
	s := &f.funcs[to]
	sources, sinks := len(f.sources), len(f.sinks)
	f.lines = append(f.lines, "\t{")
	var args []string
	var stores []func()
	for _, p := range s.values() {
		p.Addr = false
		args = append(args, f.argument(p, &stores))
	}
	guard := f.guard(5)
	result, inReg := f.result(s.Result)
	callee, proto := f.named(s, f.calls(to), []int{callDirect, callDirect, callPrototype, callTargets}[f.IntN(4)])
	if proto != "" {
		f.had["indirect calls"]++
	}
	if guard != "" {
		f.had["guarded calls"]++
	}
	f.Shuffle(len(stores), func(i, j int) { stores[i], stores[j] = stores[j], stores[i] })
	f.among(stores, depth)
	text := callee
	if result != "" {
		text = "(" + result + "), " + text
	}
	f.emit("%scall%s %s, (%s)%s", guard, []string{"", ".uni"}[f.IntN(2)], text, strings.Join(args, ", "), proto)
	switch {
	case result == "" || result == "_":
	case inReg:
		f.maybe(2, func() { f.show(result) })
	default:
		v := variable{result, *s.Result}
		v.Addr = false
		f.sources = append(f.sources, v)
		var loads []func()
		for _, p := range f.cut(f.Rand, v.size(), v.align()) {
			loads = append(loads, func() { f.load(f.Rand, result, p, true) })
		}
		f.among(loads, depth)
	}
	f.lines = append(f.lines, "\t}")
	f.sources, f.sinks = f.leave(f.sources, sources), f.leave(f.sinks, sinks)
}

// leave takes what a block has declared out of a list of n variables and more.
func (f *flow) leave(list []variable, n int) []variable {
	return append(list[:n], slices.DeleteFunc(list[n:], func(v variable) bool { return !f.tops[v.id] })...)
}

// among emits a list of things, some under branches, and statements among them.
func (f *flow) among(list []func(), depth int) {
	for _, do := range list {
		if f.chance(8) {
			f.step(func() { f.statement(depth + 2) })
		}
		f.step(func() { f.maybe(8, do) })
	}
}

// argument makes an argument and returns its operand; what stores to it is left to
// the caller.
func (f *flow) argument(p simParam, stores *[]func()) string {
	p.Seed = f.Uint64()
	switch {
	case p.Elems == 0 && (p.Reg || p.inRegister() && f.chance(5)):
		if c := constant(f.Rand, &p); c != "" && f.chance(5) {
			return c
		}
		if p.Vec == 0 {
			return f.operand(p.class())
		}
		p.Reg = true
		return f.body.argument(&p, nil)
	}
	name := f.declare("arg", p, f.chance(8))
	f.sinks = append(f.sinks, variable{name, p})
	for _, c := range f.cut(f.Rand, p.size(), p.align()) {
		*stores = append(*stores, func() { f.store(f.Rand, name, c, f.guard(12))() })
	}
	return name
}

// result makes what takes the result of a call, which may be a register.
func (f *flow) result(p *simParam) (operand string, inReg bool) {
	switch {
	case p == nil:
		return "", false
	case f.chance(12):
		return "_", false
	case p.Elems == 0 && (p.Reg || p.inRegister() && f.chance(5)):
		reg := f.pick(p.class())
		if reg == "" || strings.Contains(reg, ".") {
			reg = f.reg(p.class())
		}
		return reg, true
	}
	return f.declare("ret", *p, f.chance(8)), false
}

// declare declares a variable in the block or at the top of the function.
func (f *flow) declare(stem string, p simParam, top bool) string {
	name := f.name(stem)
	if f.tops[name] = top; top {
		f.had["variables at the top"]++
		f.decls = append(f.decls, p.decl(name))
	} else {
		f.emit("%s", p.decl(name))
	}
	return name
}

package simtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
)

// A flow makes a program with real control flow: nested branches, loops that are
// left in their middle, calls, loads and stores in all of them, and registers and
// variables that are used everywhere.
type flow struct {
	*body // of the function that is being made
	*rand.Rand
	funcs     []simSpec         // a function calls those after it; the first is the kernel
	at        int               // index of the function
	registers []string          // the pool, in order
	vectors   []string          // those of it that have elements
	sources   []variable        // what can be loaded from here
	sinks     []variable        // what can be stored to
	pointers  map[string]string // by variable, registers that have its address from the entry on
	tops      map[string]bool   // variables that are declared at the top of the function
	loops     int               // of the function
	calling   int               // calls in it
	fills     []fill            // what gives the registers of the pool their first values
	steps     int               // of the program
	without   map[int]bool      // steps that are left out; 0 stands for all that nothing mentions
	had       map[string]int    // what the program has, and how often
}

// A fill is the lines up to one that give a register a value.
type fill struct {
	reg string
	end int
}

// A variable can be loaded from, or stored to. Addr says whether its address is taken.
type variable struct {
	id string
	simParam
}

// randomFlow makes the program of a seed, without some of its steps. It counts what
// the program has.
func randomFlow(seed uint64, t *abi.Target, without map[int]bool) (source string, had map[string]int) {
	f := &flow{Rand: rand.New(rand.NewPCG(seed, 0xf10)), without: without, had: make(map[string]int)}
	g := &program{widest: 16, narrow: narrow(t) && f.chance(3), spills: f.chance(2), known: f.chance(3), low: f.chance(2), runs: !f.chance(3)}
	if t.SM < 70 {
		g.widest = 8
	}
	version, size := "8.3", 64
	if t.SM >= 100 || t.SM == 88 {
		version = "9.4"
	}
	if g.narrow {
		size = 32
	}
	if f.makeSignatures(t) {
		version = "9.4"
	}
	texts := make([]string, len(f.funcs))
	for i := range slices.Backward(f.funcs) {
		f.at, f.body = i, g.body()
		texts[i] = f.function()
	}
	text := texts[0]
	for i := 1; i < len(texts); i++ {
		if !f.without[0] || strings.Contains(text, f.calls(i)) {
			text = texts[i] + text
		}
	}
	f.had["steps"] = f.steps
	return fmt.Sprintf(".version %s\n.target %s\n.address_size %d\n", version, t.Name, size) +
		".extern .global .b8 in[];\n.extern .global .b8 out[];\n.extern .global .b8 cond[];\n" +
		g.passThroughText() + text, f.had
}

// makeSignatures makes the heads of the functions, and reports whether one of them
// has .abi_preserve.
func (f *flow) makeSignatures(t *abi.Target) (preserve bool) {
	f.funcs = make([]simSpec, 2+f.IntN(3))
	for i := range f.funcs {
		s := &f.funcs[i]
		*s = signatureSpec(f.Rand, 4, 120)
		s.Seed, s.Spills = f.Uint64(), true
		if i == 0 { // parameters of kernels are in .param space
			s.Result, s.Tail = nil, nil
			s.Params = slices.DeleteFunc(s.Params, func(p simParam) bool { return p.Reg || p.Type == ptx.F16X2 })
		}
		for k := range s.Params {
			s.Params[k].Addr = !s.Params[k].Reg && f.chance(3)
		}
		s.limit(t)
		if i > 0 {
			s.preserve(t)
		}
		preserve = preserve || s.anyPreserve()
	}
	return preserve
}

// chance is true once in n times.
func (f *flow) chance(n int) bool { return f.IntN(n) == 0 }

// function makes a function and returns its text.
func (f *flow) function() string {
	s := &f.funcs[f.at]
	f.loops, f.calling, f.sources, f.sinks = 0, 0, nil, nil
	f.pointers, f.tops = make(map[string]string), make(map[string]bool)
	f.makePool()
	for i, p := range s.values() {
		v := variable{p.name(fmt.Sprintf("f%d", i)), p}
		switch {
		case i == len(s.formals()):
			v.id = "tail"
		case p.Reg && p.plain():
			f.share(v.id)
			continue
		case p.Reg:
			f.step(func() { f.showFormal(v.id) })
			continue
		}
		f.variable(&f.sources, v)
	}
	if p := s.Result; p != nil && p.Reg {
		f.fill(p.name("res"))
		if p.plain() {
			f.share(p.name("res"))
		}
	} else if p != nil {
		f.variable(&f.sinks, variable{"res", *p})
	}
	for range 3 {
		f.block(0)
	}
	if f.at == 0 {
		f.step(func() { f.call(0) })
	}
	for _, reg := range f.registers {
		if f.chance(2) {
			f.step(func() { f.show(reg) })
		}
	}
	f.emit("ret")
	if f.without[0] {
		f.dropFills()
	}
	if f.at == 0 {
		return f.text(".visible .entry " + s.head("k"))
	}
	return f.text([]string{"", ".visible "}[f.IntN(2)] + ".func " + s.head(f.calls(f.at)))
}

// calls is how a function is called.
func (f *flow) calls(i int) string { return fmt.Sprintf("g%d", i) }

// values returns the formals, and last what is passed for the tail.
func (s *simSpec) values() []simParam {
	list := slices.Clone(s.formals())
	if s.Tail != nil && s.Tail.Elems > 0 {
		list = append(list, *s.Tail)
	}
	return list
}

// plain reports whether a register of a formal's type goes with all accesses and all
// formals of its size.
func (p *simParam) plain() bool {
	return p.Vec == 0 && slices.Contains([]ptx.Type{ptx.B8, ptx.B16, ptx.B32, ptx.B64, ptx.B128}, p.Type)
}

// makePool makes the registers that are used everywhere. All get a value here: one
// that is written under a branch in a loop has to live around the loop, and
// lifetimes sees that only for those that are mentioned before it.
func (f *flow) makePool() {
	f.pool, f.registers, f.vectors, f.fills = make(map[string][]string), nil, nil, nil
	classes := []string{"r", "r", "r", "rd", "rd", "rd", "rs", "rs", "rb"}
	if f.widest == 16 && f.chance(2) {
		classes = append(classes, "rq")
	}
	for _, class := range classes {
		reg := f.reg(class)
		f.first(reg)
	}
	for i, class := range []string{"v4r", "v4r", "v2rd", "v2rd", "v2r", "v4rs"} {
		name := fmt.Sprintf("%%%s%d", class, i)
		f.vectors = append(f.vectors, name)
		f.decls = append(f.decls, fmt.Sprintf(".reg .v%c .b%d %s", class[1], 8*regSize(name), name))
		for _, elem := range vecElems(name) {
			f.first(elem)
		}
	}
}

// first gives a register its first value and puts it into the pool.
func (f *flow) first(reg string) {
	f.fill(reg)
	f.fills = append(f.fills, fill{reg, len(f.lines)})
	f.share(reg)
}

// dropFills leaves out the fills of registers that nothing else mentions.
func (f *flow) dropFills() {
	begin := f.fills[len(f.fills)-1].end
	mentioned := make(map[string]bool)
	for _, word := range strings.FieldsFunc(strings.Join(f.lines[begin:], " "), func(c rune) bool { return strings.ContainsRune(" \t,;{}[]().+@!", c) }) {
		mentioned[word] = true
	}
	var lines []string
	from := 0
	for _, l := range f.fills {
		if name, _, _ := strings.Cut(l.reg, "."); mentioned[name] {
			lines = append(lines, f.lines[from:l.end]...)
		}
		from = l.end
	}
	f.lines = append(lines, f.lines[begin:]...)
}

// share puts a register into the pool.
func (f *flow) share(reg string) {
	f.registers = append(f.registers, reg)
	class := plainClass(reg)
	f.pool[class] = append(f.pool[class], reg)
}

// pick returns a register of the pool; "" where there is none or it is not wanted.
func (b *body) pick(class string) string {
	list := b.pool[class]
	if len(list) == 0 {
		return ""
	}
	b.picks++
	h := mix(uint32(b.in), uint32(b.picks))
	if h%3 == 0 {
		return ""
	}
	return list[int(h>>8)%len(list)]
}

// keeps reports whether what was loaded into a register is not shown at once: those
// of the pool are read later.
func (b *body) keeps(reg string) bool {
	return slices.Contains(b.pool[plainClass(reg)], reg) && mix(uint32(b.picks), 1)%2 == 0
}

// any returns a register of the pool that is fit; "" if none is.
func (f *flow) any(fit func(reg string) bool) string {
	from := f.IntN(len(f.registers))
	for i := range f.registers {
		if reg := f.registers[(from+i)%len(f.registers)]; fit == nil || fit(reg) {
			return reg
		}
	}
	return ""
}

// operand is filled for an operand of a call: no element of a vector.
func (b *body) operand(class string) string {
	if reg := b.filled(class); !strings.Contains(reg, ".") {
		return reg
	}
	reg := b.reg(class)
	b.fill(reg)
	return reg
}

// variable puts a variable into scope, at times with a pointer to it.
func (f *flow) variable(list *[]variable, v variable) {
	*list = append(*list, v)
	if v.Addr && f.chance(2) {
		f.pointers[v.id] = f.addressOf(v.id)
	}
}

// step emits something that a failing program may do without.
func (f *flow) step(do func()) {
	f.steps++
	left := f.without[f.steps]
	lines, run, throughs := len(f.lines), slices.Clone(f.run), len(f.throughs)
	do()
	if left {
		f.lines, f.run, f.throughs = f.lines[:lines], run, f.throughs[:throughs]
	}
}

// guard returns a guard once in n times, else "".
func (f *flow) guard(n int) string {
	if !f.chance(n) {
		return ""
	}
	return []string{"@", "@!"}[f.IntN(2)] + f.filled("p") + " "
}

func (f *flow) block(depth int) {
	for range 1 + f.IntN(4-min(depth, 1)) {
		f.step(func() { f.statement(depth) })
	}
}

// maybe puts something under a branch once in n times.
func (f *flow) maybe(n int, do func()) {
	if f.chance(n) {
		f.branch(do)
	} else {
		do()
	}
}

// branch puts something under a branch; at times the like into the other arm.
func (f *flow) branch(do func()) {
	f.had["branches"]++
	other := f.name("L")
	f.emit("%sbra %s", f.guard(1), other)
	do()
	if f.chance(2) {
		f.label(other)
		return
	}
	end := f.name("L")
	f.emit("bra %s", end)
	f.label(other)
	do()
	f.label(end)
}

// loop does something two or three times; at times it is left in its middle.
func (f *flow) loop(depth int) {
	f.had["loops"]++
	f.loops++
	n, p, again, out := f.reg("r"), f.reg("p"), f.name("L"), ""
	f.emit("mov.b32 %s, %d", n, 2+f.IntN(2))
	f.label(again)
	f.block(depth + 1)
	if f.chance(2) {
		f.had["exits from loops"]++
		out = f.name("L")
		f.emit("%sbra %s", f.guard(1), out)
		f.block(depth + 1)
	}
	f.emit("add.s32 %s, %s, -1", n, n)
	f.emit("setp.ne.u32 %s, %s, 0", p, n)
	f.emit("@%s bra %s", p, again)
	if out != "" {
		f.label(out)
	}
}

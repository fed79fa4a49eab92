package simtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// A body collects the statements of one function.
type body struct {
	lines []string
	decls []string
	count map[string]int      // registers by class
	used  map[string][]string // those of filled, by class
	next  int                 // for names of variables and labels
	run   []loaded            // what the loads right before have loaded, and is not shown yet
	pool  map[string][]string // registers that are used everywhere, by class; nil where there are none
	picks int                 // how often one of them was picked
	*program
}

// A loaded is a register of a run of loads, how many bytes a load put there, and its class.
type loaded struct {
	reg, class string
	size       int
}

// A program collects a module.
type program struct {
	widest   int // bytes of an element of an access that the target has
	in, out  int // used bytes of the arrays that values come from and go to
	throughs []string
	narrow   bool // addresses have 32 bits
	spills   bool // registers are moved before they are used, so that they can be in slots
	known    bool // some registers are filled with constants
	low      bool // of some registers no more is shown than was loaded
	runs     bool // loads stand after one another, some of which write the same register
}

// pointer returns a register for an address, and its size in bits.
func (b *body) pointer() (reg string, bits int) {
	if b.narrow {
		return b.reg("r"), 32
	}
	return b.reg("rd"), 64
}

// addressOf returns a register with the address of a variable or function.
func (b *body) addressOf(name string) string {
	reg, bits := b.pointer()
	b.emit("mov.b%d %s, %s", bits, reg, name)
	return reg
}

func (g *program) body() *body {
	return &body{count: map[string]int{}, used: map[string][]string{}, program: g}
}

func (b *body) emit(format string, args ...any) {
	b.endRun()
	b.line(format, args...)
}

func (b *body) line(format string, args ...any) {
	b.lines = append(b.lines, "\t"+fmt.Sprintf(format, args...)+";")
}

func (b *body) label(name string) {
	b.endRun()
	b.lines = append(b.lines, name+":")
}

// endRun shows what a run of loads has loaded.
func (b *body) endRun() {
	run := b.run
	b.run = nil
	for _, l := range run {
		b.showLoaded(l)
	}
}

func (b *body) name(stem string) string {
	b.next++
	return fmt.Sprintf("%s%d", stem, b.next-1)
}

func (b *body) reg(class string) string {
	b.count[class]++
	return fmt.Sprintf("%%%s%d", class, b.count[class]-1)
}

// text returns the function's text with its head.
func (b *body) text(head string) string {
	b.endRun()
	var s strings.Builder
	s.WriteString(head + "\n{\n")
	for _, c := range []string{"rb", "rs", "r", "rd", "rq", "p"} {
		t := map[string]string{"rb": ".b8", "rs": ".b16", "r": ".b32", "rd": ".b64", "rq": ".b128", "p": ".pred"}[c]
		if n := b.count[c]; n > 0 {
			fmt.Fprintf(&s, "\t.reg %s %%%s<%d>;\n", t, c, n)
		}
	}
	for _, d := range b.decls {
		s.WriteString("\t" + d + ";\n")
	}
	s.WriteString(strings.Join(b.lines, "\n") + "\n}\n")
	return s.String()
}

// fill puts a new value into a register.
func (b *body) fill(reg string) {
	if b.moves(reg) {
		tmp := b.reg(plainClass(reg))
		b.fill(tmp)
		b.emit("mov.b%d %s, %s", 8*regSize(reg), reg, tmp)
		return
	}
	switch n := regSize(reg); n {
	case 0:
		b.emit("setp.ne.u32 %s, %s, 0", reg, b.condition())
	case 16:
		lo, hi := b.reg("rd"), b.reg("rd")
		b.fill(lo)
		b.fill(hi)
		b.emit("mov.b128 %s, {%s, %s}", reg, lo, hi)
	default:
		if h := mix(uint32(b.in), uint32(b.out)+3); b.known && n > 1 && h%3 == 0 {
			b.emit("mov.b%d %s, %d", 8*n, reg, int32(h>>4)>>(32-min(8*n, 32)))
		} else {
			b.emit("ld.volatile.global.b%d %s, [in+%d]", 8*n, reg, b.in)
		}
		b.in += 8
	}
}

// filled returns a register with a new value; at times one whose value may
// still be used later, or one of the pool with the value that it has.
func (b *body) filled(class string) string {
	if reg := b.pick(class); reg != "" {
		return reg
	}
	list := b.used[class]
	reg := ""
	if h := mix(uint32(b.in), uint32(b.out)); len(list) > 0 && h%6 == 0 {
		reg = list[int(h>>8)%len(list)]
	} else {
		reg = b.reg(class)
		b.used[class] = append(list, reg)
	}
	b.fill(reg)
	return reg
}

// condition returns a register that is 0 or 1.
func (b *body) condition() string {
	c := b.reg("r")
	b.emit("ld.volatile.global.b32 %s, [cond+%d]", c, b.in)
	b.in += 8
	return c
}

// show stores a register where it can be seen.
func (b *body) show(reg string) {
	if b.moves(reg) {
		tmp := b.reg(plainClass(reg))
		b.emit("mov.b%d %s, %s", 8*regSize(reg), tmp, reg)
		b.show(tmp)
		return
	}
	switch n := regSize(reg); n {
	case 0:
		r := b.reg("r")
		b.emit("selp.b32 %s, 1, 0, %s", r, reg)
		b.show(r)
	case 16:
		lo, hi := b.reg("rd"), b.reg("rd")
		b.emit("mov.b128 {%s, %s}, %s", lo, hi, reg)
		b.show(lo)
		b.show(hi)
	default:
		b.emit("st.volatile.global.b%d [out+%d], %s", 8*n, b.out, reg)
		b.out += 8
	}
}

// showFormal shows a formal in .reg space.
func (b *body) showFormal(name string) {
	for _, e := range vecElems(name) {
		b.show(e)
	}
	if vecElems(name) == nil {
		b.show(name)
	}
}

// A piece is one access: vec elements of width bytes, vec 0 for a scalar.
type piece struct{ off, width, vec int }

// cut divides size bytes into accesses, in random order, a few of them left
// out.
func (g *program) cut(r *rand.Rand, size, align int) []piece {
	var list []piece
	widest := max(align, 4)
	if r.IntN(4) == 0 {
		widest = 16
	}
	widest = min(widest, g.widest)
	for off := 0; off < size; {
		w := 1 << r.IntN(5)
		for w > widest || off%w != 0 || off+w > size {
			w /= 2
		}
		p := piece{off, w, 0}
		if v := 2 + 2*r.IntN(2); r.IntN(4) == 0 && v*w <= 16 && off%(v*w) == 0 && off+v*w <= size && v*w <= max(align, 4) {
			p.vec = v
		}
		off += w * max(p.vec, 1)
		if size > 300 && r.IntN(40) != 0 && off+64 < size { // a sample of large ones
			off += 16 * r.IntN(16)
			off = min(off, (size-1)&^15)
			continue
		}
		if r.IntN(12) != 0 {
			list = append(list, p)
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func at(r *rand.Rand, base string, off int) string {
	if off == 0 && r.IntN(2) == 0 {
		return "[" + base + "]"
	}
	return fmt.Sprintf("[%s+%d]", base, off)
}

// wider returns the class of a register of at least that many bytes.
func wider(r *rand.Rand, width int) string {
	for r.IntN(3) == 0 && width < 8 {
		width *= 2
	}
	return classOf(width)
}

func vecText(vec int, regs []string) (mod, text string) {
	if vec == 0 {
		return "", regs[0]
	}
	return fmt.Sprintf(".v%d", vec), "{" + strings.Join(regs, ", ") + "}"
}

// store makes the values of a store to a variable and returns what emits it.
// The guard is "" or ends with a blank.
func (b *body) store(r *rand.Rand, base string, p piece, guard string) func() {
	var regs []string
	class := wider(r, p.width)
	zeros := r.IntN(16) == 0 && p.width <= 8 // of which a record is often made
	for range max(p.vec, 1) {
		switch {
		case zeros:
			regs = append(regs, "0")
			continue
		case r.IntN(8) == 0 && p.width <= 8:
			regs = append(regs, fmt.Sprint(r.Int64N(1<<(min(8*p.width, 62)-1))-int64(r.IntN(2)*100)))
			continue
		}
		regs = append(regs, b.filled(class))
	}
	mod, text := vecText(p.vec, regs)
	return func() { b.emit("%sst.param%s.b%d %s, %s", guard, mod, 8*p.width, at(r, base, p.off), text) }
}

// load loads from a variable and shows what came, at once or after other loads.
// A load that may be guarded is so at times.
func (b *body) load(r *rand.Rand, base string, p piece, guardable bool) {
	var regs []string
	class := wider(r, p.width)
	guard := ""
	for range max(p.vec, 1) {
		if p.vec != 0 && r.IntN(10) == 0 {
			regs = append(regs, "_")
			continue
		}
		regs = append(regs, b.target(class, regs))
	}
	if guardable && r.IntN(10) == 0 {
		for _, reg := range regs {
			if reg != "_" {
				b.fill(reg)
			}
		}
		guard = []string{"@", "@!"}[r.IntN(2)] + b.filled("p") + " "
	}
	kind := string("bus"[r.IntN(3)])
	if p.width == 16 {
		kind = "b"
	}
	mod, text := vecText(p.vec, regs)
	b.line("%sld.param%s.%s%d %s, %s", guard, mod, kind, 8*p.width, text, at(r, base, p.off))
	for _, reg := range regs {
		if reg != "_" && !b.keeps(reg) {
			b.run = append(b.run, loaded{reg, class, p.width})
		}
	}
	if !b.runs || len(b.run) > 12 {
		b.endRun()
	}
}

// target returns a register to load to, other than those: at times one that a load
// right before has written.
func (b *body) target(class string, others []string) string {
	if h := mix(uint32(b.out), uint32(len(b.lines))); len(b.run) > 0 && h%8 == 0 {
		l := b.run[int(h>>8)%len(b.run)]
		if l.class == class && !slices.Contains(others, l.reg) {
			return l.reg
		}
	}
	if reg := b.pick(class); reg != "" && !slices.Contains(others, reg) {
		return reg
	}
	return b.reg(class)
}

// showLoaded shows a register, or the part of it that was loaded.
func (b *body) showLoaded(l loaded) {
	if b.low && l.size <= 8 && mix(uint32(b.out), 5)%2 == 0 && !b.moves(l.reg) {
		b.emit("st.volatile.global.b%d [out+%d], %s", 8*l.size, b.out, l.reg)
		b.out += 8
		return
	}
	b.show(l.reg)
}

// constant returns a literal for a formal; "" if it takes none.
func constant(r *rand.Rand, p *simParam) string {
	switch {
	case p.Vec != 0 || p.Elems != 0 || p.Type.Size() > 8 || p.Type == ptx.Pred || p.Type == ptx.F16 || p.Type == ptx.F16X2:
		return ""
	case p.Type == ptx.F32:
		return fmt.Sprintf("0f%08X", r.Uint32())
	case p.Type == ptx.F64:
		return fmt.Sprintf("0d%016X", r.Uint64())
	}
	return fmt.Sprint(r.Int64N(1<<(min(8*p.Type.Size(), 62)-1)) - int64(r.IntN(2)*100))
}

// argument makes an argument and returns its operand; the stores that belong
// to it are left to the caller.
func (b *body) argument(p *simParam, stores *[]func()) string {
	r := rand.New(rand.NewPCG(p.Seed, 1))
	if p.Elems == 0 && (p.Reg || p.inRegister() && r.IntN(6) == 0) {
		if c := constant(r, p); c != "" && r.IntN(5) == 0 {
			return c
		}
		if p.Vec == 0 {
			return b.filled(p.class())
		}
		v := b.name("%" + p.class() + "_a")
		b.decls = append(b.decls, fmt.Sprintf(".reg .v%d .b%d %s", p.Vec, 8*p.Type.Size(), v))
		for _, e := range vecElems(v) {
			b.fill(e)
		}
		return v
	}
	name := b.name("arg")
	b.emit("%s", p.decl(name))
	for _, c := range b.cut(r, p.size(), p.align()) {
		*stores = append(*stores, b.store(r, name, c, ""))
		if r.IntN(15) == 0 {
			*stores = append(*stores, b.store(r, name, c, ""))
		}
	}
	return name
}

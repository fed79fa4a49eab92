package bench

import (
	"strconv"
	"strings"
)

// sinkBytes is the size of the memory that generated functions load from and
// store to.
const sinkBytes = 4096

// arrayBytes bounds the arrays that formals are: 1,000 functions have 3.5 MB.
const arrayBytes = 46

// Head is the beginning of every generated module. Every toolkit from CUDA
// 11.0 on takes it.
const Head = ".version 7.0\n.target sm_80\n.address_size 64\n\n.extern .global .align 16 .b8 sink[4096];\n"

// Functions returns a module of n functions with random signatures, about 3.5
// KB each. Each stores each word of each of its formals, and calls up to two
// earlier functions with what it loads. Some are kernels.
func Functions(seed uint64, n int) []byte {
	g := newGenerator(seed, arrayBytes)
	for range n {
		g.function()
	}
	return g.text
}

// Module returns a module of about size bytes, of functions like those of
// [Functions]; of smaller ones where the size is below 64 KB. There is at least
// one function.
func Module(seed uint64, size int) []byte {
	g := newGenerator(seed, min(max(size/512, 8), arrayBytes))
	for len(g.sigs) == 0 || len(g.text) < size {
		g.function()
	}
	return g.text
}

// A generator writes functions into text.
type generator struct {
	random
	limit int // bytes of an array, at most
	text  writer
	sigs  []signature // so far

	body                  writer
	regs, wides, f32, f64 int // registers of each kind so far
	labels, off           int
}

func newGenerator(seed uint64, limit int) *generator {
	return &generator{random: random(seed), limit: limit, text: writer(Head)}
}

// function appends a function with a random signature.
func (g *generator) function() {
	s := g.signature("f"+strconv.Itoa(len(g.sigs)), g.limit)
	g.body, g.regs, g.wides, g.f32, g.f64, g.labels = g.body[:0], 0, 0, 0, 0, 0
	for i := range s.params {
		g.store(&s.params[i], s.param(i))
		if g.below(4) == 0 {
			g.arithmetic()
		}
	}
	for range min(g.below(3), len(g.sigs)) {
		callee := &g.sigs[len(g.sigs)-1-g.below(min(len(g.sigs), 64))]
		if !callee.entry {
			g.call(callee)
		}
	}
	if s.result != nil {
		g.fill(s.result, []string{s.name + "_result"})
	}
	g.text.put("\n", s.head(), "\n{\n")
	for _, d := range []struct {
		name string
		n    int
	}{{".pred %p", 2}, {".b32 %r", g.regs}, {".b64 %rd", g.wides}, {".f32 %f", g.f32}, {".f64 %fd", g.f64}} {
		if d.n > 0 {
			g.text.put("\t.reg ", d.name, "<", d.n, ">;\n")
		}
	}
	g.text.put(string(g.body), "\tret;\n}\n")
	g.sigs = append(g.sigs, s)
}

// line appends an instruction to the body; the parts are strings and numbers.
func (g *generator) line(parts ...any) {
	g.body.put("\t")
	g.body.put(parts...)
	g.body.put(";\n")
}

// register returns a fresh register for size bytes, or of the type if that is
// a float.
func (g *generator) register(size int, typ string) string {
	n, name := &g.regs, "%r"
	switch {
	case typ == ".f32":
		n, name = &g.f32, "%f"
	case typ == ".f64":
		n, name = &g.f64, "%fd"
	case size == 8:
		n, name = &g.wides, "%rd"
	}
	*n++
	return name + strconv.Itoa(*n-1)
}

// sink returns an operand for size bytes of the memory.
func (g *generator) sink(size int) string {
	if g.off = (g.off + size - 1) &^ (size - 1); g.off+size > sinkBytes {
		g.off = 0
	}
	off := g.off
	g.off += size
	return "[sink+" + strconv.Itoa(off) + "]"
}

// access returns the type and the registers of an access to part p.
func (g *generator) access(p part) (typ, regs string) {
	typ = map[int]string{1: ".u8", 2: ".u16", 4: ".b32", 8: ".b64"}[p.size]
	if p.vec == 1 {
		return typ, g.register(p.size, "")
	}
	list := make([]string, p.vec)
	for i := range list {
		list[i] = g.register(p.size, "")
	}
	return ".v" + strconv.Itoa(p.vec) + typ, "{" + strings.Join(list, ", ") + "}"
}

// A move is a part of a value and the registers that it is in.
type move struct {
	off       int
	typ, regs string
	sink      string
}

// moves splits a value in .param space.
func (g *generator) moves(dst []move, f *formal) []move {
	for _, p := range f.parts(&g.random) {
		typ, regs := g.access(p)
		dst = append(dst, move{p.off, typ, regs, g.sink(p.size * p.vec)})
	}
	return dst
}

// store stores the value called name to the memory: all loads of it first, as
// they must stand right after a call.
func (g *generator) store(f *formal, name string) {
	if f.reg {
		g.line("st.volatile.global", f.typ, " ", g.sink(f.size), ", ", name)
		return
	}
	moves := g.moves(nil, f)
	for _, m := range moves {
		g.line("ld.param", m.typ, " ", m.regs, ", [", name, "+", m.off, "]")
	}
	for _, m := range moves {
		g.line("st.volatile.global", m.typ, " ", m.sink, ", ", m.regs)
	}
}

// fill loads values from the memory: all stores to .param space last, as they
// must stand right before a call.
func (g *generator) fill(values []formal, names []string) {
	moves := make([][]move, len(values))
	for i := range values {
		if f := &values[i]; f.reg {
			g.line("ld.volatile.global", f.typ, " ", names[i], ", ", g.sink(f.size))
		} else {
			moves[i] = g.moves(nil, f)
		}
		for _, m := range moves[i] {
			g.line("ld.volatile.global", m.typ, " ", m.regs, ", ", m.sink)
		}
	}
	for i := range values {
		for _, m := range moves[i] {
			g.line("st.param", m.typ, " [", names[i], "+", m.off, "], ", m.regs)
		}
	}
}

// arithmetic appends instructions that have nothing to do with calls, and a
// branch around some of them.
func (g *generator) arithmetic() {
	a, b, c := g.register(4, ""), g.register(4, ""), g.register(4, "")
	g.line("mov.u32 ", a, ", %tid.x")
	g.line("mad.lo.s32 ", b, ", ", a, ", ", 3+g.below(97), ", ", a)
	g.line("setp.gt.s32 %p1, ", b, ", ", g.below(1000))
	label := "$L_" + strconv.Itoa(len(g.sigs)) + "_" + strconv.Itoa(g.labels)
	g.labels++
	g.line("@%p1 bra ", label)
	g.line("xor.b32 ", c, ", ", b, ", ", a)
	g.line("st.volatile.global.b32 ", g.sink(4), ", ", c)
	g.body.put(label, ":\n")
}

// call appends a call of s with loaded arguments, and stores its result.
func (g *generator) call(s *signature) {
	g.body.put("\t{\n")
	var results string
	one := func(f *formal, name string) string {
		if f.reg {
			return g.register(f.size, f.typ)
		}
		g.line(f.decl(name))
		return name
	}
	if s.result != nil {
		results = one(&s.result[0], "result")
	}
	names := make([]string, len(s.params))
	for i := range s.params {
		names[i] = one(&s.params[i], "arg"+strconv.Itoa(i))
	}
	args := strings.Join(names, ", ")
	g.fill(s.params, names)
	if results == "" {
		g.line("call ", s.name, ", (", args, ")")
	} else {
		g.line("call (", results, "), ", s.name, ", (", args, ")")
		g.store(&s.result[0], results)
	}
	g.body.put("\t}\n")
}

package simtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// passThrough passes a variable on, piece by piece, to a function that passes it on
// to its result, once or twice, and shows what comes back. Nothing else looks at
// most of the pieces.
func (b *body) passThrough(r *rand.Rand, from string, size, align int) {
	size, align = min(size, 300), min(align, 16)
	beside := r.IntN(2) == 0
	name := b.passThroughFunc(r, size, align, beside)
	times := 1 + r.IntN(2)
	for range times {
		b.lines = append(b.lines, "\t{")
		b.count["x"]++ // a name that no block inside hides
		arg, ret := fmt.Sprintf("give%d", b.count["x"]), fmt.Sprintf("got%d", b.count["x"])
		b.emit(".param .align %d .b8 %s[%d]", align, arg, size)
		b.emit(".param .align %d .b8 %s[%d]", align, ret, size)
		b.passOn(r, from, arg, size, align)
		more := ""
		if beside {
			more = b.name("more")
			b.emit(".param .align 16 .b8 %s[64]", more)
			for off := 0; off < 64; off += 8 {
				b.store(r, more, piece{off, 4 << r.IntN(2), 0}, "")()
			}
			more = ", " + more
		}
		b.emit("call (%s), %s, (%s, %s%s)", ret, name, b.operand("r"), arg, more)
		from = ret
	}
	for _, c := range b.cut(r, size, align) {
		b.load(r, from, c, false)
	}
	for range times {
		b.lines = append(b.lines, "\t}")
	}
}

// passOn stores to one variable what it loads from another.
func (b *body) passOn(r *rand.Rand, from, to string, size, align int) {
	var stores []func()
	for _, c := range b.cut(r, size, align) {
		class := classOf(c.width)
		if r.IntN(4) == 0 {
			class = wider(r, c.width)
		}
		var regs []string
		for range max(c.vec, 1) {
			regs = append(regs, b.reg(class))
		}
		kind := string("bus"[r.IntN(3)])
		if c.width == 16 {
			kind = "b"
		}
		mod, text := vecText(c.vec, regs)
		b.emit("ld.param%s.%s%d %s, %s", mod, kind, 8*c.width, text, at(r, from, c.off))
		if r.IntN(20) == 0 {
			b.show(regs[0])
		}
		shift := 0
		if n := c.width * max(c.vec, 1); r.IntN(12) == 0 && c.off+2*n <= size && c.vec == 0 {
			shift = n
		}
		width := c.width
		if r.IntN(16) == 0 && width > 1 && width < 16 {
			width /= 2 // the rest is lost
		}
		if c.vec != 0 && (r.IntN(3) == 0 || width != c.width) {
			for i, reg := range regs {
				stores = append(stores, func() { b.emit("st.param.b%d [%s+%d], %s", 8*width, to, c.off+i*c.width, reg) })
			}
			continue
		}
		stores = append(stores, func() { b.emit("st.param%s.b%d %s, %s", mod, 8*width, at(r, to, c.off+shift), text) })
	}
	r.Shuffle(len(stores), func(i, j int) { stores[i], stores[j] = stores[j], stores[i] })
	for _, st := range stores {
		st()
	}
}

// passThroughFunc adds a function that passes its second formal on to its result. It
// may take an array beside it, on the stack.
func (g *program) passThroughFunc(r *rand.Rand, size, align int, beside bool) string {
	name := fmt.Sprintf("passThrough%d", len(g.throughs))
	g.throughs = append(g.throughs, "") // its own may be needed in between
	at := len(g.throughs) - 1
	b := g.body()
	call := func() {
		if r.IntN(3) == 0 {
			b.emit("call noop, ()")
		}
	}
	call()
	b.emit("st.volatile.global.b32 [out+%d], %%r_lead", b.out)
	b.out += 8
	for off := 0; beside && off < 64; off += 8 {
		b.load(r, "y", piece{off, 4, 0}, false)
	}
	if r.IntN(4) == 0 {
		b.diamond(func() { b.show(b.filled("r")) })
	}
	b.passOn(r, "x", "res", size, align)
	call()
	b.emit("ret")
	more := ""
	if beside {
		more = ", .param .align 16 .b8 y[64]"
	}
	g.throughs[at] = b.text(fmt.Sprintf(".func (.param .align %d .b8 res[%d]) %s (.reg .b32 %%r_lead, .param .align %d .b8 x[%d]%s)", align, size, name, align, size, more))
	return name
}

// passThroughText is the text of the functions that passThrough added.
func (g *program) passThroughText() string {
	if len(g.throughs) == 0 {
		return ""
	}
	return ".func noop ()\n{\n\tret;\n}\n" + strings.Join(g.throughs, "")
}

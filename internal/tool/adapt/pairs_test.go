package adapt_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/lab/witness"
	"github.com/ptxabi/ptxabi/internal/tool/adapt"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/ptx"
)

// A ctype is a type of C, with what a test has to know of it. It is laid out here, by
// itself, so that package layout is not held against itself.
type ctype struct {
	spell       string // with %s for the name
	size, align int64
	scalar      bool // passed in a register by nvcc, clang and GCC
	float       bool
	signed      bool
	complex     bool
	half        bool // a float of 16 bits: a word for numba, bytes for clang
	record      bool
	own         int64 // if not 0, the alignment of what clang makes of it, which results have and arguments have at least
	used        int64 // bytes without tail padding
	tuple       int64 // if not 0, the bytes of the tuple that numba makes of it, which is aligned to own
	leaves      []leaf
}

// A leaf is a scalar in a value.
type leaf struct {
	off, size int64
	signed    bool
}

var scalars = []ctype{
	{spell: "char %s", size: 1, signed: true},
	{spell: "signed char %s", size: 1, signed: true},
	{spell: "unsigned char %s", size: 1},
	{spell: "_Bool %s", size: 1},
	{spell: "short %s", size: 2, signed: true},
	{spell: "unsigned short %s", size: 2},
	{spell: "int %s", size: 4, signed: true},
	{spell: "unsigned %s", size: 4},
	{spell: "long %s", size: 8, signed: true},
	{spell: "unsigned long long %s", size: 8},
	{spell: "float %s", size: 4, float: true},
	{spell: "double %s", size: 8, float: true},
	{spell: "void *%s", size: 8},
}

// halves are the floats of 16 bits, which clang passes as bytes and numba in a word.
var halves = []ctype{
	{spell: "_Float16 %s", size: 2, half: true},
	{spell: "__bf16 %s", size: 2, half: true},
}

// A world draws prototypes.
type world struct {
	*rand.Rand
	decls  strings.Builder
	n      int
	exotic bool // there is something that numba does not have
	halves bool // scalars are floats of 16 bits too, which nvcc and GCC do not have
}

func (w *world) scalar() ctype {
	t := scalars[w.IntN(len(scalars))]
	if w.halves && w.IntN(2) == 0 {
		t = halves[w.IntN(len(halves))]
	}
	t.align, t.used, t.scalar = t.size, t.size, !t.half
	t.leaves = []leaf{{0, t.size, t.signed}}
	return t
}

func up(n, a int64) int64 { return (n + a - 1) / a * a }

// record draws a struct.
func (w *world) record(depth int) ctype {
	w.n++
	name := fmt.Sprintf("S%d", w.n)
	out := ctype{spell: "struct " + name + " %s", align: 1, record: true}
	body := ""
	for i := range 1 + w.IntN(5) {
		f := w.scalar()
		switch d := w.IntN(10); {
		case d == 9 && w.halves: // as half2 of CUDA, in what numba aligns to no more than its fields
			f = w.half2()
		case d < 2 && depth < 2:
			f = w.record(depth + 1)
		case d < 4:
			f = w.array(f)
		case d < 5 && w.IntN(3) == 0:
			f = w.raw()
		}
		at := up(out.size, f.align)
		for _, l := range f.leaves {
			out.leaves = append(out.leaves, leaf{at + l.off, l.size, l.signed})
		}
		out.size, out.used, out.align = at+f.size, at+f.used, max(out.align, f.align)
		body += " " + fmt.Sprintf(f.spell, fmt.Sprintf("f%d", i)) + ";"
	}
	out.size = up(out.size, out.align)
	attr := ""
	if depth == 0 && !w.halves && w.IntN(5) == 0 { // more than its fields, which numba has no place for
		out.own, out.tuple = out.align, out.size
		out.align = min(out.align*(2<<w.IntN(2)), 16) // check warns above that
		out.size = up(out.size, out.align)
		attr = fmt.Sprintf("__attribute__((aligned(%d))) ", out.align)
	}
	fmt.Fprintf(&w.decls, "struct %s%s {%s };\n", attr, name, body)
	return out
}

// half2 draws a pair of floats of 16 bits.
func (w *world) half2() ctype {
	w.n++
	t := halves[w.IntN(len(halves))]
	name := fmt.Sprintf("H%d", w.n)
	fmt.Fprintf(&w.decls, "struct %s { %s; %s; };\n", name, fmt.Sprintf(t.spell, "x"), fmt.Sprintf(t.spell, "y"))
	return ctype{spell: "struct " + name + " %s", record: true, size: 4, align: 2, used: 4, leaves: []leaf{{0, 2, false}, {2, 2, false}}}
}

// packed draws a struct without padding, or one that is aligned to more than its fields.
func (w *world) packed() ctype {
	w.n, w.exotic = w.n+1, true
	name, align, attr := fmt.Sprintf("P%d", w.n), int64(1), "packed"
	out := ctype{spell: "struct " + name + " %s", record: true}
	body, natural, misplaced := "", int64(1), false
	for i := range 1 + w.IntN(5) {
		f := w.scalar()
		natural, misplaced = max(natural, f.size), misplaced || out.size%f.size != 0
		for range f.size { // byte by byte, since they are not aligned
			out.leaves = append(out.leaves, leaf{out.size, 1, false})
			out.size++
		}
		body += " " + fmt.Sprintf(f.spell, fmt.Sprintf("f%d", i)) + ";"
	}
	out.used = out.size
	if w.IntN(2) == 0 {
		align = 2 << w.IntN(4)
		attr = fmt.Sprintf("packed, aligned(%d)", align)
	}
	out.align, out.size = align, up(out.size, align)
	if out.own = natural; misplaced || out.size%natural != 0 {
		out.own = 1
	}
	fmt.Fprintf(&w.decls, "struct __attribute__((%s)) %s {%s };\n", attr, name, body)
	return out
}

// raw draws something whose bytes are looked at, and not its fields.
func (w *world) raw() ctype {
	w.n, w.exotic = w.n+1, true
	name := fmt.Sprintf("R%d", w.n)
	out := ctype{record: true, size: 8, align: 8, used: 8, leaves: []leaf{{0, 8, false}}}
	switch w.IntN(3) {
	case 0:
		out.spell = "union " + name + " %s"
		fmt.Fprintf(&w.decls, "union %s { double d; int i[2]; char c; };\n", name)
	case 1:
		out.spell = "struct " + name + " %s"
		out.size, out.align, out.used, out.leaves = 4, 4, 4, []leaf{{0, 4, false}}
		fmt.Fprintf(&w.decls, "struct %s { unsigned a : 5, b : 11; unsigned c : 16; };\n", name)
	case 2:
		out = ctype{spell: "__int128 %s", size: 16, align: 16, used: 16, leaves: []leaf{{0, 8, false}, {8, 8, false}}}
	}
	return out
}

func (w *world) array(f ctype) ctype {
	n := int64(1 + w.IntN(5))
	out := ctype{spell: fmt.Sprintf(strings.ReplaceAll(f.spell, "%s", "%%s[%d]"), n), size: n * f.size, align: f.align, used: (n-1)*f.size + f.used}
	for i := range n {
		for _, l := range f.leaves {
			out.leaves = append(out.leaves, leaf{i*f.size + l.off, l.size, l.signed})
		}
	}
	return out
}

func (w *world) value() ctype {
	switch d := w.IntN(24); {
	case d == 20 || d == 21:
		return w.packed()
	case d > 21:
		return w.raw()
	case d < 9:
		return w.scalar()
	case d < 10:
		return ctype{spell: "float _Complex %s", size: 8, align: 4, used: 8, complex: true, leaves: []leaf{{0, 4, false}, {4, 4, false}}}
	case d < 11:
		return ctype{spell: "double _Complex %s", size: 16, align: 8, used: 16, complex: true, leaves: []leaf{{0, 8, false}, {8, 8, false}}}
	}
	return w.record(0)
}

// A stub is what a test knows of one side: how it declares a function, and where its
// values are.
type stub struct {
	params []string      // declarations with %s for the name
	result string        // of the result; "" for none
	where  [][]spot      // of each parameter's leaves
	back   []spot        // of the result's
	memory map[int]int64 // the bytes at the address in a formal
	status bool
	none   bool
}

// A spot is where a leaf is: in a formal, or at the address in it.
type spot struct {
	leaf
	formal int // -1 for the result
	deref  bool
	at     int64 // bytes from its start
	wide   bool  // it fills 4 bytes
}

// stubOf writes down each convention once more.
func stubOf(conv string, params []ctype, result *ctype) *stub {
	s := &stub{memory: map[int]int64{}}
	formal := func(decl string) int {
		s.params = append(s.params, decl)
		return len(s.params) - 1
	}
	spots := func(t ctype, formal int, deref, wide bool) (out []spot) {
		if deref {
			s.memory[formal] = t.size
			if conv == "numba" && t.tuple != 0 {
				s.memory[formal] = t.tuple
			}
		}
		for _, l := range t.leaves {
			out = append(out, spot{l, formal, deref, l.off, wide && l.size < 4})
		}
		return out
	}
	word := func(t ctype) string {
		kind := ".b"
		if conv == "gcc" {
			if kind = ".u"; t.float {
				kind = ".f"
			}
		}
		return fmt.Sprintf(".param %s%d %%s", kind, max(t.size, 4)*8)
	}
	bytes := func(t ctype, argument bool) string {
		align, size := t.align, t.size
		if conv == "nvcc" && argument && t.size > 128 {
			align = max(align, 4)
		}
		if conv == "manual" {
			size = t.used
		}
		switch {
		case conv == "clang" && argument:
			align = max(align, t.own)
		case conv == "clang" && t.own != 0:
			align = t.own
		case conv == "numba-c" && t.tuple != 0:
			align, size = t.own, t.tuple
		}
		return fmt.Sprintf(".param .align %d .b8 %%s[%d]", align, size)
	}
	numba, mlir := strings.HasPrefix(conv, "numba"), conv == "numba-cuda-mlir"
	switch {
	case conv == "numba":
		s.status, s.result = true, ".param .b32 %s"
		formal(".param .b64 %s")
		if result != nil {
			s.back = spots(*result, 0, true, false)
		}
	case result == nil && conv == "numba-c":
		s.none, s.result = true, ".param .b64 %s"
	case result == nil:
	case mlir && len(result.leaves) == 1:
		own := result.leaves[0]
		s.result, s.back = word(ctype{size: own.size}), []spot{{own, -1, false, 0, own.size < 4}}
	case mlir && !result.complex: // without the holes between nested records
		at, align := int64(0), int64(1)
		for _, l := range result.leaves {
			at, align = up(at, l.size), max(align, l.size)
			s.back = append(s.back, spot{l, -1, false, at, false})
			at += l.size
		}
		s.result = fmt.Sprintf(".param .align %d .b8 %%s[%d]", align, up(at, align))
	case conv == "gcc" && !result.scalar:
		s.back = spots(*result, formal(".param .u64 %s"), true, false)
	case result.scalar, result.half && numba:
		s.result, s.back = word(*result), spots(*result, -1, false, true)
	default:
		s.result, s.back = bytes(*result, false), spots(*result, -1, false, false)
	}
	for _, p := range params {
		switch {
		case numba && !(mlir && p.complex), conv == "gcc" && p.complex:
			var all []spot
			for _, l := range p.leaves {
				own := ctype{size: l.size, float: conv == "gcc"}
				all = append(all, spot{l, formal(word(own)), false, 0, l.size < 4})
			}
			s.where = append(s.where, all)
		case p.scalar:
			s.where = append(s.where, spots(p, formal(word(p)), false, true))
		case conv == "gcc":
			s.where = append(s.where, spots(p, formal(".param .u64 %s"), true, false))
		default:
			s.where = append(s.where, spots(p, formal(bytes(p, true)), false, false))
		}
	}
	return s
}

// declare returns the head of a function.
func (s *stub) declare(linkage, name string) string {
	var out []string
	for i, p := range s.params {
		out = append(out, fmt.Sprintf(p, fmt.Sprintf("p%d", i)))
	}
	result := ""
	if s.result != "" {
		result = "(" + fmt.Sprintf(s.result, "r") + ") "
	}
	return linkage + " .func " + result + name + " (" + strings.Join(out, ", ") + ")"
}

// Where the test's memory is.
const (
	sent     = 0x10000000 // what the caller passes by address, 4096 bytes a formal
	seen     = 0x20000000 // what the callee sees, 8 bytes a leaf
	returned = 0x30000000 // what the caller sees of the result
)

// content is the value of a leaf: byte k of it.
func content(seed uint64, param, leaf int) uint64 {
	v := seed ^ uint64(param+1)*0x9e3779b97f4a7c15 ^ uint64(leaf+1)*0xbf58476d1ce4e5b9
	v ^= v >> 29
	v *= 0x94d049bb133111eb
	return v ^ v>>32
}

// masked returns the lowest bytes of a value, extended to 4 where wide.
func masked(v uint64, l leaf, wide bool) uint64 {
	if l.size == 8 {
		return v
	}
	v &= 1<<(8*l.size) - 1
	if wide && l.signed && l.size < 4 {
		shift := 64 - 8*l.size
		v = uint64(int64(v<<shift)>>shift) & 0xffffffff
	}
	return v
}

// A body writes statements.
type body struct {
	strings.Builder
	r, rd int
}

func (b *body) reg(size int64) string {
	if size == 8 {
		b.rd++
		return fmt.Sprintf("%%rd%d", b.rd-1)
	}
	b.r++
	return fmt.Sprintf("%%r%d", b.r-1)
}

func (b *body) line(format string, args ...any) { fmt.Fprintf(b, "\t"+format+"\n", args...) }

func (b *body) text() string {
	return fmt.Sprintf("{\n\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%rd<%d>;\n%s\tret;\n}\n", b.r+1, b.rd+1, b.String())
}

func (b *body) constant(v uint64, size int64) string {
	r := b.reg(size)
	b.line("mov.b%d %s, %d;", max(size, 4)*8, r, v)
	return r
}

// caller is a kernel that calls the shim. What it passes above a small value is rubbish.
func (s *stub) caller(name, shim string, seed uint64, x *machine) string {
	b := &body{}
	mem := map[int]*region{} // by formal, exactly what there is
	for i, n := range s.memory {
		r := newRegion(sent+uint64(i)*4096, int(n))
		mem[i] = &r
	}
	b.line("{")
	for i, p := range s.params {
		b.line("%s;", fmt.Sprintf(p, fmt.Sprintf("a%d", i)))
	}
	if s.result != "" {
		b.line("%s;", fmt.Sprintf(s.result, "back"))
	}
	pointers := map[int]bool{}
	for i, leaves := range s.where {
		for k, l := range leaves {
			v := content(seed, i, k)
			switch {
			case l.deref:
				var raw [8]byte
				binary.LittleEndian.PutUint64(raw[:], v)
				mem[l.formal].put(int(l.at), raw[:l.size])
				pointers[l.formal] = true
			case l.wide:
				b.line("st.param.b32 [a%d], %s;", l.formal, b.constant(v&0xffffffff, 4))
			default:
				b.line("st.param.b%d [a%d+%d], %s;", l.size*8, l.formal, l.at, b.constant(masked(v, l.leaf, false), l.size))
			}
		}
	}
	for _, l := range s.back {
		pointers[l.formal] = pointers[l.formal] || l.deref
	}
	if s.status {
		pointers[0] = true
	}
	for i := range s.params {
		if pointers[i] {
			b.line("st.param.b64 [a%d], %s;", i, b.constant(sent+uint64(i)*4096, 8))
		}
	}
	var args []string
	for i := range s.params {
		args = append(args, fmt.Sprintf("a%d", i))
	}
	if s.result != "" {
		b.line("call (back), %s, (%s);", shim, strings.Join(args, ", "))
	} else {
		b.line("call %s, (%s);", shim, strings.Join(args, ", "))
	}
	var after body
	for k, l := range s.back {
		size := l.size
		if l.wide {
			size = 4
		}
		r := b.reg(size)
		if l.deref {
			at := b.constant(sent+uint64(l.formal)*4096, 8)
			b.line("ld.b%d %s, [%s+%d];", size*8, r, at, l.at)
		} else {
			b.line("ld.param.b%d %s, [back+%d];", size*8, r, l.at)
		}
		after.line("st.global.b%d [%s+%d], %s;", size*8, "%rd99", 8*k, r)
	}
	if s.status || s.none {
		size := int64(4)
		if s.none {
			size = 8
		}
		r := b.reg(size)
		b.line("ld.param.b%d %s, [back];", size*8, r)
		after.line("st.global.b%d [%%rd99+%d], %s;", size*8, 8*len(s.back), r)
	}
	b.line("}")
	at := b.constant(returned, 8)
	b.WriteString(strings.ReplaceAll(after.String(), "%rd99", at))
	x.memory = append(x.memory, newRegion(returned, 8*(len(s.back)+1)))
	for _, r := range mem {
		x.memory = append(x.memory, *r)
	}
	return s.declare(".extern", shim) + ";\n.visible .entry " + name + " ()\n" + b.text()
}

// callee writes down what it sees and returns a result.
func (s *stub) callee(name string, seed uint64, x *machine) string {
	b := &body{}
	n := 0
	out := b.constant(seen, 8)
	pointer := map[int]string{}
	at := func(formal int) string {
		if pointer[formal] == "" {
			pointer[formal] = b.reg(8)
			b.line("ld.param.b64 %s, [p%d];", pointer[formal], formal)
		}
		return pointer[formal]
	}
	for _, leaves := range s.where {
		for _, l := range leaves {
			size := l.size
			if l.wide {
				size = 4
			}
			var r string
			if l.deref {
				p := at(l.formal)
				r = b.reg(size)
				b.line("ld.b%d %s, [%s+%d];", size*8, r, p, l.at)
			} else {
				r = b.reg(size)
				b.line("ld.param.b%d %s, [p%d+%d];", size*8, r, l.formal, l.at)
			}
			b.line("st.global.b%d [%s+%d], %s;", size*8, out, 8*n, r)
			n++
		}
	}
	for k, l := range s.back {
		v := content(seed, 1000, k)
		switch {
		case l.deref:
			b.line("st.b%d [%s+%d], %s;", l.size*8, at(l.formal), l.at, b.constant(masked(v, l.leaf, false), l.size))
		case l.wide:
			b.line("st.param.b32 [r], %s;", b.constant(v&0xffffffff, 4))
		default:
			b.line("st.param.b%d [r+%d], %s;", l.size*8, l.at, b.constant(masked(v, l.leaf, false), l.size))
		}
	}
	if s.status {
		if len(s.back) == 0 { // as numba does
			b.line("st.b64 [%s], %s;", at(0), b.constant(0, 8))
		}
		b.line("st.param.b32 [r], %s;", b.constant(7, 4))
	}
	if s.none {
		b.line("st.param.b64 [r], %s;", b.constant(0, 8))
	}
	x.memory = append(x.memory, newRegion(seen, 8*n+8))
	return s.declare(".visible", name) + "\n" + b.text()
}

// compare returns what did not arrive.
func compare(from, to *stub, seed uint64, x *machine) (compared int, wrong string) {
	find := func(base uint64) *region {
		for i := range x.memory {
			if x.memory[i].base == base {
				return &x.memory[i]
			}
		}
		return nil
	}
	look := func(base uint64, n int, l spot, want uint64) {
		size := l.size
		if l.wide {
			size = 4
		}
		data, ok := find(base).get(8*n, int(size))
		compared += int(size)
		got := uint64(0)
		for i, b := range data {
			got |= uint64(b) << (8 * i)
		}
		if !ok || got != masked(want, l.leaf, l.wide) {
			wrong += fmt.Sprintf("%#x, leaf %d: %#x (defined: %t), want %#x\n", base, n, got, ok, masked(want, l.leaf, l.wide))
		}
	}
	n := 0
	for i, leaves := range to.where {
		for k, l := range leaves {
			look(seen, n, l, content(seed, i, k))
			n++
		}
	}
	for k, l := range from.back {
		look(returned, k, l, content(seed, 1000, k))
	}
	end := spot{leaf: leaf{size: 4}}
	switch {
	case from.status && to.status:
		look(returned, len(from.back), end, 7)
	case from.status:
		look(returned, len(from.back), end, 0)
	case from.none:
		end.size = 8
		look(returned, len(from.back), end, 0)
	}
	return compared, wrong
}

// A pair is a shim to try.
type pair struct {
	seed     uint64
	from, to string
	header   string
	params   []ctype
	result   *ctype
	// What execute made: a kernel and the function that it calls in the end, and how many
	// bytes were compared.
	caller, callee string
	compared       int
	ran            *witness.Case
}

// String says what the pair is.
func (p *pair) String() string {
	return fmt.Sprintf("seed %d, %s to %s\n%s", p.seed, p.from, p.to, p.header)
}

// execute runs a shim between a caller and a callee that know nothing of it, and returns
// what did not arrive.
func (p *pair) execute(t *testing.T, s *adapt.Shim, text string, target *abi.Target) (wrong string, err error) {
	x := &machine{t: target}
	from, to := stubOf(p.from, p.params, p.result), stubOf(p.to, p.params, p.result)
	head := ".version 8.6\n.target " + target.Name + "\n.address_size 64\n"
	kernel := fmt.Sprintf("k%d", p.seed)
	p.caller, p.callee = from.caller(kernel, s.Name, p.seed, x), to.callee(s.Callee.Name, p.seed, x)
	if err := x.run(kernel, parsed(t, head+p.callee), parsed(t, text), parsed(t, head+p.caller)); err != nil {
		return "", fmt.Errorf("%w\n%s\n%s", err, p.caller, p.callee)
	}
	p.ran = x.ran
	p.compared, wrong = compare(from, to, p.seed, x)
	return wrong, nil
}

// draw returns the pair of a seed.
func draw(seed uint64) pair {
	return drawFrom(&world{Rand: rand.New(rand.NewPCG(seed, 28))}, seed)
}

// drawHalves returns a pair with floats of 16 bits, between the conventions that have them.
func drawHalves(seed uint64) pair {
	return drawFrom(&world{Rand: rand.New(rand.NewPCG(seed, 16)), halves: true}, seed)
}

func drawFrom(w *world, seed uint64) pair {
	p := pair{seed: seed}
	var params []string
	for i := range w.IntN(6) {
		t := w.value()
		p.params = append(p.params, t)
		params = append(params, fmt.Sprintf(t.spell, fmt.Sprintf("x%d", i)))
	}
	result := "void %s"
	if w.IntN(6) > 0 {
		t := w.value()
		p.result, result = &t, t.spell
	}
	if params == nil {
		params = []string{"void"}
	}
	convs := []string{"nvcc", "clang", "gcc", "manual", "numba", "numba-c", "numba-cuda-mlir"}
	if w.exotic {
		convs = []string{"nvcc", "clang", "gcc", "manual"}
	}
	if w.halves {
		if convs = []string{"clang", "manual", "numba", "numba-c", "numba-cuda-mlir"}; w.exotic {
			convs = convs[:2]
		}
	}
	tuple := slices.ContainsFunc(p.params, func(t ctype) bool { return t.record }) || p.result != nil && p.result.record
	for p.from == p.to || tuple && p.from == "numba-cuda-mlir" { // which calls nothing with a tuple
		p.from, p.to = convs[w.IntN(len(convs))], convs[w.IntN(len(convs))]
	}
	p.header = w.decls.String() + fmt.Sprintf(result, fmt.Sprintf("f%d(%s)", seed, strings.Join(params, ", "))) + ";\n"
	return p
}

// shim adapts a pair.
func (p *pair) shim(t *testing.T) *adapt.Shim {
	t.Helper()
	r, err := layoutcmd.Load("x.h", []byte(p.header), layoutcmd.Options{})
	require.NoError(t, err)
	require.Empty(t, r.Errors, "%s", p.header)
	o := adapt.Options{Name: fmt.Sprintf("shim%d", p.seed), Symbol: fmt.Sprintf("f%d", p.seed)}
	o.From, err = adapt.ParseConvention(p.from)
	require.NoError(t, err)
	o.To, err = adapt.ParseConvention(p.to)
	require.NoError(t, err)
	s, list := adapt.FromPrototype(r, r.Unit.Funcs[0], o)
	require.Empty(t, list, "%s to %s\n%s", p.from, p.to, p.header)
	return s
}

// TestPairs adapts random prototypes between random conventions, checks, assembles and
// executes the shims. What is passed and what must arrive is written down here once more.
func TestPairs(t *testing.T) { tryPairs(t, effort.Of(60, 5100), draw) }

// TestPairsHalves does the same with floats of 16 bits, which are bytes for some compilers and a word for others.
func TestPairsHalves(t *testing.T) { tryPairs(t, effort.Of(20, 500), drawHalves) }

func tryPairs(t *testing.T, n int, draw func(uint64) pair) {
	t.Helper()
	targets := []string{"sm_52", "sm_75", "sm_90"}
	var modules []string
	linked := make([][]string, 3) // shims, callers, callees
	var ran []*witness.Case
	bytes, calls, refused := 0, 0, 0
	count := map[string]int{}
	for seed := range uint64(n) {
		p := draw(seed + 1)
		s := p.shim(t)
		sm75 := must.Target(t, "sm_75")
		if len(s.For(sm75)) > 0 {
			refused++
			continue
		}
		text := string(s.Text(adapt.Head{Version: ptx.Version{Major: 6, Minor: 3}, Target: "sm_75"}))
		m, list := check.Source("shim.ptx", []byte(text), check.Options{Compile: true, Pedantic: true})
		require.Empty(t, list, "%s to %s\n%s\n%s", p.from, p.to, p.header, text)
		require.NotNil(t, m)
		require.Equal(t, text, string(p.shim(t).Text(adapt.Head{Version: ptx.Version{Major: 6, Minor: 3}, Target: "sm_75"})), "the same text each time")
		_, rest, _ := strings.Cut(text, ".address_size 64\n")
		target := must.Target(t, targets[seed%3])
		wrong, err := p.execute(t, s, text, target)
		if !assert.NoError(t, err, "%s\n%s", p.String(), text) || !assert.Empty(t, wrong, "%s\n%s", p.String(), text) {
			return
		}
		modules = append(modules, rest)
		if len(s.Caller.Params) > 0 { // whose call assemblers do not crash on
			linked[0], linked[1], linked[2] = append(linked[0], rest), append(linked[1], p.caller), append(linked[2], p.callee)
		}
		p.ran.Name = p.String()
		ran = append(ran, p.ran)
		bytes, calls = bytes+p.compared, calls+1
		count[p.from+" to "+p.to]++
	}
	t.Logf("%d shims between %d pairs of conventions: %d bytes arrived; %d are refused since assemblers crash on them", calls, len(count), bytes, refused)
	if differ, equal, err := witness.Compare(ran); errors.Is(err, witness.ErrNoPython) {
		t.Log(err)
	} else {
		require.NoError(t, err)
		for i, text := range differ {
			assert.Empty(t, text, "%s\n%s", ran[i].Name, ran[i].Text)
		}
		t.Logf("a second interpreter: %d bytes equal", equal)
		assert.Greater(t, equal, bytes/2)
	}
	assemble(t, modules, linked)
}

// parsed reads a module.
func parsed(t *testing.T, text string) *ptx.Module {
	t.Helper()
	m, err := ptx.ParseString("module", text)
	require.NoError(t, err, "%s", text)
	return m
}

// assemble assembles shims, many in a module, with every assembler at hand, and links
// some of them with their callers and callees.
func assemble(t *testing.T, modules []string, linked [][]string) {
	t.Helper()
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Log("not assembled: " + oracle.NotFound)
		return
	}
	for _, tk := range tools.Toolkits {
		target := "sm_75"
		require.Contains(t, tk.Targets, target)
		done := 0
		for some := range slices.Chunk(modules, 250) {
			level := []string{"-O0", "-O1", "-O3"}[done/250%3]
			_, err := tk.Assemble(context.Background(), ".version 6.3\n.target "+target+"\n.address_size 64\n"+strings.Join(some, ""), target, level)
			if !assert.NoError(t, err, "%s", tk) {
				return
			}
			done += len(some)
		}
		if tk.Nvlink != "" {
			n := min(len(linked[0]), effort.Of(40, 500))
			var texts []string
			for _, some := range linked {
				texts = append(texts, ".version 6.3\n.target "+target+"\n.address_size 64\n"+strings.Join(some[:n], ""))
			}
			linkAll(t, tk, target, texts...)
			t.Logf("%s linked %d with their callers and callees", tk, n)
		}
		t.Logf("%s assembled %d shims for %s", tk, done, target)
	}
}

// linkAll assembles and links modules.
func linkAll(t *testing.T, tk *oracle.Toolkit, target string, modules ...string) {
	t.Helper()
	dir := t.TempDir()
	var objects []string
	for i, text := range modules {
		cubin, err := tk.Assemble(context.Background(), text, target)
		require.NoError(t, err, "%s", tk)
		file := filepath.Join(dir, fmt.Sprintf("m%d.cubin", i))
		require.NoError(t, os.WriteFile(file, cubin, 0o600))
		objects = append(objects, file)
	}
	out, err := exec.Command(tk.Nvlink, append(objects, "-arch", target, "-o", filepath.Join(dir, "all.cubin"))...).CombinedOutput()
	require.NoError(t, err, "%s: %s", tk, out)
}

package lowertest

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/ptx"
)

// A programWriter writes a random module of functions that compute: calls by name and through registers, of extern functions
// and of the function itself, on several ways and in loops, arithmetic on what is passed, conversions of what is narrower
// than a register, divisions, and memory of a size that is computed.
type programWriter struct {
	draws
	strings.Builder
	t       *abi.Target
	ptx     ptx.Version
	count   map[string]int   // of the names of a kind
	values  map[int][]string // registers that hold a value on every way, by their bits
	callees []programFunc
	own     programFunc
	decls   strings.Builder // of registers
	indent  string          // what is in it may not be executed
}

// draws are random numbers: a counter that is mixed.
type draws uint64

// IntN returns a number from 0 to n-1.
func (d *draws) IntN(n int) int {
	*d += 0x9e37_79b9_7f4a_7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58_476d_1ce4_e5b9
	z = (z ^ z>>27) * 0x94d0_49bb_1331_11eb
	return int((z ^ z>>31) % uint64(n))
}

// A programFunc is a function of a program.
type programFunc struct {
	*abitest.Function
	name string
}

// partsOf returns how many parts of how many bits a formal of a program has.
func partsOf(f abitest.Formal) (n, bits int) {
	if f.Len > 0 {
		return f.Len / f.Align, 8 * f.Align
	}
	return 1, 8 * f.Elem()
}

// program returns the index-th program of a seed for a target, in a version of PTX that has it.
func program(t *abi.Target, v ptx.Version, seed uint64, index int) string {
	w := &programWriter{draws: draws(seed<<32 + uint64(index)), t: t, ptx: v}
	w.printf(".version %s\n.target %s\n.address_size 64\n", v, t.Name)
	for i := range 1 + w.IntN(3) {
		f := w.function(fmt.Sprintf("callee_%d", i))
		w.callees = append(w.callees, f)
		w.printf("\n.extern %s;\n", f.Decl(f.name))
	}
	for i := range 1 + w.IntN(2) {
		f := w.function(fmt.Sprintf("program_%d", i))
		if f.Kernel = w.IntN(6) == 0; f.Kernel {
			f.Result = nil
		}
		w.body(f)
	}
	return w.String()
}

func (w *programWriter) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// line writes a statement.
func (w *programWriter) line(format string, args ...any) {
	w.WriteString("\t" + w.indent)
	fmt.Fprintf(w, format+";\n", args...)
}

// function draws a declaration.
func (w *programWriter) function(name string) programFunc {
	f := programFunc{new(abitest.Function), name}
	for range w.IntN(6) {
		f.Params = append(f.Params, w.value())
	}
	if w.IntN(4) > 0 {
		v := w.value()
		f.Result = &v
	}
	return f
}

func (w *programWriter) value() abitest.Formal {
	typ := []string{"b8", "b8", "b16", "b16", "b32", "u32", "s32", "b64", "u64", "array", "array"}[w.IntN(11)] // ABI code has no .u8
	if typ == "array" {
		align := 4 << w.IntN(2)
		return abitest.Formal{Type: "b8", Align: align, Len: align * (2 + w.IntN(5))}
	}
	return abitest.Formal{Type: typ}
}

// fresh returns a new register of some bits: 1 is a predicate.
func (w *programWriter) fresh(bits int) string {
	kind := map[int]string{1: "p", 16: "h", 32: "r", 64: "d"}[bits]
	w.count[kind]++
	name := fmt.Sprintf("%%%s%d", kind, w.count[kind])
	typ := fmt.Sprintf(".b%d", bits)
	if bits == 1 {
		typ = ".pred"
	}
	fmt.Fprintf(&w.decls, "\t.reg %s %s;\n", typ, name)
	return name
}

// any returns a register that holds a value of some bits.
func (w *programWriter) any(bits int) string {
	if list := w.values[bits]; len(list) > 0 && w.IntN(8) > 0 {
		return list[w.IntN(len(list))]
	}
	r := w.fresh(bits)
	typ := []string{fmt.Sprintf("b%d", bits)}
	if bits <= 32 {
		typ = append(typ, "s8", "u8", "s16", "u16")
	}
	w.load(typ[w.IntN(len(typ))], r)
	return r
}

// load fills a register from memory.
func (w *programWriter) load(typ, r string) {
	w.count["in"]++
	w.line("ld.volatile.global.%s %s, [%%g+%d]", typ, r, 16*w.count["in"])
}

// keep notes that a register holds a value from here on.
func (w *programWriter) keep(bits int, r string) {
	if w.indent == "" {
		w.values[bits] = append(w.values[bits], r)
	}
}

// body writes a function.
func (w *programWriter) body(f programFunc) {
	w.count, w.values, w.own = make(map[string]int), make(map[int][]string), f
	w.printf("\n.visible %s\n{\n", f.Decl(f.name))
	before := w.String()
	w.Reset()
	w.decls.Reset()
	w.decls.WriteString("\t.reg .b64 %g;\n")
	w.line("mov.b64 %%g, %#x", 0x1_0000_0000)
	for i, p := range f.Params {
		w.take(p, abitest.ParamName(i))
	}
	for range 3 + w.IntN(8) {
		w.step()
	}
	for _, bits := range []int{32, 64} {
		w.line("st.volatile.global.b%d [%%g+%d], %s", bits, 0x80000+bits, w.any(bits))
	}
	if f.Result != nil {
		w.give(*f.Result, abitest.ResultName)
	}
	w.line("ret")
	text := w.String()
	w.Reset()
	w.WriteString(before + w.decls.String() + text + "}\n")
}

// take loads the parts of a value.
func (w *programWriter) take(v abitest.Formal, name string) {
	n, size := partsOf(v)
	for i := range n {
		typ, bits := v.Type, size
		switch {
		case n > 1:
			typ = fmt.Sprintf("b%d", size)
		case bits < 32 && w.IntN(2) == 0:
			typ, bits = []string{"s", "u"}[w.IntN(2)]+typ[1:], 32 // the load extends it
		case bits == 8:
			bits = 16
		}
		r := w.fresh(bits)
		w.line("ld.param.%s %s, [%s+%d]", typ, r, name, i*size/8)
		w.keep(bits, r)
	}
}

// give stores the parts of a value.
func (w *programWriter) give(v abitest.Formal, name string) {
	n, bits := partsOf(v)
	for i := range n {
		w.line("st.param.b%d [%s+%d], %s", bits, name, i*bits/8, w.any(max(bits, 16)))
	}
}

// step writes a statement, or several.
func (w *programWriter) step() {
	switch n := w.IntN(20); {
	case n < 4:
		w.compute()
	case n < 7:
		w.widen()
	case n < 8:
		r := w.fresh(64)
		w.line("%s.u64 %s, %s, %s", []string{"div", "rem"}[w.IntN(2)], r, w.any(64), w.any(64))
		w.keep(64, r)
	case n < 12:
		w.call(w.callees[w.IntN(len(w.callees))])
	case n < 15 && !w.own.Kernel:
		w.guarded(func() { w.call(w.own) })
	case n < 17:
		f := w.callees[w.IntN(len(w.callees))]
		w.guarded(func() { w.call(f) })
	case n < 19:
		w.loop()
	case w.t.SM >= 52 && w.ptx.AtLeast(7, 3) && w.IntN(3) == 0:
		r := w.fresh(64)
		w.line("alloca.u64 %s, %s, 16", r, w.any(64))
		w.keep(64, r)
	default:
		w.compute()
	}
}

// compute writes arithmetic: half of it with a number, which comparisons follow in machine code.
func (w *programWriter) compute() {
	bits := 32 << w.IntN(2)
	a, b, r := w.any(bits), fmt.Sprint(1+w.IntN(1000)), w.fresh(bits)
	op := []string{"add.s", "sub.s", "add.u", "xor.b", "and.b", "mul.lo.u"}[w.IntN(6)]
	if w.IntN(2) == 0 {
		b = w.any(bits)
	}
	w.line("%s%d %s, %s, %s", op, bits, r, a, b)
	w.keep(bits, r)
}

// widen writes a conversion of a narrower integer.
func (w *programWriter) widen() {
	bits := 32 << w.IntN(2)
	from := []string{"s8", "u8", "s16", "u16"}[w.IntN(4)]
	source := 16
	if bits == 64 && w.IntN(2) == 0 {
		from, source = []string{"s32", "u32"}[w.IntN(2)], 32
	}
	a, r := w.any(source), w.fresh(bits)
	w.line("cvt.%s%d.%s %s, %s", from[:1], bits, from, r, a)
	w.keep(bits, r)
}

// guarded writes statements that are executed on one way of two.
func (w *programWriter) guarded(inner func()) {
	w.count["label"]++
	p, label := w.fresh(1), fmt.Sprintf("L%d", w.count["label"])
	w.line("setp.gt.u32 %s, %s, %d", p, w.any(32), w.IntN(100))
	w.line("@%s bra %s", p, label)
	outer := w.indent
	w.indent += "\t"
	inner()
	w.indent = outer
	w.printf("%s:\n", label)
}

// loop writes a loop with calls, of a function that may be called outside of it too.
func (w *programWriter) loop() {
	w.count["label"]++
	p, i, label := w.fresh(1), w.fresh(32), fmt.Sprintf("L%d", w.count["label"])
	end := w.any(32)
	w.line("mov.b32 %s, 0", i)
	w.printf("%s:\n", label)
	outer := w.indent
	w.indent += "\t"
	w.call(w.callees[w.IntN(len(w.callees))])
	w.line("add.u32 %s, %s, 1", i, i)
	w.line("setp.lt.u32 %s, %s, %s", p, i, end)
	w.line("@%s bra %s", p, label)
	w.indent = outer
}

// call writes a call, one in four through a register.
func (w *programWriter) call(f programFunc) {
	w.count["call"]++
	n := w.count["call"]
	through := w.IntN(4) == 0
	callee, proto := f.name, ""
	if through {
		callee, proto = w.fresh(64), fmt.Sprintf(", proto%d", n)
		w.line("mov.b64 %s, %s", callee, f.name)
	}
	w.printf("\t%s{\n", w.indent)
	var args []string
	for i, p := range f.Params {
		name := fmt.Sprintf("a%d_%d", n, i)
		args = append(args, name)
		w.line("%s", p.Decl(name))
		w.give(p, name)
	}
	result := ""
	if f.Result != nil {
		name := fmt.Sprintf("r%d", n)
		w.line("%s", f.Result.Decl(name))
		result = "(" + name + "), "
	}
	if through {
		w.printf("proto%d:\n", n)
		w.line("%s", strings.Replace(f.Decl("_"), ".func", ".callprototype", 1))
	}
	w.line("call %s%s, (%s)%s", result, callee, strings.Join(args, ", "), proto)
	if f.Result != nil {
		w.take(*f.Result, fmt.Sprintf("r%d", n))
	}
	w.printf("\t%s}\n", w.indent)
}

package bench

import "strconv"

// A Shape is a kind of module that an algorithm which is not linear, or which
// recurses on what an input nests, is slow on or fails on.
type Shape struct {
	Name, What string
	// Text returns a module of n parts.
	Text func(n int) []byte
}

// Shapes are the shapes that there are. Every one but errors is legal PTX, as
// long as n is below what the assembler takes.
var Shapes = []Shape{
	{"nest", "n blocks, each within the one before", function(nest)},
	{"lines", "one function of n instructions", function(lines)},
	{"args", "a call with n arguments", args},
	{"calls", "n calls in one function", function(calls)},
	{"line", "a module of n instructions in one line", oneLine},
	{"labels", "n labels with a branch to each", function(labels)},
	{"registers", "n declarations of a register, and an instruction for each", function(registers)},
	{"functions", "n functions without a body", functions},
	{"comments", "n comments within one instruction", function(comments)},
	{"initialiser", "a variable with n initial values", initialiser},
	{"errors", "n instructions without a semicolon", function(errorLines)},
}

// A writer appends strings and numbers.
type writer []byte

func (w *writer) put(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			*w = append(*w, p...)
		case int:
			*w = strconv.AppendInt(*w, int64(p), 10)
		}
	}
}

// leaf is a function for the calls of other shapes.
const leaf = "\n.visible .func (.param .b32 r) leaf(.param .b32 a, .param .b64 b)\n{\n\t.reg .b32 %r<2>;\n" +
	"\tld.param.b32 %r1, [a];\n\tst.param.b32 [r], %r1;\n\tret;\n}\n"

const (
	openFunc  = Head + leaf + "\n.visible .func many()\n{\n\t.reg .pred %p<2>;\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n"
	closeFunc = "\tret;\n}\n"
)

// function is a function of the instructions that write adds.
func function(write func(w *writer, n int)) func(n int) []byte {
	return func(n int) []byte {
		w := writer(openFunc)
		write(&w, n)
		w.put(closeFunc)
		return w
	}
}

func nest(w *writer, n int) {
	for range n {
		w.put("{\n")
	}
	w.put("\tadd.s32 %r1, %r2, 1;\n")
	for range n {
		w.put("}\n")
	}
}

func lines(w *writer, n int) {
	for i := range n {
		w.put("\tadd.s32 %r1, %r2, ", i, ";\n")
	}
}

func oneLine(n int) []byte {
	text := function(lines)(n)
	for i, c := range text {
		if c == '\n' || c == '\t' {
			text[i] = ' '
		}
	}
	return append(text, '\n')
}

func args(n int) []byte {
	w := writer(Head + "\n.visible .func wide(\n")
	for i := range n {
		w.put("\t.param .b32 p", i)
		if i < n-1 {
			w.put(",\n")
		}
	}
	w.put("\n)\n{\n\t.reg .b32 %r<2>;\n\tld.param.b32 %r1, [p", n-1, "];\n\tst.volatile.global.b32 [sink], %r1;\n\tret;\n}\n")
	w.put("\n.visible .func caller()\n{\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 1;\n\t{\n")
	for i := range n {
		w.put("\t.param .b32 a", i, ";\n\tst.param.b32 [a", i, "], %r1;\n")
	}
	w.put("\tcall wide, (")
	for i := range n {
		if i > 0 {
			w.put(", ")
		}
		w.put("a", i)
	}
	w.put(");\n\t}\n", closeFunc)
	return w
}

func calls(w *writer, n int) {
	for range n {
		w.put("\t{\n\t.param .b32 a0;\n\t.param .b64 a1;\n\t.param .b32 r0;\n\tst.param.b32 [a0], %r1;\n\tst.param.b64 [a1], %rd1;\n",
			"\tcall (r0), leaf, (a0, a1);\n\tld.param.b32 %r1, [r0];\n\t}\n")
	}
}

func labels(w *writer, n int) {
	for i := range n {
		w.put("$L", i, ":\n\tadd.s32 %r1, %r1, 1;\n\t@%p1 bra $L", n-1-i, ";\n")
	}
}

func registers(w *writer, n int) {
	for i := range n {
		w.put("\t.reg .b32 v", i, ";\n")
	}
	for i := range n {
		w.put("\tadd.s32 v", i, ", v", n-1-i, ", 1;\n")
	}
}

func functions(n int) []byte {
	w := writer(Head)
	for i := range n {
		w.put(".extern .func (.param .b32 r) f", i, "(.param .b64 a, .param .b32 b);\n")
	}
	return w
}

func comments(w *writer, n int) {
	w.put("\tadd.s32 %r1,\n")
	for range n {
		w.put("\t// one\n\t/* two */\n")
	}
	w.put("\t%r2, 1;\n")
}

func initialiser(n int) []byte {
	w := writer(Head + "\n.visible .global .align 4 .b32 table[")
	w.put(n, "] = {")
	for i := range n {
		if i > 0 {
			w.put(", ")
		}
		w.put(i)
	}
	w.put("};\n")
	return w
}

func errorLines(w *writer, n int) {
	for i := range n {
		w.put("\tadd.s32 %r1, %r2, ", i, "\n")
	}
}

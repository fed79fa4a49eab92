package bench

import (
	"fmt"
	"slices"
)

// Listings are the shapes of listings of machine code that an algorithm is slow on which is
// not linear in a function's code, or holds all of a listing. They are what nvdisasm -c
// prints, for sm_90, of code that no compiler makes.
var Listings = []Shape{
	{"listing", "n functions of 20 instructions each", listing(listingFunctions)},
	{"straight", "a function of n instructions without a label", listing((*code).some)},
	{"jumps", "a function with n labels, 10 instructions and a branch to any of them after each", listing(jumps)},
	{"branches", "a function of n branches, each after a label and to another", listing(branches)},
	{"loops", "n loops, each within the one before", listing(loops)},
	{"cut", "a function cut in its middle: n labels, and branches to others that are not there", cut},
	{"joins", "n times two ways that join, each of which may be the end of any", listing(joins)},
	{"table", "n jumps through registers among n labels", listing(jumpTables)},
	{"callees", "a function with n calls, each of another function", listing(callees)},
	{"returns", "a function with n returns that are guarded", listing(guardedReturns)},
	{"frame", "a function that stores n registers in its frame, with a label after each", listing(frame)},
	{"circle", "a function that moves n words of its frame on by one in a loop", listing(circle)},
	{"operands", "an instruction with n operands", listing(operands)},
	{"remark", "an instruction with a comment of n words", listing(remark)},
	{"data", "n lines of data, which belong to no function", data},
}

// A code is the text of a listing with the address of the next instruction.
type code struct {
	writer
	addr int
	rng  random
}

// newCode begins a listing with one function.
func newCode() *code {
	c := &code{rng: 24}
	c.put("\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)\"\n")
	c.fn("many")
	return c
}

// fn begins a function.
func (c *code) fn(name string) {
	c.addr = 0
	c.put("\n\n//--------------------- .text.", name, " --------------------------\n\t.section\t.text.", name,
		",\"ax\",@progbits\n\t.align\t128\n        .global         ", name, "\n", name, ":\n.text.", name, ":\n")
}

// in adds an instruction.
func (c *code) in(format string, args ...any) {
	c.writer = fmt.Appendf(c.writer, "        /*%04x*/                   ", c.addr)
	c.writer = fmt.Appendf(c.writer, format, args...)
	c.put(" ;\n")
	c.addr += 16
}

// label adds a label.
func (c *code) label(n int) { c.put(".L_x_", n, ":\n") }

// some adds n instructions such as compilers make.
func (c *code) some(n int) {
	for range n {
		a, b, d := 2+c.rng.below(200), 2+c.rng.below(200), 2+c.rng.below(200)
		switch c.rng.below(8) {
		case 0:
			c.in("MOV R%d, R%d", a, b)
		case 1:
			c.in("IMAD.MOV.U32 R%d, RZ, RZ, R%d", a, b)
		case 2:
			c.in("FFMA R%d, R%d.reuse, R%d, R%d", a, b, d, a)
		case 3:
			c.in("IADD3 R%d, P0, R%d, UR4, RZ", a, b)
		case 4:
			c.in("LDG.E.128.CONSTANT R%d, desc[UR6][R%d.64+%#x]", a&^3, b&^1, d*16)
		case 5:
			c.in("ISETP.GE.U32.AND.EX P0, PT, R%d, R%d, PT, P1", a, b)
		case 6:
			c.in("ULDC.64 UR%d, c[0x0][%#x]", a%60&^1, 0x210+8*(b%20))
		default:
			c.in("STL.64 [R1+%#x], R%d", 8*(b%64), d&^1)
		}
	}
}

// listing is a function of the instructions that write adds, and a return.
func listing(write func(c *code, n int)) func(n int) []byte {
	return func(n int) []byte {
		c := newCode()
		write(c, n)
		c.in("RET.REL.NODEC R20 `(many)")
		return c.writer
	}
}

func listingFunctions(c *code, n int) {
	for i := range n {
		c.in("EXIT")
		c.fn(fmt.Sprint("f", i))
		c.some(20)
	}
}

func jumps(c *code, n int) {
	for i := range n {
		c.label(i)
		c.some(10)
		c.in("@P0 BRA `(.L_x_%d)", c.rng.below(n))
	}
}

func branches(c *code, n int) {
	for i := range n {
		c.label(i)
		c.in("@P0 BRA `(.L_x_%d)", n-1-i)
	}
}

func loops(c *code, n int) {
	for i := range n {
		c.label(i)
		c.some(2)
	}
	for i := range n {
		c.some(2)
		c.in("@P%d BRA `(.L_x_%d)", i%6, n-1-i)
	}
}

func cut(n int) []byte {
	c := newCode()
	for i := range n {
		c.label(i)
		c.some(8)
		c.in("@P0 BRA `(.L_x_%d)", n+i)
	}
	return c.writer
}

func joins(c *code, n int) {
	for i := range n {
		c.in("BSSY B0, `(.L_x_%d)", 2*i)
		c.some(3)
		c.in("@P0 BRA `(.L_x_%d)", 2*i+1)
		c.some(3)
		c.in("BSYNC B0")
		c.label(2*i + 1)
		c.some(2)
		c.in("BSYNC B0")
		c.label(2 * i)
	}
}

func jumpTables(c *code, n int) {
	for i := range n {
		c.label(i)
		c.some(8)
		c.in("BRX R%d -0x%x", 2+2*c.rng.below(100), c.addr)
	}
}

func callees(c *code, n int) {
	for i := range n {
		c.some(3)
		c.in("CALL.ABS.NOINC `(callee%d)", i)
	}
}

func guardedReturns(c *code, n int) {
	for range n {
		c.in("@P0 RET.REL.NODEC R20 `(many)")
	}
}

func frame(c *code, n int) {
	c.in("IADD3 R1, R1, -%#x, RZ", 4*n)
	for i := range n {
		c.in("STL [R1+%#x], R%d", 4*i, 4+i%12)
		c.label(i)
		c.in("@P0 BRA `(.L_x_%d)", i)
	}
}

func circle(c *code, n int) {
	c.in("IADD3 R1, R1, -%#x, RZ", 4*n)
	for i := range n {
		c.in("STL [R1+%#x], R4", 4*i)
	}
	c.in("STL [R1], R0")
	c.label(0)
	for i := n - 1; i > 0; i-- {
		c.in("LDL R0, [R1+%#x]", 4*i-4)
		c.in("STL [R1+%#x], R0", 4*i)
	}
	c.in("@P0 BRA `(.L_x_0)")
}

func operands(c *code, n int) {
	c.writer = append(c.writer, "        /*0000*/                   FFMA R0"...)
	for i := range n {
		c.put(", R", i%200)
	}
	c.put(" ;\n")
}

func remark(c *code, n int) {
	c.writer = append(c.writer, "        /*0000*/                   MOV R0, R4 ; //"...)
	c.writer = append(c.writer, slices.Repeat([]byte(" word"), n)...)
	c.put("\n")
}

func data(n int) []byte {
	c := newCode()
	c.in("RET.REL.NODEC R20 `(many)")
	c.put("\n\n//--------------------- .nv.constant3 --------------------------\n\t.section\t.nv.constant3,\"a\",@progbits\n")
	for i := range n {
		c.put("\t/*", i, "*/\t.byte\t0x00, 0x01, 0x02, 0x03, 0x04, 0x05\n")
	}
	return c.writer
}

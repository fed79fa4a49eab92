// Package probe writes PTX whose functions access every part of each formal of given functions: what they load and
// store has an address of its own, so that code that was compiled of it tells where each part was.
package probe

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/ptx"
)

// The memory that probes access: far from anything that ptxas could make up by
// itself, and within reach of one base register. These are offsets from its beginning.
const (
	paramArea  = 0x0     // what a callee stores of its parameters, what a caller fills its arguments from
	resultArea = 0x80000 // what a callee fills its result from, what a caller stores of what it got
	// pointerArea is where callers load what they call through.
	pointerArea = 0xc0000
)

// Base returns where the memory that probes access begins, for addresses of 64 bits or, where
// narrow is set, of 32.
func Base(narrow bool) int64 {
	if narrow {
		return 0x1000_0000
	}
	return 0x1_0000_0000
}

// maxAccesses is how many accesses a probe makes to one formal. Of a larger one
// it touches the first, the last, and some between at equal distances.
const maxAccesses = 40

// An Access is one PTX load or store of a part of a formal.
type Access struct {
	Off, Size int // bytes within the formal
	Global    int // offset of its bytes from where the memory begins
	elem      string
}

// accesses returns the accesses to f, of which size bytes may be touched, whose
// bytes have their places from global on. Where strict is set, no access is
// wider than the formal's alignment allows; a formal of a function always
// begins at a word.
func accesses(f abitest.Formal, size, global int, strict bool) []Access {
	var all []Access
	if f.Reg {
		n := f.Elem()
		for i := range max(f.Vec, 1) {
			elem := ""
			if f.Vec > 0 {
				elem = "." + "xyzw"[i:i+1]
			}
			all = append(all, Access{i * n, n, global + i*n, elem})
		}
		return all
	}
	for off := 0; off < size; {
		n := min(4, size-off)
		if n == 3 {
			n = 2
		}
		if align := f.Value().Align | off; strict && align&3 != 0 {
			n = min(n, align&-align)
		}
		all = append(all, Access{Off: off, Size: n, Global: global + off})
		off += n
	}
	if len(all) <= maxAccesses {
		return all
	}
	const third = maxAccesses / 3
	some := append([]Access(nil), all[:third]...)
	for i := range third {
		some = append(some, all[third+i*(len(all)-2*third)/third])
	}
	return append(some, all[len(all)-third:]...)
}

// A Probe is one signature with the names and accesses of its functions.
type Probe struct {
	Function *abitest.Function
	N        int        // distinguishes the probes of a module
	Params   [][]Access // by parameter
	Result   []Access
	Root     bool // the caller is a kernel, which saves no registers
	Through  bool // the caller calls through a pointer
}

func New(f *abitest.Function, n int) *Probe {
	p := &Probe{Function: f, N: n}
	global := paramArea
	for i, formal := range f.Params {
		size := touched(f, i)
		p.Params = append(p.Params, accesses(formal, size, global, f.Kernel))
		global += (size + 15) &^ 15
	}
	if f.Result != nil {
		p.Result = accesses(*f.Result, f.Result.Value().Size, resultArea, false)
	}
	return p
}

// Thin leaves, of what a probe accesses of each formal, the first part, one in
// the middle and the last.
func (p *Probe) Thin() {
	for i, all := range p.Params {
		p.Params[i] = ends(all)
	}
	p.Result = ends(p.Result)
}

func ends(all []Access) []Access {
	n := len(all)
	if n <= 3 {
		return all
	}
	return []Access{all[0], all[n/2], all[n-1]}
}

func (p *Probe) Kernel() string { return fmt.Sprintf("kernel_%d", p.N) }
func (p *Probe) Callee() string { return fmt.Sprintf("callee_%d", p.N) }
func (p *Probe) Caller() string { return fmt.Sprintf("caller_%d", p.N) }
func (p *Probe) Extern() string { return fmt.Sprintf("extern_%d", p.N) }

// Module returns the PTX of several probes, with addresses of 64 bits or, where
// narrow is set, of 32.
func Module(probes []*Probe, target string, ptx ptx.Version, narrow bool) string {
	w := &writer{bits: 64, base: Base(narrow)}
	if narrow {
		w.bits = 32
	}
	w.printf(".version %s\n.target %s\n.address_size %d\n", ptx, target, w.bits)
	for _, p := range probes {
		if p.Function.Kernel {
			w.callee(p, p.Kernel(), ".visible")
			continue
		}
		w.callee(p, p.Callee(), ".visible")
		w.caller(p)
	}
	return w.String()
}

// A writer writes PTX.
type writer struct {
	strings.Builder
	bits int   // of an address
	base int64 // where the memory that probes access begins
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) registers() {
	w.printf("\t.reg .b%d g;\n\t.reg .b32 w;\n\t.reg .b16 h;\n", w.bits)
}

// mover returns the type and the register with which a part of n bytes is moved
// between memory and memory.
func mover(n int) (typ, reg string) {
	switch n {
	case 1:
		return "b8", "h"
	case 2:
		return "b16", "h"
	}
	return "b32", "w"
}

// callee writes a function or kernel that stores its parameters and fills its
// result.
func (w *writer) callee(p *Probe, name, linkage string) {
	w.printf("\n%s %s\n{\n", linkage, p.Function.Decl(name))
	w.registers()
	w.printf("\tmov.b%d g, %#x;\n", w.bits, w.base)
	for i, f := range p.Function.Params {
		for _, a := range p.Params[i] {
			w.dump(f, abitest.ParamName(i), a)
		}
	}
	if p.Function.Result != nil {
		for _, a := range p.Result {
			w.fill(*p.Function.Result, abitest.ResultName, a)
		}
	}
	w.printf("\tret;\n}\n")
}

// caller writes the declaration of an extern function and a function that calls
// it.
func (w *writer) caller(p *Probe) {
	kind := ".func"
	if p.Root {
		kind = ".entry"
	}
	w.printf("\n.extern %s;\n.visible %s %s ()\n{\n", p.Function.Decl(p.Extern()), kind, p.Caller())
	w.registers()
	var args []string
	for i, f := range p.Function.Params {
		if f.Unsized() {
			if p.Function.Tail == 0 {
				continue
			}
			f.Len = p.Function.Tail
		}
		w.printf("\t%s;\n", f.Decl(abitest.ParamName(i)))
		args = append(args, abitest.ParamName(i))
	}
	result := ""
	if p.Function.Result != nil {
		w.printf("\t%s;\n", p.Function.Result.Decl(abitest.ResultName))
		result = "(" + abitest.ResultName + "), "
	}
	w.printf("\tmov.b%d g, %#x;\n", w.bits, w.base)
	for i, f := range p.Function.Params {
		for _, a := range p.Params[i] {
			w.fill(f, abitest.ParamName(i), a)
		}
	}
	if p.Through {
		w.printf("\t.reg .b%d fp;\n\tld.volatile.global.b%d fp, [g+%d];\n", w.bits, w.bits, pointerArea)
		w.printf("proto: %s;\n", strings.Replace(p.Function.Decl("_"), ".func", ".callprototype", 1))
		w.printf("\tcall.uni %sfp, (%s), proto;\n", result, strings.Join(args, ", "))
	} else {
		w.printf("\tcall.uni %s%s, (%s);\n", result, p.Extern(), strings.Join(args, ", "))
	}
	if p.Function.Result != nil {
		for _, a := range p.Result {
			w.dump(*p.Function.Result, abitest.ResultName, a)
		}
	}
	w.printf("\tret;\n}\n")
}

// dump stores a part of a value to its address.
func (w *writer) dump(f abitest.Formal, name string, a Access) {
	if f.Reg {
		w.printf("\tst.volatile.global.b%d [g+%d], %s%s;\n", a.Size*8, a.Global, name, a.elem)
		return
	}
	typ, reg := mover(a.Size)
	w.printf("\tld.param.%s %s, [%s+%d];\n", typ, reg, name, a.Off)
	w.printf("\tst.volatile.global.%s [g+%d], %s;\n", typ, a.Global, reg)
}

// fill loads a part of a value from its address.
func (w *writer) fill(f abitest.Formal, name string, a Access) {
	if f.Reg {
		w.printf("\tld.volatile.global.b%d %s%s, [g+%d];\n", a.Size*8, name, a.elem, a.Global)
		return
	}
	typ, reg := mover(a.Size)
	w.printf("\tld.volatile.global.%s %s, [g+%d];\n", typ, reg, a.Global)
	w.printf("\tst.param.%s [%s+%d], %s;\n", typ, name, a.Off, reg)
}

// touched returns the number of bytes that a probe may touch of parameter i.
func touched(f *abitest.Function, i int) int {
	if f.Params[i].Unsized() {
		return f.Tail
	}
	return f.Params[i].Value().Size
}

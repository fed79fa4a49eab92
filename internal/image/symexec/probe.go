package symexec

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/ptx"
)

// The memory that probes access: far from anything that ptxas could make up by
// itself, and within reach of one base register.
const (
	globalBase = 0x1_0000_0000
	narrowBase = 0x1000_0000 // instead of globalBase where addresses have 32 bits
	paramArea  = 0x0         // what a callee stores of its parameters, what a caller fills its arguments from
	resultArea = 0x80000     // what a callee fills its result from, what a caller stores of what it got
	// pointerArea is where callers load what they call through.
	pointerArea = 0xc0000
)

// maxAccesses is how many accesses a probe makes to one formal. Of a larger one
// it touches the first, the last, and some between at equal distances.
const maxAccesses = 40

// An access is one PTX load or store of a part of a formal.
type access struct {
	off, size int // bytes within the formal
	global    int // offset of its bytes from globalBase
	elem      string
}

// accesses returns the accesses to f, of which size bytes may be touched, whose
// bytes have their places from global on. Where strict is set, no access is
// wider than the formal's alignment allows; a formal of a function always
// begins at a word.
func accesses(f Formal, size, global int, strict bool) []access {
	var all []access
	if f.Reg {
		n := f.Elem()
		for i := range max(f.Vec, 1) {
			elem := ""
			if f.Vec > 0 {
				elem = "." + "xyzw"[i:i+1]
			}
			all = append(all, access{i * n, n, global + i*n, elem})
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
		all = append(all, access{off: off, size: n, global: global + off})
		off += n
	}
	if len(all) <= maxAccesses {
		return all
	}
	const third = maxAccesses / 3
	some := append([]access(nil), all[:third]...)
	for i := range third {
		some = append(some, all[third+i*(len(all)-2*third)/third])
	}
	return append(some, all[len(all)-third:]...)
}

// A probe is one signature with the names and accesses of its functions.
type probe struct {
	sig     *Signature
	n       int        // distinguishes the probes of a module
	params  [][]access // by parameter
	result  []access
	root    bool // the caller is a kernel, which saves no registers
	through bool // the caller calls through a pointer
	outcome
}

// An outcome is what comparing a probe gave. The zero outcome is that of one
// that was not compared.
type outcome struct {
	assignment abi.Assignment
	pieces     int
	mismatches []Mismatch
	skipped    bool   // Assign knows that there is no one answer
	err        error  // why there is nothing to compare
	ptx, sass  string // of a probe that was compiled alone
}

func newProbe(sig *Signature, n int) *probe {
	p := &probe{sig: sig, n: n}
	global := paramArea
	for i, f := range sig.Params {
		size := touched(sig, i)
		p.params = append(p.params, accesses(f, size, global, sig.Kernel))
		global += (size + 15) &^ 15
	}
	if sig.Result != nil {
		p.result = accesses(*sig.Result, sig.Result.Value().Size, resultArea, false)
	}
	return p
}

// thin leaves, of what a probe accesses of each formal, the first part, one in
// the middle and the last.
func (p *probe) thin() {
	for i, all := range p.params {
		p.params[i] = ends(all)
	}
	p.result = ends(p.result)
}

func ends(all []access) []access {
	n := len(all)
	if n <= 3 {
		return all
	}
	return []access{all[0], all[n/2], all[n-1]}
}

func (p *probe) kernel() string { return fmt.Sprintf("kernel_%d", p.n) }
func (p *probe) callee() string { return fmt.Sprintf("callee_%d", p.n) }
func (p *probe) caller() string { return fmt.Sprintf("caller_%d", p.n) }
func (p *probe) extern() string { return fmt.Sprintf("extern_%d", p.n) }

// module returns the PTX of several probes, with addresses of 64 bits or, where
// narrow is set, of 32.
func module(probes []*probe, target string, ptx ptx.Version, narrow bool) string {
	w := &writer{bits: 64, base: globalBase}
	if narrow {
		w.bits, w.base = 32, narrowBase
	}
	w.printf(".version %s\n.target %s\n.address_size %d\n", ptx, target, w.bits)
	for _, p := range probes {
		if p.sig.Kernel {
			w.callee(p, p.kernel(), ".visible")
			continue
		}
		w.callee(p, p.callee(), ".visible")
		w.caller(p)
	}
	return w.String()
}

// Module returns the PTX of probes that access every part of the given functions,
// with addresses of 64 bits.
func Module(functions []*Signature, target string, ptx ptx.Version) string {
	probes := make([]*probe, len(functions))
	for i, f := range functions {
		probes[i] = newProbe(f, i)
	}
	return module(probes, target, ptx, false)
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
func (w *writer) callee(p *probe, name, linkage string) {
	w.printf("\n%s %s\n{\n", linkage, p.sig.Decl(name))
	w.registers()
	w.printf("\tmov.b%d g, %#x;\n", w.bits, w.base)
	for i, f := range p.sig.Params {
		for _, a := range p.params[i] {
			w.dump(f, abitest.ParamName(i), a)
		}
	}
	if p.sig.Result != nil {
		for _, a := range p.result {
			w.fill(*p.sig.Result, abitest.ResultName, a)
		}
	}
	w.printf("\tret;\n}\n")
}

// caller writes the declaration of an extern function and a function that calls
// it.
func (w *writer) caller(p *probe) {
	kind := ".func"
	if p.root {
		kind = ".entry"
	}
	w.printf("\n.extern %s;\n.visible %s %s ()\n{\n", p.sig.Decl(p.extern()), kind, p.caller())
	w.registers()
	var args []string
	for i, f := range p.sig.Params {
		if f.Unsized() {
			if p.sig.Tail == 0 {
				continue
			}
			f.Len = p.sig.Tail
		}
		w.printf("\t%s;\n", f.Decl(abitest.ParamName(i)))
		args = append(args, abitest.ParamName(i))
	}
	result := ""
	if p.sig.Result != nil {
		w.printf("\t%s;\n", p.sig.Result.Decl(abitest.ResultName))
		result = "(" + abitest.ResultName + "), "
	}
	w.printf("\tmov.b%d g, %#x;\n", w.bits, w.base)
	for i, f := range p.sig.Params {
		for _, a := range p.params[i] {
			w.fill(f, abitest.ParamName(i), a)
		}
	}
	if p.through {
		w.printf("\t.reg .b%d fp;\n\tld.volatile.global.b%d fp, [g+%d];\n", w.bits, w.bits, pointerArea)
		w.printf("proto: %s;\n", strings.Replace(p.sig.Decl("_"), ".func", ".callprototype", 1))
		w.printf("\tcall.uni %sfp, (%s), proto;\n", result, strings.Join(args, ", "))
	} else {
		w.printf("\tcall.uni %s%s, (%s);\n", result, p.extern(), strings.Join(args, ", "))
	}
	if p.sig.Result != nil {
		for _, a := range p.result {
			w.dump(*p.sig.Result, abitest.ResultName, a)
		}
	}
	w.printf("\tret;\n}\n")
}

// dump stores a part of a value to its address.
func (w *writer) dump(f Formal, name string, a access) {
	if f.Reg {
		w.printf("\tst.volatile.global.b%d [g+%d], %s%s;\n", a.size*8, a.global, name, a.elem)
		return
	}
	typ, reg := mover(a.size)
	w.printf("\tld.param.%s %s, [%s+%d];\n", typ, reg, name, a.off)
	w.printf("\tst.volatile.global.%s [g+%d], %s;\n", typ, a.global, reg)
}

// fill loads a part of a value from its address.
func (w *writer) fill(f Formal, name string, a access) {
	if f.Reg {
		w.printf("\tld.volatile.global.b%d %s%s, [g+%d];\n", a.size*8, name, a.elem, a.global)
		return
	}
	typ, reg := mover(a.size)
	w.printf("\tld.volatile.global.%s %s, [g+%d];\n", typ, reg, a.global)
	w.printf("\tst.param.%s [%s+%d], %s;\n", typ, name, a.off, reg)
}

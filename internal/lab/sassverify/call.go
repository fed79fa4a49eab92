package sassverify

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// call executes a call: what it needs has to be there, and what no callee
// preserves is lost.
func (f *flow) call(in *sass.Instr, op string, p *path) {
	c := in.Contract
	if c == nil {
		f.errorf("a call that does not say what it passes")
		c = &sass.Contract{}
	}
	for _, r := range c.Needs {
		if !p.full.has(r) {
			f.errorf("the callee takes R%d, and on some path nothing was put there", r)
		}
	}
	for i, off := range c.Stack {
		bytes := uint8(0xf)
		if c.Bytes != nil {
			bytes = c.Bytes[len(c.Needs)+i]
		}
		if !p.holds(off, bytes) {
			f.errorf("the callee takes the word at %s, and on some path nothing was stored there", sass.M(f.m.SP, off))
		}
	}
	if !p.full.has(f.m.SP) {
		f.errorf("R%d, the stack pointer, holds nothing", f.m.SP)
	}
	preserved, back := f.convention(c.Callee)
	f.back(op, back, p)
	lost := p.full
	for i, w := range preserved {
		lost[i] &^= w
	}
	lost.remove(f.m.SP)
	for i, w := range lost {
		p.full[i] = p.full[i]&^w | f.homes[i]
	}
	p.own = p.own.and(preserved)
	p.vals = without(p.vals, func(t tracked) bool { return lost.has(t.reg) })
	for _, r := range c.Gives {
		p.set(r, value{})
	}
	p.stored, p.pushed = nil, ""
}

// convention returns the registers that a call preserves, and the first of its
// return address.
func (v *verifier) convention(c *sass.Convention) (preserved regSet, back sass.Reg) {
	if c == nil {
		return v.preserved, v.m.RetAddr
	}
	for _, r := range c.Preserved {
		preserved.add(r)
	}
	return preserved, c.RetAddr
}

// back checks the return address of a call, which is to be in r and the register
// after it.
func (f *flow) back(op string, r sass.Reg, p *path) {
	after := ""
	if i := f.verifier.at + 1; i < len(f.f.Items) && f.f.Items[i].Kind == sass.Label {
		after = f.f.Items[i].Text
	}
	switch {
	case op == "JMX" && (after == "" || p.pushed != after):
		f.errorf("the label after it, where the callee returns to, was not pushed")
	case r == sass.RZ:
	case after == "", p.value(r) != value{kind: loLabel, label: after}, p.value(r+1) != value{kind: hiLabel, label: after}:
		f.errorf("R%d and R%d do not hold the address of the label after it, where the callee returns to", r, r+1)
	}
}

// ret checks what a return gives back.
func (f *flow) ret(in *sass.Instr, p *path) {
	if f.f.Kernel {
		f.errorf("a kernel does not return")
		return
	}
	if c := in.Contract; c != nil {
		for _, r := range c.Needs {
			if !p.full.has(r) {
				f.errorf("the caller takes R%d, and on some path nothing was put there", r)
			}
		}
	}
	switch at := p.value(f.m.SP); {
	case at == value{kind: stackAddr}:
	case at.kind == stackAddr && at.base == 0:
		f.errorf("the stack pointer is what it was at entry%+#x", at.off)
	default:
		f.errorf("on some path the stack pointer is not what it was at entry")
	}
	if _, back := f.convention(f.f.Own); len(in.Args) > 0 && in.Args[0].Kind == sass.Register && in.Args[0].Reg != back {
		f.errorf("the return address is in R%d", back)
	}
	var lost []string
	want := f.entryRegs()
	for r := range sass.RZ {
		if want.has(r) && r != f.m.SP && !p.own.has(r) {
			lost = append(lost, fmt.Sprintf("R%d", r))
		}
	}
	if lost != nil {
		f.errorf("on some path not what it was at entry: %s", strings.Join(lost, ", "))
	}
}

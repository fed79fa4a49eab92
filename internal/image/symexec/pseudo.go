package symexec

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// This file is what the machine needs for pseudo-SASS and not for disassembly:
// virtual registers.

// wordOf returns the text of the word of a virtual register that lies some words
// after the one that o names.
func wordOf(o sass.Operand, beyond, words int) string {
	switch {
	case o.Part == sass.Whole && words == 2:
		o.Part = sass.Lo + sass.Part(beyond)
	case o.Part == sass.Whole && words == 4:
		o.Part = sass.W0 + sass.Part(beyond)
	case beyond > 0 && o.Part+sass.Part(beyond) > sass.W3: // a name that ends like a part
		return o.String() + "+" + strconv.Itoa(beyond)
	case beyond > 0:
		o.Part += sass.Part(beyond)
	}
	return sass.Virtual(o.Name, o.Part).String()
}

// virtual returns the value of a virtual register's word; nothing if it was never
// written, as PTX may leave registers.
func (m *Machine) virtual(o sass.Operand) Word { return m.Virt[wordOf(o, 0, 1)] }

// setVirtual gives a word of a virtual register a value. Loads of several words
// name the register as a whole, or the first of two words of a wider one.
func (m *Machine) setVirtual(o sass.Operand, beyond int, w Word) {
	if beyond > 0 && o.Part == sass.Whole {
		// The first word of several was set under the name of the whole.
		if beyond == 1 {
			first := m.Virt[o.Name]
			m.Virt[o.Name+".lo"], m.Virt[o.Name+".0"] = first, first
			m.Virt[o.Name+".hi"] = w
		}
		m.Virt[o.Name+"."+strconv.Itoa(beyond)] = w
		return
	}
	m.Virt[wordOf(o, beyond, 1)] = w
}

// virtualWords returns the words of a virtual register of n bytes.
func (m *Machine) virtualWords(src sass.Operand, n int) func(k int) Word {
	if name := src.String(); n == 16 {
		if _, ok := m.Virt[name+".0"]; ok { // its words were set: it is no part of another
			src = sass.Virtual(name, sass.Whole)
		}
	}
	return func(k int) Word { return m.Virt[wordOf(src, k, (n+3)/4)] }
}

// Store notes a byte that is written to global memory.
func (m *Machine) Store(addr Addr, b Byte) {
	if m.OnStore != nil {
		m.OnStore(addr, b)
	}
	m.Stores[addr] = b
}

// MachineRegister returns the general register that a name of PTX's text is where homes
// are given.
func MachineRegister(name string) (sass.Reg, bool) {
	digits, ok := strings.CutPrefix(name, "R")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 8)
	return sass.Reg(n), err == nil
}

// Named returns word k of a register of some words, by its name in the text of PTX.
func (m *Machine) Named(name string, k, words int) Word {
	if r, ok := MachineRegister(name); ok {
		if int(r)+k >= int(sass.RZ) {
			return m.Made()
		}
		return m.Regs[int(r)+k]
	}
	return m.Virt[wordOf(sass.Virtual(name, sass.Whole), k, words)]
}

// SetName gives word k of a register of some words a value, by its name in the text of
// PTX.
func (m *Machine) SetName(name string, k, words int, w Word) {
	if r, ok := MachineRegister(name); ok {
		if int(r)+k < int(sass.RZ) {
			m.Regs[int(r)+k] = w
			m.Wrote = append(m.Wrote, r+sass.Reg(k))
		}
		return
	}
	m.Virt[wordOf(sass.Virtual(name, sass.Whole), k, words)] = w
}

package symexec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// This file is what the machine needs for pseudo-SASS beside what it knows of
// disassembly: virtual registers, and the few instructions of PTX with which
// probes access memory.

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
	return sass.V(o.Name, o.Part).String()
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
			src = sass.V(name, sass.Whole)
		}
	}
	return func(k int) Word { return m.Virt[wordOf(src, k, (n+3)/4)] }
}

// Text executes an instruction of PTX: a volatile access to global memory at a register plus a number, an access beyond a
// parameter, or a mov of a number, of registers or of the address of a function. It is false for one that it does not know.
func (m *Machine) Text(op, args string) bool {
	dst, src, ok := cutOperands(args)
	at := strings.LastIndexByte(op, '.')
	if !ok || at < 0 {
		return false
	}
	stem, class := op[:at], op[at+1:]
	bits, err := strconv.Atoi(strings.TrimLeft(class, "bsuf"))
	if err != nil {
		return false
	}
	signed, words := class[0] == 's', (bits+31)/32
	switch {
	case stem == "mov" && strings.Contains(args, "{"):
		return m.pack(dst, src, bits/8)
	case stem == "mov":
		if n, err := strconv.ParseInt(src[0], 0, 64); err == nil {
			for k := range words {
				m.SetName(dst[0], k, words, ConstWord(uint32(n>>(32*k))))
			}
			return true
		}
		if m.FunctionSymbol != nil {
			if name, ok := m.FunctionSymbol(src[0]); ok {
				for k := range words {
					m.SetName(dst[0], k, words, m.SymbolWord(Symbol{Name: name}, uint8(4*k)))
				}
				return true
			}
		}
		return m.copyName(dst[0], src[0], words)
	case stem == "cvta.to.global", stem == "cvta.global": // one address in both
		return m.copyName(dst[0], src[0], words)
	case stem == "ld.volatile.global":
		number, ok := m.sourceAddress(src[0])
		if ok {
			m.setLoaded(dst[0], bits, signed, Byte{Kind: GlobalByte, Off: number})
		}
		return ok
	}
	switch parts := strings.Split(op, "."); {
	case slices.ContainsFunc(parts, ownSpace):
		return false
	case parts[0] == "ld":
		return m.loadPointed(dst, src[0], bits, signed)
	case parts[0] == "st" && !strings.Contains(op, "::") && !slices.Contains(parts, "async"):
		return m.storeSource(parts, dst[0], src, bits)
	}
	return false
}

// copyName gives a register what another one of some words has.
func (m *Machine) copyName(dst, src string, words int) bool {
	if !IsRegister(src) || !IsRegister(dst) {
		return false
	}
	list := make([]Word, words)
	for k := range list {
		list[k] = m.Named(src, k, words)
	}
	for k, w := range list {
		m.SetName(dst, k, words, w)
	}
	return true
}

// setLoaded gives a register the bytes of memory from the first on, as a number of some bits.
func (m *Machine) setLoaded(dst string, bits int, signed bool, first Byte) {
	for k := range (bits + 31) / 32 {
		w := ConstWord(0)
		for i := range min(4, bits/8) {
			w.B[i] = first.Next(4*k + i)
		}
		if bits < 32 && signed {
			w = m.Low(w, bits, true)
		}
		m.SetName(dst, k, (bits+31)/32, w)
	}
}

// ownSpace reports whether a part of an opcode is a space of addresses of its own.
func ownSpace(part string) bool {
	space, _, _ := strings.Cut(part, "::")
	return space == "const" || space == "shared" || space == "local" || space == "param"
}

// storeSource executes a store to a register plus a number, where that is a number, or one beyond a parameter.
func (m *Machine) storeSource(parts []string, dst string, src []string, bits int) bool {
	count := 1
	for _, part := range parts {
		switch part {
		case "v2", "v4", "v8":
			count = int(part[1] - '0')
		}
	}
	number, ok := m.sourceAddress(dst)
	at := Addr{Add: number}
	if !ok {
		at, ok = m.sourcePointer(dst)
	}
	if !ok || len(src) != count {
		return false
	}
	for _, s := range src {
		for k := range (bits + 31) / 32 {
			w := m.sourceWord(s, k, (bits+31)/32)
			for i := range min(4, bits/8) {
				m.store(at, Effective(w, i))
				at.Add++
			}
		}
	}
	return true
}

// sourceWord returns word k of what an operand of some words of a store is.
func (m *Machine) sourceWord(text string, k, words int) Word {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return ConstWord(uint32(n >> (32 * k)))
	}
	if !IsName(text) { // a number in floating point
		return m.made()
	}
	w := m.Named(text, k, words)
	if low, ok := m.Virt[wordOf(sass.V(text, sass.Whole), 0, 2)]; ok && words == 1 && w == (Word{}) { // of a wider register
		return low
	}
	return w
}

// sourcePointer returns the address [p+16], where p holds a number beyond a parameter.
func (m *Machine) sourcePointer(text string) (Addr, bool) {
	name, off, ok := cutAddress(text)
	if _, has := m.Virt[wordOf(sass.V(name, sass.Whole), 0, 2)]; !ok || !has && !IsRegister(name) {
		return Addr{}, false
	}
	at, ok := m.pointer(m.Named(name, 0, 2), m.Named(name, 1, 2))
	at.Add += off
	return at, ok
}

// loadPointed executes a load from an address beyond a parameter.
func (m *Machine) loadPointed(dst []string, src string, bits int, signed bool) bool {
	at, ok := m.sourcePointer(src)
	if !ok {
		return false
	}
	for _, d := range dst {
		m.setLoaded(d, bits, signed, Byte{Kind: PointedByte, Base: at.Base, Off: at.Add})
		at.Add += int64(bits / 8)
	}
	return true
}

// pack executes a mov between one register and the elements of a list in braces, which have size bytes together.
func (m *Machine) pack(dst, src []string, size int) bool {
	if size%len(dst) != 0 || size%len(src) != 0 {
		return false
	}
	bytes := make([]Byte, 0, size)
	for each, i := size/len(src), 0; i < len(src); i++ {
		n, err := strconv.ParseInt(src[i], 0, 64)
		if err != nil && !IsRegister(src[i]) {
			return false
		}
		for b := range each {
			value := Byte{Kind: ConstByte, Off: n >> (8 * min(b, 7)) & 0xff}
			if err != nil {
				w := m.Named(src[i], b/4, (each+3)/4)
				if value = w.B[b%4]; w.Base != NoBase {
					value = m.made().B[b%4]
				}
			}
			bytes = append(bytes, value)
		}
	}
	for each, i := size/len(dst), 0; i < len(dst); i++ {
		for first := 0; first < each && dst[i] != "_"; first += 4 {
			var w Word
			copy(w.B[:min(4, each-first)], bytes[i*each+first:]) // the rest is nothing
			m.SetName(dst[i], first/4, (each+3)/4, w)
		}
	}
	return true
}

// cutOperands returns the two operands of a mov, each as the list of its elements.
func cutOperands(rest string) (dst, src []string, ok bool) {
	depth := 0
	for i, r := range rest {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case r == ',' && depth == 0:
			return elementsOf(rest[:i]), elementsOf(rest[i+1:]), true
		}
	}
	return nil, nil, false
}

func elementsOf(text string) []string {
	list := strings.Split(strings.Trim(strings.TrimSpace(text), "{}"), ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// store notes a byte that is written to global memory.
func (m *Machine) store(addr Addr, b Byte) {
	if m.OnStore != nil {
		m.OnStore(addr, b)
	}
	m.Stores[addr] = b
}

// IsName reports whether the text of an operand of PTX is one name, or an element of a
// vector register.
func IsName(text string) bool {
	return text != "" && !strings.ContainsAny(text, "[]{}(), +-|!") && (text[0] < '0' || text[0] > '9')
}

// IsRegister reports whether the text of an operand is a register: special registers and
// the names of variables are not.
func IsRegister(text string) bool {
	if _, ok := MachineRegister(text); ok {
		return true
	}
	stem, elem, vector := strings.Cut(text, ".")
	return IsName(text) && strings.HasPrefix(text, "%") && !IsSpecial(stem) && (!vector || len(elem) == 1 && endsInDigit(stem))
}

func endsInDigit(s string) bool { return s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }

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
			return m.made()
		}
		return m.Regs[int(r)+k]
	}
	return m.Virt[wordOf(sass.V(name, sass.Whole), k, words)]
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
	m.Virt[wordOf(sass.V(name, sass.Whole), k, words)] = w
}

// sourceAddress returns the address [g+16], where g holds a number.
func (m *Machine) sourceAddress(text string) (int64, bool) {
	name, off, ok := cutAddress(text)
	lo, hi := m.Named(name, 0, 2), m.Named(name, 1, 2)
	if m.narrow {
		lo, hi = m.Named(name, 0, 1), ConstWord(0)
	}
	v, known := number64(lo, hi)
	return v + off, ok && known
}

// cutAddress returns the name and the number of [g+16].
func cutAddress(text string) (name string, off int64, ok bool) {
	name, offset, _ := strings.Cut(strings.Trim(text, "[]"), "+")
	off, err := strconv.ParseInt(cmp.Or(offset, "0"), 0, 64)
	return name, off, err == nil
}

// IsSpecial reports whether a name is that of a special register whose value does not
// change while a function runs.
func IsSpecial(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	switch stem {
	case "%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "WARP_SZ", "%nwarpid", "%gridid":
		return true
	}
	return false
}

package oracle

import "fmt"

// width returns the number of bytes that a load or store moves, and whether
// what a load reads is sign-extended.
func (in *instr) width() (n int, signed bool) {
	for _, mod := range in.mods {
		switch mod {
		case "U8":
			return 1, false
		case "S8":
			return 1, true
		case "U16":
			return 2, false
		case "S16":
			return 2, true
		case "64":
			return 8, false
		case "128":
			return 16, false
		}
	}
	return 4, false
}

// widths are the modifiers that width knows.
var widths = []string{"U8", "S8", "U16", "S16", "64", "128"}

// ordering are the modifiers of volatile accesses to global memory: those of
// width, and others that change nothing of what is accessed.
var ordering = append([]string{"E", "CV", "WT", "STRONG", "SYS"}, widths...)

// lastUse are the modifiers of loads from local memory: those of width, and LU,
// which marks the last load of what was spilled.
var lastUse = append([]string{"LU"}, widths...)

// setBytes loads the bytes at the given function of their offsets into the
// destination of in.
func (m *machine) setBytes(in *instr, at func(i int) byteValue) error {
	n, signed := in.width()
	for first := 0; first < n; first += 4 {
		w := constWord(0)
		if signed {
			w = m.made()
		}
		for i := range min(n, 4) {
			w.b[i] = at(first + i)
		}
		if err := m.set(in.args[0], first/4, w); err != nil {
			return err
		}
	}
	return nil
}

// stored calls put with each byte that a store writes.
func (m *machine) stored(in *instr, src operand, put func(i int, b byteValue)) error {
	if src.neg || src.abs || src.not || src.part != "" || src.kind != regOperand {
		return fmt.Errorf("unknown operand %s", src.text)
	}
	n, _ := in.width()
	for first := 0; first < n; first += 4 {
		reg := src.reg
		if reg != zeroReg {
			reg += first / 4
			if reg >= zeroReg {
				return fmt.Errorf("no register %s+%d", src.text, first/4)
			}
		}
		w := m.reg(reg)
		for i := range min(n, 4) {
			put(first+i, w.b[i])
		}
	}
	return nil
}

func loadConst(m *machine, in *instr) error {
	if err := in.onlyMods(widths...); err != nil {
		return err
	}
	if len(in.args) != 2 {
		return errOperands
	}
	src := in.args[1]
	if src.kind != cbankOperand || src.part != "" || src.neg || src.abs || src.not || src.ubase >= 0 && src.ubase != zeroReg {
		return errOperands
	}
	off := src.val
	if src.base >= 0 {
		v, ok := m.reg(src.base).number()
		if !ok {
			return fmt.Errorf("unknown address %s", src.text)
		}
		off += int64(int32(v))
	}
	return m.setBytes(in, func(i int) byteValue {
		return byteValue{kind: bankByte, reg: uint8(src.bank), off: off + int64(i)}
	})
}

// localAddress returns the address that an operand of LDL or STL names.
func (m *machine) localAddress(o operand) (localAddr, error) {
	if o.kind != memOperand || o.wide || o.ubase >= 0 || o.base < 0 {
		return localAddr{}, fmt.Errorf("unknown address %s", o.text)
	}
	at, ok := m.linear(m.reg(o.base))
	if !ok || at.base == noBase {
		return localAddr{}, fmt.Errorf("unknown address %s", o.text)
	}
	at.add += o.val
	return at, nil
}

func loadLocal(m *machine, in *instr) error {
	if err := in.onlyMods(lastUse...); err != nil {
		return err
	}
	if len(in.args) != 2 {
		return errOperands
	}
	at, err := m.localAddress(in.args[1])
	if err != nil {
		return err
	}
	return m.setBytes(in, func(i int) byteValue {
		return m.localByteAt(localAddr{at.base, at.add + int64(i)})
	})
}

// localByteAt returns the byte of local memory at an address.
func (m *machine) localByteAt(at localAddr) byteValue {
	if b, ok := m.local[at]; ok {
		return b
	}
	return byteValue{kind: localByte, base: at.base, off: at.add, epoch: m.epoch}
}

func storeLocal(m *machine, in *instr) error {
	if err := in.onlyMods(widths...); err != nil {
		return err
	}
	if len(in.args) != 2 {
		return errOperands
	}
	at, err := m.localAddress(in.args[0])
	if err != nil {
		return err
	}
	return m.stored(in, in.args[1], func(i int, b byteValue) {
		m.local[localAddr{at.base, at.add + int64(i)}] = b
	})
}

// globalAddress returns the address that an operand of a load or store in
// global memory names, which has to be a number in a pair of registers.
func (m *machine) globalAddress(o operand) (int64, error) {
	var lo, hi word
	switch {
	case o.kind != memOperand:
		return 0, fmt.Errorf("unknown address %s", o.text)
	case o.base >= 0 && o.base < zeroReg-1 && o.ubase < 0:
		lo, hi = m.reg(o.base), m.reg(o.base+1)
	case o.base < 0 && o.ubase >= 0 && o.ubase < zeroReg-1:
		lo, hi = m.ureg(o.ubase), m.ureg(o.ubase+1)
	default:
		return 0, fmt.Errorf("unknown address %s", o.text)
	}
	l, okL := lo.number()
	h, okH := hi.number()
	if !okL || !okH {
		return 0, fmt.Errorf("unknown address %s", o.text)
	}
	return int64(h)<<32 + int64(l) + o.val, nil
}

func loadGlobal(m *machine, in *instr) error {
	if err := in.onlyMods(ordering...); err != nil {
		return err
	}
	if len(in.args) != 2 {
		return errOperands
	}
	at, err := m.globalAddress(in.args[1])
	if err != nil {
		return err
	}
	return m.setBytes(in, func(i int) byteValue {
		return byteValue{kind: globalByte, off: at + int64(i)}
	})
}

func storeGlobal(m *machine, in *instr) error {
	if err := in.onlyMods(ordering...); err != nil {
		return err
	}
	if len(in.args) != 2 {
		return errOperands
	}
	at, err := m.globalAddress(in.args[0])
	if err != nil {
		return err
	}
	return m.stored(in, in.args[1], func(i int, b byteValue) {
		m.stores[at+int64(i)] = b
	})
}

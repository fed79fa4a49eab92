package sim

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/sass"
)

var errOperands = errors.New("operands that this instruction does not have")

// value returns the word that a source operand stands for.
func (m *Machine) value(o *sass.Operand) (Word, error) {
	var w Word
	switch o.Kind {
	case sass.KindRegister:
		w = m.Reg(o.Reg)
	case sass.KindVirtual:
		w = m.Virtual(o.Name, o.Part)
	case sass.KindImm:
		if o.Off < -1<<31 || o.Off > 1<<32-1 {
			return w, fmt.Errorf("the immediate %s does not fit into a word", o.String())
		}
		return Number(uint32(o.Off)), nil
	case sass.KindConst, sass.KindConstReg:
		addr, err := m.bankAddr(o)
		if err != nil {
			return w, err
		}
		if addr%4 != 0 {
			return w, fmt.Errorf("the address of %s is not a multiple of 4", o.String())
		}
		for i := range w {
			w[i] = m.bankByte(o.Bank, addr+int64(i))
		}
		return w, nil
	case sass.KindLo32, sass.KindHi32:
		return m.codeWord(o)
	default:
		return w, fmt.Errorf("%s is not a source of a word", o.String())
	}
	if o.Neg {
		return negate(w), nil
	}
	return w, nil
}

func negate(w Word) Word {
	from := Origin{Kind: Plain}
	if _, ok := w.Value(); !ok {
		from = Origin{}
	}
	return number(-w.bits(), from)
}

func (m *Machine) bankByte(bank uint8, off int64) Byte {
	if m.conf.Bank == nil {
		return Byte{}
	}
	return m.conf.Bank(bank, off)
}

// bankAddr returns the byte address that an operand names in its bank.
func (m *Machine) bankAddr(o *sass.Operand) (int64, error) {
	off := o.Off
	if o.Kind == sass.KindConstReg || o.Name != "" {
		w := m.Reg(o.Reg)
		if o.Kind == sass.KindConst {
			w = m.Virtual(o.Name, o.Part)
		}
		v, ok := w.Value()
		if !ok {
			return 0, fmt.Errorf("the address of %s is undefined", o.String())
		}
		off += int64(int32(v))
	}
	return off, nil
}

// set writes the i-th word of a destination: that of the next register for
// i = 1.
func (m *Machine) set(o *sass.Operand, i int, w Word) error {
	switch o.Kind {
	case sass.KindRegister:
		if o.Reg == sass.RZ {
			return nil
		}
		r := int(o.Reg) + i
		if r > int(m.conf.Last) {
			return fmt.Errorf("there is no register R%d", r)
		}
		if sass.Reg(r) == m.conf.SP {
			return m.setSP(w)
		}
		m.regs[r] = w
	case sass.KindVirtual:
		part, err := nextPart(o, i)
		if err != nil {
			return err
		}
		m.SetVirtual(o.Name, part, w)
	default:
		return fmt.Errorf("%s is not a destination", o.String())
	}
	if o.Neg {
		return fmt.Errorf("a negated destination")
	}
	return nil
}

// nextPart returns the part that is i words after that of o.
func nextPart(o *sass.Operand, i int) (sass.Part, error) {
	part := o.Part + sass.Part(i)
	switch {
	case i == 0, o.Part == sass.Lo && i == 1, o.Part >= sass.W0 && part <= sass.W3:
		return part, nil
	}
	return 0, fmt.Errorf("no register is known that follows %s", o.String())
}

// words returns the words of a source of n words. A virtual register that is
// named whole is taken in its parts.
func (m *Machine) words(o *sass.Operand, n int) ([]Word, error) {
	if n == 1 {
		w, err := m.value(o)
		return []Word{w}, err
	}
	if o.Neg {
		return nil, errOperands
	}
	list := make([]Word, n)
	switch o.Kind {
	case sass.KindRegister:
		for i := range list {
			r := o.Reg
			if r != sass.RZ {
				if int(r)+i > int(m.conf.Last) {
					return nil, fmt.Errorf("there is no register R%d", int(r)+i)
				}
				r += sass.Reg(i)
			}
			list[i] = m.Reg(r)
		}
	case sass.KindVirtual:
		from := *o
		wholeParts(&from, n)
		for i := range list {
			part, err := nextPart(&from, i)
			if err != nil {
				return nil, err
			}
			list[i] = m.Virtual(o.Name, part)
		}
	default:
		return nil, errOperands
	}
	return list, nil
}

// wholeParts makes a register of n words that is named whole its first part.
func wholeParts(o *sass.Operand, n int) {
	if o.Kind == sass.KindVirtual && o.Part == sass.Whole {
		switch n {
		case 2:
			o.Part = sass.Lo
		case 4:
			o.Part = sass.W0
		}
	}
}

// pairs checks that a physical register may begin a group of n words.
func pairs(o *sass.Operand, n int) error {
	if o.Kind == sass.KindRegister && o.Reg != sass.RZ && int(o.Reg)%n != 0 {
		return fmt.Errorf("%s cannot begin a group of %d registers", o.String(), n)
	}
	return nil
}

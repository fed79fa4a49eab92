package sim

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/sass"
)

// What an activation may use of local memory:
//
//	caller's frame
//	├──────────────────────┤
//	│ memory for a result  │  of more bytes than registers return
//	├──────────────────────┤
//	│ …                    │
//	├──────────────────────┤
//	│ stack parameters     │
//	├──────────────────────┤ ← stack pointer at entry
//	│ its frame            │
//	├──────────────────────┤ ← stack pointer now
//
// What is below the stack pointer is lost.

// setSP changes the stack pointer. Memory below it becomes undefined.
func (m *Machine) setSP(w Word) error {
	v, ok := w.Value()
	a := m.act
	switch {
	case !ok:
		return fmt.Errorf("the stack pointer becomes undefined")
	case v > a.entry:
		return fmt.Errorf("the stack pointer becomes %#x, above %#x where the function began", v, a.entry)
	}
	if a.spKnown {
		if old := m.regs[m.conf.SP].bits(); v > old {
			m.undefine(old, v)
		}
	}
	a.spKnown = true
	m.regs[m.conf.SP] = number(v, Origin{Kind: Address})
	return nil
}

// undefine makes the bytes [from, to) undefined.
func (m *Machine) undefine(from, to uint32) {
	from = max(from, m.floor)
	if from < to {
		clear(m.local[from-m.floor : to-m.floor])
	}
}

// reach makes local hold the bytes from addr up.
func (m *Machine) reach(addr uint32) {
	if addr >= m.floor {
		return
	}
	size := min(max(2*(m.conf.StackTop-m.floor), m.conf.StackTop-addr, 4096), m.conf.StackTop)
	local := make([]Byte, size)
	copy(local[int(size)-len(m.local):], m.local)
	m.local, m.floor = local, m.conf.StackTop-size
}

// StackPointer returns the stack pointer; false before a kernel has loaded it.
func (m *Machine) StackPointer() (uint32, bool) {
	return m.regs[m.conf.SP].bits(), m.act.spKnown
}

// Local returns a byte of local memory, without asking who may read it.
func (m *Machine) Local(addr uint32) Byte {
	if addr < m.floor || addr >= m.conf.StackTop {
		return Byte{}
	}
	return m.local[addr-m.floor]
}

var errNoStack = errors.New("local memory is used before the stack pointer is set")

// within checks that the current activation may use n bytes at addr.
func (m *Machine) within(addr uint32, n int) error {
	a := m.act
	if !a.spKnown {
		return errNoStack
	}
	first, end := int64(addr), int64(addr)+int64(n)
	sp := int64(m.regs[m.conf.SP].bits())
	switch {
	case first >= sp && end <= int64(a.entry)+int64(a.contract.Stack):
	case a.contract.SretSize > 0 && first >= int64(a.sret) && end <= int64(a.sret)+int64(a.contract.SretSize):
	default:
		return fmt.Errorf("bytes [%#x,%#x) of local memory are not the function's: it has [%#x,%#x) and a result of %d bytes at %#x",
			first, end, sp, int64(a.entry)+int64(a.contract.Stack), a.contract.SretSize, a.sret)
	}
	return nil
}

// access returns n bytes, a power of two, that lie as they should and that in lets the current activation use.
func (m *Machine) access(addr uint32, n int, in func(addr uint32, n int) error) ([]Byte, error) {
	if int(addr)%n != 0 {
		return nil, fmt.Errorf("%d bytes at %#x of local memory, which is misaligned", n, addr)
	}
	if err := in(addr, n); err != nil {
		return nil, err
	}
	m.reach(addr)
	at := int(addr - m.floor)
	return m.local[at : at+n], nil
}

// Load returns n bytes of local memory, a power of two, as the current
// activation may load them.
func (m *Machine) Load(addr uint32, n int) ([]Byte, error) { return m.access(addr, n, m.within) }

// Store writes bytes to local memory as the current activation may store them.
func (m *Machine) Store(addr uint32, bytes []Byte) error {
	to, err := m.Load(addr, len(bytes))
	copy(to, bytes)
	return err
}

// LoadAny is Load at an address that a function may have been given: in the frame of any
// activation.
func (m *Machine) LoadAny(addr uint32, n int) ([]Byte, error) { return m.access(addr, n, m.anywhere) }

// StoreAny is Store at such an address.
func (m *Machine) StoreAny(addr uint32, bytes []Byte) error {
	to, err := m.LoadAny(addr, len(bytes))
	copy(to, bytes)
	return err
}

// anywhere checks that n bytes at addr are in some frame.
func (m *Machine) anywhere(addr uint32, n int) error {
	sp := m.regs[m.conf.SP].bits()
	switch {
	case !m.act.spKnown:
		return errNoStack
	case addr < sp || int64(addr)+int64(n) > int64(m.conf.StackTop):
		return fmt.Errorf("bytes [%#x,%#x) of local memory are in no frame: the stack pointer is %#x", addr, int64(addr)+int64(n), sp)
	}
	return nil
}

// address returns the local address that an operand names.
func (m *Machine) address(o *sass.Operand) (uint32, error) {
	w := m.Reg(o.Reg)
	if o.Name != "" {
		w = m.Virtual(o.Name, o.Part)
	}
	v, ok := w.Value()
	if !ok {
		return 0, fmt.Errorf("the address %s is undefined", o.String())
	}
	return v + uint32(o.Off), nil
}

// extended returns the words of a register group that is loaded with bytes.
func extended(bytes []Byte, signed bool) []Word {
	words := make([]Word, (len(bytes)+3)/4)
	for i := range words {
		for b := range words[i] {
			switch k := 4*i + b; {
			case k < len(bytes):
				words[i][b] = bytes[k]
			case signed:
				words[i][b] = bytes[len(bytes)-1].Sign()
			default:
				words[i][b] = Byte{From: Origin{Kind: Plain}}
			}
		}
	}
	return words
}

func (m *Machine) setWords(o *sass.Operand, words []Word) error {
	if err := pairs(o, len(words)); err != nil {
		return err
	}
	to := *o
	wholeParts(&to, len(words))
	for i, w := range words {
		if err := m.set(&to, i, w); err != nil {
			return err
		}
	}
	return nil
}

// loadLocal is LDL.
func loadLocal(m *Machine, in *sass.Instr) error {
	addr, err := m.address(&in.Args[1])
	if err != nil {
		return err
	}
	n, signed := isa.AccessSize(in.Op)
	bytes, err := m.Load(addr, n)
	if err != nil {
		return err
	}
	return m.setWords(&in.Args[0], extended(bytes, signed))
}

// storeLocal is STL.
func storeLocal(m *Machine, in *sass.Instr) error {
	addr, err := m.address(&in.Args[0])
	if err != nil {
		return err
	}
	src := &in.Args[1]
	n, _ := isa.AccessSize(in.Op)
	groups := (n + 3) / 4
	if err := pairs(src, groups); err != nil {
		return err
	}
	words, err := m.words(src, groups)
	if err != nil {
		return err
	}
	bytes := make([]Byte, 0, 16)
	for _, w := range words {
		bytes = append(bytes, w[:]...)
	}
	return m.Store(addr, bytes[:n])
}

// loadConst is LDC.
func loadConst(m *Machine, in *sass.Instr) error {
	o := &in.Args[1]
	addr, err := m.bankAddr(o)
	if err != nil {
		return err
	}
	n, signed := isa.AccessSize(in.Op)
	if addr%int64(n) != 0 {
		return fmt.Errorf("%d bytes at %#x of a constant bank, which is misaligned", n, addr)
	}
	bytes := make([]Byte, n)
	for i := range bytes {
		bytes[i] = m.bankByte(o.Bank, addr+int64(i))
	}
	return m.setWords(&in.Args[0], extended(bytes, signed))
}

// SretAddr returns the address of the memory for the current activation's
// result. It means something where the contract has an SretSize.
func (m *Machine) SretAddr() uint32 { return m.act.sret }

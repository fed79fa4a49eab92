package symexec

import (
	"fmt"

	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/sass"
)

// widths are the modifiers that say how many bytes are moved.
var widths = []string{"U8", "S8", "U16", "S16", "64", "128"}

// ordering are the modifiers of volatile accesses to global memory: those of
// width, and others that change nothing of what is accessed.
var ordering = append([]string{"E", "CV", "WT", "STRONG", "SYS"}, widths...)

// setBytes loads the bytes at the given function of their offsets into the
// destination of in.
func (m *Machine) setBytes(in *Instr, at func(i int) Byte) {
	n, signed := isa.AccessSize(in.Op)
	var words []Word
	for first := 0; first < n; first += 4 {
		w := ConstWord(0)
		for i := range min(n, 4) {
			w.B[i] = at(first + i)
		}
		for i := n; i < 4 && signed; i++ {
			w.B[i] = SignOf(w.B[n-1])
		}
		words = append(words, w)
	}
	m.set(in.Args[0], words...)
}

// stored calls put with each byte that a store writes, byte i of a word.
func (m *Machine) stored(in *Instr, src sass.Operand, put func(at int, w Word, i int)) {
	n, _ := isa.AccessSize(in.Op)
	word := func(k int) Word { return m.reg(src.Reg + sass.Reg(min(k, int(sass.RZ-src.Reg)))) }
	switch {
	case src.Kind == sass.KindVirtual && bare(src):
		word = m.virtualWords(src, n)
	case !bare(src) || src.Suffix != "" || src.Kind != sass.KindRegister:
		m.fail(fmt.Errorf("unknown operand %s", src))
	case src.Reg != sass.RZ && int(src.Reg)+(n-1)/4 >= int(sass.RZ):
		m.fail(fmt.Errorf("no register %s+%d", src, int(sass.RZ-src.Reg)))
	}
	for first := 0; first < n && m.err == nil; first += 4 {
		w := word(first / 4)
		for i := range min(n, 4) {
			put(first+i, w, i)
		}
	}
}

func loadConst(m *Machine, in *Instr) {
	src := in.Args[1]
	if !isConst(src) || src.Suffix != "" || !bare(src) {
		m.fail(errOperands)
		return
	}
	off := bankOffset(src)
	if src.Kind != sass.KindConst || src.Name != "" {
		at := m.reg(src.Reg)
		switch {
		case src.Name != "":
			at = m.virtual(sass.Virtual(src.Name, src.Part))
		case src.Kind == sass.KindConstUni:
			at = m.ureg(src.Uni)
		}
		v, ok := at.number()
		if !ok {
			m.fail(fmt.Errorf("unknown address %s", src))
		}
		off = src.Off + int64(int32(v))
	}
	n, _ := isa.AccessSize(in.Op)
	m.setBytes(in, func(i int) Byte {
		if off&int64(n-1) != 0 { // what hardware reads there is not known
			return m.Made().B[i&3]
		}
		return Byte{Kind: BankByte, Reg: src.Bank, Off: off + int64(i)}
	})
}

// LocalAddress returns the address that an operand of LDL or STL names.
func (m *Machine) LocalAddress(o sass.Operand) (Addr, error) {
	if o.Kind != sass.KindMem || o.Reg == sass.RZ {
		return Addr{}, fmt.Errorf("unknown address %s", o)
	}
	var base Word
	if o.Name != "" {
		base = m.virtual(sass.Virtual(o.Name, o.Part))
	} else {
		base = m.reg(o.Reg)
	}
	at, ok := m.Linear(base)
	if !ok || at.Base == NoBase {
		return Addr{}, fmt.Errorf("unknown address %s", o)
	}
	at.Add += o.Off
	return at, nil
}

func loadLocal(m *Machine, in *Instr) {
	at, err := m.LocalAddress(in.Args[1])
	m.fail(err)
	m.setBytes(in, func(i int) Byte {
		return m.localByteAt(at.Plus(int64(i)))
	})
}

// localByteAt returns the byte of local memory at an address.
func (m *Machine) localByteAt(at Addr) Byte {
	if b, ok := m.Local[at]; ok {
		return b
	}
	return Byte{Kind: LocalByte, Base: at.Base, Off: at.Add, Epoch: m.epoch}
}

func storeLocal(m *Machine, in *Instr) {
	at, err := m.LocalAddress(in.Args[0])
	m.fail(err)
	m.stored(in, in.Args[1], func(k int, w Word, i int) {
		m.Local[at.Plus(int64(k))] = w.B[i]
	})
}

// addressWords returns the words of the address that an operand of a load or store in global memory names without its number:
// those in a pair of registers, or that in one where addresses have 32 bits.
func (m *Machine) addressWords(o sass.Operand) (lo, hi Word, ok bool) {
	switch {
	case m.Narrow && o.Kind == sass.KindMem && o.Name == "":
		return m.reg(o.Reg), ConstWord(0), true
	case m.Narrow && o.Kind == sass.KindAddress && o.Reg == sass.RZ && o.Suffix == "":
		return m.ureg(o.Uni), ConstWord(0), true
	case m.Narrow:
	case o.Kind == sass.KindMem && o.Name == "" && o.Reg < sass.RZ-1,
		o.Kind == sass.KindAddress && o.Reg < sass.RZ-1 && !o.HasUni && o.Suffix == "64":
		return m.reg(o.Reg), m.reg(o.Reg + 1), true
	case o.Kind == sass.KindAddress && o.Reg == sass.RZ && o.HasUni && o.Uni < sass.RZ-1:
		return m.ureg(o.Uni), m.ureg(o.Uni + 1), true
	}
	return Word{}, Word{}, false
}

// pointer returns the address in two words as a number beyond the parameter that they are of.
func (m *Machine) pointer(lo, hi Word) (Addr, bool) {
	at, ok := m.Linear(lo)
	if !ok || at.Base == NoBase || m.Narrow || !m.FollowsPointers {
		return at, false
	}
	next := m.Bases[at.Base]
	switch {
	case next.Kind == RegByte && next.Epoch == 0 && next.N == 0:
		next.Reg++
	case next.Kind == BankByte:
		next.Off += 4
	default:
		return at, false
	}
	return at, hi.Base == NoBase && hi.Whole() && hi.B[0] == next
}

// Place returns the address in two words: a number beyond the parameter that they are of, else a number.
func (m *Machine) Place(lo, hi Word) (Addr, bool) {
	if at, beyond := m.pointer(lo, hi); beyond {
		return at, true
	}
	number, known := number64(lo, hi)
	return Addr{Add: number}, known
}

// globalPlace returns the address that an operand names: a number beyond a parameter, which no uniform register holds, else a
// number.
func (m *Machine) globalPlace(in *Instr, o sass.Operand) Addr {
	lo, hi, ok := m.addressWords(o)
	at, known := m.Place(lo, hi)
	switch {
	case at.Base == NoBase && in.Has("CONSTANT"):
		m.fail(errModifiers)
	case !ok || !known || at.Base != NoBase && o.HasUni:
		m.fail(fmt.Errorf("unknown address %s", o))
	}
	return at.Plus(o.Off)
}

// loadGlobal is a load from an address that is a number, or one beyond a parameter.
func loadGlobal(m *Machine, in *Instr) {
	at := m.globalPlace(in, in.Args[1])
	first := Byte{Kind: PointedByte, Base: at.Base, Off: at.Add}
	if at.Base == NoBase {
		first.Kind = GlobalByte
	}
	m.setBytes(in, first.Next)
}

func storeGlobal(m *Machine, in *Instr) {
	at := m.globalPlace(in, in.Args[0])
	m.stored(in, in.Args[1], func(k int, w Word, i int) {
		m.Store(at.Plus(int64(k)), Effective(w, i))
	})
}

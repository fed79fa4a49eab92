package symexec

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/sass"
)

// shift returns w shifted left by n bits, zeros coming in; right for negative n.
// Only whole bytes are followed.
func (m *Machine) shift(w Word, n int) Word {
	if v, ok := w.number(); ok {
		if n >= 0 {
			return ConstWord(v << n)
		}
		return ConstWord(v >> -n)
	}
	if n == 0 {
		return w
	}
	if n%8 != 0 || w.Base != NoBase {
		return m.Made()
	}
	r := ConstWord(0)
	for i := range r.B {
		if from := i - n/8; from >= 0 && from < 4 {
			r.B[i] = w.B[from]
		}
	}
	return r
}

// Low returns the lowest n bits of w, with zeros above or, for a signed field,
// copies of its sign.
func (m *Machine) Low(w Word, n int, signed bool) Word {
	if v, ok := w.number(); ok && n < 32 {
		v = v << (32 - n)
		if signed {
			return ConstWord(uint32(int32(v) >> (32 - n)))
		}
		return ConstWord(v >> (32 - n))
	}
	if n >= 32 {
		return w
	}
	if n == 0 || n%8 != 0 || w.Base != NoBase {
		return m.Made()
	}
	r := ConstWord(0)
	if signed {
		for i := range r.B {
			r.B[i] = SignOf(w.B[n/8-1])
		}
	}
	copy(r.B[:n/8], w.B[:n/8])
	return r
}

// ShiftSigned returns w shifted right by n bits, copies of its sign coming in.
func (m *Machine) ShiftSigned(w Word, n int) Word {
	if n == 31 && w.Base == NoBase {
		s := SignOf(w.B[3])
		return Word{B: [4]Byte{s, s, s, s}}
	}
	return m.Low(m.shift(w, -n), 32-n, true)
}

// shift is SHL and SHR by a constant.
func shift(m *Machine, in *Instr, w []Word) Word {
	switch n := m.below(w[1], 32); {
	case in.Name == "SHL":
		return m.shift(w[0], n)
	case in.Has("U32"):
		return m.shift(w[0], -n)
	default:
		return m.ShiftSigned(w[0], n)
	}
}

// below returns the number that a word is, which has to be below another one.
func (m *Machine) below(w Word, limit uint32) int {
	n, ok := w.number()
	if !ok || n >= limit {
		m.fail(errOperands)
		return 0
	}
	return int(n)
}

// funnel is SHF: a pair of registers shifted by a constant, of which one word
// is kept.
func funnel(m *Machine, in *Instr, w []Word) Word {
	n := m.below(w[1], 32)
	lo, okLo := w[0].number()
	hi, okHi := w[2].number()
	switch {
	case in.Has("L") && in.Has("U32") && !in.Has("HI") && okHi && hi == 0:
		return m.shift(w[0], n)
	case !in.Has("R") || !in.Has("HI") || !okLo || lo != 0:
		m.fail(errModifiers)
	case in.Has("S32"):
		return m.ShiftSigned(w[2], n)
	}
	return m.shift(w[2], -n)
}

// field returns the place and the number of bits of a field that a word says, which is a constant.
func (m *Machine) field(w Word, least int) (pos, n int) {
	field, ok := w.number()
	pos, n = int(field&0xff), int(field>>8&0xff)
	if !ok || pos+n > 32 || n < least {
		m.fail(errOperands)
		return 0, 0
	}
	return pos, n
}

// extract is BFE: a field whose place is a constant.
func extract(m *Machine, in *Instr, w []Word) Word {
	pos, n := m.field(w[1], 1)
	return m.Low(m.shift(w[0], -pos), n, !in.Has("U32"))
}

// insert is BFI: the low bits of one word into a field of another.
func insert(m *Machine, _ *Instr, w []Word) Word {
	pos, n := m.field(w[1], 0)
	r := w[2]
	if pos%8 != 0 || n%8 != 0 || w[0].Base != NoBase || r.Base != NoBase {
		return m.Made()
	}
	copy(r.B[pos/8:(pos+n)/8], w[0].B[:])
	return r
}

// extend is SGXT: the low bits of a word, extended.
func extend(m *Machine, in *Instr, w []Word) Word {
	n := m.below(w[1], 33)
	if n == 0 {
		m.fail(errOperands)
	}
	return m.Low(w[0], n, !in.Has("U32"))
}

// permute is PRMT with a constant selector.
func permute(m *Machine, _ *Instr, w []Word) Word {
	selector, ok := w[1].number()
	if !ok {
		m.fail(errOperands)
	}
	r := m.Made()
	for i, pick := range isa.SelectedBytes(selector) {
		from := w[0]
		if pick.Third {
			from = w[2]
		}
		if from.Base != NoBase {
			continue
		}
		b := from.B[pick.Byte]
		switch {
		case !pick.Sign:
			r.B[i] = b
		case b.Known():
			r.B[i] = SignOf(b)
		}
	}
	return r
}

// logic2 is LOP and LOP32I, of two operands either of which may be inverted.
func logic2(m *Machine, in *Instr) {
	if len(in.mods) != 1 || len(in.Args) != 3 {
		m.fail(errOperands)
		return
	}
	left, right := uint8(isa.TableA), uint8(isa.TableB)
	args := slices.Clone(in.Args)
	for i, table := range []*uint8{&left, &right} {
		if args[i+1].Not {
			*table = ^*table
			args[i+1].Not = false
		}
	}
	tables := map[string]uint8{"AND": left & right, "OR": left | right, "XOR": left ^ right, "PASS_B": right}
	table, ok := tables[in.mods[0]]
	if !ok {
		m.fail(errModifiers)
	}
	m.setLogic(append(args, sass.Imm(0)), table)
}

// logic3 is LOP3.LUT: any bitwise function of three words.
func logic3(m *Machine, in *Instr) {
	args := in.Args
	if n := len(args); n == 6 && args[5] == sass.Pred("PT").Negated() || n == 6 && args[5] == sass.Pred("UPT").Negated() {
		args = args[:5]
	}
	if len(args) != 5 || args[4].Kind != sass.KindImm {
		m.fail(errOperands)
		return
	}
	m.setLogic(args[:4], uint8(args[4].Off))
}

// setLogic gives the first operand what a bitwise function makes of the three others. A stack pointer that is not followed, as after an alloca, is
// a new base address.
func (m *Machine) setLogic(args []sass.Operand, table uint8) {
	w := m.values(args[1:])
	if m.err != nil {
		return
	}
	to, r := args[0], m.combine([3]Word(w), table)
	if to.Kind == sass.KindRegister && to.Reg == sass.SP && slices.ContainsFunc(r.B[:], func(b Byte) bool { return b.Kind == MadeByte }) {
		r = m.newBase([3]Word(w), table)
	}
	m.set(to, r)
}

// combine applies a bitwise function, given as its truth table, to three words.
// What becomes of an
// address is a new base address, of which nothing else is known.
func (m *Machine) combine(w [3]Word, table uint8) Word {
	r := m.Made()
	for i := range r.B {
		r.B[i] = m.combineBytes([3]Byte{w[0].B[i], w[1].B[i], w[2].B[i]}, table)
	}
	for _, x := range w {
		if x.Base != NoBase {
			r = m.newBase(w, table)
		}
	}
	return r
}

// newBase returns a new base address, and notes its alignment where a mask has aligned it.
func (m *Machine) newBase(w [3]Word, table uint8) Word {
	r := m.Made()
	r.Base = m.BaseOf(r.B[0])
	for i, x := range w[:2] {
		if v, ok := x.number(); ok && v != 0 && m.Aligned != nil && table == isa.TableA&isa.TableB {
			m.Aligned[r.Base] = int64(v & -v)
			m.Rounded[r.Base], _ = m.Linear(w[1-i])
		}
	}
	return r
}

// combineBytes is combine for one byte: a number, one of its operands, or made
// in a way that is not followed.
func (m *Machine) combineBytes(b [3]Byte, table uint8) Byte {
	same := [3]bool{true, true, true} // the result is that operand
	known, value := true, int64(0)    // the result is a number
	for bit := range 8 {
		seen := uint8(0) // bit v: the result may be v
		for combo := range 8 {
			possible := true
			for j, x := range b {
				v := int64(combo >> (2 - j) & 1)
				if x.Kind == ConstByte && x.Off>>bit&1 != v {
					possible = false
				}
			}
			if !possible {
				continue
			}
			v := table >> combo & 1
			seen |= 1 << v
			for j := range b {
				same[j] = same[j] && v == uint8(combo>>(2-j)&1)
			}
		}
		switch seen {
		case 2:
			value |= 1 << bit
		case 3:
			known = false
		}
	}
	if known {
		return Byte{Kind: ConstByte, Off: value}
	}
	for j := range b {
		if same[j] {
			return b[j]
		}
	}
	return Byte{Kind: MadeByte, Off: m.PC}
}

// half returns the bits of the half-precision number that nvdisasm writes in
// decimal, exactly.
func half(text string) (uint16, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("unknown constant %s", text)
	}
	sign := uint16(0)
	if math.Signbit(f) {
		sign, f = 0x8000, -f
	}
	if f == 0 {
		return sign, nil
	}
	frac, exp := math.Frexp(f) // f = frac × 2^exp, 0.5 ≤ frac < 1
	if exp > 16 {
		return 0, fmt.Errorf("unknown constant %s", text)
	}
	if exp < -13 {
		return sign | uint16(math.RoundToEven(math.Ldexp(f, 24))), nil
	}
	mantissa := math.RoundToEven(math.Ldexp(frac, 11)) // 1024 … 2048
	return sign | uint16(int(exp+13)<<10+int(mantissa)), nil
}

package sim

import (
	"fmt"

	"github.com/ptxabi/ptxabi/sass"
)

// semantics are the instructions of package sass's vocabulary.
var semantics = map[string]executor{
	"MOV": move, "MOV32I": move, "PRMT": permute,
	"IADD3": add3, "IADD3.X": add3, "IADD32I": add2, "IADD": add2,
	"LOP3.LUT": logic3, "LOP32I.AND": logic2(sass.TableA & sass.TableB), "LOP.OR": logic2(sass.TableA | sass.TableB),
	"SHF.L.U32": funnelLeft, "SHF.R.U32.HI": funnelRight(false), "SHF.R.S32.HI": funnelRight(true),
	"SHL": shiftBy(true, false), "SHR.U32": shiftBy(false, false), "SHR": shiftBy(false, true),
	"LDC": loadConst, "LDC.64": loadConst, "LDC.U8": loadConst, "LDC.S8": loadConst, "LDC.U16": loadConst, "LDC.S16": loadConst,
	"LDL": loadLocal, "LDL.64": loadLocal, "LDL.128": loadLocal,
	"LDL.U8": loadLocal, "LDL.S8": loadLocal, "LDL.U16": loadLocal, "LDL.S16": loadLocal,
	"STL": storeLocal, "STL.U8": storeLocal, "STL.U16": storeLocal, "STL.64": storeLocal, "STL.128": storeLocal,
	"BMOV.32": setBarrier, "BMOV.32.CLEAR": moveBarrier, "UMOV": setUniform, "ISETP.NE.U32.AND": compareUniform,
	"SEL": choose, "ISETP.NE.AND": compare(true), "ISETP.EQ.AND": compare(false),
	"CALL.ABS.NOINC": callName, "CALL.REL.NOINC": callSelf, "JCAL": callPush, "CAL": callSelfPush, "PRET": preRet, "JMX": jumpRegister,
	"RET.ABS.NODEC": ret, "RET": ret, "EXIT": exit, "BRA": branch,
}

// sources returns the words of operands.
func (m *Machine) sources(list []sass.Operand) ([3]Word, error) {
	var w [3]Word
	for i := range list {
		var err error
		if w[i], err = m.value(&list[i]); err != nil {
			return w, err
		}
	}
	return w, nil
}

func move(m *Machine, in *sass.Instr) error {
	if len(in.Args) != 2 || in.Op == "MOV32I" && in.Args[1].Kind == sass.Const {
		return errOperands
	}
	w, err := m.value(&in.Args[1])
	if err != nil {
		return err
	}
	return m.set(&in.Args[0], 0, w)
}

// permute is PRMT d, s, selector, t.
func permute(m *Machine, in *sass.Instr) error {
	if len(in.Args) != 4 {
		return errOperands
	}
	w, err := m.sources(in.Args[1:])
	if err != nil {
		return err
	}
	selector, ok := w[1].Value()
	if !ok {
		return fmt.Errorf("the selector is undefined")
	}
	var r Word
	for i, pick := range sass.SelectedBytes(selector) {
		from := &w[0]
		if pick.Third {
			from = &w[2]
		}
		r[i] = from[pick.Byte]
		if pick.Sign {
			r[i] = r[i].sign()
		}
	}
	return m.set(&in.Args[0], 0, r)
}

// total returns the sum of words. A byte is undefined if it or one below it is
// so in any of them; the sum of one word and zeros is that word.
func total(terms []Word, carry uint64) (Word, uint64) {
	var lone *Word
	address, others := false, 0
	v := carry
	for i := range terms {
		v += uint64(terms[i].bits())
		if terms[i] != Number(0) {
			lone = &terms[i]
			others++
		}
		address = address || terms[i][0].From.Kind == Address
	}
	if others == 1 && carry == 0 {
		return *lone, 0
	}
	var r Word
	from := Origin{Kind: Plain}
	if address {
		from.Kind = Address
	}
	for k := range r {
		for i := range terms {
			if terms[i][k].From.Kind == Undefined {
				from.Kind = Undefined
			}
		}
		r[k] = Byte{uint8(v >> (8 * k)), from}
	}
	return r, v >> 32
}

// add2 is IADD d, s, t.
func add2(m *Machine, in *sass.Instr) error {
	if len(in.Args) != 3 {
		return errOperands
	}
	w, err := m.sources(in.Args[1:])
	if err != nil {
		return err
	}
	r, _ := total(w[:2], 0)
	return m.set(&in.Args[0], 0, r)
}

// add3 is IADD3 d, [carries,] s, t, u and IADD3.X with the carries that come in
// after.
func add3(m *Machine, in *sass.Instr) error {
	args := in.Args
	if len(args) < 4 {
		return errOperands
	}
	dst, args := &args[0], args[1:]
	var out, into []sass.Operand
	for len(args) > 0 && args[0].Kind == sass.Pred {
		out, args = append(out, args[0]), args[1:]
	}
	if len(args) < 3 || len(out) > 2 {
		return errOperands
	}
	terms, into := args[:3], args[3:]
	if (in.Op == "IADD3.X") != (len(into) == 2) || in.Op == "IADD3" && len(into) != 0 {
		return errOperands
	}
	carry := uint64(0)
	for i := range into {
		if into[i].Kind != sass.Pred {
			return errOperands
		}
		t := m.Truth(into[i].Name)
		if !t.Defined {
			return fmt.Errorf("the carry %s is undefined", into[i].String())
		}
		if t.Val != into[i].Neg {
			carry++
		}
	}
	w, err := m.sources(terms)
	if err != nil {
		return err
	}
	r, over := total(w[:], carry)
	if err := m.set(dst, 0, r); err != nil {
		return err
	}
	for i := range out {
		_, ok := r.Value()
		m.SetTruth(out[i].Name, Truth{over > uint64(i), ok})
	}
	return nil
}

// logic3 is LOP3.LUT d, s, t, u, table [, !PT].
func logic3(m *Machine, in *sass.Instr) error {
	n := len(in.Args)
	if n == 6 && in.Args[5] == sass.P("PT").Negated() {
		n = 5
	}
	if n != 5 || in.Args[4].Kind != sass.Imm {
		return errOperands
	}
	w, err := m.sources(in.Args[1:4])
	if err != nil {
		return err
	}
	return m.set(&in.Args[0], 0, combine(w, uint8(in.Args[4].Off)))
}

func logic2(table uint8) executor {
	return func(m *Machine, in *sass.Instr) error {
		if len(in.Args) != 3 {
			return errOperands
		}
		w, err := m.sources(in.Args[1:])
		if err != nil {
			return err
		}
		return m.set(&in.Args[0], 0, combine(w, table))
	}
}

// combine applies a bitwise function, given as its truth table, to three words.
func combine(w [3]Word, table uint8) Word {
	var r Word
	for k := range r {
		r[k] = combineBytes([3]Byte{w[0][k], w[1][k], w[2][k]}, table)
	}
	return r
}

func bitwise(x [3]uint8, table uint8) uint8 {
	var r uint8
	for bit := range 8 {
		i := x[0]>>bit&1<<2 | x[1]>>bit&1<<1 | x[2]>>bit&1
		r |= table >> i & 1 << bit
	}
	return r
}

// combineBytes is combine for one byte. It is undefined if an undefined operand
// can change it, and it is an operand's byte if it is that whatever its bits
// and those of the other operands are, as far as these are not plain.
func combineBytes(b [3]Byte, table uint8) Byte {
	r := Byte{bitwise([3]uint8{b[0].Val, b[1].Val, b[2].Val}, table), Origin{Kind: Plain}}
	address := false
	for j := range b {
		if b[j].From.Kind == Plain {
			continue
		}
		switch same, matters := effect(b, j, table); {
		case !matters:
		case b[j].From.Kind == Undefined:
			return Byte{}
		case same:
			r.From = b[j].From
		case b[j].From.Kind == Address:
			address = true
		}
	}
	if address {
		r.From = Origin{Kind: Address}
	}
	return r
}

// effect reports whether operand j is the result, and whether it can change
// it.
func effect(b [3]Byte, j int, table uint8) (same, matters bool) {
	same = true
	for others := range 8 {
		lo := [3]uint8{b[0].Val, b[1].Val, b[2].Val}
		for i := range b {
			if b[i].From.Kind != Plain {
				lo[i] = -uint8(others >> i & 1)
			}
		}
		hi := lo
		lo[j], hi[j] = 0, 0xff
		zero, one := bitwise(lo, table), bitwise(hi, table)
		same = same && zero == 0 && one == 0xff
		matters = matters || zero != one
	}
	return same, matters
}

func funnelLeft(m *Machine, in *sass.Instr) error {
	if len(in.Args) != 4 || in.Args[3] != sass.R(sass.RZ) {
		return errOperands
	}
	return m.shift(&in.Args[0], &in.Args[1], &in.Args[2], true, false)
}

func funnelRight(signed bool) executor {
	return func(m *Machine, in *sass.Instr) error {
		if len(in.Args) != 4 || in.Args[1] != sass.R(sass.RZ) {
			return errOperands
		}
		return m.shift(&in.Args[0], &in.Args[3], &in.Args[2], false, signed)
	}
}

func shiftBy(left, signed bool) executor {
	return func(m *Machine, in *sass.Instr) error {
		if len(in.Args) != 3 {
			return errOperands
		}
		return m.shift(&in.Args[0], &in.Args[1], &in.Args[2], left, signed)
	}
}

// shift writes a word shifted by a constant.
func (m *Machine) shift(dst, src, by *sass.Operand, left, signed bool) error {
	if by.Kind != sass.Imm || by.Off < 0 || by.Off > 31 {
		return fmt.Errorf("a shift by %s", by.String())
	}
	w, err := m.value(src)
	if err != nil {
		return err
	}
	n := int(by.Off)
	if left {
		n = -n
	}
	v, fill := w.bits()>>by.Off, Byte{From: Origin{Kind: Plain}}
	switch {
	case left:
		v = w.bits() << by.Off
	case signed:
		v, fill = uint32(int32(w.bits())>>by.Off), w[3].sign()
	}
	source := func(bit int) Byte { // the byte that a bit comes from
		switch {
		case bit < 0:
			return Byte{From: Origin{Kind: Plain}}
		case bit > 31:
			return fill
		}
		return w[bit/8]
	}
	var r Word
	for k := range r {
		first, last := source(8*k+n), source(8*k+7+n)
		r[k] = Byte{uint8(v >> (8 * k)), Origin{Kind: Plain}}
		switch {
		case first.From.Kind == Undefined || last.From.Kind == Undefined:
			r[k].From = Origin{}
		case n%8 == 0:
			r[k] = first
		case signed && 8*k+n >= 31:
			r[k] = fill
		}
	}
	return m.set(dst, 0, r)
}

// choose is SEL d, s, t, p.
func choose(m *Machine, in *sass.Instr) error {
	if len(in.Args) != 4 || in.Args[3].Kind != sass.Pred {
		return errOperands
	}
	w, err := m.sources(in.Args[1:3])
	if err != nil {
		return err
	}
	t := m.Truth(in.Args[3].Name)
	r := w[1]
	switch {
	case !t.Defined:
		r = Word{}
	case t.Val != in.Args[3].Neg:
		r = w[0]
	}
	return m.set(&in.Args[0], 0, r)
}

// compare is ISETP.NE.AND p, PT, s, t, q: p becomes s ≠ t and q.
func compare(unequal bool) executor {
	return func(m *Machine, in *sass.Instr) error {
		if len(in.Args) != 5 || in.Args[0].Kind != sass.Pred || in.Args[1] != sass.P("PT") || in.Args[4].Kind != sass.Pred {
			return errOperands
		}
		w, err := m.sources(in.Args[2:4])
		if err != nil {
			return err
		}
		x, okX := w[0].Value()
		y, okY := w[1].Value()
		q := m.Truth(in.Args[4].Name)
		on := q.Val != in.Args[4].Neg
		m.SetTruth(in.Args[0].Name, Truth{((x != y) == unequal) && on, okX && okY && q.Defined})
		return nil
	}
}

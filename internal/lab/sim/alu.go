package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/sass"
)

// An operation is the execution of an instruction, and the operands that it may have: a letter for each, see [fits].
type operation struct {
	do    executor
	forms string
}

// semantics are the instructions of package sass's vocabulary.
var semantics = map[string]operation{
	"MOV": {computes(1, move), "ds"}, "MOV32I": {computes(1, move), "dk"}, "PRMT": {computes(3, permute), "dsss"},
	"IADD3": {add, "dsss dpsss dppsss"}, "IADD3.X": {add, "dssspp dpssspp dppssspp"}, "IADD32I": {add, "dss"}, "IADD": {add, "dss"},
	"LOP3.LUT": {computes(3, logic3), "dsssi dsssiF"}, "LOP32I.AND": {logic2(isa.TableA & isa.TableB), "dss"}, "LOP.OR": {logic2(isa.TableA | isa.TableB), "dss"},
	"SHF.L.U32": {shift(1, true, false), "dsiZ"}, "SHF.R.U32.HI": {shift(3, false, false), "dZis"}, "SHF.R.S32.HI": {shift(3, false, true), "dZis"},
	"SHL": {shift(1, true, false), "dsi"}, "SHR.U32": {shift(1, false, false), "dsi"}, "SHR": {shift(1, false, true), "dsi"},
	"LDC": {loadConst, "dc"}, "LDC.64": {loadConst, "dc"}, "LDC.U8": {loadConst, "dc"}, "LDC.S8": {loadConst, "dc"}, "LDC.U16": {loadConst, "dc"}, "LDC.S16": {loadConst, "dc"},
	"LDL": {loadLocal, "dm"}, "LDL.64": {loadLocal, "dm"}, "LDL.128": {loadLocal, "dm"},
	"LDL.U8": {loadLocal, "dm"}, "LDL.S8": {loadLocal, "dm"}, "LDL.U16": {loadLocal, "dm"}, "LDL.S16": {loadLocal, "dm"},
	"STL": {storeLocal, "mr"}, "STL.U8": {storeLocal, "mr"}, "STL.U16": {storeLocal, "mr"}, "STL.64": {storeLocal, "mr"}, "STL.128": {storeLocal, "mr"},
	"BMOV.32": {setBarrier, "bi"}, "BMOV.32.CLEAR": {moveBarrier, "bb"}, "UMOV": {setUniform, "ui"}, "ISETP.NE.U32.AND": {compareUniform, "pTZuT"},
	"SEL": {computes(2, choose), "dssp"}, "ISETP.NE.AND": {compare(true), "pTssp"}, "ISETP.EQ.AND": {compare(false), "pTssp"},
	"CALL.ABS.NOINC": {callName, "n r rt"}, "CALL.REL.NOINC": {callSelf, "n"}, "JCAL": {pushing(callName), "n"}, "CAL": {pushing(callSelf), "n"},
	"PRET": {preRet, "n"}, "JMX": {callRegister, "r"}, "RET.ABS.NODEC": {ret, "R0"}, "RET": {ret, ""}, "EXIT": {exit, ""}, "BRA": {branch, "n"},
}

// takes reports whether an operation has such operands.
func (o *operation) takes(args []sass.Operand) bool {
	return slices.ContainsFunc(strings.Split(o.forms, " "), func(form string) bool {
		for i := range min(len(form), len(args)) {
			if !fits(form[i], &args[i]) {
				return false
			}
		}
		return len(form) == len(args)
	})
}

// kindsOf are the kinds of operands that a letter stands for.
var kindsOf = map[byte][]sass.OperandKind{
	'r': {sass.KindRegister, sass.KindVirtual}, // without a sign
	'R': {sass.KindRegister},                   // one of the machine
	'i': {sass.KindImm},
	'k': {sass.KindImm, sass.KindLo32, sass.KindHi32}, // a number, known to the linker
	'm': {sass.KindMem},
	'c': {sass.KindConst, sass.KindConstReg},
	'p': {sass.KindPred},
	'n': {sass.KindSymbol}, // a name
	'u': {sass.KindUniform},
}

// only is the one operand that a letter stands for.
var only = map[byte]sass.Operand{
	'T': sass.Pred("PT"), 'F': sass.Pred("PT").Negated(), 'Z': sass.Register(sass.RZ), '0': sass.Imm(0), 't': sass.Symbol("__UFT_OFFSET"),
}

// fits reports whether a letter stands for an operand. An s is a source; d, a destination, and b, a barrier, are
// looked at where they are used.
func fits(letter byte, o *sass.Operand) bool {
	if kinds, ok := kindsOf[letter]; ok {
		return slices.Contains(kinds, o.Kind) && !(letter == 'r' && o.Neg)
	}
	one, ok := only[letter]
	return !(ok && *o != one || letter == 's' && o.Kind == sass.KindPred)
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

// computes is an instruction that gives its destination a word made of the n sources after it.
func computes(n int, f func(m *Machine, w [3]Word, in *sass.Instr) (Word, error)) executor {
	return func(m *Machine, in *sass.Instr) error {
		w, err := m.sources(in.Args[1 : 1+n])
		if err != nil {
			return err
		}
		r, err := f(m, w, in)
		if err != nil {
			return err
		}
		return m.set(&in.Args[0], 0, r)
	}
}

func move(_ *Machine, w [3]Word, _ *sass.Instr) (Word, error) { return w[0], nil }

// permute is PRMT d, s, selector, t.
func permute(_ *Machine, w [3]Word, _ *sass.Instr) (r Word, err error) {
	selector, ok := w[1].Value()
	if !ok {
		return r, fmt.Errorf("the selector is undefined")
	}
	for i, pick := range isa.SelectedBytes(selector) {
		from := &w[0]
		if pick.Third {
			from = &w[2]
		}
		r[i] = from[pick.Byte]
		if pick.Sign {
			r[i] = r[i].Sign()
		}
	}
	return r, nil
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

// add is IADD d, s, t, and IADD3 d, [carries,] s, t, u, with the carries that come in after.
func add(m *Machine, in *sass.Instr) error {
	isCarry := func(o sass.Operand) bool { return o.Kind == sass.KindPred }
	dst, args := &in.Args[0], in.Args[1:]
	first := slices.IndexFunc(args, func(o sass.Operand) bool { return !isCarry(o) })
	out, args := args[:first], args[first:]
	terms, carry := args, uint64(0)
	if n := slices.IndexFunc(args, isCarry); n >= 0 {
		terms = args[:n]
	}
	for _, o := range args[len(terms):] {
		t := m.Truth(o.Name)
		if !t.Defined {
			return fmt.Errorf("the carry %s is undefined", o.String())
		}
		if t.Val != o.Neg {
			carry++
		}
	}
	w, err := m.sources(terms)
	if err != nil {
		return err
	}
	r, over := total(w[:len(terms)], carry)
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
func logic3(_ *Machine, w [3]Word, in *sass.Instr) (Word, error) {
	return combine(w, uint8(in.Args[4].Off)), nil
}

func logic2(table uint8) executor {
	return computes(2, func(_ *Machine, w [3]Word, _ *sass.Instr) (Word, error) { return combine(w, table), nil })
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

// shift shifts the operand with a number by a constant, which is operand 2.
func shift(from int, left, signed bool) executor {
	return func(m *Machine, in *sass.Instr) error {
		by := &in.Args[2]
		if by.Off < 0 || by.Off > 31 {
			return fmt.Errorf("a shift by %s", by.String())
		}
		w, err := m.value(&in.Args[from])
		if err != nil {
			return err
		}
		return m.set(&in.Args[0], 0, shifted(w, int(by.Off), left, signed))
	}
}

func shifted(w Word, by int, left, signed bool) (r Word) {
	n := by
	if left {
		n = -n
	}
	v, fill := w.bits()>>by, Byte{From: Origin{Kind: Plain}}
	switch {
	case left:
		v = w.bits() << by
	case signed:
		v, fill = uint32(int32(w.bits())>>by), w[3].Sign()
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
	return r
}

// choose is SEL d, s, t, p.
func choose(m *Machine, w [3]Word, in *sass.Instr) (Word, error) {
	switch t := m.Truth(in.Args[3].Name); {
	case !t.Defined:
		return Word{}, nil
	case t.Val != in.Args[3].Neg:
		return w[0], nil
	}
	return w[1], nil
}

// compare is ISETP.NE.AND p, PT, s, t, q: p becomes s ≠ t and q.
func compare(unequal bool) executor {
	return func(m *Machine, in *sass.Instr) error {
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

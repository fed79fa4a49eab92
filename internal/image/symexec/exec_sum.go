package symexec

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/sass"
)

// CarryFlag is the name of the old family's carry among the carries of a
// machine; those of the new one are named as their predicates.
const CarryFlag = "CC"

// sum is an addition of two or three words, or of two pairs of words:
//
//	IADD R4.CC, R3, R2             the carry goes to the flag
//	IADD.X R5, R0, RZ              and comes from it
//	IADD3 R4, P0, R3, R2, RZ       the carry goes to P0; with sm_100: P0, PT
//	IADD3.X R5, R0, RZ, RZ, P0, !PT
//	IADD.64 R4, R2, 0x10
func sum(m *Machine, in *Instr) {
	if in.Has("64") {
		m.sum64(in)
		return
	}
	if len(in.Args) < 3 {
		m.fail(errOperands)
		return
	}
	to, carryOut := in.Args[0], ""
	if to.Suffix == CarryFlag {
		to.Suffix, carryOut = "", CarryFlag
	}
	args := in.Args[1:]
	for i := 0; len(args) > 0 && args[0].Kind == sass.KindPred; i++ {
		switch {
		case IsTrue(args[0]):
		case i == 0 && plainPred(args[0]):
			carryOut = args[0].Name
		default:
			m.fail(errOperands) // the second is of what exceeds two carries
		}
		args = args[1:]
	}
	n := len(args)
	for n > 0 && args[n-1].Kind == sass.KindPred {
		n--
	}
	terms := m.values(args[:n])
	if len(terms) < 2 {
		m.fail(errOperands)
	}
	carried := m.carryIn(in, args[n:])
	if m.err != nil {
		return
	}
	result := m.Made()
	if carried != nil {
		terms = append(terms, *carried)
		result = m.Add(terms...)
	}
	if carryOut != "" {
		m.setCarry(carryOut, terms, carried != nil)
	}
	m.set(to, result)
}

// plainPred reports whether o is a predicate that is not inverted.
func plainPred(o sass.Operand) bool { return o.Kind == sass.KindPred && bare(o) && o.Suffix == "" }

// carryIn returns the carry that an addition takes, given the predicates at its
// end: nil where it is not followed.
func (m *Machine) carryIn(in *Instr, preds []sass.Operand) *Word {
	name := ""
	switch {
	case !in.Has("X") && len(preds) == 0:
	case in.Has("X") && len(preds) == 0:
		name = CarryFlag
	case in.Has("X") && len(preds) == 2 && plainPred(preds[0]) && preds[1].Neg && preds[1].Name == "PT":
		name = preds[0].Name
	default:
		m.fail(errOperands)
	}
	carry, ok := m.Carries[name] // of no name there is none
	if !ok && name != "" {
		return nil
	}
	w := ConstWord(carry)
	return &w
}

// setCarry notes the carry of a sum of words, of which followed says whether
// they are all its terms; if not, it removes what was noted.
func (m *Machine) setCarry(name string, terms []Word, followed bool) {
	delete(m.Carries, name)
	if carry, ok := carryOf(terms); ok && followed {
		m.Carries[name] = carry
	}
}

// carryOf returns the carry of a sum of words: of numbers, or of one word of
// any kind and zeros.
func carryOf(terms []Word) (uint32, bool) {
	total, unknown := uint64(0), 0
	for _, w := range terms {
		v, ok := w.number()
		if !ok {
			unknown++
		}
		total += uint64(v)
	}
	if unknown > 1 || unknown == 1 && total > 0 || total>>32 > 1 {
		return 0, false
	}
	return uint32(total >> 32), true
}

// sum64 is IADD.64.
func (m *Machine) sum64(in *Instr) {
	if len(in.Args) != 3 || in.Has("X") {
		m.fail(errOperands)
		return
	}
	a, b, hi := m.pair(in.Args[1]), m.pair(in.Args[2]), m.Made()
	if carry, ok := carryOf([]Word{a[0], b[0]}); ok {
		hi = m.Add(a[1], b[1], ConstWord(carry))
	}
	m.set(in.Args[0], m.Add(a[0], b[0]), hi)
}

// convert is I2I from a narrower integer: I2I.U16.U8 R6, R6. What the register
// has above the wider one is not followed.
func convert(m *Machine, in *Instr) {
	widths := map[string]int{"U8": 8, "S8": 8, "U16": 16, "S16": 16, "U32": 32, "S32": 32}
	if len(in.mods) != 2 {
		m.fail(errModifiers)
		return
	}
	to, from := widths[in.mods[0]], widths[in.mods[1]]
	if from == 0 || from > to {
		m.fail(fmt.Errorf("%w: %v", errModifiers, in.mods))
		return
	}
	if len(in.Args) != 2 {
		m.fail(errOperands)
		return
	}
	r := m.Low(m.value(in.Args[1]), from, slices.Contains([]string{"S8", "S16"}, in.mods[1]))
	if to < 32 {
		upper := m.Made()
		copy(r.B[to/8:], upper.B[to/8:])
	}
	m.set(in.Args[0], r)
}

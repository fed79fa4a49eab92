package symexec

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// An executor carries out one kind of instruction.
type executor func(*Machine, *Instr)

// semantics are the instructions that the machine has, by operation code
// without modifiers. Each executor refuses modifiers and operands that change
// the meaning in a way it does not follow, by [Machine.fail].
var semantics = map[string]executor{
	"NOP": neutral, "PRET": neutral, "YIELD": neutral, "DEPBAR": neutral, "BMOV": barrierMove, "ISETP": predicateOnly,
	"S2R": special, "I2I": convert,
	"MOV": moves, "MOV32I": moves, "UMOV": moves, "R2UR": moves, "CS2R": takes(2, zero, "32"),
	"IMAD": fused, "UIMAD": fused, "XMAD": takes(4, joinHalves, "PSL", "CLO"), "HFMA2": takes(5, halves, "MMA"),
	"IADD": sums, "IADD3": sums, "IADD32I": sums, "VIADD": sums, "UIADD3": sums,
	"LOP": logic2, "LOP32I": logic2, "LOP3": takes(anyNumber, logic3, "LUT"), "ULOP3": takes(anyNumber, logic3, "LUT"),
	"PRMT": computes(3, permute), "UPRMT": computes(3, permute),
	"SHL": computes(2, shift, "U32"), "SHR": computes(2, shift, "U32"), "USHF": funnels, "SHF": funnels,
	"BFE": computes(2, extract, "U32"), "BFI": computes(3, insert), "SGXT": computes(2, extend, "U32"),
	"LDC": loadsConst, "LDCU": loadsConst, "ULDC": loadsConst,
	"LDL": takes(2, loadLocal, slices.Concat(widths, []string{"LU"})...), // which marks the last load of what was spilled
	"STL": takes(2, storeLocal, widths...),
	"LD":  loadsGlobal, "LDG": loadsGlobal, "ST": storesGlobal, "STG": storesGlobal,
}

var (
	moves        = takes(anyNumber, move, "64", "SPILL", "FILL") // of uniform registers that are kept in others
	sums         = takes(anyNumber, sum, "X", "64")
	fused        = computes(3, multiplyAdd, "MOV", "SHL", "IADD", "U32")
	funnels      = computes(3, funnel, "L", "R", "U32", "S32", "HI")
	loadsConst   = takes(2, loadConst, widths...)
	loadsGlobal  = takes(2, loadGlobal, slices.Concat(ordering, []string{"CONSTANT"})...)
	storesGlobal = takes(2, storeGlobal, slices.Concat(ordering, []string{"GPU", "CTA"})...)
)

// anyNumber is how many operands an executor takes that counts them itself.
const anyNumber = -1

// takes is an executor of instructions with so many operands, and with no other modifiers than those.
func takes(n int, f executor, mods ...string) executor {
	return func(m *Machine, in *Instr) {
		switch {
		case slices.ContainsFunc(in.mods, func(mod string) bool { return !slices.Contains(mods, mod) }):
			m.fail(errModifiers)
		case len(in.Args) != n && n != anyNumber:
			m.fail(errOperands)
		default:
			f(m, in)
		}
	}
}

// computes is an executor of instructions that give their first operand a word made of those of n others.
func computes(n int, f func(*Machine, *Instr, []Word) Word, mods ...string) executor {
	return takes(n+1, func(m *Machine, in *Instr) {
		m.set(in.Args[0], f(m, in, m.values(in.Args[1:])))
	}, mods...)
}

// neutral is for instructions that change nothing that is followed.
func neutral(*Machine, *Instr) {}

// barrierMove is BMOV into a barrier, which changes nothing that is followed.
func barrierMove(m *Machine, in *Instr) {
	if len(in.Args) != 2 || in.Args[0].Kind != sass.KindOther {
		m.fail(errOperands)
	}
}

// predicateOnly is for instructions whose destinations are predicates, which are
// not followed.
func predicateOnly(m *Machine, in *Instr) {
	if len(in.Args) < 2 || in.Args[0].Kind != sass.KindPred || in.Args[1].Kind != sass.KindPred {
		m.fail(errOperands)
		return
	}
	for _, o := range in.Args[:2] {
		delete(m.Carries, o.Name)
		delete(m.Virt, o.Name)
	}
}

// special is S2R: what a special register holds is not followed.
func special(m *Machine, in *Instr) {
	if len(in.Args) != 2 || in.Args[1].Kind != sass.KindOther {
		m.fail(errOperands)
		return
	}
	m.set(in.Args[0], m.Made())
}

var (
	errOperands  = fmt.Errorf("unknown operands")
	errModifiers = fmt.Errorf("unknown modifiers")
)

// fail notes why the instruction is not executed: it then sets nothing more.
func (m *Machine) fail(err error) { m.err = cmp.Or(m.err, err) }

// values returns those of source operands.
func (m *Machine) values(operands []sass.Operand) []Word {
	words := make([]Word, len(operands))
	for i, o := range operands {
		words[i] = m.value(o)
	}
	return words
}

func move(m *Machine, in *Instr) {
	switch n := len(in.Args); {
	case n < 2 || n > 2 && (n != 3 || in.Args[2] != sass.Imm(0xf)): // a third operand is the mask of bytes
		m.fail(errOperands)
	case !in.Has("64"):
		m.set(in.Args[0], m.value(in.Args[1]))
	default:
		words := m.pair(in.Args[1])
		m.set(in.Args[0], words[:]...)
	}
}

// pair returns the two words of a 64-bit source operand.
func (m *Machine) pair(o sass.Operand) [2]Word {
	switch {
	case !bare(o) || o.Suffix != "":
	case o.Kind == sass.KindImm:
		return [2]Word{ConstWord(uint32(o.Off)), ConstWord(uint32(o.Off >> 32))}
	case o.Kind == sass.KindRegister && o.Reg == sass.RZ, o.Kind == sass.KindUniform && o.Reg == sass.RZ:
		return [2]Word{ConstWord(0), ConstWord(0)}
	case o.Kind == sass.KindRegister && o.Reg < sass.RZ-1:
		return [2]Word{m.reg(o.Reg), m.reg(o.Reg + 1)}
	case o.Kind == sass.KindUniform && o.Reg < sass.RZ-1:
		return [2]Word{m.ureg(o.Reg), m.ureg(o.Reg + 1)}
	}
	m.fail(fmt.Errorf("unknown operand %s", o))
	return [2]Word{}
}

// zero is CS2R R2, SRZ.
func zero(m *Machine, in *Instr) {
	switch from := in.Args[1].Name; {
	case strings.HasPrefix(from, "SR_CLOCK") && m.sm < 70:
		m.set(in.Args[0], m.Made()) // one word there
	case from != "SRZ":
		m.fail(errOperands)
	case in.Has("32"):
		m.set(in.Args[0], ConstWord(0))
	default:
		m.set(in.Args[0], ConstWord(0), ConstWord(0))
	}
}

// multiplyAdd is IMAD as ptxas uses it for moves, shifts and sums.
func multiplyAdd(m *Machine, _ *Instr, w []Word) Word {
	product := m.Made()
	for i := range 2 {
		if v, ok := w[i].number(); ok && v == 0 {
			product = ConstWord(0)
		} else if ok && bits.OnesCount32(v) == 1 {
			product = m.shift(w[1-i], bits.TrailingZeros32(v))
		}
	}
	return m.Add(product, w[2])
}

// joinHalves is XMAD as ptxas uses it to put two halves into a word: the product
// of a half and 1 above (PSL) the lower half of the last operand (CLO). What that
// operand has above is seen not to count: it is left from the step before, or
// from another value.
func joinHalves(m *Machine, in *Instr) {
	if len(in.mods) != 2 {
		m.fail(errModifiers)
	}
	args := slices.Clone(in.Args)
	first := 0
	if args[1].Suffix == "H1" {
		args[1].Suffix, first = "", 2
	}
	w := m.values(args[1:])
	if factor, ok := w[1].number(); !ok || factor != 1 || w[0].Base != NoBase || w[2].Base != NoBase {
		m.fail(errOperands)
	}
	r := w[2]
	r.B[2], r.B[3] = w[0].B[first], w[0].B[first+1]
	m.set(in.Args[0], r)
}

// halves is HFMA2 as ptxas uses it for constants.
func halves(m *Machine, in *Instr) {
	for _, o := range in.Args[1:3] {
		if o.Kind != sass.KindRegister || o.Reg != sass.RZ {
			m.fail(errOperands)
		}
	}
	hi, err := half(in.Args[3].Name)
	m.fail(err)
	lo, err := half(in.Args[4].Name)
	m.fail(err)
	m.set(in.Args[0], ConstWord(uint32(hi)<<16|uint32(lo)))
}

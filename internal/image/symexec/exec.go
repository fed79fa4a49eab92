package symexec

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// An executor carries out one kind of instruction.
type executor func(*Machine, *Instr) error

// semantics are the instructions that the machine knows, by operation code
// without modifiers. Each executor refuses modifiers and operands that change
// the meaning in a way it does not follow.
var semantics = map[string]executor{
	"NOP": neutral, "PRET": neutral, "YIELD": neutral, "DEPBAR": neutral, "BMOV": barrierMove, "ISETP": predicateOnly,
	"S2R": special, "I2I": convert,
	"MOV": move, "MOV32I": move, "UMOV": move, "R2UR": move, "CS2R": zero,
	"IMAD": multiplyAdd, "UIMAD": multiplyAdd, "XMAD": joinHalves, "HFMA2": halves,
	"IADD": sum, "IADD3": sum, "IADD32I": sum, "VIADD": sum, "UIADD3": sum,
	"LOP": logic2, "LOP32I": logic2, "LOP3": logic3, "ULOP3": logic3,
	"PRMT": permute, "UPRMT": permute,
	"SHL": shiftLeft, "SHR": shiftRight, "USHF": funnel, "SHF": funnel,
	"BFE": extract, "BFI": insert, "SGXT": extend,
	"LDC": loadConst, "LDCU": loadConst, "ULDC": loadConst,
	"LDL": loadLocal, "STL": storeLocal,
	"LD": loadGlobal, "LDG": loadGlobal, "ST": storeGlobal, "STG": storeGlobal,
}

// neutral is for instructions that change nothing that is followed.
func neutral(*Machine, *Instr) error { return nil }

// barrierMove is BMOV into a barrier, which changes nothing that is followed.
func barrierMove(_ *Machine, in *Instr) error {
	if len(in.Args) != 2 || in.Args[0].Kind != sass.Other {
		return errOperands
	}
	return nil
}

// predicateOnly is for instructions whose destinations are predicates, which are
// not followed.
func predicateOnly(m *Machine, in *Instr) error {
	if len(in.Args) < 2 || in.Args[0].Kind != sass.Pred || in.Args[1].Kind != sass.Pred {
		return errOperands
	}
	for _, o := range in.Args[:2] {
		delete(m.Carries, o.Name)
		delete(m.Virt, o.Name)
	}
	return nil
}

// special is S2R: what a special register holds is not followed.
func special(m *Machine, in *Instr) error {
	if len(in.Args) != 2 || in.Args[1].Kind != sass.Other {
		return errOperands
	}
	return m.set(in.Args[0], 0, m.made())
}

var (
	errOperands  = fmt.Errorf("unknown operands")
	errModifiers = fmt.Errorf("unknown modifiers")
)

// onlyMods fails when an instruction has modifiers beside those given.
func (in *Instr) onlyMods(known ...string) error {
	for _, mod := range in.mods {
		if !slices.Contains(known, mod) {
			return errModifiers
		}
	}
	return nil
}

// operands is sources of an instruction that has no other modifiers than those.
func (m *Machine) operands(in *Instr, n int, mods ...string) ([]Word, error) {
	if err := in.onlyMods(mods...); err != nil {
		return nil, err
	}
	return m.sources(in, n)
}

// sources returns the values of the operands from the second on.
func (m *Machine) sources(in *Instr, n int) ([]Word, error) {
	if len(in.Args) != n+1 {
		return nil, errOperands
	}
	words := make([]Word, n)
	for i := range words {
		w, err := m.value(in.Args[i+1])
		if err != nil {
			return nil, err
		}
		words[i] = w
	}
	return words, nil
}

func move(m *Machine, in *Instr) error {
	if err := in.onlyMods("64", "SPILL", "FILL"); err != nil { // of uniform registers that are kept in others
		return err
	}
	if len(in.Args) < 2 {
		return errOperands
	}
	src := in.Args[1]
	if len(in.Args) > 2 && (len(in.Args) != 3 || in.Args[2] != sass.I(0xf)) {
		return errOperands // a third operand is the mask of bytes
	}
	if !in.Has("64") {
		w, err := m.value(src)
		if err != nil {
			return err
		}
		return m.set(in.Args[0], 0, w)
	}
	words, err := m.pair(src)
	if err != nil {
		return err
	}
	if err := m.set(in.Args[0], 0, words[0]); err != nil {
		return err
	}
	return m.set(in.Args[0], 1, words[1])
}

// pair returns the two words of a 64-bit source operand.
func (m *Machine) pair(o sass.Operand) ([2]Word, error) {
	switch {
	case !bare(o) || o.Suffix != "":
	case o.Kind == sass.Imm:
		return [2]Word{ConstWord(uint32(o.Off)), ConstWord(uint32(o.Off >> 32))}, nil
	case o.Kind == sass.Register && o.Reg == sass.RZ, o.Kind == sass.Uniform && o.Reg == sass.RZ:
		return [2]Word{ConstWord(0), ConstWord(0)}, nil
	case o.Kind == sass.Register && o.Reg < sass.RZ-1:
		return [2]Word{m.reg(o.Reg), m.reg(o.Reg + 1)}, nil
	case o.Kind == sass.Uniform && o.Reg < sass.RZ-1:
		return [2]Word{m.ureg(o.Reg), m.ureg(o.Reg + 1)}, nil
	}
	return [2]Word{}, fmt.Errorf("unknown operand %s", o)
}

// zero is CS2R R2, SRZ.
func zero(m *Machine, in *Instr) error {
	if err := in.onlyMods("32"); err != nil {
		return err
	}
	if len(in.Args) == 2 && strings.HasPrefix(in.Args[1].Name, "SR_CLOCK") && m.sm < 70 {
		return m.set(in.Args[0], 0, m.made()) // one word there
	}
	if len(in.Args) != 2 || in.Args[1].Name != "SRZ" {
		return errOperands
	}
	if !in.Has("32") {
		if err := m.set(in.Args[0], 1, ConstWord(0)); err != nil {
			return err
		}
	}
	return m.set(in.Args[0], 0, ConstWord(0))
}

// multiplyAdd is IMAD as ptxas uses it for moves, shifts and sums.
func multiplyAdd(m *Machine, in *Instr) error {
	w, err := m.operands(in, 3, "MOV", "SHL", "IADD", "U32")
	if err != nil {
		return err
	}
	product := m.made()
	for i := range 2 {
		if v, ok := w[i].number(); ok && v == 0 {
			product = ConstWord(0)
		} else if ok && bits.OnesCount32(v) == 1 {
			product = m.shift(w[1-i], bits.TrailingZeros32(v))
		}
	}
	return m.set(in.Args[0], 0, m.Add(product, w[2]))
}

// joinHalves is XMAD as ptxas uses it to put two halves into a word: the product
// of a half and 1 above (PSL) the lower half of the last operand (CLO). What that
// operand has above is seen not to count: it is left from the step before, or
// from another value.
func joinHalves(m *Machine, in *Instr) error {
	if err := in.onlyMods("PSL", "CLO"); err != nil || len(in.mods) != 2 {
		return errModifiers
	}
	if len(in.Args) != 4 {
		return errOperands
	}
	args := slices.Clone(in.Args)
	first := 0
	if args[1].Suffix == "H1" {
		args[1].Suffix, first = "", 2
	}
	w, err := m.sources(&Instr{Instr: &sass.Instr{Args: args}}, 3)
	if err != nil {
		return err
	}
	factor, ok := w[1].number()
	if !ok || factor != 1 || w[0].Base != NoBase || w[2].Base != NoBase {
		return errOperands
	}
	r := w[2]
	r.B[2], r.B[3] = w[0].B[first], w[0].B[first+1]
	return m.set(in.Args[0], 0, r)
}

// halves is HFMA2 as ptxas uses it for constants.
func halves(m *Machine, in *Instr) error {
	if err := in.onlyMods("MMA"); err != nil {
		return err
	}
	if len(in.Args) != 5 {
		return errOperands
	}
	for _, o := range in.Args[1:3] {
		if o.Kind != sass.Register || o.Reg != sass.RZ {
			return errOperands
		}
	}
	hi, err := half(in.Args[3].Name)
	if err != nil {
		return err
	}
	lo, err := half(in.Args[4].Name)
	if err != nil {
		return err
	}
	return m.set(in.Args[0], 0, ConstWord(uint32(hi)<<16|uint32(lo)))
}

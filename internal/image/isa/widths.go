package isa

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// modifierWords is of how many registers what a modifier speaks of is, where that is more than one.
var modifierWords = map[string]int{"64": 2, "F64": 2, "S64": 2, "U64": 2, "96": 3, "128": 4, "256": 8}

// writtenWords is how many registers an instruction writes from its destination
// on. It is exact if each of them is written for certain, and at least as many
// as there are otherwise.
func writtenWords(o *operation, op string, mods []string) (n int, exact bool) {
	rule := o.rule()
	switch {
	case rule == conversion:
		to, _ := converted(op, mods)
		return to, true
	case o.does(atomics):
		if n := dataWords(mods); n > 0 {
			return n, true
		}
		return 8, false
	case rule == matches || rule == funnel && !slices.Contains(mods, "64"):
		return 1, true
	case rule == twoWords || rule == twoResults || rule == clock && !slices.Contains(mods, "32"):
		return 2, true
	}
	n, exact = 1, true
	for _, m := range mods {
		switch words := modifierWords[m]; {
		case m == "WIDE":
			n, exact = max(n, 2), exact && rule == product
		case words == 2:
			n, exact = max(n, 2), exact && (rule == pairs || m == "64" && o.does(loads))
		case words > 2:
			n, exact = max(n, words, 4), exact && m != "96" && o.does(loads)
		}
	}
	return n, exact
}

// converted is of how many registers what a conversion makes is, and what it is
// made of. Formats that are not written have 32 bits; of two of one kind the
// first is what is made.
func converted(op string, mods []string) (to, from int) {
	to, from = 1, 1
	first := true
	for _, m := range mods {
		n := 1
		switch m {
		case "F64", "S64", "U64":
			n = 2
		case "F16", "F32", "BF16", "S8", "U8", "S16", "U16", "S32", "U32":
		default:
			continue
		}
		float := m[0] == 'F' || m[0] == 'B'
		switch strings.TrimPrefix(op, "U") {
		case "FRND":
			to, from = n, n
		case "F2I":
			if float {
				from = n
			} else {
				to = n
			}
		case "I2F":
			if float {
				to = n
			} else {
				from = n
			}
		default:
			if first {
				to = n
			} else {
				from = n
			}
		}
		first = false
	}
	return to, from
}

// dataWords is how many registers of data an access to memory has in one
// operand; 0: not known.
func dataWords(mods []string) int {
	n := 1
	for _, m := range mods {
		switch {
		case modifierWords[m] > 0:
			n = max(n, modifierWords[m])
		case m == "F32x2" || m == "F32x4":
			n = max(n, int(m[4]-'0'))
		case m != "F16x2" && (strings.Contains(m, "x") || strings.Contains(m, "_V")):
			return 0 // a vector of another kind
		}
	}
	if slices.Contains(mods, "ENL2") {
		return n / 2 // in two operands
	}
	return n
}

// Words returns the number of registers, or of words of the constant bank, that an
// instruction reads as operand j, on architecture sm, which is 90 for sm_90; 0 if it is
// not known.
func (op *Operation) Words(in *sass.Instr, j, sm int) int {
	name, mods, o := op.name, op.mods, op.row
	rule := o.rule()
	switch {
	case o == nil || rule == unmeasured:
		return 0
	case o.does(stores) || o.does(atomics):
		return op.data
	case rule == conversion:
		_, from := converted(name, mods)
		return from
	case rule == twoWords || rule == comparesTwo:
		return 2
	case rule == funnel && !slices.Contains(mods, "64"):
		return 1
	case rule == product:
		if j == addend(in) && (slices.Contains(mods, "WIDE") || sm >= 70 && slices.Contains(mods, "HI")) {
			return 2
		}
		return 1
	case op.wide && (rule == pairs && !slices.Contains(mods, "128") || rule == matches):
		return 2
	case op.wide:
		return 0
	}
	return 1
}

// addend is the last operand that is not a predicate.
func addend(in *sass.Instr) int {
	j := len(in.Args) - 1
	for j >= 0 && in.Args[j].Kind == sass.KindPred {
		j--
	}
	return j
}

// Stored returns the first register of the data of a store of whole words, the operand
// after the address; RZ if there is none. A predicate may stand after it.
func (op *Operation) Stored(in *sass.Instr) sass.Reg {
	after := false
	for i := range in.Args {
		o := &in.Args[i]
		switch {
		case o.Kind == sass.KindMem || o.Kind == sass.KindAddress:
			after = true
		case after && o.Kind == sass.KindRegister && op.data == op.access/4:
			return o.Reg
		case after:
			return sass.RZ
		}
	}
	return sass.RZ
}

// AddressWords returns the number of registers that the address in operand o takes, on
// architecture sm, which is 90 for sm_90; 0 if it is not known.
func (op *Operation) AddressWords(o sass.Operand, sm int) int {
	switch {
	case o.Suffix == "64":
		return 2
	case o.Suffix != "" || !slices.Contains(op.mods, "E"):
		return 1
	case o.Kind == sass.KindMem && (sm < 80 || op.row.does(atomics)): // sm_80 and later write .64 for all others
		return 2
	case op.name == "LDGSTS": // in shared memory
		return 1
	}
	return 0
}

package sassverify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// barriers is how many there are.
const barriers = 16

// words returns how many registers a slot of an operation takes.
func words(op string, slot string, sm int) int {
	switch {
	case slot != "d" && slot != "s":
		return 1
	case strings.HasSuffix(op, ".64"), op == "RET.ABS.NODEC", op == "CALL.ABS.NOINC" && sm < 90:
		return 2
	case strings.HasSuffix(op, ".128"):
		return 4
	}
	return 1
}

// A kind is a kind of operands.
type kind struct {
	name string
	has  func(o *sass.Operand) bool
}

// kinds are the kinds of operands, by the slot that stands for each.
var kinds = map[string]kind{
	"d":        {"register to write", func(o *sass.Operand) bool { return isRegister(o) && !isZero(o) }},
	"s":        {"register", isRegister},
	"u":        {"register", isRegister},
	"t":        {"register and no immediate", func(o *sass.Operand) bool { return isRegister(o) || o.Kind == sass.KindImm }},
	"i":        {"immediate", anyOf(sass.KindImm, sass.KindLo32, sass.KindHi32)},
	"RZ":       {"RZ", isZero},
	"[a]":      {"address in local memory", anyOf(sass.KindMem)},
	"c[b][o]":  {"constant", anyOf(sass.KindConst, sass.KindConstReg)},
	"ur":       {"uniform register", func(o *sass.Operand) bool { return o.Kind == sass.KindUniform && o.Reg != sass.RZ }},
	"B":        {"barrier", isBarrier},
	"P":        {"predicate", func(o *sass.Operand) bool { return o.Kind == sass.KindPred && !o.Neg }},
	"!P":       {"negated predicate", func(o *sass.Operand) bool { return o.Kind == sass.KindPred && o.Neg }},
	"PT":       {"PT", func(o *sass.Operand) bool { return *o == sass.Pred("PT") }},
	"!PT":      {"!PT", func(o *sass.Operand) bool { return *o == sass.Pred("PT").Negated() }},
	"0x0":      {"0x0", func(o *sass.Operand) bool { return *o == sass.Imm(0) }},
	"`(label)": {"symbol", isSymbol},
	"`(f)":     {"symbol", isSymbol},
}

var isRegister = anyOf(sass.KindRegister, sass.KindVirtual)

func anyOf(list ...sass.OperandKind) func(o *sass.Operand) bool {
	return func(o *sass.Operand) bool { return slices.Contains(list, o.Kind) }
}

func isZero(o *sass.Operand) bool { return o.Kind == sass.KindRegister && o.Reg == sass.RZ }

func isSymbol(o *sass.Operand) bool { return o.Kind == sass.KindSymbol && o.Name != "" }

func isBarrier(o *sass.Operand) bool {
	digits, ok := strings.CutPrefix(o.Name, "B")
	n, err := strconv.Atoi(digits)
	return o.Kind == sass.KindOther && ok && err == nil && 0 <= n && n < barriers
}

// fits returns why an operand does not fit in a slot; "" if it does. An operand of the right kind with a wrong value is
// for [verifier.operand].
func fits(slot string, o *sass.Operand) string {
	k, ok := kinds[slot]
	if !ok { // a symbol of that name
		k = kind{slot, func(o *sass.Operand) bool { return o.Kind == sass.KindSymbol && slot == "`("+o.Name+")" }}
	}
	if k.has(o) {
		return ""
	}
	return "is no " + k.name
}

package sassverify

import (
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

// fits returns what is wrong with an operand in a slot; "" if it fits. An
// operand that is in its place but wrong in itself is for [verifier.operands].
func fits(slot string, o *sass.Operand) string {
	is := func(ok bool, want string) string {
		if ok {
			return ""
		}
		return "is no " + want
	}
	reg := o.Kind == sass.KindRegister || o.Kind == sass.KindVirtual
	switch slot {
	case "d":
		return is(reg && (o.Kind != sass.KindRegister || o.Reg != sass.RZ), "register to write")
	case "s", "u":
		return is(reg, "register")
	case "t":
		return is(reg || o.Kind == sass.KindImm, "register and no immediate")
	case "i":
		return is(o.Kind == sass.KindImm || o.Kind == sass.KindLo32 || o.Kind == sass.KindHi32, "immediate")
	case "RZ":
		return is(o.Kind == sass.KindRegister && o.Reg == sass.RZ, "RZ")
	case "[a]":
		return is(o.Kind == sass.KindMem, "address in local memory")
	case "c[b][o]":
		return is(o.Kind == sass.KindConst || o.Kind == sass.KindConstReg, "constant")
	case "ur":
		return is(o.Kind == sass.KindUniform && o.Reg != sass.RZ, "uniform register")
	case "B":
		digits, ok := strings.CutPrefix(o.Name, "B")
		n, err := strconv.Atoi(digits)
		return is(o.Kind == sass.KindOther && ok && err == nil && 0 <= n && n < barriers, "barrier")
	case "P":
		return is(o.Kind == sass.KindPred && !o.Neg, "predicate")
	case "!P":
		return is(o.Kind == sass.KindPred && o.Neg, "negated predicate")
	case "PT":
		return is(*o == sass.Pred("PT"), "PT")
	case "!PT":
		return is(*o == sass.Pred("PT").Negated(), "!PT")
	case "0x0":
		return is(*o == sass.Imm(0), "0x0")
	case "`(label)", "`(f)":
		return is(o.Kind == sass.KindSymbol && o.Name != "", "symbol")
	}
	return is(o.Kind == sass.KindSymbol && slot == "`("+o.Name+")", slot)
}

package sass

import (
	"strconv"
	"strings"
)

// A form is a way to write a mnemonic, as a line of the package's documentation
// has it; a test holds the two against each other.
type form struct {
	op   string
	args string // the operands' slots, separated by ", "
	on   string // the architectures that have it
}

// vocabulary is the table of the package's documentation. It is never written.
var vocabulary = [...]form{
	{"MOV", "d, s", "all"},
	{"MOV", "d, c[b][o]", "to sm_89"},
	{"MOV", "d, i", "from sm_70"},
	{"MOV32I", "d, i", "to sm_62"},
	{"PRMT", "d, s, i, u", "all"},
	{"IADD3", "d, s, t, u", "sm_70 to sm_90"},
	{"IADD3", "d, PT, PT, s, t, u", "from sm_100, but sm_107"},
	{"IADD3", "d, P, s, t, u", "sm_70 to sm_90"},
	{"IADD3", "d, P, PT, s, t, u", "from sm_100, but sm_107"},
	{"IADD3.X", "d, s, t, u, P, !PT", "sm_70 to sm_90"},
	{"IADD3.X", "d, PT, PT, s, t, u, P, !PT", "from sm_100, but sm_107"},
	{"IADD32I", "d, s, i", "to sm_62"},
	{"IADD", "d, s, t", "to sm_62, sm_107, from sm_120"},
	{"LOP3.LUT", "d, s, t, u, i, !PT", "from sm_70"},
	{"LOP3.LUT", "d, s, t, u, i", "sm_50 to sm_62"},
	{"LOP32I.AND", "d, s, i", "to sm_62"},
	{"LOP.OR", "d, s, t", "to sm_53"},
	{"SHF.L.U32", "d, s, i, RZ", "from sm_70"},
	{"SHF.R.U32.HI", "d, RZ, i, s", "from sm_70"},
	{"SHF.R.S32.HI", "d, RZ, i, s", "from sm_70"},
	{"SHL", "d, s, i", "to sm_62"},
	{"SHR.U32", "d, s, i", "to sm_62"},
	{"SHR", "d, s, i", "to sm_62"},
	{"LDC", "d, c[b][o]", "all"},
	{"LDC.U8", "d, c[b][o]", "all"},
	{"LDC.S8", "d, c[b][o]", "all"},
	{"LDC.U16", "d, c[b][o]", "all"},
	{"LDC.S16", "d, c[b][o]", "all"},
	{"LDC.64", "d, c[b][o]", "all"},
	{"LDL", "d, [a]", "all"},
	{"LDL.U8", "d, [a]", "all"},
	{"LDL.S8", "d, [a]", "all"},
	{"LDL.U16", "d, [a]", "all"},
	{"LDL.S16", "d, [a]", "all"},
	{"LDL.64", "d, [a]", "all"},
	{"LDL.128", "d, [a]", "all"},
	{"STL", "[a], s", "all"},
	{"STL.U8", "[a], s", "all"},
	{"STL.U16", "[a], s", "all"},
	{"STL.64", "[a], s", "all"},
	{"STL.128", "[a], s", "all"},
	{"SEL", "d, s, i, !P", "all"},
	{"ISETP.NE.AND", "P, PT, s, t, PT", "all"},
	{"ISETP.NE.U32.AND", "P, PT, RZ, ur, PT", "sm_87"},
	{"BMOV.32", "B, i", "sm_87"},
	{"BMOV.32.CLEAR", "B, B", "sm_87"},
	{"UMOV", "ur, i", "sm_87"},
	{"BRA", "`(label)", "all"},
	{"CALL.ABS.NOINC", "`(f)", "from sm_70"},
	{"CALL.ABS.NOINC", "s", "sm_70 to sm_89"},
	{"CALL.ABS.NOINC", "s `(__UFT_OFFSET)", "from sm_90"},
	{"CALL.REL.NOINC", "`(f)", "from sm_70"},
	{"RET.ABS.NODEC", "s 0x0", "from sm_70"},
	{"JCAL", "`(f)", "to sm_62"},
	{"CAL", "`(f)", "to sm_62"},
	{"PRET", "`(label)", "to sm_62"},
	{"JMX", "s", "to sm_62"},
	{"RET", "", "to sm_62"},
	{"EXIT", "", "all"},
}

// barriers is how many there are.
const barriers = 16

// slots returns the operands' slots.
func (f *form) slots() []string {
	return strings.FieldsFunc(f.args, func(r rune) bool { return r == ',' || r == ' ' })
}

// exists reports whether architecture sm has the form.
func (f *form) exists(sm int) bool {
	number := func(s string) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(s, "sm_"))
		return n
	}
	has := false
	for _, part := range strings.Split(f.on, ", ") {
		w := strings.Fields(part)
		switch {
		case part == "all":
			has = true
		case w[0] == "to":
			has = has || sm <= number(w[1])
		case w[0] == "from":
			has = has || sm >= number(w[1])
		case w[0] == "but":
			has = has && sm != number(w[1])
		case len(w) == 3: // sm_70 to sm_90
			has = has || number(w[0]) <= sm && sm <= number(w[2])
		default:
			has = has || sm == number(w[0])
		}
	}
	return has
}

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
// operand that is in its place but wrong in itself is for [verifier.operand].
func fits(slot string, o *Operand) string {
	is := func(ok bool, want string) string {
		if ok {
			return ""
		}
		return "is no " + want
	}
	reg := o.Kind == Register || o.Kind == Virtual
	switch slot {
	case "d":
		return is(reg && (o.Kind != Register || o.Reg != RZ), "register to write")
	case "s", "u":
		return is(reg, "register")
	case "t":
		return is(reg || o.Kind == Imm, "register and no immediate")
	case "i":
		return is(o.Kind == Imm || o.Kind == Lo32 || o.Kind == Hi32, "immediate")
	case "RZ":
		return is(o.Kind == Register && o.Reg == RZ, "RZ")
	case "[a]":
		return is(o.Kind == Mem, "address in local memory")
	case "c[b][o]":
		return is(o.Kind == Const || o.Kind == ConstReg, "constant")
	case "ur":
		return is(o.Kind == Uniform && o.Reg != RZ, "uniform register")
	case "B":
		n, ok := registerNumber(o.Name, "B")
		return is(o.Kind == Other && ok && n < barriers, "barrier")
	case "P":
		return is(o.Kind == Pred && !o.Neg, "predicate")
	case "!P":
		return is(o.Kind == Pred && o.Neg, "negated predicate")
	case "PT":
		return is(*o == P("PT"), "PT")
	case "!PT":
		return is(*o == P("PT").Negated(), "!PT")
	case "0x0":
		return is(*o == I(0), "0x0")
	case "`(label)", "`(f)":
		return is(o.Kind == Symbol && o.Name != "", "symbol")
	}
	return is(o.Kind == Symbol && slot == "`("+o.Name+")", slot)
}

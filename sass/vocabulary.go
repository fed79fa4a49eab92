package sass

import (
	"strconv"
	"strings"
)

// A form is a way to write a mnemonic. docs/sass.md is made of them.
type form struct {
	op    string
	args  string // the operands' slots, separated by ", "
	on    string // the architectures that have it
	means string // of the form before, where it says "likewise"
}

// vocabulary is what pseudo-SASS has. Every form was seen in nvdisasm's output for code of
// our own, compiled by ptxas 11.8 (sm_35), 12.4 (sm_50 to sm_90), 12.9 (sm_100, sm_120)
// and 13.5 (sm_107). It is never written.
var vocabulary = [...]form{
	{"MOV", "d, s", "all", "d = s"},
	{"MOV", "d, c[b][o]", "to sm_89", "d = the word at c[b][o]"},
	{"MOV", "d, i", "from sm_70", "d = i"},
	{"MOV32I", "d, i", "to sm_62", "d = i"},
	{"PRMT", "d, s, i, u", "all", "d = four bytes chosen out of u:s"},
	{"IADD3", "d, s, t, u", "sm_70 to sm_90", "d = s + t + u"},
	{"IADD3", "d, PT, PT, s, t, u", "from sm_100, but sm_107", "likewise"},
	{"IADD3", "d, P, s, t, u", "sm_70 to sm_90", "likewise, P = the carry"},
	{"IADD3", "d, P, PT, s, t, u", "from sm_100, but sm_107", "likewise"},
	{"IADD3.X", "d, s, t, u, P, !PT", "sm_70 to sm_90", "d = s + t + u + P"},
	{"IADD3.X", "d, PT, PT, s, t, u, P, !PT", "from sm_100, but sm_107", "likewise"},
	{"IADD32I", "d, s, i", "to sm_62", "d = s + i"},
	{"IADD", "d, s, t", "to sm_62, sm_107, from sm_120", "d = s + t"},
	{"LOP3.LUT", "d, s, t, u, i, !PT", "from sm_70", "d = bitwise function i of s, t and u"},
	{"LOP3.LUT", "d, s, t, u, i", "sm_50 to sm_62", "likewise"},
	{"LOP32I.AND", "d, s, i", "to sm_62", "d = s & i"},
	{"LOP.OR", "d, s, t", "to sm_53", "d = s | t"},
	{"SHF.L.U32", "d, s, i, RZ", "from sm_70", "d = s << i"},
	{"SHF.R.U32.HI", "d, RZ, i, s", "from sm_70", "d = s >> i, zeros shifted in"},
	{"SHF.R.S32.HI", "d, RZ, i, s", "from sm_70", "d = s >> i, the sign shifted in"},
	{"SHL", "d, s, i", "to sm_62", "d = s << i"},
	{"SHR.U32", "d, s, i", "to sm_62", "d = s >> i, zeros shifted in"},
	{"SHR", "d, s, i", "to sm_62", "d = s >> i, the sign shifted in"},
	{"LDC", "d, c[b][o]", "all", "d = the word at c[b][o]"},
	{"LDC.U8", "d, c[b][o]", "all", "d = that byte or half, extended"},
	{"LDC.S8", "d, c[b][o]", "all", "d = that byte or half, extended"},
	{"LDC.U16", "d, c[b][o]", "all", "d = that byte or half, extended"},
	{"LDC.S16", "d, c[b][o]", "all", "d = that byte or half, extended"},
	{"LDC.64", "d, c[b][o]", "all", "d, d+1 = the two words at c[b][o]"},
	{"LDL", "d, [a]", "all", "d = the word at a"},
	{"LDL.U8", "d, [a]", "all", "d = that byte or half, extended"},
	{"LDL.S8", "d, [a]", "all", "d = that byte or half, extended"},
	{"LDL.U16", "d, [a]", "all", "d = that byte or half, extended"},
	{"LDL.S16", "d, [a]", "all", "d = that byte or half, extended"},
	{"LDL.64", "d, [a]", "all", "d, d+1 (to d+3) = the words at a"},
	{"LDL.128", "d, [a]", "all", "d, d+1 (to d+3) = the words at a"},
	{"STL", "[a], s", "all", "the word at a = s"},
	{"STL.U8", "[a], s", "all", "the byte or half at a = the low bits of s"},
	{"STL.U16", "[a], s", "all", "the byte or half at a = the low bits of s"},
	{"STL.64", "[a], s", "all", "the words at a = s, s+1 (to s+3)"},
	{"STL.128", "[a], s", "all", "the words at a = s, s+1 (to s+3)"},
	{"SEL", "d, s, i, !P", "all", "d = s if P is false, else i"},
	{"ISETP.NE.AND", "P, PT, s, t, PT", "all", "P = s differs from t"},
	{"ISETP.NE.U32.AND", "P, PT, RZ, ur, PT", "sm_87", "P = the uniform register differs from 0"},
	{"BMOV.32", "B, i", "sm_87", "the barrier = i"},
	{"BMOV.32.CLEAR", "B, B", "sm_87", "the first = the second, which becomes 0"},
	{"UMOV", "ur, i", "sm_87", "the uniform register = i"},
	{"BRA", "`(label)", "all", "go on at the label"},
	{"CALL.ABS.NOINC", "`(f)", "from sm_70", "go on at f; writes no register"},
	{"CALL.ABS.NOINC", "s", "sm_70 to sm_89", "go on at the address in s, s+1"},
	{"CALL.ABS.NOINC", "s `(__UFT_OFFSET)", "from sm_90", "go on at that entry of the function table"},
	{"CALL.REL.NOINC", "`(f)", "from sm_70", "a function calls itself"},
	{"RET.ABS.NODEC", "s 0x0", "from sm_70", "return to the address in s, s+1"},
	{"JCAL", "`(f)", "to sm_62", "push the return address, go on at f"},
	{"CAL", "`(f)", "to sm_62", "a function calls itself, likewise"},
	{"PRET", "`(label)", "to sm_62", "push the address of the label"},
	{"JMX", "s", "to sm_62", "go on at the address in s"},
	{"RET", "", "to sm_62", "pop the return address and go on there"},
	{"EXIT", "", "all", "the thread ends"},
}

// Mnemonics returns the mnemonics of pseudo-SASS, in the order of docs/sass.md.
func Mnemonics() []string {
	var list []string
	for i := range vocabulary {
		if i == 0 || vocabulary[i].op != vocabulary[i-1].op {
			list = append(list, vocabulary[i].op)
		}
	}
	return list
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

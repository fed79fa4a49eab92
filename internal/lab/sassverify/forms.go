package sassverify

import (
	"strconv"
	"strings"
)

// A form is one form of an instruction of pseudo-SASS: a mnemonic with its operands.
// testdata/forms.md lists them.
type form struct {
	Op string // "IADD3.X"
	// Args are the operands, with commas between them: d, s and u are registers, t is one or
	// an immediate, i an immediate, P a predicate, B a barrier, ur a uniform register, [a] an address
	// in local memory, c[b][o] a constant; all else is as it stands.
	Args  string
	On    string // the architectures that have it: "to sm_62, sm_107, from sm_120"
	Means string // what it does: "d = s + t"
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
	{"IADD3", "d, PT, PT, s, t, u", "from sm_100, not sm_107", "d = s + t + u"},
	{"IADD3", "d, P, s, t, u", "sm_70 to sm_90", "d = s + t + u, P = the carry"},
	{"IADD3", "d, P, PT, s, t, u", "from sm_100, not sm_107", "d = s + t + u, P = the carry"},
	{"IADD3.X", "d, s, t, u, P, !PT", "sm_70 to sm_90", "d = s + t + u + P"},
	{"IADD3.X", "d, PT, PT, s, t, u, P, !PT", "from sm_100, not sm_107", "d = s + t + u + P"},
	{"IADD32I", "d, s, i", "to sm_62", "d = s + i"},
	{"IADD", "d, s, t", "to sm_62, sm_107, from sm_120", "d = s + t"},
	{"LOP3.LUT", "d, s, t, u, i, !PT", "from sm_70", "d = bitwise function i of s, t and u"},
	{"LOP3.LUT", "d, s, t, u, i", "sm_50 to sm_62", "d = bitwise function i of s, t and u"},
	{"LOP32I.AND", "d, s, i", "to sm_62", "d = s & i"},
	{"LOP.OR", "d, s, t", "to sm_53", "d = s | t"},
	{"SHF.L.U32", "d, s, i, RZ", "from sm_70", "d = s << i"},
	{"SHF.R.U32.HI", "d, RZ, i, s", "from sm_70", "d = s >> i, zeros shifted in"},
	{"SHF.R.S32.HI", "d, RZ, i, s", "from sm_70", "d = s >> i, the sign shifted in"},
	{"SHL", "d, s, i", "to sm_62", "d = s << i"},
	{"SHR.U32", "d, s, i", "to sm_62", "d = s >> i, zeros shifted in"},
	{"SHR", "d, s, i", "to sm_62", "d = s >> i, the sign shifted in"},
	{"LDC", "d, c[b][o]", "all", "d = the word at c[b][o]"},
	{"LDC.U8", "d, c[b][o]", "all", "d = the byte at c[b][o], zero-extended"},
	{"LDC.S8", "d, c[b][o]", "all", "d = the byte at c[b][o], sign-extended"},
	{"LDC.U16", "d, c[b][o]", "all", "d = the two bytes at c[b][o], zero-extended"},
	{"LDC.S16", "d, c[b][o]", "all", "d = the two bytes at c[b][o], sign-extended"},
	{"LDC.64", "d, c[b][o]", "all", "d, d+1 = the two words at c[b][o]"},
	{"LDL", "d, [a]", "all", "d = the word at a"},
	{"LDL.U8", "d, [a]", "all", "d = the byte at a, zero-extended"},
	{"LDL.S8", "d, [a]", "all", "d = the byte at a, sign-extended"},
	{"LDL.U16", "d, [a]", "all", "d = the two bytes at a, zero-extended"},
	{"LDL.S16", "d, [a]", "all", "d = the two bytes at a, sign-extended"},
	{"LDL.64", "d, [a]", "all", "d, d+1 = the two words at a"},
	{"LDL.128", "d, [a]", "all", "d to d+3 = the four words at a"},
	{"STL", "[a], s", "all", "the word at a = s"},
	{"STL.U8", "[a], s", "all", "the byte at a = the low byte of s"},
	{"STL.U16", "[a], s", "all", "the two bytes at a = the low two bytes of s"},
	{"STL.64", "[a], s", "all", "the two words at a = s, s+1"},
	{"STL.128", "[a], s", "all", "the four words at a = s to s+3"},
	{"SEL", "d, s, i, !P", "all", "d = s if P is false, else i"},
	{"ISETP.NE.AND", "P, PT, s, t, PT", "all", "P is true if s differs from t"},
	{"ISETP.NE.U32.AND", "P, PT, RZ, ur, PT", "sm_87", "P is true if ur differs from 0"},
	{"BMOV.32", "B, i", "sm_87", "B = i"},
	{"BMOV.32.CLEAR", "B, B", "sm_87", "the first B = the second, which becomes 0"},
	{"UMOV", "ur, i", "sm_87", "ur = i"},
	{"BRA", "`(label)", "all", "jump to the label"},
	{"CALL.ABS.NOINC", "`(f)", "from sm_70", "call f; writes no register"},
	{"CALL.ABS.NOINC", "s", "sm_70 to sm_89", "call the function at the address in s, s+1"},
	{"CALL.ABS.NOINC", "s `(__UFT_OFFSET)", "from sm_90", "call through entry s, s+1 of the table of functions"},
	{"CALL.REL.NOINC", "`(f)", "from sm_70", "a call of the enclosing function itself"},
	{"RET.ABS.NODEC", "s 0x0", "from sm_70", "return to the address in s, s+1"},
	{"JCAL", "`(f)", "to sm_62", "push the return address, jump to f"},
	{"CAL", "`(f)", "to sm_62", "the same for the enclosing function itself"},
	{"PRET", "`(label)", "to sm_62", "push the address of the label"},
	{"JMX", "s", "to sm_62", "jump to the address in s"},
	{"RET", "", "to sm_62", "pop the return address and jump to it"},
	{"EXIT", "", "all", "the thread ends"},
}

// Mnemonics returns the mnemonics of pseudo-SASS, in the order of testdata/forms.md.
func Mnemonics() []string {
	var list []string
	for i := range vocabulary {
		if i == 0 || vocabulary[i].Op != vocabulary[i-1].Op {
			list = append(list, vocabulary[i].Op)
		}
	}
	return list
}

// slots returns the operands one by one.
func (f *form) slots() []string {
	return strings.FieldsFunc(f.Args, func(r rune) bool { return r == ',' || r == ' ' })
}

// exists reports whether an architecture has the form: 90 is sm_90.
func (f *form) exists(sm int) bool {
	number := func(s string) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(s, "sm_"))
		return n
	}
	has := false
	for _, part := range strings.Split(f.On, ", ") {
		w := strings.Fields(part)
		switch {
		case part == "all":
			has = true
		case w[0] == "to":
			has = has || sm <= number(w[1])
		case w[0] == "from":
			has = has || sm >= number(w[1])
		case w[0] == "not":
			has = has && sm != number(w[1])
		case len(w) == 3: // sm_70 to sm_90
			has = has || number(w[0]) <= sm && sm <= number(w[2])
		default:
			has = has || sm == number(w[0])
		}
	}
	return has
}

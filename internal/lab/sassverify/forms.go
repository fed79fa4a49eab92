package sassverify

import (
	_ "embed"
	"strconv"
	"strings"
)

// A form is one form of an instruction of pseudo-SASS: a mnemonic with its operands.
type form struct {
	Op string // "IADD3.X"
	// Args are the operands, with commas between them: d, s and u are registers, t is one or
	// an immediate, i an immediate, P a predicate, B a barrier, ur a uniform register, [a] an address
	// in local memory, c[b][o] a constant; all else is as it stands.
	Args string
	On   string // the architectures that have it: "to sm_62, sm_107, from sm_120"
}

//go:embed testdata/forms.md
var formTable string

// vocabulary is what pseudo-SASS has: the rows of testdata/forms.md. Every form was seen in nvdisasm's
// output for code of our own, compiled by ptxas 11.8 (sm_35), 12.4 (sm_50 to sm_90), 12.9 (sm_100, sm_120)
// and 13.5 (sm_107). It is never written.
var vocabulary = func() (list []form) {
	code := func(cell string) string {
		if inner, ok := strings.CutPrefix(cell, "`` "); ok {
			return strings.TrimSuffix(inner, " ``")
		}
		return strings.Trim(cell, "`")
	}
	for line := range strings.Lines(formTable) {
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		if len(cells) == 4 && cells[0][0] == '`' {
			list = append(list, form{Op: code(cells[0]), Args: code(cells[1]), On: cells[3]})
		}
	}
	return list
}()

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

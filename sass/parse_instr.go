package sass

import (
	"strconv"
	"strings"
)

// A lineParser reads the instruction in a line.
type lineParser struct {
	*parser
	s   string // the line up to the instruction's end
	off int    // the offset of the next byte to read
	// machine says that the line is a disassembler's: no name in it is a virtual
	// register.
	machine bool
}

// address reads the address before an instruction, /*0018*/, if there is one.
func (l *lineParser) address(in *Instr) bool {
	rest, ok := strings.CutPrefix(l.s[l.off:], "/*")
	if !ok {
		return true
	}
	digits, rest, ok := strings.Cut(rest, "*/")
	addr, err := strconv.ParseInt(digits, 16, 64)
	if !ok || err != nil || addr < 0 || digits[0] == '+' {
		l.errorf(l.off, "expected an address such as /*0018*/")
		return false
	}
	in.Addr, in.HasAddr = addr, true
	l.machine = true
	if strings.HasSuffix(strings.TrimRight(l.s, blanks), "*/") {
		if i := strings.LastIndex(l.s, "/* 0x"); i >= 0 {
			l.s, rest = l.s[:i], l.s[len(l.s)-len(rest):i] // the encoding follows
		}
	}
	l.off = len(l.s) - len(strings.TrimLeft(rest, blanks))
	return true
}

// instr reads the instruction after its address.
func (l *lineParser) instr(in *Instr) bool {
	if !l.ending(in) {
		return false
	}
	if strings.HasPrefix(l.s[l.off:], "{") {
		if in.Pair == Second {
			l.errorf(l.off, "the first instruction of a pair ends in }")
			return false
		}
		in.Pair = First
		l.off++
		l.skip()
	}
	start := l.off
	in.Pos = l.pos(start)
	if strings.HasPrefix(l.s[l.off:], "@") {
		in.Guard = l.word()
		l.skip()
	}
	op := l.word()
	switch {
	case op == "" || in.Guard != "" && strings.TrimLeft(in.Guard, "@!") == "":
		l.errorf(start, "expected a guard such as @!P0, if any, and an operation")
		return false
	case op[0] >= 'A' && op[0] <= 'Z':
		in.Op = op
		return l.operands(in)
	case l.machine:
		l.errorf(l.off-len(op), "expected an operation, in capital letters")
		return false
	}
	in.Guard, in.Text = "", l.s[start:]
	return true
}

// ending cuts the line at the semicolon, or at the brace that ends a pair, and
// sets the note to the comment after it. Text of PTX may have semicolons and braces too: the end is the first of them
// with nothing but a comment after it.
func (l *lineParser) ending(in *Instr) bool {
	for i := l.off; i < len(l.s); i++ {
		if l.s[i] != ';' && l.s[i] != '}' {
			continue
		}
		note := strings.TrimLeft(l.s[i+1:], blanks)
		if note != "" && !strings.HasPrefix(note, "//") {
			continue
		}
		if l.s[i] == '}' {
			in.Pair = Second
		}
		in.Note = strings.TrimPrefix(strings.TrimPrefix(note, "//"), " ")
		l.s = l.s[:i]
		if l.machine {
			l.s = strings.TrimRight(l.s, blanks)
		} else {
			l.s = strings.TrimSuffix(l.s, " ")
		}
		l.off = min(l.off, len(l.s))
		return true
	}
	l.errorf(len(strings.TrimRight(l.s, blanks)), "expected ; at the end of the instruction")
	return false
}

// skip moves after blanks.
func (l *lineParser) skip() {
	for l.off < len(l.s) && (l.s[l.off] == ' ' || l.s[l.off] == '\t') {
		l.off++
	}
}

// word reads up to the next blank.
func (l *lineParser) word() string {
	start := l.off
	for l.off < len(l.s) && l.s[l.off] != ' ' && l.s[l.off] != '\t' {
		l.off++
	}
	return l.s[start:l.off]
}

// operands reads the rest of the line: operands, which commas or blanks
// outside of brackets separate, and the remark on a relocation.
func (l *lineParser) operands(in *Instr) bool {
	if i := strings.Index(l.s[l.off:], "(*"); i >= 0 {
		remark, ok := strings.CutSuffix(strings.TrimRight(l.s[l.off+i+2:], blanks), "*)")
		if !ok {
			l.errorf(l.off+i, "expected *) at the end of the remark")
			return false
		}
		in.Remark = strings.Trim(remark, `"`)
		l.s = strings.TrimRight(l.s[:l.off+i], blanks)
	}
	name, _, _ := strings.Cut(in.Op, ".")
	var list []Operand
	if l.off < len(l.s) {
		list = make([]Operand, 0, strings.Count(l.s[l.off:], ",")+1)
	}
	for comma := false; ; {
		l.skip()
		if l.off == len(l.s) {
			if comma {
				l.errorf(l.off, "expected an operand after the comma")
			}
			in.Args = list
			return !comma
		}
		start := l.off
		if !l.operand() {
			return false
		}
		if start == l.off {
			l.errorf(l.off, "expected an operand before the comma")
			return false
		}
		list = append(list, parseOperand(l.s[start:l.off], l.machine, isPredicate(name, len(list))))
		l.skip()
		comma = l.off < len(l.s) && l.s[l.off] == ','
		if comma {
			l.off++
		}
	}
}

// operand moves after an operand. Brackets in it have to be in pairs.
func (l *lineParser) operand() bool {
	var few [8]int
	open := few[:0] // the offsets of the open brackets
	for ; l.off < len(l.s); l.off++ {
		c := l.s[l.off]
		switch c {
		case '[', '(':
			open = append(open, l.off)
		case ']', ')':
			if len(open) == 0 || l.s[open[len(open)-1]] != opening(c) {
				l.errorf(l.off, "%c without %c before it", c, opening(c))
				return false
			}
			open = open[:len(open)-1]
		case ',', ' ', '\t':
			if len(open) == 0 {
				return true
			}
		}
	}
	if len(open) > 0 {
		l.errorf(open[len(open)-1], "%c is not closed", l.s[open[len(open)-1]])
		return false
	}
	return true
}

func opening(closing byte) byte {
	if closing == ']' {
		return '['
	}
	return '('
}

// isPredicate reports whether operand i of an operation of pseudo-SASS, without its
// modifiers, is a predicate, whatever its name is.
func isPredicate(op string, i int) bool {
	return op == "ISETP" && (i < 2 || i == 4) || op == "SEL" && i == 3
}

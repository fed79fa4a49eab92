package lower

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// isStackOp reports whether in moves the stack pointer or asks for it.
func isStackOp(in *ptx.Instr) bool {
	op, _, _ := strings.Cut(in.Op, ".")
	return op == "alloca" || op == "stacksave" || op == "stackrestore"
}

func isReturn(in *ptx.Instr) bool { return in.Op == "ret" || in.Op == "ret.uni" }

func isExit(in *ptx.Instr) bool { return in.Op == "exit" }

// isBranch reports whether control does not go on behind in.
func isBranch(in *ptx.Instr) bool {
	switch in.Op {
	case "bra", "bra.uni", "ret", "ret.uni", "exit", "trap", "brx.idx", "brx.idx.uni":
		return true
	}
	return false
}

// identifiers walks over the names in the text of operands.
type identifiers struct {
	text string
	off  int
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// A byteClass tells what a byte means in the text of operands.
type byteClass uint8

const (
	between byteClass = iota
	inName            // a letter, _ or $
	digit
	percent
	dot
	quote
	slash
)

var classes = func() (t [256]byteClass) {
	for c := range t {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', c == '_', c == '$':
			t[c] = inName
		case '0' <= c && c <= '9':
			t[c] = digit
		}
	}
	t['%'], t['.'], t['"'], t['/'] = percent, dot, quote, slash
	return t
}()

func nameByte(c byte) bool { return classes[c]-inName <= digit-inName }

// next returns the next name, "" at the end. Numbers, strings, comments and
// what follows a dot are no names.
func (it *identifiers) next() string {
	t, i := it.text, it.off
	for i < len(t) {
		switch classes[t[i]] {
		case inName, percent:
			start := i
			for i++; i < len(t) && nameByte(t[i]); i++ {
			}
			if i-start > 1 || t[start] != '%' {
				it.off = i
				return t[start:i]
			}
		case dot, digit:
			for i++; i < len(t) && nameByte(t[i]); i++ {
			}
		case quote:
			for i++; i < len(t) && t[i] != '"'; i++ {
				if t[i] == '\\' {
					i++
				}
			}
			i++
		case slash:
			i = behindComment(t, i)
		default:
			i++
		}
	}
	it.off = i
	return ""
}

// behindComment returns the index behind the comment that begins at i, or behind
// the slash if none does.
func behindComment(t string, i int) int {
	switch {
	case i+1 < len(t) && t[i+1] == '/':
		for i < len(t) && t[i] != '\n' {
			i++
		}
		return i
	case i+1 < len(t) && t[i+1] == '*':
		for i += 2; i < len(t) && (t[i] != '/' || t[i-1] != '*'); i++ {
		}
	}
	return i + 1
}

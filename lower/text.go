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

func nameByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// next returns the next name, "" at the end. Numbers, strings, comments and
// what follows a dot are no names.
func (it *identifiers) next() string {
	t, i := it.text, it.off
	for i < len(t) {
		c := t[i]
		switch {
		case c == '"':
			for i++; i < len(t) && t[i] != '"'; i++ {
				if t[i] == '\\' {
					i++
				}
			}
			i++
		case c == '/' && i+1 < len(t) && t[i+1] == '/':
			for i < len(t) && t[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(t) && t[i+1] == '*':
			for i += 2; i < len(t) && (t[i] != '/' || t[i-1] != '*'); i++ {
			}
			i++
		case c == '.' || '0' <= c && c <= '9':
			for i++; i < len(t) && nameByte(t[i]); i++ {
			}
		case c == '%' || nameByte(c):
			start := i
			for i++; i < len(t) && nameByte(t[i]); i++ {
			}
			if i-start > 1 || c != '%' {
				it.off = i
				return t[start:i]
			}
		default:
			i++
		}
	}
	it.off = i
	return ""
}

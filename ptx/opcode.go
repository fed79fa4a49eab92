package ptx

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// An OpKind is a group of opcodes, by their effect on the flow of control and on
// addresses.
type OpKind uint8

const (
	OpOther  OpKind = iota + 1 // none of the others
	OpBranch                   // bra, brx and trap
	OpReturn                   // ret and exit
	OpMove                     // mov
	OpMemory                   // ld, ldu and st
)

// Kind returns the kind of the opcode.
func (in *Instr) Kind() OpKind {
	in = zero.Or(in)
	switch op, _, _ := strings.Cut(in.Op, "."); op {
	case "bra", "brx", "trap":
		return OpBranch
	case "ret", "exit":
		return OpReturn
	case "mov":
		return OpMove
	case "ld", "ldu", "st":
		return OpMemory
	}
	return OpOther
}

// noOpcode reports whether op is _ or $ alone, with or without modifiers: neither is a name.
func noOpcode(op string) bool {
	return (op[0] == '_' || op[0] == '$') && (len(op) == 1 || op[1] == '.')
}

func isCall(op string) bool { return op == "call" || strings.HasPrefix(op, "call.") }

// isParamOp reports whether op is an ld or st with .param among its modifiers.
func isParamOp(op string) bool {
	if !strings.HasPrefix(op, "ld.") && !strings.HasPrefix(op, "st.") {
		return false
	}
	_, after, found := strings.Cut(op, ".param")
	return found && (after == "" || after[0] == '.' || after[0] == ':' || isParamOp("ld."+after))
}

// A paramOp has the modifiers of the opcode of an access.
type paramOp struct {
	qual ParamQual
	typ  Type
	vec  int
}

// paramOpOf reads the modifiers of an ld or st. It stops at an unknown qualifier of .param, which
// it returns as bad; "" if there is none.
func paramOpOf(op string) (m paramOp, bad string) {
	for mods := op[2:]; mods != ""; {
		one := mods[:1+indexFrom(mods[1:], 0, '.')] // with its dot
		mods = mods[len(one):]
		switch {
		case one == ".param":
		case one == ".param::entry":
			m.qual = EntryParam
		case one == ".param::func":
			m.qual = FuncParam
		case strings.HasPrefix(one, ".param"):
			return m, one
		default:
			if v := vectorOf(one); v != 0 {
				m.vec = v
			} else if t := TypeOf(one); t != NoType {
				m.typ = t
			}
		}
	}
	return m, ""
}

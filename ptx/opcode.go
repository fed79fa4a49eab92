package ptx

import (
	"strings"
)

// An OpKind is a group of opcodes, by their effect on the flow of control and on
// addresses.
type OpKind uint8

const (
	OpOther    OpKind = iota + 1 // none of the others
	OpBranch                     // bra, brx and trap
	OpReturn                     // ret and exit
	OpMove                       // mov
	OpSum                        // add and sub
	OpMemory                     // ld, ldu and st
	OpIndirect                   // cvta, isspacep, atom, red, prefetch and prefetchu
)

// Kind returns the kind of the opcode.
func (in *Instr) Kind() OpKind {
	op, n := in.Op, 0
	for n < len(op) && op[n] != '.' {
		n++
	}
	switch op[:n] {
	case "bra", "brx", "trap":
		return OpBranch
	case "ret", "exit":
		return OpReturn
	case "mov":
		return OpMove
	case "add", "sub":
		return OpSum
	case "ld", "ldu", "st":
		return OpMemory
	case "cvta", "isspacep", "atom", "red", "prefetch", "prefetchu":
		return OpIndirect
	}
	return OpOther
}

// noOpcode reports whether op is _ or $ alone, with or without modifiers: neither is a name.
func noOpcode(op string) bool {
	return (op[0] == '_' || op[0] == '$') && (len(op) == 1 || op[1] == '.')
}

func isCall(op string) bool {
	return len(op) >= 4 && op[:4] == "call" && (len(op) == 4 || op[4] == '.')
}

// isParamOp reports whether op is an ld or st with .param among its modifiers.
func isParamOp(op string) bool {
	if len(op) < 3 || op[2] != '.' || op[:2] != "ld" && op[:2] != "st" {
		return false
	}
	for rest := op[2:]; ; {
		i := strings.Index(rest, ".param")
		if i < 0 {
			return false
		}
		rest = rest[i+len(".param"):]
		if rest == "" || rest[0] == '.' || rest[0] == ':' {
			return true
		}
	}
}

// A paramOp is what the opcode of an access says.
type paramOp struct {
	qual ParamQual
	typ  Type
	vec  int
}

// paramOpOf reads the modifiers of an ld or st, up to a qualifier of .param that
// there is not, which is bad; "" if there is none.
func paramOpOf(op string) (m paramOp, bad string) {
	mods := op[2:]
	for i := 0; i < len(mods); {
		n := i + 1
		for n < len(mods) && mods[n] != '.' {
			n++
		}
		one := mods[i:n] // with its dot
		i = n
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

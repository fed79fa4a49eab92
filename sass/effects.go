package sass

import (
	"slices"
	"strings"
)

// A Span is a run of N registers from First on.
type Span struct {
	First Reg
	N     int
}

// Has reports whether a register is one of them.
func (s Span) Has(r Reg) bool { return int(r) >= int(s.First) && int(r) < int(s.First)+s.N }

// Effects are what an instruction may write, where its guard holds. What a call does to
// registers is not in them.
type Effects struct {
	Regs    []Span // of general registers
	Uniform []Span
	// Sure says that the operation is known: no other register is written.
	Sure bool
	// Exact says that each of them is written for certain, and none is counted to be
	// on the safe side.
	Exact bool
	// Dest is the number of the operand that is the destination, -1 if none is.
	Dest int
}

// Writes reports whether a general register may be written.
func (e *Effects) Writes(r Reg) bool {
	return slices.ContainsFunc(e.Regs, func(s Span) bool { return s.Has(r) })
}

// Effects says what an instruction of a disassembly may write. One that is not known is
// taken to write to several registers from each of its operands on, and to every uniform one.
func (in *Instr) Effects() Effects {
	name, mods := in.opcode()
	o := operationOf(name)
	width, exact := writtenWords(o, name, mods)
	e := Effects{Dest: -1, Sure: true, Exact: exact}
	odd := slices.Contains(mods, "256") || slices.Contains(mods, "ENL2")
	switch {
	case o == nil:
	case o.writes == noFile:
		return e
	case o.writes == generalFile && !odd:
		if e.Dest = in.Destination(Register); e.Dest >= 0 {
			e.Regs = append(e.Regs, Span{in.Args[e.Dest].Reg, width})
		}
		return e
	case o.writes == uniformFile:
		if e.Dest = in.Destination(Uniform); e.Dest >= 0 {
			e.Uniform = append(e.Uniform, Span{in.Args[e.Dest].Reg, width})
		}
		return e
	case o.writes == barrierFile:
		if len(in.Args) > 0 && in.Args[0].Kind == Register {
			e.Dest, e.Regs = 0, []Span{{in.Args[0].Reg, 1}}
		}
		return e
	}
	const most = 8
	e.Sure, e.Exact, e.Uniform = false, false, []Span{{0, 256}}
	for i := range in.Args {
		if a := &in.Args[i]; a.Kind == Register && a.Reg != RZ {
			n := most
			if strings.Contains(name, "GMMA") || strings.HasPrefix(name, "LDT") {
				n = 256
			}
			e.Regs = append(e.Regs, Span{a.Reg, n})
		}
	}
	return e
}

// opcode returns the name of an instruction's operation, and its modifiers.
func (in *Instr) opcode() (name string, mods []string) {
	list := strings.Split(in.Op, ".")
	return list[0], list[1:]
}

// Destination returns the number of the first operand if it is a register of that kind
// ([Register] or [Uniform]) and not RZ, -1 otherwise. Predicates may stand before it.
func (in *Instr) Destination(kind OperandKind) int {
	for i := range in.Args {
		switch in.Args[i].Kind {
		case kind:
			if in.Args[i].Reg == RZ {
				return -1
			}
			return i
		case Pred:
			continue
		}
		return -1
	}
	return -1
}

// Moved returns how many bytes an operation that loads or stores moves, by its modifiers,
// and whether what a load reads is sign-extended.
func Moved(op string) (bytes int, signed bool) {
	for {
		_, rest, more := strings.Cut(op, ".")
		if !more {
			return 4, false
		}
		op = rest
		mod, _, _ := strings.Cut(op, ".")
		switch mod {
		case "U8", "S8":
			return 1, mod == "S8"
		case "U16", "S16":
			return 2, mod == "S16"
		case "64":
			return 8, false
		case "96":
			return 12, false
		case "128":
			return 16, false
		case "256":
			return 32, false
		}
	}
}

package isa

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// A Span is a run of N registers from First on.
type Span struct {
	First sass.Reg
	N     int
}

// Has reports whether a register is one of them.
func (s Span) Has(r sass.Reg) bool { return int(r) >= int(s.First) && int(r) < int(s.First)+s.N }

// Effects are the registers that an instruction may write if its guard is true. What a
// call does to registers is not included.
type Effects struct {
	Regs    []Span // of general registers
	Uniform []Span
	// Sure reports that the operation is known, so that no other register is written.
	Sure bool
	// Exact reports that each of them is written, and none is listed only because it may
	// be.
	Exact bool
	// Dest is the index of the destination operand, -1 if there is none.
	Dest int
}

// Writes reports whether a general register may be written.
func (e *Effects) Writes(r sass.Reg) bool {
	return slices.ContainsFunc(e.Regs, func(s Span) bool { return s.Has(r) })
}

// An Operation is a decoded mnemonic: what is known of all instructions that have it.
// Decoding takes longer than the methods do, so that a program that reads many
// instructions should keep one Operation for each mnemonic.
type Operation struct {
	name   string // without modifiers
	mods   []string
	row    *operation // nil: not known
	width  int        // what writtenWords says
	exact  bool
	odd    bool // it has a modifier that makes its operands others than its row says
	wide   bool // it has one that speaks of a width
	data   int  // what dataWords says
	access int  // what AccessSize says, in bytes
}

// OperationOf reads a mnemonic with its modifiers: "IMAD.MOV.U32".
func OperationOf(mnemonic string) *Operation {
	list := strings.Split(mnemonic, ".")
	o := &Operation{name: list[0], mods: list[1:], row: operationOf(list[0])}
	o.width, o.exact = writtenWords(o.row, o.name, o.mods)
	o.odd = slices.Contains(o.mods, "256") || slices.Contains(o.mods, "ENL2")
	o.wide = slices.ContainsFunc(o.mods, func(m string) bool {
		return m == "WIDE" || modifierWords[m] > 0
	})
	o.data = dataWords(o.mods)
	o.access, _ = AccessSize(mnemonic)
	return o
}

// Name returns the mnemonic without its modifiers: "IMAD".
func (op *Operation) Name() string { return op.name }

// AccessSize returns the number of bytes that the function [AccessSize] returns for the mnemonic.
func (op *Operation) AccessSize() int { return op.access }

// Effects returns the registers that an instruction with this mnemonic may write. An
// unknown one counts as one that writes several registers from each of its operands on,
// and all uniform registers.
func (op *Operation) Effects(in *sass.Instr) Effects {
	e := Effects{Dest: -1, Sure: true, Exact: op.exact}
	switch {
	case op.row == nil:
	case op.row.writes == noFile:
		return e
	case op.row.writes == generalFile && !op.odd:
		if e.Dest = Destination(in, sass.KindRegister); e.Dest >= 0 {
			e.Regs = append(e.Regs, Span{in.Args[e.Dest].Reg, op.width})
		}
		return e
	case op.row.writes == uniformFile:
		if e.Dest = Destination(in, sass.KindUniform); e.Dest >= 0 {
			e.Uniform = append(e.Uniform, Span{in.Args[e.Dest].Reg, op.width})
		}
		return e
	case op.row.writes == barrierFile:
		if len(in.Args) > 0 && in.Args[0].Kind == sass.KindRegister {
			e.Dest, e.Regs = 0, append(e.Regs, Span{in.Args[0].Reg, 1})
		}
		return e
	}
	const most = 8
	n := most
	if strings.Contains(op.name, "GMMA") || strings.HasPrefix(op.name, "LDT") {
		n = 256
	}
	e.Sure, e.Exact, e.Uniform = false, false, append(e.Uniform, Span{0, 256})
	for i := range in.Args {
		if a := &in.Args[i]; a.Kind == sass.KindRegister && a.Reg != sass.RZ {
			e.Regs = append(e.Regs, Span{a.Reg, n})
		}
	}
	return e
}

// Destination returns the number of the first operand if it is a register of that kind
// and not RZ, -1 otherwise. Predicates may stand before it.
func Destination(in *sass.Instr, kind sass.OperandKind) int {
	for i := range in.Args {
		switch in.Args[i].Kind {
		case kind:
			if in.Args[i].Reg == sass.RZ {
				return -1
			}
			return i
		case sass.KindPred:
			continue
		}
		return -1
	}
	return -1
}

// AccessSize returns the number of bytes that a load or store accesses, by the modifiers of
// its mnemonic, and whether a load sign-extends them.
func AccessSize(op string) (bytes int, signed bool) {
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

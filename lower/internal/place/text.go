package place

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// A Kind is what an instruction means to lowering, with what the first walk
// has found out of its names.
type Kind uint8

const (
	PlainInstr Kind = iota
	Returns         // ret
	Exits           // exit
	traps           // trap
	Branches        // bra and brx: control does not go on
	BrMore          // likewise, with modifiers that are not known: it may
	MovesStack      // alloca, stacksave and stackrestore
	noInstr         // another statement

	TakesAddress Kind = 1 << 7 // it names a variable
)

// Of returns the kind without what is known of names.
func (k Kind) Of() Kind { return k &^ TakesAddress }

// Ends reports whether control does not go on after an instruction.
func (k Kind) Ends() bool { return Returns <= k.Of() && k.Of() <= Branches }

// kindOf returns the kind of an instruction by its opcode.
func kindOf(op string) Kind {
	switch name, more, _ := strings.Cut(op, "."); name {
	case "ret":
		if more == "" || more == "uni" {
			return Returns
		}
	case "exit":
		if more == "" {
			return Exits
		}
	case "trap":
		if more == "" {
			return traps
		}
	case "bra", "brx":
		if more == "" || more == "uni" || more == "idx" || more == "idx.uni" {
			return Branches
		}
		return BrMore
	case "alloca", "stacksave", "stackrestore":
		return MovesStack
	}
	return PlainInstr
}

// Jumps reports whether an instruction may go to a label.
func (k Kind) Jumps() bool { return k.Of() == Branches || k.Of() == BrMore }

func isReturn(in *ptx.Instr) bool { return kindOf(in.Op) == Returns }

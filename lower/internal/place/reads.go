package place

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
)

// A load of a byte or a half into a wider register extends it. Where the bytes are
// the lowest of a word in a register that is an instruction, and without it there
// would be a copy or none. It is left out where all that reads the register takes
// no more of it than was loaded: PTX lets st and cvt have operands that are wider
// than their types and cut them off, and an and with a constant leaves nothing of
// the rest. All other instructions are taken to read all of their registers.

// allBytes stands for a register that may be read as a whole.
const allBytes = 16

// IgnoredAbove reports whether what reads a register that an operand names, whose
// name has number n, ignores all but its lowest size bytes. A register that nothing
// reads is loaded as PTX has it; and where no parameters are stored and no calls
// made, nobody looks.
func (pl *Plan) IgnoredAbove(o *ptx.Operand, n resolved.Ref, size int) bool {
	if o.Elem != 0 || n.Name < 0 || !pl.Uses.passes || !pl.Runs(lir.NarrowReads) {
		return false
	}
	u := pl.Uses.Use(n.Name)
	if int(u.reads) > size {
		return false // whatever instructions read
	}
	pl.Uses.CountInstrs()
	return u.reads > 0 && int(u.reads) <= size
}

// accessReads returns how many bytes an access reads of the registers that it names.
func accessReads(a *ptx.Access) uint8 {
	switch {
	case a.Whole:
		return allBytes
	case a.Store:
		return uint8(a.Type.Size())
	}
	return 0
}

// readAt returns how many bytes an instruction reads at most of a register that it names
// at a byte of its operands.
func readAt(in *ptx.Instr, at int) uint8 {
	if size, from := readBy(in); at >= from {
		return size
	}
	return allBytes
}

// readBy returns how many bytes an instruction reads of the registers that it
// names, at most, but for those before an index of its operands, which it may read as
// a whole.
func readBy(in *ptx.Instr) (size uint8, from int) {
	op := in.Op
	switch {
	case in.Ragged || len(op) < 4:
	case op[:3] == "st.": // [address], what is stored
		if size = narrow(op); size > 0 && !strings.Contains(op, "::") { // no cache policy after
			if from = strings.IndexByte(in.Args, ']'); from >= 0 {
				return size, from
			}
		}
	case op[:4] == "cvt.":
		if size = narrow(op); size > 0 && !strings.Contains(op, "pack") {
			return size, 0
		}
	case op[:4] == "and.":
		v, ok := ptx.ParseInt(strings.TrimSpace(in.Args[strings.LastIndexByte(in.Args, ',')+1:]))
		switch {
		case !ok || v < 0:
		case v <= 0xff:
			return 1, 0
		case v <= 0xffff:
			return 2, 0
		}
	}
	return allBytes, 0
}

// narrow returns the size of the type that an opcode ends with, if that is an integer
// of less than a word, and 0 for all others.
func narrow(op string) uint8 {
	switch op[len(op)-2:] {
	case "b8", "u8", "s8":
		if op[len(op)-3] == '.' {
			return 1
		}
	case "16":
		if kind := op[len(op)-4 : len(op)-2]; kind == ".b" || kind == ".u" || kind == ".s" {
			return 2
		}
	}
	return 0
}

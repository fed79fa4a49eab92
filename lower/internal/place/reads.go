package place

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/resolved"
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

// readBy returns how many bytes an instruction reads at most of the registers in its operand k.
func readBy(in *ptx.Instr, k int) uint8 {
	size := narrow(in.Op)
	switch op, _, _ := strings.Cut(in.Op, "."); op {
	case "st": // [address], what is stored
		if k == 1 && size > 0 && !strings.Contains(in.Op, "::") { // no cache policy after
			return size
		}
	case "cvt":
		if size > 0 && !strings.Contains(in.Op, "pack") {
			return size
		}
	case "and":
		switch c := &in.Ops()[len(in.Ops())-1]; {
		case c.Kind != ptx.KindInt || int64(c.Bits) < 0:
		case c.Bits <= 0xff:
			return 1
		case c.Bits <= 0xffff:
			return 2
		}
	}
	return allBytes
}

// narrow returns the size of the type that an opcode ends with, if that is an integer
// of less than a word, and 0 for all others.
func narrow(op string) uint8 {
	if len(op) < 4 {
		return 0
	}
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

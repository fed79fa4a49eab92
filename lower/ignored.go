package lower

import (
	"strings"

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

// readsAtMost returns how many of the lowest bytes of a register are read, of the
// name of number n in the body.
func (fn *fn) readsAtMost(n int32) int {
	if !fn.readsFound {
		fn.findReads()
	}
	if int(n) >= len(fn.reads) {
		return allBytes
	}
	return int(fn.reads[n])
}

// ignoredAbove reports whether what reads a register that an operand names, whose
// name has number n, ignores all but its lowest size bytes. A register that nothing
// reads is loaded as PTX has it.
func (fn *fn) ignoredAbove(o *ptx.Operand, n int32, size int) bool {
	if o.Elem != 0 || n < 0 {
		return false
	}
	most := fn.readsAtMost(n)
	return most > 0 && most <= size
}

// findReads makes reads.
func (fn *fn) findReads() {
	fn.readsFound = true
	m := &fn.mentions
	fn.reads = append(fn.reads[:0], make([]uint8, len(m.uses))...)
	note := func(n int32, size int) {
		if n >= 0 && int(n) < len(fn.reads) {
			fn.reads[n] = max(fn.reads[n], uint8(size))
		}
	}
	for _, list := range [...][]ptx.Formal{fn.params, fn.f.Results} {
		for i := range list {
			note(fn.scope.Numbered(list[i].Name), allBytes)
		}
	}
	for i, s := range fn.f.Body {
		operands := m.list[m.first[i]:m.first[i+1]]
		switch s := s.(type) {
		case *ptx.Instr:
			size, whole := readBy(s)
			names := identifiers{text: s.Args}
			for name := names.next(); name != ""; name = names.next() {
				if whole--; whole >= 0 {
					note(fn.scope.Numbered(name), allBytes)
				} else {
					note(fn.scope.Numbered(name), size)
				}
			}
		case *ptx.Access:
			for k, n := range operands {
				switch {
				case k >= len(s.Regs) || s.Whole:
					note(n, allBytes)
				case s.Store:
					note(n, s.Type.Size())
				}
			}
		case *ptx.Call:
			for k, n := range operands {
				if k < len(s.Params) || k >= len(s.Params)+len(s.Results) {
					note(n, allBytes)
				}
			}
		}
	}
}

// readBy returns how many bytes an instruction reads of the registers that it
// names, at most, but for the first ones, which it may read as a whole.
func readBy(in *ptx.Instr) (size, whole int) {
	op, rest, _ := strings.Cut(in.Op, ".")
	switch rest[strings.LastIndexByte(rest, '.')+1:] {
	case "b8", "u8", "s8":
		size = 1
	case "b16", "u16", "s16":
		size = 2
	}
	switch {
	case in.Ragged:
	case op == "st" && size > 0: // [address], what is stored
		end := strings.IndexByte(in.Args, ']')
		if end < 0 {
			break
		}
		address := identifiers{text: in.Args[:end]}
		for address.next() != "" {
			whole++
		}
		return size, whole
	case op == "cvt" && size > 0 && !strings.Contains(rest, "pack"):
		return size, 0
	case op == "and":
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

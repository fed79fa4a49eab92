package sass

// The functions below print the parts of a line of code, for programs that make many
// lines and have no use for an [Item] of each: to fill in one takes twice as long as to
// print it.

// AppendOp begins a line of code: its tab, the guard if there is one, the
// mnemonic, and the blank before its first operand.
func AppendOp(dst []byte, guard, op string) []byte {
	dst = append(dst, '\t')
	if guard != "" {
		dst = append(append(dst, guard...), ' ')
	}
	return append(append(dst, op...), ' ')
}

// AppendReg appends a physical register.
func AppendReg(dst []byte, r Reg) []byte { return appendReg(dst, r) }

// AppendVirtual appends a word of a virtual register.
func AppendVirtual(dst []byte, name string, part Part) []byte {
	return appendVirtual(dst, name, part)
}

// AppendNote ends an instruction whose line begins at dst[line], and begins its
// note.
func AppendNote(dst []byte, line int) []byte {
	dst = append(dst, ' ', ';', ' ')
	n := min(len(dst)-line-1, noteColumn)
	return append(dst, noteStart[n:]...)
}

const noteStart = padding + "// "

// AppendMem appends a place in local memory: a physical register plus an offset.
func AppendMem(dst []byte, base Reg, off int64) []byte {
	if base == RZ {
		o := M(base, off)
		return o.AppendText(dst)
	}
	dst = appendReg(append(dst, '['), base)
	if off != 0 {
		dst = appendHex(append(dst, '+'), off)
	}
	return append(dst, ']')
}

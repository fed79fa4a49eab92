package cubin

import "debug/elf"

// A Named is a function as a symbol table names it.
type Named struct {
	Name   []byte // which must not be kept nor changed: it is a part of the file
	Kernel bool
	Local  bool // of its own file alone
}

// Names gives f the kernels and functions of a cubin that have code, in the order of its symbols.
// Nothing but the section table, the symbols and their names is read, nothing is kept, and no memory is
// taken in proportion to the file.
func Names(data []byte, f func(Named)) error {
	img, err := readCubin(data)
	if err != nil {
		return err
	}
	for i := range img.sections {
		s := &img.sections[i]
		if s.Type != uint32(elf.SHT_SYMTAB) {
			continue
		}
		t, err := img.symbolTable(s)
		if err != nil {
			return err
		}
		for i := range t.len() {
			sym := t.at(i)
			if elf.ST_TYPE(sym.info) != elf.STT_FUNC || sym.section == 0 || int(sym.section) >= len(img.sections) || !img.sections[sym.section].executable() {
				continue
			}
			name, err := t.names.name(uint64(sym.name))
			if err != nil {
				return err
			}
			f(Named{Name: name, Kernel: sym.other&kernelOther != 0, Local: elf.ST_BIND(sym.info) == elf.STB_LOCAL})
		}
	}
	return nil
}

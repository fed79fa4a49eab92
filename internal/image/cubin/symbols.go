package cubin

import (
	"debug/elf"
)

// symbols reads the symbol table, of which an ELF file has one at most.
func (r *reader) symbols() error {
	for i := range r.Sections {
		s := &r.Sections[i]
		if s.Type != uint32(elf.SHT_SYMTAB) {
			continue
		}
		if r.Symbols != nil {
			return errorf(s.Offset, "section "+s.Name, "it is a second symbol table")
		}
		if err := r.symtab(s); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) symtab(s *Section) error {
	if err := r.spend(s); err != nil {
		return err
	}
	t, err := r.img.symbolTable(s)
	if err != nil {
		return err
	}
	r.Symbols = make([]Symbol, 0, t.len())
	names := newStrings(t.names)
	for i := range t.len() {
		sym := t.at(i)
		name, err := names.at(uint64(sym.name))
		if err != nil {
			return err
		}
		if uint64(sym.section) >= uint64(len(r.Sections)) && sym.section < uint16(elf.SHN_LORESERVE) {
			return errorf(s.Offset+uint64(i)*t.entry, t.where(), "symbol %q is in section %d, and there are %d", name, sym.section, len(r.Sections))
		}
		r.Symbols = append(r.Symbols, Symbol{
			Name: name, Type: elf.ST_TYPE(sym.info), Binding: elf.ST_BIND(sym.info), Other: sym.other,
			Section: int(sym.section), Value: sym.value, Size: sym.size,
		})
	}
	return nil
}

// A symbolTable is the entries of one, which are taken apart one by one.
type symbolTable struct {
	*Section
	names *Section
	bits  int
	entry uint64 // bytes of one
}

// symbolTable is the one in a section.
func (img *image) symbolTable(s *Section) (symbolTable, error) {
	t := symbolTable{Section: s, bits: img.bits, entry: elf.Sym64Size}
	if img.bits == 32 {
		t.entry = elf.Sym32Size
	}
	if uint64(s.Link) >= uint64(len(img.sections)) {
		return t, errorf(s.Offset, t.where(), "its names are in section %d, and there are %d", s.Link, len(img.sections))
	}
	t.names = &img.sections[s.Link]
	size := uint64(len(s.Data))
	if s.Size != size || size%t.entry != 0 {
		return t, errorf(s.Offset, t.where(), "it has %d bytes, not a multiple of %d", s.Size, t.entry)
	}
	return t, nil
}

func (t *symbolTable) where() string { return "section " + t.Name }
func (t *symbolTable) len() int      { return len(t.Data) / int(t.entry) }

// A rawSymbol is an entry as it stands in the file.
type rawSymbol struct {
	name        uint32 // where its name stands
	info, other uint8
	section     uint16
	value, size uint64
}

func (t *symbolTable) at(i int) rawSymbol {
	b := t.Data[i*int(t.entry):][:t.entry]
	if t.bits == 32 {
		return rawSymbol{
			name: le.Uint32(b), value: uint64(le.Uint32(b[4:])), size: uint64(le.Uint32(b[8:])),
			info: b[12], other: b[13], section: le.Uint16(b[14:]),
		}
	}
	return rawSymbol{
		name: le.Uint32(b), info: b[4], other: b[5], section: le.Uint16(b[6:]), value: le.Uint64(b[8:]), size: le.Uint64(b[16:]),
	}
}

// kernelOther is st_other of a kernel.
const kernelOther = 0x10

// functions lists the function symbols that have code.
func (r *reader) functions() error {
	r.funcs = make(map[int]int)
	for i, sym := range r.Symbols {
		if sym.Type != elf.STT_FUNC || sym.Section == 0 || sym.Section >= len(r.Sections) {
			continue
		}
		s := &r.Sections[sym.Section]
		if !s.executable() {
			continue
		}
		if sym.Value > uint64(len(s.Data)) || sym.Size > uint64(len(s.Data))-sym.Value {
			return errorf(s.Offset, "section "+s.Name, "function %s has %d bytes at 0x%x of it, and it has %d",
				sym.Name, sym.Size, sym.Value, len(s.Data))
		}
		r.funcs[i] = len(r.Functions)
		r.Functions = append(r.Functions, Function{
			Name: sym.Name, Kernel: sym.Other&kernelOther != 0, Binding: sym.Binding,
			Section: sym.Section, Offset: sym.Value, Size: sym.Size,
			Regs: -1, FrameSize: -1, MinStack: -1, MaxStack: -1, Returns: -1,
			ParamBank: -1, ParamBase: -1, ParamSize: -1,
		})
	}
	return nil
}

// executable reports whether a section has code.
func (s *Section) executable() bool { return s.Flags&uint64(elf.SHF_EXECINSTR) != 0 }

func (r *reader) relocs() (err error) {
	r.Relocs, err = r.RelocsOf((*Section).executable)
	return err
}

// RelocsOf reads the relocations of the sections that are chosen.
func (f *File) RelocsOf(chosen func(*Section) bool) ([]Reloc, error) {
	r := f.reader()
	var all []Reloc
	for i := range r.Sections {
		s := &r.Sections[i]
		if s.Type != uint32(elf.SHT_REL) && s.Type != uint32(elf.SHT_RELA) {
			continue
		}
		if s.Info == 0 || uint64(s.Info) >= uint64(len(r.Sections)) {
			return nil, errorf(s.Offset, "section "+s.Name, "it is for section %d, and there are %d", s.Info, len(r.Sections))
		}
		if target := &r.Sections[s.Info]; chosen(target) {
			list, err := r.relocTable(s, target)
			if err != nil {
				return nil, err
			}
			all = append(all, list...)
		}
	}
	return all, nil
}

func (r *reader) relocTable(s, target *Section) (list []Reloc, err error) {
	where := "section " + s.Name
	if err := r.spend(s); err != nil {
		return nil, err
	}
	rela := s.Type == uint32(elf.SHT_RELA)
	word := uint64(r.img.bits / 8)
	entry := 2 * word
	if rela {
		entry += word
	}
	if s.Size%entry != 0 {
		return nil, errorf(s.Offset, where, "it has %d bytes, not a multiple of %d", s.Size, entry)
	}
	for off := uint64(0); off < s.Size; off += entry {
		rel := relocation(s.Data[off:off+entry], r.img.bits, rela)
		rel.Section = target.Name
		if rel.Symbol >= len(r.Symbols) {
			return nil, errorf(s.Offset+off, where, "the relocation is against symbol %d, and there are %d", rel.Symbol, len(r.Symbols))
		}
		if rel.Offset >= target.Size {
			return nil, errorf(s.Offset+off, where, "the relocation is at 0x%x of %s, which has %d bytes", rel.Offset, target.Name, target.Size)
		}
		rel.Name = r.Symbols[rel.Symbol].Name
		list = append(list, rel)
	}
	return list, nil
}

func relocation(b []byte, bits int, rela bool) Reloc {
	rel := Reloc{HasAddend: rela}
	if bits == 32 {
		info := le.Uint32(b[4:])
		rel.Offset, rel.Kind, rel.Symbol = uint64(le.Uint32(b)), Kind(info&0xff), int(info>>8)
		if rela {
			rel.Addend = int64(int32(le.Uint32(b[8:])))
		}
		return rel
	}
	info := le.Uint64(b[8:])
	rel.Offset, rel.Kind, rel.Symbol = le.Uint64(b), Kind(info), int(info>>32)
	if rela {
		rel.Addend = int64(le.Uint64(b[16:]))
	}
	return rel
}

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
	where, narrow := "section "+s.Name, r.img.bits == 32
	if uint64(s.Link) >= uint64(len(r.Sections)) {
		return errorf(s.Offset, where, "its names are in section %d, and there are %d", s.Link, len(r.Sections))
	}
	entry := elf.Sym64Size
	if narrow {
		entry = elf.Sym32Size
	}
	if s.Size != uint64(len(s.Data)) || len(s.Data)%entry != 0 {
		return errorf(s.Offset, where, "it has %d bytes, not a multiple of %d", s.Size, entry)
	}
	r.Symbols = make([]Symbol, 0, len(s.Data)/entry)
	names := newStrings(&r.Sections[s.Link])
	for off := 0; off < len(s.Data); off += entry {
		b := s.Data[off:]
		var sym elf.Sym64
		if narrow {
			sym = elf.Sym64{Info: b[12], Other: b[13], Shndx: le.Uint16(b[14:]), Value: uint64(le.Uint32(b[4:])), Size: uint64(le.Uint32(b[8:]))}
		} else {
			sym = elf.Sym64{Info: b[4], Other: b[5], Shndx: le.Uint16(b[6:]), Value: le.Uint64(b[8:]), Size: le.Uint64(b[16:])}
		}
		name, err := names.at(uint64(le.Uint32(b)))
		if err != nil {
			return err
		}
		if int(sym.Shndx) >= len(r.Sections) && elf.SectionIndex(sym.Shndx) < elf.SHN_LORESERVE {
			return errorf(s.Offset+uint64(off), where, "symbol %q is in section %d, and there are %d", name, sym.Shndx, len(r.Sections))
		}
		r.Symbols = append(r.Symbols, Symbol{
			Name: name, Type: elf.ST_TYPE(sym.Info), Binding: elf.ST_BIND(sym.Info), Other: sym.Other,
			Section: int(sym.Shndx), Value: sym.Value, Size: sym.Size,
		})
	}
	return nil
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
		rel := r.img.relocation(s.Data[off:off+entry], rela)
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

func (img *image) relocation(b []byte, rela bool) Reloc {
	word := img.bits / 8
	rel, info := Reloc{Offset: img.word(b), HasAddend: rela}, img.word(b[word:])
	rel.Kind, rel.Symbol = Kind(info), int(info>>32)
	if img.bits == 32 {
		rel.Kind, rel.Symbol = Kind(info&0xff), int(info>>8)
	}
	if rela {
		rel.Addend = int64(img.word(b[2*word:]))
		if img.bits == 32 {
			rel.Addend = int64(int32(rel.Addend))
		}
	}
	return rel
}

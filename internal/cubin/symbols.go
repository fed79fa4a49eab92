package cubin

import (
	"debug/elf"
	"encoding/binary"
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
	where := "section " + s.Name
	if err := r.spend(s); err != nil {
		return err
	}
	if uint64(s.Link) >= uint64(len(r.Sections)) {
		return errorf(s.Offset, where, "its names are said to be in section %d, and there are %d", s.Link, len(r.Sections))
	}
	names := newStrings(&r.Sections[s.Link])
	entry := uint64(elf.Sym64Size)
	if r.img.bits == 32 {
		entry = elf.Sym32Size
	}
	if s.Size%entry != 0 {
		return errorf(s.Offset, where, "it has %d bytes, not a multiple of %d", s.Size, entry)
	}
	r.Symbols = make([]Symbol, 0, s.Size/entry)
	for off := uint64(0); off < s.Size; off += entry {
		var h elf.Sym64
		if r.img.bits == 32 {
			var n elf.Sym32
			if err := decode(s.Data, off, where, &n); err != nil {
				return err
			}
			h = elf.Sym64{Name: n.Name, Info: n.Info, Other: n.Other, Shndx: n.Shndx, Value: uint64(n.Value), Size: uint64(n.Size)}
		} else if err := decode(s.Data, off, where, &h); err != nil {
			return err
		}
		name, err := names.at(uint64(h.Name))
		if err != nil {
			return err
		}
		if uint64(h.Shndx) >= uint64(len(r.Sections)) && h.Shndx < uint16(elf.SHN_LORESERVE) {
			return errorf(s.Offset+off, where, "symbol %q is said to be in section %d, and there are %d", name, h.Shndx, len(r.Sections))
		}
		r.Symbols = append(r.Symbols, Symbol{
			Name: name, Type: elf.ST_TYPE(h.Info), Binding: elf.ST_BIND(h.Info), Other: h.Other,
			Section: int(h.Shndx), Value: h.Value, Size: h.Size,
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
		if s.Flags&uint64(elf.SHF_EXECINSTR) == 0 {
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
			Regs: -1, FrameSize: -1, MinStack: -1, MaxStack: -1,
			ParamBank: -1, ParamBase: -1, ParamSize: -1,
		})
	}
	return nil
}

// relocs reads the relocations of all sections.
func (r *reader) relocs() error {
	for i := range r.Sections {
		s := &r.Sections[i]
		if s.Type == uint32(elf.SHT_REL) || s.Type == uint32(elf.SHT_RELA) {
			if err := r.relocTable(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) relocTable(s *Section) error {
	where := "section " + s.Name
	if err := r.spend(s); err != nil {
		return err
	}
	if s.Info == 0 || uint64(s.Info) >= uint64(len(r.Sections)) {
		return errorf(s.Offset, where, "it is said to be for section %d, and there are %d", s.Info, len(r.Sections))
	}
	target := &r.Sections[s.Info]
	rela := s.Type == uint32(elf.SHT_RELA)
	word := uint64(r.img.bits / 8)
	entry := 2 * word
	if rela {
		entry += word
	}
	if s.Size%entry != 0 {
		return errorf(s.Offset, where, "it has %d bytes, not a multiple of %d", s.Size, entry)
	}
	for off := uint64(0); off < s.Size; off += entry {
		rel := relocation(s.Data[off:off+entry], r.img.bits, rela)
		rel.Section = target.Name
		if rel.Symbol >= len(r.Symbols) {
			return errorf(s.Offset+off, where, "the relocation is against symbol %d, and there are %d", rel.Symbol, len(r.Symbols))
		}
		if rel.Offset >= target.Size {
			return errorf(s.Offset+off, where, "the relocation is at 0x%x of %s, which has %d bytes", rel.Offset, target.Name, target.Size)
		}
		rel.Name = r.Symbols[rel.Symbol].Name
		r.Relocs = append(r.Relocs, rel)
	}
	return nil
}

func relocation(b []byte, bits int, rela bool) Reloc {
	le := binary.LittleEndian
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

package cubin

import (
	"debug/elf"
	"encoding/binary"
	"strings"
)

// An image is an ELF file of little-endian order as far as its section table.
//
// debug/elf gives the structures. Its reader is not used: it refuses the toolkit
// number in e_version, may inflate a compressed section to any size, and says
// of little where it stands.
type image struct {
	data     []byte
	bits     int // 32 or 64
	abi      uint8
	osabi    uint8
	typ      elf.Type
	machine  elf.Machine
	version  uint32
	flags    uint32
	sections []Section
	size     uint64 // where the last of header, table and sections ends
}

// NVIDIA's value of EI_OSABI, by EI_ABIVERSION.
const (
	osabi7 = 0x33
	osabi8 = 0x41
)

const header = "ELF header"

func readELF(data []byte) (*image, error) {
	if len(data) < elf.EI_NIDENT {
		return nil, errorf(uint64(len(data)), header, "the file ends here; an ELF file has %d bytes there at least", elf.EI_NIDENT)
	}
	if string(data[:4]) != elf.ELFMAG {
		return nil, errorf(0, "", "not an ELF file: it begins % x", data[:4])
	}
	img := &image{data: data, osabi: data[elf.EI_OSABI], abi: data[elf.EI_ABIVERSION]}
	if d := elf.Data(data[elf.EI_DATA]); d != elf.ELFDATA2LSB {
		return nil, errorf(elf.EI_DATA, header, "the byte order is %v, only little endian is read", d)
	}
	var h elf.Header64
	switch class := elf.Class(data[elf.EI_CLASS]); class {
	case elf.ELFCLASS64:
		img.bits = 64
		if err := decode(data, 0, header, &h); err != nil {
			return nil, err
		}
	case elf.ELFCLASS32:
		img.bits = 32
		var n elf.Header32
		if err := decode(data, 0, header, &n); err != nil {
			return nil, err
		}
		h = elf.Header64{
			Type: n.Type, Machine: n.Machine, Version: n.Version, Flags: n.Flags,
			Shoff: uint64(n.Shoff), Shentsize: n.Shentsize, Shnum: n.Shnum, Shstrndx: n.Shstrndx,
			Phoff: uint64(n.Phoff), Phentsize: n.Phentsize, Phnum: n.Phnum, Ehsize: n.Ehsize,
		}
	default:
		return nil, errorf(elf.EI_CLASS, header, "the class is %d, neither 1 for 32 bits nor 2 for 64", class)
	}
	img.typ, img.machine, img.version, img.flags = elf.Type(h.Type), elf.Machine(h.Machine), h.Version, h.Flags
	img.size = max(uint64(h.Ehsize), h.Phoff+uint64(h.Phentsize)*uint64(h.Phnum))
	if err := img.table(h); err != nil {
		return nil, err
	}
	return img, nil
}

// decode reads a structure at an offset of data.
func decode(data []byte, off uint64, where string, v any) error {
	b, err := piece(data, off, binary.Size(v), where)
	if err != nil {
		return err
	}
	_, err = binary.Decode(b, le, v)
	return err
}

// piece is n bytes at an offset of data.
func piece(data []byte, off uint64, n int, where string) ([]byte, error) {
	if off > uint64(len(data)) || uint64(len(data))-off < uint64(n) {
		return nil, errorf(off, where, "%d bytes are read here, and the file ends at %d; it may have been cut short", n, len(data))
	}
	return data[off:][:n], nil
}

// table reads the section table and the sections' names.
func (img *image) table(h elf.Header64) error {
	if h.Shoff == 0 {
		return nil
	}
	entry := uint64(binary.Size(elf.Section64{}))
	if img.bits == 32 {
		entry = uint64(binary.Size(elf.Section32{}))
	}
	if uint64(h.Shentsize) != entry {
		return errorf(0, header, "an entry of the section table has %d bytes, it should have %d", h.Shentsize, entry)
	}
	// A count that does not fit stands in the first section.
	num, names := uint64(h.Shnum), uint64(h.Shstrndx)
	var first Section
	if err := img.section(h.Shoff, &first); err != nil {
		return err
	}
	if num == 0 {
		num = first.Size
	}
	if names == uint64(elf.SHN_XINDEX) {
		names = uint64(first.Link)
	}
	size := uint64(len(img.data))
	if num > (size-h.Shoff)/entry {
		return errorf(h.Shoff, "section table", "%d sections of %d bytes do not fit into the file of %d bytes", num, entry, size)
	}
	if names >= num {
		return errorf(h.Shoff, "section table", "section %d is to hold the names, and there are %d", names, num)
	}
	img.size = max(img.size, h.Shoff+num*entry)
	img.sections = make([]Section, num)
	offsets := make([]uint64, num) // of the names
	for i := range img.sections {
		s := &img.sections[i]
		off := h.Shoff + uint64(i)*entry
		if err := img.section(off, s); err != nil {
			return err
		}
		offsets[i] = uint64(binary.LittleEndian.Uint32(img.data[off:]))
		if i == 0 || s.Type == uint32(elf.SHT_NULL) || s.nobits() {
			continue
		}
		if s.Offset > size || s.Size > size-s.Offset {
			return errorf(off, "section table", "section %d has %d bytes at 0x%x, and the file has %d", i, s.Size, s.Offset, size)
		}
		s.Data = img.data[s.Offset : s.Offset+s.Size : s.Offset+s.Size]
		img.size = max(img.size, s.Offset+s.Size)
	}
	table := newStrings(&img.sections[names])
	for i := range img.sections {
		name, err := table.at(offsets[i])
		if err != nil {
			return err
		}
		img.sections[i].Name = name
	}
	return nil
}

// nobits reports whether the file holds nothing of a section but its size. Of
// global memory without initial values (0x70000007) and of shared memory
// (0x7000000a, 0x70000015) it holds nothing either.
func (s *Section) nobits() bool {
	switch s.Type {
	case uint32(elf.SHT_NOBITS), 0x70000007, 0x7000000a, 0x70000015:
		return true
	}
	return false
}

// section reads an entry of the section table, but for its name.
func (img *image) section(off uint64, s *Section) error {
	// Of 64 bits: name, type, then flags, address, offset and size of a word each, link,
	// info, and alignment and size of an entry of a word each.
	word := img.bits / 8
	b, err := piece(img.data, off, 16+6*word, "section table")
	if err != nil {
		return err
	}
	*s = Section{
		Type: le.Uint32(b[4:]), Flags: img.word(b[8:]), Address: img.word(b[8+word:]),
		Offset: img.word(b[8+2*word:]), Size: img.word(b[8+3*word:]),
		Link: le.Uint32(b[8+4*word:]), Info: le.Uint32(b[12+4*word:]),
		Align: img.word(b[16+4*word:]), EntSize: img.word(b[16+5*word:]),
	}
	return nil
}

// word is a word of the file's class.
func (img *image) word(b []byte) uint64 {
	if img.bits == 32 {
		return uint64(le.Uint32(b))
	}
	return le.Uint64(b)
}

var le = binary.LittleEndian

// A stringTable is one of an ELF file. It is converted once, so that the
// names in it share its memory.
type stringTable struct {
	*Section
	all string
}

func newStrings(s *Section) stringTable { return stringTable{Section: s, all: string(s.Data)} }

// at is the name that begins at an offset.
func (t stringTable) at(off uint64) (string, error) {
	if off == 0 && len(t.all) == 0 {
		return "", nil
	}
	if off >= uint64(len(t.all)) {
		return "", errorf(t.Offset, "strings of section "+t.Name, "a name is at 0x%x, and there are %d bytes", off, len(t.all))
	}
	name, _, ok := strings.Cut(t.all[off:], "\x00")
	if !ok {
		return "", errorf(t.Offset+off, "strings of section "+t.Name, "the name that begins here has no end")
	}
	return name, nil
}

package cubin

import (
	"cmp"
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
	switch class := elf.Class(data[elf.EI_CLASS]); class {
	case elf.ELFCLASS64:
		img.bits = 64
	case elf.ELFCLASS32:
		img.bits = 32
	default:
		return nil, errorf(elf.EI_CLASS, header, "the class is %d, neither 1 for 32 bits nor 2 for 64", class)
	}
	// After the identification: type, machine, version, then the entry point and the places of the tables of segments and of
	// sections, of a word each, and the rest.
	word := img.bits / 8
	b, err := piece(data, 0, 40+3*word, header)
	if err != nil {
		return nil, err
	}
	img.typ, img.machine, img.version = elf.Type(le.Uint16(b[16:])), elf.Machine(le.Uint16(b[18:])), le.Uint32(b[20:])
	segments, sections, rest := img.word(b[24+word:]), img.word(b[24+2*word:]), b[24+3*word:]
	img.flags = le.Uint32(rest)
	img.size = max(uint64(le.Uint16(rest[4:])), segments+uint64(le.Uint16(rest[6:]))*uint64(le.Uint16(rest[8:])))
	return img, img.table(sections, le.Uint16(rest[10:]), le.Uint16(rest[12:]), le.Uint16(rest[14:]))
}

// piece is n bytes at an offset of data.
func piece(data []byte, off uint64, n int, where string) ([]byte, error) {
	if off > uint64(len(data)) || uint64(len(data))-off < uint64(n) {
		return nil, errorf(off, where, "%d bytes are read here, and the file ends at %d; it may have been cut short", n, len(data))
	}
	return data[off:][:n], nil
}

// table reads the section table, which has so many entries of a size, and the sections' names.
func (img *image) table(at uint64, size, count, ofNames uint16) error {
	if at == 0 {
		return nil
	}
	entry := uint64(16 + 6*img.bits/8)
	if uint64(size) != entry {
		return errorf(0, header, "an entry of the section table has %d bytes, it should have %d", size, entry)
	}
	var first Section // where a count stands that does not fit
	if err := img.section(at, &first); err != nil {
		return err
	}
	num, names := cmp.Or(uint64(count), first.Size), uint64(ofNames)
	if names == uint64(elf.SHN_XINDEX) {
		names = uint64(first.Link)
	}
	all := uint64(len(img.data))
	if num > (all-at)/entry {
		return errorf(at, "section table", "%d sections of %d bytes do not fit into the file of %d bytes", num, entry, all)
	}
	if names >= num {
		return errorf(at, "section table", "section %d is to hold the names, and there are %d", names, num)
	}
	img.size = max(img.size, at+num*entry)
	img.sections = make([]Section, num)
	offsets := make([]uint64, num) // of the names
	for i := range img.sections {
		s := &img.sections[i]
		off := at + uint64(i)*entry
		if err := img.section(off, s); err != nil {
			return err
		}
		offsets[i] = uint64(binary.LittleEndian.Uint32(img.data[off:]))
		if i == 0 || s.Type == uint32(elf.SHT_NULL) || s.nobits() {
			continue
		}
		if s.Offset > all || s.Size > all-s.Offset {
			return errorf(off, "section table", "section %d has %d bytes at 0x%x, and the file has %d", i, s.Size, s.Offset, all)
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

package cubin

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"slices"
	"strings"
)

// Debug is what a file has for debuggers of its functions and their types; nil where it has nothing. The
// assembler takes it over from PTX that compilers make with -G.
//
// Objects have relocations in it, which are applied where they are against other sections of its kind; of
// addresses of code nothing is known.
func (f *File) Debug() (*dwarf.Data, error) {
	info, abbrev := f.Section(".debug_info"), f.Section(".debug_abbrev")
	if info == nil || abbrev == nil || len(info.Data) == 0 {
		return nil, nil
	}
	var text []byte
	if s := f.Section(".debug_str"); s != nil {
		text = s.Data
	}
	return dwarf.New(abbrev.Data, nil, nil, f.relocated(info), nil, nil, nil, text)
}

// maxHostDebug is how much for debuggers of a host's code is read, in bytes: it is copied.
const maxHostDebug = 256 << 20

// HostDebug is what an ELF file for a host, such as [Image.Host], has for debuggers; nil where that is nothing, more
// than is read, or damaged.
func HostDebug(host []byte) *dwarf.Data {
	if len(host) == 0 {
		return nil
	}
	f, err := elf.NewFile(bytes.NewReader(host))
	if err != nil {
		return nil
	}
	some, size := false, uint64(0)
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
			some, size = true, size+min(s.Size, maxHostDebug+1)
		}
	}
	if !some || size > maxHostDebug {
		return nil
	}
	data, err := f.DWARF()
	if err != nil {
		return nil
	}
	return data
}

// Kinds of relocations in sections for debuggers: a number of 32 and one of 64 bits.
const (
	reloc32 = 1
	reloc64 = 2
)

// relocated is the contents of a section with those relocations applied that have addends. The others leave
// them as they stand: sections for debuggers begin at 0.
func (f *File) relocated(s *Section) []byte {
	table := f.Section(".rela" + s.Name)
	if table == nil || f.AddressSize != 64 {
		return s.Data
	}
	const entry = 24
	out := slices.Clone(s.Data)
	for b := table.Data; len(b) >= entry; b = b[entry:] {
		at, kind, symbol := le.Uint64(b), le.Uint32(b[8:]), uint64(le.Uint32(b[12:]))
		if symbol >= uint64(len(f.Symbols)) || at > uint64(len(out)) {
			continue
		}
		sym := &f.Symbols[symbol]
		if sym.Section <= 0 || sym.Section >= len(f.Sections) || !strings.HasPrefix(f.Sections[sym.Section].Name, ".debug_") {
			continue
		}
		value := sym.Value + le.Uint64(b[16:])
		switch left := uint64(len(out)) - at; {
		case kind == reloc32 && left >= 4:
			le.PutUint32(out[at:], uint32(value))
		case kind == reloc64 && left >= 8:
			le.PutUint64(out[at:], value)
		}
	}
	return out
}

package cubin

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Debug is the information of a file for debuggers on its functions and their types; nil where it has none. The
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

// A HostData is the information of a program for debuggers.
type HostData struct {
	*dwarf.Data
	// Units are the types that stand in units of their own, as -fdebug-types-section makes them, by their signatures.
	Units map[uint64]dwarf.Offset
}

// HostDebug is what an ELF file for a host, such as [Image.Host], has for debuggers; nil where that is nothing, more
// than is read, or damaged.
func HostDebug(host []byte) *HostData {
	if len(host) == 0 {
		return nil
	}
	f, err := elf.NewFile(bytes.NewReader(host))
	if err != nil {
		return nil
	}
	size, infos, types, wide := uint64(0), 0, 0, false
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
			size += min(s.Size, maxHostDebug+1)
		}
		switch s.Name {
		case ".debug_info":
			infos++
		case ".debug_types":
			types++
		case ".debug_str_offsets":
			var first [4]byte
			_, err := s.ReadAt(first[:], 0)
			wide = err == nil && le.Uint32(first[:]) == math.MaxUint32
		}
	}
	if size == 0 || size > maxHostDebug {
		return nil
	}
	out := &HostData{Units: make(map[uint64]dwarf.Offset)}
	if infos < 2 && types == 0 && !wide {
		if s := f.Section(".debug_info"); s != nil {
			if info, err := s.Data(); err == nil {
				out.units(f.ByteOrder, info, 0)
			}
		}
		if out.Data, err = f.DWARF(); err != nil {
			return nil
		}
		return out
	}
	if out.Data, err = out.joined(f); err != nil {
		return nil
	}
	return out
}

// joined reads a file with types in sections of their own, of which debug/dwarf reads one, or none. They are appended to
// .debug_info: a unit of .debug_types is one of that but for its signature and the place of its type, in whose place
// an end of children does not matter. Of a unit, debug/dwarf looks up strings by offsets from the beginning of their section
// before it finds where its own begin: the header there must not be one of 64 bits, whose length is no string's.
func (d *HostData) joined(f *elf.File) (*dwarf.Data, error) {
	sections, starts := make(map[string][]byte), make([]uint64, len(f.Sections))
	for _, types := range []bool{false, true} {
		for i, s := range f.Sections {
			name, ok := strings.CutPrefix(s.Name, ".debug_")
			if ok = ok && types == (name == "types"); !ok {
				continue
			}
			if types {
				name = "info"
			}
			b, err := s.Data()
			if err != nil {
				return nil, err
			}
			starts[i] = uint64(len(sections[name]))
			sections[name] = append(sections[name], b...)
			if types {
				d.units(f.ByteOrder, sections[name], int(starts[i]))
			}
		}
	}
	d.units(f.ByteOrder, sections["info"], 0)
	if f.Type == elf.ET_REL {
		relocateHost(f, sections, starts)
	}
	if b := sections["str_offsets"]; len(b) >= 16 && le.Uint32(b) == math.MaxUint32 {
		clear(b[:16])
	}
	out, err := dwarf.New(sections["abbrev"], nil, nil, sections["info"], nil, nil, nil, sections["str"])
	for _, name := range []string{"addr", "line_str", "str_offsets"} {
		if b := sections[name]; err == nil && b != nil {
			err = out.AddSection(".debug_"+name, b)
		}
	}
	return out, err
}

// units notes the types of units from a place of .debug_info on. Those of .debug_types, which stand at the end, lose what
// other units do not have.
func (d *HostData) units(order binary.ByteOrder, info []byte, start int) {
	const typeUnit, splitType = 2, 6 // DW_UT_type, DW_UT_split_type
	for at := start; at+16 <= len(info); {
		word, size, p := 4, uint64(order.Uint32(info[at:])), at+4
		if size == 0xffffffff {
			word, size, p = 8, order.Uint64(info[p:]), p+8
		}
		end := uint64(p) + size
		if size < 3 || end > uint64(len(info)) {
			return
		}
		version := order.Uint16(info[p:])
		signature := p + 2 + word + 1 // after the version, the abbreviations and the size of addresses
		isType := version == 4 && start > 0
		if version >= 5 {
			signature++
			isType = info[p+2] == typeUnit || info[p+2] == splitType
		}
		if isType && size >= 28 {
			place := uint64(order.Uint32(info[signature+8:]))
			if word == 8 {
				place = order.Uint64(info[signature+8:])
			}
			d.Units[order.Uint64(info[signature:])] = dwarf.Offset(uint64(at) + min(place, size))
			if version == 4 {
				clear(info[signature : signature+8+word])
			}
		}
		at = int(end)
	}
}

// relocateHost applies to sections of an object, which are joined by name and of which each has a start there, the
// relocations against other sections of their kind.
func relocateHost(f *elf.File, sections map[string][]byte, starts []uint64) {
	kinds := map[elf.Machine][2]uint32{elf.EM_X86_64: {uint32(elf.R_X86_64_32), uint32(elf.R_X86_64_64)}, elf.EM_AARCH64: {uint32(elf.R_AARCH64_ABS32), uint32(elf.R_AARCH64_ABS64)}}[f.Machine]
	symbols, err := f.Symbols()
	if err != nil {
		return
	}
	for _, table := range f.Sections {
		if table.Type != elf.SHT_RELA || int(table.Info) >= len(f.Sections) {
			continue
		}
		name, ok := strings.CutPrefix(f.Sections[table.Info].Name, ".debug_")
		if name == "types" {
			name = "info"
		}
		b, err := table.Data()
		if !ok || err != nil {
			continue
		}
		relocate(sections[name], b, starts[table.Info], func(symbol uint32) (uint64, bool) {
			if symbol == 0 || uint64(symbol) > uint64(len(symbols)) { // the first is left out
				return 0, false
			}
			sym := &symbols[symbol-1]
			if int(sym.Section) >= len(f.Sections) || !strings.HasPrefix(f.Sections[sym.Section].Name, ".debug_") {
				return 0, false
			}
			return sym.Value + starts[sym.Section], true
		}, kinds)
	}
}

// relocated is the contents of a section with the relocations applied that have addends. The others leave
// them as they stand: sections for debuggers begin at 0.
func (f *File) relocated(s *Section) []byte {
	table := f.Section(".rela" + s.Name)
	if table == nil || f.AddressSize != 64 {
		return s.Data
	}
	out := slices.Clone(s.Data)
	relocate(out, table.Data, 0, func(symbol uint32) (uint64, bool) {
		if uint64(symbol) >= uint64(len(f.Symbols)) {
			return 0, false
		}
		sym := &f.Symbols[symbol]
		return sym.Value, sym.Section > 0 && sym.Section < len(f.Sections) && strings.HasPrefix(f.Sections[sym.Section].Name, ".debug_")
	}, [2]uint32{1, 2})
	return out
}

// relocate applies relocations with addends, whose places count from start: of the two kinds, of which one is a number of 32 bits and
// the other one of 64, and against those symbols that have a value.
func relocate(data, table []byte, start uint64, value func(symbol uint32) (uint64, bool), kinds [2]uint32) {
	const entry = 24
	for b := table; len(b) >= entry; b = b[entry:] {
		at, kind := le.Uint64(b), le.Uint32(b[8:])
		if at += start; at < start || at > uint64(len(data)) {
			continue
		}
		v, ok := value(le.Uint32(b[12:]))
		switch left := uint64(len(data)) - at; {
		case !ok:
		case kind == kinds[0] && left >= 4:
			le.PutUint32(data[at:], uint32(v+le.Uint64(b[16:])))
		case kind == kinds[1] && left >= 8:
			le.PutUint64(data[at:], v+le.Uint64(b[16:]))
		}
	}
}

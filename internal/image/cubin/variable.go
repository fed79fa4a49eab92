package cubin

import (
	"debug/elf"
	"strings"
)

// A Variable is a variable that other files can see, or that is defined in another
// one.
//
// Measured with 11.8 and 13.5 on sm_80: symbols of variables have the type 13 in
// objects and 1 in what is linked; st_other says their space, 0x20 global, 0x40 shared,
// 0x80 const, and 0x04 for managed ones beside it; the value of a common symbol is its
// alignment. Textures, surfaces and samplers have the type 10, and no trace of whether
// the file defines them.
type Variable struct {
	Name    string
	Space   string // "global", "shared" or "const"; "handle" for a texture, a surface or a sampler; "" where it is unknown
	Size    int64  // bytes; 0 for an array without extent and for a handle
	Align   int64  // bytes, of common ones; 0: not recorded
	Defined bool   // here; a common one counts as defined
	Common  bool
	Weak    bool
	Managed bool
	Init    []byte // its bytes; nil where the file has none, as of what begins with zeros
}

// Types of symbols beside ELF's own, and bits of st_other.
const (
	typeHandle   = 10
	typeVariable = 13

	otherManaged = 0x04
	otherGlobal  = 0x20
	otherShared  = 0x40
	otherConst   = 0x80

	commonSection = 0xfff2
)

// Variables returns the variables that other files can see, and those that the file
// takes from others, in the order of its symbols.
func (f *File) Variables() []Variable {
	var all []Variable
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if s.Name == "" || s.Binding == elf.STB_LOCAL || s.Type != elf.STT_OBJECT && s.Type != typeVariable && s.Type != typeHandle {
			continue
		}
		v := Variable{
			Name: s.Name, Size: int64(s.Size), Defined: s.Section != 0, Common: s.Section == commonSection,
			Weak: s.Binding == elf.STB_WEAK, Managed: s.Other&otherManaged != 0,
		}
		switch {
		case s.Type == typeHandle:
			v.Space = "handle"
		case s.Other&otherGlobal != 0:
			v.Space = "global"
		case s.Other&otherShared != 0:
			v.Space = "shared"
		case s.Other&otherConst != 0:
			v.Space = "const"
		}
		if v.Common {
			v.Align = int64(s.Value)
		} else if s.Section > 0 && s.Section < len(f.Sections) {
			v.Init = f.initial(&f.Sections[s.Section], s)
		}
		all = append(all, v)
	}
	return all
}

// initial are the bytes of a variable in its section, nil where it has none.
func (f *File) initial(in *Section, s *Symbol) []byte {
	if !strings.HasPrefix(in.Name, ".nv.global.init") && !strings.HasPrefix(in.Name, ".nv.constant") {
		return nil
	}
	n := uint64(len(in.Data))
	if s.Value > n || s.Size > n-s.Value {
		return nil
	}
	return in.Data[s.Value : s.Value+s.Size : s.Value+s.Size]
}

package verify

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// A use says as what a kernel uses bits that it has loaded: bits of a set.
type use uint8

const (
	asInteger use = 1 << iota
	asFloat
	atAll // there is an instruction that reads it
)

// uses are what the instructions of a body say of the registers that they read: the types of the instructions, and
// of a mov without one the class of the register that it writes. Logical instructions, selections, stores of
// integers and the like move floats too, and say nothing. Registers that are written more than once are not followed.
type uses struct {
	of     map[string]use
	writes map[string]int
	moves  map[string][]string  // where a register is copied to
	halves map[string][2]string // the low and the high half of one of 64 bits
}

func newUses(stmts []ptx.Stmt) *uses {
	u := &uses{make(map[string]use), make(map[string]int), make(map[string][]string), make(map[string][2]string)}
	floats := make(map[string]bool) // registers, and with <> the beginnings of the names of many
	wrote := func(list []ptx.Operand) {
		for n := range ptx.Names(list) {
			u.writes[n.Name()]++
		}
	}
	for _, s := range stmts {
		switch s := s.(type) {
		case *ptx.Decl:
			for i := range s.Vars {
				name := s.Vars[i].Name
				if s.Vars[i].Ranged() {
					name += "<>"
				}
				if s.Space == ptx.RegSpace {
					floats[name] = s.Type.Class() == ptx.Float
				}
			}
		case *ptx.Access:
			for i := range s.Regs {
				name := s.Regs[i].Name()
				switch {
				case !s.Store:
					u.writes[name]++
				case s.Type.Class() == ptx.Float:
					u.of[name] |= asFloat | atAll
				default:
					u.of[name] |= atAll
				}
			}
		case *ptx.Call:
			wrote(s.Results)
			wrote(s.Params)
		case *ptx.Instr:
			src := s.Ops()
			if len(src) > 0 && src[0].Kind != ptx.KindAddress {
				wrote(src[:1])
				src = src[1:]
			}
			is := useBy(s.Op) | atAll
			if strings.HasPrefix(s.Op, "mov.") && is&asFloat == 0 && len(s.Ops()) == 2 {
				dst, from := &s.Ops()[0], src[0].Text
				if dst.Kind == ptx.KindVector {
					u.of[from] |= atAll
					if len(dst.Elems) == 2 {
						u.halves[from] = [2]string{dst.Elems[0].Text, dst.Elems[1].Text}
					}
					continue
				}
				if is = atAll; floats[dst.Text] || floats[strings.TrimRight(dst.Text, "0123456789")+"<>"] {
					is |= asFloat
				}
				u.moves[from] = append(u.moves[from], dst.Text)
			}
			for n := range ptx.Names(src) {
				u.of[n.Name()] |= is
			}
		}
	}
	return u
}

// useBy is as what an instruction takes its operands, by its name.
func useBy(op string) use {
	parts := strings.Split(op, ".")
	switch parts[0] {
	case "ld", "ldu", "st", "tex", "tld4", "suld", "sust", "sured", "selp", "slct", "shfl", "prmt", "mma", "wmma":
		if parts[0] == "st" && slices.Contains([]string{"f32", "f64"}, parts[len(parts)-1]) {
			return asFloat
		}
		return 0 // the type is that of memory, the width alone counts, or operands have several types
	case "shl", "shr":
		return asInteger
	}
	switch parts[len(parts)-1] {
	case "f32", "f64":
		return asFloat
	case "s32", "u32", "s64", "u64":
		return asInteger
	}
	return 0
}

// as is what a register is used as, and what it is copied to; 0 if nothing shows it.
func (u *uses) as(reg string) use {
	var is use
	seen := make(map[string]bool)
	for todo := []string{reg}; len(todo) > 0; {
		reg, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if seen[reg] || u.writes[reg] != 1 {
			continue
		}
		seen[reg] = true
		is |= u.of[reg]
		todo = append(todo, u.moves[reg]...)
	}
	return is &^ atAll
}

// reads reports whether anything reads a register, as far as is known.
func (u *uses) reads(reg string) bool { return u.writes[reg] != 1 || u.of[reg]&atAll != 0 }

// partsOf are the uses of the halves into which a register of 64 bits is taken apart.
func (u *uses) partsOf(reg string) (parts [2]use) {
	if half, ok := u.halves[reg]; ok && u.writes[reg] == 1 {
		parts = [2]use{u.as(half[0]), u.as(half[1])}
	}
	return parts
}

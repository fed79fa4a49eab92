package measured

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// move returns the registers of a move, in the spellings of it; ok is false for
// other instructions.
func move(in *sass.Instr) (dst, src sass.Reg, ok bool) {
	args := in.Args
	switch {
	case in.Op == "MOV" && len(args) == 2:
	case in.Op == "IMAD.MOV.U32" && len(args) == 4:
	default:
		return 0, 0, false
	}
	last := args[len(args)-1]
	if args[0].Kind != sass.KindRegister || last.Kind != sass.KindRegister {
		return 0, 0, false
	}
	return args[0].Reg, last.Reg, true
}

// moveFrom returns where the first move from a register goes, and the rest of
// the list.
func moveFrom(list []sass.Instr, from sass.Reg) (to sass.Reg, rest []sass.Instr, ok bool) {
	for i := range list {
		if dst, src, isMove := move(&list[i]); isMove && src == from && dst != from {
			return dst, list[i+1:], true
		}
	}
	return 0, nil, false
}

// Frames derives facts from the module "static" of the probe "frames".
func Frames(s *Section) (map[string]string, error) {
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	facts := make(map[string]string)
	old, kept, err := s.OldSP("realign")
	if err != nil {
		return nil, err
	}
	list := code(p, "realign")
	facts["old stack pointer of a realigned frame"] = fmt.Sprintf("R%d, kept in R%d", old, kept)
	and := find(list, func(in *sass.Instr) bool { return destines(in, sass.SP) && strings.HasPrefix(in.Op, "LOP") })
	facts["alignment of the stack pointer"] = form(&and)

	var words []int64
	op := "add"
	for _, in := range list {
		for _, o := range in.Args {
			if o.Kind == sass.KindConst {
				words = append(words, o.Off)
				if in.Op == "LOP.OR" {
					op = "or"
				}
			}
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) == 0 {
		return nil, fmt.Errorf("%s: no constant of local memory", s.Targets[0])
	}
	text := fmt.Sprintf("%s %s", op, abi.ConstAddr{Off: int(words[0])})
	if len(words) > 1 {
		text += fmt.Sprintf(", high word %s", abi.ConstAddr{Off: int(words[1])})
	}
	facts["local to generic address"] = text
	return facts, nil
}

// SavedAt returns the registers that a function stores to its frame before
// anything else of it, by offset.
func (s *Section) SavedAt(fn string) (map[int64]sass.Reg, error) {
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	at := make(map[int64]sass.Reg)
	for _, in := range code(p, fn) {
		if in.Op == "STL" && in.Args[0].Kind == sass.KindMem && in.Args[0].Reg == sass.SP && in.Args[1].Kind == sass.KindRegister {
			r := in.Args[1].Reg
			if r == 2 || r >= 16 && r != sass.RZ {
				if _, ok := at[in.Args[0].Off]; !ok {
					at[in.Args[0].Off] = r
				}
			}
		}
	}
	return at, nil
}

// FrameBase returns the register that a function of the module "alloca" copies
// the stack pointer to once it has adjusted it.
func (s *Section) FrameBase(fn string) (sass.Reg, error) {
	p, err := s.program()
	if err != nil {
		return 0, err
	}
	list := code(p, fn)
	adjusted := slices.IndexFunc(list, func(in sass.Instr) bool {
		return destines(&in, sass.SP) && !strings.HasPrefix(in.Op, "MOV")
	})
	to, _, ok := moveFrom(list[adjusted+1:], sass.SP)
	if !ok {
		return 0, fmt.Errorf("%s: no copy of the stack pointer in %s", s.Targets[0], fn)
	}
	return to, nil
}

// OldSP returns the registers that a function which realigns copies the stack
// pointer to, first before the change and then for as long as it runs.
func (s *Section) OldSP(fn string) (old, kept sass.Reg, err error) {
	p, err := s.program()
	if err != nil {
		return 0, 0, err
	}
	old, rest, ok := moveFrom(code(p, fn), sass.SP)
	if ok {
		kept, _, ok = moveFrom(rest, old)
	}
	if !ok {
		return 0, 0, fmt.Errorf("%s: %s does not keep the stack pointer", s.Targets[0], fn)
	}
	return old, kept, nil
}

// Spelling derives facts from a section of the probe "spelling".
func Spelling(s *Section) (map[string]string, error) {
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	list := code(p, "f")
	with := func(n int64) string {
		in := find(list, func(in *sass.Instr) bool {
			return slices.ContainsFunc(in.Args, func(o sass.Operand) bool { return o.Kind == sass.KindImm && o.Off == n })
		})
		return in.Op
	}
	add := find(list, func(in *sass.Instr) bool { return strings.Contains(in.Op, "ADD") })
	return map[string]string{
		"addition of registers": add.Op, "byte selection": with(0x5410), "immediate load": with(0x12345678),
	}, nil
}

// Widths returns the operation codes with which a function of the probe
// "widths" accesses memory, without repetition, in alphabetical order: those
// that begin with prefix.
func (s *Section) Widths(fn, prefix string) ([]string, error) {
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	var ops []string
	for _, in := range code(p, fn) {
		if strings.HasPrefix(in.Op, prefix) && !strings.HasPrefix(in.Op, "LDCU") && !destines(&in, sass.SP) {
			ops = append(ops, in.Op)
		}
	}
	slices.Sort(ops)
	return slices.Compact(ops), nil
}

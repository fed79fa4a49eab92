package frame

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/sequence"
	"github.com/ptxabi/ptxabi/sass"
)

func code(op, note string, args ...sass.Operand) sass.Item {
	return sass.Item{Instr: sass.Instr{Op: op, Args: args, Note: note}}
}

// does is an item with what it does for the convention.
func does(it sass.Item, step sass.Step) sass.Item {
	it.Step = step
	return it
}

func move(dst, src sass.Reg, note string) sass.Item {
	return code("MOV", note, sass.R(dst), sass.R(src))
}

// Add returns the instruction that sets dst to the sum of src and a number, as the target
// spells that of its stack pointer.
func Add(t *abi.Target, dst, src sass.Reg, n int64) sass.Item {
	if n == 0 {
		return move(dst, src, "")
	}
	args := []sass.Operand{sass.R(dst)}
	if t.Spelling.AddPT {
		args = append(args, sass.P("PT"), sass.P("PT"))
	}
	args = append(args, sass.R(src), sass.I(n))
	if t.Spelling.AdjustSPZero {
		args = append(args, sass.R(sass.RZ))
	}
	return code(t.Spelling.AdjustSP, "", args...)
}

// Align returns the instruction that rounds the stack pointer down to a multiple of a power of
// two.
func Align(t *abi.Target, align int) sass.Item {
	sp := sass.R(t.Regs.SP)
	args := []sass.Operand{sp, sp, sass.I(int64(uint32(-align)))}
	if t.Spelling.AlignSPTable != 0 {
		args = append(args, sass.R(sass.RZ), sass.I(int64(t.Spelling.AlignSPTable)), sass.P("!PT"))
	}
	return code(t.Spelling.AlignSP, "", args...)
}

// Address returns the instructions that load the address of a function into two registers.
// From sm_90 on that is the address of its entry in a table, which an indirect call takes.
func Address(t *abi.Target, dst sass.Reg, name string) []sass.Item {
	if t.Spelling.IndirectTable != "" {
		name = "fun@unified(" + name + ")"
	}
	return []sass.Item{
		code(t.Spelling.LoadImm, "", sass.R(dst), sass.LoSym(name)),
		code(t.Spelling.LoadImm, "", sass.R(dst+1), sass.HiSym(name)),
	}
}

// begin returns what each function of the target begins with.
func begin(t *abi.Target) (list []sass.Item) {
	for _, in := range sass.EntryCode(cmp.Or(t.AssumedFrom, t.Name)) {
		list = append(list, sass.Item{Instr: in})
	}
	if list != nil {
		list = append(list, sass.Item{Kind: sass.Label, Text: sass.EntryEnd})
	}
	return list
}

// moves are words that are moved at once.
type moves struct {
	code    lir.Code
	written abi.RegSet
}

// value adds the words of a value in registers.
func (m *moves) value(t *abi.Target, p abi.Placement, from []sass.Reg) error {
	if len(from) != p.Words() {
		return fmt.Errorf("%d words for %s", len(from), p)
	}
	for k, r := range from {
		if r == t.Frame.Scratch {
			return fmt.Errorf("a word for %s is in %s, which is overwritten where words change places", p, sass.R(r))
		}
		to := p.Loc.Reg + sass.Reg(k)
		m.code.Add(lir.Member, "", sass.Pos{})
		in := m.code.Add(lir.Copy, "", sass.Pos{})
		in.Dst, in.A = lir.Phys(to), lir.Phys(r)
		m.written = m.written.Union(abi.Regs(to))
	}
	return nil
}

// sequence returns the moves in an order in which none overwrites what another one still reads.
func (m *moves) sequence(t *abi.Target) []sass.Item {
	m.code.List = slices.Insert(m.code.List, 0, lir.Inst{Op: lir.Group})
	m.code.Add(lir.Apart, "", sass.Pos{})
	return sequence.Run(&m.code, &sequence.Regs{Cycle: t.Frame.Scratch, Scratch: sass.RZ}).Items()
}

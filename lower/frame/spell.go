package frame

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/sequence"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
	"github.com/ptxabi/ptxabi/sass"
)

func spelling(t *abi.Target) *machine.Spelling { return &machine.Of(zero.Or(t).SM).Spelling }

func code(op, note string, args ...sass.Operand) sass.Item {
	return sass.Item{Instr: sass.Instr{Op: op, Args: args, Note: note}}
}

// items returns the items that emit appends to a function with a name.
func items(t *abi.Target, name string, emit func(*stack.Emitter)) []sass.Item {
	e := stack.NewEmitter(zero.Or(t), name)
	emit(e)
	return e.Items()
}

// Add returns the instruction that sets dst to src plus n, as the target spells the addition to its stack pointer.
func Add(t *abi.Target, dst, src sass.Reg, n int64) sass.Item {
	return items(t, "", func(e *stack.Emitter) { e.Sum(lir.Phys(dst), lir.Phys(src), n, lir.Note{}) })[0]
}

// Align returns the instruction that rounds the stack pointer down to a multiple of align, a power of two.
func Align(t *abi.Target, align int) sass.Item {
	return items(t, "", func(e *stack.Emitter) { e.Align(align, lir.Note{}) })[0]
}

// Address returns the instructions that load the address of a function into dst and the next register.
// From sm_90 on that is the address of its entry in a table, which an indirect call takes.
func Address(t *abi.Target, dst sass.Reg, name string) []sass.Item {
	if spelling(t).IndirectTable != "" {
		name = "fun@unified(" + name + ")"
	}
	return []sass.Item{
		code(spelling(t).LoadImm, "", sass.Register(dst), sass.Operand{Kind: sass.KindLo32, Name: name}),
		code(spelling(t).LoadImm, "", sass.Register(dst+1), sass.Operand{Kind: sass.KindHi32, Name: name}),
	}
}

// moves is a group of words that are moved at once, and the instructions after it.
type moves struct {
	*stack.Emitter
	written abi.RegSet
}

func (fr *Frame) newMoves() *moves {
	m := &moves{Emitter: stack.NewEmitter(fr.f.Target, fr.f.Name)}
	m.Labels = fr.labels
	m.Add(lir.Group, "", m.Pos)
	return m
}

// value adds moves of the words of a value from registers to the registers of the convention.
func (m *moves) value(p abi.Placement, from []sass.Reg) error {
	if len(from) != p.Words() {
		return fmt.Errorf("%s for %s", prose.Count(len(from), "word"), p)
	}
	for k, r := range from {
		if r == m.T.Frame.Scratch {
			return fmt.Errorf("a word for %s is in %s, which is overwritten where words change places", p, sass.Register(r))
		}
		to := p.Loc.Reg + sass.Reg(k)
		m.Add(lir.Member, "", m.Pos)
		m.Move(lir.Phys(to), lir.Phys(r), lir.Note{})
		m.written = m.written.Union(abi.Regs(to))
	}
	return nil
}

// end ends the words.
func (m *moves) end() { m.Add(lir.Apart, "", m.Pos) }

// items returns the instructions, the moves in an order in which none overwrites what another one still reads.
func (m *moves) items() []sass.Item {
	return sequence.Run(m.Code, &sequence.Regs{Cycle: m.T.Frame.Scratch, Scratch: sass.RZ}).Items()
}

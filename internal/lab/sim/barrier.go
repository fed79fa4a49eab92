package sim

import (
	"fmt"
	"strconv"

	"github.com/ptxabi/ptxabi/sass"
)

// Barriers describe a machine whose functions make the barriers ready. The zero
// Barriers is a machine without.
type Barriers struct {
	// Count is how many barriers there are, from B0 up. All of them are 0 whenever a
	// function calls, returns or exits, but for those that a caller holds.
	Count int
	// Flag is the uniform register that is 0 where a kernel begins, and says from
	// then on that the barriers are ready.
	Flag sass.Reg
	// Held is a barrier that every caller holds while a callee runs.
	Held int
}

// held is the value of a barrier that a caller holds.
const held = 0x5a5a5a5a

// barrier returns the word of a barrier.
func (m *Machine) barrier(o *sass.Operand) (*Word, error) {
	if o.Kind == sass.KindOther && len(o.Name) > 1 && o.Name[0] == 'B' {
		if n, err := strconv.Atoi(o.Name[1:]); err == nil && n >= 0 && n < len(m.barriers) {
			return &m.barriers[n], nil
		}
	}
	return nil, fmt.Errorf("%s is not a barrier", o.String())
}

// setBarrier is BMOV.32 B, i.
func setBarrier(m *Machine, in *sass.Instr) error {
	b, err := m.barrier(&in.Args[0])
	if err == nil {
		*b = Number(uint32(in.Args[1].Off))
	}
	return err
}

// moveBarrier is BMOV.32.CLEAR B, B: it leaves zero in the second one.
func moveBarrier(m *Machine, in *sass.Instr) error {
	to, err := m.barrier(&in.Args[0])
	if err != nil {
		return err
	}
	from, err := m.barrier(&in.Args[1])
	if err != nil {
		return err
	}
	if _, ok := from.Value(); !ok {
		return fmt.Errorf("%s is undefined", in.Args[1].String())
	}
	*to, *from = *from, Number(0)
	return nil
}

// setUniform is UMOV UR, i.
func setUniform(m *Machine, in *sass.Instr) error {
	m.uniform[in.Args[0].Reg] = Number(uint32(in.Args[1].Off))
	return nil
}

// compareUniform is ISETP.NE.U32.AND p, PT, RZ, UR, PT.
func compareUniform(m *Machine, in *sass.Instr) error {
	v, ok := m.uniform[in.Args[3].Reg].Value()
	m.SetTruth(in.Args[0].Name, Truth{v != 0, ok})
	return nil
}

// ready checks that the barriers are ready and that the flag is set. Depth is the
// number of calls under way: above 0, one barrier is held.
func (m *Machine) ready(depth int) error {
	b := &m.conf.Barriers
	if b.Count == 0 {
		return nil
	}
	if v, ok := m.uniform[b.Flag].Value(); !ok || v == 0 {
		return fmt.Errorf("flag UR%d does not say that the barriers are ready", b.Flag)
	}
	for i := range b.Count {
		want := uint32(0)
		if depth > 0 && i == b.Held {
			want = held
		}
		if v, ok := m.barriers[i].Value(); !ok || v != want {
			return fmt.Errorf("barrier B%d is %#x, defined: %t, want %#x", i, v, ok, want)
		}
	}
	return nil
}

// hold makes the caller of a function hold a barrier while it runs; release ends
// that when the outermost of them has it back.
func (m *Machine) hold() {
	if b := &m.conf.Barriers; b.Count > 0 {
		m.barriers[b.Held] = Number(held)
	}
}

func (m *Machine) release(depth int) {
	if b := &m.conf.Barriers; b.Count > 0 && depth == 0 {
		m.barriers[b.Held] = Number(0)
	}
}

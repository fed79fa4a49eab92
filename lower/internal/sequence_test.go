package internal_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/sequence"
	"github.com/ptxabi/ptxabi/sass"
)

const (
	scratch = sass.Reg(0)
	cycle   = sass.Reg(3)
	first   = sass.Reg(4) // of those that groups read and write
)

type registers [64]uint32

// step does what an instruction does.
func (m *registers) step(c *lir.Code, in *lir.Inst) {
	read := func(r lir.Reg) uint32 {
		if r == lir.Zero {
			return 0
		}
		return m[r.Num()]
	}
	switch in.Op {
	case lir.Copy:
		m[in.Dst.Num()] = read(in.A)
	case lir.Const:
		m[in.Dst.Num()] = uint32(in.Off)
	case lir.Perm:
		both := uint64(read(in.B))<<32 | uint64(read(in.A))
		var v uint32
		for i := range 4 {
			n := in.Off >> (4 * i) & 0xf
			b := byte(both >> (8 * (n & 7)))
			if n&8 != 0 {
				b = byte(int8(b) >> 7)
			}
			v |= uint32(b) << (8 * i)
		}
		m[in.Dst.Num()] = v
	case lir.Load: // whose words tell the address
		for k := range in.Words() {
			m[int(in.Dst.Num())+k] = read(in.B) + uint32(in.Off) + 0x1000*uint32(k)
		}
	case lir.Instr: // a sum
		m[in.Dst.Num()] = read(in.A) + read(in.B)
	default:
		panic(in.Op)
	}
}

func run(c *lir.Code, m registers) registers {
	for i := range c.List {
		m.step(c, &c.List[i])
	}
	return m
}

// atOnce runs the instructions of code whose groups have not been ordered: each member from
// what the registers held before the group.
func atOnce(c *lir.Code, m registers) registers {
	for at := 0; at < len(c.List); at++ {
		if c.List[at].Op != lir.Group {
			m.step(c, &c.List[at])
			continue
		}
		before := m
		var alone registers
		writes := map[sass.Reg]bool{}
		end := func() {
			for r := range writes {
				m[r] = alone[r]
			}
			alone, writes = before, map[sass.Reg]bool{}
		}
		for at++; c.List[at].Op != lir.Apart; at++ {
			in := &c.List[at]
			if in.Op == lir.Member {
				end()
				continue
			}
			dst, n := in.Dest()
			for k := range n {
				writes[dst.Num()+sass.Reg(k)] = true
			}
			alone.step(c, in)
		}
		end()
	}
	return m
}

func dump(c *lir.Code) []byte {
	c.Spelling = new(machine.Spelling)
	return c.AppendDump(nil)
}

// add appends an instruction.
func add(c *lir.Code, op lir.Op, dst, a, b lir.Reg, off int64) {
	in := c.Add(op, "@%p1", diag.Pos{Line: 7})
	in.Size, in.Dst, in.A, in.B, in.Off = 4, dst, a, b, off
}

// randomGroup appends a group that writes some of n registers from first on and reads any of
// them.
func randomGroup(c *lir.Code, rnd *rand.Rand, n int, copies float64) {
	any := func() lir.Reg { return lir.Phys(first + sass.Reg(rnd.IntN(n))) }
	dsts := rnd.Perm(n)
	dsts = dsts[:rnd.IntN(n+1)]
	c.Add(lir.Group, "", diag.Pos{Line: 5})
	free := map[int]bool{}
	for _, d := range dsts {
		free[d] = true
	}
	for _, d := range dsts {
		if !free[d] {
			continue
		}
		free[d] = false
		dst := lir.Phys(first + sass.Reg(d))
		isCopy := rnd.Float64() < copies
		c.Add(lir.Member, "", diag.Pos{})
		if isCopy {
			add(c, lir.Copy, dst, any(), 0, 0)
			continue
		}
		switch rnd.IntN(6) {
		case 0:
			add(c, lir.Const, dst, 0, 0, rnd.Int64N(1<<32))
		case 1: // of three registers, dst perhaps among them
			a, b, rest := dst, any(), any()
			if rnd.IntN(2) == 0 {
				a = any()
			}
			if rest == dst {
				rest = b
			}
			add(c, lir.Perm, dst, a, b, rnd.Int64N(1<<16))
			if rest != dst {
				add(c, lir.Perm, dst, rest, dst, rnd.Int64N(1<<16))
			}
		case 2: // through the scratch register
			add(c, lir.Const, lir.Phys(scratch), 0, 0, rnd.Int64N(1<<32))
			add(c, lir.Perm, dst, any(), lir.Phys(scratch), rnd.Int64N(1<<16))
		case 3: // with its sign in another one
			add(c, lir.Perm, dst, any(), lir.Zero, rnd.Int64N(1<<16))
			for d, ok := range free {
				if ok {
					free[d] = false
					add(c, lir.Perm, lir.Phys(first+sass.Reg(d)), dst, lir.Zero, 0xbbbb)
					break
				}
			}
		case 4:
			add(c, lir.Load, dst, 0, any(), rnd.Int64N(1<<8))
			if free[d+1] {
				free[d+1], c.List[len(c.List)-1].Size = false, 8
			}
		case 5:
			c.AddArgs("IADD", "@%p1", diag.Pos{}, lir.Note{}, lir.Def(dst), lir.Of(any()), lir.Of(any()))
		}
	}
	c.Add(lir.Apart, "", diag.Pos{})
}

// TestSequence runs random groups at once and in the order that Run gives them, and compares all
// registers but those that an order may take.
func TestSequence(t *testing.T) {
	rnd := rand.New(rand.NewPCG(22, 1))
	sets, spares, cycles := 0, 0, 0
	count := 60_000
	if testing.Short() {
		count = 6000
	}
	for i := range count {
		n := 1 + rnd.IntN(9)
		var c lir.Code
		var contracts []*sass.Contract
		add(&c, lir.Const, lir.Phys(40), 0, 0, 1)
		for range rnd.IntN(3) {
			randomGroup(&c, rnd, n, float64(rnd.IntN(5))/4)
			add(&c, lir.Const, lir.Phys(41), 0, 0, 2)
			contracts = append(contracts, &sass.Contract{})
			c.List[len(c.List)-1].Contract = contracts[len(contracts)-1]
		}
		add(&c, lir.Const, lir.Phys(42), 0, 0, 3)
		var m registers
		for r := range m {
			m[r] = rnd.Uint32()
		}
		want, groups, before := atOnce(&c, m), 0, 0
		for at := range c.List {
			switch c.List[at].Op {
			case lir.Group:
				groups++
			case lir.Member, lir.Apart:
			default:
				before++
			}
		}
		asked := false
		regs := sequence.Regs{
			Cycle: cycle, Scratch: scratch,
			Spare:   func() abi.RegSet { asked = true; return abi.RegRange(first+9, 39) },
			NoSpare: func(diag.Pos) { t.Fatal("no spare register is left") },
		}
		ordered := sequence.Run(&c, &regs)
		got := run(ordered, m)
		for _, r := range []sass.Reg{scratch, cycle} {
			got[r] = want[r]
		}
		if asked {
			spares++
			copy(got[first+9:40], want[first+9:]) // what was set aside
		}
		if len(ordered.List) > before {
			cycles++
		}
		if got != want {
			t.Fatalf("code %d:\n%s\ngives    %v\ninstead of %v", i, dump(ordered), got, want)
		}
		k := 0
		for at := range ordered.List {
			if in := &ordered.List[at]; in.Op == lir.Const && in.Dst == lir.Phys(41) {
				require.Same(t, contracts[k], in.Contract, "the contract is that of another instruction")
				k++
			} else if in.Op == lir.Copy && in.Guard == "" {
				t.Fatal("a copy has no guard: " + strconv.Itoa(at))
			}
		}
		require.Len(t, contracts, k)
		sets += groups
	}
	assert.Positive(t, spares, "groups that need a spare register")
	assert.Positive(t, cycles, "groups in which words go round")
	assert.Greater(t, sets, count/2)
}

// TestSwap shows what becomes of two members that read each other's register.
func TestSwap(t *testing.T) {
	const zero = 0x7777
	tests := []struct {
		name  string
		group func(c *lir.Code)
		want  []lir.Reg // pairs: what is written, what is read first
	}{
		{"copies", func(c *lir.Code) {
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Copy, lir.Phys(4), lir.Phys(5), 0, 0)
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Copy, lir.Phys(5), lir.Phys(4), 0, 0)
		}, []lir.Reg{lir.Phys(3), lir.Phys(4), lir.Phys(4), lir.Phys(5), lir.Phys(5), lir.Phys(3)}},
		{"to itself", func(c *lir.Code) {
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Copy, lir.Phys(4), lir.Phys(4), 0, 0)
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Copy, lir.Phys(5), lir.Phys(4), 0, 0)
		}, []lir.Reg{lir.Phys(5), lir.Phys(4)}},
		{"selections", func(c *lir.Code) {
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Perm, lir.Phys(4), lir.Phys(5), lir.Zero, zero)
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Perm, lir.Phys(5), lir.Phys(4), lir.Zero, zero)
		}, []lir.Reg{lir.Phys(3), lir.Phys(4), lir.Phys(4), lir.Phys(5), lir.Phys(5), lir.Phys(3)}},
		{"a spare register that is written", func(c *lir.Code) {
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Copy, lir.Phys(20), lir.Phys(6), 0, 0)
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Perm, lir.Phys(4), lir.Phys(5), lir.Phys(cycle), zero)
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Perm, lir.Phys(5), lir.Phys(4), lir.Phys(cycle), zero)
		}, []lir.Reg{lir.Phys(20), lir.Phys(6), lir.Phys(21), lir.Phys(4), lir.Phys(4), lir.Phys(5), lir.Phys(5), lir.Phys(21)}},
		{"no cycle", func(c *lir.Code) {
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Perm, lir.Phys(6), lir.Phys(7), lir.Zero, zero)
			c.Add(lir.Member, "", diag.Pos{})
			add(c, lir.Copy, lir.Phys(4), lir.Phys(5), 0, 0)
		}, []lir.Reg{lir.Phys(6), lir.Phys(7), lir.Phys(4), lir.Phys(5)}},
	}
	for _, tt := range tests {
		var c lir.Code
		c.Add(lir.Group, "", diag.Pos{})
		tt.group(&c)
		c.Add(lir.Apart, "", diag.Pos{})
		ordered := sequence.Run(&c, &sequence.Regs{Cycle: cycle, Scratch: scratch, Spare: func() abi.RegSet { return abi.RegRange(20, 21) }})
		var got []lir.Reg
		for _, in := range ordered.List {
			got = append(got, in.Dst, in.A)
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

// TestNoSpare holds that a cycle without a register for it is reported where the group is.
func TestNoSpare(t *testing.T) {
	var c lir.Code
	c.Add(lir.Group, "", diag.Pos{Line: 9})
	for i := range 2 {
		c.Add(lir.Member, "", diag.Pos{})
		add(&c, lir.Const, lir.Phys(cycle), 0, 0, 1) // through the register that a copy would be in
		add(&c, lir.Perm, lir.Phys(first+sass.Reg(i)), lir.Phys(first+sass.Reg(1-i)), lir.Phys(cycle), 0x7777)
	}
	c.Add(lir.Apart, "", diag.Pos{})
	var at []int
	sequence.Run(&c, &sequence.Regs{
		Cycle: cycle, Spare: func() abi.RegSet { return abi.RegRange(first, first+1) },
		NoSpare: func(pos diag.Pos) { at = append(at, int(pos.Line)) },
	})
	assert.Equal(t, []int{9}, at)
}

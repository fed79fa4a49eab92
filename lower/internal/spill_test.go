package internal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/spill"
	"github.com/ptxabi/ptxabi/sass"
)

// area has %a at 0, %b at 8 and %c of four words at 16.
func area() spill.Area {
	return spill.Area{
		At: spill.Offsets{0: 0, 1: 8, 2: 16}, Frame: lir.Phys(1), Off: 0x20, Align: 16,
		Quad: 8, Temp: 12, SP: 1,
	}
}

func TestSpill(t *testing.T) {
	target := must.Target(t, "sm_80")
	a := area()
	va, vb, home := lir.Virt(0, sass.Whole), lir.Virt(1, sass.Whole), lir.Phys(30)
	add := func(c *lir.Code, op lir.Op, size uint8, dst, src, b lir.Reg, off int64) {
		in := c.Add(op, "", diag.Pos{})
		in.Size, in.Dst, in.A, in.B, in.Off = size, dst, src, b, off
	}
	tests := []struct {
		name string
		code func(c *lir.Code)
		want string
	}{
		{"to a slot", func(c *lir.Code) { add(c, lir.Copy, 0, va, home, 0, 0) }, "\tSTL [R1+0x20], R30 ;\n"},
		{"from a slot", func(c *lir.Code) { add(c, lir.Copy, 0, home, vb, 0, 0) }, "\tLDL R30, [R1+0x28] ;\n"},
		{"between slots", func(c *lir.Code) { add(c, lir.Copy, 0, va, vb, 0, 0) }, "\tLDL R8, [R1+0x28] ;\n\tSTL [R1+0x20], R8 ;\n"},
		{
			"two are read", func(c *lir.Code) { add(c, lir.Perm, 0, va, va, vb, 0x5410) },
			"\tLDL R8, [R1+0x20] ;\n\tLDL R9, [R1+0x28] ;\n\tPRMT R8, R8, 0x5410, R9 ;\n\tSTL [R1+0x20], R8 ;\n",
		},
		{"an address", func(c *lir.Code) { add(c, lir.Load, 4, home, 0, va, 4) }, "\tLDL R12, [R1+0x20] ;\n\tLDL R30, [R12+0x4] ;\n"},
		{
			"four words", func(c *lir.Code) { add(c, lir.Store, 16, 0, lir.Virt(2, sass.Whole), lir.Phys(4), 0) },
			"\tLDL.128 R8, [R1+0x30] ;\n\tSTL.128 [R4], R8 ;\n",
		},
		{"a word of four", func(c *lir.Code) { add(c, lir.Copy, 0, home, lir.Virt(2, sass.W2), 0, 0) }, "\tLDL R30, [R1+0x38] ;\n"},
		{"an argument", func(c *lir.Code) {
			c.AddArgs("IADD3", "@%p1", diag.Pos{}, lir.Note{}, lir.Def(va), lir.Of(home), lir.Of(vb), lir.RZ)
		}, "\t@%p1 LDL R8, [R1+0x28] ;\n\t@%p1 IADD3 R8, R30, R8, RZ ;\n\t@%p1 STL [R1+0x20], R8 ;\n"},
		{"none", func(c *lir.Code) { add(c, lir.Copy, 0, home, lir.Virt(3, sass.Whole), 0, 0) }, "\tMOV R30, %d ;\n"},
	}
	for _, tt := range tests {
		c := lir.Code{Spelling: &machine.Of(target.SM).Spelling}
		for _, name := range []string{"%a", "%b", "%c", "%d"} {
			c.Names.Own(name)
		}
		tt.code(&c)
		contract := &sass.Contract{}
		c.List[len(c.List)-1].Contract = contract
		to := a.Run(&c)
		assert.Equal(t, tt.want, string(to.AppendText(nil)), tt.name)
		assert.Same(t, contract, to.List[len(to.List)-1].Contract, tt.name)
	}
}

// TestSpillWidth holds that an access is as wide as the registers, the place and the frame allow.
func TestSpillWidth(t *testing.T) {
	a := area()
	assert.Equal(t, 4, a.Width(lir.Phys(8), 0, 4))
	assert.Equal(t, 2, a.Width(lir.Phys(8), 0, 3), "three words are left")
	assert.Equal(t, 2, a.Width(lir.Phys(10), 0, 4), "the register")
	assert.Equal(t, 2, a.Width(lir.Phys(8), 8, 4), "the place")
	assert.Equal(t, 1, a.Width(lir.Phys(8), 4, 4), "the place")
	a.Align = 8
	assert.Equal(t, 2, a.Width(lir.Phys(8), 0, 4), "the frame")
}

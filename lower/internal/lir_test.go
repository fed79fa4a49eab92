package internal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

const source = ".func f() {\n\t@!%p1 add.s32 %r1,\n\t\t%r2, 1;\n\tadd.s32 %r1, %r2, 1;\n\tret;\n}"

// every returns code with every kind of instruction in it.
func every(t *testing.T) *lir.Code {
	t.Helper()
	m, err := ptx.ParseString("x.ptx", source)
	require.NoError(t, err)
	f := m.Items[0].(*ptx.Func)
	c := new(lir.Code)
	target := must.Target(t, "sm_80")
	c.Func, c.Spelling = f, &machine.Of(target.SM).Spelling
	c.Names.Own("%r1")
	c.Names.Own("%rd1")
	pos := diag.Pos{Line: 3, Col: 1}
	r1, lo, w2 := lir.Virt(0, sass.Whole), lir.Virt(1, sass.Lo), lir.Virt(1, sass.W2)
	text := func(op lir.Op, s string) *lir.Inst {
		return c.AddText(op, s, pos)
	}

	c.Add(lir.Begin, "", pos).Dst = r1
	c.Add(lir.Group, "", pos)
	c.Add(lir.Member, "", pos)
	c.Add(lir.Apart, "", pos)
	text(lir.Comment, "param  a:\nR4")
	in := c.Add(lir.Copy, "@!%p1", pos)
	in.Dst, in.A, in.Note = r1, lir.Phys(4), lir.Bytes("a", 0, 4)
	in = c.Add(lir.Copy, "", pos)
	in.Dst, in.A = lo, lir.Phys(14)
	in = c.Add(lir.Load, "", pos)
	in.Size, in.Dst, in.B, in.Off, in.Note = 8, lir.Virt(1, sass.Whole), lir.Phys(1), 16, lir.Bytes("b", 100, 4096)
	in = c.Add(lir.Load, "", pos)
	in.Size, in.Dst, in.Bank, in.B, in.Off = 4, r1, 1, r1, 0x160
	in = c.Add(lir.Load, "", pos)
	in.Size, in.Dst, in.Bank, in.B, in.Off = 4, r1, 4, lir.Phys(7), 8
	in = c.Add(lir.Store, "@%p1", pos)
	in.Size, in.A, in.B, in.Off, in.Note = 4, w2, r1, -4, lir.Say("saved")
	in = c.Add(lir.Perm, "", pos)
	in.Dst, in.A, in.B, in.Off = r1, lir.Phys(5), lir.Zero, 0x7770
	in = c.Add(lir.Perm, "", pos)
	in.Dst, in.A, in.B, in.Off = r1, lir.Phys(5), lir.Phys(6), 0x54
	in = c.Add(lir.Const, "", pos)
	in.Dst, in.Off = r1, 0xfffffffe
	around, back := c.NewLabel(), c.NewLabel()
	c.AddArgs("BRA", "@%p1", pos, lir.Note{}, lir.To(around)).Contract = &sass.Contract{Gives: []sass.Reg{4}}
	in = c.Add(lir.RetAddr, "", pos)
	in.Dst, in.First, in.Note = lir.Phys(20), back, lir.Say("return address")
	c.AddArgs("CALL.ABS.NOINC", "", pos, lir.Say("convention binds: extern"), lir.Plain(sass.Symbol("callee"))).Contract = &sass.Contract{Stack: []int64{8}}
	c.AddLabel(back)
	c.AddLabel(around)
	c.Add(lir.Label, "", pos).Name = "LOOP"
	c.AddPass(0, false, pos)
	c.AddPass(1, false, pos) // one stretch with that before
	text(lir.Changed, "add.s32 %r1$3,\r%r2, 1")
	c.AddArgs("IADD3", "", pos, lir.Say("frame"), lir.Def(lir.Phys(1)), lir.Of(lir.Phys(1)), lir.I(-16), lir.RZ)
	c.AddArgs("SEL", "", pos, lir.Note{}, lir.Def(lir.Phys(4)), lir.RZ, lir.I(1), lir.P("%p1").Negated())
	c.AddArgs("IADD3", "", pos, lir.Note{}, lir.Def(lir.Phys(1)), lir.Of(lir.Phys(1)), lir.Of(r1).Negated())
	c.AddArgs("RET.ABS.NODEC", "", pos, lir.Note{}, lir.Of(lir.Phys(20)), lir.I(0))
	c.AddArgs("EXIT", "", pos, lir.Note{})
	return c
}

// TestPrinters holds that the text is that of the items, whatever the instruction, and
// that contracts are those of their instructions.
func TestPrinters(t *testing.T) {
	c := every(t)
	seen := make(map[lir.Op]bool)
	for i := range c.List {
		seen[c.List[i].Op] = true
	}
	require.Len(t, seen, int(lir.Apart)+1, "an op is missing here")
	var want []byte
	items := c.Items()
	contracts := 0
	for i := range items {
		want = items[i].AppendText(want)
		if contract := items[i].Instr.Contract; contract != nil {
			contracts++
			assert.Equal(t, len(contract.Stack) == 1, items[i].Instr.Op == "CALL.ABS.NOINC")
			assert.Equal(t, len(contract.Gives) == 1, items[i].Instr.Op == "BRA")
		}
	}
	assert.Equal(t, 2, contracts)
	const before = "before\n"
	got := string(c.AppendText([]byte(before)))
	assert.Equal(t, before+string(want), got)
	assert.Contains(t, got, "convention binds: extern")
	assert.Contains(t, got, "@%p1 BRA `(.L_x_0) ;\n")
	assert.Contains(t, got, "32@lo((f + .L_x_1@srel))")
	assert.NotContains(t, got, "\r")
	assert.Equal(t, strings.Count(got, "\n")-1, len(items))
}

// TestDump holds that a dump has a line for each instruction.
func TestDump(t *testing.T) {
	c := every(t)
	dump := string(c.AppendDump(nil))
	assert.Equal(t, len(c.List)+2, strings.Count(dump, "\n"), "of one instruction two are printed, and of two statements")
	for _, want := range []string{
		"    0     3  begin    %r1\n", "    1     3  at once\n", "    5     3  copy     @!%p1 MOV %r1, R4 ;", "// a[0:4]\n",
		"pass     @!%p1 add.s32 %r1, %r2, 1 ;\n                      add.s32 %r1, %r2, 1 ;\n",
		"retaddr  MOV R20, 32@lo((f + .L_x_1@srel)) ;", "instr    CALL.ABS.NOINC `(callee) ;", "label    LOOP:\n",
	} {
		assert.Contains(t, dump, want)
	}
}

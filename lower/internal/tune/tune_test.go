package tune_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/lower/internal/tune"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// planned returns the plan of a function with registers %r0 to %r7, without the passes that are
// off.
func planned(t *testing.T, off lir.Passes) *place.Plan {
	t.Helper()
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	m, err := ptx.ParseString("x.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.func f() { .reg .b32 %r<8>; ret; }")
	require.NoError(t, err)
	f := m.Items[len(m.Items)-1].(*ptx.Func)
	var p place.Placer
	p.Use(&place.Unit{M: m, T: target, Table: resolve.NewTable(m), AllVirtual: true, Off: off}, &place.Reporter{})
	return p.Place(resolved.New(f, f.Body, false))
}

// codeOf returns code with a run of each kind between instructions of which something is said: loads
// of two words into %r0 and %r1, stores of %r2 twice, a group of a load of two words and a copy, and a call.
func codeOf(plan *place.Plan) *lir.Code {
	c := new(lir.Code)
	c.Reset(plan.F, plan.Registers)
	reg := func(name string) lir.Reg { return plan.Virtual(name, sass.Whole) }
	load := func(dst lir.Reg, off int, note lir.Note) {
		in := c.Add(lir.Load, "", diag.Pos{})
		in.Dst, in.Name, in.Kind, in.B, in.Off, in.First, in.N, in.Note = dst, "LDL", sass.Mem, lir.Phys(1), int64(off), 16, int32(off), note
	}
	store := func(src lir.Reg, off int, note lir.Note) {
		in := c.Add(lir.Store, "", diag.Pos{})
		in.A, in.Name, in.Kind, in.B, in.Off, in.First, in.N, in.Note = src, "STL", sass.Mem, lir.Phys(1), int64(off), 16, int32(off), note
	}
	load(reg("%r0"), 0, lir.Bytes("x", 0, 4))
	load(reg("%r1"), 4, lir.Bytes("x", 4, 8))
	c.AddRun(lir.InTurn, 0).Apart = true
	c.AddArgs("EXIT", "", diag.Pos{}, lir.Note{})
	c.Agree(&sass.Contract{Endless: true})
	first := len(c.List)
	store(reg("%r2"), 16, lir.Bytes("y", 0, 4))
	store(reg("%r2"), 20, lir.Bytes("y", 4, 8))
	r := c.AddRun(lir.Stores, first)
	r.Virtual, r.Words, r.Begins, r.Size = true, true, true, 8
	c.AddText(lir.Comment, len(c.Buf), diag.Pos{})
	c.Lists = append(c.Lists, lir.BranchList{Inst: len(c.List) - 1, BranchList: &sass.BranchList{Name: "list"}})
	first = len(c.List)
	c.BeginGroup(diag.Pos{})
	c.AddMember(false)
	load(lir.Phys(4), 32, lir.Bytes("z", 0, 4))
	c.AddMember(false)
	load(lir.Phys(5), 36, lir.Bytes("z", 4, 8))
	c.AddMember(true)
	in := c.Add(lir.Copy, "", diag.Pos{})
	in.Dst, in.A = lir.Phys(6), lir.Phys(4)
	c.EndGroup()
	c.AddRun(lir.AtOnce, first)
	c.AddText(lir.Call, len(c.Buf), diag.Pos{}).Name = "CALL"
	c.BeginGroup(diag.Pos{})
	c.AddMember(true)
	in = c.Add(lir.Copy, "", diag.Pos{})
	in.Dst, in.A = lir.Phys(7), lir.Phys(8)
	c.EndGroup()
	return c
}

// TestRun joins what can be, and holds that what is said of instructions is said of the same ones
// afterwards, whichever of the passes change the code.
func TestRun(t *testing.T) {
	for off, want := range map[lir.Passes][]string{
		0: {
			"LDL.64 x.0$x2", "MOV %r0", "MOV %r1", "EXIT", "MOV y.0$x2.lo", "MOV y.0$x2.hi", "STL.64 y.0$x2", "//", "LDL.64 R4", "MOV R6", "CALL", "MOV R7",
		},
		lir.LoadPairing: {
			"LDL %r0", "LDL %r1", "EXIT", "MOV y.0$x2.lo", "MOV y.0$x2.hi", "STL.64 y.0$x2", "//", "LDL R4", "LDL R5", "MOV R6", "CALL", "MOV R7",
		},
		lir.StorePairing: {
			"LDL.64 x.0$x2", "MOV %r0", "MOV %r1", "EXIT", "STL %r2", "STL %r2", "//", "LDL.64 R4", "MOV R6", "CALL", "MOV R7",
		},
		^lir.Passes(0): {
			"LDL %r0", "LDL %r1", "EXIT", "STL %r2", "STL %r2", "//", "LDL R4", "LDL R5", "MOV R6", "CALL", "MOV R7",
		},
	} {
		plan := planned(t, off)
		c := codeOf(plan)
		var tuner tune.Tuner
		tuner.Run(c, plan)
		assert.Empty(t, c.Runs)
		var got []string
		at := make(map[string]int)
		for i, it := range c.Items() {
			text := it.Instr.Op
			if it.Kind == sass.Comment {
				text = "//"
			}
			for k := range it.Instr.Args {
				o := &it.Instr.Args[k]
				if o.Kind == sass.Register || o.Kind == sass.Virtual {
					text += " " + o.String()
					break
				}
			}
			got = append(got, text)
			at[text] = i
			assert.Equal(t, text == "EXIT", it.Instr.Contract != nil, "%s", text)
			assert.Equal(t, text == "//", it.List != nil, "%s", text)
		}
		require.Equal(t, want, got)
		require.Len(t, c.Groups, 2)
		for i, g := range c.Groups {
			last := []string{"MOV R6", "MOV R7"}[i]
			require.Positive(t, g.N)
			m := c.Members[g.First+g.N-1]
			assert.Equal(t, lir.Member{First: at[last], Copy: true}, m)
			assert.Equal(t, at[last]+1, g.End)
		}
		assert.Equal(t, at["//"]+1, c.Members[c.Groups[0].First].First)
	}
}

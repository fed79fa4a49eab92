package sassverify_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/sass"
)

// soundSource has what Verify follows: a realigned frame with saved registers, a
// guarded return, a loop, words on the stack, a direct, an indirect and a guarded
// call, a kernel.
//
//go:embed testdata/text/soundSource.ptx
var soundSource string

// sound lowers soundSource.
func sound(t *testing.T, target *abi.Target) *sass.Program {
	t.Helper()
	m := must.Parse(t, "sound.ptx", []byte(soundSource))
	prog, err := lower.Module(m, target, lower.Options{})
	require.NoError(t, err)
	return prog
}

func lookup(t *testing.T, name string) *abi.Target {
	t.Helper()
	target := must.Target(t, name)
	return target
}

// find returns the index of the nth instruction of a function, from 0, whose
// text begins with some text.
func find(t *testing.T, f *sass.Func, begins string, nth int) int {
	t.Helper()
	for i := range f.Items {
		it := &f.Items[i]
		text := it.Instr.String()
		if it.Kind == sass.Label {
			text = it.Text + ":"
		}
		if it.Kind == sass.Comment || !strings.HasPrefix(text, begins) {
			continue
		}
		if nth == 0 {
			return i
		}
		nth--
	}
	require.FailNow(t, "no such instruction", "%s in\n%s", begins, f)
	return -1
}

// TestVerifySound holds that what lowering makes is sound for every target.
func TestVerifySound(t *testing.T) {
	for _, target := range abi.Targets() {
		assert.NoError(t, sassverify.Verify(must.Parse(t, "sound.ptx", []byte(soundSource)), sound(t, target), target), target.Name)
	}
}

// TestVerifyDamage breaks a sound program in one place at a time.
func TestVerifyDamage(t *testing.T) {
	drop := func(begins string, nth int) func(*testing.T, *sass.Program) {
		return func(t *testing.T, p *sass.Program) {
			f := p.Funcs[0]
			i := find(t, f, begins, nth)
			f.Items = slices.Delete(f.Items, i, i+1)
		}
	}
	edit := func(begins string, nth int, change func(*sass.Item)) func(*testing.T, *sass.Program) {
		return func(t *testing.T, p *sass.Program) {
			f := p.Funcs[0]
			change(&f.Items[find(t, f, begins, nth)])
		}
	}
	arg := func(i int, o sass.Operand) func(*sass.Item) {
		return func(it *sass.Item) { it.Instr.Args[i] = o }
	}
	insert := func(begins string, nth int, in sass.Instr) func(*testing.T, *sass.Program) {
		return func(t *testing.T, p *sass.Program) {
			f := p.Funcs[0]
			f.Items = slices.Insert(f.Items, find(t, f, begins, nth), sass.Item{Instr: in})
		}
	}
	move := func(dst, src sass.Operand) sass.Instr {
		return sass.Instr{Op: "MOV", Args: []sass.Operand{dst, src}}
	}
	tests := []struct {
		name, target string
		damage       func(*testing.T, *sass.Program)
		want         string // a pattern
	}{
		// Structure.
		{"mnemonic of another target", "sm_90", edit("MOV R3, R1", 0, func(it *sass.Item) { it.Instr.Op = "MOV32I" }), `sm_90 has no "MOV32I"`},
		{"constant where there is none", "sm_90", insert("MOV %r1", 0, move(sass.Virtual("%r1", sass.Whole), sass.Const(0, 0x160))), `c\[0x0\]\[0x160\] is no`},
		{"operand of another kind", "sm_80", edit("STL [R1+0x40]", 0, arg(1, sass.Imm(7))), `0x7 is no register`},
		{"operand missing", "sm_80", edit("IADD3 R1", 0, func(it *sass.Item) { it.Instr.Args = it.Instr.Args[:3] }), `3 operands, and IADD3 has 4`},
		{"sign where none is", "sm_80", edit("STL [R1+0x40]", 0, func(it *sass.Item) { it.Instr.Args[1].Neg = true }), `takes no signs`},
		{"register beyond the last", "sm_80", insert("MOV %r1", 0, move(sass.Register(254), sass.Register(4))), `R254 does not exist`},
		{"misaligned wide register", "sm_80", insert("MOV %r1", 0, sass.Instr{Op: "LDL.64", Args: []sass.Operand{sass.Register(5), sass.Mem(1, 0)}}), `not a multiple of 2`},
		{"predicate that does not exist", "sm_80", edit("MOV %r1", 0, func(it *sass.Item) { it.Instr.Guard = "@P7" }), `no predicate P7`},
		{"guard that is none", "sm_80", edit("MOV %r1", 0, func(it *sass.Item) { it.Instr.Guard = "P0" }), `does not begin with @`},
		{"virtual register like a physical one", "sm_80", edit("MOV %r1", 0, arg(0, sass.Virtual("R9", sass.Whole))), `reads as a physical one`},
		{"label missing", "sm_80", drop("loop:", 0), `no label loop`},
		{"label twice", "sm_80", func(t *testing.T, p *sass.Program) {
			f := p.Funcs[0]
			f.Items = append(f.Items, sass.Item{Kind: sass.Label, Text: "loop"})
		}, `the label is there twice`},
		{"label of another function", "sm_80", func(t *testing.T, p *sass.Program) {
			k := p.Funcs[1]
			k.Items[find(t, k, "MOV R20", 0)].Instr.Args[1] = sass.Operand{Kind: sass.KindLo32, Name: "f", Label: "loop"}
		}, `no label loop in k`},
		{"call of itself that is none", "sm_80", edit("CALL.ABS.NOINC `(ext)", 0, func(it *sass.Item) { it.Instr.Op = "CALL.REL.NOINC" }), `calls itself`},
		{"function twice", "sm_80", func(_ *testing.T, p *sass.Program) { p.Funcs = append(p.Funcs, p.Funcs[0]) }, `another function of that name`},

		// Calls.
		{"argument not moved", "sm_80", drop("MOV R7, %rd1", 0), `ext, .*R7 should hold bytes 4 to 8 of argument c`},
		{"argument moved on one path", "sm_80", edit("MOV R7, %rd1", 0, func(it *sass.Item) { it.Instr.Guard = "@%p1" }), `ext, .*R7 should hold bytes 4 to 8 of argument c`},
		{"argument not moved, old", "sm_52", drop("MOV R6, %rd1", 1), `call 2 of a pointer: R6 should hold`},
		{"argument lost in another call", "sm_52", func(t *testing.T, p *sass.Program) {
			f := p.Funcs[0]
			i, to := find(t, f, "MOV R6, %rd1", 1), find(t, f, "JCAL", 0)
			mov := f.Items[i]
			f.Items = slices.Insert(slices.Delete(f.Items, i, i+1), to, mov)
		}, `call 2 of a pointer: R6 should hold`},
		{"word of the stack not stored", "sm_80", drop("STL [R1+0x40]", 0), `\[R1\+0x40\] should hold bytes 64 to 68 of argument b`},
		{"half of a word of the stack", "sm_80", edit("STL [R1+0x40]", 0, func(it *sass.Item) { it.Instr.Op = "STL.U16" }), `\[R1\+0x40\] should hold bytes 64 to 68 of argument b`},
		{"word of the stack elsewhere", "sm_80", edit("STL [R1+0x40]", 0, arg(0, sass.Mem(1, 0x44))), `\[R1\+0x40\] should hold bytes 64 to 68 of argument b`},
		{"no return address", "sm_80", drop("MOV R21", 0), `R21 should hold the high word of the address of the label after the call`},
		{"wrong return address", "sm_80", edit("MOV R20, 32@lo", 0, arg(1, sass.Operand{Kind: sass.KindLo32, Name: "f", Label: ".L_x_2"})), `R20 should hold the low word of the address of the label after the call`},
		{"return address not pushed", "sm_52", drop("PRET", 0), `no PRET stands before the call`},
		{"no contract", "sm_80", edit("CALL.ABS.NOINC `(ext)", 0, func(it *sass.Item) { it.Instr.Contract = nil }), `does not say what it passes`},

		// Frames and returns.
		{"result not moved", "sm_80", func(t *testing.T, p *sass.Program) {
			g := p.Funcs[2]
			i := find(t, g, "MOV R5", 1)
			g.Items = slices.Delete(g.Items, i, i+1)
		}, `R5 should hold bytes 4 to 8 of result res`},
		{"register not restored", "sm_80", drop("LDL R2", 0), `line 60, return: R2 should hold what it held at entry`},
		{"register not restored on one path", "sm_80", drop("@%p1 LDL R2", 0), `line 27, return: R2 should hold what it held at entry`},
		{"register not saved", "sm_80", drop("STL [R1+0xa0]", 0), `return: R2 should hold what it held at entry`},
		{"register saved elsewhere", "sm_80", edit("STL [R1+0xa0]", 0, arg(0, sass.Mem(1, 0xac))), `return: R2 should hold what it held at entry`},
		{"return address not restored", "sm_80", drop("LDL R21", 0), `return: R21 should hold the return address`},
		{"stored over a saved register", "sm_80", edit("STL [R1+0x40]", 0, arg(0, sass.Mem(1, 0xa4))), `return: R20 should hold the return address`},
		{"callee-saved register written", "sm_80", insert("loop", 0, move(sass.Register(17), sass.Register(4))), `return: R17 should hold what it held at entry`},
		{"stack pointer not restored", "sm_80", drop("MOV R1, R3", 0), `line 60, return: R1 should hold what it held at entry`},
		{"stack pointer not restored on one path", "sm_80", drop("@%p1 MOV R1, R3", 0), `line 27, return: R1 should hold what it held at entry`},
		{"stack pointer raised by too little", "sm_80", func(t *testing.T, p *sass.Program) {
			g := p.Funcs[2]
			g.Items[find(t, g, "IADD3 R1", 1)].Instr.Args[2] = sass.Imm(4)
		}, `return: R1 should hold what it held at entry; it holds what R1 held at entry-0x4`},
		{"access below the stack pointer", "sm_80", edit("STL [R1+0x40]", 0, arg(0, sass.Mem(1, -8))), `\[R1\+0x40\] should hold bytes 64 to 68 of argument b`},
		{"store in the caller's frame", "sm_80", insert("LDL R2", 0, sass.Instr{Op: "STL", Args: []sass.Operand{sass.Mem(3, 4), sass.Register(4)}}), `the store: \[R1\+0x4\] of the entry should be left alone`},
		{"kernel without a stack pointer", "sm_80", func(t *testing.T, p *sass.Program) {
			k := p.Funcs[1]
			i := find(t, k, "MOV R1, c[0x0][0x28]", 0)
			k.Items = slices.Delete(k.Items, i, i+1)
		}, `R1 should be what the kernel loads`},
		{"kernel that returns", "sm_80", func(t *testing.T, p *sass.Program) {
			k := p.Funcs[1]
			i := find(t, k, "EXIT", 0)
			k.Items[i].Instr = sass.Instr{Op: "RET.ABS.NODEC", Args: []sass.Operand{sass.Register(20), sass.Imm(0)}}
		}, `the kernel should end with EXIT`},
		{"no end", "sm_80", func(t *testing.T, p *sass.Program) {
			k := p.Funcs[1]
			k.Items = k.Items[:find(t, k, "EXIT", 0)]
		}, `k, line 76, the end: .* control runs past the last instruction`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			target := lookup(t, tt.target)
			p := sound(t, target)
			tt.damage(t, p)
			assert.Regexp(t, tt.want, sassverify.Verify(must.Parse(t, "sound.ptx", []byte(soundSource)), p, target))
		})
	}
}

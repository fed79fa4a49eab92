package sass

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// nowhere returns a program without the positions of its text, and with nil for
// lists of nothing.
func nowhere(p *Program) *Program {
	q := &Program{Target: p.Target}
	for _, f := range p.Funcs {
		g := &Func{Name: f.Name}
		for _, it := range f.Items {
			it.Instr.Pos = Pos{}
			if len(it.Instr.Args) == 0 {
				it.Instr.Args = nil
			}
			g.Items = append(g.Items, it)
		}
		q.Funcs = append(q.Funcs, g)
	}
	return q
}

// TestParsePrinted reads back what was printed, of every form.
func TestParsePrinted(t *testing.T) {
	f := caller()
	f.Items[0].Text = "arguments of f" // a line end prints as a blank
	f.Items = append(f.Items,
		Item{Instr: Instr{Op: "ISETP.NE.AND", Args: []Operand{Pred("%p1"), Pred("PT"), Virtual("x", Whole), Register(RZ), Pred("PT")}}},
		Item{Instr: Instr{Op: "SEL", Args: []Operand{Register(4), Register(RZ), Imm(1), Pred("ok").Negated()}}},
		Item{Instr: Instr{Op: "STL.128", Args: []Operand{{Kind: KindMem, Name: "%rd9", Off: -8, Part: Lo}, Virtual("%q1", W3)}}},
		Item{Instr: Instr{Op: "LDC", Args: []Operand{Virtual("a$1", Hi), {Kind: KindConst, Name: "%rd1", Off: 0x210, Part: Lo}}}},
		Item{Instr: Instr{Op: "LDC.U8", Args: []Operand{Virtual("a", Whole).Negated(), {Kind: KindConstReg, Bank: 3, Reg: 12, Off: -0x14}}}},
		Item{Instr: Instr{Op: "CALL.ABS.NOINC", Args: []Operand{Register(6), Symbol("__UFT_OFFSET")}}},
		Item{Instr: Instr{Op: "UMOV", Args: []Operand{Uniform(4), {Kind: KindLo32, Name: "fun@unified(f)"}}}},
		Item{Instr: Instr{Text: "@%p1 st.param.v2.f32 [out+ 8], {%f1, 0f3F800000}"}},
		Item{Kind: Label, Text: "$L__BB0_1"},
		Item{Kind: Label, Text: "caller"},
		Item{Kind: Comment, Text: ""},
	)
	p := &Program{Target: "sm_90a", Funcs: []*Func{f, {Name: "$a%b"}, {Name: "empty"}}}
	got, err := Parse("", p.AppendText(nil))
	require.NoError(t, err)
	assert.Equal(t, nowhere(p), nowhere(got))
	assert.Equal(t, Pos{Line: 3, Col: 1}, got.Funcs[0].Pos)
	assert.Equal(t, Pos{Line: 6, Col: 2}, got.Funcs[0].Items[1].Instr.Pos)

	got, err = Parse("", []byte("// pseudo-SASS for sm_80: calling convention only, not assemblable\n"))
	require.NoError(t, err)
	assert.Equal(t, &Program{Target: "sm_80"}, got)
}

// disassembled is what nvdisasm -c shows, of several architectures: what each
// line reads as follows it.
//
//go:embed testdata/text/disassembled.sass
var disassembled string

func TestParseDisassembly(t *testing.T) {
	p, err := Parse("x", []byte(disassembled))
	require.NoError(t, err)
	assert.Equal(t, "sm_52", p.Target)
	require.Len(t, p.Funcs, 1)
	f := p.Funcs[0]
	assert.Equal(t, "caller", f.Name)
	at := func(addr int64, in Instr) Item {
		in.Addr, in.HasAddr = addr, true
		return Item{Instr: in}
	}
	want := []Item{
		at(0x8, Instr{Op: "IADD32I", Args: []Operand{Register(1), Register(1), Imm(-0x48)}}),
		at(0x18, Instr{Op: "MOV", Args: []Operand{Register(5), {Kind: KindRegister, Reg: 16, Reuse: true}}, Pair: First}),
		at(0x28, Instr{Op: "STG.E.64", Args: []Operand{Mem(RZ, 0x1000), Register(8)}, Pair: Second}),
		at(0x30, Instr{Guard: "@!P0", Op: "BRA", Args: []Operand{Symbol(".L_x_3")}}),
		at(0x38, Instr{Op: "JMX", Args: []Operand{Register(2)}, Remark: "INDIRECT_CALL"}),
		{Kind: Label, Text: ".L_x_3"},
		at(0x40, Instr{Op: "DEPBAR.LE", Args: []Operand{{Kind: KindOther, Name: "SB5"}, Imm(1)}}),
		at(0x48, Instr{Op: "YIELD", Remark: "RELOCATOR OPCODE,YIELD,280"}),
		at(0x50, Instr{Op: "LDL.LU.64", Args: []Operand{Register(2), Mem(1, -8)}}),
		at(0x58, Instr{Op: "HFMA2.MMA", Args: []Operand{
			Register(0), Register(RZ).Negated(), Register(RZ), {Kind: KindFloat, Name: "1"}, {Kind: KindFloat, Name: "5.9604644775390625e-08"},
		}}),
		at(0x60, Instr{Op: "STG.E", Args: []Operand{{Kind: KindAddress, Reg: 2, Off: 0x10, Suffix: "64", Label: "desc[UR4]"}, Register(0)}}),
		at(0x68, Instr{Op: "MOV", Args: []Operand{Register(0), {Kind: KindOther, Name: "cx[UR4][0x0]"}}}),
		at(0x70, Instr{Op: "NOP"}),
		{Kind: Label, Text: ".L_x_8"},
	}
	assert.Equal(t, want, nowhere(p).Funcs[0].Items)
	assert.Equal(t, Pos{Line: 19, Col: 36}, f.Items[0].Instr.Pos)

	again, err := Parse("x", p.AppendText(nil))
	require.NoError(t, err)
	assert.Equal(t, nowhere(p), nowhere(again), "what is printed of it reads back")
}

// TestParseBare reads labels and instructions without the lines that announce
// sections.
func TestParseBare(t *testing.T) {
	p, err := Parse("", []byte("f:\n.text.f:\n\t/*0000*/ RET ;\n.L_1:\ng:\n.text.g:\n\t/*0000*/ EXIT ;\n"))
	require.NoError(t, err)
	require.Len(t, p.Funcs, 2)
	assert.Equal(t, "f", p.Funcs[0].Name)
	assert.Len(t, p.Funcs[0].Items, 2, "the label of g is not f's")
	assert.Equal(t, "g", p.Funcs[1].Name)
	assert.Len(t, p.Funcs[1].Items, 1)
}

// TestParseCuobjdump reads cuobjdump's form, with encodings and with addresses
// in place of labels.
func TestParseCuobjdump(t *testing.T) {
	p, err := Parse("", must.Read(t, "testdata/text/cuobjdump.sass"))
	require.NoError(t, err)
	assert.Equal(t, "sm_120", p.Target)
	require.Len(t, p.Funcs, 1)
	assert.Equal(t, "rec", p.Funcs[0].Name)
	assert.Equal(t, "\t/*0070*/ @!P0 BRA 0xb0 ;\n\t/*0130*/ BRA 0x130 ;\n",
		strings.TrimPrefix(p.Funcs[0].String(), "//--------------------- .text.rec --------------------------\nrec:\n"))
}

// TestParseOperand has operands of every kind, those that package sass has no constructor for too,
// and what their text becomes.
func TestParseOperand(t *testing.T) {
	for text, want := range map[string]Operand{
		"R4.H0_H0.reuse":            {Kind: KindRegister, Reg: 4, Suffix: "H0_H0", Reuse: true},
		"R4.reuse.H1":               {Kind: KindRegister, Reg: 4, Suffix: "H1", Reuse: true},
		"-|R4|":                     {Kind: KindRegister, Reg: 4, Neg: true, Abs: true},
		"|R4.H1|":                   {Kind: KindRegister, Reg: 4, Abs: true, Suffix: "H1"},
		"~R4":                       {Kind: KindRegister, Reg: 4, Not: true},
		"-RZ":                       {Kind: KindRegister, Reg: RZ, Neg: true},
		"R254":                      Register(254),
		"R255":                      {Kind: KindOther, Name: "R255"},
		"R04":                       {Kind: KindOther, Name: "R04"},
		"UR63":                      Uniform(63),
		"URZ":                       Uniform(RZ),
		"!UPT":                      Pred("UPT").Negated(),
		"-P0":                       {Kind: KindOther, Name: "-P0"},
		"!R0":                       {Kind: KindOther, Name: "!R0"},
		"0xffffffffffffffff":        Imm(-1),
		"-0x8":                      Imm(-8),
		"0x":                        {Kind: KindOther, Name: "0x"},
		"-0.5":                      {Kind: KindFloat, Name: "-0.5"},
		"+QNAN":                     {Kind: KindFloat, Name: "+QNAN"},
		"2D":                        {Kind: KindOther, Name: "2D"},
		"1_0":                       {Kind: KindOther, Name: "1_0"},
		"c[0x0][-0x7f30]":           Const(0, -0x7f30),
		"-c[0x0][0x160]":            {Kind: KindConst, Off: 0x160, Neg: true},
		"c[0x0][0x160].H1_H1":       {Kind: KindConst, Off: 0x160, Suffix: "H1_H1"},
		"c[0x2][R4]":                {Kind: KindConstReg, Bank: 2, Reg: 4},
		"c[0x2][UR4+-0x8]":          {Kind: KindConstUni, Bank: 2, Uni: 4, Off: -8},
		"c[0x0][UR4+0x160]":         {Kind: KindConstUni, Uni: 4, Off: 0x160},
		"c[0x2][R4+UR4]":            {Kind: KindOther, Name: "c[0x2][R4+UR4]"},
		"c[0x100][0x0]":             {Kind: KindOther, Name: "c[0x100][0x0]"},
		"c[0x0][0x1].":              {Kind: KindOther, Name: "c[0x0][0x1]."},
		"cx[UR4][0x0]":              {Kind: KindOther, Name: "cx[UR4][0x0]"},
		"[R1-0x10]":                 Mem(1, -16),
		"[R1+-0x10]":                Mem(1, -16),
		"[0x10]":                    Mem(RZ, 16),
		"[RZ+0x10]":                 Mem(RZ, 16),
		"[R2.64+UR4+0x10]":          {Kind: KindAddress, Reg: 2, Suffix: "64", Uni: 4, HasUni: true, Off: 16},
		"[R2+UR0+0x10]":             {Kind: KindAddress, Reg: 2, HasUni: true, Off: 16},
		"desc[UR6][R2.U32+UR4+0x8]": {Kind: KindAddress, Label: "desc[UR6]", Reg: 2, Suffix: "U32", Uni: 4, HasUni: true, Off: 8},
		"[R2.64+0x10]":              {Kind: KindAddress, Reg: 2, Suffix: "64", Off: 16},
		"[R2.reuse+0x4]":            Mem(2, 4),
		"[UR4]":                     {Kind: KindAddress, Reg: RZ, Uni: 4, HasUni: true},
		"desc[UR4][R2.64]":          {Kind: KindAddress, Label: "desc[UR4]", Reg: 2, Suffix: "64"},
		"gdesc[UR8]":                {Kind: KindOther, Name: "gdesc[UR8]"},
		"[R2+R4]":                   {Kind: KindOther, Name: "[R2+R4]"},
		"[R2-R4]":                   {Kind: KindOther, Name: "[R2-R4]"},
		"[]":                        {Kind: KindOther, Name: "[]"},
		"[foo]":                     {Kind: KindOther, Name: "[foo]"},
		"`(f)":                      Symbol("f"),
		"`()":                       {Kind: KindOther, Name: "`()"},
		"32@lo(fun@unified(f))":     {Kind: KindLo32, Name: "fun@unified(f)"},
		"32@hi((f + .L@srel))":      {Kind: KindHi32, Name: "f", Label: ".L"},
		"32@hi((f + 0x8))":          {Kind: KindHi32, Name: "(f + 0x8)"},
		"SR_TID.X":                  {Kind: KindOther, Name: "SR_TID.X"},
		"B6":                        {Kind: KindOther, Name: "B6"},
		"-":                         {Kind: KindOther, Name: "-"},
		"||":                        {Kind: KindOther, Name: "||"},
	} {
		got := parseOperand(text, true, false)
		assert.Equal(t, want, got, text)
		assert.Equal(t, got, parseOperand(got.String(), true, false), text)
	}
}

// TestParseErrors has every diagnostic, with its place.
func TestParseErrors(t *testing.T) {
	const head = "//---- .text.f ----\nf:\n"
	for _, c := range []struct{ text, want string }{
		{"", "x:1:1: error: no code"},
		{"MOV R0, R4 ;\n", "x:1:1: error: no code"},
		{head + "garbage\n", "x:3:1: error: expected an instruction, indented, or a label"},
		{head + "\tMOV R0, R4\n", "x:3:12: error: expected ; at the end"},
		{head + "\t/*00g0*/ NOP ;\n", "x:3:2: error: expected an address"},
		{head + "\t/*0000 NOP ;\n", "x:3:2: error: expected an address"},
		{head + "\t/*-8*/ NOP ;\n", "x:3:2: error: expected an address"},
		{head + "\t ;\n", "x:3:2: error: expected a guard"},
		{head + "\t@P0 ;\n", "x:3:2: error: expected a guard"},
		{head + "\t@! NOP ;\n", "x:3:2: error: expected a guard"},
		{head + "\t/*0000*/ mov R0, R4 ;\n", "x:3:11: error: expected an operation"},
		{head + "\tMOV R0,, R4 ;\n", "x:3:9: error: expected an operand before the comma"},
		{head + "\tMOV R0, ;\n", "x:3:9: error: expected an operand after the comma"},
		{head + "\tMOV R0, [R4 ;\n", "x:3:10: error: [ is not closed"},
		{head + "\tMOV R0, R4) ;\n", "x:3:12: error: ) without ( before it"},
		{head + "\tMOV R0, (R4] ;\n", "x:3:13: error: ] without [ before it"},
		{head + "\tJMX R2 (*\"X\" ;\n", "x:3:9: error: expected *)"},
		{head + "\t{ MOV R0, R4 }\n", "x:3:2: error: the first instruction of a pair ends in }"},
		{head + "\tMOV R0, R4 }\n", "x:3:2: error: a pair ends that did not begin"},
		{head + "\t{ MOV R0, R4 ;\n\t{ MOV R0, R4 ;\n\tMOV R2, R4 }\n", "x:4:2: error: a pair begins within a pair"},
		{head + "\t{ MOV R0, R4 ;\n\tMOV R2, R4 ;\n", "x:4:2: error: the second instruction of a pair does not end in }"},
		{head + "\t{ MOV R0, R4 ;\n", "x:4:1: error: the function ends within a pair"},
	} {
		p, err := Parse("x", []byte(c.text))
		require.NotNil(t, p)
		var list diag.List
		require.ErrorAs(t, err, &list, c.text)
		assert.Len(t, list, 1, c.text)
		assert.True(t, strings.HasPrefix(err.Error(), c.want), "%q: %v", c.text, err)
	}

	// All of them are said, and what is right is read.
	p, err := Parse("", []byte(head+"\tMOV R0,\n\tNOP ;\n\tMOV R0, ) ;\n"))
	assert.EqualError(t, err, "-:3:9: error: expected ; at the end of the instruction\n-:5:10: error: ) without ( before it")
	require.Len(t, p.Funcs, 1)
	assert.Len(t, p.Funcs[0].Items, 1)
}

// FuzzParse checks that nothing panics, and that a text without diagnostics reads back unchanged
// after printing.
func FuzzParse(f *testing.F) {
	f.Add(disassembled)
	f.Add((&Program{Target: "sm_80", Funcs: []*Func{caller()}}).String())
	f.Add("f:\n.text.f:\n\t/*0000*/ { @P0 MOV R0, -|R4|.reuse ;\n\t/*0008*/ FOO 1, c[0x0][UR4].x }\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("fuzz", []byte(text))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := Parse("fuzz", p.AppendText(nil))
		require.NoError(t, err)
		require.Equal(t, nowhere(p), nowhere(again))
	})
}

// TestParseAlias: the label of an alias stands before the function's own, and begins no other.
func TestParseAlias(t *testing.T) {
	p, err := Parse("x.sass", must.Read(t, "testdata/text/alias.sass"))
	require.NoError(t, err)
	require.Len(t, p.Funcs, 1)
	require.Len(t, p.Funcs[0].Items, 3)
	assert.Equal(t, "a6", p.Funcs[0].Items[0].Text)
	assert.Equal(t, Code, p.Funcs[0].Items[1].Kind)
}
